"""Methods side by side in each dimension, as in Tables 2, 3, 8, 12 and 13 of arXiv 2609.03432."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from creaeval.agreement.apart import WITH_TRAINING, trained_judges
from creaeval.agreement.methods.common import add_names, find_common, means_of_methods
from creaeval.agreement.methods.comparison import compare_methods, find_panels
from creaeval.agreement.options import AgreementOptions
from creaeval.agreement.pairs import AVG, HUMAN
from creaeval.agreement.protocol import measure_agreement
from creaeval.stats.measures import get_measure

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pandas as pd

    from creaeval.agreement.methods.common import CommonData
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
    options: AgreementOptions | None = None,
    *,
    n_permutations: int = 10_000,
) -> pd.DataFrame:
    """Measure each method's agreement with people in each dimension, and which method is best there.

    All methods are compared on the responses that all of them scored.

    Parameters
    ----------
    task : Task
        The task.
    scores : sequence of Scores or Run
        One for each method, in the order wanted.
    ratings : sequence of Rating
        People's.
    options : AgreementOptions, optional
        How agreement is measured.
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
        ``compare_methods``), ``p_holm`` is corrected by Holm over the
        dimensions of the measure (``AVG`` stands alone), and ``significant`` says whether it is below .05.

        ``attrs["notes"]`` says what a reader has to know. Where ``include_training`` is set, methods with
        judges that were trained on some of the responses have rows at the end, marked ``(with training
        data)``: on all they scored, without rank or test.

    Raises
    ------
    SettingError
        As :func:`~creaeval.agreement.methods.common.find_common`, or a measure is not known.
    """
    import pandas as pd

    options = options or AgreementOptions()
    common = find_common(task, scores, ratings, options)
    dimensions, measures = list(common.data.dimensions), options.measures
    found = measure_agreement(common.data, options)
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
    tests = _tests(common, ranks, options, n_permutations)
    rows: list[tuple[object, ...]] = [
        (*head, *_cell(common, head, cells.get(head), rank), rank, *tests.get(head, _NO_TEST))
        for place, of in ranks.items()
        for method in (*common.methods, HUMAN)
        for head, rank in [((*place, method), of.get(method))]
        if method != HUMAN or head in cells
    ]
    rows += _with_training(task, scores, ratings, options, dimensions)
    table = pd.DataFrame(rows, columns=COLUMNS).astype(
        {"rank": "Int64", "lost": "Int64", "significant": "boolean"}
    )
    table = add_names(table, task)
    table.attrs["notes"] = (
        *common.notes,
        *found.warnings,
        *([_TESTED] if tests else []),
        *_panel_notes(common, tests),
    )
    return table


def _with_training(
    task: Task,
    scores: Sequence[Scores | Run],
    ratings: Sequence[Rating],
    options: AgreementOptions,
    dimensions: Sequence[str],
) -> list[tuple[object, ...]]:
    """Make the rows of trained methods on all they scored, which are in no comparison."""
    if (trained := trained_judges(task, scores, ratings, options)) is None:
        return []
    means = means_of_methods(measure_agreement(trained, options))
    shown = means["metric"].isin(options.measures) & means["dimension"].isin([*dimensions, AVG])
    rows: list[tuple[object, ...]] = []
    for row in means[shown & means["method"].ne(HUMAN)].itertuples():
        head = row.metric, row.dimension, f"{row.method} ({WITH_TRAINING})"
        reason = "; ".join(filter(None, (str(row.reason), _APART)))
        cell = row.value, row.low, row.high, row.n, None, row.defined, reason
        rows.append((*head, *cell, None, *_NO_TEST))
    return rows


_APART = "on all it scored, its training data among it: not compared with others"
#: Of a method that is not the best: against whom, p, p by Holm, significant.
_NO_TEST: Test = ("", math.nan, math.nan, None)
_TESTED = (
    "Best against second: two-sided paired permutation tests, corrected by Holm over the dimensions of a "
    "measure. Which two are compared was chosen on the same data."
)


def _cell(
    common: CommonData, head: tuple[str, str, str], cell: Any, rank: int | None
) -> tuple[float, float, float, int, int | None, str, str]:
    """Return a method's value with all that belongs to it; without a row of the means it is missing."""
    _, dimension, method = head
    lost = _lost(common, method, dimension)
    if cell is None:
        return math.nan, math.nan, math.nan, 0, lost, "0 of 1", common.why_nothing(method)
    reasons = [cell.reason]
    if dimension == AVG and method != HUMAN and rank is None and not math.isnan(cell.value):
        reasons.append("not ranked: another method's mean is over more dimensions")
    reason = "; ".join(filter(None, reasons))
    return cell.value, cell.low, cell.high, cell.n, lost, cell.defined, reason


def _panel_notes(common: CommonData, tests: Mapping[tuple[str, str, str], Test]) -> list[str]:
    """Say which judges a test leaves out, or that there is none, since the methods' judges differ."""
    pairs = dict.fromkeys((best, test[0]) for (_, _, best), test in tests.items())
    reasons = {pair: find_panels(common.data, *pair).reason for pair in pairs}
    return [f"Test of {best} against {second}: {why}." for (best, second), why in reasons.items() if why]


def _lost(common: CommonData, method: str, dimension: str) -> int | None:
    if method == HUMAN:
        return None
    return common.lost_by(method) if dimension == AVG else common.lost.get((method, dimension), 0)


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
    common: CommonData,
    ranks: Mapping[Place, Mapping[str, int]],
    options: AgreementOptions,
    n_permutations: int,
) -> dict[tuple[str, str, str], Test]:
    """Test the single best method of each place against the second; of several seconds the first given."""
    import numpy as np

    from creaeval.stats.compare import holm

    pairs: defaultdict[tuple[str, str], list[Place]] = defaultdict(list)
    if n_permutations:
        for place, best, second in _leaders(ranks):
            pairs[best, second].append(place)
    p_values: dict[tuple[str, str, str], tuple[str, float]] = {}
    for (best, second), places in pairs.items():
        wanted = {dimension for _, dimension in places}
        dimensions = [name for name in common.data.dimensions if AVG in wanted or name in wanted]
        measures = list(dict.fromkeys(measure for measure, _ in places))
        table = compare_methods(
            common.data.select(dimensions=dimensions),
            best,
            second,
            # The intervals are there already: what is missing are the permutations.
            options.change(resamples=0, measures=measures),
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
    """Whether a p is significant; None where there is none, as for panels without a common judge."""
    return None if math.isnan(p) else p < LEVEL
