"""How sure the raters' mean is at each level of a judge's points."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from creaeval.agreement.calibration import CALIBRATION_COLUMNS, calibration
from creaeval.agreement.options import FEWEST, AgreementOptions

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from creaeval.agreement.rating_data import RatingData

    Floats = NDArray[np.float64]

INTERVAL_COLUMNS = [*CALIBRATION_COLUMNS[:-1], "n_responses", "low", "high", "reason"]


def calibration_intervals(data: RatingData, options: AgreementOptions | None = None) -> pd.DataFrame:
    """Add intervals to the table of :func:`creaeval.agreement.calibration.calibration`.

    They are always percentile intervals. Whole responses or clusters are drawn, so that the ratings of one
    stay together.

    Returns
    -------
    pandas.DataFrame
        That table with ``n_responses``, the responses behind the ``n`` pairs, and ``low`` and ``high``, the
        ends of the interval of ``mean_human`` in points. A level with fewer than five responses has no
        interval, and ``reason`` says so.
    """
    import numpy as np

    options = options or AgreementOptions()
    draws = options.draws(data) if data.units else None
    weights = [] if draws is None or draws.n_units < FEWEST else list(draws.counts())
    ends = []
    # Judge by judge and level by level, as calibration() makes its rows.
    for judge in data.judges:
        for dimension in data.dimensions:
            given, ratings = data.take(dimension, [judge])[:, 0], data.take(dimension, data.raters)
            sums, numbers = np.nansum(ratings, axis=1), (~np.isnan(ratings)).sum(axis=1)
            ends += _by_level(given, sums, numbers, weights, options.confidence)
    table = calibration(data)
    for name, values in zip(("n_responses", "low", "high"), zip(*ends, strict=True), strict=False):
        table[name] = values
    table = table.reindex(columns=INTERVAL_COLUMNS)
    few = table["n_responses"].lt(FEWEST) & table["reason"].eq("")
    table.loc[few, "reason"] = f"no interval of fewer than {FEWEST} responses"
    return table


def _by_level(
    given: Floats, sums: Floats, numbers: NDArray[np.int_], weights: Sequence[Floats], confidence: float
) -> list[tuple[int, float, float]]:
    """Return responses and the interval's ends for each level, rising, then for all levels together."""
    import numpy as np

    from creaeval.stats.draws import interval

    levels = np.unique(given[~np.isnan(given)])
    # A response a row, a level a column; the last is true wherever the judge gave anything.
    there = np.column_stack([given[:, np.newaxis] == levels, ~np.isnan(given)]).astype(float)
    above, below = sums[:, np.newaxis] * there, numbers[:, np.newaxis] * there
    n_responses = (below > 0).sum(axis=0)
    found = []
    with np.errstate(invalid="ignore", divide="ignore"):
        on_data = above.sum(axis=0) / below.sum(axis=0)
        draws = [(counts @ above) / (counts @ below) for counts in weights]
    for place, (value, n) in enumerate(zip(on_data.tolist(), n_responses.tolist(), strict=True)):
        low = high = math.nan
        if n >= FEWEST and draws:
            ends = interval(value, np.concatenate([part[:, place] for part in draws]), confidence=confidence)
            low, high = ends.low, ends.high
        found.append((n, low, high))
    return found
