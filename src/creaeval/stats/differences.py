"""Agreement and difference in points and shares, and how much of the scale a rater uses."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from creaeval.stats.correlation import FloatArray, numbers, pairs

if TYPE_CHECKING:
    import numpy.typing as npt

# 5.3 - 4.3 is a little more than 1 in binary fractions.
_ROUNDING = 1e-9


def exact_agreement(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """Share of targets that get the same score from both raters.

    Parameters
    ----------
    x, y : array-like of float, shape (n,)
        Two raters' scores of the same targets. Pairs with a missing value (nan) are left out. Nothing is
        rounded, so mean scores seldom agree exactly.

    Returns
    -------
    float
        From 0 to 1; nan if there are no pairs.

    Raises
    ------
    ValueError
        If x and y are not one-dimensional, of one length, finite and numbers.
    """
    x, y = pairs(x, y)
    return float(np.mean(x == y)) if x.size else math.nan


def adjacent_agreement(x: npt.ArrayLike, y: npt.ArrayLike, within: float = 1) -> float:
    """Share of targets whose two scores are at most some points apart; equal scores count, too.

    Parameters
    ----------
    x, y : array-like of float, shape (n,)
        Two raters' scores of the same targets, in points. Pairs with a missing value (nan) are left out.
    within : float
        The largest difference that still counts, in points, 0 or more.

    Returns
    -------
    float
        From 0 to 1; nan if there are no pairs.

    Raises
    ------
    ValueError
        If x and y are not one-dimensional, of one length, finite and numbers, or `within` is negative.
    """
    if not within >= 0:
        raise ValueError(f"scores are adjacent within 0 or more points, not within {within}")
    x, y = pairs(x, y)
    return float(np.mean(np.abs(x - y) <= within + _ROUNDING)) if x.size else math.nan


def mean_difference(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """Mean of x minus y in points: how much more lenient x is.

    Parameters
    ----------
    x, y : array-like of float, shape (n,)
        Two raters' scores of the same targets, in points; the judge first, if its bias is wanted. Pairs with
        a missing value (nan) are left out.

    Returns
    -------
    float
        Positive if x gives more; nan if there are no pairs.

    Raises
    ------
    ValueError
        If x and y are not one-dimensional, of one length, finite and numbers.
    """
    x, y = pairs(x, y)
    return float(np.mean(x - y)) if x.size else math.nan


def mean_absolute_error(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """Mean distance of two raters' scores in points.

    Parameters
    ----------
    x, y : array-like of float, shape (n,)
        Two raters' scores of the same targets, in points. Pairs with a missing value (nan) are left out.

    Returns
    -------
    float
        0 or more; nan if there are no pairs.

    Raises
    ------
    ValueError
        If x and y are not one-dimensional, of one length, finite and numbers.
    """
    x, y = pairs(x, y)
    return float(np.mean(np.abs(x - y))) if x.size else math.nan


def rmse(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """Root of the mean squared difference of two raters' scores, in points.

    Parameters
    ----------
    x, y : array-like of float, shape (n,)
        Two raters' scores of the same targets, in points. Pairs with a missing value (nan) are left out.

    Returns
    -------
    float
        0 or more, and at least the mean absolute error; nan if there are no pairs.

    Raises
    ------
    ValueError
        If x and y are not one-dimensional, of one length, finite and numbers.
    """
    x, y = pairs(x, y)
    return float(np.sqrt(np.mean((x - y) ** 2))) if x.size else math.nan


def range_use(x: npt.ArrayLike, low: float, high: float) -> float:
    """Share of a scale that a rater's scores span.

    Parameters
    ----------
    x : array-like of float, shape (n,)
        One rater's scores, in points. Missing ones (nan) are left out.
    low, high : float
        The ends of the scale.

    Returns
    -------
    float
        (max x - min x) / (high - low), from 0 (one score for all) to 1; nan if there are fewer than 2 scores.

    Raises
    ------
    ValueError
        If x is not one-dimensional, finite and numbers, a score is off the scale, or `high` is not above
        `low`.
    """
    x = _given(x)
    if not high > low:
        raise ValueError(f"a scale runs from a lower to a higher value, not from {low} to {high}")
    off = x[(x < low - _ROUNDING) | (x > high + _ROUNDING)]
    if off.size:
        raise ValueError(
            f"{off.size} of {x.size} scores are off the scale from {low} to {high}, such as {off[0]:g}"
        )
    return float(np.ptp(x) / (high - low)) if x.size > 1 else math.nan


def standard_deviation(x: npt.ArrayLike) -> float:
    """Sample standard deviation of a rater's scores (n - 1 in the denominator), in points.

    Parameters
    ----------
    x : array-like of float, shape (n,)
        One rater's scores, in points. Missing ones (nan) are left out.

    Returns
    -------
    float
        0 or more; nan if there are fewer than 2 scores.

    Raises
    ------
    ValueError
        If x is not one-dimensional, finite and numbers.
    """
    x = _given(x)
    return float(np.std(x, ddof=1)) if x.size > 1 else math.nan


def _given(x: npt.ArrayLike) -> FloatArray:
    x = numbers(x, dimensions=1)
    return x[~np.isnan(x)]
