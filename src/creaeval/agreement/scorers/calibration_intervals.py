"""How sure the raters' mean is at each level of a judge's points."""

from __future__ import annotations

from typing import TYPE_CHECKING

from creaeval.agreement.options import AgreementOptions
from creaeval.agreement.scorers.calibration import CALIBRATION_COLUMNS, calibration

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from creaeval.agreement.rating_data import RatingData

    Floats = NDArray[np.float64]

INTERVAL_COLUMNS = [*CALIBRATION_COLUMNS[:-1], "n_responses", "low", "high", "reason"]


def calibration_intervals(data: RatingData, options: AgreementOptions | None = None) -> pd.DataFrame:
    """Add intervals to the table of :func:`creaeval.agreement.scorers.calibration.calibration`.

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
    weights = [] if draws is None else list(draws.counts())
    n_units = 0 if draws is None else draws.n_units
    ends = []
    # Judge by judge and level by level, as calibration() makes its rows.
    for judge in data.judges:
        for dimension in data.dimensions:
            given, ratings = data.take(dimension, [judge])[:, 0], data.take(dimension, data.raters)
            sums, numbers = np.nansum(ratings, axis=1), (~np.isnan(ratings)).sum(axis=1)
            ends += _by_level(given, (sums, numbers), weights, n_units, options.confidence)
    table = calibration(data)
    for name, values in zip(("n_responses", "low", "high", "note"), zip(*ends, strict=True), strict=False):
        table[name] = values
    table["reason"] = table["reason"].where(table["reason"].ne(""), table.get("note"))
    return table.reindex(columns=INTERVAL_COLUMNS)


def _by_level(
    given: Floats,
    of_raters: tuple[Floats, NDArray[np.int_]],
    weights: Sequence[Floats],
    n_units: int,
    confidence: float,
) -> list[tuple[int, float, float, str]]:
    """Return responses and the interval for each level, rising, then for all levels together."""
    import numpy as np

    from creaeval.stats.draws import NO_INTERVAL, interval

    sums, numbers = of_raters
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
        ends = NO_INTERVAL
        if draws:
            on_resamples = np.concatenate([part[:, place] for part in draws])
            ends = interval(value, on_resamples, n=min(n, n_units), confidence=confidence)
        found.append((n, ends.low, ends.high, ends.note))
    return found
