"""Values of pairs of scorers, and their means over raters, judges and dimensions, on the same resamples."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from creaeval.errors import SettingError
from creaeval.stats.measures import get_measure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from creaeval.stats.draws import Draws, Interval, Method
    from creaeval.stats.grid import Grid
    from creaeval.stats.measures import Levels

    Floats = NDArray[np.float64]
    Column = tuple[str, str]  # kind and name of a scorer
    Couple = tuple[Column, Column]  # scorer and rater

HUMAN = "human-human"
AVG = "AVG"


@dataclass(frozen=True)
class Resampling:
    """How intervals are made.

    Attributes
    ----------
    n_resamples : int
        Bootstrap resamples; 0 for no intervals.
    confidence : float
        Confidence level.
    method : {"percentile", "bca"}
        What the interval is.
    clusters, second_clusters : mapping of str to str, optional
        By response id, what it belongs to (scenario, plot, participant): whole clusters are drawn; with two
        of them, two crossed factors.
    seed : int
        Same seed, same intervals.
    """

    n_resamples: int = 2000
    confidence: float = 0.95
    method: Method = "percentile"
    clusters: Mapping[str, str] | None = None
    second_clusters: Mapping[str, str] | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if self.n_resamples < 0 or self.n_resamples == 1:
            raise SettingError(f"{self.n_resamples} resamples: expected 0 for no intervals, or 2 and more.")
        if self.seed < 0:
            raise SettingError(f"seed {self.seed}: expected 0 or more.")
        if self.method == "bca" and self.second_clusters is not None:
            raise SettingError(
                "BCa intervals are not defined for two crossed factors: resample one of them, or take "
                "percentile intervals."
            )

    def draws(self, ids: Sequence[str]) -> Draws | None:
        """Prepare the resamples of these responses; None if there are to be none."""
        from creaeval.stats.draws import make_draws

        if not self.n_resamples:
            return None
        first, second = (
            None if of is None else [of.get(one, one) for one in ids]
            for of in (self.clusters, self.second_clusters)
        )
        return make_draws(
            len(ids), n_resamples=self.n_resamples, groups=first, second_groups=second, seed=self.seed
        )

    @property
    def jackknife(self) -> bool:
        """Whether BCa needs the values without each unit."""
        return self.method == "bca"


@dataclass(frozen=True)
class Layout:
    """The points as a matrix: a row a response, a column a dimension of a scorer.

    Attributes
    ----------
    dimensions : list of str
        Identities.
    ids : list of str
        Response ids, shape (n,).
    matrix : array of float, shape (n, columns)
        nan where there are no points.
    columns : dict
        A column's number by dimension, kind and scorer.
    levels : mapping of str to Levels
        Of each dimension's scale, where it is known.
    """

    dimensions: list[str]
    ids: list[str]
    matrix: Floats
    columns: dict[tuple[str, str, str], int]
    levels: Mapping[str, Levels]

    def pairs(self, groups: Sequence[Group]) -> dict[tuple[str, Column, Column], tuple[int, int]]:
        """Return the columns of each dimension, scorer and rater; a couple that lacks one is left out."""
        couples = dict.fromkeys(one for group in groups for couples in group.couples for one in couples)
        return {
            (dimension, scorer, rater): (self.columns[dimension, *scorer], self.columns[dimension, *rater])
            for dimension in self.dimensions
            for scorer, rater in couples
            if (dimension, *scorer) in self.columns and (dimension, *rater) in self.columns
        }


def lay_out(points: pd.DataFrame, dimensions: Sequence[str]) -> Layout:
    """Lay the points of these dimensions out as a matrix."""
    chosen = points[points["dimension"].isin(list(dimensions))]
    wide = chosen.pivot(index="response_id", columns=["dimension", "kind", "scorer"], values="points")
    names: list[tuple[str, str, str]] = [tuple(map(str, column)) for column in wide.columns]  # type: ignore[misc]
    columns = {name: number for number, name in enumerate(names)}
    ids, levels = [str(one) for one in wide.index], points.attrs.get("levels", {})
    return Layout(list(dimensions), ids, wide.to_numpy(float), columns, levels)


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

    ``couples`` holds, for each judge, its couples with the raters.
    """

    method: str
    name: str
    couples: list[list[Couple]]


def find_groups(points: pd.DataFrame) -> list[Group]:
    """Pair each judge with every rater, all judges of a method with every rater, and the raters."""
    judges = points.loc[points["kind"].eq("judge"), ["method", "scorer"]].drop_duplicates()
    raters = [("rater", str(name)) for name in points.loc[points["kind"].eq("rater"), "scorer"].unique()]
    groups: list[Group] = []
    for method, of_method in judges.groupby("method", sort=False):
        couples = {
            str(name): [(("judge", str(name)), rater) for rater in raters] for name in of_method["scorer"]
        }
        groups += [Group(str(method), name, [with_raters]) for name, with_raters in couples.items()]
        if len(couples) > 1:
            prefix = f"{method}: " if judges["method"].nunique() > 1 else ""
            groups.append(Group(str(method), prefix + _mean_of(list(couples)), list(couples.values())))
    if between := list(combinations(raters, 2)):
        groups.append(Group("", HUMAN, [between]))
    return groups


