"""How alike texts are: Self-BLEU of texts, BERTScore of token embeddings.

Both say how stable repeated texts are, not how good: five equal wrong texts are as alike as five right ones.
"""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from creaeval.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt
    from sacrebleu.metrics.bleu import BLEU

# Written without spaces between words, or (Korean) with endings joined to them. sacrebleu's own tokenisers of
# Japanese and Korean need MeCab and a dictionary; characters need nothing.
_BY_CHARACTER = {"ja", "ko", "th", "lo", "km", "my", "bo", "dz"}
# What nltk's smoothing method 1 puts in place of a count of 0 (Chen & Cherry 2014).
_EPSILON = 0.1
_PILOT_WEIGHTS = (0.8, 0.2)


class BertScore(NamedTuple):
    """Precision, recall and F1, each from -1 to 1 (a mean of cosines), higher is more alike."""

    precision: float
    recall: float
    f1: float


def tokenizer_of(language: str) -> str:
    """Name the sacrebleu tokeniser that fits a language.

    Parameters
    ----------
    language : str
        Two letters as in ``en``; what follows a hyphen, as in ``zh-Hant``, changes nothing.

    Returns
    -------
    str
        ``zh`` for Chinese; ``char`` for languages without spaces between words and for Korean; else ``13a``,
        the tokeniser of the WMT's mteval-v13a.
    """
    code = language.lower().partition("-")[0]
    return "zh" if code == "zh" else "char" if code in _BY_CHARACTER else "13a"


def self_bleu(texts: Sequence[str], *, language: str) -> float:
    """Mean of the BLEU of each text against all the others.

    Parameters
    ----------
    texts : sequence of str
        Texts of one thing, such as an analyst's repeated observations.
    language : str
        Their language, which decides how they are split into tokens (:func:`tokenizer_of`).

    Returns
    -------
    float
        From 0 to 1, higher is more alike; 1 if all are equal. nan for fewer than two texts. It grows with the
        number of texts, so only equal numbers compare.

    Raises
    ------
    SettingError
        sacrebleu is not installed.

    Notes
    -----
    Sentence BLEU of up to four tokens with sacrebleu's exponential smoothing. Orders longer than the text are
    left out (``effective_order``); without that, texts of one to three equal words would not reach 1. A text
    without words scores 1 if another one is without words, too, and else 0: it repeats it or it does not.

    References
    ----------
    Zhu et al. (2018), Texygen; Papineni et al. (2002); Post (2018), sacrebleu.
    """
    if len(texts) < 2:
        return math.nan
    bleu = _sacrebleu(tokenizer_of(language))
    scores = []
    for number, text in enumerate(texts):
        others = [*texts[:number], *texts[number + 1 :]]
        if not text.strip():
            scores.append(float(any(not other.strip() for other in others)))
            continue
        # Equal texts come to 100.00000000000004.
        scores.append(min(bleu.sentence_score(text, others).score / 100, 1.0))
    return float(np.mean(scores))


@lru_cache(maxsize=8)
def _sacrebleu(tokenizer: str) -> BLEU:
    try:
        from sacrebleu.metrics.bleu import BLEU
    except ImportError as error:
        raise SettingError(
            'self_bleu needs sacrebleu, which is not installed. Run: pip install "creaeval[similarity]"'
        ) from error
    return BLEU(tokenize=tokenizer, effective_order=True)


def self_bleu_pilot(texts: Sequence[str]) -> float:
    """Self-BLEU as the temperature pilot of arXiv 2609.03432 computed it; to compare with its Table 10 only.

    Parameters
    ----------
    texts : sequence of str
        Texts of one thing. They are split at spaces, so a Chinese sentence is one token.

    Returns
    -------
    float
        From 0 to 1, higher is more alike. nan for fewer than two texts. A text without words scores 0.

    Notes
    -----
    Weights .8 and .2 for one and two tokens, nltk's smoothing method 1, no effective order: texts of a single
    token reach .1 ** .2 = .631 at most. Of five such texts 4, 3 or 2 equal ones give .505, .379 and .252, so
    the value counts repeats. Prefer :func:`self_bleu`.

    References
    ----------
    arXiv 2609.03432, Table 10 and its published code; Chen & Cherry (2014), smoothing 1.
    """
    if len(texts) < 2:
        return math.nan
    tokens = [text.split() for text in texts]
    return float(
        np.mean([_pilot_bleu(own, tokens[:place] + tokens[place + 1 :]) for place, own in enumerate(tokens)])
    )


