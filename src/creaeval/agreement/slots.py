"""Raters who did not all rate the same responses: slots that different people fill.

Where three of eleven experts rate each response, "rater 1" is another person for each. Agreement with such a
slot depends a little on who is put into which, so it is shown with the range that other ways give.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from creaeval.agreement.agreement import check_points
from creaeval.agreement.pair_values import (
    AVG,
    GroupMean,
    PairValues,
    Resampling,
    find_groups,
    lay_out,
)
from creaeval.stats.measures import PAPER, get_measure

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from creaeval.agreement.pair_values import Layout

COLUMNS = ["method", "judge", "dimension", "metric", "value", "lowest", "highest", "assignments", "n"]


def needs_slots(points: pd.DataFrame) -> bool:
    """Whether there are more raters than responses commonly have.

    Parameters
    ----------
    points : pandas.DataFrame
        From :func:`creaeval.agreement.points.collect_points`.

    Returns
    -------
    bool
    """
    raters = points[points["kind"].eq("rater")]
    common = _common_number(raters)
    return common is not None and raters["scorer"].nunique() > common


def _common_number(raters: pd.DataFrame) -> int | None:
    """Return how many raters responses with several of them most often have; None if none has."""
    numbers = raters.groupby("response_id")["scorer"].nunique()
    several = numbers[numbers.ge(2)]
    return int(several.mode().iloc[0]) if len(several) else None


def put_into_slots(points: pd.DataFrame) -> pd.DataFrame:
    """Name the raters of each response ``slot 1``, ``slot 2`` and so on, in the order of their names.

    Parameters
    ----------
    points : pandas.DataFrame
        From :func:`creaeval.agreement.points.collect_points`. Numbers are ordered as numbers.

    Returns
    -------
    pandas.DataFrame
        The same points; judges are left as they are. As many slots as responses commonly have raters; what
        others gave a response that has more of them is left out.
    """
    raters = points[points["kind"].eq("rater")]
    pairs = raters[["response_id", "scorer"]].drop_duplicates()
    order = {name: number for number, name in enumerate(sorted(set(pairs["scorer"]), key=_as_number))}
    pairs = pairs.assign(order=pairs["scorer"].map(order)).sort_values(["response_id", "order"])
    pairs["slot"] = "slot " + (pairs.groupby("response_id").cumcount() + 1).astype(str)
    slots = {(row.response_id, row.scorer): row.slot for row in pairs.itertuples()}
    kept = {f"slot {number}" for number in range(1, (_common_number(raters) or 0) + 1)}
    scorers = zip(points["response_id"], points["scorer"], points["kind"], strict=True)
    named = [
        str(slots.get((one, name), name)) if kind == "rater" else str(name) for one, name, kind in scorers
    ]
    in_slots = points.assign(scorer=named)
    return in_slots[in_slots["kind"].ne("rater") | in_slots["scorer"].isin(kept)]


def swap_slots(
    points: pd.DataFrame,
    dimensions: Sequence[str],
    *,
    measures: Sequence[str] = PAPER,
    n_assignments: int = 200,
    seed: int = 0,
) -> pd.DataFrame:
    """Deal the raters of each response to the slots anew, and see how far the means move.

    Parameters
    ----------
    points : pandas.DataFrame
        From :func:`put_into_slots`.
    dimensions : sequence of str
        Identities.
    measures : sequence of str
        Keys of measures; those without a form on the grid are left out.
    n_assignments : int
        Random ways of dealing; a response's dimensions stay together.
    seed : int
        Same seed, same ways.

    Returns
    -------
    pandas.DataFrame
        For each judge and for the raters among each other (``human-human``), per dimension and ``AVG``:
        ``value`` as the slots are, ``lowest`` and ``highest`` over all ways, in ``n`` responses.

    Raises
    ------
    SettingError
        A measure is not known, or there are no ratings.
    """
    import numpy as np
    import pandas as pd

    from creaeval.stats.grid import Grid, on_counts

    check_points(points, measures)
    used = [name for name in measures if get_measure(name).on_grid is not None]
    layout, groups = lay_out(points, dimensions), find_groups(points)
    columns = layout.pairs(groups)
    pairs, levels = list(columns.values()), [layout.levels.get(dimension) for dimension, _, _ in columns]
    every = np.ones((1, len(layout.ids)))
    ways = _dealt(layout, n_assignments, np.random.default_rng(seed))
    found = [on_counts(every, way, pairs, used, levels) for way in (layout.matrix, *ways)]
    given = ~np.isnan(layout.matrix)
    on = Grid(
        values={name: found[0][name][0] for name in used},
        draws={name: np.concatenate([one[name] for one in found]) for name in used},
        leave_one_out={},
        n=np.array([int((given[:, x] & given[:, y]).sum()) for x, y in pairs], dtype=np.intp),
    )
    values = PairValues(layout, groups, used, Resampling(), on)
    rows = []
    for group in groups:
        for measure in used:
            for dimension in (*dimensions, AVG):
                of = GroupMean(values, group, measure, dimension)
                defined = of.draws[~np.isnan(of.draws)]
                ends = (float(defined.min()), float(defined.max())) if len(defined) else (np.nan, np.nan)
                rows.append(
                    (group.method, group.name, dimension, measure, of.value, *ends, n_assignments, of.n)
                )
    return pd.DataFrame(rows, columns=COLUMNS)


def _dealt(layout: Layout, number: int, generator: np.random.Generator) -> list[NDArray[np.float64]]:
    import numpy as np

    slots = list(dict.fromkeys(scorer for _, kind, scorer in layout.columns if kind == "rater"))
    # By dimension, the columns of its slots; a slot that nobody fills there stays a column of nothing.
    matrix = np.column_stack([layout.matrix, np.full(len(layout.ids), np.nan)])
    nothing = matrix.shape[1] - 1
    columns = np.array(
        [
            [layout.columns.get((dimension, "rater", slot), nothing) for slot in slots]
            for dimension in layout.dimensions
        ]
    )
    ways = []
    for _ in range(number):
        dealt = matrix.copy()
        order = generator.permuted(np.tile(np.arange(len(slots)), (len(matrix), 1)), axis=1)
        for of_dimension in columns:
            if (of_dimension != nothing).all():
                dealt[:, of_dimension] = np.take_along_axis(matrix[:, of_dimension], order, axis=1)
        ways.append(dealt[:, :nothing])
    return ways


def _as_number(name: str) -> tuple[float, str]:
    try:
        return float(name), name
    except ValueError:
        return float("inf"), name
