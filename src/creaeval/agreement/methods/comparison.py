"""Whether one method agrees better with people than another, on the same responses."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from creaeval.agreement.options import AgreementOptions
from creaeval.agreement.pairs import (
    AVG,
    Group,
    GroupMean,
    PairValues,
    defined_mean,
    pair_places,
)
from creaeval.agreement.protocol import check_rated
from creaeval.errors import SettingError
from creaeval.stats.measures import PRIMARY as PRIMARY_MEASURE
from creaeval.stats.measures import get_measure
from creaeval.wording import first_few

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from creaeval.agreement.rating_data import RatingData, Scorer

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
#: What the rows of an only dimension say, whose tests are those of the average.
AS_AVERAGE = f"as {AVG}"


def compare_methods(
    data: RatingData,
    first: str,
    second: str,
    options: AgreementOptions | None = None,
    *,
    n_permutations: int = 10_000,
) -> pd.DataFrame:
    """Compare two methods by their agreement with the same raters, on the responses that both scored.

    Parameters
    ----------
    data : RatingData
        Of both methods.
    first, second : str
        Names of methods.
    options : AgreementOptions, optional
        Of its measures, those that are not comparable are left out. Intervals of the differences
        come from resampling responses (or clusters) of both methods together.
    n_permutations : int
        Random permutations of the tests; 0 for no tests.

    Returns
    -------
    pandas.DataFrame
        One row for each metric and dimension, and ``AVG``. ``difference`` is first minus second of the means
        over raters and judges, with its interval. A panel is compared with a panel of the same judges only:
        where the methods share some, with these; where they share none, only single judges are compared,
        and ``reason`` says so. ``p`` is two-sided, from swapping the methods of whole responses (or of the
        first clusters), all dimensions together: in all ways where these are no more than the permutations.
        ``contrast`` is ``primary`` for mean QWK alone; the others are one family, whose ``p_holm`` is
        corrected by Holm. ``detectable`` is the smallest true difference that would be found with a power of
        .80 at .05, from the standard error of the difference. ``t``, ``df`` and ``p_t`` are a paired t-test
        of the responses' (or first clusters') mean absolute differences from the raters, for ``AVG`` their
        means over dimensions (negative t: the first method lies nearer), the same in each metric.

    Raises
    ------
    SettingError
        A method or measure is not known.
    """
    import pandas as pd

    options = options or AgreementOptions()
    check_rated(data)
    options = options.change(measures=[name for name in options.measures if get_measure(name).comparable])
    panels = find_panels(data, first, second)
    data = same_responses(data, panels.groups)
    values = PairValues(data, panels.groups, options)
    permuted = _permuted(data, panels.groups, options, n_permutations) if panels.comparable else {}
    tests = _t_tests(data, panels.groups, options)
    rows = [
        [
            *(first, second, dimension, measure, "family"),
            *_difference(values, panels, measure, dimension, permuted.get((dimension, measure), math.nan)),
            *tests[dimension],
        ]
        for measure in options.measures
        for dimension in (*data.dimensions, AVG)
    ]
    return correct_family(pd.DataFrame(rows, columns=[*COLUMNS[:-5], "reason", *COLUMNS[-5:-1]])[COLUMNS])


def correct_family(table: pd.DataFrame) -> pd.DataFrame:
    """Name the primary contrast and correct all others by Holm, as one family; each test counts once.

    Of a task with one dimension, that dimension's test is the one of ``AVG``, and ``contrast`` says so.

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
    average = table["dimension"].eq(AVG)
    again = ~average & (table["dimension"].nunique() == 2)  # the only dimension and its average
    primary = first & average & table["metric"].eq(PRIMARY[1])
    table["contrast"] = np.where(primary, "primary", np.where(again, AS_AVERAGE, "family"))
    counted = ~primary & ~again
    table["p_holm"] = np.nan
    table.loc[counted, "p_holm"] = holm(np.asarray(table.loc[counted, "p"], dtype=float))
    if again.any():
        same_test = table.groupby(["first", "second", "metric"], sort=False)
        table["p_holm"] = same_test["p_holm"].transform("max")
    return table


class Panels(NamedTuple):
    """The judges of two methods that are compared, and what must be said of them."""

    groups: list[Group]
    comparable: bool
    reason: str


