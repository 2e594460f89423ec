"""Is one method better than another on the same responses: a paired t-test, corrections, power.

Sources
-------
Holm (1979), A simple sequentially rejective multiple test procedure.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from creaeval.stats.draws import columns, complete

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True)
class PairedTTest:
    """A two-sided paired t-test.

    Attributes
    ----------
    paired_by : str
        What makes a pair.
    n, n_missing : int
        Pairs used, and pairs of which a value is missing.
    mean_difference : float
        First minus second.
    standard_deviation : float
        Of the differences, with n - 1.
    t, p_value : float
        ``t = mean / (sd / sqrt(n))``; nan where all differences are the same.
    degrees_of_freedom : int
        n - 1.
    low, high : float
        Interval of the mean difference.
    confidence : float
        Its level.
    """

    paired_by: str
    n: int
    n_missing: int
    mean_difference: float
    standard_deviation: float
    t: float
    degrees_of_freedom: int
    p_value: float
    low: float
    high: float
    confidence: float


def paired_t_test(
    first: ArrayLike, second: ArrayLike, *, paired_by: str = "response", confidence: float = 0.95
) -> PairedTTest:
    """Test whether the mean difference of two paired arrays is zero.

    Parameters
    ----------
    first, second : array_like, shape (n,)
        The pairs; one of which a value is missing (nan) is left out.
    paired_by : str
        What makes a pair, for the report: "response", "dimension" and so on. Pairs must be independent of
        each other.
    confidence : float
        Level of the interval.

    Returns
    -------
    PairedTTest
        Two-sided; t, p and interval are nan for fewer than two pairs or differences that are all the same.

    Raises
    ------
    ValueError
        Where shapes differ.
    """
    from scipy.special import stdtr, stdtrit

    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence must lie between 0 and 1, but is {confidence}.")
    a, b = columns(first, second)
    if a.ndim != 1 or b.ndim != 1:
        raise ValueError(f"A paired t-test takes one-dimensional arrays, but got {a.shape} and {b.shape}.")
    keep = complete((a, b))
    differences = a[keep] - b[keep]
    n = len(differences)
    mean = float(differences.mean()) if n else math.nan
    deviation = float(differences.std(ddof=1)) if n > 1 else math.nan
    t = p_value = low = high = math.nan
    if n > 1 and np.ptp(differences) > 1e-12 * max(1.0, float(np.abs(differences).max())):
        error = deviation / math.sqrt(n)
        t = mean / error
        p_value = 2.0 * float(stdtr(n - 1, -abs(t)))
        reach = float(stdtrit(n - 1, (1.0 + confidence) / 2.0)) * error
        low, high = mean - reach, mean + reach
    return PairedTTest(
        paired_by=paired_by,
        n=n,
        n_missing=len(keep) - n,
        mean_difference=mean,
        standard_deviation=deviation,
        t=t,
        degrees_of_freedom=max(n - 1, 0),
        p_value=p_value,
        low=low,
        high=high,
        confidence=confidence,
    )


def holm(p_values: ArrayLike) -> NDArray[np.float64]:
    """Adjust p-values for multiple tests by Holm's method.

    Parameters
    ----------
    p_values : array_like, shape (m,)
        In any order; nan (an undefined test) is not counted.

    Returns
    -------
    array of float, shape (m,)
        In the given order: the running maximum of ``(m - rank + 1) * p`` from the smallest p up, at most 1;
        nan stays.

    Raises
    ------
    ValueError
        Where a value lies outside 0 to 1 or there is more than one dimension.
    """
    raw = np.asarray(p_values, dtype=float)
    if raw.ndim != 1:
        raise ValueError(f"p-values must be one-dimensional, but have shape {raw.shape}.")
    known = np.flatnonzero(~np.isnan(raw))
    if ((raw[known] < 0.0) | (raw[known] > 1.0)).any():
        raise ValueError("A p-value lies outside 0 to 1.")
    order = known[np.argsort(raw[known], kind="stable")]
    adjusted = np.full(len(raw), np.nan)
    adjusted[order] = np.minimum(
        np.maximum.accumulate(raw[order] * np.arange(len(order), 0, -1, dtype=float)), 1.0
    )
    return adjusted


def smallest_detectable_difference(
    standard_error: float, *, alpha: float = 0.05, power: float = 0.8
) -> float:
    """Compute the true difference that a two-sided test would find with the given power.

    Parameters
    ----------
    standard_error : float
        Of the difference, for instance `Estimate.standard_error`.
    alpha : float
        Level of the test.
    power : float
        Wanted probability of finding it.

    Returns
    -------
    float
        ``(z[1 - alpha / 2] + z[power]) * standard_error``; the far tail is neglected.

    Raises
    ------
    ValueError
        Where a setting lies outside its range.
    """
    from scipy.special import ndtri

    if not 0.0 < alpha < 1.0 or not 0.0 < power < 1.0:
        raise ValueError(f"alpha and power must lie between 0 and 1, but are {alpha} and {power}.")
    if standard_error < 0.0:
        raise ValueError(f"A standard error cannot be negative, but is {standard_error}.")
    return float(ndtri(1.0 - alpha / 2.0) + ndtri(power)) * standard_error
