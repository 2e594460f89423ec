"""What a judge's scores mean on the human scale, and a correction that is never fitted on what it corrects.

Sources
-------
Barlow, Bartholomew, Bremner and Brunk (1972), Statistical Inference under Order Restrictions: isotonic
regression by pooling adjacent violators. Stone (1974), Cross-validatory choice and assessment of statistical
predictions.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from creaeval.stats.draws import cluster_codes, columns, complete

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True)
class CalibrationPoint:
    """What humans gave where the judge gave one level.

    Attributes
    ----------
    level : float
        The judge's score.
    n : int
        Pairs with it.
    mean_human : float
        Mean human score there; nan for none.
    bias : float
        ``level - mean_human``: above 0 the judge is lenient; nan for none.
    """

    level: float
    n: int
    mean_human: float
    bias: float


@dataclass(frozen=True)
class CalibrationCurve:
    """Human means by level of the judge's score.

    Attributes
    ----------
    points : tuple of CalibrationPoint
        One a level, in the given order.
    n, n_missing : int
        Pairs with both scores, and the others.
    bias : float
        Mean of judge minus human over all pairs, those off the levels included; nan for none.
    """

    points: tuple[CalibrationPoint, ...]
    n: int
    n_missing: int
    bias: float


@dataclass(frozen=True)
class MonotoneCorrection:
    """Scores of a judge, corrected by curves that were fitted without them.

    Attributes
    ----------
    corrected : array of float, shape (n,)
        nan where the judge's score is missing or nothing was left to fit on.
    folds : array of int, shape (n,)
        Fold of each observation; those of a cluster share one.
    n_folds, n_clusters : int
        Folds made, no more than there are clusters.
    n_undefined : int
        Observations with a judge's score that could not be corrected.
    """

    corrected: NDArray[np.float64]
    folds: NDArray[np.intp]
    n_folds: int
    n_clusters: int
    n_undefined: int


def calibration_curve(judge: ArrayLike, human: ArrayLike, levels: ArrayLike) -> CalibrationCurve:
    """Compute the mean human score at each level of the judge's.

    Parameters
    ----------
    judge, human : array_like, shape (n,)
        The pairs; one of which a score is missing (nan) is left out and counted.
    levels : array_like, shape (k,)
        Levels of the judge's score, each once; those that never occur are reported with n = 0.

    Returns
    -------
    CalibrationCurve
        By level: n, mean and signed bias.

    Raises
    ------
    ValueError
        Where shapes differ, or a level is repeated or nan.
    """
    x, y = _pairs(judge, human)
    wanted = np.asarray(levels, dtype=float)
    if wanted.ndim != 1 or np.isnan(wanted).any() or len(np.unique(wanted)) != len(wanted):
        raise ValueError(f"Levels must be one-dimensional and each given once, but are {wanted.tolist()}.")
    keep = complete((x, y))
    x, y = x[keep], y[keep]
    points = []
    for level in wanted.tolist():
        there = y[x == level]
        mean = float(there.mean()) if len(there) else math.nan
        points.append(CalibrationPoint(level, len(there), mean, level - mean))
    return CalibrationCurve(
        points=tuple(points),
        n=len(x),
        n_missing=int((~keep).sum()),
        bias=float((x - y).mean()) if len(x) else math.nan,
    )


def monotone_correction(
    judge: ArrayLike,
    human: ArrayLike,
    groups: Sequence[Any] | NDArray[Any] | None = None,
    *,
    n_folds: int = 5,
    seed: int | np.random.Generator = 0,
) -> MonotoneCorrection:
    """Map a judge's scores to the human scale by a rising curve, fitted on other clusters.

    Parameters
    ----------
    judge, human : array_like, shape (n,)
        The pairs. One without a human score is corrected but not fitted on.
    groups : sequence of labels, shape (n,), optional
        Clusters, never divided between fitting and correcting; without labels each observation is one.
    n_folds : int
        Folds into which clusters are dealt at random.
    seed : int or numpy Generator
        Same seed, same folds.

    Returns
    -------
    MonotoneCorrection
        Each fold is corrected by the isotonic least-squares regression of human on judge over all other
        folds, interpolated between the judge's scores seen there and held constant beyond them.

    Raises
    ------
    ValueError
        Where shapes differ, labels are missing or there are fewer than two folds.
    """
    if n_folds < 2:
        raise ValueError(f"n_folds must be at least 2, but is {n_folds}.")
    x, y = _pairs(judge, human)
    codes = np.arange(len(x)) if groups is None else cluster_codes(groups, len(x))
    n_clusters = int(codes.max()) + 1 if len(codes) else 0
    n_made = min(n_folds, n_clusters)
    fold_of = np.empty(n_clusters, dtype=np.intp)
    fold_of[np.random.default_rng(seed).permutation(n_clusters)] = np.arange(n_clusters) % max(n_made, 1)
    folds: NDArray[np.intp] = fold_of[codes]
    corrected = np.full(len(x), np.nan)
    known = ~np.isnan(x)
    both = known & ~np.isnan(y)
    for fold in range(n_made):
        fitted, rows = both & (folds != fold), known & (folds == fold)
        if fitted.any() and rows.any():
            corrected[rows] = np.interp(x[rows], *_isotonic(x[fitted], y[fitted]))
    return MonotoneCorrection(corrected, folds, n_made, n_clusters, int((known & np.isnan(corrected)).sum()))


def _isotonic(
    x: NDArray[np.float64], y: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    from scipy.optimize import isotonic_regression

    levels, index, counts = np.unique(x, return_inverse=True, return_counts=True)
    means = np.bincount(index, weights=y) / counts
    fitted: NDArray[np.float64] = isotonic_regression(means, weights=counts.astype(float)).x
    return levels, fitted


def _pairs(judge: ArrayLike, human: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    x, y = columns(judge, human)
    if x.ndim != 1 or y.ndim != 1:
        raise ValueError(f"Judge and human must be one-dimensional, but have shapes {x.shape} and {y.shape}.")
    return x, y
