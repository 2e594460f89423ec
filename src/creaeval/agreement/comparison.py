"""Whether one method agrees better with people than another, on the same responses."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from creaeval.agreement.agreement import check_points
from creaeval.agreement.pair_values import (
    AVG,
    GroupMean,
    PairValues,
    Resampling,
    defined_mean,
    find_groups,
    lay_out,
)
from creaeval.errors import SettingError
from creaeval.stats.measures import PAPER, get_measure
from creaeval.stats.measures import PRIMARY as PRIMARY_MEASURE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from creaeval.agreement.pair_values import Group, Layout
    from creaeval.stats.compare import PairedTTest

    Floats = NDArray[np.float64]

COLUMNS = [
    "first",
    "second",
    "dimension",
    "metric",
    "contrast",
    "first_value",
    "second_value",
    "difference",
    "low",
    "high",
    "p",
    "p_holm",
    "detectable",
    "n",
    "t",
    "df",
    "p_t",
    "t_test_pairs",
    "reason",
]
#: The one contrast that needs no correction: the difference of mean QWK.
PRIMARY = (AVG, PRIMARY_MEASURE)


def compare_methods(
    points: pd.DataFrame,
    dimensions: Sequence[str],
    first: str,
    second: str,
    *,
    measures: Sequence[str] = PAPER,
    resampling: Resampling | None = None,
    n_permutations: int = 10_000,
) -> pd.DataFrame:
    """Compare two methods by their agreement with the same raters, on the responses that both scored.

    Parameters
    ----------
    points : pandas.DataFrame
        From :func:`creaeval.agreement.points.collect_points`, of both methods.
    dimensions : sequence of str
        Identities.
    first, second : str
        Names in the column ``method``.
    measures : sequence of str
        Keys of measures; those that are not comparable are left out.
    resampling : Resampling, optional
        Intervals of the differences, by resampling responses (or clusters) of both methods together.
    n_permutations : int
        Random permutations of the tests.

    Returns
    -------
    pandas.DataFrame
        One row for each metric and dimension, and ``AVG``. ``difference`` is first minus second of the means
        over raters and judges, with its interval. ``p`` is two-sided, from swapping the methods of whole
        responses (or of the first clusters), all dimensions together: in all ways where these are no more
        than the permutations. ``contrast`` is ``primary`` for mean QWK alone; the others are one family,
        whose ``p_holm`` is corrected by Holm. ``detectable`` is the smallest true
        difference that would be found with a power of .80 at .05, from the standard error of the difference.
        ``t``, ``df`` and ``p_t`` are a paired t-test, ``t_test_pairs`` says of what: for ``AVG`` the
        dimensions' values, as a table of means invites; for a dimension the responses' mean absolute
        differences from the raters (negative t: the first method lies nearer), the same in each metric.

    Raises
    ------
    SettingError
        A method or measure is not known.
    """
    import pandas as pd

    from creaeval.stats.compare import paired_t_test, smallest_detectable_difference

    check_points(points, measures)
    resampling = resampling or Resampling()
    groups = {name: _group_of(points, name) for name in (first, second)}
    layout = _both_scored(lay_out(points, dimensions), list(groups.values()))
    used = [name for name in measures if get_measure(name).comparable]
    values = PairValues(layout, list(groups.values()), used, resampling)
    p_values = _permuted(layout, groups[first], groups[second], used, resampling, n_permutations)
    distances = {one: _distances(layout, groups[first], groups[second], one) for one in dimensions}
    rows: list[list[object]] = []
    for measure in used:
        means = {
            (name, dimension): GroupMean(values, group, measure, dimension)
            for name, group in groups.items()
            for dimension in (*dimensions, AVG)
        }
        for dimension in (*dimensions, AVG):
            a, b = means[first, dimension], means[second, dimension]
            difference = a.value - b.value
            n = min(a.n, b.n)
            ends, said = values.interval(difference, a.draws - b.draws, a.without - b.without, n)
            if dimension == AVG:
                test = paired_t_test(
                    [means[first, one].value for one in dimensions],
                    [means[second, one].value for one in dimensions],
                    paired_by="dimensions",
                )
            else:
                test = distances[dimension]
            error = ends.standard_error
            rows.append(
                [
                    *(first, second, dimension, measure),
                    "family",
                    *(a.value, b.value, difference, ends.low, ends.high),
                    *(p_values[dimension, measure], math.nan),
                    smallest_detectable_difference(error) if error > 1e-12 else math.nan,
                    *(n, test.t, test.degrees_of_freedom, test.p_value),
                    f"{test.n} {test.paired_by}",
                    "; ".join(filter(None, (_reason(a, b, first, second), said))),
                ]
            )
    return correct_family(pd.DataFrame(rows, columns=COLUMNS))


def correct_family(table: pd.DataFrame) -> pd.DataFrame:
    """Name the primary contrast and correct all others by Holm, as one family.

    Parameters
    ----------
    table : pandas.DataFrame
        From :func:`compare_methods`, of one pair of methods or of several below each other.

    Returns
    -------
    pandas.DataFrame
        With ``contrast`` and ``p_holm`` written anew. The primary contrast is mean QWK of the first pair; of
        further pairs it belongs to the family.
    """
    import numpy as np

    from creaeval.stats.compare import holm

    table = table.reset_index(drop=True)
    first = table[["first", "second"]].eq(table.loc[0, ["first", "second"]]).all(axis=1)
    primary = first & table["dimension"].eq(PRIMARY[0]) & table["metric"].eq(PRIMARY[1])
    table["contrast"] = np.where(primary, "primary", "family")
    table["p_holm"] = np.nan
    table.loc[~primary, "p_holm"] = holm(np.asarray(table.loc[~primary, "p"], dtype=float))
    return table


def _group_of(points: pd.DataFrame, method: str) -> Group:
    groups = [group for group in find_groups(points) if group.method and group.method == method]
    if not groups:
        known = ", ".join(dict.fromkeys(group.method for group in find_groups(points) if group.method))
        raise SettingError(f"There is no method {method!r} to compare; there are {known or 'none'}.")
    return groups[-1]  # all judges of a method together come last


def _scorers(group: Group) -> list[str]:
    return [couples[0][0][1] for couples in group.couples if couples]


def _both_scored(layout: Layout, groups: Sequence[Group]) -> Layout:
    """Empty each dimension's row where one of the judges has no points, so that pairs are the same."""
    import numpy as np

    matrix = layout.matrix.copy()
    for dimension in layout.dimensions:
        judges = [
            layout.columns.get((dimension, "judge", name)) for group in groups for name in _scorers(group)
        ]
        there = [column for column in judges if column is not None]
        lacking = np.isnan(matrix[:, there]).any(axis=1) | (len(there) < len(judges))
        for column in there:
            matrix[lacking, column] = np.nan
    return replace(layout, matrix=matrix)


