"""Values of pairs of scorers, and their means over raters, judges and dimensions, on the same resamples."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from creaeval.agreement.rating_data import Scorer
from creaeval.stats.measures import get_measure

if TYPE_CHECKING:
    from collections.abc import Sequence

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

    def of(self, measure: str, places: Sequence[int]) -> tuple[Floats, Floats, Floats]:
        """Return pairs' values on the data, on the resamples and without each unit, a pair a column."""
        import numpy as np

        chosen = np.asarray(places, dtype=np.intp)
        none = np.empty((0, len(self.columns)))
        values, draws, without = self._plain.get(measure) or (
            self.grid.values[measure],
            self.grid.draws[measure],
            self.grid.leave_one_out.get(measure, none),
        )
        return values[np.newaxis, chosen], draws[:, chosen], without[:, chosen]

    def of_group(self, group: Group, measure: str, dimension: str) -> tuple[list[Floats] | None, int, int]:
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
        x, y = (self.data.matrix.values[:, column] for column in self.columns[place])
        names = self.data.label(pair[0]), self.data.label(pair[1])
        return get_measure(measure).remark(x, y, names, self._levels[place])

    def interval(
        self,
        value: float,
        draws: Floats,
        without: Floats,
        n: int,
        *,
        measure: str = "",
        of_pair: bool = False,
    ) -> tuple[Interval, str]:
        """Make the interval of a value from its values on the resamples and without each unit.

        Parameters
        ----------
        value : float
            On the data.
        draws, without : array of float
            On the resamples, and without each unit.
        n : int
            Responses it rests on; few of them have no interval.
        measure : str
            What it is a value of, so that no end leaves the range of that; "" for differences and ratios.
        of_pair : bool
            Whether it is the value of a single pair: of a share the interval is then Wilson's. Where whole
            clusters are drawn it is not, since their responses are not independent.

        Returns
        -------
        tuple of (Interval, str)
            And what a reader has to know of it.
        """
        from creaeval.stats.draws import NO_INTERVAL, interval, wilson_interval

        options = self.options
        if not len(draws) or math.isnan(value):
            return NO_INTERVAL, ""
        record = get_measure(measure) if measure else None
        if (
            record is not None
            and record.share
            and of_pair
            and not (options.cluster or options.items == "each")
        ):
            ends = wilson_interval(value, n, confidence=options.confidence)
        else:
            ends = interval(
                value,
                draws,
                n=min(n, self.n_units),
                confidence=options.confidence,
                leave_one_out=without if options.jackknife else None,
                bounds=record.bounds if record is not None else (-math.inf, math.inf),
            )
        return ends, ends.note


class GroupMean:
    """A group's mean over raters, then judges, then dimensions.

    Attributes
    ----------
    value : float
        On the data as they are.
    draws, without : array of float
        On each resample, and without each unit.
    n : int
        Smallest number of responses of the averaged pairs.
    defined, all : int
        Averaged values that are defined, and all: pairs, or dimensions for ``AVG``.
    dimensions : list of str
        What was averaged.
    of_pair : bool
        Whether it is the value of a single pair, and no mean.
    """

    def __init__(self, values: PairValues, group: Group, measure: str, dimension: str) -> None:
        import numpy as np

        self.dimensions = values.data.dimensions if dimension == AVG else [dimension]
        found = [values.of_group(group, measure, one) for one in self.dimensions]
        parts = [means for means, _, _ in found if means is not None]
        self.n = min(n for _, n, _ in found)
        self.of_pair = len(self.dimensions) == 1 and sum(map(len, group.pairs)) == 1
        if dimension == AVG:
            self.all = len(self.dimensions)
            self.defined = sum(not math.isnan(means[0][0]) for means in parts)
        else:
            self.all, self.defined = sum(map(len, group.pairs)), sum(defined for _, _, defined in found)
        nothing = [np.full(1, math.nan), np.empty(0), np.empty(0)]
        means = _means_of(parts) if parts else nothing
        self.value, self.draws, self.without = float(means[0][0]), means[1], means[2]


def _means_of(parts: Sequence[Sequence[Floats]]) -> list[Floats]:
    """Average the values on the data, on the resamples and without each unit, each over all parts."""
    import numpy as np

    if len(parts) == 1:
        return list(parts[0])
    return [defined_mean(np.stack(arrays), axis=0) for arrays in zip(*parts, strict=True)]