def _pilot_bleu(own: Sequence[str], others: Sequence[Sequence[str]]) -> float:
    """BLEU with up to two tokens (Papineni et al. 2002), smoothed; 0 if no token is shared."""
    logs = []
    for order, weight in enumerate(_PILOT_WEIGHTS, 1):
        counts = _ngrams(own, order)
        most: Counter[tuple[str, ...]] = Counter()
        for other in others:
            most |= _ngrams(other, order)
        shared, all_of_them = (counts & most).total(), max(1, counts.total())
        if order == 1 and not shared:
            return 0.0
        logs.append(weight * math.log(Fraction(shared, all_of_them) or _EPSILON / all_of_them))
    # The length that is closest, the shorter of two.
    closest = min((len(other) for other in others), key=lambda length: (abs(length - len(own)), length))
    brevity = 1.0 if len(own) > closest else math.exp(1 - closest / len(own))
    return brevity * math.exp(math.fsum(logs))


def _ngrams(tokens: Sequence[str], order: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(tokens[start:] for start in range(order)), strict=False))


def bert_score(embeddings_a: npt.ArrayLike, embeddings_b: npt.ArrayLike) -> BertScore:
    """Match every token of a text with the most similar token of another.

    Parameters
    ----------
    embeddings_a : array-like of float, shape (n_tokens, size)
        Contextual embeddings of the tokens of a candidate, of any length, special tokens left out.
    embeddings_b : array-like of float, shape (m_tokens, size)
        Those of a reference.

    Returns
    -------
    BertScore
        Precision, the mean over the candidate's tokens of their highest cosine with a token of the reference;
        recall, the same the other way round; and their harmonic mean. nan if a text has no tokens. No
        weights by rarity and no baseline rescaling: what unrelated texts get depends on the encoder.

    Raises
    ------
    ValueError
        Not two matrices of one width, or an embedding that is not finite or of length 0.

    References
    ----------
    Zhang et al. (2020), BERTScore, section 3.
    """
    a, b = _directions(embeddings_a), _directions(embeddings_b)
    if not len(a) or not len(b):
        return BertScore(math.nan, math.nan, math.nan)
    if a.shape[1] != b.shape[1]:
        raise ValueError(f"embeddings of {a.shape[1]} and {b.shape[1]} numbers do not compare")
    cosines = a @ b.T
    precision, recall = float(cosines.max(axis=1).mean()), float(cosines.max(axis=0).mean())
    both = precision + recall
    return BertScore(precision, recall, 2 * precision * recall / both if both else math.nan)


def self_bert_score(embeddings: Sequence[npt.ArrayLike]) -> float:
    """Mean BERTScore F1 over all ordered pairs of texts.

    Parameters
    ----------
    embeddings : sequence of array-like of float, shape (n_tokens, size)
        One for each text, as for :func:`bert_score`.

    Returns
    -------
    float
        At most 1, higher is more alike; nan for fewer than two texts, or if one has no tokens.

    Raises
    ------
    ValueError
        As :func:`bert_score`.

    References
    ----------
    Zhang et al. (2020); arXiv 2609.03432, Table 9.
    """
    # F1 is symmetric, so each pair stands for both of its orders.
    scores = [bert_score(a, b).f1 for a, b in combinations(embeddings, 2)]
    return float(np.mean(scores)) if scores else math.nan


def _directions(embeddings: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Scale each embedding to length 1."""
    given = np.asarray(embeddings, dtype=np.float64)
    if given.size == 0:
        return given.reshape(0, 0)
    if given.ndim != 2:
        raise ValueError(f"expected embeddings as a matrix of tokens by numbers, found shape {given.shape}")
    lengths = np.linalg.norm(given, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or not lengths.all():
        raise ValueError("an embedding is not finite or has length 0, so it has no direction")
    directions: npt.NDArray[np.float64] = given / lengths
    return directions