def _reason(a: GroupMean, b: GroupMean, first: str, second: str) -> str:
    undefined = [name for name, of in ((first, a), (second, b)) if math.isnan(of.value)]
    if undefined:
        return f"undefined for {' and '.join(undefined)} ({min(a.n, b.n)} responses that both scored)"
    if (a.defined, b.defined) != (a.all, b.all):
        return f"of {a.all} averaged values {a.defined} and {b.defined} are defined"
    return ""


def _distances(layout: Layout, first: Group, second: Group, dimension: str) -> PairedTTest:
    """Test, over responses, which method's points lie nearer to the raters'."""
    import numpy as np

    from creaeval.stats.compare import paired_t_test

    def distances(group: Group) -> Floats:
        columns = [
            (layout.columns[dimension, *scorer], layout.columns[dimension, *rater])
            for couples in group.couples
            for scorer, rater in couples
            if (dimension, *scorer) in layout.columns and (dimension, *rater) in layout.columns
        ]
        if not columns:
            return np.full(len(layout.ids), np.nan)
        first_of, second_of = np.transpose(columns)
        return defined_mean(np.abs(layout.matrix[:, first_of] - layout.matrix[:, second_of]), axis=1)

    return paired_t_test(
        distances(first), distances(second), paired_by="responses' mean absolute differences"
    )


