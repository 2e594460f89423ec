"""Two methods against the same raters."""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import permutation_test, ttest_rel

from agreement.tables import by_response, judge, row, table
from creaeval.agreement.methods.comparison import compare_methods, correct_family
from creaeval.agreement.options import AgreementOptions
from creaeval.agreement.pairs import AVG
from creaeval.errors import SettingError
from creaeval.stats.compare import smallest_detectable_difference
from creaeval.stats.correlation import pearson
from creaeval.stats.kappa import quadratic_weighted_kappa

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from creaeval.agreement.rating_data import RatingData

    Points = Sequence[float | None]

A = [1, 2, 3, 4, 5, 6]
NEAR = [1, 2, 3, 4, 6, 6]
FAR = [3, 3, 3, 4, 4, 3]


def methods(
    first: Points, second: Points, rater: Points = A, carried: Mapping[str, Mapping[str, str]] | None = None
) -> RatingData:
    """Two methods of one judge each."""
    return table(
        {
            (judge("j", "good"), "", "d"): first,
            (judge("j", "bad"), "", "d"): second,
            ("rater", "A", "d"): rater,
        },
        carried=carried,
    )


def compared(
    data: RatingData,
    *measures: str,
    names: tuple[str, str] = ("good", "bad"),
    n_permutations: int = 10_000,
    **settings: Any,
) -> pd.DataFrame:
    options = AgreementOptions(**{"resamples": 0, "measures": measures, **settings})
    return compare_methods(data, *names, options, n_permutations=n_permutations)


def test_differences_and_exact_permutation_test() -> None:
    primary = row(compared(methods(NEAR, FAR), "qwk", resamples=500), dimension=AVG)
    good, bad = (quadratic_weighted_kappa(values, A) for values in (NEAR, FAR))
    assert (primary.first_value, primary.second_value) == pytest.approx((good, bad))
    assert primary.difference == pytest.approx(good - bad)
    assert primary.low <= primary.difference <= primary.high
    assert (primary.contrast, primary.n) == ("primary", 6)
    # All 64 ways of swapping, by hand: as far or farther than seen, in either direction.
    far = 0
    for swaps in product([False, True], repeat=6):
        one = [b if swap else g for g, b, swap in zip(NEAR, FAR, swaps, strict=True)]
        two = [g if swap else b for g, b, swap in zip(NEAR, FAR, swaps, strict=True)]
        other = quadratic_weighted_kappa(one, A) - quadratic_weighted_kappa(two, A)
        far += abs(other) >= good - bad - 1e-12
    # Six responses have no more ways than that, so all are gone through.
    assert primary.p == pytest.approx(far / 64)
    assert math.isnan(primary.p_holm)
    error = (primary.detectable) / smallest_detectable_difference(1.0)
    assert 0 < error < 1


def permuted(first: Points, second: Points, rater: Points, measure: str = "exact", **settings: Any) -> float:
    """The p of the difference of two methods with one judge each."""
    return float(row(compared(methods(first, second, rater), measure, **settings), dimension=AVG).p)


@pytest.mark.parametrize(("n", "n_permutations", "tolerance"), [(8, 10_000, 1e-9), (14, 4_000, 0.004)])
def test_the_permutation_test_is_that_of_scipy_exact_and_at_random(
    n: int, n_permutations: int, tolerance: float
) -> None:
    random = np.random.default_rng(3)
    rater = random.integers(1, 8, n)
    first, second = rater + random.integers(-2, 3, n), rater + random.integers(-3, 4, n)
    oracle = permutation_test(
        (first, second),
        lambda x, y: quadratic_weighted_kappa(x, rater) - quadratic_weighted_kappa(y, rater),
        permutation_type="samples",
        vectorized=False,
        n_resamples=n_permutations,
        rng=5,
    )
    p = permuted(first, second, rater, "qwk", n_permutations=n_permutations)  # type: ignore[arg-type]
    assert 0.005 < p < 0.9
    assert p == pytest.approx(oracle.pvalue, abs=tolerance)


def test_the_permutation_test_by_hand() -> None:
    # Of three responses the first method meets the rater each time, the second never: of the eight sign
    # patterns two (+++ and ---) differ as much.
    assert permuted([1, 2, 3], [4, 4, 4], [1, 2, 3]) == pytest.approx(2 / 8)
    # Clusters that differ by 8, 1, 1 and -1 responses: beside +8 the others must add 1 or 3, 4 patterns of 8.
    clusters = {"plot": by_response("aaaaaaaabcd")}
    data = methods([5] * 10 + [1], [1] * 10 + [5], [5] * 11, clusters)
    assert row(compared(data, "exact", cluster=("plot",)), dimension=AVG).p == pytest.approx(4 / 8)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=1, max_size=8))
