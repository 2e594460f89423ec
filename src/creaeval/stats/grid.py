"""Agreement of many pairs of score columns at once, on the data and on the same resamples.

A study's grid (dimensions x raters x methods x judges) is hundreds of pairs. As every pair is computed on the
same resamples, means over pairs, differences and ratios of them have their intervals, too, from these values
alone. All measures here follow from sums over observations, so a resample's sums are a matrix product of its
counts (see `draws`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from creaeval.stats.draws import CELLS_AT_ONCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from creaeval.stats.draws import Draws

    Floats = NDArray[np.float64]

GridMeasure = Literal["qwk", "linear", "kappa", "pearson", "icc", "icc1", "exact", "adjacent", "bias", "rmse"]


@dataclass(frozen=True)
class Grid:
    """Values of pairs.

    Attributes
    ----------
    values : mapping of str to array of float, shape (pairs,)
        By measure, on the data as they are; nan where undefined.
    draws : mapping of str to array of float, shape (resamples, pairs)
        By measure, on each resample.
    leave_one_out : mapping of str to array of float, shape (units, pairs)
        By measure, without each unit; empty unless asked for.
    n : array of int, shape (pairs,)
        Observations that have both scores.
    """

    values: Mapping[str, Floats]
    draws: Mapping[str, Floats]
    leave_one_out: Mapping[str, Floats]
    n: NDArray[np.intp]


def grid(
    scores: ArrayLike,
    pairs: Sequence[tuple[int, int]],
    measures: Sequence[GridMeasure],
    draws: Draws | None = None,
    *,
    leave_one_out: bool = False,
) -> Grid:
    """Compute measures of pairs of columns, on the data and on resamples.

    Parameters
    ----------
    scores : array_like, shape (n, columns)
        One column a scorer and dimension, nan for missing scores. A pair is computed on the rows that have
        both.
    pairs : sequence of (int, int)
        Columns of scorer and rater.
    measures : sequence of str
        Which; see `on_counts`.
    draws : Draws, optional
        Resamples of the rows; none if not given.
    leave_one_out : bool
        Also compute the values without each unit, for BCa intervals.

    Returns
    -------
    Grid

    Raises
    ------
    ValueError
        As `on_counts`.
    """
    data = np.asarray(scores, dtype=float)

    def over(parts: Iterable[Floats]) -> dict[str, Floats]:
        found = [on_counts(part, data, pairs, measures) for part in parts]
        empty = np.empty((0, len(pairs)))
        return {name: np.concatenate([empty, *(part[name] for part in found)]) for name in measures}

    possible = draws is not None and draws.n > 0 and not draws.why_impossible
    given = ~np.isnan(data)
    columns = np.asarray(pairs, dtype=np.intp).reshape(-1, 2)
    return Grid(
        values={name: rows[0] for name, rows in over([np.ones((1, len(data)))]).items()},
        draws=over(draws.counts() if possible and draws is not None else []),
        leave_one_out=over(draws.leaving_one_out()) if leave_one_out and possible and draws else {},
        n=(given[:, columns[:, 0]] & given[:, columns[:, 1]]).sum(axis=0),
    )


def on_counts(
    counts: Floats, scores: ArrayLike, pairs: Sequence[tuple[int, int]], measures: Sequence[GridMeasure]
) -> dict[str, Floats]:
    """Compute measures of pairs of columns on rows of counts.

    Parameters
    ----------
    counts : array of float, shape (r, n)
        How often each row of `scores` is in each resample.
    scores : array_like, shape (n, columns)
        nan for missing scores.
    pairs : sequence of (int, int)
        Columns.
    measures : sequence of str
        "qwk", "linear" and "kappa" (quadratic weighted, linear weighted and Cohen's kappa, all on values),
        "pearson", "icc" (ICC(A,1) of two raters), "icc1" (ICC(1)), "exact" and "adjacent" (share of equal
        scores, and of those at most 1 point apart), "bias" (mean of first minus second), "rmse".

    Returns
    -------
    dict of str to array of float, shape (r, pairs)
        nan where undefined: kappas and ICCs where both are constant or fewer than 2 observations are left,
        Pearson where one is constant; a kappa or ICC(A,1) with one constant is 0.

    Raises
    ------
    ValueError
        A measure is not known or shapes do not fit.

    Notes
    -----
    With population moments, d the difference of means and N the observations: QWK is ``2 cov / (vx + vy +
    d²)``; ICC(A,1) of two raters is ``2 cov / (vx + vy + d² (N - 1) / N - (vx + vy - 2 cov) / N)``, McGraw
    and Wong's (1996) mean squares written out; ICC(1) is ``(B - W) / (B + W)`` with ``B = N / (N - 1) (vx +
    vy + 2 cov) / 2`` and ``W = (vx + vy - 2 cov + d²) / 2``.
    """
    data = np.asarray(scores, dtype=float)
    if unknown := [name for name in measures if name not in get_args(GridMeasure)]:
        raise ValueError(f"{unknown[0]!r} is no measure of a grid: {', '.join(get_args(GridMeasure))}")
    if data.ndim != 2 or counts.ndim != 2 or counts.shape[1] != len(data):
        raise ValueError(f"counts of shape {counts.shape} do not fit scores of shape {data.shape}")
    columns = np.asarray(pairs, dtype=np.intp).reshape(-1, 2)
    parts = [_Part(counts, data, chosen) for chosen in _split(columns, len(counts))]
    return {
        name: np.concatenate([np.empty((len(counts), 0)), *(_MEASURES[name](part) for part in parts)], axis=1)
        for name in measures
    }


def _split(columns: NDArray[np.intp], rows: int) -> Iterator[NDArray[np.intp]]:
    at_once = max(1, CELLS_AT_ONCE // max(rows, 1))
    for start in range(0, len(columns), at_once):
        yield columns[start : start + at_once]


class _Part:
    """Some pairs on rows of counts, with the sums that several measures share."""

    def __init__(self, counts: Floats, data: Floats, columns: NDArray[np.intp]) -> None:
        x, y = data[:, columns[:, 0]], data[:, columns[:, 1]]
        self.counts = counts
        self.there = (~np.isnan(x) & ~np.isnan(y)).astype(float)
        x, y = (np.where(self.there > 0, values, 0.0) for values in (x, y))
        with np.errstate(invalid="ignore", divide="ignore"):
            # Shifted by the means, so that little is lost where moments are subtracted.
            numbers = self.there.sum(axis=0)
            shift_x, shift_y = x.sum(axis=0) / numbers, y.sum(axis=0) / numbers
        self.x, self.y = x, y
        near_x, near_y = (x - shift_x) * self.there, (y - shift_y) * self.there
        self.n = counts @ self.there
        mean_x, mean_y = self.mean(near_x), self.mean(near_y)
        square_x, square_y = self.mean(near_x**2), self.mean(near_y**2)
        self.variance_x = np.maximum(square_x - mean_x**2, 0.0)
        self.variance_y = np.maximum(square_y - mean_y**2, 0.0)
        self.covariance = self.mean(near_x * near_y) - mean_x * mean_y
        self.difference = mean_x - mean_y + (shift_x - shift_y)
        self.constant_x = self._constant(x, self.variance_x, square_x)
        self.constant_y = self._constant(y, self.variance_y, square_y)

    def mean(self, values: Floats) -> Floats:
        """Average what is there, values of missing pairs being 0."""
        with np.errstate(invalid="ignore", divide="ignore"):
            result: Floats = (self.counts @ values) / self.n
        return result

    def _constant(self, values: Floats, variance: Floats, square: Floats) -> NDArray[np.bool_]:
        # Exact, where the variance of equal values would only be nearly zero; looked at only where it is.
        result = np.isnan(variance)
        suspect = variance <= 1e-9 * square
        for pair in np.flatnonzero(suspect.any(axis=0)):
            rows = np.flatnonzero(suspect[:, pair])
            drawn = (self.counts[rows] > 0) & (self.there[:, pair] > 0)
            highest = np.where(drawn, values[:, pair], -np.inf).max(axis=1, initial=-np.inf)
            lowest = np.where(drawn, values[:, pair], np.inf).min(axis=1, initial=np.inf)
            result[rows, pair] = highest <= lowest
        return result

    def shares(self) -> Iterator[tuple[Floats, Floats, float]]:
        """Yield each level's shares among both, and its distance to the next level."""
        there = self.there > 0
        levels = np.unique(np.concatenate([self.x[there], self.y[there]]))
        for level, after in zip(levels, [*levels[1:], levels[-1:]], strict=False):
            shares = (self.mean((values == level) * self.there) for values in (self.x, self.y))
            yield (*shares, float(np.max(after - level)))  # type: ignore[misc]


