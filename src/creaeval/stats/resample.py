"""Bootstrap intervals of any statistic, with resamples drawn for all observations at once.

Sums over all resamples are one matrix product of their counts: 2,000 resamples of a correlation of 80 pairs
take milliseconds. The sources are those of :mod:`creaeval.stats.draws`.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from creaeval.stats.draws import (
    FEWEST,
    NO_INTERVAL,
    TOO_FEW,
    Interval,
    Method,
    cluster_codes,
    columns,
    complete,
    interval,
    make_draws,
)
from creaeval.stats.grid import on_counts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, NDArray

    # Takes counts, shape (r, n), and the arrays of n observations; returns a value for each row, shape (r,).
    Statistic = Callable[..., NDArray[np.float64]]


@dataclass(frozen=True, kw_only=True)
class Estimate(Interval):
    """A value with its bootstrap interval.

    Attributes
    ----------
    value : float
        The statistic on the data as they are; nan where undefined.
    n : int
        Observations used.
    n_missing : int
        Observations left out because one of the arrays has no value there.
    warnings : tuple of str
        Of few clusters, of missing values, and of what was asked for and cannot be.
    """

    value: float
    n: int
    n_missing: int
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
    scores = np.column_stack(_exactly(2, arrays, "pearson"))
    return on_counts(counts, scores, [(0, 1)], ["pearson"])["pearson"][:, 0]


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
        shifts them: see `draws.interval`. Its jackknife leaves out observations or clusters.
    groups : sequence of labels, shape (n,), optional
        Clusters; whole clusters are drawn.
    second_groups : sequence of labels, shape (n,), optional
        A second factor that crosses the first, for instance raters beside responses; see `draws.make_draws`.
    seed : int or numpy Generator
        Same seed, same resamples.

    Returns
    -------
    Estimate
        Value, interval, counts and warnings.

    Raises
    ------
    ValueError
        Where lengths differ, labels are missing or a setting makes no sense.
    """
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence must lie between 0 and 1, but is {confidence}.")
    if method not in ("percentile", "bca"):
        raise ValueError(f'method must be "percentile" or "bca", but is "{method}".')
    data = columns(*arrays)
    keep = complete(data)
    n = int(keep.sum())
    draws = make_draws(
        n,
        n_resamples=n_resamples,
        groups=_labels(groups, "groups", keep),
        second_groups=_labels(second_groups, "second_groups", keep),
        seed=seed,
    )
    data = tuple(array[keep] for array in data)
    value = float(statistic(np.ones((1, n)), *data)[0]) if n else math.nan
    warnings = list(draws.warnings)
    if n == 0:
        warnings.append("No observation has all its values.")
    elif math.isnan(value):
        warnings.append(f"The statistic is undefined on these {n} observations, so there is no interval.")
    units = draws.n_units if draws.n_second is None else min(draws.n_units, draws.n_second)
    ends = NO_INTERVAL
    if not math.isnan(value) and units < FEWEST:
        ends = replace(NO_INTERVAL, note=TOO_FEW)
    elif not math.isnan(value):
        leave_one_out = None
        if method == "bca" and draws.second is not None:
            warnings.append("BCa is not defined for two crossed factors: this is the percentile interval.")
        elif method == "bca":
            leave_one_out = np.concatenate([statistic(counts, *data) for counts in draws.leaving_one_out()])
        on_resamples = np.concatenate([statistic(counts, *data) for counts in draws.counts()])
        ends = interval(value, on_resamples, n=units, confidence=confidence, leave_one_out=leave_one_out)
    return Estimate(**asdict(ends), value=value, n=n, n_missing=len(keep) - n, warnings=tuple(warnings))


def _labels(
    labels: Sequence[Any] | NDArray[Any] | None, name: str, keep: NDArray[np.bool_]
) -> NDArray[np.intp] | None:
    return None if labels is None else cluster_codes(labels, len(keep), name)[keep]
