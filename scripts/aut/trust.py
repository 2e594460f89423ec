"""Fit how likely a score is to be near what raters say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

NEAR = 0.5
_RIDGE = 1.0


def fit_trust(scores: NDArray[np.float64], people: NDArray[np.float64]) -> list[float]:
    """Fit the curve of :class:`creaeval.offline.card.Trust`: intercept, slope, bend, low and high.

    By Newton's method, with a small ridge on slope and bend; it ends where 2.5% of the scores are beyond,
    since a square would go anywhere there. The rows must not be ones the model was trained on, or it would
    look surer than it is.
    """
    at = scores - 2
    design = np.stack([np.ones_like(at), at, at * at], axis=1)
    # Ratings are in tenths, so that exactly half a point must not hang on the last bit.
    near = (np.abs(scores - people) <= NEAR + 1e-9).astype(float)
    weights = np.zeros(3)
    ridge = np.diag([0.0, _RIDGE, _RIDGE])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-design @ weights))
        slope = design.T @ (near - chance) - ridge @ weights
        curvature = design.T @ (design * (chance * (1 - chance))[:, None]) + ridge
        weights += np.linalg.solve(curvature, slope)
    return [round(float(one), 4) for one in (*weights, *np.quantile(scores, [0.025, 0.975]))]
