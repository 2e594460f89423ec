"""Each judge by itself: behind which analyst, with which method, and beside the other judges.

The analyst x judge grid is Figure 4 of arXiv 2609.03432, the agreement of single judges Figure 2. A judge's
repeats count as one judge: its agreement is the mean of theirs.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from creaeval.agreement.agreement import measure_agreement
from creaeval.agreement.common_points import add_names, find_common_points, means_of_methods
from creaeval.agreement.pair_values import AVG, HUMAN, Group, GroupMean, PairValues, lay_out
from creaeval.agreement.points import judges_of, scores_of
from creaeval.errors import SettingError
from creaeval.stats.measures import PAPER, get_measure, get_measures

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from creaeval.agreement.common_points import CommonPoints
    from creaeval.agreement.pair_values import Couple
    from creaeval.agreement.points import Items
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
    *,
    measures: Sequence[str] = PAPER,
    items: Items = "sum",
    stage: str | None = None,
    clusters: Sequence[str] = (),
    n_resamples: int = 2000,
    seed: int = 0,
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
    measures : sequence of str
        Keys of measures.
    items, stage, clusters, n_resamples, seed
        As for :func:`~creaeval.agreement.agree.agree`.

    Returns
    -------
    pandas.DataFrame
        One row for each measure, dimension (and ``AVG``), method and judge: the mean over raters (and over
        the judge's repeats), on the responses that all judges of all methods scored; columns as in
        :func:`~creaeval.agreement.method_table.method_table`. ``analyst`` is empty where there is none or a
        file does not name it. ``attrs["notes"]`` says what a reader has to know.

    Raises
    ------
    SettingError
        As :func:`~creaeval.agreement.common_points.find_common_points`, or a measure is not known.
    """
    import pandas as pd

    given = list(map(scores_of, scores))
    common = find_common_points(
        task,
        given,
        ratings,
        items=items,
        stage=stage,
        clusters=clusters,
        n_resamples=n_resamples,
        seed=seed,
    )
    judges = judges_of(common.points, len(common.methods))
    of_label = {label: judge for judge, labels in judges.items() for label in labels}
    analysts = {method: one.analyst for method, one in zip(common.methods, given, strict=True)}
    # Repeats are to a judge what judges are to a method, so each judge is measured as a method of its own.
    numbers = {judge: str(number) for number, judge in enumerate(judges)}
    points = common.points.assign(
        method=[
            numbers[of_label[str(scorer)]] if kind == "judge" else ""
            for scorer, kind in zip(common.points["scorer"], common.points["kind"], strict=True)
        ]
    )
    found = measure_agreement(
        points, list(common.dimensions), measures=list(dict.fromkeys(measures)), resampling=common.resampling
    )
    means = means_of_methods(found)
    of_number = {number: judge for judge, number in numbers.items()}
    rows = []
    for row in means[means["metric"].isin(list(measures)) & means["method"].ne(HUMAN)].itertuples():
        method, judge = of_number[str(row.method)]
        values = (row.value, row.low, row.high, row.n, row.defined, row.reason)
        rows.append((row.metric, row.dimension, method, analysts[method], judge, *values))
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
    task: Task,
    scores: Sequence[Scores | Run],
    *,
    measures: Sequence[str] = PAPER,
    items: Items = "sum",
    clusters: Sequence[str] = (),
    n_resamples: int = 2000,
    seed: int = 0,
) -> pd.DataFrame:
    """Measure how the judges of a method agree with each other.

    Parameters
    ----------
    task : Task
        The task.
    scores : sequence of Scores or Run
        One for each method.
    measures : sequence of str
        Keys of measures.
    items, clusters, n_resamples, seed
        As for :func:`~creaeval.agreement.agree.agree`.

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
        As :func:`~creaeval.agreement.common_points.find_common_points`, or a measure is not known.
    """
    import pandas as pd

    get_measures(measures)
    common = find_common_points(
        task, scores, (), items=items, clusters=clusters, n_resamples=n_resamples, seed=seed
    )
    groups = _pairs(common)
    layout = lay_out(common.points, list(common.dimensions))
    values = PairValues(
        layout, [group for _, group in groups], list(dict.fromkeys(measures)), common.resampling
    )
    rows = []
    for (first, second), group in groups:
        for measure in values.measures:
            if first == ALL_JUDGES and not get_measure(measure).symmetric:
                continue  # of two judges neither is the first
            for dimension in (*common.dimensions, AVG):
                of = GroupMean(values, group, measure, dimension)
                ends, said = values.interval(
                    of.value, of.draws, of.without, of.n, measure=measure, of_pair=of.of_pair
                )
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


def judge_variance(task: Task, scores: Sequence[Scores | Run], *, items: Items = "sum") -> pd.DataFrame:
    """Measure how far the judges of a method lie apart on each response.

    Parameters
    ----------
    task : Task
        The task.
    scores : sequence of Scores or Run
        One for each method.
    items : {"sum", "mean", "each"}
        As for :func:`~creaeval.agreement.points.collect_points`.

    Returns
    -------
    pandas.DataFrame
        One row for each method, response and dimension: ``variance`` (in points squared, with n - 1) of the
        points that ``n_judges`` judges wrote, of a judge's repeats their mean. On the responses that all
        judges of all methods scored. With a single judge it is missing and ``reason`` says so.
    """
    import pandas as pd

    common = find_common_points(task, scores, (), items=items, n_resamples=0)
    of_label = {
        label: judge
        for (_, judge), labels in judges_of(common.points, len(common.methods)).items()
        for label in labels
    }
    points = common.points.assign(judge=common.points["scorer"].map(of_label))
    by_judge = points.groupby(["method", "response_id", "dimension", "judge"], sort=False)["points"].mean()
    spread = by_judge.groupby(["method", "response_id", "dimension"], sort=False).agg(["var", "count"])
    rows = [
        (*map(str, key), float(variance), int(number), "" if number > 1 else "a single judge")
        for key, variance, number in zip(spread.index, spread["var"], spread["count"], strict=True)
    ]
    table = add_names(pd.DataFrame(rows, columns=VARIANCE_COLUMNS), task)
    table.attrs["notes"] = common.notes
    return table


def _pairs(common: CommonPoints) -> list[tuple[tuple[str, str], Group]]:
    judges = judges_of(common.points, len(common.methods))
    groups: list[tuple[tuple[str, str], Group]] = []
    for method in common.methods:
        of_method = {judge: labels for (name, judge), labels in judges.items() if name == method}
        couples: dict[tuple[str, str], list[Couple]] = {
            (first, second): [
                (("judge", one), ("judge", other)) for one in of_method[first] for other in of_method[second]
            ]
            for first, second in combinations(of_method, 2)
        }
        groups += [(pair, Group(method, " and ".join(pair), [those])) for pair, those in couples.items()]
        if len(couples) > 1:
            groups.append(((ALL_JUDGES, ""), Group(method, ALL_JUDGES, list(couples.values()))))
    return groups


def _why(values: PairValues, group: Group, measure: str, dimensions: Sequence[str]) -> list[str]:
    """Say why values of pairs are undefined, or what else they owe to a constant judge."""
    reasons: dict[str, None] = {}
    for dimension in dimensions:
        for couples in group.couples:
            for first, second in couples:
                place = values.places.get((dimension, first, second))
                if place is None:
                    reasons["scored by both: 0"] = None
                elif why := values.why(measure, place, (first[1], second[1])):
                    reasons[why] = None
    return list(reasons)
