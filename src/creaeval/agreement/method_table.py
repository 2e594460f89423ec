"""Methods side by side in each dimension, as in Tables 2, 3, 8, 12 and 13 of arXiv 2609.03432."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from creaeval.agreement.agreement import measure_agreement
from creaeval.agreement.common_points import add_names, find_common_points, means_of_methods
from creaeval.agreement.comparison import compare_methods
from creaeval.agreement.pair_values import AVG, HUMAN
from creaeval.stats.measures import PAPER, get_measure

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pandas as pd

    from creaeval.agreement.common_points import CommonPoints
    from creaeval.agreement.points import Items
    from creaeval.data import Rating, Scores
    from creaeval.runs import Run
    from creaeval.tasks import Task

    Place = tuple[str, str]  # measure and dimension
    Test = tuple[str, float, float, bool | None]

COLUMNS = [
    "measure",
    "dimension",
    "method",
    "value",
    "low",
    "high",
    "n",
    "lost",
    "defined",
    "reason",
    "rank",
    "against",
    "p",
    "p_holm",
    "significant",
]
#: Level of ``significant``, as in the paper's tables.
LEVEL = 0.05
# Values that differ by less are the same in any table.
_DIGITS = 12


def method_table(
    task: Task,
    scores: Sequence[Scores | Run],
    ratings: Sequence[Rating],
    *,
    measures: Sequence[str] = PAPER,
    items: Items = "sum",
    stage: str | None = None,
    clusters: Sequence[str] = (),
    n_resamples: int = 2000,
    n_permutations: int = 10_000,
    seed: int = 0,
) -> pd.DataFrame:
    """Measure each method's agreement with people in each dimension, and which method is best there.

    All methods are compared on the responses that all of them scored, by the values that the judges wrote
    themselves.

    Parameters
    ----------
    task : Task
        The task.
    scores : sequence of Scores or Run
        One for each method, in the order wanted.
    ratings : sequence of Rating
        People's.
    measures : sequence of str
        Keys of measures.
    items, stage, clusters, n_resamples, seed
        As for :func:`~creaeval.agreement.agree.agree`.
    n_permutations : int
        Random permutations of the tests; 0 for no tests.

    Returns
    -------
    pandas.DataFrame
        One row for each measure, dimension (and ``AVG``) and method, then ``human-human``: ``name`` is what
        people call the dimension, ``value`` the mean over raters and judges, with the ends of its 95%
        bootstrap interval; ``n`` the smallest number of responses that a judge and a rater both scored;
        ``lost`` the rated responses that this method scored but another did not; ``defined`` how many of the
        averaged values are. An undefined value is missing and ``reason`` says why.

        ``rank`` counts methods from 1, the best; equal ones share a rank (1, 1, 3). An ``AVG`` over fewer
        dimensions than another method's has none. In the row of a single best method, ``against`` names the
        second, ``p`` is that of the paired permutation test of the two (see
        :func:`~creaeval.agreement.comparison.compare_methods`), ``p_holm`` is corrected by Holm over the
        dimensions of the measure (``AVG`` stands alone), and ``significant`` says whether it is below .05.

        ``attrs["notes"]`` says what a reader has to know.

    Raises
    ------
    SettingError
        As :func:`~creaeval.agreement.common_points.find_common_points`, or a measure is not known.
    """
    import pandas as pd

    common = find_common_points(
        task,
        scores,
        ratings,
        items=items,
        stage=stage,
        clusters=clusters,
        n_resamples=n_resamples,
        seed=seed,
    )
    dimensions, measures = list(common.dimensions), list(dict.fromkeys(measures))
    found = measure_agreement(common.points, dimensions, measures=measures, resampling=common.resampling)
    means = means_of_methods(found)
    cells = {
        (str(row.metric), str(row.dimension), str(row.method)): row for row in means.itertuples(index=False)
    }
    values = {
        (measure, dimension): {
            method: float(cell.value)  # type: ignore[arg-type]
            for method in common.methods
            if (cell := cells.get((measure, dimension, method))) is not None
        }
        for measure in measures
        for dimension in (*dimensions, AVG)
    }
    ranks = {place: rank_methods(*part) for place, part in _comparable(values, dimensions)}
    tests = _tests(common, ranks, n_permutations)
    rows = [
        (*head, *_cell(common, head, cells.get(head), rank), rank, *tests.get(head, _NO_TEST))
        for place, of in ranks.items()
        for method in (*common.methods, HUMAN)
        for head, rank in [((*place, method), of.get(method))]
        if method != HUMAN or head in cells
    ]
    table = pd.DataFrame(rows, columns=COLUMNS).astype(
        {"rank": "Int64", "lost": "Int64", "significant": "boolean"}
    )
    table = add_names(table, task)
    table.attrs["notes"] = (
        *common.notes,
        *found.warnings,
        *([_TESTED] if tests else []),
        *_untested(tests),
    )
    return table


#: Of a method that is not the best: against whom, p, p by Holm, significant.
_NO_TEST: Test = ("", math.nan, math.nan, None)
_TESTED = (
    "Best against second: two-sided paired permutation tests, corrected by Holm over the dimensions of a "
    "measure. Which two are compared was chosen on the same data."
)


def _cell(
    common: CommonPoints, head: tuple[str, str, str], cell: Any, rank: int | None
) -> tuple[float, float, float, int, int | None, str, str]:
    """Return a method's value with all that belongs to it; without a row of the means it is missing."""
    _, dimension, method = head
    lost = _lost(common, method, dimension)
    if cell is None:
        return math.nan, math.nan, math.nan, 0, lost, "0 of 1", "no scores that were rated"
    reasons = [cell.reason]
    if dimension == AVG and method != HUMAN and rank is None and not math.isnan(cell.value):
        reasons.append("not ranked: another method's mean is over more dimensions")
    reason = "; ".join(filter(None, reasons))
    return cell.value, cell.low, cell.high, cell.n, lost, cell.defined, reason


