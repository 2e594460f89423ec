"""What a method loses without one of its parts, as in Table 4 of arXiv 2609.03432."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from creaeval.agreement.agreement import check_points
from creaeval.agreement.common_points import find_common_points
from creaeval.agreement.comparison import compare_methods
from creaeval.agreement.method_table import LEVEL
from creaeval.agreement.pair_values import AVG, GroupMean, PairValues, find_groups, lay_out
from creaeval.errors import SettingError
from creaeval.stats.measures import PAPER, get_measure

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from creaeval.agreement.common_points import CommonPoints
    from creaeval.agreement.points import Items
    from creaeval.data import Rating, Scores
    from creaeval.runs import Run
    from creaeval.tasks import Task

COLUMNS = [
    "measure",
    "method",
    "value",
    "low",
    "high",
    "difference",
    "difference_low",
    "difference_high",
    "change_percent",
    "p",
    "p_holm",
    "significant",
    "n",
    "lost",
    "defined",
    "reason",
]


def ablation_table(
    task: Task,
    scores: Sequence[Scores | Run],
    ratings: Sequence[Rating],
    *,
    full: str | None = None,
    measures: Sequence[str] = PAPER,
    items: Items = "sum",
    stage: str | None = None,
    clusters: Sequence[str] = (),
    n_resamples: int = 2000,
    n_permutations: int = 10_000,
    seed: int = 0,
) -> pd.DataFrame:
    """Set the mean agreement of methods beside that of the full method.

    Parameters
    ----------
    task : Task
        The task.
    scores : sequence of Scores or Run
        One for each method.
    ratings : sequence of Rating
        People's.
    full : str, optional
        Name of the full method; the first one if not given.
    measures : sequence of str
        Keys of measures that are comparable.
    items, stage, clusters, n_resamples, seed
        As for :func:`~creaeval.agreement.agree.agree`.
    n_permutations : int
        Random permutations of the tests; 0 for no tests.

    Returns
    -------
    pandas.DataFrame
        One row for each measure and method, the full one first: ``value`` is its ``AVG`` over dimensions,
        with its interval; ``difference`` that less the full method's, with the interval of the difference on
        the same resamples; ``change_percent`` the difference in percent of the full method's value (missing
        where that is not above 0); ``p`` of the paired permutation test and ``p_holm``, corrected over the
        methods of the measure, with ``significant`` at .05. ``n``, ``lost``, ``defined`` (dimensions) and
        ``reason`` as in :func:`~creaeval.agreement.method_table.method_table`. ``attrs["notes"]`` says what a
        reader has to know.

    Raises
    ------
    SettingError
        As :func:`~creaeval.agreement.common_points.find_common_points`, or there is no such full method, or
        nothing beside it, or a measure is not known or has no differences.
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
    measures = list(dict.fromkeys(measures))
    check_points(common.points, measures)
    if refused := [name for name in measures if not get_measure(name).comparable]:
        raise SettingError(f"measure {refused[0]!r}: differences of it say nothing of who agrees better.")
    full = common.methods[0] if full is None else full
    if full not in common.methods:
        raise SettingError(f"full method {full!r}: expected one of {', '.join(common.methods)}.")
    others = [name for name in common.methods if name != full]
    if not others:
        raise SettingError(f"There is only {full}: an ablation table takes a second method.")
    rows = _rows(common, full, others, measures, n_permutations)
    table = pd.DataFrame(rows, columns=COLUMNS)
    _correct(table)
    table = table.astype({"significant": "boolean"})
    table.attrs["notes"] = (
        *common.notes,
        f"Differences from {full}, with intervals from the same resamples; p of paired permutation tests, "
        "corrected by Holm over the methods of a measure.",
    )
    return table


def _rows(
    common: CommonPoints, full: str, others: Sequence[str], measures: Sequence[str], n_permutations: int
) -> list[tuple[object, ...]]:
    dimensions = list(common.dimensions)
    # All judges of a method together come last.
    groups = {group.method: group for group in find_groups(common.points) if group.method}
    values = PairValues(
        lay_out(common.points, dimensions), list(groups.values()), measures, common.resampling
    )
    p_values = {
        (str(row.metric), other): float(row.p)  # type: ignore[arg-type]
        for other in others
        if n_permutations and full in groups and other in groups
        for row in compare_methods(
            common.points,
            dimensions,
            full,
            other,
            measures=measures,
            # The intervals are made here, of all methods on the same resamples.
            resampling=replace(common.resampling, n_resamples=0),
            n_permutations=n_permutations,
        ).itertuples()
        if row.dimension == AVG
    }
    nothing = (math.nan,) * 7
    rows: list[tuple[object, ...]] = []
    for measure in measures:
        means = {name: GroupMean(values, group, measure, AVG) for name, group in groups.items()}
        whole = means.get(full)
        for method in (full, *others):
            lost = max((common.lost.get((method, one), 0) for one in dimensions), default=0)
            of = means.get(method)
            if of is None:
                absent = (math.nan, None, 0, lost, f"0 of {len(dimensions)}", "no scores that were rated")
                rows.append((measure, method, *nothing, math.nan, *absent))
                continue
            ends, said = values.interval(
                of.value, of.draws, of.without, of.n, measure=measure, of_pair=of.of_pair
            )
            less: tuple[float, ...] = (math.nan,) * 4
            reasons = [said]
            if of.defined != of.all:
                reasons.append(f"undefined in {of.all - of.defined} of {of.all} dimensions")
            if method != full and whole is not None:
                difference = of.value - whole.value
                between, more = values.interval(
                    difference, of.draws - whole.draws, of.without - whole.without, min(of.n, whole.n)
                )
                change = 100 * difference / whole.value if whole.value > 0 else math.nan
                less = (difference, between.low, between.high, change)
                reasons += [more, _no_change(full, whole.value)]
            rows.append(
                (
                    *(measure, method, of.value, ends.low, ends.high, *less),
                    *(p_values.get((measure, method), math.nan), math.nan, None),
                    *(of.n, lost, f"{of.defined} of {of.all}"),
                    "; ".join(dict.fromkeys(filter(None, reasons))),
                )
            )
    return rows


def _no_change(full: str, value: float) -> str:
    """Say why there is no percentage, or no difference at all."""
    if math.isnan(value):
        return f"no difference: {full} is undefined"
    return "" if value > 0 else f"no percentage: {full} is not above 0"


def _correct(table: pd.DataFrame) -> None:
    import numpy as np

    from creaeval.stats.compare import holm

    for measure in table["measure"].unique():
        chosen = table["measure"].eq(measure)
        table.loc[chosen, "p_holm"] = holm(np.asarray(table.loc[chosen, "p"], dtype=float))
    table["significant"] = [None if math.isnan(p) else p < LEVEL for p in table["p_holm"]]