def test_p_is_above_zero_and_at_most_one_or_undefined(rows: list[tuple[int, int, int]]) -> None:
    first, second, rater = np.array(rows, dtype=float).T
    p = permuted(first, second, rater, "pearson", n_permutations=50)
    difference = pearson(first, rater) - pearson(second, rater)
    assert math.isnan(p) == math.isnan(difference)
    assert math.isnan(p) or 0.0 < p <= 1.0


def test_the_permutation_test_rejects_no_more_than_it_should() -> None:
    random = np.random.default_rng(8)
    hits = 0
    for seed in range(300):
        first, second, rater = random.normal(size=(3, 12))
        hits += permuted(first, second, rater, "pearson", seed=seed, n_permutations=199) <= 0.05
    assert 3 <= hits <= 28  # expected 15, standard deviation 3.8


TWO = {"good": {"d": NEAR, "e": A}, "bad": {"d": FAR, "e": NEAR}}


def test_the_t_test_says_what_it_pairs() -> None:
    data = table(
        {(judge("j", method), "", name): points for method, by in TWO.items() for name, points in by.items()}
        | {("rater", rater, dimension): A for rater in "AB" for dimension in "de"},
        carried={"plot": by_response("aabbcc")},
    )
    distances = np.array([[np.abs(np.subtract(by[name], A)) for name in "de"] for by in TWO.values()])
    found = compared(data, "qwk", n_permutations=100)
    of_d = row(found, dimension="d")
    expected = ttest_rel(*distances[:, 0])
    assert (of_d.t, of_d.p_t, of_d.df) == pytest.approx((expected.statistic, expected.pvalue, 5))
    assert of_d.t_test_pairs == "6 responses' mean absolute differences"
    # Dimensions of one response go together, so their mean is paired by response, too.
    average = row(found, dimension=AVG)
    expected = ttest_rel(*distances.mean(axis=1))
    assert (average.t, average.p_t, average.df) == pytest.approx((expected.statistic, expected.pvalue, 5))
    assert average.t_test_pairs == "6 responses' mean absolute differences"
    clustered = compared(data, "qwk", n_permutations=100, cluster=("plot",))
    for dimension, of_responses in (("d", distances[:, 0]), (AVG, distances.mean(axis=1))):
        of_clusters = row(clustered, dimension=dimension)
        expected = ttest_rel(*of_responses.reshape(2, 3, 2).mean(axis=2))
        assert (of_clusters.t, of_clusters.p_t) == pytest.approx((expected.statistic, expected.pvalue))
        assert of_clusters.t_test_pairs == "3 clusters' mean absolute differences"


def test_only_the_family_is_corrected_by_holm() -> None:
    random = np.random.default_rng(1)
    truth = random.integers(1, 8, 40)
    judges = {
        (judge("j", method), "", dimension): (truth + random.integers(-noise, noise + 1, 40)).tolist()
        for method, noise in (("good", 1), ("bad", 4))
        for dimension in "de"
    }
    raters = {("rater", rater, dimension): truth.tolist() for rater in "AB" for dimension in "de"}
    found = compared(table(judges | raters), "qwk", "pearson", n_permutations=999)
    family = found[found["contrast"] == "family"]
    assert len(family) == 5
    assert len(found) == 6
    assert sorted(family["p_holm"]) == pytest.approx(holm(family["p"]))
    assert row(found, dimension=AVG, metric="qwk").p == pytest.approx(1 / 1000)


def holm(p_values: Iterable[float]) -> list[float]:
    """Holm by hand: the running maximum of (m - rank + 1) p."""
    expected: list[float] = []
    ordered = sorted(p_values)
    for rank, p in enumerate(ordered):
        expected.append(min(1.0, max([*expected, (len(ordered) - rank) * p])))
    return expected


def test_the_only_dimension_and_the_average_are_one_test() -> None:
    found = compared(methods(NEAR, FAR), "qwk", "pearson", "icc")
    assert found.loc[found["contrast"].eq("primary"), ["dimension", "metric"]].to_numpy().tolist() == [
        [AVG, "qwk"]
    ]
    assert set(found.loc[found["dimension"].eq("d"), "contrast"]) == {f"as {AVG}"}
    family = found[found["metric"].ne("qwk")].set_index(["metric", "dimension"])
    tests = family["p"].xs("d", level="dimension")
    assert sorted(family["p_holm"].xs("d", level="dimension")) == pytest.approx(holm(tests))
    for measure in ("pearson", "icc"):
        assert family["p_holm"].xs(measure, level="metric").nunique() == 1
    assert found.loc[found["metric"].eq("qwk"), "p_holm"].isna().all()


def test_only_responses_that_both_methods_scored_count() -> None:
    found = row(compared(methods([*A, 1], [*NEAR, None], [*A, 9]), "qwk", n_permutations=10), dimension="d")
    assert found.n == 6
    assert found.first_value == pytest.approx(1)


def panels(good: Mapping[str, Points], bad: Mapping[str, Points], measure: str = "exact") -> pd.Series:
    """The mean agreement of two panels with A, compared."""
    both = {"good": good, "bad": bad}
    judges = {(judge(name, method), "", "d"): by[name] for method, by in both.items() for name in by}
    return row(compared(table(judges | {("rater", "A", "d"): A}), measure), dimension=AVG)


