"""Kappas: agreement beyond what the raters' own distributions would give by chance.

All are computed on the values of the scores. Levels that nobody used change nothing, and there are no labels
that could be counted anew or sorted as text.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from creaeval.stats.correlation import FloatArray, is_constant, lacking, numbers, pairs

if TYPE_CHECKING:
    import numpy.typing as npt


def quadratic_weighted_kappa(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """Quadratic weighted kappa (QWK), for whole, half and mean scores alike.

    Parameters
    ----------
    x, y : array-like of float, shape (n,)
        Two raters' scores of the same targets, in points. Nothing is rounded. Pairs with a missing value
        (nan) are left out.

    Returns
    -------
    float
        2 cov(x, y) / (var x + var y + (mean x - mean y)²) with population moments, from -1 to 1; this equals
        1 - Σ w·observed / Σ w·expected with weights (i - j)² on the values. 0 if one rater is constant; nan
        if there are fewer than 2 pairs or both are constant, at the same value (0/0) or not.

    Raises
    ------
    ValueError
        If x and y are not one-dimensional, of one length, finite and numbers.

    Notes
    -----
    The same number is Lin's concordance correlation with population moments.

    References
    ----------
    Cohen, J. (1968). Weighted kappa. Psychological Bulletin, 70, 213-220. Fleiss, J. L., & Cohen, J. (1973).
    The equivalence of weighted kappa and the intraclass correlation coefficient as measures of reliability.
    Educational and Psychological Measurement, 33, 613-619.
    """
    x, y = pairs(x, y)
    if lacking(x, y, "variation"):
        return math.nan
    if is_constant(x) or is_constant(y):
        return 0.0
    from_mean_x, from_mean_y = x - x.mean(), y - y.mean()
    spread = np.mean(from_mean_x**2) + np.mean(from_mean_y**2)
    return float(2 * np.mean(from_mean_x * from_mean_y) / (spread + (x.mean() - y.mean()) ** 2))


def linear_weighted_kappa(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """Linear weighted kappa: disagreement counts by its distance in points.

    Parameters
    ----------
    x, y : array-like of float, shape (n,)
        Two raters' scores of the same targets, in points. Pairs with a missing value (nan) are left out.

    Returns
    -------
    float
        1 - mean |x - y| / mean over all i, j of |x_i - y_j|, from -1 to 1. As weights are distances of
        values, a level that nobody used changes nothing. 0 if one rater is constant; nan if there are fewer
        than 2 pairs or both are constant.

    Raises
    ------
    ValueError
        If x and y are not one-dimensional, of one length, finite and numbers.

    References
    ----------
    Cohen, J. (1968). Weighted kappa. Psychological Bulletin, 70, 213-220.
    """
    x, y = pairs(x, y)
    if lacking(x, y, "variation"):
        return math.nan
    if is_constant(x) or is_constant(y):
        return 0.0
    return float(1 - np.mean(np.abs(x - y)) / _mean_distance(x, y))


def cohen_kappa(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """Cohen's unweighted kappa: every disagreement counts the same.

    Parameters
    ----------
    x, y : array-like of float, shape (n,)
        Two raters' categories of the same targets, as numbers; agreement is equality. Pairs with a missing
        value (nan) are left out.

    Returns
    -------
    float
        (p_o - p_e) / (1 - p_e), at most 1. 0 if one rater is constant; nan if there are fewer than 2 pairs or
        both are constant.

    Raises
    ------
    ValueError
        If x and y are not one-dimensional, of one length, finite and numbers.

    References
    ----------
    Cohen, J. (1960). A coefficient of agreement for nominal scales. Educational and Psychological
    Measurement, 20, 37-46.
    """
    x, y = pairs(x, y)
    if lacking(x, y, "variation"):
        return math.nan
    if is_constant(x) or is_constant(y):
        return 0.0
    categories = np.unique(np.concatenate([x, y]))
    by_chance = float(_shares(x, categories) @ _shares(y, categories))
    return (float(np.mean(x == y)) - by_chance) / (1 - by_chance)


def fleiss_kappa(ratings: npt.ArrayLike) -> float:
    """Fleiss' kappa of many raters, who need not be the same for each target; unweighted.

    Parameters
    ----------
    ratings : array-like of float, shape (targets, raters)
        Categories as numbers. Cells may be empty (nan) if every target has the same number of ratings, or
        none: targets without any rating are left out.

    Returns
    -------
    float
        (mean P_i - P_e) / (1 - P_e), at most 1. nan if there are fewer than 2 targets or all ratings are
        equal.

    Raises
    ------
    ValueError
        If this is no matrix of finite numbers, targets differ in their number of ratings, or have only one.

    References
    ----------
    Fleiss, J. L. (1971). Measuring nominal scale agreement among many raters. Psychological Bulletin, 76,
    378-382.
    """
    ratings = numbers(ratings, dimensions=2)
    ratings = ratings[~np.isnan(ratings).all(axis=1)]
    given = ~np.isnan(ratings)
    sizes = np.unique(given.sum(axis=1))
    if sizes.size > 1:
        raise ValueError(
            f"Fleiss' kappa needs as many ratings of one target as of another; these have {sizes[0]} to "
            f"{sizes[-1]}. Krippendorff's alpha allows for that"
        )
    if sizes.size and sizes[0] < 2:
        raise ValueError("Fleiss' kappa needs two or more ratings of every target; these have one")
    if len(ratings) < 2:
        return math.nan
    m = float(sizes[0])
    squares, totals = equal_ratings(ratings, given)
    if totals.size == 1:
        return math.nan
    observed = float(np.mean((squares - m) / (m * (m - 1))))
    by_chance = float(np.sum((totals / totals.sum()) ** 2))
    return (observed - by_chance) / (1 - by_chance)


def equal_ratings(ratings: FloatArray, given: npt.NDArray[np.bool_]) -> tuple[FloatArray, FloatArray]:
    """Count equal ratings: the sum of squared counts within each target, and each value's count over all.

    A table of targets by values would be too large where ratings have decimals.
    """
    values, codes, totals = np.unique(ratings[given], return_inverse=True, return_counts=True)
    cells, counts = np.unique(np.nonzero(given)[0] * len(values) + codes, return_counts=True)
    squares = np.bincount(cells // len(values), counts.astype(float) ** 2, minlength=len(ratings)).astype(
        float
    )
    return squares, totals.astype(float)


def _shares(values: FloatArray, categories: FloatArray) -> FloatArray:
    shares: FloatArray = (
        np.bincount(np.searchsorted(categories, values), minlength=categories.size) / values.size
    )
    return shares


def _mean_distance(x: FloatArray, y: FloatArray) -> float:
    """Mean |x_i - y_j| over all i and j, from their distribution functions: ∫ F(1 - G) + G(1 - F)."""
    points = np.unique(np.concatenate([x, y]))
    below_x = np.cumsum(_shares(x, points))[:-1]
    below_y = np.cumsum(_shares(y, points))[:-1]
    return float(np.sum(np.diff(points) * (below_x * (1 - below_y) + below_y * (1 - below_x))))
