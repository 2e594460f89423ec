"""Measures of many pairs on many resamples at once, from sums of a :class:`~creaeval.stats.grid.Part`.

Each takes a part and returns an array of shape (resamples, pairs), nan where the measure is undefined. The
plain functions of the same measures are their oracle.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from creaeval.stats.correlation import on_levels
from creaeval.stats.gwet import ac1_weight, ac2_weight

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from creaeval.stats.grid import Part
    from creaeval.stats.measures import Levels

    Floats = NDArray[np.float64]


def _kappa_like(part: Part, values: Floats) -> Floats:
    """0 where one is constant, undefined where both are."""
    values = np.where(part.constant_x | part.constant_y, 0.0, values)
    return np.where((part.constant_x & part.constant_y) | (part.n < 2), np.nan, values)


def qwk(part: Part) -> Floats:
    """Quadratic weighted kappa on values: ``2 cov / (vx + vy + d²)`` with population moments."""
    with np.errstate(invalid="ignore", divide="ignore"):
        values = 2.0 * part.covariance / (part.variance_x + part.variance_y + part.difference**2)
    return _kappa_like(part, values)


def linear_kappa(part: Part) -> Floats:
    """Linear weighted kappa on values."""
    chance = np.zeros_like(part.n)
    below_x, below_y = np.zeros_like(part.n), np.zeros_like(part.n)
    for share_x, share_y, gap in part.shares():
        # How far two independent scores lie apart: every gap between levels that separates them.
        below_x, below_y = below_x + share_x, below_y + share_y
        chance = chance + gap * (below_x * (1.0 - below_y) + below_y * (1.0 - below_x))
    with np.errstate(invalid="ignore", divide="ignore"):
        values = 1.0 - part.mean(np.abs(part.x - part.y)) / chance
    return _kappa_like(part, values)


def cohen_kappa(part: Part) -> Floats:
    """Cohen's kappa."""
    chance = np.zeros_like(part.n)
    for share_x, share_y, _ in part.shares():
        chance = chance + share_x * share_y
    with np.errstate(invalid="ignore", divide="ignore"):
        values = (exact(part) - chance) / (1.0 - chance)
    return _kappa_like(part, values)


def pearson(part: Part) -> Floats:
    """Pearson's r; the limits only undo rounding."""
    with np.errstate(invalid="ignore", divide="ignore"):
        values = part.covariance / np.sqrt(part.variance_x * part.variance_y)
    undefined = part.constant_x | part.constant_y | (part.n < 2)
    return np.where(undefined, np.nan, np.clip(values, -1.0, 1.0))


def icc_agreement(part: Part) -> Floats:
    """ICC(A,1) of two raters: ``2 cov / (vx + vy + d² (N - 1) / N - (vx + vy - 2 cov) / N)``.

    These are McGraw and Wong's (1996) mean squares written out.
    """
    sums = part.variance_x + part.variance_y
    with np.errstate(invalid="ignore", divide="ignore"):
        error = (sums - 2.0 * part.covariance + part.difference**2) / part.n
        above, below = 2.0 * part.covariance, sums + part.difference**2 - error
        values = np.where(below > 1e-12 * np.abs(above), above / below, np.nan)  # 0/0 but for rounding
    return _kappa_like(part, values)


def icc_one_way(part: Part) -> Floats:
    """ICC(1) of two raters: ``(B - W) / (B + W)``.

    ``B = N / (N - 1) (vx + vy + 2 cov) / 2`` and ``W = (vx + vy - 2 cov + d²) / 2``.
    """
    sums = part.variance_x + part.variance_y
    with np.errstate(invalid="ignore", divide="ignore"):
        between = part.n / (part.n - 1.0) * (sums + 2.0 * part.covariance) / 2.0
        within = (sums - 2.0 * part.covariance + part.difference**2) / 2.0
        values = (between - within) / (between + within)
    undefined = (part.constant_x & part.constant_y) | (part.n < 2)
    return np.where(undefined, np.nan, values)


def exact(part: Part) -> Floats:
    """Share of equal scores."""
    return part.mean((part.x == part.y) * part.present)


def adjacent(part: Part) -> Floats:
    """Share of scores at most 1 point apart."""
    return part.mean((np.abs(part.x - part.y) <= 1.0 + 1e-9) * part.present)


def bias(part: Part) -> Floats:
    """Mean of x minus y."""
    difference: Floats = part.difference
    return difference


def mean_absolute(part: Part) -> Floats:
    """Mean distance."""
    return part.mean(np.abs(part.x - part.y))


def rmse(part: Part) -> Floats:
    """Root of the mean squared difference."""
    values: Floats = np.sqrt(part.mean((part.x - part.y) ** 2))
    return values


def ac1(part: Part) -> Floats:
    """Gwet's AC1; see `gwet.gwet_ac1`."""
    return _gwet(part, exact(part), ac1_weight)


def ac2(part: Part) -> Floats:
    """Gwet's AC2 with quadratic weights; see `gwet.gwet_ac2`."""
    spans = np.array([math.nan if scale is None else scale.high - scale.low for scale in part.levels])
    return _gwet(part, 1.0 - part.mean((part.x - part.y) ** 2) / spans**2, ac2_weight)


def _gwet(part: Part, agreement: Floats, weight_of: Callable[[Levels], float]) -> Floats:
    alike = np.zeros_like(part.n)
    for share_x, share_y, _ in part.shares():
        alike = alike + ((share_x + share_y) / 2.0) ** 2
    weights = np.array([math.nan if scale is None else weight_of(scale) for scale in part.levels])
    by_chance = weights * (1.0 - alike)
    values: Floats = (agreement - by_chance) / (1.0 - by_chance)
    for pair, scale in enumerate(part.levels):
        present = part.present[:, pair] > 0
        given = np.concatenate([part.x[present, pair], part.y[present, pair]])
        if scale is not None and not on_levels(given, scale).all():
            values[:, pair] = np.nan
    return values