def find_panels(data: RatingData, first: str, second: str) -> Panels:
    """Take the judges that both methods have, in one order; else each method's only judge."""
    judges = [{_identity(scorer): scorer for scorer in _judges(data, name)} for name in (first, second)]
    shared = [identity for identity in judges[0] if identity in judges[1]]
    single = len(judges[0]) == len(judges[1]) == 1
    kept = [[of_method[identity] for identity in shared] for of_method in judges] if shared else []
    left = [
        data.label(scorer) for of_method in judges for key, scorer in of_method.items() if key not in shared
    ]
    reason = ""
    if not shared:
        kept = [list(of_method.values()) for of_method in judges]
        reason = "" if single else "not compared: a panel is compared with a panel of the same judges only"
    elif left:
        reason = f"without {first_few(left)}, since the other method has no such judge"
    groups = [
        Group(name, name, [[(judge, rater) for rater in data.raters] for judge in panel])
        for name, panel in zip((first, second), kept, strict=True)
    ]
    return Panels(groups, bool(shared) or single, reason)


def _identity(scorer: Scorer) -> tuple[object, ...]:
    return scorer.name, scorer.repeat, scorer.variant


def _judges(data: RatingData, method: str) -> list[Scorer]:
    judges = [scorer for scorer in data.judges if scorer.method == method]
    if not judges:
        known = ", ".join(filter(None, data.methods))
        raise SettingError(f"There is no method {method!r} to compare; there are {known or 'none'}.")
    return judges


def _scorers(group: Group) -> list[Scorer]:
    return [pairs[0][0] for pairs in group.pairs if pairs]


def _difference(
    values: PairValues, panels: Panels, measure: str, dimension: str, p: float
) -> tuple[object, ...]:
    """Return both values, and their difference with its interval, test and reason."""
    from creaeval.stats.compare import smallest_detectable_difference

    a, b = (values.mean(group, measure, dimension) for group in panels.groups)
    n = min(a.n, b.n)
    if not panels.comparable:
        return a.value, b.value, *(math.nan,) * 6, n, panels.reason
    difference = a - b
    ends, remark = values.interval(difference)
    error = ends.standard_error
    detectable = smallest_detectable_difference(error) if error > 1e-12 else math.nan
    reasons = (_why_undefined(a, b, panels.groups), panels.reason, remark)
    return (
        *(a.value, b.value, difference.value, ends.low, ends.high, p, math.nan, detectable, n),
        "; ".join(filter(None, reasons)),
    )


def same_responses(data: RatingData, groups: Iterable[Group]) -> RatingData:
    """Leave out, of each dimension, the units to which one of the judges gave no points."""
    import numpy as np

    judges = {scorer for group in groups for scorer in _scorers(group)}
    numbers = [number for number, scorer in enumerate(data.scorers) if scorer in judges]
    cells = data.long["dimension"].to_numpy() * len(data.units) + data.long["unit"].to_numpy()
    of_judges = np.isin(data.long["scorer"], numbers)
    counts = np.bincount(cells[of_judges], minlength=len(data.dimensions) * len(data.units))
    return data.keep(~of_judges | (counts[cells] == len(numbers)))


def _why_undefined(a: GroupMean, b: GroupMean, groups: Sequence[Group]) -> str:
    names = [group.name for group, mean in zip(groups, (a, b), strict=True) if math.isnan(mean.value)]
    if names:
        return f"undefined for {' and '.join(names)} ({min(a.n, b.n)} responses that both scored)"
    if (a.defined, b.defined) != (a.all, b.all):
        return f"of {a.all} averaged values {a.defined} and {b.defined} are defined"
    return ""


def _t_tests(
    data: RatingData, groups: Sequence[Group], options: AgreementOptions
) -> dict[str, tuple[float, int, float, str]]:
    """Test, over responses or clusters, which method's points lie nearer to the raters'.

    Dimensions of one response go together (halo), so the test of their mean takes responses as pairs, too.
    """
    import numpy as np

    from creaeval.stats.compare import paired_t_test

    labels = options.cluster_labels(data.units, data.carried)
    distances = [_distances(data, group) for group in groups]
    what = "responses' mean absolute differences"
    if labels:
        distances = [_means_by(labels[0], array) for array in distances]
        what = "clusters' mean absolute differences"
    first, second = (np.column_stack([array, defined_mean(array, axis=1)]) for array in distances)
    tests = {}
    for place, dimension in enumerate((*data.dimensions, AVG)):
        test = paired_t_test(first[:, place], second[:, place], paired_by=what)
        tests[dimension] = (test.t, test.degrees_of_freedom, test.p_value, f"{test.n} {test.paired_by}")
    return tests