def test_panels_of_the_same_judges_are_swapped_judge_for_judge() -> None:
    good, bad = {"x": NEAR, "y": [1, 5, 3, 5, 5, 6]}, {"y": [1, 2, 3, 5, 2, 2], "x": FAR}
    # Unlike a share of responses, kappa is not the same for other pairs of judges.
    found = panels(good, bad, "qwk")

    def difference(swaps: Sequence[bool]) -> float:
        differences = []
        for name in "xy":
            pairs = zip(good[name], bad[name], strict=True)
            ordered = [pair[::-1] if swap else pair for pair, swap in zip(pairs, swaps, strict=True)]
            one, two = (quadratic_weighted_kappa(points, A) for points in zip(*ordered, strict=True))
            differences.append(one - two)
        return float(np.mean(differences))

    seen = difference([False] * 6)
    assert found.difference == pytest.approx(seen)
    ways = [difference(swaps) for swaps in product([False, True], repeat=6)]
    assert found.p == pytest.approx(np.mean(np.abs(ways) >= abs(seen) - 1e-12))
    assert found.reason == ""
    twice = panels({"x": NEAR, "y": NEAR}, {"x": FAR, "y": FAR})
    assert twice.p == panels({"x": NEAR}, {"x": FAR}).p


def test_of_unequal_panels_the_judges_of_both_are_compared_and_the_others_named() -> None:
    alone = panels({"x": NEAR}, {"x": FAR})
    more = panels({"x": NEAR, "y": A, "z": FAR}, {"w": A, "x": FAR})
    for column in ("first_value", "second_value", "difference", "p", "n"):
        assert more[column] == alone[column]
    assert more.reason == "without good: y, good: z, bad: w, since the other method has no such judge"


def test_repeats_are_compared_with_the_same_repeats() -> None:
    data = table(
        {
            (judge("x", "good", repeat=1), "", "d"): NEAR,
            (judge("x", "good", repeat=2), "", "d"): A,
            (judge("x", "bad", repeat=2), "", "d"): FAR,
            ("rater", "A", "d"): A,
        }
    )
    found = row(compared(data, "exact"), dimension=AVG)
    assert (found.first_value, found.second_value) == (1, 2 / 6)
    assert found.reason == "without good: x, since the other method has no such judge"


def test_panels_of_other_judges_are_not_compared_but_single_judges_are() -> None:
    found = panels({"x": NEAR, "y": NEAR}, {"z": FAR})
    assert (found.first_value, found.second_value) == pytest.approx((5 / 6, 2 / 6))
    assert found[["difference", "low", "high", "p", "p_holm", "detectable"]].isna().all()
    assert found.reason == "not compared: a panel is compared with a panel of the same judges only"
    single = panels({"x": NEAR}, {"z": FAR})
    assert (single.p, single.reason) == (panels({"x": NEAR}, {"x": FAR}).p, "")
    assert single.difference == pytest.approx(3 / 6)


def test_of_several_pairs_the_first_is_primary_and_the_others_are_the_family() -> None:
    data = table(
        {(judge("j", name), "", "d"): points for name, points in {"a": A, "b": NEAR, "c": FAR}.items()}
        | {("rater", "A", "d"): A}
    )
    found = correct_family(pd.concat(compared(data, "qwk", names=("a", other)) for other in "bc"))
    primary = found[found["contrast"] == "primary"]
    # With one dimension, it and the average are the same test.
    assert primary[["first", "second", "dimension"]].to_numpy().tolist() == [["a", "b", AVG]]
    family = found[found["p_holm"].notna()]
    assert family[["second", "dimension"]].to_numpy().tolist() == [["c", "d"], ["c", AVG]]
    assert (family["p_holm"] == family["p"]).all()


def test_a_difference_that_never_varies_has_no_detectable_size() -> None:
    found = row(compared(methods(A, A), "qwk", resamples=2000, n_permutations=10), dimension=AVG)
    assert found.difference == 0
    assert math.isnan(found.detectable)


def test_clusters_are_swapped_whole() -> None:
    data = methods(NEAR, FAR, carried={"plot": by_response(["one"] * 6)})
    # Swapping the only cluster gives the same difference with the other sign.
    assert row(compared(data, "qwk", cluster=("plot",)), dimension=AVG).p == 1


def test_an_undefined_difference_has_its_reason_and_an_unknown_method_is_named() -> None:
    data = methods(A, [3] * 6)
    undefined = row(compared(data, "pearson", n_permutations=10), dimension="d")
    assert math.isnan(undefined.difference)
    assert math.isnan(undefined.p)
    assert undefined.reason == "undefined for bad (6 responses that both scored)"
    with pytest.raises(SettingError, match="no method 'best' to compare; there are good, bad"):
        compare_methods(data, "good", "best")
