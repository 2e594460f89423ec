"""Look up the analyst's quotes: each in the item or step that it is given for, then elsewhere."""

from __future__ import annotations

import re
import unicodedata
from array import array
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from creaeval.sheets.evidence import Quote

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

#: Similarity (0-100) from which a quote stands nearly: a slip of a letter or two passes, a paraphrase not.
NEARLY_FROM = 90.0

#: Letters of the shortest quote that may stand nearly: similarity rates one or two words generously.
NEARLY_LEAST = 12

# Words around the best alignment that may belong to the passage, where the quote leaves some out.
_MARGIN = 3

#: A word or a punctuation mark; in scripts without spaces between words every sign is one.
WORD = r"[^\W\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+|\S"

_TOKEN = re.compile(rf"(?:\.\.\.|{WORD})\s*|\s+")
_MARKS = str.maketrans({"“": '"', "”": '"', "„": '"', "’": "'", "‘": "'", "–": "-", "—": "-"})
_OUTER = " \"'.,;:“”„’‘…"
_JOINED = "\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
# What may become another number of signs: runs of white space and ellipses, and letters beyond ASCII with all
# that combines with them.
_CHANGED = re.compile(
    rf"(?P<blank>(?:\s|\.\.\.|…){{2,}}|[^\S ]|\.\.\.|…)|[^\x00-\x7f][{_JOINED}]*|.[{_JOINED}]+", re.DOTALL
)


class _Folded(NamedTuple):
    """A text as quotes are compared, with the start and end of each of its signs in the text as written."""

    text: str
    starts: array[int]
    ends: array[int]


@dataclass(frozen=True)
class StepTexts:
    """What the quotes of one step's evidence are looked up in.

    Parameters
    ----------
    step : str
        The step's id.
    whole : str
        All that was written in the step.
    items : mapping of int to str
        Its items by number; empty in a step without.
    other_steps : sequence of tuple of (str, str)
        Places outside the step, in order, with what was written there (see :func:`place_name`).
    """

    step: str
    whole: str
    items: Mapping[int, str]
    other_steps: Sequence[tuple[str, str]] = ()

    def find(self, quote: str, item: int | None = None) -> Quote:
        """Look a quote up: one of an item in this item first, one of the step in the whole step first."""
        if item is None:
            return find_quote(quote, self.whole, self.other_steps)
        others = [(place_name(item=number), text) for number, text in self.items.items() if number != item]
        # What runs across items stands in the step alone.
        others.append((place_name(self.step), self.whole))
        return find_quote(quote, self.items[item], [*others, *self.other_steps])


def place_name(step: str = "", item: int | None = None) -> str:
    """Name a place in a response: ``step2``, ``step2, item_4`` or, within the same step, ``item_4``."""
    return ", ".join([*([step] if step else []), *([f"item_{item}"] if item is not None else [])])


def find_quote(quote: str, own: str, others: Sequence[tuple[str, str]] = ()) -> Quote:
    """Say whether a quote stands where it belongs, exactly or nearly, or elsewhere in the response.

    Case, white space, typographic marks and outer punctuation do not count.

    Parameters
    ----------
    quote : str
        The words the analyst gave.
    own : str
        The text of the item that the quote is given for; for a dimension of the step, the whole step.
    others : sequence of tuple of (str, str)
        Other places with their texts, in the order in which they are looked through: the other items of the
        step, then other steps.

    Returns
    -------
    Quote
        ``exact`` if the own text has it, ``nearly`` if the best alignment of the whole quote within the own
        text is at least ``NEARLY_FROM`` similar; else ``elsewhere``, exactly if any other text has it, else
        nearly. A quote is not aligned with a text shorter than itself or if it is shorter than
        ``NEARLY_LEAST``. An empty quote is not found. ``similarity`` is that of the place found, else the
        best in the own text.
    """
    if _exact_span(quote, own):
        return Quote(text=quote, outcome="exact", similarity=100.0)
    similarity, words = _nearest(quote, own, least=0.0)
    if words:
        return Quote(text=quote, outcome="nearly", similarity=similarity, words=words)
    for place, text in others:
        if _exact_span(quote, text):
            return Quote(text=quote, outcome="elsewhere", similarity=100.0, place=place)
    for place, text in others:
        near, words = _nearest(quote, text)
        if words:
            return Quote(text=quote, outcome="elsewhere", similarity=near, words=words, place=place)
    return Quote(text=quote, outcome="not found", similarity=similarity)


def place_quote(quote: str, text: str) -> tuple[int, int] | None:
    """Say where in a text a quote stands, as start and end, by the rules of :func:`find_quote`.

    The first place where there are several, of a quote with slips the most similar one, widened to whole
    words. None where the text does not have it.
    """
    return _exact_span(quote, text) or _near_span(quote, text)[1]