def _distances(data: RatingData, group: Group) -> Floats:
    """Return mean absolute differences of a group's pairs, shape (units, dimensions)."""
    import numpy as np

    values, places = data.matrix.values, pair_places(data, [group])
    distances: Floats = np.full((len(values), len(data.dimensions)), np.nan)
    for number, dimension in enumerate(data.dimensions):
        columns = [pair for key, pair in places.items() if key[0] == dimension]
        if columns:
            scorers, raters = np.transpose(columns)
            distances[:, number] = defined_mean(np.abs(values[:, scorers] - values[:, raters]), axis=1)
    return distances


def _means_by(labels: Sequence[Hashable], values: Floats) -> Floats:
    import numpy as np

    from creaeval.stats.draws import cluster_codes

    codes = cluster_codes(labels, len(values))
    return np.array([defined_mean(values[codes == code], axis=0) for code in range(int(codes.max()) + 1)])


def _permuted(
    data: RatingData, groups: Sequence[Group], options: AgreementOptions, n_permutations: int
) -> Mapping[tuple[str, str], float]:
    """Swap the methods of random responses or clusters; a p for each dimension and measure.

    Both methods' points stand one below the other; counts of 0 and 1 choose which belong to which method.
    """
    import numpy as np

    from creaeval.stats.draws import CELLS_AT_ONCE, cluster_codes
    from creaeval.stats.grid import Grid, on_counts

    first, second = groups
    places = pair_places(data, [first])
    if not places or not n_permutations:
        return {}
    # What raters scored and no judge did has no values to swap.
    dimensions = [*dict.fromkeys(dimension for dimension, *_ in places), AVG]
    keys = [(dimension, measure) for dimension in dimensions for measure in options.measures]
    twin = dict(zip(_scorers(first), _scorers(second), strict=True))
    n, (matrix, columns) = len(data.units), data.matrix
    below = matrix.copy()
    for (dimension, scorer), column in columns.items():
        if scorer in twin:
            other = columns.get((dimension, twin[scorer]))
            below[:, column] = np.nan if other is None else matrix[:, other]
    stacked = np.concatenate([matrix, below])
    pairs, levels = list(places.values()), [data.levels.get(dimension) for dimension, *_ in places]

    def agreement(counts: Floats) -> dict[tuple[str, str], Floats]:
        values = on_counts(counts, stacked, pairs, options.measures, levels)
        on_data = {name: rows[0] for name, rows in values.items()}
        grid = Grid(on_data, values, {}, np.zeros(len(pairs), np.intp))
        means = PairValues(data, [first], options, grid)
        return {key: means.mean(first, key[1], key[0]).draws for key in keys}

    def differences(swap: NDArray[np.bool_]) -> dict[tuple[str, str], Floats]:
        as_first = np.concatenate([~swap, swap], axis=1).astype(float)
        of_first, of_second = agreement(as_first), agreement(1.0 - as_first)
        return {key: of_first[key] - of_second[key] for key in keys}

    labels = options.drawn(data.units, data.carried)
    codes = cluster_codes(labels, n)
    units = int(codes.max()) + 1
    exact = 2**units <= n_permutations
    observed = {key: float(values[0]) for key, values in differences(np.zeros((1, n), dtype=bool)).items()}
    generator = np.random.default_rng(options.seed)
    as_far, defined = dict.fromkeys(keys, 0), dict.fromkeys(keys, 0)
    at_once = max(1, CELLS_AT_ONCE // max(2 * n, len(pairs), 1))
    number = 2**units if exact else n_permutations
    for start in range(0, number, at_once):
        size = min(at_once, number - start)
        if exact:
            swap = (np.arange(start, start + size)[:, np.newaxis] >> np.arange(units)) & 1
        else:
            swap = generator.integers(0, 2, size=(size, units), dtype=np.int8)
        for key, values in differences(swap.astype(bool)[:, codes]).items():
            defined[key] += int((~np.isnan(values)).sum())
            as_far[key] += int((np.abs(values) >= abs(observed[key]) - 1e-12).sum())
    # All ways contain the one that was seen; of random ones it is counted beside them.
    seen = 0 if exact else 1
    return {
        key: math.nan if math.isnan(observed[key]) else (as_far[key] + seen) / (defined[key] + seen)
        for key in keys
    }