def _mean_of(labels: Sequence[str]) -> str:
    """Name the mean over judges, or over the repeats of one judge, or over both."""
    from creaeval.agreement.points import find_repeats

    repeats = [len(of_judge) for of_judge in find_repeats(labels).values()]
    if max(repeats) == 1:
        return f"mean of {len(repeats)} judges"
    if len(repeats) == 1:
        return f"mean of {repeats[0]} repeats"
    return f"mean of {len(repeats)} judges with {sum(repeats)} repeats"


class PairValues:
    """Every pair's value of every measure, on the data and on the resamples.

    Parameters
    ----------
    layout : Layout
        The points.
    groups : sequence of Group
        Whose pairs are wanted.
    measures : sequence of str
        Keys of measures.
    resampling : Resampling
        How intervals are made.
    on : Grid, optional
        The values, where they are not to come from resamples of the layout.
    """

    def __init__(
        self,
        layout: Layout,
        groups: Sequence[Group],
        measures: Sequence[str],
        resampling: Resampling,
        on: Grid | None = None,
    ) -> None:
        from creaeval.stats.grid import grid

        pairs = layout.pairs(groups)
        self.layout, self.measures, self.resampling = layout, list(measures), resampling
        self.places = {key: number for number, key in enumerate(pairs)}
        self.pairs = list(pairs.values())
        self._levels = [layout.levels.get(dimension) for dimension, _, _ in pairs]
        draws = resampling.draws(layout.ids) if on is None else None
        self.n_units = len(layout.ids) if draws is None else draws.n_units
        self.warnings = () if draws is None else draws.warnings
        self.grid: Grid = on or grid(
            layout.matrix,
            self.pairs,
            [name for name in measures if get_measure(name).on_grid is not None],
            draws,
            leave_one_out=resampling.jackknife,
            levels=self._levels,
        )
        # Ranks would have to be found anew in each resample, so these come without.
        self._plain = {name: self._plain_values(name) for name in measures if name not in self.grid.values}
        self._of_groups: dict[tuple[Group, str, str], tuple[list[Floats] | None, int, int]] = {}

    def _plain_values(self, measure: str) -> tuple[Floats, Floats, Floats]:
        import numpy as np

        record, matrix = get_measure(measure), self.layout.matrix
        values = np.array(
            [
                record.value(matrix[:, x], matrix[:, y], levels)
                for (x, y), levels in zip(self.pairs, self._levels, strict=True)
            ],
            dtype=float,
        )
        none = np.empty((0, len(self.pairs)))
        return values, none, none

    def of(self, measure: str, places: Sequence[int]) -> tuple[Floats, Floats, Floats]:
        """Return pairs' values on the data, on the resamples and without each unit, a pair a column."""
        import numpy as np

        chosen = np.asarray(places, dtype=np.intp)
        none = np.empty((0, len(self.pairs)))
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
        for couples in group.couples:
            there = [(dimension, *couple) for couple in couples if (dimension, *couple) in self.places]
            n.append(self.n([self.places[key] for key in there]) if len(there) == len(couples) else 0)
            if there:
                found = self.of(measure, [self.places[key] for key in there])
                defined += int((~np.isnan(found[0])).sum())
                judges.append([defined_mean(array, axis=1) for array in found])
        return _means_of(judges) if judges else None, min(n, default=0), defined

    def n(self, places: Sequence[int]) -> int:
        """Return the smallest number of responses of these pairs."""
        return min((int(self.grid.n[place]) for place in places), default=0)

    def why(self, measure: str, place: int, names: tuple[str, str]) -> str:
        """Say why a pair's value is undefined, or what else it owes to a constant scorer.

        Parameters
        ----------
        measure : str
            The measure.
        place : int
            Of the pair.
        names : tuple of str
            Who the two are.
        """
        x, y = (self.layout.matrix[:, column] for column in self.pairs[place])
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

        resampling = self.resampling
        if not len(draws) or math.isnan(value):
            return NO_INTERVAL, ""
        record = get_measure(measure) if measure else None
        if record is not None and record.share and of_pair and resampling.clusters is None:
            ends = wilson_interval(value, n, confidence=resampling.confidence)
        else:
            ends = interval(
                value,
                draws,
                n=min(n, self.n_units),
                confidence=resampling.confidence,
                leave_one_out=without if resampling.jackknife else None,
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

        self.dimensions = values.layout.dimensions if dimension == AVG else [dimension]
        found = [values.of_group(group, measure, one) for one in self.dimensions]
        parts = [means for means, _, _ in found if means is not None]
        self.n = min(n for _, n, _ in found)
        if dimension == AVG:
            self.all = len(self.dimensions)
            self.defined = sum(not math.isnan(means[0][0]) for means in parts)
        else:
            self.all, self.defined = sum(map(len, group.couples)), sum(defined for _, _, defined in found)
        self.of_pair = len(self.dimensions) == 1 and sum(map(len, group.couples)) == 1
        nothing = [np.full(1, math.nan), np.empty(0), np.empty(0)]
        means = _means_of(parts) if parts else nothing
        self.value, self.draws, self.without = float(means[0][0]), means[1], means[2]


def _means_of(parts: Sequence[Sequence[Floats]]) -> list[Floats]:
    """Average the values on the data, on the resamples and without each unit, each over all parts."""
    import numpy as np

    if len(parts) == 1:
        return list(parts[0])
    return [defined_mean(np.stack(arrays), axis=0) for arrays in zip(*parts, strict=True)]
