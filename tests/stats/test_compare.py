"""Paired comparisons: against hand computation, published data and scipy."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from creaeval.stats.compare import (
    holm,
    paired_difference,
    paired_t_test,
    permutation_test,
    smallest_detectable_difference,
)
from creaeval.stats.resample import bootstrap, mean, pearson, quadratic_weighted_kappa

# Student's sleep data (1908), as in R's `datasets::sleep`
FIRST_DRUG = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
SECOND_DRUG = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]


def methods(n: int = 60, seed: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    human = generator.integers(1, 11, n).astype(float)
    near, far = human + generator.normal(0, 1, n), human + generator.normal(0, 4, n)
    return near, far, human


def test_difference_of_means_is_the_bootstrap_of_the_differences() -> None:
    a, b, _ = methods()
    both, alone = paired_difference(mean, a, b, seed=3), bootstrap(mean, [a - b], seed=3)
    assert (both.first, both.second) == pytest.approx((a.mean(), b.mean()))
    assert (both.difference.low, both.difference.high) == pytest.approx((alone.low, alone.high))


def test_a_method_does_not_differ_from_itself() -> None:
    a, _, human = methods()
    result = paired_difference(quadratic_weighted_kappa, a, a, human, n_resamples=50)
    assert result.difference.value == result.difference.low == result.difference.high == 0.0


def test_the_better_method_is_found_and_swapping_turns_the_sign() -> None:
    near, far, human = methods()
    result = paired_difference(quadratic_weighted_kappa, near, far, human, seed=2)
    turned = paired_difference(quadratic_weighted_kappa, far, near, human, seed=2)
    assert result.difference.low > 0.0
    assert result.difference.value == pytest.approx(result.first - result.second)
    assert turned.difference.low == pytest.approx(-result.difference.high)


def test_two_raters_are_averaged_and_missing_rows_left_out() -> None:
    near, far, human = methods()
    raters = np.column_stack([human, np.clip(human + 1, 1, 10)])
    raters[0, 1] = far[1] = np.nan
    result = paired_difference(pearson, near, far, raters, n_resamples=50)
    expected = np.mean([np.corrcoef(near[2:], raters[2:, rater])[0, 1] for rater in range(2)])
    assert (result.difference.n, result.difference.n_missing) == (58, 2)
    assert result.first == pytest.approx(expected)


def test_undefined_with_one_rater_is_undefined() -> None:
    near, far, human = methods()
    result = paired_difference(pearson, near, far, np.column_stack([human, np.ones(60)]))
    assert math.isnan(result.first)
    assert math.isnan(result.difference.value)
    assert result.difference.warnings


def test_permutation_of_three_pairs_by_hand() -> None:
    # Differences 1, 2, 3: of the eight sign patterns two (+++ and ---) reach |2|.
    result = permutation_test(mean, [2, 4, 6], [1, 2, 3], n_permutations=20_000)
    assert result.difference == pytest.approx(2.0)
    assert result.p_value == pytest.approx(0.25, abs=0.01)
    assert any("0.25" in warning for warning in result.warnings)


def test_permutation_agrees_with_scipy() -> None:
    a, b = np.array(FIRST_DRUG), np.array(SECOND_DRUG)
    theirs = scipy.stats.permutation_test(
        (a, b), lambda x, y, axis: np.mean(x - y, axis=axis), permutation_type="samples", n_resamples=2000
    )
    ours = permutation_test(mean, a, b, n_permutations=20_000)
    assert theirs.pvalue == pytest.approx(2 / 512)  # exact: one pair is equal
    assert ours.p_value == pytest.approx(theirs.pvalue, abs=0.002)


def test_permutation_of_a_kappa_swaps_labels_not_references() -> None:
    near, far, human = methods()
    result = permutation_test(quadratic_weighted_kappa, near, far, human, n_permutations=999)
    assert result.p_value == pytest.approx(1 / 1000)
    assert result.difference == pytest.approx(
        paired_difference(quadratic_weighted_kappa, near, far, human, n_resamples=2).difference.value
    )


def test_clusters_are_swapped_as_a_whole() -> None:
    # As for four pairs with differences 8, 1, 1, -1: beside +8 the others must add 1 or 3 (4 patterns of 8).
    a = np.repeat([8.0, 1.0, 1.0, -1.0], 10)
    result = permutation_test(
        mean, a, np.zeros(40), groups=np.repeat(list("abcd"), 10), n_permutations=20_000
    )
    assert result.n_clusters == 4
    assert result.p_value == pytest.approx(0.5, abs=0.015)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=8))
@settings(max_examples=50)
def test_p_is_above_zero_and_at_most_one_or_undefined(rows: list[tuple[int, int, int]]) -> None:
    a, b, human = np.array(rows, dtype=float).T
    result = permutation_test(pearson, a, b, human, n_permutations=50)
    assert math.isnan(result.p_value) == math.isnan(result.difference)
    assert math.isnan(result.p_value) or 0.0 < result.p_value <= 1.0


def test_the_permutation_test_rejects_no_more_than_it_should() -> None:
    generator = np.random.default_rng(8)
    hits = sum(
        permutation_test(mean, *generator.normal(size=(2, 12)), n_permutations=199, seed=seed).p_value <= 0.05
        for seed in range(300)
    )
    assert 3 <= hits <= 28  # expected 15, standard deviation 3.8


def test_nothing_to_permute_is_undefined() -> None:
    result = permutation_test(mean, [np.nan], [1.0])
    assert math.isnan(result.p_value)
    assert result.n_missing == 1


def test_students_sleep_data() -> None:
    # t.test(extra ~ group, paired = TRUE): t = -4.0621, df = 9, p = 0.002833, 95 % -2.4598858 to -0.7001142
    result = paired_t_test(FIRST_DRUG, SECOND_DRUG, paired_by="patient")
    assert (result.paired_by, result.n, result.degrees_of_freedom) == ("patient", 10, 9)
    assert result.mean_difference == pytest.approx(-1.58)
    assert result.t == pytest.approx(-4.0621, abs=5e-5)
    assert result.p_value == pytest.approx(0.002833, abs=5e-7)
    assert (result.low, result.high) == pytest.approx((-2.4598858, -0.7001142), abs=5e-8)


def test_t_test_without_spread_or_pairs_is_undefined() -> None:
    same = paired_t_test([1.1, 2.2, 3.3], [0.1, 1.2, 2.3])
    assert same.mean_difference == pytest.approx(1.0)
    assert math.isnan(same.t)
    assert math.isnan(same.p_value)
    single = paired_t_test([1, np.nan], [0, 1])
    assert (single.n, single.n_missing, single.mean_difference) == (1, 1, 1.0)
    assert math.isnan(single.standard_deviation)
    assert math.isnan(paired_t_test([], []).mean_difference)


def test_holm_by_hand() -> None:
    # sorted 0.01 x 3, 0.03 x 2, 0.04 x 1, then the running maximum
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.6, 0.9]) == pytest.approx([1.0, 1.0])
    assert holm([0.01, np.nan, 0.04, 0.03]) == pytest.approx([0.03, np.nan, 0.06, 0.06], nan_ok=True)
    assert len(holm([])) == 0


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_keeps_the_order_and_never_lowers(p_values: list[float]) -> None:
    adjusted = holm(p_values)
    order = np.argsort(p_values, kind="stable")
    assert (np.diff(adjusted[order]) >= 0).all()
    assert (adjusted >= np.array(p_values)).all()
    assert (adjusted <= 1).all()


def test_smallest_detectable_difference() -> None:
    assert smallest_detectable_difference(1.0) == pytest.approx(1.959964 + 0.841621, abs=1e-6)
    assert smallest_detectable_difference(0.05, alpha=0.01, power=0.9) == pytest.approx(
        0.05 * (2.575829 + 1.281552), abs=1e-6
    )
    assert math.isnan(smallest_detectable_difference(math.nan))


def test_what_makes_no_sense_is_refused_in_words() -> None:
    with pytest.raises(ValueError, match="same number"):
        paired_difference(mean, [1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match="one-dimensional"):
        permutation_test(mean, np.ones((2, 2)), [1, 2])
    with pytest.raises(ValueError, match="no rater"):
        permutation_test(pearson, [1, 2], [1, 2], np.ones((2, 0)))
    with pytest.raises(ValueError, match="n_permutations"):
        permutation_test(mean, [1], [1], n_permutations=0)
    with pytest.raises(ValueError, match="one-dimensional"):
        paired_t_test(np.ones((2, 2)), np.ones((2, 2)))
    with pytest.raises(ValueError, match="confidence"):
        paired_t_test([1], [1], confidence=0)
    with pytest.raises(ValueError, match="outside"):
        holm([1.2])
    with pytest.raises(ValueError, match="one-dimensional"):
        holm([[0.1]])
    with pytest.raises(ValueError, match="negative"):
        smallest_detectable_difference(-1.0)
    with pytest.raises(ValueError, match="power"):
        smallest_detectable_difference(1.0, power=1.0)
