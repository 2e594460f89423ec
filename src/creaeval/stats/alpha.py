"""Krippendorff's alpha of raters, Cronbach's alpha of items, and its stratified form.

Everywhere targets are rows and raters, or items, are columns. A transposed matrix gives another number and no
warning, so whoever reads a file settles which is which.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from creaeval.stats.correlation import FloatArray, is_constant, mean_ranks, numbers
from creaeval.stats.icc import complete_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

Level = Literal["nominal", "ordinal", "interval", "ratio"]


def krippendorff_alpha(ratings: npt.ArrayLike, level: Level) -> float:
    """Krippendorff's alpha: agreement of any number of raters, with ratings missing or not.

    Parameters
    ----------
    ratings : array-like of float, shape (targets, raters)
        Scores as numbers, nan where a rater did not rate. Targets with fewer than two ratings are left out,
        as there is nothing to compare.
    level : {"nominal", "ordinal", "interval", "ratio"}
        Which differences count: any, by ranks, by points, or by points over their sum.

    Returns
    -------
    float
        1 - D_o / D_e, at most 1; 0 is what chance gives, which nearly constant ratings may get however often
        they agree. nan if fewer than two targets have two ratings or all their ratings are equal;
        `why_alpha_undefined` says which.

    Raises
    ------
    ValueError
        If this is no matrix of finite numbers, the level is not known, or a rating on a ratio scale is
        negative.

    Notes
    -----
    Raters count as interchangeable, so two constant raters who differ have an alpha (below 0). The
    coincidences are of values, and levels that nobody used change nothing.

    References
    ----------
    Krippendorff, K. (2011). Computing Krippendorff's alpha-reliability.
    https://repository.upenn.edu/asc_papers/43
    """
    if level not in get_args(Level):
        raise ValueError(f"{level!r} is no level of measurement; those are {', '.join(get_args(Level))}")
    ratings = _paired_targets(ratings)
    if _why_alpha_undefined(ratings):
        return math.nan
    given = ~np.isnan(ratings)
    pooled = ratings[given]
    values = np.unique(pooled)
    distances = _distances(values, pooled, level)
    counts = (ratings[:, :, None] == values).sum(axis=1).astype(np.float64)
    # Σ over targets of pairs of values, each target's pairs shared among its m - 1; a value paired with
    # itself has no distance, so the diagonal need not be right.
    coincidences = counts.T @ (counts / (given.sum(axis=1, keepdims=True) - 1))
    totals = counts.sum(axis=0)
    observed = float(np.sum(coincidences * distances))
    expected = float(totals @ distances @ totals) / (pooled.size - 1)
    return 1 - observed / expected


def why_alpha_undefined(ratings: npt.ArrayLike) -> str:
    """Say why Krippendorff's alpha is undefined for these ratings.

    Parameters
    ----------
    ratings : array-like of float, shape (targets, raters)
        What `krippendorff_alpha` is given.

    Returns
    -------
    str
        The reason, or "" if it is defined.

    Raises
    ------
    ValueError
        If this is no matrix of finite numbers.
    """
    return _why_alpha_undefined(_paired_targets(ratings))


def cronbach_alpha(items: npt.ArrayLike) -> float:
    """Cronbach's alpha: reliability of the sum of items, a lower bound of it.

    Parameters
    ----------
    items : array-like of float, shape (targets, items)
        Scores in points, two or more items. Targets with a missing score (nan) are left out.

    Returns
    -------
    float
        k / (k - 1) · (1 - Σ var item / var sum), at most 1; may be below 0. It equals ICC(C,k). nan if there
        are fewer than 2 complete targets or their sums are all equal.

    Raises
    ------
    ValueError
        If this is no matrix of finite numbers with two or more columns.

    References
    ----------
    Cronbach, L. J. (1951). Coefficient alpha and the internal structure of tests. Psychometrika, 16, 297-334.
    """
    items = complete_rows(numbers(items, dimensions=2))
    return _one_minus_error_share(items, [items])


def stratified_alpha(strata: Sequence[npt.ArrayLike]) -> float:
    """Stratified alpha: reliability of a sum whose items fall into groups that measure different things.

    Parameters
    ----------
    strata : sequence of array-like of float, each of shape (targets, items)
        For each group, the scores of the same targets in the same order, two or more items. Targets with a
        missing score (nan) in any group are left out of all.

    Returns
    -------
    float
        1 - Σ var_j (1 - alpha_j) / var sum, over the groups j with the variance of their sums; at most 1.
        With one group it is Cronbach's alpha. nan if there are fewer than 2 complete targets or their sums
        are all equal.

    Raises
    ------
    ValueError
        If a group is no matrix of finite numbers with two or more columns, the groups differ in their number
        of targets, or there are none.

    References
    ----------
    Cronbach, L. J., Schönemann, P., & McKie, D. (1965). Alpha coefficients for stratified-parallel tests.
    Educational and Psychological Measurement, 25, 291-312.
    """
    groups = [numbers(stratum, dimensions=2) for stratum in strata]
    if not groups:
        raise ValueError("stratified alpha needs one or more groups of items; there are none")
    if len({len(group) for group in groups}) > 1:
        raise ValueError(
            "the groups hold the same targets, one a row; these have "
            f"{', '.join(str(len(group)) for group in groups)} rows"
        )
    if min(group.shape[1] for group in groups) < 2:
        raise ValueError(
            "every group needs two or more items; the reliability of a single one cannot be told"
        )
    together = np.hstack(groups)
    complete = ~np.isnan(together).any(axis=1)
    return _one_minus_error_share(together[complete], [group[complete] for group in groups])


def _paired_targets(ratings: npt.ArrayLike) -> FloatArray:
    checked = numbers(ratings, dimensions=2)
    paired: FloatArray = checked[(~np.isnan(checked)).sum(axis=1) >= 2]
    return paired


def _why_alpha_undefined(ratings: FloatArray) -> str:
    if len(ratings) < 2:
        return "fewer than 2 targets with two ratings"
    return "all ratings are equal" if is_constant(ratings[~np.isnan(ratings)]) else ""


def _distances(values: FloatArray, pooled: FloatArray, level: Level) -> FloatArray:
    """Squared differences between values, each by each, as the level of measurement has them."""
    if level == "nominal":
        return np.not_equal.outer(values, values).astype(np.float64)
    if level == "ordinal":
        # Krippendorff's ranks, the counts between two values and half those at the ends, are the differences
        # of mean ranks among all paired ratings.
        first = np.unique(pooled, return_index=True)[1]
        values = mean_ranks(pooled)[first]
    differences = values[:, None] - values
    if level == "ratio":
        if values[0] < 0:
            raise ValueError(f"a ratio scale starts at 0; found {values[0]:g}")
        differences = differences / np.maximum(values[:, None] + values, np.finfo(np.float64).tiny)
    squared: FloatArray = differences**2
    return squared


def _one_minus_error_share(items: FloatArray, groups: list[FloatArray]) -> float:
    """1 - Σ var_j (1 - alpha_j) / var sum, with var_j (1 - alpha_j) written out so that var_j may be 0."""
    if len(items) < 2 or is_constant(items.sum(axis=1)):
        return math.nan
    error = 0.0
    for group in groups:
        k = group.shape[1]
        of_sum = float(np.var(group.sum(axis=1), ddof=1))
        of_items = float(np.sum(np.var(group, axis=0, ddof=1)))
        error += of_sum - k / (k - 1) * (of_sum - of_items)
    return 1 - error / float(np.var(items.sum(axis=1), ddof=1))
