"""Is one method better than another on the same responses: differences, tests, corrections.

Everything here is paired: the two methods scored the same responses, so both are resampled or swapped
together.

Sources
-------
Efron and Tibshirani (1993), An Introduction to the Bootstrap, ch. 13 and 15.
Phipson and Smyth (2010), Permutation p-values should never be zero: ``(count + 1) / (n + 1)``.
Holm (1979), A simple sequentially rejective multiple test procedure.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from creaeval.stats.draws import CELLS_AT_ONCE, Method, cluster_codes, columns, complete
from creaeval.stats.resample import UNDEFINED_SHARE, Estimate, Statistic, bootstrap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True)
class PairedDifference:
    """How a statistic differs between two methods on the same observations.

    Attributes
    ----------
    first, second : float
        The statistic of each method on the observations that all have; nan where undefined.
    difference : Estimate
        First minus second, with its interval.
    """

    first: float
    second: float
    difference: Estimate


@dataclass(frozen=True)
class PermutationTest:
    """A two-sided permutation test of two methods on the same observations.

    Attributes
    ----------
    difference : float
        The statistic of the first method minus that of the second; nan where undefined.
    p_value : float
        ``(count + 1) / (n + 1)``, where `count` of the `n` defined permutations differ at least as much.
    n, n_missing : int
        Observations used and left out.
    n_clusters : int or None
        Clusters within which labels were swapped together; None where each observation was swapped by itself.
    n_permutations, n_undefined : int
        Permutations drawn, and those in which the difference is undefined and which are left out.
    warnings : tuple of str
        What a reader has to know.
    """

    difference: float
    p_value: float
    n: int
    n_missing: int
    n_clusters: int | None
    n_permutations: int
    n_undefined: int
    warnings: tuple[str, ...]


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


def paired_difference(
    statistic: Statistic,
    first: ArrayLike,
    second: ArrayLike,
    reference: ArrayLike | None = None,
    *,
    n_resamples: int = 2000,
    confidence: float = 0.95,
    method: Method = "percentile",
    groups: Sequence[Any] | NDArray[Any] | None = None,
    second_groups: Sequence[Any] | NDArray[Any] | None = None,
    seed: int | np.random.Generator = 0,
) -> PairedDifference:
    """Bootstrap the difference of a statistic between two methods, on the same resamples.

    Parameters
    ----------
    statistic : Statistic
        Of a method's scores and the reference, for instance `resample.quadratic_weighted_kappa`.
    first, second : array_like, shape (n,)
        Scores of the two methods.
    reference : array_like, shape (n,) or (n, raters), optional
        What both are held against. With several raters the statistic is computed with each and averaged, as
        in the paper; it is undefined if it is with one of them. Without a reference the statistic takes the
        scores alone.
    n_resamples, confidence, method, groups, second_groups, seed
        As for `resample.bootstrap`.

    Returns
    -------
    PairedDifference
        Both values and their difference. An observation counts only if both methods and all raters have a
        value.

    Raises
    ------
    ValueError
        As for `resample.bootstrap`.
    """
    arrays = _scores_and_raters(first, second, reference)

    def difference(counts: NDArray[np.float64], /, *data: NDArray[np.float64]) -> NDArray[np.float64]:
        return _against(statistic, counts, data[0], data[2:]) - _against(statistic, counts, data[1], data[2:])

    estimate = bootstrap(
        difference,
        arrays,
        n_resamples=n_resamples,
        confidence=confidence,
        method=method,
        groups=groups,
        second_groups=second_groups,
        seed=seed,
    )
    keep = complete(arrays)
    kept = [array[keep] for array in arrays]
    values = [math.nan, math.nan]
    if keep.any():
        every = np.ones((1, int(keep.sum())))
        values = [float(_against(statistic, every, scores, kept[2:])[0]) for scores in kept[:2]]
    return PairedDifference(values[0], values[1], estimate)


def permutation_test(
    statistic: Statistic,
    first: ArrayLike,
    second: ArrayLike,
    reference: ArrayLike | None = None,
    *,
    groups: Sequence[Any] | NDArray[Any] | None = None,
    n_permutations: int = 10_000,
    seed: int | np.random.Generator = 0,
) -> PermutationTest:
    """Test whether it matters which method a score came from.

    Under the null hypothesis the two scores of a response could as well be swapped. Each permutation swaps
    them for a random half of the responses, or of the clusters, whose responses are swapped together.

    Parameters
    ----------
    statistic : Statistic
        Of a method's scores and the reference.
    first, second : array_like, shape (n,)
        Scores of the two methods.
    reference : array_like, shape (n,) or (n, raters), optional
        As for `paired_difference`.
    groups : sequence of labels, shape (n,), optional
        Clusters, swapped as a whole.
    n_permutations : int
        Number of random permutations.
    seed : int or numpy Generator
        Same seed, same permutations.

    Returns
    -------
    PermutationTest
        Two-sided.

    Raises
    ------
    ValueError
        Where lengths differ or labels are missing.
    """
    if n_permutations < 1:
        raise ValueError(f"n_permutations must be at least 1, but is {n_permutations}.")
    arrays = _scores_and_raters(first, second, reference)
    keep = complete(arrays)
    n = int(keep.sum())
    codes = np.arange(n)
    if groups is not None:
        codes = cluster_codes(cluster_codes(groups, len(keep))[keep], n)
    units = int(codes.max()) + 1 if n else 0
    warnings: list[str] = []

    def result(difference: float, p_value: float, n_undefined: int) -> PermutationTest:
        return PermutationTest(
            difference=difference,
            p_value=p_value,
            n=n,
            n_missing=len(keep) - n,
            n_clusters=None if groups is None else units,
            n_permutations=n_permutations,
            n_undefined=n_undefined,
            warnings=tuple(warnings),
        )

    if n == 0:
        warnings.append("No observation has all its values.")
        return result(math.nan, math.nan, 0)
    # Both methods' scores stand one below the other; counts of 0 and 1 choose which belong to which method.
    data = [array[keep] for array in arrays]
    scores = np.concatenate(data[:2])
    raters = [np.concatenate([rater, rater]) for rater in data[2:]]

    def difference(swap: NDArray[np.bool_]) -> NDArray[np.float64]:
        as_first = np.concatenate([~swap, swap], axis=1).astype(float)
        return _against(statistic, as_first, scores, raters) - _against(
            statistic, 1.0 - as_first, scores, raters
        )

    observed = float(difference(np.zeros((1, n), dtype=bool))[0])
    if math.isnan(observed):
        warnings.append(f"The difference is undefined on these {n} observations.")
        return result(math.nan, math.nan, 0)
    if 2.0 ** (1 - units) > 0.05:
        what = "observations" if groups is None else "clusters"
        warnings.append(f"With {units} {what} no p-value can fall below {2.0 ** (1 - units):.3g}.")
    generator = np.random.default_rng(seed)
    at_once = max(1, CELLS_AT_ONCE // (2 * n))
    as_far, defined = 0, 0
    least = abs(observed) - 1e-12 * max(1.0, abs(observed))  # equal but for rounding
    for start in range(0, n_permutations, at_once):
        size = min(at_once, n_permutations - start)
        swap = generator.integers(0, 2, size=(size, units), dtype=np.int8).astype(bool)[:, codes]
        values = difference(swap)
        defined += int((~np.isnan(values)).sum())
        as_far += int((np.abs(values) >= least).sum())
    n_undefined = n_permutations - defined
    if n_undefined > UNDEFINED_SHARE * n_permutations:
        warnings.append(
            f"The difference is undefined in {n_undefined} of {n_permutations} permutations: left out."
        )
    return result(observed, (as_far + 1) / (defined + 1), n_undefined)


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


def _scores_and_raters(
    first: ArrayLike, second: ArrayLike, reference: ArrayLike | None
) -> tuple[NDArray[np.float64], ...]:
    given = (first, second) if reference is None else (first, second, reference)
    data = columns(*given)
    for array in data[:2]:
        if array.ndim != 1:
            raise ValueError(f"A method's scores must be one-dimensional, but have shape {array.shape}.")
    if reference is None:
        return data
    raters = data[2] if data[2].ndim == 2 else data[2][:, np.newaxis]
    if raters.shape[1] == 0:
        raise ValueError("The reference has no rater.")
    return (*data[:2], *raters.T)


def _against(
    statistic: Statistic,
    counts: NDArray[np.float64],
    scores: NDArray[np.float64],
    raters: Sequence[NDArray[np.float64]],
) -> NDArray[np.float64]:
    if not raters:
        return statistic(counts, scores)
    result: NDArray[np.float64] = np.mean([statistic(counts, scores, rater) for rater in raters], axis=0)
    return result
