"""Bootstrap intervals of any statistic, with resamples drawn for all observations at once.

A resample is a row of counts: how often each observation is in it. Counts, not indices, because resamples of
clusters differ in length, and because sums over all resamples are then one matrix product: 2,000 resamples of
a quadratic weighted kappa of 80 pairs take milliseconds.

Sources
-------
Efron and Tibshirani (1993), An Introduction to the Bootstrap: percentile interval, ch. 13; BCa interval, ch.
14.3. Davison and Hinkley (1997), Bootstrap Methods and their Application, ch. 3.8: whole clusters are drawn.
Owen (2007), The pigeonhole bootstrap, Annals of Applied Statistics 1(2), 386-411: two crossed factors are
drawn independently, and an observation's count is the product of the counts of its two levels.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import ArrayLike, NDArray

Method = Literal["percentile", "bca"]

FEW_CLUSTERS = 30
"""Below this number of clusters an interval is reported with a warning."""
UNDEFINED_SHARE = 0.05
"""Above this share of undefined resamples an interval is reported with a warning."""
_CELLS_AT_ONCE = 4_000_000  # counts held in memory at a time: 32 MB


class Statistic(Protocol):
    """What can be resampled: one value for each row of counts.

    Ready-made are `mean`, `bias`, `pearson` and `quadratic_weighted_kappa`; `stacked` and `each` turn other
    functions into one.
    """

    def __call__(self, counts: NDArray[np.float64], /, *arrays: NDArray[np.float64]) -> NDArray[np.float64]:
        """Compute the statistic on each resample.

        Parameters
        ----------
        counts : array of float, shape (r, n)
            How often each of the `n` observations is in each of the `r` resamples.
        *arrays : array of float, shape (n,) or (n, k)
            The observations.

        Returns
        -------
        array of float, shape (r,)
            nan where it is undefined.
        """


@dataclass(frozen=True)
class Estimate:
    """A value with its bootstrap interval.

    Attributes
    ----------
    value : float
        The statistic on the data as they are; nan where undefined.
    low, high : float
        Ends of the interval; nan where the value is undefined or too little is left to resample.
    standard_error : float
        Standard deviation of the defined resamples.
    n : int
        Observations used.
    n_missing : int
        Observations left out because one of the arrays has no value there.
    n_clusters, n_second_clusters : int or None
        Number of different labels in `groups` and `second_groups`; None where no labels were given.
    n_resamples, n_undefined : int
        Resamples drawn, and those in which the statistic is undefined and which the interval leaves out.
    confidence : float
        Confidence level.
    method : {"percentile", "bca"}
        What the interval is; "percentile" if BCa was asked for and is undefined.
    warnings : tuple of str
        What a reader has to know before trusting the interval.
    """

    value: float
    low: float
    high: float
    standard_error: float
    n: int
    n_missing: int
    n_clusters: int | None
    n_second_clusters: int | None
    n_resamples: int
    n_undefined: int
    confidence: float
    method: Method
    warnings: tuple[str, ...]


# ------------------------------------------------------------------------------------------------- statistics


def mean(counts: NDArray[np.float64], /, *arrays: NDArray[np.float64]) -> NDArray[np.float64]:
    """Arithmetic mean of one array.

    Parameters
    ----------
    counts : array of float, shape (r, n)
        How often each observation is in each resample.
    *arrays : one array of float, shape (n,)
        The observations.

    Returns
    -------
    array of float, shape (r,)
        ``sum(c * x) / sum(c)``; nan for an empty resample.
    """
    (x,) = _exactly(1, arrays, "mean")
    with np.errstate(invalid="ignore", divide="ignore"):
        result: NDArray[np.float64] = (counts @ x) / counts.sum(axis=1)
    return result


def bias(counts: NDArray[np.float64], /, *arrays: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean signed difference of two arrays, first minus second.

    Parameters
    ----------
    counts : array of float, shape (r, n)
        How often each observation is in each resample.
    *arrays : two arrays of float, shape (n,)
        The pairs.

    Returns
    -------
    array of float, shape (r,)
        ``sum(c * (x - y)) / sum(c)``; nan for an empty resample.
    """
    x, y = _exactly(2, arrays, "bias")
    return mean(counts, x - y)


