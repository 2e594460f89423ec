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
from creaeval.stats.kappa import equal_ratings

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

Level = Literal["nominal", "ordinal", "interval", "ratio"]

_CELLS_AT_ONCE = 1_000_000


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
    if level == "nominal":
        observed, expected = _nominal_disagreement(ratings, given)
    elif level == "ratio":
        observed, expected = _ratio_disagreement(ratings, given)
    else:
        if level == "ordinal":
            # Krippendorff's ranks, the counts between two values and half those at the ends, are the
            # differences of mean ranks among all paired ratings.
            ratings = ratings.copy()
            ratings[given] = mean_ranks(ratings[given])
        observed, expected, _ = _interval_disagreement(np.ones((1, len(ratings))), ratings, given)[:, 0]
    return 1 - float(observed) / float(expected)


def interval_alpha(counts: FloatArray, ratings: FloatArray) -> FloatArray:
    """Krippendorff's alpha for interval data on resamples; a target that is drawn twice counts as two.

    Parameters
    ----------
    counts : array of float, shape (r, targets)
        How often each target is in each resample.
    ratings : array of float, shape (targets, raters)
        nan where a rater did not rate; targets with fewer than two ratings do not count.

    Returns
    -------
    array of float, shape (r,)
        As `krippendorff_alpha`; nan where fewer than two targets have two ratings or all ratings are equal.
    """
    given = ~np.isnan(ratings)
    paired = given.sum(axis=1) >= 2
    given, counts = given & paired[:, np.newaxis], counts * paired
    if not given.any():
        return np.full(len(counts), np.nan)
    observed, expected, scale = _interval_disagreement(counts, ratings, given)
    with np.errstate(invalid="ignore", divide="ignore"):
        values = 1.0 - observed / expected
    # Of equal ratings the variance is only nearly zero.
    undefined = (counts.sum(axis=1) < 2) | ~(expected > 1e-9 * scale)
    return np.where(undefined, np.nan, values)


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


# Observed and expected disagreement: the sum of Krippendorff's distances over ordered pairs within targets,
# each target's shared among its m - 1; and that over all ordered pairs, shared among n - 1. None lays out a
# matrix of values by values, whose memory grows with the square of the number of different values.


def _interval_disagreement(
    counts: FloatArray, ratings: FloatArray, given: npt.NDArray[np.bool_]
) -> FloatArray:
    """From variances, on rows of counts; third, what were expected about a mean of 0: shape (3, rows)."""
    centred = np.where(given, ratings - ratings[given].mean(), 0.0)
    m, total, squares = given.sum(axis=1), centred.sum(axis=1), (centred**2).sum(axis=1)
    within = 2.0 * (m * squares - total**2) / np.maximum(m - 1, 1)
    n, s, q, observed = (counts @ np.column_stack([m, total, squares, within])).T
    with np.errstate(invalid="ignore", divide="ignore"):
        square = 2.0 * n * q / (n - 1.0)
        disagreement: FloatArray = np.array([observed, square - 2.0 * s**2 / (n - 1.0), square])
    return disagreement


def _nominal_disagreement(ratings: FloatArray, given: npt.NDArray[np.bool_]) -> tuple[float, float]:
    """From squared numbers of equal ratings, within targets and over all."""
    squares, totals = equal_ratings(ratings, given)
    m, n = given.sum(axis=1).astype(float), float(totals.sum())
    return float(((m**2 - squares) / (m - 1)).sum()), (n**2 - float((totals**2).sum())) / (n - 1)


def _ratio_disagreement(ratings: FloatArray, given: npt.NDArray[np.bool_]) -> tuple[float, float]:
    """Pair by pair of raters within targets; block by block of values over all."""
    values, totals = np.unique(ratings[given], return_counts=True)
    if values[0] < 0:
        raise ValueError(f"a ratio scale starts at 0; found {values[0]:g}")

    def distances(x: FloatArray, y: FloatArray) -> FloatArray:
        shares: FloatArray = ((x - y) / np.maximum(x + y, np.finfo(np.float64).tiny)) ** 2
        return shares

    shared = 2.0 / (given.sum(axis=1) - 1)
    observed = 0.0
    for first in range(ratings.shape[1]):
        for second in range(first):
            both = given[:, first] & given[:, second]
            observed += float(distances(ratings[both, first], ratings[both, second]) @ shared[both])
    expected, rows = 0.0, max(1, _CELLS_AT_ONCE // len(values))
    for start in range(0, len(values), rows):
        block, after = slice(start, start + rows), slice(start + rows, None)
        expected += float(totals[block] @ (distances(values[block, None], values[block]) @ totals[block]))
        expected += 2.0 * float(
            totals[block] @ (distances(values[block, None], values[after]) @ totals[after])
        )
    return observed, expected / (int(totals.sum()) - 1)


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
