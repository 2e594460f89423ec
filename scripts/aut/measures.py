"""How well scores agree with people."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from creaeval.stats.correlation import pearson

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray


def centred(values: NDArray[np.float64], groups: pd.Series) -> NDArray[np.float64]:
    """Values less the mean of their group; nan for one that is alone in it."""
    codes, sizes = np.unique(groups.to_numpy(str), return_inverse=True, return_counts=True)[1:]
    means = np.bincount(codes, values) / sizes
    return np.where(sizes[codes] > 1, values - means[codes], np.nan)


def measure(scores: NDArray[np.float64], rows: pd.DataFrame) -> dict[str, float]:
    """Pearson's r over all rows, within study and object, and the mean absolute error in points."""
    people = rows["human_mean"].to_numpy(float)
    x, y = centred(scores, rows["group"]), centred(people, rows["group"])
    kept = ~np.isnan(x)
    return {
        "n": len(rows),
        "r": round(float(pearson(scores, people)), 4),
        "r_within": round(float(pearson(x[kept], y[kept])), 4),
        "mae": round(float(np.abs(scores - people).mean()), 4),
    }
