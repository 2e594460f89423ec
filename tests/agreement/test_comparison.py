"""Two methods against the same raters."""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import permutation_test, ttest_rel

from creaeval.agreement.comparison import compare_methods, correct_family
from creaeval.agreement.pair_values import AVG, Resampling
from creaeval.agreement.points import COLUMNS
from creaeval.errors import SettingError
from creaeval.stats.compare import smallest_detectable_difference
from creaeval.stats.correlation import pearson
from creaeval.stats.kappa import quadratic_weighted_kappa

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def table(
    judges: Mapping[tuple[str, str, str], Sequence[float]], raters: Mapping[tuple[str, str], Sequence[float]]
) -> pd.DataFrame:
    rows = [
        *(
            (f"R{n}", judge, "judge", method, dimension, value)
            for (method, judge, dimension), values in judges.items()
            for n, value in enumerate(values)
        ),
        *(
            (f"R{n}", rater, "rater", "", dimension, value)
            for (rater, dimension), values in raters.items()
            for n, value in enumerate(values)
        ),
    ]
    frame = pd.DataFrame(rows, columns=COLUMNS).astype({"points": float})
    return frame[frame["points"].notna()]


A = [1, 2, 3, 4, 5, 6]
NEAR = [1, 2, 3, 4, 6, 6]
FAR = [3, 3, 3, 4, 4, 3]


def row(frame: pd.DataFrame, dimension: str, metric: str) -> pd.Series:
    chosen = frame[frame["dimension"].eq(dimension) & frame["metric"].eq(metric)]
    assert len(chosen) == 1
    return chosen.iloc[0]


def test_differences_and_exact_permutation_test() -> None:
    points = table({("good", "g: j", "d"): NEAR, ("bad", "b: j", "d"): FAR}, {("A", "d"): A})
    found = compare_methods(
        points, ["d"], "good", "bad", measures=["qwk"], resampling=Resampling(n_resamples=500)
    )
    primary = row(found, AVG, "qwk")
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


def permuted(
    first: Sequence[float],
    second: Sequence[float],
    rater: Sequence[float],
    measure: str = "exact",
    resampling: Resampling | None = None,
    n_permutations: int = 10_000,
) -> float:
    """The p of the difference of two methods with one judge each."""
    points = table({("first", "f", "d"): first, ("second", "s", "d"): second}, {("A", "d"): rater})
    compared = compare_methods(
        points,
        ["d"],
        "first",
        "second",
        measures=[measure],
        resampling=resampling or Resampling(n_resamples=0),
        n_permutations=n_permutations,
    )
    return float(row(compared, AVG, measure).p)


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
    clusters = {f"R{n}": name for n, name in enumerate("aaaaaaaabcd")}
    first, second = [5] * 10 + [1], [1] * 10 + [5]
    resampling = Resampling(n_resamples=0, clusters=clusters)
    assert permuted(first, second, [5] * 11, resampling=resampling) == pytest.approx(4 / 8)


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
        resampling = Resampling(n_resamples=0, seed=seed)
        hits += permuted(first, second, rater, "pearson", resampling, n_permutations=199) <= 0.05
    assert 3 <= hits <= 28  # expected 15, standard deviation 3.8


def test_the_t_test_says_what_it_pairs() -> None:
    judges = {
        (method, method, dimension): values
        for method, by in {"good": {"d": NEAR, "e": A}, "bad": {"d": FAR, "e": NEAR}}.items()
        for dimension, values in by.items()
    }
    raters = {(rater, dimension): A for rater in "AB" for dimension in "de"}
    found = compare_methods(
        table(judges, raters), ["d", "e"], "good", "bad", measures=["qwk"], n_permutations=100
    )
    of_d = row(found, "d", "qwk")
    distances = [np.abs(np.subtract(values, A)) for values in (NEAR, FAR)]
    expected = ttest_rel(*distances)
    assert (of_d.t, of_d.p_t, of_d.df) == pytest.approx((expected.statistic, expected.pvalue, 5))
    assert of_d.t_test_pairs == "6 responses' mean absolute differences"
    means = [
        [quadratic_weighted_kappa(judges[method, method, dimension], A) for dimension in "de"]
        for method in ("good", "bad")
    ]
    expected = ttest_rel(*means)
    average = row(found, AVG, "qwk")
    assert (average.t, average.p_t) == pytest.approx((expected.statistic, expected.pvalue))
    assert average.t_test_pairs == "2 dimensions"


