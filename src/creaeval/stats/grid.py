"""Agreement of many pairs of score columns at once, on the data and on the same resamples.

A study's grid (dimensions x raters x methods x judges) is hundreds of pairs. As every pair is computed on the
same resamples, means over pairs, differences and ratios of them have their intervals, too, from these values
alone. All measures here follow from sums over observations, so a resample's sums are a matrix product of its
counts (see `draws`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from creaeval.stats.draws import CELLS_AT_ONCE
from creaeval.stats.measures import get_measures

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from creaeval.stats.draws import Draws
    from creaeval.stats.measures import Levels

    Floats = NDArray[np.float64]


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
    measures: Sequence[str],
    draws: Draws | None = None,
    *,
    leave_one_out: bool = False,
    levels: Sequence[Levels | None] | None = None,
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
        Keys of measures that have a form on the grid.
    draws : Draws, optional
        Resamples of the rows; none if not given.
    leave_one_out : bool
        Also compute the values without each unit, for BCa intervals.
    levels : sequence of Levels or None, shape (pairs,), optional
        Of each pair's scale, for measures that need it.

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
        found = [on_counts(part, data, pairs, measures, levels) for part in parts]
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
    counts: Floats,
    scores: ArrayLike,
    pairs: Sequence[tuple[int, int]],
    measures: Sequence[str],
    levels: Sequence[Levels | None] | None = None,
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
        Keys of measures that have a form on the grid.
    levels : sequence of Levels or None, shape (pairs,), optional
        Of each pair's scale, for measures that need it.

    Returns
    -------
    dict of str to array of float, shape (r, pairs)
        nan where undefined, as the measure's plain function is.

    Raises
    ------
    SettingError
        A measure is not known.
    ValueError
        It has no form on the grid, or shapes do not fit.
    """
    data = np.asarray(scores, dtype=float)
    if data.ndim != 2 or counts.ndim != 2 or counts.shape[1] != len(data):
        raise ValueError(f"counts of shape {counts.shape} do not fit scores of shape {data.shape}")
    columns = np.asarray(pairs, dtype=np.intp).reshape(-1, 2)
    scales = [None] * len(columns) if levels is None else list(levels)
    if len(scales) != len(columns):
        raise ValueError(f"{len(scales)} scales were given for {len(columns)} pairs")
    forms = {}
    for measure in get_measures(measures):
        if measure.on_grid is None:
            raise ValueError(f"{measure.key!r} has no form on the grid, so no resamples")
        forms[measure.key] = measure.on_grid
    values = {key: np.empty((len(counts), len(columns))) for key in forms}
    at_once = max(1, CELLS_AT_ONCE // max(len(counts), 1))
    for start in range(0, len(columns), at_once):
        chosen = slice(start, start + at_once)
        part = Part(counts, data, columns[chosen], scales[chosen])
        for key, form in forms.items():
            values[key][:, chosen] = form(part)
    return values


class Part:
    """Some pairs on rows of counts, with the sums that several measures share.

    Attributes
    ----------
    counts : array of float, shape (r, n)
        How often each row is in each resample.
    x, y : array of float, shape (n, pairs)
        Scores of both; 0 where one of them is missing.
    present : array of float, shape (n, pairs)
        1 where both are there, else 0.
    n : array of float, shape (r, pairs)
        Pairs of scores in each resample.
    variance_x, variance_y, covariance : array of float, shape (r, pairs)
        Population moments.
    difference : array of float, shape (r, pairs)
        Mean of x minus mean of y.
    constant_x, constant_y : array of bool, shape (r, pairs)
        Whether all scores in the resample are equal.
    levels : list of Levels or None, shape (pairs,)
        Of each pair's scale, None where it is not known.
    """

    def __init__(
        self, counts: Floats, data: Floats, columns: NDArray[np.intp], levels: Sequence[Levels | None]
    ) -> None:
        self.levels = list(levels)
        x, y = data[:, columns[:, 0]], data[:, columns[:, 1]]
        self.counts = counts
        self.present = (~np.isnan(x) & ~np.isnan(y)).astype(float)
        x, y = (np.where(self.present > 0, values, 0.0) for values in (x, y))
        with np.errstate(invalid="ignore", divide="ignore"):
            # Shifted by the means, so that little is lost where moments are subtracted.
            numbers = self.present.sum(axis=0)
            shift_x, shift_y = x.sum(axis=0) / numbers, y.sum(axis=0) / numbers
        self.x, self.y = x, y
        near_x, near_y = (x - shift_x) * self.present, (y - shift_y) * self.present
        self.n = counts @ self.present
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
            drawn = (self.counts[rows] > 0) & (self.present[:, pair] > 0)
            highest = np.where(drawn, values[:, pair], -np.inf).max(axis=1, initial=-np.inf)
            lowest = np.where(drawn, values[:, pair], np.inf).min(axis=1, initial=np.inf)
            result[rows, pair] = highest <= lowest
        return result

    def shares(self) -> Iterator[tuple[Floats, Floats, float]]:
        """Yield each level's shares among both, and its distance to the next level."""
        present = self.present > 0
        levels = np.unique(np.concatenate([self.x[present], self.y[present]]))
        for level, after in zip(levels, [*levels[1:], levels[-1:]], strict=False):
            shares = (self.mean((values == level) * self.present) for values in (self.x, self.y))
            yield (*shares, float(np.max(after - level)))  # type: ignore[misc]
