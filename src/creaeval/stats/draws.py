"""What a resample is made of: counts of observations, drawn alike for whatever is computed on them.

A resample is a row of counts: how often each observation is in it. Counts, not indices, because resamples of
clusters differ in length, and because sums over all resamples are then one matrix product.

Sources
-------
Efron and Tibshirani (1993), An Introduction to the Bootstrap: percentile interval, ch. 13; BCa interval, ch.
14.3. Davison and Hinkley (1997), Bootstrap Methods and their Application, ch. 3.8: whole clusters are drawn.
Owen (2007), The pigeonhole bootstrap, Annals of Applied Statistics 1(2), 386-411: two crossed factors are
drawn independently, and an observation's count is the product of the counts of its two levels.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import ArrayLike, NDArray

Method = Literal["percentile", "bca"]

FEW_CLUSTERS = 30
"""Below this number of clusters an interval is reported with a warning."""
FEWEST = 5
"""Fewer observations or clusters than these allow no interval that means anything."""
UNDEFINED_SHARE = 0.05
"""Above this share of undefined resamples an interval is reported with a note."""
CELLS_AT_ONCE = 4_000_000
"""Numbers held in memory at a time: 32 MB."""
TOO_FEW = f"no interval: fewer than {FEWEST} responses or clusters"
ALL_EQUAL = "no interval: all resamples are equal"
# Resamples that differ by less do so by rounding.
_EQUAL = 1e-12


@dataclass(frozen=True)
class Draws:
    """Resamples of `n` observations; going over them twice gives the same ones.

    Attributes
    ----------
    n : int
        Observations.
    units : array of int, shape (n,)
        What is drawn: the number of each observation's cluster, or its own.
    second : array of int, shape (n,), or None
        Numbers of a second factor that crosses the first.
    n_resamples : int
        Resamples.
    seed : int or numpy Generator
        Same seed, same resamples. A generator can be gone over only once.
    clustered : bool
        Whether `units` are clusters.
    """

    n: int
    units: NDArray[np.intp]
    second: NDArray[np.intp] | None
    n_resamples: int
    seed: int | np.random.Generator
    clustered: bool

    @property
    def n_units(self) -> int:
        """Units that are drawn."""
        return _number(self.units)

    @property
    def n_second(self) -> int | None:
        """Levels of the second factor."""
        return None if self.second is None else _number(self.second)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader has to know of the number of clusters."""
        counts = (
            (self.n_units if self.clustered else None, "clusters"),
            (self.n_second, "clusters of the second factor"),
        )
        return tuple(
            f"Only {number} {which}: intervals from fewer than {FEW_CLUSTERS} clusters are too narrow."
            for number, which in counts
            if number is not None and number < FEW_CLUSTERS
        )

    @property
    def why_impossible(self) -> str:
        """Why nothing can be resampled, "" if it can."""
        if self.n_units >= 2 and (self.n_second is None or self.n_second >= 2):
            return ""
        what = "cluster" if self.clustered else "observation"
        return f"With a single {what} there is nothing to resample."

    def counts(self) -> Iterator[NDArray[np.float64]]:
        """Yield counts, shape (some, n), until there were `n_resamples` rows."""
        generator = np.random.default_rng(self.seed)
        at_once = max(1, CELLS_AT_ONCE // max(self.n, 1))
        plain = self.n_units == self.n
        for start in range(0, self.n_resamples, at_once):
            size = min(at_once, self.n_resamples - start)
            counts = _counts(size, self.n_units, generator)
            if not plain:
                counts = counts[:, self.units]
            if self.second is not None:
                counts = counts * _counts(size, _number(self.second), generator)[:, self.second]
            yield counts

    def leaving_one_out(self) -> Iterator[NDArray[np.float64]]:
        """Yield counts, shape (some, n), each row without one unit."""
        at_once = max(1, CELLS_AT_ONCE // max(self.n, 1))
        for start in range(0, self.n_units, at_once):
            left_out = np.arange(start, min(start + at_once, self.n_units))
            yield (self.units[np.newaxis, :] != left_out[:, np.newaxis]).astype(float)


def make_draws(
    n: int,
    *,
    n_resamples: int = 2000,
    groups: Sequence[Any] | NDArray[Any] | None = None,
    second_groups: Sequence[Any] | NDArray[Any] | None = None,
    seed: int | np.random.Generator = 0,
) -> Draws:
    """Prepare resamples of observations, of whole clusters, or of two crossed factors.

    Parameters
    ----------
    n : int
        Observations.
    n_resamples : int
        Number of resamples.
    groups : sequence of labels, shape (n,), optional
        Clusters; whole clusters are drawn.
    second_groups : sequence of labels, shape (n,), optional
        A second factor that crosses the first, for instance participants beside scenarios. Both are drawn and
        the counts multiplied (pigeonhole bootstrap); it errs on the side of wide intervals.
    seed : int or numpy Generator
        Same seed, same resamples.

    Returns
    -------
    Draws

    Raises
    ------
    ValueError
        Where labels are missing or their number differs, or there are fewer than two resamples.
    """
    if n_resamples < 2:
        raise ValueError(f"n_resamples must be at least 2, but is {n_resamples}.")
    if second_groups is not None and groups is None:
        raise ValueError("second_groups was given without groups.")
    units = np.arange(n) if groups is None else cluster_codes(groups, n)
    second = None if second_groups is None else cluster_codes(second_groups, n, "second_groups")
    return Draws(n, units, second, n_resamples, seed, groups is not None)


@dataclass(frozen=True)
class Interval:
    """Ends of an interval, and what it is made of.

    Attributes
    ----------
    low, high : float
        nan where there is no interval; `note` says why.
    standard_error : float
        Standard deviation of the defined resamples; nan without them.
    n_undefined : int
        Resamples left out because the statistic is undefined in them.
    method : {"percentile", "bca", "wilson", "random raters"}
        What it is; "percentile" where BCa is undefined.
    note : str
        What a reader has to know of it, "" if nothing.
    degrees_of_freedom : float
        Of the standard error.
    """

    low: float
    high: float
    standard_error: float
    n_undefined: int
    method: Method | Literal["wilson", "random raters"]
    note: str = ""
    degrees_of_freedom: float = math.inf


NO_INTERVAL = Interval(math.nan, math.nan, math.nan, 0, "percentile")


def interval(
    value: float,
    draws: NDArray[np.float64],
    *,
    n: int,
    confidence: float = 0.95,
    leave_one_out: NDArray[np.float64] | None = None,
    bounds: tuple[float, float] = (-math.inf, math.inf),
) -> Interval:
    """Make an interval of a statistic's values on resamples.

    Parameters
    ----------
    value : float
        The statistic on the data as they are.
    draws : array of float, shape (r,)
        The statistic on each resample; nan where undefined.
    n : int
        Observations or clusters that the value rests on. Fewer than five have no interval.
    confidence : float
        Confidence level.
    leave_one_out : array of float, shape (u,), optional
        The statistic without each unit. If given, the interval is BCa: the quantiles are shifted to
        ``Phi(z0 + (z0 + z) / (1 - a (z0 + z)))``, where `z0` comes from the share of resamples below the
        value (ties count half) and `a` from the jackknife.
    bounds : tuple of float
        The least and greatest value that the statistic can have. Where rounding carried an end beyond them,
        it is set to them.

    Returns
    -------
    Interval
        None, with a note, where all resamples are equal: an interval without width would claim certainty
        that so few or so equal data do not give.
    """
    defined = draws[~np.isnan(draws)]
    n_undefined = len(draws) - len(defined)
    if math.isnan(value) or len(defined) < 2:
        return replace(NO_INTERVAL, n_undefined=n_undefined)
    if n < FEWEST:
        return replace(NO_INTERVAL, n_undefined=n_undefined, note=TOO_FEW)
    error = float(defined.std(ddof=1))
    if np.ptp(defined) <= _EQUAL * max(1.0, abs(value)):
        return replace(NO_INTERVAL, standard_error=error, n_undefined=n_undefined, note=ALL_EQUAL)
    tail = (1.0 - confidence) / 2.0
    quantiles = (tail, 1.0 - tail)
    used: Method = "percentile"
    notes = []
    if n_undefined > UNDEFINED_SHARE * len(draws):
        share = n_undefined / len(draws)
        notes.append(f"undefined in {share:.0%} of the resamples, which the interval leaves out")
    if leave_one_out is not None:
        shifted = _bca_quantiles(value, defined, leave_one_out, tail)
        if shifted is None:
            notes.append("BCa is undefined here: percentile interval")
        else:
            quantiles, used = shifted, "bca"
    ordered = np.sort(defined)
    low, high = (min(max(_quantile(ordered, share), bounds[0]), bounds[1]) for share in quantiles)
    return Interval(low, high, error, n_undefined, used, "; ".join(notes))


def wilson_interval(share: float, n: int, *, confidence: float = 0.95) -> Interval:
    """Make Wilson's score interval of a share of independent observations.

    Parameters
    ----------
    share : float
        The share, 0 to 1.
    n : int
        Observations. Fewer than five have no interval.
    confidence : float
        Confidence level.

    Returns
    -------
    Interval
        It has a width at shares of 0 and 1, too: 40 of 40 give .91 to 1.

    References
    ----------
    Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference. Journal of the
    American Statistical Association, 22, 209-212. Recommended by Newcombe, R. G. (1998). Two-sided confidence
    intervals for the single proportion. Statistics in Medicine, 17, 857-872 (method 3).
    """
    from scipy.special import ndtri

    if math.isnan(share):
        return NO_INTERVAL
    if n < FEWEST:
        return replace(NO_INTERVAL, note=TOO_FEW)
    z2 = float(ndtri((1.0 + confidence) / 2.0)) ** 2
    middle = (2.0 * n * share + z2) / (2.0 * (n + z2))
    reach = math.sqrt(z2 * (z2 + 4.0 * n * share * (1.0 - share))) / (2.0 * (n + z2))
    # At shares of 0 and 1 one end is the share itself but for rounding.
    low = 0.0 if share == 0.0 else middle - reach
    high = 1.0 if share == 1.0 else middle + reach
    return Interval(low, high, math.sqrt(share * (1.0 - share) / n), 0, "wilson")


def for_random_raters(
    value: float,
    ends: Interval,
    by_rater: NDArray[np.float64],
    *,
    n: int,
    confidence: float = 0.95,
    bounds: tuple[float, float] = (-math.inf, math.inf),
) -> Interval:
    """Make an interval that holds for raters like these, of one that holds for these raters.

    Parameters
    ----------
    value : float
        A mean over raters, or over pairs of them.
    ends : Interval
        From resamples of responses, with the raters as they are.
    by_rater : array of float, shape (k,)
        The value without each rater; nan where nothing is left without one.
    n : int
        Responses or clusters.
    confidence : float
        Confidence level.
    bounds : tuple of float
        The least and greatest value that the statistic can have.

    Returns
    -------
    Interval
        ``value ± t se``, where ``se² = standard_error² + (k - 1) / k Σ (v_i - mean v)²``: the variance over
        resamples of responses and the jackknife variance over raters, with Satterthwaite's degrees of
        freedom. None, with a note, where a rater is missing whose leaving would leave nothing.

    References
    ----------
    Efron and Tibshirani (1993), ch. 11: the jackknife. Satterthwaite (1946), An approximate distribution of
    estimates of variance components, Biometrics Bulletin 2, 110-114.
    """
    from scipy.special import stdtrit

    defined = by_rater[~np.isnan(by_rater)]
    k = len(defined)
    if math.isnan(ends.low):
        return ends
    if k < 2:
        return replace(NO_INTERVAL, note="no interval: too few raters to speak of raters like these")
    of_responses = ends.standard_error**2
    of_raters = (k - 1) / k * float(((defined - defined.mean()) ** 2).sum())
    total = of_responses + of_raters
    if not total > 0.0:
        return replace(NO_INTERVAL, note=ALL_EQUAL)
    freedom = total**2 / (of_responses**2 / max(n - 1, 1) + of_raters**2 / (k - 1))
    reach = float(stdtrit(freedom, (1.0 + confidence) / 2.0)) * math.sqrt(total)
    low, high = max(value - reach, bounds[0]), min(value + reach, bounds[1])
    return Interval(low, high, math.sqrt(total), ends.n_undefined, "random raters", ends.note, freedom)


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


def _number(codes: NDArray[np.intp]) -> int:
    return int(codes.max()) + 1 if len(codes) else 0


def _counts(n_resamples: int, units: int, generator: np.random.Generator) -> NDArray[np.float64]:
    drawn = generator.integers(0, units, size=(n_resamples, units))
    drawn += np.arange(n_resamples)[:, np.newaxis] * units
    return np.bincount(drawn.ravel(), minlength=n_resamples * units).reshape(n_resamples, units).astype(float)


def _quantile(ordered: NDArray[np.float64], share: float) -> float:
    """Interpolate as `numpy.quantile` does, whose checks take most of the time of a table of intervals."""
    place = share * (len(ordered) - 1)
    before = min(int(place), len(ordered) - 2)
    low, high, weight = float(ordered[before]), float(ordered[before + 1]), place - before
    return low + (high - low) * weight if weight < 0.5 else high - (high - low) * (1.0 - weight)


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