def pearson(counts: NDArray[np.float64], /, *arrays: NDArray[np.float64]) -> NDArray[np.float64]:
    """Pearson correlation of two arrays.

    Parameters
    ----------
    counts : array of float, shape (r, n)
        How often each observation is in each resample.
    *arrays : two arrays of float, shape (n,)
        The pairs.

    Returns
    -------
    array of float, shape (r,)
        ``cov(x, y) / sqrt(var x * var y)``; nan where either array is constant in the resample.
    """
    x, y = _exactly(2, arrays, "pearson")
    moments = _moments(counts, x, y)
    with np.errstate(invalid="ignore", divide="ignore"):
        values = moments.covariance / np.sqrt(moments.first_variance * moments.second_variance)
    return np.where(moments.first_constant | moments.second_constant, np.nan, np.clip(values, -1.0, 1.0))


def quadratic_weighted_kappa(
    counts: NDArray[np.float64], /, *arrays: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Quadratic weighted kappa of two arrays, computed on values.

    Parameters
    ----------
    counts : array of float, shape (r, n)
        How often each observation is in each resample.
    *arrays : two arrays of float, shape (n,)
        The pairs.

    Returns
    -------
    array of float, shape (r,)
        ``2 cov(x, y) / (var x + var y + (mean x - mean y)**2)`` with population moments; 0 where one array is
        constant in the resample, nan where both are.
    """
    x, y = _exactly(2, arrays, "quadratic_weighted_kappa")
    moments = _moments(counts, x, y)
    spread = moments.first_variance + moments.second_variance + moments.mean_difference**2
    with np.errstate(invalid="ignore", divide="ignore"):
        values = 2.0 * moments.covariance / spread
    values = np.where(moments.first_constant | moments.second_constant, 0.0, values)
    return np.where(moments.first_constant & moments.second_constant, np.nan, values)


def stacked(function: Callable[..., ArrayLike]) -> Statistic:
    """Turn a vectorised function of stacked resamples into a statistic.

    Parameters
    ----------
    function : callable
        Takes every array as a stack of resamples, shape (r, n) or (r, n, k), and returns `r` values.
        Resamples of different lengths (clusters) come in separate stacks.

    Returns
    -------
    Statistic
        For `bootstrap`.
    """

    def statistic(counts: NDArray[np.float64], /, *arrays: NDArray[np.float64]) -> NDArray[np.float64]:
        values = np.full(len(counts), np.nan)
        lengths = counts.sum(axis=1).astype(np.intp)
        for length in np.unique(lengths[lengths > 0]):
            rows = np.flatnonzero(lengths == length)
            index = np.repeat(
                np.tile(np.arange(counts.shape[1]), len(rows)), counts[rows].astype(np.intp).ravel()
            ).reshape(len(rows), int(length))
            values[rows] = np.asarray(function(*(array[index] for array in arrays)), dtype=float)
        return values

    return statistic


def each(function: Callable[..., float]) -> Statistic:
    """Turn a function of one data set into a statistic, called once for each resample: slow, but any will do.

    Parameters
    ----------
    function : callable
        Takes the arrays, shape (n,) or (n, k), and returns one value, nan where undefined.

    Returns
    -------
    Statistic
        For `bootstrap`.
    """

    def statistic(counts: NDArray[np.float64], /, *arrays: NDArray[np.float64]) -> NDArray[np.float64]:
        values = np.full(len(counts), np.nan)
        for row, times in enumerate(counts.astype(np.intp)):
            index = np.repeat(np.arange(len(times)), times)
            if len(index):
                values[row] = function(*(array[index] for array in arrays))
        return values

    return statistic


@dataclass(frozen=True)
class _Moments:
    mean_difference: NDArray[np.float64]
    first_variance: NDArray[np.float64]
    second_variance: NDArray[np.float64]
    covariance: NDArray[np.float64]
    first_constant: NDArray[np.bool_]
    second_constant: NDArray[np.bool_]


def _moments(counts: NDArray[np.float64], x: NDArray[np.float64], y: NDArray[np.float64]) -> _Moments:
    # Shifted by the means, so that little is lost where moments are subtracted.
    shift_x, shift_y = x.mean(), y.mean()
    x, y = x - shift_x, y - shift_y
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = counts @ np.column_stack([x, y, x * x, y * y, x * y]) / counts.sum(axis=1, keepdims=True)
    mean_x, mean_y, square_x, square_y, product = shares.T
    first_variance = np.maximum(square_x - mean_x**2, 0.0)
    second_variance = np.maximum(square_y - mean_y**2, 0.0)
    return _Moments(
        mean_difference=mean_x - mean_y + (shift_x - shift_y),
        first_variance=first_variance,
        second_variance=second_variance,
        covariance=product - mean_x * mean_y,
        first_constant=_constant(counts, x, first_variance, square_x),
        second_constant=_constant(counts, y, second_variance, square_y),
    )


def _constant(
    counts: NDArray[np.float64],
    x: NDArray[np.float64],
    variance: NDArray[np.float64],
    square: NDArray[np.float64],
) -> NDArray[np.bool_]:
    # Exact, where the variance of equal values would only be nearly zero; looked at only where it is.
    # An empty resample counts as constant.
    result = np.isnan(variance)
    for row in np.flatnonzero(variance <= 1e-9 * square):
        result[row] = np.ptp(x[counts[row] > 0]) == 0.0
    return result


def _exactly(
    number: int, arrays: tuple[NDArray[np.float64], ...], name: str
) -> tuple[NDArray[np.float64], ...]:
    if len(arrays) != number or any(array.ndim != 1 for array in arrays):
        shapes = ", ".join(str(array.shape) for array in arrays)
        raise ValueError(f"{name} takes {number} one-dimensional array(s), but got shapes {shapes}.")
    return arrays


# -------------------------------------------------------------------------------------------------- bootstrap


def bootstrap(
    statistic: Statistic,
    arrays: Sequence[ArrayLike],
    *,
    n_resamples: int = 2000,
    confidence: float = 0.95,
    method: Method = "percentile",
    groups: Sequence[Any] | NDArray[Any] | None = None,
    second_groups: Sequence[Any] | NDArray[Any] | None = None,
    seed: int | np.random.Generator = 0,
) -> Estimate:
    """Bootstrap a statistic of paired observations.

    Parameters
    ----------
    statistic : Statistic
        What to compute on each resample.
    arrays : sequence of array_like, shape (n,) or (n, k)
        Observations on axis 0, all of the same length. An observation that has no value (nan) in one of the
        arrays is left out; of a two-dimensional array, one without any value.
    n_resamples : int
        Number of resamples.
    confidence : float
        Confidence level, between 0 and 1.
    method : {"percentile", "bca"}
        The percentile interval takes the quantiles of the resamples; BCa (bias-corrected and accelerated)
        shifts them by ``Phi(z0 + (z0 + z) / (1 - a (z0 + z)))``, where `z0` comes from the share of resamples
        below the value (ties count half) and `a` from the jackknife over observations or clusters.
    groups : sequence of labels, shape (n,), optional
        Clusters; whole clusters are drawn.
    second_groups : sequence of labels, shape (n,), optional
        A second factor that crosses the first, for instance raters beside responses. Both are drawn and the
        counts multiplied (pigeonhole bootstrap); it errs on the side of wide intervals.
    seed : int or numpy Generator
        Same seed, same resamples.

    Returns
    -------
    Estimate
        Value, interval, standard error, counts and warnings.

    Raises
    ------
    ValueError
        Where lengths differ, labels are missing or a setting makes no sense.
    """
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence must lie between 0 and 1, but is {confidence}.")
    if n_resamples < 2:
        raise ValueError(f"n_resamples must be at least 2, but is {n_resamples}.")
    if method not in ("percentile", "bca"):
        raise ValueError(f'method must be "percentile" or "bca", but is "{method}".')
    if second_groups is not None and groups is None:
        raise ValueError("second_groups was given without groups.")
    data = columns(*arrays)
    keep = complete(data)
    n_missing = int((~keep).sum())
    first = _labels(groups, "groups", keep)
    second = _labels(second_groups, "second_groups", keep)
    data = tuple(array[keep] for array in data)
    n = int(keep.sum())
    n_first = None if first is None else _number(first)
    n_second = None if second is None else _number(second)
    warnings: list[str] = []
    for number, which in ((n_first, "clusters"), (n_second, "clusters of the second factor")):
        if number is not None and number < FEW_CLUSTERS:
            warnings.append(
                f"Only {number} {which}: intervals from fewer than {FEW_CLUSTERS} clusters are too narrow."
            )

    def result(
        value: float, low: float, high: float, error: float, n_undefined: int, used: Method
    ) -> Estimate:
        return Estimate(
            value=value,
            low=low,
            high=high,
            standard_error=error,
            n=n,
            n_missing=n_missing,
            n_clusters=n_first,
            n_second_clusters=n_second,
            n_resamples=n_resamples,
            n_undefined=n_undefined,
            confidence=confidence,
            method=used,
            warnings=tuple(warnings),
        )

    if n == 0:
        warnings.append("No observation has all its values.")
        return result(math.nan, math.nan, math.nan, math.nan, 0, method)
    value = float(statistic(np.ones((1, n)), *data)[0])
    if math.isnan(value):
        warnings.append(f"The statistic is undefined on these {n} observations, so there is no interval.")
        return result(math.nan, math.nan, math.nan, math.nan, 0, method)
    units = np.arange(n) if first is None else first
    if _number(units) < 2 or (n_second is not None and n_second < 2):
        what = "observation" if first is None else "cluster"
        warnings.append(f"With a single {what} there is nothing to resample.")
        return result(value, math.nan, math.nan, math.nan, 0, method)

    generator = np.random.default_rng(seed)
    draws = np.concatenate(
        [statistic(counts, *data) for counts in _draws(n_resamples, units, second, generator)]
    )
    defined = draws[~np.isnan(draws)]
    n_undefined = len(draws) - len(defined)
    if n_undefined > UNDEFINED_SHARE * len(draws):
        warnings.append(
            f"The statistic is undefined in {n_undefined} of {len(draws)} resamples, which are left out."
        )
    if len(defined) < 2:
        return result(value, math.nan, math.nan, math.nan, n_undefined, method)
    tail = (1.0 - confidence) / 2.0
    quantiles = (tail, 1.0 - tail)
    used: Method = "percentile"
    if method == "bca":
        if second is not None:
            warnings.append("BCa is not defined for two crossed factors: this is the percentile interval.")
        else:
            leave_one_out = np.concatenate([statistic(counts, *data) for counts in _jackknife(units)])
            shifted = _bca_quantiles(value, defined, leave_one_out, tail)
            if shifted is None:
                warnings.append(
                    "BCa is undefined on these (nearly constant) data: this is the percentile interval."
                )
            else:
                quantiles, used = shifted, "bca"
    low, high = np.quantile(defined, quantiles)
    return result(value, float(low), float(high), float(defined.std(ddof=1)), n_undefined, used)


def columns(*arrays: ArrayLike) -> tuple[NDArray[np.float64], ...]:
    """Read arrays of observations and check that they belong together.

    Parameters
    ----------
    *arrays : array_like, shape (n,) or (n, k)
        Numbers, nan for missing ones.

    Returns
    -------
    tuple of array of float
        The arrays.

    Raises
    ------
    ValueError
        Where there is none, one has no or more than two dimensions, a value is infinite, or lengths differ.
    """
    if not arrays:
        raise ValueError("At least one array of observations is needed.")
    data = tuple(np.asarray(array, dtype=float) for array in arrays)
    for number, array in enumerate(data, start=1):
        if array.ndim not in (1, 2):
            raise ValueError(f"Array {number} must have one or two dimensions, but has shape {array.shape}.")
        if np.isinf(array).any():
            raise ValueError(f"Array {number} has an infinite value.")
    if len({len(array) for array in data}) > 1:
        lengths = ", ".join(str(len(array)) for array in data)
        raise ValueError(f"All arrays must have the same number of observations, but have {lengths}.")
    return data


def complete(data: Sequence[NDArray[np.float64]]) -> NDArray[np.bool_]:
    """Say which observations have a value in every array.

    Parameters
    ----------
    data : sequence of array of float, shape (n,) or (n, k)
        As `columns` returns them.

    Returns
    -------
    array of bool, shape (n,)
        False where an array has nan, or, if two-dimensional, nothing but nan.
    """
    keep = np.ones(len(data[0]), dtype=bool)
    for array in data:
        missing = np.isnan(array)
        keep &= ~(missing if array.ndim == 1 else missing.all(axis=1))
    return keep


def cluster_codes(labels: Sequence[Any] | NDArray[Any], n: int, name: str = "groups") -> NDArray[np.intp]:
    """Give clusters numbers in the order in which they first appear.

    Parameters
    ----------
    labels : sequence of hashable labels, shape (n,)
        One label an observation.
    n : int
        How many observations there are.
    name : str
        What messages call the labels.

    Returns
    -------
    array of int, shape (n,)
        From 0.

    Raises
    ------
    ValueError
        Where the number of labels differs or one is missing (None or nan).
    """
    listed = list(labels)
    if len(listed) != n:
        raise ValueError(f"{name} must have one label an observation: {len(listed)} labels for {n}.")
    if any(label is None or label != label for label in listed):
        raise ValueError(f"{name} has a missing label.")
    numbers: dict[Any, int] = {}
    return np.array([numbers.setdefault(label, len(numbers)) for label in listed], dtype=np.intp)


def _labels(
    labels: Sequence[Any] | NDArray[Any] | None, name: str, keep: NDArray[np.bool_]
) -> NDArray[np.intp] | None:
    if labels is None:
        return None
    codes = cluster_codes(labels, len(keep), name)[keep]
    return cluster_codes(codes, len(codes), name)


def _number(codes: NDArray[np.intp]) -> int:
    return int(codes.max()) + 1 if len(codes) else 0


def _counts(n_resamples: int, units: int, generator: np.random.Generator) -> NDArray[np.float64]:
    drawn = generator.integers(0, units, size=(n_resamples, units))
    drawn += np.arange(n_resamples)[:, np.newaxis] * units
    return np.bincount(drawn.ravel(), minlength=n_resamples * units).reshape(n_resamples, units).astype(float)


def _draws(
    n_resamples: int, units: NDArray[np.intp], second: NDArray[np.intp] | None, generator: np.random.Generator
) -> Iterator[NDArray[np.float64]]:
    at_once = max(1, _CELLS_AT_ONCE // len(units))
    plain = _number(units) == len(units)
    for start in range(0, n_resamples, at_once):
        size = min(at_once, n_resamples - start)
        counts = _counts(size, _number(units), generator)
        if not plain:
            counts = counts[:, units]
        if second is not None:
            counts = counts * _counts(size, _number(second), generator)[:, second]
        yield counts


def _jackknife(units: NDArray[np.intp]) -> Iterator[NDArray[np.float64]]:
    number = _number(units)
    at_once = max(1, _CELLS_AT_ONCE // len(units))
    for start in range(0, number, at_once):
        left_out = np.arange(start, min(start + at_once, number))
        yield (units[np.newaxis, :] != left_out[:, np.newaxis]).astype(float)


def _bca_quantiles(
    value: float, draws: NDArray[np.float64], leave_one_out: NDArray[np.float64], tail: float
) -> tuple[float, float] | None:
    from scipy.special import ndtr, ndtri

    below = float(((draws < value).sum() + (draws <= value).sum()) / (2 * len(draws)))
    influence = leave_one_out.mean() - leave_one_out
    spread = float((influence**2).sum())
    if not 0.0 < below < 1.0 or not spread > 0.0:  # nan, too
        return None
    z0 = float(ndtri(below))
    acceleration = float((influence**3).sum()) / (6.0 * spread**1.5)
    shifted = []
    for z in (float(ndtri(tail)), float(ndtri(1.0 - tail))):
        stretch = 1.0 - acceleration * (z0 + z)
        if stretch <= 0.0:
            return None
        shifted.append(float(ndtr(z0 + (z0 + z) / stretch)))
    return shifted[0], shifted[1]
