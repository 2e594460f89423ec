"""From SaMer's outputs between 0 and 1 to points: a rising map by quantiles, fitted on the training side.

Heads that are trained on pairs alone know which of two texts is better and nothing of a scale. The map puts
the outputs of the training side in order, the rater's points there in order, and lets the k-th of one mean
the k-th of the other (equipercentile linking; Kolen and Brennan, Test Equating, Scaling, and Linking).
Least squares (isotonic regression) would be nearer to the points on the side it is fitted on, but it also
learns how well the heads order the very texts they were trained on, which is better than they order others,
and it draws weak heads towards the mean, for which quadratic weighted kappa pays twice. The two orders
alone hold neither.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

_MOST_KNOTS = 201
# Of outputs.
_DECIMALS = 12


def fit_scale(outputs: ArrayLike, points: ArrayLike) -> tuple[list[float], list[float]]:
    """Fit the map of one dimension.

    Parameters
    ----------
    outputs : array_like, shape (n,)
        SaMer's, of texts of the training side.
    points : array_like, shape (n,)
        The rater's, of the same texts; which belongs to which does not matter.

    Returns
    -------
    tuple of (list of float, list of float)
        Knots: outputs that rise strictly, at most 201, and their points, which never fall. Texts with the
        same output have the mean of the points at their ranks. :func:`creaeval.llm.local.samer.to_points`
        reads them.

    Raises
    ------
    ValueError
        There are none, they are not as many, or one is not a number.
    """
    # Outputs nearer to each other than twelve decimals are one: the slope between them would overflow.
    x = np.sort(np.round(np.asarray(outputs, dtype=float), _DECIMALS))
    y = np.sort(np.asarray(points, dtype=float))
    if x.ndim != 1 or x.shape != y.shape or not len(x):
        raise ValueError(
            f"Expected as many outputs as points, one or more, but have {x.shape} and {y.shape}."
        )
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise ValueError("Expected numbers, but an output or a rater's points are missing.")
    knots, index, counts = np.unique(x, return_inverse=True, return_counts=True)
    means = np.bincount(index, weights=y) / counts
    if len(knots) > _MOST_KNOTS:
        kept = np.linspace(0, len(knots) - 1, _MOST_KNOTS).round().astype(int)
        knots, means = knots[kept], means[kept]
    return knots.tolist(), means.tolist()
