"""Raters who did not all rate the same responses: slots that different people fill.

Where three of eleven experts rate each response, "rater 1" is another person for each. Agreement with such a
slot depends a little on who is put into which, so it is shown with the range that other ways give.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from creaeval.agreement.options import AgreementOptions
from creaeval.agreement.pairs import AVG, PairValues, find_groups, pair_places
from creaeval.agreement.protocol import check_rated
from creaeval.agreement.rating_data import RatingData, Scorer
from creaeval.stats.measures import get_measure

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

COLUMNS = ["method", "judge", "dimension", "metric", "value", "lowest", "highest", "assignments", "n"]


def needs_slots(data: RatingData) -> bool:
    """Whether there are more raters than responses commonly have."""
    common = _common_number(data)
    return common is not None and len(data.raters) > common


def _ratings(data: RatingData) -> pd.DataFrame:
    """Return unit and scorer of what raters gave, each once."""
    raters = [number for number, scorer in enumerate(data.scorers) if scorer.kind == "rater"]
    rated = data.long[data.long["scorer"].isin(raters)]
    return rated[["unit", "scorer"]].drop_duplicates()


def _common_number(data: RatingData) -> int | None:
    """Return how many raters units with several of them most often have; None if none has."""
    numbers = _ratings(data)["unit"].value_counts()
    several = numbers[numbers.ge(2)]
    return int(several.mode().iloc[0]) if len(several) else None


def put_into_slots(data: RatingData) -> RatingData:
    """Name the raters of each response ``slot 1``, ``slot 2`` and so on, in the order of their names.

    Judges are left as they are. There are as many slots as responses commonly have raters; what others gave
    a response that has more of them is left out. Numbers are ordered as numbers.
    """
    import numpy as np

    slots = [Scorer(f"slot {number}") for number in range(1, (_common_number(data) or 0) + 1)]
    by_name = sorted(data.raters, key=lambda rater: _as_number(rater.label))
    order = {rater: number for number, rater in enumerate(by_name)}
    filled = _ratings(data)
    filled["order"] = [order[data.scorers[number]] for number in filled["scorer"]]
    filled = filled.sort_values(["unit", "order"])
    filled["slot"] = filled.groupby("unit").cumcount() + len(data.judges)
    long = data.long.merge(filled[["unit", "scorer", "slot"]], on=["unit", "scorer"], how="left")
    is_rater = long["slot"].notna()
    long["person"] = np.where(is_rater, long["scorer"], -1)
    long["scorer"] = np.where(is_rater, long["slot"], long["scorer"]).astype(np.intp)
    scorers = (*data.judges, *slots)
    people = tuple(scorer.label for scorer in data.scorers)
    in_slots = replace(data, long=long.drop(columns="slot"), scorers=scorers, people=people)
    return in_slots.keep(long["scorer"].lt(len(scorers)).to_numpy())


def swap_slots(
    data: RatingData, options: AgreementOptions | None = None, *, n_assignments: int = 200
) -> pd.DataFrame:
    """Deal the raters of each response to the slots anew, and see how far the means move.

    Parameters
    ----------
    data : RatingData
        From :func:`put_into_slots`.
    options : AgreementOptions, optional
        Its measures, rank correlations left out, and its seed.
    n_assignments : int
        Random ways of dealing; a response's dimensions stay together.

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

    options = options or AgreementOptions()
    check_rated(data)
    used = [name for name in options.measures if get_measure(name).on_grid is not None]
    options, groups, matrix = options.change(measures=used), find_groups(data), data.matrix
    places = pair_places(data, groups)
    pairs, levels = list(places.values()), [data.levels.get(dimension) for dimension, _, _ in places]
    every = np.ones((1, len(data.units)))
    ways = _dealt(data, n_assignments, np.random.default_rng(options.seed))
    found = [on_counts(every, way, pairs, used, levels) for way in (matrix.values, *ways)]
    has_points = ~np.isnan(matrix.values)
    grid = Grid(
        values={name: found[0][name][0] for name in used},
        draws={name: np.concatenate([values[name] for values in found]) for name in used},
        leave_one_out={},
        n=np.array([int((has_points[:, x] & has_points[:, y]).sum()) for x, y in pairs], dtype=np.intp),
    )
    values = PairValues(data, groups, options, grid)
    rows = []
    for group in groups:
        for measure in used:
            for dimension in (*data.dimensions, AVG):
                of = values.mean(group, measure, dimension)
                defined = of.draws[~np.isnan(of.draws)]
                ends = (float(defined.min()), float(defined.max())) if len(defined) else (np.nan, np.nan)
                rows.append(
                    (group.method, group.name, dimension, measure, of.value, *ends, n_assignments, of.n)
                )
    return pd.DataFrame(rows, columns=COLUMNS)


def _dealt(data: RatingData, number: int, generator: np.random.Generator) -> list[NDArray[np.float64]]:
    import numpy as np

    # By dimension, the columns of its slots; a slot that nobody fills there stays a column of nothing.
    matrix = np.column_stack([data.matrix.values, np.full(len(data.units), np.nan)])
    nothing = matrix.shape[1] - 1
    columns = np.array(
        [
            [data.matrix.columns.get((dimension, slot), nothing) for slot in data.raters]
            for dimension in data.dimensions
        ]
    )
    ways = []
    for _ in range(number):
        dealt = matrix.copy()
        order = generator.permuted(np.tile(np.arange(len(data.raters)), (len(matrix), 1)), axis=1)
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
