"""How often judges and raters gave which points together."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    from creaeval.agreement.rating_data import RatingData

HEAT_COLUMNS = ["method", "dimension", "human", "judge", "count"]


def heat_counts(data: RatingData) -> pd.DataFrame:
    """Count the pairs of points that a method's judges and the raters gave to the same responses.

    Returns
    -------
    pandas.DataFrame
        For each method and dimension one row for every two points that occur together, ``human`` and
        ``judge``, rising. ``count`` is the number of pairs of each judge (and each of its repeats) with each
        rater, so a response that two judges and two people scored counts four times. A method and dimension
        without any pair has one row of count 0, whose points are missing.
    """
    import pandas as pd

    keys = ["unit", "dimension"]
    kinds = data.long["scorer"].map(dict(enumerate(scorer.kind for scorer in data.scorers)))
    judges = data.long[kinds.eq("judge")].rename(columns={"points": "judge"})
    raters = data.long[kinds.eq("rater")].rename(columns={"points": "human"})
    judges["method"] = [data.scorers[number].method for number in judges["scorer"]]
    pairs = judges[["method", *keys, "judge"]].merge(raters[[*keys, "human"]], on=keys)
    pairs["dimension"] = [data.dimensions[number] for number in pairs["dimension"]]
    counted = pairs.groupby(HEAT_COLUMNS[:-1], sort=True).size()
    found: dict[tuple[str, str], list[tuple[float, float, int]]] = {}
    for key, count in zip(counted.index, counted.tolist(), strict=True):
        method, dimension, human, judge = key
        found.setdefault((str(method), str(dimension)), []).append((float(human), float(judge), int(count)))
    nothing = [(math.nan, math.nan, 0)]
    rows = [
        (method, dimension, *cell)
        for method in data.methods
        for dimension in data.dimensions
        for cell in found.get((method, dimension), nothing)
    ]
    return pd.DataFrame(rows, columns=HEAT_COLUMNS).astype({"human": float, "judge": float, "count": int})
