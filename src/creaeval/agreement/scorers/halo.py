"""How far scorers let one dimension colour another: correlations between the dimensions of one scorer."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from creaeval.agreement.rating_data import RatingData

    Floats = NDArray[np.float64]

HALO_COLUMNS = ["scorer", "kind", "dimension", "other", "r", "n", "reason"]
HALO_MEANS_COLUMNS = ["scorer", "kind", "mean_r", "defined", "n", "above_raters", "reason"]


def halo(data: RatingData) -> pd.DataFrame:
    """Correlate every two dimensions of every scorer over responses.

    Returns
    -------
    pandas.DataFrame
        One row for each scorer and two dimensions: Pearson's ``r``, and ``n``, the responses with both. An
        undefined r is missing, and ``reason`` says why.

    Notes
    -----
    Dimensions that are related in truth correlate without any halo, so what tells is how far a scorer lies
    above others on the same responses. From 2 responses r is always 1 or -1.
    """
    import pandas as pd

    from creaeval.stats.correlation import pairs, pearson

    table = []
    for scorer in data.scorers:
        columns = {dimension: data.take(dimension, [scorer])[:, 0] for dimension in data.dimensions}
        for first, second in combinations(data.dimensions, 2):
            x, y = pairs(columns[first], columns[second])
            reason = _why_undefined(x, y, first, second)
            table.append((data.label(scorer), scorer.kind, first, second, pearson(x, y), len(x), reason))
    return pd.DataFrame(table, columns=HALO_COLUMNS)


def halo_means(halo_table: pd.DataFrame) -> pd.DataFrame:
    """Average each scorer's correlations and set judges beside raters.

    Parameters
    ----------
    halo_table : pandas.DataFrame
        From :func:`halo`.

    Returns
    -------
    pandas.DataFrame
        One row a scorer: ``mean_r``, the unweighted mean of the defined correlations; ``defined`` counts
        them, as in ``189 of 190``, and ``n`` is the smallest number of responses behind one.
        ``above_raters``, of judges only, is the mean minus the mean of the raters' means. An undefined value
        is missing, and ``reason`` says why.
    """
    import pandas as pd

    rows = []
    for (name, kind), own in halo_table.groupby(["scorer", "kind"], sort=False):
        defined = own[own["r"].notna()]
        reasons = "; ".join(dict.fromkeys(filter(None, own["reason"])))
        n = int(defined["n"].min()) if len(defined) else 0
        mean = float(defined["r"].mean()) if len(defined) else math.nan
        rows.append((name, kind, mean, f"{len(defined)} of {len(own)}", n, math.nan, reasons))
    table = pd.DataFrame(rows, columns=HALO_MEANS_COLUMNS)
    judges = table["kind"].eq("judge")
    of_raters = float(table.loc[~judges, "mean_r"].mean())
    table.loc[judges, "above_raters"] = table.loc[judges, "mean_r"] - of_raters
    if math.isnan(of_raters):
        why = "above_raters: no rater has a correlation"
        table.loc[judges, "reason"] = [f"{old}; {why}" if old else why for old in table.loc[judges, "reason"]]
    return table


def _why_undefined(x: Floats, y: Floats, first: str, second: str) -> str:
    from creaeval.stats.measures import get_measure

    if len(x) < 2:
        return "fewer than 2 responses with both"
    return get_measure("pearson").why_undefined(x, y, (first, second))
