"""Each judge by itself: behind which analyst, with which method, and beside the other judges.

The analyst x judge grid is Figure 4 of arXiv 2609.03432, the agreement of single judges Figure 2. A judge's
repeats count as one judge: its agreement is the mean of theirs.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

from creaeval.agreement.apart import mark, trained_judges
from creaeval.agreement.long_table import scores_of
from creaeval.agreement.methods.common import add_names, find_common, means_of_methods
from creaeval.agreement.options import AgreementOptions
from creaeval.agreement.pairs import AVG, HUMAN, Group, PairValues
from creaeval.agreement.protocol import measure_agreement
from creaeval.errors import SettingError
from creaeval.stats.measures import get_measure

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from creaeval.agreement.methods.common import CommonData
    from creaeval.agreement.pairs import Pair
    from creaeval.data import Rating, Scores
    from creaeval.runs import Run
    from creaeval.tasks import Task

ALL_JUDGES = "all judges"
_VALUES = ["value", "low", "high", "n", "defined", "reason"]
JUDGE_COLUMNS = ["measure", "dimension", "method", "analyst", "judge", *_VALUES]
GRID_COLUMNS = ["measure", "method", "analyst", "judge", *_VALUES]
PAIR_COLUMNS = ["measure", "dimension", "method", "first", "second", *_VALUES]
VARIANCE_COLUMNS = ["method", "response_id", "dimension", "variance", "n_judges", "reason"]


def judge_agreement(
    task: Task,
    scores: Sequence[Scores | Run],
    ratings: Sequence[Rating],
    options: AgreementOptions | None = None,
) -> pd.DataFrame:
    """Measure the agreement of every single judge with people, in each dimension.

    Parameters
    ----------
    task : Task
        The task.
    scores : sequence of Scores or Run
        One for each method, or for each analyst of one.
    ratings : sequence of Rating
        People's.
    options : AgreementOptions, optional
        How agreement is measured.

    Returns
    -------
    pandas.DataFrame
        One row for each measure, dimension (and ``AVG``), method and judge: the mean over raters (and over
        the judge's repeats), on the responses that all judges of all methods scored; columns as in
        ``method_table``. ``analyst`` is empty where there is none or a
        file does not name it. ``attrs["notes"]`` says what a reader has to know.

    Raises
    ------
    SettingError
        As :func:`~creaeval.agreement.methods.common.find_common`, or a measure is not known.
    """
    import pandas as pd

    options = options or AgreementOptions()
    judged = list(map(scores_of, scores))
    common = find_common(task, judged, ratings, options)
    analysts = {method: part.analyst for method, part in zip(common.methods, judged, strict=True)}
    # Repeats are to a judge what judges are to a method, so each judge is measured as a method of its own.
    judges = list(common.data.repeats())
    names = {judge: str(number) for number, judge in enumerate(judges)}
    data = common.data.rename(
        lambda scorer: replace(scorer, method=names[scorer.judge]) if scorer.kind == "judge" else scorer
    )
    found = measure_agreement(data, options)
    means = means_of_methods(found)
    rows = []
    for row in means[means["metric"].isin(options.measures) & means["method"].ne(HUMAN)].itertuples():
        judge = judges[int(str(row.method))]
        values = (row.value, row.low, row.high, row.n, row.defined, row.reason)
        rows.append((row.metric, row.dimension, judge.method, analysts[judge.method], judge.label, *values))
    if (trained := trained_judges(task, judged, ratings, options)) is not None:
        apart = mark(measure_agreement(trained, options).means, trained)
        shown = apart["metric"].isin(options.measures) & apart["dimension"].isin([*data.dimensions, AVG])
        rows += [
            (row.metric, row.dimension, row.method, "", row.judge, *(getattr(row, name) for name in _VALUES))
            for row in apart[shown].itertuples()
        ]
    table = add_names(pd.DataFrame(rows, columns=JUDGE_COLUMNS), task)
    table.attrs["notes"] = (*common.notes, *found.warnings)
    return table


def analyst_judge_grid(agreement: pd.DataFrame) -> pd.DataFrame:
    """Take the analyst x judge grid out of the agreement of single judges.

    Parameters
    ----------
    agreement : pandas.DataFrame
        From :func:`judge_agreement`, of runs of one method that differ in their analysts or judges.

    Returns
    -------
    pandas.DataFrame
        One row for each measure, analyst and judge: ``value`` is the ``AVG`` over dimensions.

    Raises
    ------
    SettingError
        Two runs have the same analyst and judge, so that a cell of the grid would be two.
    """
    grid = agreement.loc[agreement["dimension"].eq(AVG), GRID_COLUMNS].reset_index(drop=True)
    cells = grid[["measure", "analyst", "judge"]]
    for number in cells.index[cells.duplicated()]:
        same = grid[cells.eq(cells.loc[number]).all(axis=1)]
        analyst, judge = same["analyst"].iloc[0] or "no analyst", same["judge"].iloc[0]
        raise SettingError(
            f"analyst {analyst} with judge {judge}: {' and '.join(same['method'])} both have it; a grid "
            "takes one method, and one run for each cell."
        )
    grid.attrs["notes"] = agreement.attrs.get("notes", ())
    return grid


def judge_pairs(
    task: Task, scores: Sequence[Scores | Run], options: AgreementOptions | None = None
) -> pd.DataFrame:
    """Measure how the judges of a method agree with each other.

    Parameters
    ----------
    task : Task
        The task.
    scores : sequence of Scores or Run
        One for each method.
    options : AgreementOptions, optional
        How agreement is measured.

    Returns
    -------
    pandas.DataFrame
        One row for each measure, dimension (and ``AVG``), method and pair of judges, and for all pairs
        together (``first`` is ``all judges``): of repeats the mean over every two of them. On the responses
        that all judges of all methods scored. A method with a single judge has no rows. ``attrs["notes"]``
        says what a reader has to know.

    Raises
    ------
    SettingError
        As :func:`~creaeval.agreement.methods.common.find_common`, or a measure is not known.
    """
    import pandas as pd

    options = options or AgreementOptions()
    common = find_common(task, scores, (), options)
    groups = _pairs(common)
    values = PairValues(common.data, [group for _, group in groups], options)
    rows = []
    for (first, second), group in groups:
        for measure in values.measures:
            if first == ALL_JUDGES and not get_measure(measure).symmetric:
                continue  # of two judges neither is the first
            for dimension in (*common.data.dimensions, AVG):
                of = values.mean(group, measure, dimension)
                ends, said = values.interval(of, measure)
                reasons = [*_why(values, group, measure, of.dimensions), *filter(None, [said])]
                rows.append(
                    (
                        *(measure, dimension, group.method, first, second, of.value, ends.low, ends.high),
                        *(of.n, f"{of.defined} of {of.all}", "; ".join(reasons)),
                    )
                )
    table = add_names(pd.DataFrame(rows, columns=PAIR_COLUMNS), task)
    table.attrs["notes"] = (*common.notes, *values.warnings)
    return table


def judge_variance(
    task: Task, scores: Sequence[Scores | Run], options: AgreementOptions | None = None
) -> pd.DataFrame:
    """Measure how far the judges of a method lie apart on each response.

    Parameters
    ----------
    task : Task
        The task.
    scores : sequence of Scores or Run
        One for each method.
    options : AgreementOptions, optional
        Which values are compared.

    Returns
    -------
    pandas.DataFrame
        One row for each method, response and dimension: ``variance`` (in points squared, with n - 1) of the
        points that ``n_judges`` judges wrote, of a judge's repeats their mean. On the responses that all
        judges of all methods scored. With a single judge it is missing and ``reason`` says so.
    """
    common = find_common(task, scores, (), (options or AgreementOptions()).change(resamples=0))
    points = common.data.table()
    keys = ["method", "response_id", "item", "dimension"]
    by_judge = points.groupby([*keys, "judge"], sort=False, dropna=False)["points"].mean()
    spread = by_judge.groupby(keys, sort=False, dropna=False).agg(["var", "count"]).reset_index()
    spread["reason"] = ["" if number > 1 else "a single judge" for number in spread["count"]]
    spread = spread.rename(columns={"var": "variance", "count": "n_judges"})
    table = add_names(spread[VARIANCE_COLUMNS], task)
    table.attrs["notes"] = common.notes
    return table


def _pairs(common: CommonData) -> list[tuple[tuple[str, str], Group]]:
    groups: list[tuple[tuple[str, str], Group]] = []
    for method in common.methods:
        judges = common.data.repeats(method)
        pairs: dict[tuple[str, str], list[Pair]] = {
            (first.label, second.label): [(a, b) for a in judges[first] for b in judges[second]]
            for first, second in combinations(judges, 2)
        }
        groups += [(names, Group(method, " and ".join(names), [those])) for names, those in pairs.items()]
        if len(pairs) > 1:
            groups.append(((ALL_JUDGES, ""), Group(method, ALL_JUDGES, list(pairs.values()))))
    return groups


def _why(values: PairValues, group: Group, measure: str, dimensions: Sequence[str]) -> list[str]:
    """Say why values of pairs are undefined, or what else they owe to a constant judge."""
    reasons: dict[str, None] = {}
    for dimension in dimensions:
        for pair in (pair for pairs in group.pairs for pair in pairs):
            place = values.places.get((dimension, *pair))
            why = "scored by both: 0" if place is None else values.why(measure, place, pair)
            if why:
                reasons[why] = None
    return list(reasons)
