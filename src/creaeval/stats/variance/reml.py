"""Restricted maximum likelihood of variance components, for ratings with any pattern of missing values.

The criterion is lme4's profiled one (Bates, Mächler, Bolker and Walker, 2015, Journal of Statistical Software
67(1), eq. 41), minus twice the restricted log-likelihood up to a constant, as a function of the components'
ratios to the residual. The many small blocks (responses, or participants with what is crossed with them) are
eliminated first; what is left is a dense matrix over raters (and facets), whose Cholesky factor, with the
intercept and the values as its last rows, has the determinants and the residual sum of squares on its
diagonal.
"""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_array, hstack

if TYPE_CHECKING:
    from collections.abc import Callable

    from creaeval.stats.correlation import FloatArray
    from creaeval.stats.variance.design import IntArray, Ratings

    # Ratios of components to the residual -> the criterion and the residual variance.
    Criterion: TypeAlias = Callable[[FloatArray], tuple[float, float]]

__all__ = ["crossed_criterion", "fit_ratios", "nested_criterion"]

# The criterion can have two valleys: the search starts at the best of these ratios, combined.
_STARTS = (0.05, 0.5, 5.0)
# A ratio below this is 0: the criterion is even in its root, so that the optimum at 0 is approached only.
_NOTHING = 1e-7
_FARTHEST = 8.0  # ratios up to 2 million


def fit_ratios(criterion: Criterion, n_ratios: int) -> tuple[FloatArray, float]:
    """Find the ratios of the components to the residual, and the residual variance, at the minimum.

    Ratios are sought as ``sinh(x) ** 2``: smooth at 0, where components often lie, and exponential far off.
    """

    def at(x: FloatArray) -> float:
        return criterion(np.sinh(np.clip(x, -_FARTHEST, _FARTHEST)) ** 2)[0]

    def slope(x: FloatArray) -> FloatArray:
        steps = 1e-5 * np.eye(n_ratios)  # as scipy's 3-point differences, with less around them
        return np.array([(at(x + step) - at(x - step)) / 2e-5 for step in steps])

    levels = [math.asinh(math.sqrt(ratio)) for ratio in _STARTS]
    starts = product(levels, repeat=n_ratios) if n_ratios < 4 else ([level] * n_ratios for level in levels)
    start = min(map(np.array, starts), key=at)
    # BFGS, not L-BFGS-B: the latter calls threaded BLAS for tiny matrices and waits for it.
    best = minimize(at, start, method="BFGS", jac=slope, options={"gtol": 1e-6}).x
    ratios = np.sinh(np.clip(best, -_FARTHEST, _FARTHEST)) ** 2
    ratios[ratios < _NOTHING] = 0.0
    return ratios, criterion(ratios)[1]


def nested_criterion(ratings: Ratings, value: FloatArray, *, with_raters: bool) -> Criterion:
    """Criterion of responses (within clusters where there are some) and raters; ratios in this order.

    Within a response with m ratings, ``(I + s J)^-1 = I - s / (1 + s m) J``: what a response adds depends on
    its ratio s and on m alone, so sums over responses with the same m (and cluster) are made once.
    """
    per_response = ratings.per_response.astype(float)
    sums = np.bincount(ratings.response, value)
    margins = csr_array(np.column_stack([per_response, sums]))
    rows = hstack([ratings.incidence, margins], format="csr") if with_raters else margins
    border = _border(ratings, value, with_raters=with_raters)
    numbers, which, counts = np.unique(per_response, return_inverse=True, return_counts=True)
    squares = np.array(
        [(rows[which == m].T @ rows[which == m]).toarray().ravel() for m in range(len(numbers))]
    )
    by_cluster = _by_cluster(ratings, rows, which, len(numbers))

    def criterion(ratios: FloatArray) -> tuple[float, float]:
        shrink = 1.0 / (1.0 + ratios[0] * numbers)
        left = border - ((ratios[0] * shrink) @ squares).reshape(border.shape)
        log_determinant = -float(counts @ np.log(shrink))
        if by_cluster is not None:
            groups = np.tensordot(shrink, by_cluster, axes=1)
            diagonal = 1.0 + ratios[1] * groups[:, -2]
            left -= (groups * (ratios[1] / diagonal)[:, np.newaxis]).T @ groups
            log_determinant += float(np.log(diagonal).sum())
        scale = np.full(len(border) - 2, math.sqrt(ratios[-1]) if with_raters else 0.0)
        return _finish(left, scale, log_determinant, len(value))

    return criterion