def _untested(
    tests: Mapping[tuple[str, str, str], Test],
) -> list[str]:
    """Name pairs that could not be tested: values are defined, so it is the judges' numbers that differ."""
    pairs = dict.fromkeys((key[2], test[0]) for key, test in tests.items() if math.isnan(test[1]))
    return [
        f"No test of {best} against {second}: they have different numbers of judges."
        for best, second in pairs
    ]


def _lost(common: CommonPoints, method: str, dimension: str) -> int | None:
    if method == HUMAN:
        return None
    if dimension != AVG:
        return common.lost.get((method, dimension), 0)
    return max((common.lost.get((method, one), 0) for one in common.dimensions), default=0)


def rank_methods(measure: str, values: Mapping[str, float]) -> dict[str, int]:
    """Rank methods by their agreement, 1 the best.

    Parameters
    ----------
    measure : str
        Its record says which values are better.
    values : mapping of str to float
        By method; undefined ones (nan) get no rank.

    Returns
    -------
    dict of str to int
        Equal ones share a rank: 1, 1, 3.
    """
    record = get_measure(measure)
    merits = {name: round(record.merit(value), _DIGITS) for name, value in values.items()}
    merits = {name: merit for name, merit in merits.items() if not math.isnan(merit)}
    return {name: 1 + sum(other > merit for other in merits.values()) for name, merit in merits.items()}


def _comparable(
    values: Mapping[Place, Mapping[str, float]], dimensions: Sequence[str]
) -> Iterator[tuple[Place, tuple[str, Mapping[str, float]]]]:
    """Yield what may be ranked: of means over dimensions only those over as many as any method has."""
    for (measure, dimension), of in values.items():
        chosen = of
        if dimension == AVG:
            defined = {
                name: {one for one in dimensions if not math.isnan(values[measure, one].get(name, math.nan))}
                for name in of
            }
            every = {one for those in defined.values() for one in those}
            chosen = {name: value for name, value in of.items() if defined[name] == every}
        yield (measure, dimension), (measure, chosen)


def _tests(
    common: CommonPoints, ranks: Mapping[Place, Mapping[str, int]], n_permutations: int
) -> dict[tuple[str, str, str], Test]:
    """Test the single best method of each place against the second; of several seconds the first given."""
    import numpy as np

    from creaeval.stats.compare import holm

    pairs: defaultdict[tuple[str, str], list[Place]] = defaultdict(list)
    if n_permutations:
        for place, best, second in _leaders(ranks):
            pairs[best, second].append(place)
    p_values: dict[tuple[str, str, str], tuple[str, float]] = {}
    # The intervals are there already: what is missing are the permutations.
    resampling = replace(common.resampling, n_resamples=0)
    for (best, second), places in pairs.items():
        wanted = {dimension for _, dimension in places}
        table = compare_methods(
            common.points,
            [one for one in common.dimensions if AVG in wanted or one in wanted],
            best,
            second,
            measures=list(dict.fromkeys(measure for measure, _ in places)),
            resampling=resampling,
            n_permutations=n_permutations,
        )
        for row in table.itertuples():
            if (row.metric, row.dimension) in places:
                p_values[str(row.metric), str(row.dimension), best] = (second, float(row.p))  # type: ignore[arg-type]
    tests: dict[tuple[str, str, str], Test] = {}
    for measure in {key[0] for key in p_values}:
        family = [key for key in p_values if key[0] == measure and key[1] != AVG]
        corrected = holm(np.array([p_values[key][1] for key in family], dtype=float))
        for key, adjusted in zip(family, map(float, corrected), strict=True):
            tests[key] = (*p_values[key], adjusted, _below(adjusted))
        for key in p_values:
            if key[:2] == (measure, AVG):
                tests[key] = (*p_values[key], math.nan, _below(p_values[key][1]))
    return tests


def _leaders(ranks: Mapping[Place, Mapping[str, int]]) -> Iterator[tuple[Place, str, str]]:
    for place, of in ranks.items():
        best = [name for name, rank in of.items() if rank == 1]
        second = [name for name, rank in of.items() if rank == 2]
        if get_measure(place[0]).comparable and len(best) == 1 and second:
            yield place, best[0], second[0]


def _below(p: float) -> bool | None:
    """Whether a p is significant; None where there is none, as for methods of different numbers of judges."""
    return None if math.isnan(p) else p < LEVEL