def _kappa_like(part: _Part, values: Floats) -> Floats:
    values = np.where(part.constant_x | part.constant_y, 0.0, values)
    return np.where((part.constant_x & part.constant_y) | (part.n < 2), np.nan, values)


def _qwk(part: _Part) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        values = 2.0 * part.covariance / (part.variance_x + part.variance_y + part.difference**2)
    return _kappa_like(part, values)


def _linear(part: _Part) -> Floats:
    chance = np.zeros_like(part.n)
    below_x, below_y = np.zeros_like(part.n), np.zeros_like(part.n)
    for share_x, share_y, gap in part.shares():
        # How far two independent scores lie apart: every gap between levels that separates them.
        below_x, below_y = below_x + share_x, below_y + share_y
        chance = chance + gap * (below_x * (1.0 - below_y) + below_y * (1.0 - below_x))
    with np.errstate(invalid="ignore", divide="ignore"):
        values = 1.0 - part.mean(np.abs(part.x - part.y)) / chance
    return _kappa_like(part, values)


def _cohen(part: _Part) -> Floats:
    chance = np.zeros_like(part.n)
    for share_x, share_y, _ in part.shares():
        chance = chance + share_x * share_y
    with np.errstate(invalid="ignore", divide="ignore"):
        values = (_exact(part) - chance) / (1.0 - chance)
    return _kappa_like(part, values)


