"""How lenient scorers are, and how much of the scale they use."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from creaeval.agreement.rating_data import RatingData

    Floats = NDArray[np.float64]

AVG = "AVG"
SEVERITY_COLUMNS = [
    "scorer",
    "kind",
    "dimension",
    "n",
    "mean",
    "sd",
    "lowest",
    "highest",
    "range_use",
    "leniency",
    "n_compared",
    "defined",
    "reason",
]
_AVERAGED = ("mean", "sd", "lowest", "highest", "range_use", "leniency")


def severity(data: RatingData) -> pd.DataFrame:
    """Describe the level and the spread of every scorer's points.

    Returns
    -------
    pandas.DataFrame
        One row for each scorer and dimension, then one of dimension ``AVG``. In points: ``mean``, ``sd`` (n -
        1 in the denominator), ``lowest``, ``highest`` and ``leniency``, the mean over responses of the
        scorer's points minus the mean of the raters' other than the scorer; positive means more lenient.
        ``range_use`` is the share of the scale between lowest and highest. ``n`` counts the responses scored,
        ``n_compared`` those that another rater scored, too. In the row ``AVG``, ``n`` and ``n_compared`` are
        the smallest over the dimensions, everything else is the unweighted mean over the dimensions where it
        is defined, and ``defined`` counts those with a leniency, as in ``19 of 20``. An undefined value is
        missing, and ``reason`` says why.

    Notes
    -----
    Whoever has only scored other responses than the raters cannot be called lenient or severe, so leniency
    rests on responses that others scored, too. A severe colleague makes a rater look lenient: with two raters
    the leniency of one is minus that of the other.
    """
    import pandas as pd

    table: list[dict[str, object]] = []
    for scorer in data.scorers:
        others = [rater for rater in data.raters if rater != scorer]
        who = {"scorer": data.label(scorer), "kind": scorer.kind}
        own = [
            _describe(
                scorer.kind,
                data.take(dimension, [scorer])[:, 0],
                data.take(dimension, others),
                data.scales[dimension],
            )
            | {"dimension": dimension}
            for dimension in data.dimensions
        ]
        table += [who | row for row in [*own, *([_average(own)] if own else [])]]
    return pd.DataFrame(table, columns=SEVERITY_COLUMNS)


def _describe(kind: str, own: Floats, others: Floats, scale: tuple[float, float]) -> dict[str, object]:
    """Describe a scorer's points on one dimension, beside those of the other raters of each response."""
    import numpy as np

    from creaeval.stats.differences import mean_difference, range_use, standard_deviation

    given = own[~np.isnan(own)]
    count = (~np.isnan(others)).sum(axis=1)
    of_others = np.where(count > 0, np.nansum(others, axis=1) / np.maximum(count, 1), np.nan)
    compared = int((~np.isnan(own) & (count > 0)).sum())
    low, high = scale
    used, reasons = math.nan, []
    if not len(given):
        reasons.append("no points")
    else:
        if len(given) < 2:
            reasons.append("sd and range_use: fewer than 2 responses")
        else:
            try:
                used = range_use(given, low, high)
            except ValueError as error:  # points off the scale
                reasons.append(f"range_use: {error}")
        if not compared:
            who = "other rater" if kind == "rater" else "rater"
            reasons.append(f"leniency: no {who} scored these responses")
    return {
        "n": len(given),
        "mean": float(given.mean()) if len(given) else math.nan,
        "sd": standard_deviation(given),
        "lowest": float(given.min()) if len(given) else math.nan,
        "highest": float(given.max()) if len(given) else math.nan,
        "range_use": used,
        "leniency": mean_difference(own, of_others),
        "n_compared": compared,
        "defined": "1 of 1" if compared else "0 of 1",
        "reason": "; ".join(reasons),
    }


def _average(rows: Sequence[Mapping[str, object]]) -> dict[str, object]:
    import pandas as pd

    frame = pd.DataFrame(list(rows))
    reasons = dict.fromkeys(reason for reason in frame["reason"] if reason)
    return {
        "dimension": AVG,
        **{name: float(frame[name].mean()) for name in _AVERAGED},  # over those defined
        "n": int(frame["n"].min()),
        "n_compared": int(frame["n_compared"].min()),
        "defined": f"{int(frame['leniency'].notna().sum())} of {len(frame)}",
        "reason": "; ".join(reasons),
    }
