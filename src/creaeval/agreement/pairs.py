"""Values of pairs of scorers, and their means over raters, judges and dimensions, on the same resamples."""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

from creaeval.agreement.doubts import doubt_interval
from creaeval.agreement.rating_data import Scorer
from creaeval.stats.measures import get_measure

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from creaeval.agreement.options import AgreementOptions
    from creaeval.agreement.rating_data import RatingData
    from creaeval.stats.draws import Interval
    from creaeval.stats.grid import Grid

    Floats = NDArray[np.float64]

HUMAN = "human-human"
AVG = "AVG"
#: A scorer and a rater.
Pair = tuple[Scorer, Scorer]


def pair_places(
    data: RatingData, groups: Sequence[Group]
) -> dict[tuple[str, Scorer, Scorer], tuple[int, int]]:
    """Return the matrix' columns of each dimension and pair; a pair that lacks one is left out."""
    pairs = dict.fromkeys(pair for group in groups for pairs in group.pairs for pair in pairs)
    columns = data.matrix.columns
    return {
        (dimension, scorer, rater): (columns[dimension, scorer], columns[dimension, rater])
        for dimension in data.dimensions
        for scorer, rater in pairs
        if (dimension, scorer) in columns and (dimension, rater) in columns
    }


def defined_mean(values: Floats, axis: int) -> Floats:
    """Average over an axis where values are defined; nan where none is."""
    import numpy as np

    undefined = np.isnan(values)
    if not undefined.any() and values.shape[axis]:
        mean: Floats = values.mean(axis=axis)
        return mean
    numbers = (~undefined).sum(axis=axis)
    sums = np.where(undefined, 0.0, values).sum(axis=axis)
    result: Floats = np.where(numbers > 0, sums / np.maximum(numbers, 1), np.nan)
    return result


def biases_of(data: RatingData, judge: Scorer, dimension: str) -> Floats:
    """Return a judge's points less the mean of the raters, of each unit; nan where either has none."""
    of_raters = defined_mean(data.take(dimension, data.raters), axis=1)
    biases: Floats = data.take(dimension, [judge])[:, 0] - of_raters
    return biases


@dataclass(frozen=True, eq=False)
class Group:
    """What is averaged together: a judge with all raters, all judges of a method, or all pairs of raters.

    ``pairs`` holds, for each judge, its pairs with the raters.
    """

    method: str
    name: str
    pairs: list[list[Pair]]


def find_groups(data: RatingData) -> list[Group]:
    """Pair each judge with every rater, all judges of a method with every rater, and the raters."""
    groups: list[Group] = []
    for method in data.methods:
        judges = [scorer for scorer in data.judges if scorer.method == method]
        pairs = [[(judge, rater) for rater in data.raters] for judge in judges]
        groups += [
            Group(method, data.label(judge), [of_judge])
            for judge, of_judge in zip(judges, pairs, strict=True)
        ]
        if len(judges) > 1:
            prefix = f"{method}: " if len(data.methods) > 1 else ""
            groups.append(Group(method, prefix + _mean_of(judges), pairs))
    if between := list(combinations(data.raters, 2)):
        groups.append(Group("", HUMAN, [between]))
    return groups


def _mean_of(scorers: Sequence[Scorer]) -> str:
    """Name the mean over judges, or over the repeats of one judge, or over both."""
    judges = len({scorer.judge for scorer in scorers})
    if judges == len(scorers):
        return f"mean of {judges} judges"
    if judges == 1:
        return f"mean of {len(scorers)} repeats"
    return f"mean of {judges} judges with {len(scorers)} repeats"