def compare_words(quote: str, words: str) -> list[tuple[Literal["both", "quote", "response"], str]]:
    """Say word by word how a quote differs from the response's own words, in stretches.

    What ``both`` have is as the response writes it. Those of ``both`` and ``response`` make up ``words``.
    """
    quoted, written = _TOKEN.findall(quote.strip().strip(_OUTER)), _TOKEN.findall(words)
    quote_keys, keys = ([_fold(token).text.strip() for token in tokens] for tokens in (quoted, written))
    stretches: list[tuple[Literal["both", "quote", "response"], str]] = []
    for tag, a, a_end, b, b_end in SequenceMatcher(None, quote_keys, keys, autojunk=False).get_opcodes():
        if tag == "equal":
            stretches.append(("both", "".join(written[b:b_end])))
            continue
        stretches += [("quote", "".join(quoted[a:a_end]))] if a < a_end else []
        stretches += [("response", "".join(written[b:b_end]))] if b < b_end else []
    return stretches


@lru_cache(maxsize=64)
def _needle(quote: str) -> str:
    return _fold(quote).text.strip(_OUTER)


def _exact_span(quote: str, text: str) -> tuple[int, int] | None:
    # As written first: most quotes are, and then nothing need be folded.
    words = quote.strip().strip(_OUTER)
    if words and (start := text.find(words)) >= 0:
        return start, start + len(words)
    needle, folded = _needle(quote), _folded(text)
    start = folded.text.find(needle) if needle else -1
    return (folded.starts[start], folded.ends[start + len(needle) - 1]) if start >= 0 else None


def _nearest(quote: str, text: str, least: float = NEARLY_FROM) -> tuple[float, str]:
    """Return the best similarity from ``least``, and the words of the text there if they count."""
    similarity, span = _near_span(quote, text, least)
    # One slip in a long quote must not be rounded to none.
    return min(round(similarity, 1), 99.9), text[slice(*span)] if span is not None else ""


# An analyst often gives one quote for several dimensions.
@lru_cache(maxsize=1024)
def _near_span(quote: str, text: str, least: float = NEARLY_FROM) -> tuple[float, tuple[int, int] | None]:
    from rapidfuzz import fuzz

    needle, folded = _needle(quote), _folded(text)
    if not needle or len(needle) > len(folded.text.strip(_OUTER)):
        return 0.0, None
    alignment = fuzz.partial_ratio_alignment(needle, folded.text, score_cutoff=least)
    if alignment is None:
        return 0.0, None
    if alignment.score < NEARLY_FROM or len(needle) < NEARLY_LEAST:
        return alignment.score, None
    first, last = _whole_words(needle, folded.text, alignment.dest_start, alignment.dest_end)
    return alignment.score, (folded.starts[first], folded.ends[last - 1])


def _whole_words(needle: str, text: str, start: int, end: int) -> tuple[int, int]:
    """Move the ends of an alignment, which is as long as the quote, to the words where the passage ends."""
    words = list(re.finditer(WORD, text))
    low = next(number for number, word in enumerate(words) if word.end() > start)
    high = next((number for number, word in enumerate(words) if word.start() >= end), len(words))
    around = words[max(low - _MARGIN, 0) : high + _MARGIN]
    quoted = re.findall(WORD, needle)
    matcher = SequenceMatcher(None, quoted, [word[0] for word in around], autojunk=False)
    blocks = matcher.get_matching_blocks()[:-1]
    passage = words[low:high]
    if blocks:
        behind = len(quoted) - blocks[-1].a - blocks[-1].size
        passage = around[max(blocks[0].b - blocks[0].a, 0) : blocks[-1].b + blocks[-1].size + behind]
    return passage[0].start(), passage[-1].end()


def fold_text(text: str) -> str:
    """Write a text as words are compared: without case, typographic marks and runs of white space."""
    return _folded(text).text


def _fold(text: str) -> _Folded:
    signs: list[str] = []
    starts, ends = array("I"), array("I")
    end = 0
    for match in _CHANGED.finditer(text):
        before, (start, end) = end, match.span()
        folded = " " if match["blank"] else _fold_sign(match[0])
        signs += [text[before:start].lower(), folded]
        starts.extend([*range(before, start), *[start] * len(folded)])
        ends.extend([*range(before + 1, start + 1), *[end] * len(folded)])
    starts.extend(range(end, len(text)))
    ends.extend(range(end + 1, len(text) + 1))
    return _Folded("".join([*signs, text[end:].lower()]), starts, ends)


@lru_cache(maxsize=4096)
def _fold_sign(sign: str) -> str:
    return unicodedata.normalize("NFKC", sign).translate(_MARKS).casefold()


# A response has some 40 texts, and several responses are read at a time.
_folded = lru_cache(maxsize=512)(_fold)