def _pearson(part: _Part) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        values = part.covariance / np.sqrt(part.variance_x * part.variance_y)
    undefined = part.constant_x | part.constant_y | (part.n < 2)
    return np.where(undefined, np.nan, np.clip(values, -1.0, 1.0))


def _icc(part: _Part) -> Floats:
    sums = part.variance_x + part.variance_y
    with np.errstate(invalid="ignore", divide="ignore"):
        error = (sums - 2.0 * part.covariance + part.difference**2) / part.n
        above, below = 2.0 * part.covariance, sums + part.difference**2 - error
        values = np.where(below > 1e-12 * np.abs(above), above / below, np.nan)  # 0/0 but for rounding
    return _kappa_like(part, values)


def _icc1(part: _Part) -> Floats:
    sums = part.variance_x + part.variance_y
    with np.errstate(invalid="ignore", divide="ignore"):
        between = part.n / (part.n - 1.0) * (sums + 2.0 * part.covariance) / 2.0
        within = (sums - 2.0 * part.covariance + part.difference**2) / 2.0
        values = (between - within) / (between + within)
    undefined = (part.constant_x & part.constant_y) | (part.n < 2)
    return np.where(undefined, np.nan, values)


def _exact(part: _Part) -> Floats:
    return part.mean((part.x == part.y) * part.there)


def _adjacent(part: _Part) -> Floats:
    return part.mean((np.abs(part.x - part.y) <= 1.0 + 1e-9) * part.there)


def _bias(part: _Part) -> Floats:
    difference: Floats = part.difference
    return difference


def _rmse(part: _Part) -> Floats:
    values: Floats = np.sqrt(part.mean((part.x - part.y) ** 2))
    return values


_MEASURES: Mapping[str, Callable[[_Part], Floats]] = {
    "qwk": _qwk,
    "linear": _linear,
    "kappa": _cohen,
    "pearson": _pearson,
    "icc": _icc,
    "icc1": _icc1,
    "exact": _exact,
    "adjacent": _adjacent,
    "bias": _bias,
    "rmse": _rmse,
}
