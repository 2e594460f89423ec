"""Correlations of two raters, the pairs they are computed on, and what these lack."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from creaeval.stats.measures import Levels, Needs

FloatArray: TypeAlias = "npt.NDArray[np.float64]"

_NAMES = ("the first", "the second")
# Values that differ by less than this share of the largest are equal but for rounding.
_ROUNDING = 1e-13
# A third of a step away from a level is no level; what summing leaves is.
_STEP_ROUNDING = 1e-6


def pearson(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """Pearson's product-moment correlation: how nearly y is a rising straight line in x.

    Parameters
    ----------
    x, y : array-like of float, shape (n,)
        Two raters' scores of the same targets, in points. Pairs with a missing value (nan) are left out.

    Returns
    -------
    float
        cov(x, y) / (sd x · sd y), from -1 to 1. It ignores level and spread: y = x + 3 gives 1. nan if there
        are fewer than 2 pairs or a rater is constant.

    Raises
    ------
    ValueError
        If x and y are not one-dimensional, of one length, finite and numbers.
    """
    x, y = pairs(x, y)
    return math.nan if lacking(x, y, "both vary") else _correlation(x, y)


def spearman(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """Spearman's rank correlation: Pearson's of the ranks, ties given their mean rank.

    Parameters
    ----------
    x, y : array-like of float, shape (n,)
        Two raters' scores of the same targets. Pairs with a missing value (nan) are left out before ranking.

    Returns
    -------
    float
        From -1 to 1. nan if there are fewer than 2 pairs or a rater is constant.

    Raises
    ------
    ValueError
        If x and y are not one-dimensional, of one length, finite and numbers.
    """
    x, y = pairs(x, y)
    return math.nan if lacking(x, y, "both vary") else _correlation(mean_ranks(x), mean_ranks(y))


def kendall_tau_b(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """Kendall's tau-b: how much more often two targets are put in the same order than in opposite orders.

    Parameters
    ----------
    x, y : array-like of float, shape (n,)
        Two raters' scores of the same targets. Pairs with a missing value (nan) are left out.

    Returns
    -------
    float
        (P - Q) / sqrt(X · Y), from -1 to 1, with P and Q the concordant and discordant pairs of targets, X
        those that x does not tie and Y those that y does not. nan if there are fewer than 2 pairs or a rater
        is constant.

    Raises
    ------
    ValueError
        If x and y are not one-dimensional, of one length, finite and numbers.

    References
    ----------
    Kendall, M. G. (1945). The treatment of ties in ranking problems. Biometrika, 33, 239-251.
    """
    x, y = pairs(x, y)
    if lacking(x, y, "both vary"):
        return math.nan
    # Row by row, so that memory stays small; scipy.stats alone would take seconds to import.
    surplus = untied_x = untied_y = 0.0
    for i in range(1, x.size):
        order_x, order_y = np.sign(x[i] - x[:i]), np.sign(y[i] - y[:i])
        surplus += float(order_x @ order_y)
        untied_x += float(order_x @ order_x)
        untied_y += float(order_y @ order_y)
    return surplus / math.sqrt(untied_x * untied_y)


def lacking(x: FloatArray, y: FloatArray, needs: Needs, names: tuple[str, str] = _NAMES) -> str:
    """Say what complete pairs lack for a measure to be defined, "" if nothing."""
    if x.size < (1 if needs == "a pair" else 2):
        return f"scored by both: {x.size}"
    if needs == "a pair":
        return ""
    constant = [name for name, scores in zip(names, (x, y), strict=True) if is_constant(scores)]
    if len(constant) == 2:
        return "both are constant"
    return f"{constant[0]} is constant" if constant and needs == "both vary" else ""


def off_levels(x: FloatArray, y: FloatArray, levels: Levels, names: tuple[str, str] = _NAMES) -> str:
    """Say whose scores are no levels of the scale, "" if all are."""
    for name, scores in zip(names, (x, y), strict=True):
        if (strange := scores[~on_levels(scores, levels)]).size:
            low, high, step = levels
            return (
                f"{name} gives {strange[0]:g}, which is no level of {low:g} to {high:g} in steps of {step:g}"
            )
    return ""


def on_levels(scores: FloatArray, levels: Levels) -> npt.NDArray[np.bool_]:
    """Tell which scores are levels of a scale."""
    steps = (scores - levels.low) / levels.step
    near = np.abs(steps - np.round(steps)) <= _STEP_ROUNDING
    result: npt.NDArray[np.bool_] = near & (np.round(steps) >= 0) & (np.round(steps) < levels.number)
    return result


def pairs(x: npt.ArrayLike, y: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Check two raters' scores and leave out the pairs with a missing value.

    Parameters
    ----------
    x, y : array-like of float, shape (n,)
        Scores of the same targets in the same order; nan where one is missing.

    Returns
    -------
    x, y : ndarray of float, shape (m,)
        The m complete pairs. Their number is the n to report.

    Raises
    ------
    ValueError
        If x and y are not one-dimensional, of one length, finite and numbers.
    """
    x, y = numbers(x, dimensions=1), numbers(y, dimensions=1)
    if x.shape != y.shape:
        raise ValueError(f"pairs need two arrays of one length; these have {x.size} and {y.size} values")
    both = ~(np.isnan(x) | np.isnan(y))
    return x[both], y[both]


def numbers(values: npt.ArrayLike, *, dimensions: int) -> FloatArray:
    """Check that values are numbers in an array of the right dimensions; None and nan are missing.

    Parameters
    ----------
    values : array-like
        The numbers.
    dimensions : int
        How many dimensions there must be.

    Returns
    -------
    ndarray of float
        The same numbers.

    Raises
    ------
    ValueError
        If there are texts, infinite values or other dimensions.
    """
    array = np.asarray(values)
    texts = array.dtype.kind == "O" and any(isinstance(value, str | bytes) for value in array.flat)
    if texts or array.dtype.kind not in "biufO":
        raise ValueError(f"scores are numbers, missing ones nan; found values of type {array.dtype}")
    try:
        array = array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"scores are numbers, missing ones nan: {error}") from error
    if array.ndim != dimensions:
        raise ValueError(
            f"an array of {dimensions} dimension{'s' * (dimensions > 1)} is needed; "
            f"this has the shape {array.shape}"
        )
    if np.isinf(array).any():
        raise ValueError("scores are finite; found an infinite one")
    return array


def is_constant(values: FloatArray) -> bool:
    """Tell whether values, none missing, are all equal but for rounding.

    Parameters
    ----------
    values : ndarray of float
        At least one value.

    Returns
    -------
    bool
        True if they spread over less than 1e-13 of the largest, as the same mean summed in another order may.
    """
    return bool(np.ptp(values) <= _ROUNDING * np.max(np.abs(values)))


def mean_ranks(values: FloatArray) -> FloatArray:
    """Rank from 1, equal values given the mean of the ranks they share.

    Parameters
    ----------
    values : ndarray of float, shape (n,)
        None missing.

    Returns
    -------
    ndarray of float, shape (n,)
        The rank of each.
    """
    _, where, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ranks: FloatArray = (last - (counts - 1) / 2)[where]
    return ranks


def _correlation(x: FloatArray, y: FloatArray) -> float:
    x, y = x - x.mean(), y - y.mean()
    # Lengths first, so that squares neither overflow nor vanish; the limits only undo rounding.
    x, y = x / np.max(np.abs(x)), y / np.max(np.abs(y))
    r = float(x @ y) / float(np.sqrt((x @ x) * (y @ y)))
    return max(-1.0, min(1.0, r))