class PairValues:
    """Every pair's value of every measure, on the data and on the resamples.

    Parameters
    ----------
    data : RatingData
        The points.
    groups : sequence of Group
        Whose pairs are wanted.
    options : AgreementOptions
        The measures, and how intervals are made.
    values : Grid, optional
        The values, where they are not to come from resamples of the data.
    """

    def __init__(
        self,
        data: RatingData,
        groups: Sequence[Group],
        options: AgreementOptions,
        values: Grid | None = None,
    ) -> None:
        from creaeval.stats.grid import grid

        self.data, self.options, self.measures = data, options, list(options.measures)
        places = pair_places(data, groups)
        self.places = {key: number for number, key in enumerate(places)}
        self.columns = list(places.values())
        self._levels = [data.levels.get(dimension) for dimension, _, _ in places]
        draws = options.draws(data) if values is None else None
        self.n_units = len(data.units) if draws is None else draws.n_units
        self.warnings = () if draws is None else draws.warnings
        self.grid: Grid = values or grid(
            data.matrix.values,
            self.columns,
            [name for name in self.measures if get_measure(name).on_grid is not None],
            draws,
            leave_one_out=options.jackknife,
            levels=self._levels,
        )
        # Ranks would have to be found anew in each resample, so these come without.
        self._plain = {
            name: self._plain_values(name) for name in self.measures if name not in self.grid.values
        }
        self._doubts: dict[int, str] = {}
        self._of_groups: dict[tuple[Group, str, str], tuple[list[Floats] | None, int, int]] = {}

    def _plain_values(self, measure: str) -> tuple[Floats, Floats, Floats]:
        import numpy as np

        record, matrix = get_measure(measure), self.data.matrix.values
        values = np.array(
            [
                record.value(matrix[:, x], matrix[:, y], levels)
                for (x, y), levels in zip(self.columns, self._levels, strict=True)
            ],
            dtype=float,
        )
        none = np.empty((0, len(self.columns)))
        return values, none, none

    def of(self, measure: str, places: Sequence[int]) -> tuple[Floats, ...]:
        """Return pairs' values, a pair a column: on the data, on the resamples, without each unit and rater.

        The last has a row for each rater, without that rater's pairs; it is empty unless raters are random.
        """
        import numpy as np

        chosen = np.asarray(places, dtype=np.intp)
        none = np.empty((0, len(self.columns)))
        values, draws, without = self._plain.get(measure) or (
            self.grid.values[measure],
            self.grid.draws[measure],
            self.grid.leave_one_out.get(measure, none),
        )
        without_raters = none[:, chosen]
        if self.options.raters == "random":
            has_rater = self._has_rater[:, chosen]
            without_raters = np.where(has_rater, np.nan, values[chosen])
            without_raters[~has_rater.any(axis=1)] = np.nan
        return values[np.newaxis, chosen], draws[:, chosen], without[:, chosen], without_raters

    @cached_property
    def _has_rater(self) -> NDArray[np.bool_]:
        """Whether a pair (column) has a rater (row)."""
        import numpy as np

        pairs = [key[1:] for key in self.places]
        return np.array([[rater in pair for pair in pairs] for rater in self.data.raters], dtype=bool)

    def estimate(self, measure: str, place: int) -> Estimate:
        """Return a single pair's value, which is of its rater alone."""
        arrays = [array[:, 0] for array in self.of(measure, [place])[:3]]
        return Estimate(
            float(arrays[0][0]), arrays[1], arrays[2], arrays[0][:0], self.n([place]), of_pair=True
        )

    def mean(self, group: Group, measure: str, dimension: str) -> GroupMean:
        """Average a group's values over raters, then judges and, for ``AVG``, then dimensions."""
        import numpy as np

        dimensions = self.data.dimensions if dimension == AVG else [dimension]
        found = [self._of_group(group, measure, name) for name in dimensions]
        parts = [means for means, _, _ in found if means is not None]
        number = sum(map(len, group.pairs))
        nothing = [np.full(1, math.nan), np.empty(0), np.empty(0), np.empty(0)]
        value, draws, without, by_rater = _means_of(parts) if parts else nothing
        if dimension == AVG:
            counts = sum(not math.isnan(means[0][0]) for means in parts), len(dimensions)
        else:
            counts = sum(defined for _, _, defined in found), number
        n = min(n for _, n, _ in found)
        of_pair = len(dimensions) == 1 and number == 1
        return GroupMean(float(value[0]), draws, without, by_rater, n, of_pair, *counts, dimensions)

    def _of_group(self, group: Group, measure: str, dimension: str) -> tuple[list[Floats] | None, int, int]:
        """Average over raters, then judges; with the smallest n and the number of defined values.

        Kept, because the mean over dimensions takes the same again.
        """
        key = group, measure, dimension
        if key not in self._of_groups:
            self._of_groups[key] = self._average(*key)
        return self._of_groups[key]

    def _average(self, group: Group, measure: str, dimension: str) -> tuple[list[Floats] | None, int, int]:
        import numpy as np

        judges, n, defined = [], [], 0
        for pairs in group.pairs:
            places = [self.places[dimension, *pair] for pair in pairs if (dimension, *pair) in self.places]
            n.append(self.n(places) if len(places) == len(pairs) else 0)
            if places:
                found = self.of(measure, places)
                defined += int((~np.isnan(found[0])).sum())
                judges.append([defined_mean(array, axis=1) for array in found])
        return _means_of(judges) if judges else None, min(n, default=0), defined

    def n(self, places: Sequence[int]) -> int:
        """Return the smallest number of responses of these pairs."""
        return min((int(self.grid.n[place]) for place in places), default=0)

    def why(self, measure: str, place: int, pair: Pair) -> str:
        """Say why a pair's value is undefined, or what else it owes to a constant scorer."""
        return get_measure(measure).remark(*self._points(place, pair), self._levels[place])

    def doubt(self, place: int, pair: Pair) -> str:
        """Say what makes a pair's interval too narrow, the same for all measures."""
        if place not in self._doubts:
            self._doubts[place] = doubt_interval(*self._points(place, pair))
        return self._doubts[place]

    def _points(self, place: int, pair: Pair) -> tuple[Floats, Floats, tuple[str, str]]:
        """Return the points of both, and what they are called."""
        x, y = (self.data.matrix.values[:, column] for column in self.columns[place])
        return x, y, (self.data.label(pair[0]), self.data.label(pair[1]))

    def interval(self, estimate: Estimate, measure: str = "") -> tuple[Interval, str]:
        """Make the interval of an estimate.

        Parameters
        ----------
        estimate : Estimate
            Few responses have no interval.
        measure : str
            What it is a value of, so that no end leaves the range of that; "" for differences and ratios. Of
            a share and a single pair the interval is Wilson's, unless whole clusters are drawn, whose
            responses are not independent.

        Returns
        -------
        tuple of (Interval, str)
            And what a reader has to know of it.
        """
        from creaeval.stats.draws import NO_INTERVAL, for_random_raters, interval, wilson_interval

        options, value = self.options, estimate.value
        if not len(estimate.draws) or math.isnan(value):
            return NO_INTERVAL, ""
        record = get_measure(measure) if measure else None
        # A pair by itself is of its rater, and of no other like that one.
        like_these = options.raters == "random" and len(estimate.by_rater) > 0
        plain = not (like_these or options.cluster or options.items == "each")
        if record is not None and record.share and estimate.of_pair and plain:
            ends = wilson_interval(value, estimate.n, confidence=options.confidence)
            return ends, ends.note
        bounds = record.bounds if record is not None else (-math.inf, math.inf)
        n = min(estimate.n, self.n_units)
        ends = interval(
            value,
            estimate.draws,
            n=n,
            confidence=options.confidence,
            leave_one_out=estimate.without if options.jackknife else None,
            bounds=bounds,
        )
        if like_these:
            ends = for_random_raters(
                value, ends, estimate.by_rater, n=n, confidence=options.confidence, bounds=bounds
            )
        return ends, ends.note


