"""Values of pairs of scorers, and their means over raters, judges and dimensions, on the same resamples."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from creaeval.agreement.options import FEWEST
from creaeval.agreement.rating_data import Scorer

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from creaeval.agreement.options import AgreementOptions
    from creaeval.agreement.rating_data import RatingData
    from creaeval.stats.draws import Interval
    from creaeval.stats.grid import Grid

    Floats = NDArray[np.float64]

#: These come without resamples: ranks would have to be found anew in each.
RANKS = ("spearman", "kendall")
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
        draws = options.draws(data) if values is None else None
        self.n_units = len(data.units) if draws is None else draws.n_units
        self.warnings = () if draws is None else draws.warnings
        self.grid: Grid = values or grid(
            data.matrix.values,
            self.columns,
            [name for name in self.measures if name not in RANKS],  # type: ignore[misc]
            draws,
            leave_one_out=options.jackknife,
        )
        self._ranks = {name: self._rank_values(name) for name in self.measures if name in RANKS}
        self._of_groups: dict[tuple[Group, str, str], tuple[list[Floats] | None, int, int]] = {}

    def _rank_values(self, measure: str) -> tuple[Floats, Floats, Floats]:
        import numpy as np

        from creaeval.stats.correlation import kendall_tau_b, spearman

        function = {"spearman": spearman, "kendall": kendall_tau_b}[measure]
        matrix = self.data.matrix.values
        values = np.array([function(matrix[:, x], matrix[:, y]) for x, y in self.columns], dtype=float)
        none = np.empty((0, len(self.columns)))
        return values, none, none

    def of(self, measure: str, places: Sequence[int]) -> tuple[Floats, Floats, Floats]:
        """Return pairs' values on the data, on the resamples and without each unit, a pair a column."""
        import numpy as np

        chosen = np.asarray(places, dtype=np.intp)
        none = np.empty((0, len(self.columns)))
        values, draws, without = self._ranks.get(measure) or (
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
        return _why(x, y, measure, (self.data.label(pair[0]), self.data.label(pair[1])))

    def interval(self, value: float, draws: Floats, without: Floats, n: int) -> tuple[Interval, str]:
        """Make the interval of a value from its values on the resamples and without each unit.

        Parameters
        ----------
        value : float
            On the data.
        draws, without : array of float
            On the resamples, and without each unit.
        n : int
            Responses it rests on; few of them have no interval.

        Returns
        -------
        tuple of (Interval, str)
            And what a reader has to know of it.
        """
        from creaeval.stats.draws import Interval, interval
        from creaeval.stats.resample import UNDEFINED_SHARE

        if not len(draws) or math.isnan(value):
            return Interval(math.nan, math.nan, math.nan, 0, "percentile"), ""
        if min(n, self.n_units) < FEWEST:
            return Interval(math.nan, math.nan, math.nan, 0, "percentile"), ""
        wanted = without if self.options.jackknife else None
        ends = interval(value, draws, confidence=self.options.confidence, leave_one_out=wanted)
        said = []
        if ends.n_undefined > UNDEFINED_SHARE * len(draws):
            share = ends.n_undefined / len(draws)
            said.append(f"undefined in {share:.0%} of the resamples, which the interval leaves out")
        if wanted is not None and ends.method != "bca":
            said.append("BCa is undefined here: percentile interval")
        return ends, "; ".join(said)


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
    """

    def __init__(self, values: PairValues, group: Group, measure: str, dimension: str) -> None:
        import numpy as np

        self.dimensions = values.data.dimensions if dimension == AVG else [dimension]
        found = [values.of_group(group, measure, one) for one in self.dimensions]
        parts = [means for means, _, _ in found if means is not None]
        self.n = min(n for _, n, _ in found)
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


def _why(x: Floats, y: Floats, measure: str, names: tuple[str, str]) -> str:
    import numpy as np

    from creaeval.stats.correlation import why_undefined

    functions = {
        "qwk": "quadratic_weighted_kappa",
        "linear": "linear_weighted_kappa",
        "kappa": "cohen_kappa",
        "pearson": "pearson",
        "spearman": "spearman",
        "kendall": "kendall_tau_b",
    }
    there = ~np.isnan(x) & ~np.isnan(y)
    if measure in ("exact", "adjacent", "bias", "rmse"):
        return "" if there.any() else "scored by both: 0"
    if (both := int(there.sum())) < 2:
        return f"scored by both: {both}"
    constant = [name for name, of in zip(names, (x, y), strict=True) if np.ptp(of[there]) == 0]
    reason = why_undefined(x, y, functions.get(measure, "quadratic_weighted_kappa"))  # type: ignore[arg-type]
    if reason and len(constant) == 1:
        return f"{constant[0]} is constant"
    if not reason and constant and measure in ("qwk", "linear", "kappa", "icc"):
        return f"0 since {constant[0]} is constant"
    return reason
