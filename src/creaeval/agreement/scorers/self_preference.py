"""Whether judges favour what models of their own family wrote, beyond what people think of it."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from creaeval.agreement.options import AgreementOptions
from creaeval.agreement.pairs import AVG, biases_of, defined_mean
from creaeval.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from creaeval.agreement.rating_data import RatingData, Scorer
    from creaeval.stats.draws import Draws

    Floats = NDArray[np.float64]

COLUMNS = [
    "method",
    "judge",
    "family",
    "dimension",
    "bias_own",
    "bias_other",
    "self_preference",
    "low",
    "high",
    "bias_people",
    "n_own",
    "n_other",
    "n_people",
    "reason",
]
#: What people are called as a family.
PEOPLE = "human"
#: Families by what names of their models contain; the match that begins first counts, then the order here.
FAMILIES: Mapping[str, str] = {
    PEOPLE: r"\b(humans?|people|persons?)\b|new ?yorker",
    "eleutherai": r"gpt-?(neo|j\b)|eleuther",
    "openai": r"gpt|openai|davinci|\bo[134]\b",
    "anthropic": r"claude|anthropic",
    "google": r"gemini|gemma|google|\bpalm|\bbard\b",
    "qwen": r"qwen|qwq|alibaba",
    "deepseek": r"deepseek",
    "meta": r"(?<!o)llama|\bmeta\b",
    "mistral": r"mistral|mixtral|ministral|magistral|codestral|devstral|pixtral",
    "cohere": r"cohere|command-?[ar]|\baya\b",
    "xai": r"\bgrok|\bxai\b",
    "microsoft": r"\bphi-?\d|microsoft",
    "zhipu": r"\bglm|zhipu",
    "moonshot": r"kimi|moonshot",
    "amazon": r"amazon|\bnova-",
}
#: What the built-in local model is.
_LOCAL = {"local": "qwen"}


def family_of(name: str, families: Mapping[str, str] | None = None) -> str:
    """Tell the family of a model, or that a person wrote, from a name.

    Parameters
    ----------
    name : str
        Of a judge or a writer, such as ``openai:gpt-4o``, ``claudev13`` or ``human_new_yorker``.
    families : mapping of str to str, optional
        By whole name, its family; goes before what is known here.

    Returns
    -------
    str
        A key of ``FAMILIES``, ``human`` for people; of a name that is not known, the name itself in lower
        case. The model's name counts before its provider's, which may offer models of others.
    """
    if families and name in families:
        return families[name]
    plain = name.strip().lower()
    if plain in _LOCAL:
        return _LOCAL[plain]
    provider, colon, model = plain.partition(":")
    for text in (model, provider) if colon else (plain,):
        parted = text.replace("_", " ")
        found = [
            (match.start(), place, family)
            for place, (family, pattern) in enumerate(FAMILIES.items())
            if (match := re.search(pattern, parted))
        ]
        if found:
            return min(found)[2]
    return plain


def read_families(texts: Iterable[str]) -> dict[str, str]:
    """Read families given as ``NAME=FAMILY``.

    Parameters
    ----------
    texts : iterable of str
        As typed; the last equals sign parts them, since names may hold some.

    Returns
    -------
    dict of str to str
        By name; known families are lower case, so these are made so.

    Raises
    ------
    SettingError
        A text without a name, an equals sign or a family.
    """
    found: dict[str, str] = {}
    for text in texts:
        name, equals, family = (part.strip() for part in text.rpartition("="))
        if not (name and equals and family):
            raise SettingError(f"family {text!r}: expected NAME=FAMILY, as in mine=qwen.")
        found[name] = family.lower()
    return found


def self_preference(
    data: RatingData,
    writer: str,
    *,
    families: Mapping[str, str] | None = None,
    options: AgreementOptions | None = None,
) -> pd.DataFrame:
    """Measure how much more judges favour their own family's work than other models' work.

    Parameters
    ----------
    data : RatingData
        Of judges and raters.
    writer : str
        The carried column that names who wrote a response: a model, or a person (``human``). Responses
        without a writer are left out.
    families : mapping of str to str, optional
        By name of a judge or writer, its family, where :func:`family_of` would not know it.
    options : AgreementOptions, optional
        Intervals, by resampling responses or clusters, such as all responses to one plot.

    Returns
    -------
    pandas.DataFrame
        A row for each judge and dimension, and ``AVG``, the mean over the dimensions that are defined. The
        bias of a response is the judge's points minus the mean of its raters, in points. ``bias_own`` is its
        mean over what the judge's family wrote, ``bias_other`` over what other models wrote,
        ``self_preference`` the first minus the second with its interval; above 0 the judge favours its own.
        ``bias_people`` is that of what people wrote, which is in neither. n are responses; of ``AVG`` the
        smallest. ``reason`` says why a value is missing.

    Raises
    ------
    SettingError
        No judge, no rater, or no response with a writer.

    References
    ----------
    Panickssery, Bowman and Feng (2024), LLM Evaluators Recognize and Favor Their Own Generations: judges
    prefer their own; here with people's scores of the same responses held against it.
    """
    import pandas as pd

    options = options or AgreementOptions()
    for kind, scorers in (("judge", data.judges), ("rater", data.raters)):
        if not scorers:
            raise SettingError(f"Self-preference needs judges and raters: there is no {kind}.")
    written_by = [family_of(name, families) if name and name.strip() else "" for name in data.column(writer)]
    if not any(written_by):
        raise SettingError("Self-preference: no scored response names its writer.")
    rows: list[list[object]] = []
    for judge in data.judges:
        family = family_of(judge.name, families)
        head = [judge.method, data.label(judge), family]
        rows += [[*head, *row] for row in _of_judge(data, judge, family, written_by, options)]
    return pd.DataFrame(rows, columns=COLUMNS)


def _of_judge(
    data: RatingData, judge: Scorer, family: str, written_by: Sequence[str], options: AgreementOptions
) -> Iterator[list[object]]:
    """Yield, for each dimension and the average, what follows the judge and its family in a row."""
    import numpy as np

    from creaeval.stats.draws import FEWEST, interval

    bias = np.column_stack([biases_of(data, judge, dimension) for dimension in data.dimensions])
    there, filled = (~np.isnan(bias)).astype(float), np.nan_to_num(bias)
    own = np.array([one == family for one in written_by])
    people = np.array([one == PEOPLE for one in written_by]) & ~own
    other = np.array([one != "" for one in written_by]) & ~own & ~people

    def mean(group: NDArray[np.bool_], counts: Floats) -> Floats:
        """Mean bias in each dimension, shape (resamples, dimensions); nan where a group is not drawn."""
        drawn = counts * group
        n = drawn @ there
        means: Floats = np.where(n > 0, (drawn @ filled) / np.maximum(n, 1), np.nan)
        return means

    def with_average(values: Floats) -> Floats:
        return np.column_stack([values, defined_mean(values[:, defined], axis=1)])

    every = np.ones((1, len(data.units)))
    means = [mean(group, every) for group in (own, other, people)]
    n = [(group @ there).astype(int) for group in (own, other, people)]
    defined = ~np.isnan(means[0] - means[1])[0]
    values = [with_average(one)[0] for one in (*means, means[0] - means[1])]
    numbers = [[*of, of[defined].min() if defined.any() else of.max()] for of in n]
    draws = options.draws(data)
    resampled = np.empty((0, len(data.dimensions) + 1))
    few: list[int] = []
    if draws is not None:
        parts = [mean(own, counts) - mean(other, counts) for counts in draws.counts()]
        resampled = with_average(np.concatenate(parts))
        drawn = [_units(draws, group, there > 0) for group in (own, other)]
        few = [min(of) for of in zip(*drawn, strict=True)]
        few.append(min((one for one, of in zip(few, defined, strict=True) if of), default=0))
    for place, dimension in enumerate([*data.dimensions, AVG]):
        value, n_own, n_other, n_people = float(values[3][place]), *(of[place] for of in numbers)
        low = high = math.nan
        reason = _why(value, n_own, n_other, family)
        if not reason and draws is not None:
            if few[place] < FEWEST:
                reason = (
                    f"no interval: fewer than {FEWEST} responses or clusters of the own family or of others"
                )
            else:
                ends = interval(value, resampled[:, place], n=few[place], confidence=options.confidence)
                low, high, reason = ends.low, ends.high, ends.note
        first = [float(of[place]) for of in values[:2]]
        yield [dimension, *first, value, low, high, float(values[2][place]), n_own, n_other, n_people, reason]


def _units(draws: Draws, group: NDArray[np.bool_], there: NDArray[np.bool_]) -> list[int]:
    """Count the units (responses or clusters) of a group that have a value in each dimension."""
    return [len(set(draws.units[group & of].tolist())) for of in there.T]


def _why(value: float, n_own: int, n_other: int, family: str) -> str:
    if not math.isnan(value):
        return ""
    lacking = [
        *([f"by {family}"] if not n_own else []),
        *(["by other models"] if not n_other else []),
    ]
    return (
        f"nothing that both scored is {' or '.join(lacking)}" if lacking else "undefined in every dimension"
    )