@dataclass(frozen=True, eq=False)
class Estimate:
    """A value with what its interval is made of.

    Attributes
    ----------
    value : float
        On the data as they are.
    draws, without, by_rater : array of float
        On each resample, without each unit, and without each rater; the last two where they are needed.
    n : int
        Smallest number of responses of the averaged pairs.
    of_pair : bool
        Whether it is the value of a single pair, and no mean.
    """

    value: float
    draws: Floats
    without: Floats
    by_rater: Floats
    n: int
    of_pair: bool = False

    def combine(self, other: Estimate, function: Callable[[Any, Any], Any]) -> Estimate:
        """Return a function of two estimates on the same resamples, such as their difference."""
        return Estimate(
            float(function(self.value, other.value)),
            function(self.draws, other.draws),
            function(self.without, other.without),
            function(self.by_rater, other.by_rater),
            min(self.n, other.n),
        )

    def __sub__(self, other: Estimate) -> Estimate:
        return self.combine(other, operator.sub)


@dataclass(frozen=True, eq=False)
class GroupMean(Estimate):
    """A group's mean over raters, then judges, then dimensions.

    Attributes
    ----------
    defined, all : int
        Averaged values that are defined, and all: pairs, or dimensions for ``AVG``.
    dimensions : sequence of str
        What was averaged.
    """

    defined: int = 0
    all: int = 0
    dimensions: Sequence[str] = ()


def _means_of(parts: Sequence[Sequence[Floats]]) -> list[Floats]:
    """Average the values on the data, on the resamples and without each unit or rater, over all parts."""
    import numpy as np

    if len(parts) == 1:
        return list(parts[0])
    return [defined_mean(np.stack(arrays), axis=0) for arrays in zip(*parts, strict=True)]