def crossed_criterion(ratings: Ratings, value: FloatArray) -> Criterion:
    """Criterion of response, rater, facet and their two-way interactions; ratios in this order.

    What belongs to one response (its own effect and those of its crossing with raters and levels of the
    facet) is a block of ``1 + raters + levels`` effects.
    """
    facet = ratings.facet
    if facet is None:
        raise ValueError("There is no facet.")
    k, levels = ratings.n_raters, int(facet.max()) + 1
    own = np.stack([np.zeros_like(facet), 1 + ratings.rater, 1 + k + facet], axis=1)
    cells = k + levels + ratings.rater * levels + facet
    n_shared = k + levels + k * levels
    shared = np.stack([ratings.rater, k + facet, cells, np.full_like(facet, n_shared)], axis=1)
    weights = np.ones((len(value), 5))
    weights[:, 4] = value
    shared = np.column_stack([shared, np.full_like(facet, n_shared + 1)])
    n, width = ratings.n_responses, 1 + k + levels
    blocks, edges = np.zeros((n, width, width)), np.zeros((n, width, n_shared + 2))
    border = np.zeros((n_shared + 2, n_shared + 2))
    rows = ratings.response
    np.add.at(blocks, (rows[:, None, None], own[:, :, None], own[:, None, :]), 1.0)
    np.add.at(edges, (rows[:, None, None], own[:, :, None], shared[:, None, :]), weights[:, None, :])
    np.add.at(border, (shared[:, :, None], shared[:, None, :]), weights[:, :, None] * weights[:, None, :])

    def criterion(ratios: FloatArray) -> tuple[float, float]:
        response, rater, level, by_rater, by_level, both = np.sqrt(ratios)
        inner = np.concatenate([[response], np.full(k, by_rater), np.full(levels, by_level)])
        outer = np.concatenate([np.full(k, rater), np.full(levels, level), np.full(k * levels, both)])
        scaled = blocks * inner[:, np.newaxis] * inner + np.eye(width)
        factor = np.linalg.cholesky(scaled)
        solved = (np.linalg.inv(factor) @ (edges * inner[:, np.newaxis])).reshape(n * width, -1)
        log_determinant = 2.0 * float(np.log(np.diagonal(factor, axis1=1, axis2=2)).sum())
        # In parts: one product of tall matrices goes to threads that cost more than they bring.
        left = border - sum(
            solved[row : row + 200].T @ solved[row : row + 200] for row in range(0, len(solved), 200)
        )
        return _finish(left, outer, log_determinant, len(value))

    return criterion


def _border(ratings: Ratings, value: FloatArray, *, with_raters: bool) -> FloatArray:
    """Sum squares and products of raters' indicators, the intercept and the values."""
    k = ratings.n_raters if with_raters else 0
    border = np.zeros((k + 2, k + 2))
    if with_raters:
        counts = ratings.per_rater
        np.fill_diagonal(border[:k, :k], counts)
        border[:k, k] = border[k, :k] = counts
        border[:k, k + 1] = border[k + 1, :k] = np.bincount(ratings.rater, value)
    border[k, k], border[k + 1, k + 1] = len(value), value @ value
    border[k, k + 1] = border[k + 1, k] = value.sum()
    return border


def _by_cluster(ratings: Ratings, rows: csr_array, which: IntArray, n_numbers: int) -> FloatArray | None:
    """Sum rows of responses by their number of ratings and cluster: (numbers, clusters, columns)."""
    if ratings.cluster is None:
        return None
    cluster = np.zeros(ratings.n_responses, dtype=np.intp)
    cluster[ratings.response] = ratings.cluster
    n_clusters = int(cluster.max()) + 1
    places = (np.ones(len(cluster)), (which * n_clusters + cluster, np.arange(len(cluster))))
    sums = csr_array(places, shape=(n_numbers * n_clusters, len(cluster))) @ rows
    shaped: FloatArray = sums.toarray().reshape(n_numbers, n_clusters, -1)
    return shaped


def _finish(left: FloatArray, scale: FloatArray, log_determinant: float, n: int) -> tuple[float, float]:
    """Factor what is left: raters (scaled by the roots of their ratios), the intercept, the values."""
    q = len(scale)
    factors = np.concatenate([scale, [1.0, 1.0]])
    matrix = left * factors[:, np.newaxis] * factors
    matrix[np.arange(q), np.arange(q)] += 1.0
    try:
        diagonal = np.diagonal(np.linalg.cholesky(matrix))
    except np.linalg.LinAlgError:  # the residual is 0 but for rounding
        return math.inf, math.nan
    residual = float(diagonal[-1]) ** 2
    log_determinant += 2.0 * float(np.log(diagonal[:-1]).sum())
    return log_determinant + (n - 1) * math.log(residual), residual / (n - 1)
