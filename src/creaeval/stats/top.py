"""Mean of the best ideas of a list."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def top_mean(points: ArrayLike, k: int) -> float:
    """Mean of the k highest points.

    It is meant for lists of ideas, whose mean and sum depend on how many there are. Silvia et al. let people
    choose their own two best ideas ("top 2"); here, as is usual where every idea is scored, the points
    choose. The mean of all ideas is "average scoring", one score for the whole list would be "snapshot
    scoring" and is not computed from the scores of ideas.

    Parameters
    ----------
    points : array of shape (n_ideas,)
        Of every scored idea of one list, no missing values.
    k : int
        How many ideas.

    Returns
    -------
    float
        In points; nan where there are fewer than k ideas.

    Raises
    ------
    ValueError
        k below 1, points that are no list, or a missing value among them.

    References
    ----------
    Silvia et al. (2008), Psychology of Aesthetics, Creativity, and the Arts 2(2), 68-85.
    """
    values = np.asarray(points, dtype=float)
    if k < 1 or values.ndim != 1 or np.isnan(values).any():
        raise ValueError("expected k of 1 or more and a list of points without missing values")
    return float(np.sort(values)[-k:].mean()) if len(values) >= k else float("nan")
