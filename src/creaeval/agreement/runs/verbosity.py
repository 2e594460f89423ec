"""Verbosity bias: how far scores follow the length of a response, and beside the method ``direct``."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from creaeval.agreement.long_table import carried_columns, compared_dimensions, long_table, without_means
from creaeval.agreement.options import AgreementOptions
from creaeval.agreement.rating_data import Unit
from creaeval.methods import canonical_name
from creaeval.sheets.expected import EXPECTED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from creaeval.data import Rating, Response, Scores
    from creaeval.stats.draws import Draws, Interval
    from creaeval.tasks import Task

    Floats = NDArray[np.float64]
    Who = tuple[str, str]  # method and judge

VERBOSITY_COLUMNS = [
    "method",
    "judge",
    "measure",
    "value",
    "low",
    "high",
    "difference",
    "difference_low",
    "difference_high",
    "change",
    "change_low",
    "change_high",
    "n",
    "left_out",
    "reason",
]
PLAIN = ("pearson", "spearman")
PARTIAL = ("partial_pearson", "partial_spearman")
#: Stands in the column ``judge`` for the mean of the raters.
RATERS = "mean of raters"
# Scripts written without spaces: Thai, Lao, Burmese, Khmer, kana and Han.
_SPACELESS = re.compile(
    "([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])"
)
# A variance below this share of the largest square is 0 but for rounding.
_ROUNDING = 1e-12
_NO_INTERVAL = (math.nan, math.nan)


def count_words(text: str) -> int:
    """Count words without a tokenizer.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    int
        What stands between spaces and has a letter or digit in it is a word, as word processors count. In
        scripts without spaces (Han, kana, Thai, Lao, Burmese, Khmer) each letter is one, so counts can be
        compared within a script only.
    """
    return sum(any(map(str.isalnum, part)) for part in _SPACELESS.sub(r" \1 ", text).split())


def response_lengths(responses: Iterable[Response], step: str | None = None) -> dict[str, int]:
    """Count the words of responses.

    Parameters
    ----------
    responses : iterable of Response
        The responses.
    step : str, optional
        The id of the step to count; default: all of them.

    Returns
    -------
    dict of str to int
        By response id. Items beyond a step's maximum are not counted: no judge saw them.
        A response without the step is left out.
    """
    lengths: dict[str, int] = {}
    for response in responses:
        counted = [text for name, text in response.steps.items() if step in (None, name)]
        if counted or step is None:
            lengths[response.id] = sum(
                sum(count_words(item.text) for item in text.given) if text.items else count_words(text.text)
                for text in counted
            )
    return lengths


def verbosity(
    task: Task,
    scores: Sequence[Scores],
    ratings: Sequence[Rating],
    lengths: Mapping[str, int],
    *,
    dimension: str | None = None,
    against: str = "direct",
    options: AgreementOptions | None = None,
) -> pd.DataFrame:
    """Correlate the length of responses with the score of each method and judge.

    Parameters
    ----------
    task : Task
        The task.
    scores : sequence of Scores
        One for each method or run.
    ratings : sequence of Rating
        The raters', of one stage; may be empty.
    lengths : mapping of str to int
        Words by response id, as :func:`response_lengths` counts them.
    dimension : str, optional
        The score to take: a dimension or a step's Overall, such as ``step6.development``; default: the Total.
    against : str
        The method that others are set beside, by name or alias.
    options : AgreementOptions, optional
        Which of a judge's values, and how intervals are made, of responses or clusters.

    Returns
    -------
    pandas.DataFrame
        One row for each method, judge and measure, and for the raters' mean: ``pearson`` and ``spearman`` of
        length and total, and ``partial_pearson`` and ``partial_spearman``, the same given the mean of the
        raters' totals (the latter of ranks), with intervals. ``difference`` is the value minus that of
        ``against`` with the same judge, ``change`` the difference as a share of the size of the latter:
        -0.05 says that the correlation is 5% lower. ``n`` are the responses behind a value, ``left_out``
        those that somebody scored and that are not among them. An undefined value is missing, and
        ``reason`` says why.

    Notes
    -----
    Total and Overall are sums of a sheet's dimensions, the same for methods that ask for sums and those that
    do not; of repeats they are the mean. All methods are compared on the responses that every method and
    judge scored in full and whose length is known; partial correlations on those that somebody rated in full,
    too. The paper (arXiv 2609.03432, Figure 5) shows changes against direct scoring, of the length of step 6
    and its Development; how it counts length and defines change is not known to us, so these definitions are
    ours. A correlation is no bias by itself, since better answers may be longer: that is what the partial one
    is for, as far as raters are free of the bias themselves. A share of a correlation near 0 has no useful
    interval, so ``change`` has none where that of ``against`` includes 0.
    """
    import numpy as np
    import pandas as pd

    options = (options or AgreementOptions()).change(items="sum")
    against = canonical_name(against)
    kept, _ = without_means(ratings)
    totals = scorer_totals(task, scores, kept, dimension=dimension, options=options)
    human = {one: totals[one] for one in totals if one == ("", RATERS)}
    # Who has no whole sheet would leave nothing to compare the others on.
    empty = [one for one, of in totals.items() if not of]
    judges = {one: totals[one] for one in totals if one not in human and one not in empty}
    anybody = sorted({response for of in judges.values() for response in of})
    common = [one for one in anybody if one in lengths and all(one in of for of in judges.values())]
    rated = [one for one in common if any(one in of for of in human.values())]

    def laid(ids: Sequence[str], who: Mapping[Who, Mapping[str, float]]) -> dict[Who, Floats]:
        return {name: np.array([of[one] for one in ids]) for name, of in who.items()}

    def words(ids: Sequence[str]) -> Floats:
        return np.array([float(lengths[one]) for one in ids])

    carried = carried_columns(scores, kept)

    def drawn(ids: Sequence[str]) -> Draws | None:
        return options.draws_of([Unit(name) for name in ids], carried) if ids else None

    plain = _Resampled(options, drawn(common), words(common), laid(common, judges))
    partial = _Resampled(options, drawn(rated), words(rated), laid(rated, judges), laid(rated, human))
    raters = _Resampled(options, drawn(rated), words(rated), laid(rated, human))
    found = {
        (scorer, measure): one
        for resampled, measures in ((plain, PLAIN), (partial, PARTIAL), (raters, PLAIN))
        for measure in measures
        for scorer, one in resampled.correlate(measure).items()
    }
    nothing = _Correlation(math.nan, _NO_INTERVAL, np.empty(0), None, 0, "no sheet has every dimension")
    found |= {(scorer, measure): nothing for scorer in empty for measure in (*PLAIN, *PARTIAL)}
    rows: dict[Who, list[tuple[object, ...]]] = {one: [] for one in [*judges, *empty, *human]}
    for (scorer, measure), one in found.items():
        method, judge = scorer
        base = found.get(((against, judge), measure))
        beside: tuple[float, ...] = (math.nan,) * 6
        if scorer in human:
            why = "difference: of methods alone"
        elif method == against:
            why = "difference: the others are set beside this method"
        elif base is None:
            why = f"difference: no scores of {against} by this judge"
        else:
            beside, why = _beside(one, base, options)
        counts = (one.n, len(anybody) - one.n, "; ".join(filter(None, (one.reason, why))))
        rows[scorer].append((*scorer, measure, one.value, *one.interval, *beside, *counts))
    return pd.DataFrame([row for of in rows.values() for row in of], columns=VERBOSITY_COLUMNS)


def scorer_totals(
    task: Task,
    scores: Sequence[Scores],
    ratings: Sequence[Rating],
    *,
    dimension: str | None = None,
    options: AgreementOptions | None = None,
) -> dict[Who, dict[str, float]]:
    """Sum up the dimensions of each sheet that has all of them.

    Parameters
    ----------
    task, scores, ratings, dimension, options
        As for :func:`verbosity`.

    Returns
    -------
    dict
        By method and judge, then by response, the total in points, of repeats their mean; a judge of expected
        scores goes by its own name. Under an empty method and ``RATERS``, the mean of the raters' totals,
        where there are ratings. A judge without a whole sheet has no responses.
    """
    import numpy as np

    data, _ = long_table(task, scores, ratings, options)
    dimensions = _summed(task, dimension)
    totals: dict[Who, dict[str, list[float]]] = {}
    for scorer in data.scorers:
        who = (scorer.method, scorer.name.removesuffix(EXPECTED)) if scorer.method else ("", RATERS)
        sums = np.sum([data.take(name, [scorer])[:, 0] for name in dimensions], axis=0)
        by_response = totals.setdefault(who, {})
        for unit, total in zip(data.units, sums, strict=True):
            if not math.isnan(total):
                by_response.setdefault(unit.response_id, []).append(float(total))
    return {
        who: {response: math.fsum(values) / len(values) for response, values in by_response.items()}
        for who, by_response in totals.items()
        if by_response or who[0]
    }


def _summed(task: Task, dimension: str | None) -> list[str]:
    """List what a score is the sum of: all dimensions, those of a step for its Overall, or itself."""
    step, _, part = (dimension or "total").partition(".")
    whole = compared_dimensions(task)
    if step == "total":
        return whole
    return [one for one in whole if one.startswith(f"{step}.")] if part == "overall" else [str(dimension)]


@dataclass(frozen=True)
class _Correlation:
    """A value with its interval, and what it is on each resample."""

    value: float
    interval: tuple[float, float]
    draws: Floats
    leave_one_out: Floats | None
    n: int
    reason: str


class _Resampled:
    """Correlations of length with several scorers on the same responses and resamples.

    With `given`, they are partial: given its only column.
    """

    def __init__(
        self,
        options: AgreementOptions,
        draws: Draws | None,
        lengths: Floats,
        scores: Mapping[Who, Floats],
        given: Mapping[Who, Floats] | None = None,
    ) -> None:
        self._options, self._draws, self._n = options, draws, len(lengths)
        self._lengths, self._scores = lengths, scores
        self._given = None if given is None else next(iter(given.values()), None)
        self._no_ratings = given is not None and not given

    def correlate(self, measure: str) -> dict[Who, _Correlation]:
        """Correlate each scorer; all on the same resamples, which are gone over once."""
        import numpy as np

        reasons = {scorer: self._why_undefined(score) for scorer, score in self._scores.items()}
        found = {
            scorer: _Correlation(math.nan, _NO_INTERVAL, np.empty(0), None, self._n, reason)
            for scorer, reason in reasons.items()
        }
        defined = [scorer for scorer, reason in reasons.items() if not reason]
        if not defined:
            return found
        scores = [self._scores[scorer] for scorer in defined]
        ranked = measure.endswith("spearman")

        def over(parts: Iterable[Floats]) -> Floats:
            on = [_on_counts(counts, self._lengths, scores, self._given, ranked) for counts in parts]
            return np.concatenate([np.empty((0, len(defined))), *on])

        values = over([np.ones((1, self._n))])[0]
        possible, why = self._possible()
        draws = over(possible.counts() if possible else [])
        without = over(possible.leaving_one_out()) if possible and self._options.jackknife else None
        for place, scorer in enumerate(defined):
            alone = None if without is None else without[:, place]
            found[scorer] = self._with_interval(float(values[place]), draws[:, place], alone, why)
        return found

    def _possible(self) -> tuple[Draws | None, str]:
        """Return the resamples if there are to be any and can be, and else why they cannot."""
        if self._draws is None:
            return None, ""
        from creaeval.stats.draws import FEWEST

        if self._draws.n_units < FEWEST:
            what = "clusters" if self._draws.clustered else "responses"
            return None, f"no interval: fewer than {FEWEST} {what}"
        return self._draws, ""

    def _with_interval(self, value: float, draws: Floats, without: Floats | None, why: str) -> _Correlation:
        if math.isnan(value):
            why = "length or score follows from the raters' scores exactly"
        found = _interval(value, draws, without, self._n, self._options)
        why = why or found.note
        return _Correlation(value, (found.low, found.high), draws, without, self._n, why)

    def _why_undefined(self, score: Floats) -> str:
        from creaeval.stats.correlation import is_constant

        if self._no_ratings:
            return "nobody rated these responses in full"
        fewest = 2 if self._given is None else 3
        if self._n < fewest:
            return f"fewer than {fewest} responses that all scored{' and raters, too' * (fewest > 2)}"
        columns = {"length": self._lengths, "score": score, "raters' score": self._given}
        constant = [name for name, of in columns.items() if of is not None and is_constant(of)]
        return f"constant: {', '.join(constant)}" if constant else ""


def _beside(
    one: _Correlation, base: _Correlation, options: AgreementOptions
) -> tuple[tuple[float, ...], str]:
    """Return difference and change, each with its interval, and what is missing."""
    import numpy as np

    missing = (math.nan,) * 6
    if math.isnan(one.value) or math.isnan(base.value):
        return missing, "" if math.isnan(one.value) else f"difference: undefined there, {base.reason}"

    def change(value: Floats, of: Floats) -> Floats:
        with np.errstate(invalid="ignore", divide="ignore"):
            shares: Floats = np.where(np.abs(of) > _ROUNDING, (value - of) / np.abs(of), np.nan)
        return shares

    def both(function: Callable[[Floats, Floats], Floats]) -> Iterator[float]:
        value = float(function(np.array([one.value]), np.array([base.value]))[0])
        yield value
        without = (
            None
            if one.leave_one_out is None or base.leave_one_out is None
            else function(one.leave_one_out, base.leave_one_out)
        )
        found = _interval(value, function(one.draws, base.draws), without, one.n, options)
        yield from (found.low, found.high)

    difference = tuple(both(lambda value, of: value - of))
    share = tuple(both(change))
    why = ""
    if math.isnan(share[0]):
        why = "change: 0 cannot be changed by a share"
    elif base.interval[0] <= 0 <= base.interval[1]:
        share = (share[0], math.nan, math.nan)
        why = "change: no interval, as that of the method beside which it stands includes 0"
    return (*difference, *share), why


def _interval(
    value: float, draws: Floats, without: Floats | None, n: int, options: AgreementOptions
) -> Interval:
    from creaeval.stats.draws import interval

    return interval(value, draws, n=n, confidence=options.confidence, leave_one_out=without)


def _on_counts(
    counts: Floats, lengths: Floats, scores: Sequence[Floats], given: Floats | None, ranked: bool
) -> Floats:
    """Correlate length with each score on rows of counts, given the raters' score if there is one.

    The result has shape (rows of counts, scores). The partial correlation is
    ``(r_ls - r_lh r_sh) / sqrt((1 - r_lh²) (1 - r_sh²))``.
    """
    import numpy as np

    def prepared(values: Floats) -> Floats:
        return _ranks(counts, values) if ranked else (values - values.mean())[np.newaxis, :]

    length = prepared(lengths)
    human = None if given is None else prepared(given)
    of_length = None if human is None else _r(counts, length, human)
    found: list[Floats] = []
    for score in map(prepared, scores):
        r = _r(counts, length, score)
        if human is not None and of_length is not None:
            of_score = _r(counts, score, human)
            left = (1.0 - of_length**2) * (1.0 - of_score**2)
            with np.errstate(invalid="ignore", divide="ignore"):
                r = np.where(left > _ROUNDING, (r - of_length * of_score) / np.sqrt(left), np.nan)
        found.append(r.clip(-1.0, 1.0))
    return np.column_stack(found)


def _ranks(counts: Floats, values: Floats) -> Floats:
    """Rank values within each resample, equal ones given the mean of their ranks; centred on 0."""
    import numpy as np

    _, where = np.unique(values, return_inverse=True)
    of_value = counts @ (where[:, np.newaxis] == np.arange(where.max() + 1)).astype(float)
    ranks: Floats = (np.cumsum(of_value, axis=1) - (of_value - 1.0) / 2.0)[:, where]
    ranks -= (counts.sum(axis=1, keepdims=True) + 1.0) / 2.0
    return ranks


def _r(counts: Floats, x: Floats, y: Floats) -> Floats:
    """Pearson's r on rows of counts; x and y have one row, or a row for each. nan where one is constant."""
    import numpy as np

    n = counts.sum(axis=1)

    def moment(values: Floats) -> Floats:
        # One product for all resamples where the values are the same in each.
        sums = counts @ values[0] if len(values) == 1 else np.einsum("rn,rn->r", counts, values)
        total: Floats = sums / n
        return total

    with np.errstate(invalid="ignore", divide="ignore"):
        mean_x, mean_y = moment(x), moment(y)
        var_x, var_y = moment(x * x) - mean_x**2, moment(y * y) - mean_y**2
        r = (moment(x * y) - mean_x * mean_y) / np.sqrt(var_x * var_y)
    varies = (var_x > _ROUNDING * (x * x).max(axis=1)) & (var_y > _ROUNDING * (y * y).max(axis=1))
    defined: Floats = np.where(varies, r, np.nan).clip(-1.0, 1.0)
    return defined