def _permuted(
    layout: Layout,
    first: Group,
    second: Group,
    measures: Sequence[str],
    resampling: Resampling,
    n_permutations: int,
) -> Mapping[tuple[str, str], float]:
    """Swap the methods of random responses or clusters; a p for each dimension and measure.

    Both methods' points stand one below the other; counts of 0 and 1 choose which belong to which method.
    """
    import numpy as np

    from creaeval.stats.draws import CELLS_AT_ONCE, cluster_codes
    from creaeval.stats.grid import Grid, on_counts

    names, others = _scorers(first), _scorers(second)
    keys = [(dimension, measure) for dimension in (*layout.dimensions, AVG) for measure in measures]
    if len(names) != len(others) or not layout.ids or not n_permutations:
        # Judges are swapped one for one; unequal panels cannot be.
        return dict.fromkeys(keys, math.nan)
    twin = {("judge", name): ("judge", other) for name, other in zip(names, others, strict=True)}
    n, matrix, columns = len(layout.ids), layout.matrix, layout.columns
    below = matrix.copy()
    for (dimension, kind, scorer), column in columns.items():
        if (kind, scorer) in twin:
            other = columns.get((dimension, *twin[kind, scorer]))
            below[:, column] = np.nan if other is None else matrix[:, other]
    stacked = replace(layout, matrix=np.concatenate([matrix, below]))
    of_first = layout.pairs([first])
    pairs, levels = list(of_first.values()), [layout.levels.get(dimension) for dimension, _, _ in of_first]

    def agreement(counts: Floats) -> dict[tuple[str, str], Floats]:
        found = on_counts(counts, stacked.matrix, pairs, measures, levels)
        on = Grid({name: rows[0] for name, rows in found.items()}, found, {}, np.zeros(len(pairs), np.intp))
        values = PairValues(stacked, [first], measures, resampling, on)
        return {key: GroupMean(values, first, key[1], key[0]).draws for key in keys}

    def differences(swap: NDArray[np.bool_]) -> dict[tuple[str, str], Floats]:
        as_first = np.concatenate([~swap, swap], axis=1).astype(float)
        of_first, of_second = agreement(as_first), agreement(1.0 - as_first)
        return {key: of_first[key] - of_second[key] for key in keys}

    labels = layout.ids
    if resampling.clusters is not None:
        labels = [resampling.clusters.get(one, one) for one in layout.ids]
    codes = cluster_codes(labels, n)
    units = int(codes.max()) + 1
    exact = 2**units <= n_permutations
    observed = {key: float(found[0]) for key, found in differences(np.zeros((1, n), dtype=bool)).items()}
    generator = np.random.default_rng(resampling.seed)
    as_far, defined = dict.fromkeys(keys, 0), dict.fromkeys(keys, 0)
    at_once = max(1, CELLS_AT_ONCE // max(2 * n, len(pairs), 1))
    number = 2**units if exact else n_permutations
    for start in range(0, number, at_once):
        size = min(at_once, number - start)
        if exact:
            swap = (np.arange(start, start + size)[:, np.newaxis] >> np.arange(units)) & 1
        else:
            swap = generator.integers(0, 2, size=(size, units), dtype=np.int8)
        for key, found in differences(swap.astype(bool)[:, codes]).items():
            defined[key] += int((~np.isnan(found)).sum())
            as_far[key] += int((np.abs(found) >= abs(observed[key]) - 1e-12).sum())
    # All ways contain the one that was seen; of random ones it is counted beside them.
    seen = 0 if exact else 1
    return {
        key: math.nan if math.isnan(observed[key]) else (as_far[key] + seen) / (defined[key] + seen)
        for key in keys
    }