def test_only_the_family_is_corrected_by_holm() -> None:
    random = np.random.default_rng(1)
    truth = random.integers(1, 8, 40)
    judges = {
        (method, method, dimension): (truth + random.integers(-noise, noise + 1, 40)).tolist()
        for method, noise in (("good", 1), ("bad", 4))
        for dimension in "de"
    }
    raters = {(rater, dimension): truth.tolist() for rater in "AB" for dimension in "de"}
    found = compare_methods(
        table(judges, raters), ["d", "e"], "good", "bad", measures=["qwk", "pearson"], n_permutations=999
    )
    family = found[found["contrast"] == "family"]
    assert len(family) == 5
    assert len(found) == 6
    # Holm by hand: the running maximum of (m - rank + 1) p.
    expected: list[float] = []
    for rank, p in enumerate(sorted(family["p"])):
        expected.append(min(1.0, max([*expected, (5 - rank) * p])))
    assert sorted(family["p_holm"]) == pytest.approx(expected)
    assert row(found, AVG, "qwk").p == pytest.approx(1 / 1000)


def test_only_responses_that_both_methods_scored_count() -> None:
    points = table({("good", "g", "d"): [*A, 1], ("bad", "b", "d"): [*NEAR, math.nan]}, {("A", "d"): [*A, 9]})
    found = compare_methods(points, ["d"], "good", "bad", measures=["qwk"], n_permutations=10)
    assert row(found, "d", "qwk").n == 6
    assert row(found, "d", "qwk").first_value == pytest.approx(1)


def test_panels_are_swapped_judge_for_judge_and_unequal_ones_have_no_p() -> None:
    judges = {("good", name, "d"): NEAR for name in ("g1", "g2")} | {("bad", "b1", "d"): FAR}
    raters = {("A", "d"): A}
    found = compare_methods(table(judges, raters), ["d"], "good", "bad", measures=["qwk"])
    assert math.isnan(row(found, AVG, "qwk").p)
    assert row(found, AVG, "qwk").difference > 0
    judges[("bad", "b2", "d")] = FAR
    found = compare_methods(table(judges, raters), ["d"], "good", "bad", measures=["qwk"])
    alone = compare_methods(
        table({("good", "g1", "d"): NEAR, ("bad", "b1", "d"): FAR}, raters),
        ["d"],
        "good",
        "bad",
        measures=["qwk"],
    )
    assert row(found, AVG, "qwk").p == row(alone, AVG, "qwk").p


def test_of_several_pairs_the_first_mean_alone_is_primary() -> None:
    judges = {("a", "a", "d"): A, ("b", "b", "d"): NEAR, ("c", "c", "d"): FAR}
    points = table(judges, {("A", "d"): A})
    pairs = [compare_methods(points, ["d"], "a", other, measures=["qwk"]) for other in ("b", "c")]
    found = correct_family(pd.concat(pairs))
    primary = found[found["contrast"] == "primary"]
    assert primary[["first", "second", "dimension"]].to_numpy().tolist() == [["a", "b", AVG]]
    assert found["p_holm"].notna().sum() == 3


def test_a_difference_that_never_varies_has_no_detectable_size() -> None:
    points = table({("a", "a", "d"): A, ("b", "b", "d"): A}, {("A", "d"): A})
    found = compare_methods(points, ["d"], "a", "b", measures=["qwk"], n_permutations=10)
    assert row(found, AVG, "qwk").difference == 0
    assert math.isnan(row(found, AVG, "qwk").detectable)


def test_clusters_are_swapped_whole() -> None:
    points = table({("good", "g", "d"): NEAR, ("bad", "b", "d"): FAR}, {("A", "d"): A})
    clusters = {f"R{n}": "one" for n in range(6)}
    found = compare_methods(
        points, ["d"], "good", "bad", measures=["qwk"], resampling=Resampling(clusters=clusters)
    )
    # Swapping the only cluster gives the same difference with the other sign.
    assert row(found, AVG, "qwk").p == 1


def test_an_undefined_difference_has_its_reason_and_an_unknown_method_is_named() -> None:
    points = table({("good", "g", "d"): A, ("bad", "b", "d"): [3] * 6}, {("A", "d"): A})
    found = compare_methods(points, ["d"], "good", "bad", measures=["pearson"], n_permutations=10)
    undefined = row(found, "d", "pearson")
    assert math.isnan(undefined.difference)
    assert math.isnan(undefined.p)
    assert undefined.reason == "undefined for bad (6 responses that both scored)"
    with pytest.raises(SettingError, match="no method 'best' to compare; there are good, bad"):
        compare_methods(points, ["d"], "good", "best")
