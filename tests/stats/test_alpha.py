"""Krippendorff's and Cronbach's alpha against published examples; test_oracles has other packages."""

from __future__ import annotations

import math
import tracemalloc
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from creaeval import stats
from creaeval.stats.alpha import Level
from creaeval.stats.icc import icc
from stats.test_correlation import same, some
from stats.test_icc import SHROUT_FLEISS, matrices

NAN = math.nan
LEVELS: tuple[Level, ...] = get_args(Level)
# Krippendorff (2011), example C: four observers (here a row each), twelve units.
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
    [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
]

holed = st.integers(2, 4).flatmap(
    lambda k: st.lists(
        st.lists(st.sampled_from([0, 1, 2, 3.5, NAN]), min_size=k, max_size=k), min_size=2, max_size=8
    ).map(np.array)
)


@pytest.mark.parametrize(("level", "value"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_the_example_of_krippendorff(level: Level, value: float) -> None:
    assert round(stats.krippendorff_alpha(np.transpose(OBSERVERS), level), 3) == value


def test_two_constant_raters_who_differ_have_an_alpha_as_raters_are_interchangeable() -> None:
    # Four units of 2 and 3: D_o = 1; D_e = 2 * 4 * 4 / (8 * 7).
    assert stats.krippendorff_alpha([[2, 3]] * 4, "nominal") == pytest.approx(1 - 56 / 32)


@pytest.mark.parametrize(
    ("ratings", "reason"),
    [
        ([[1, 2]], "fewer than 2 targets with two ratings"),
        ([[1, 2], [3, NAN], [NAN, NAN]], "fewer than 2 targets with two ratings"),
        ([[1], [2]], "fewer than 2 targets with two ratings"),
        ([[4, 4], [4, 4]], "all ratings are equal"),
        ([[4, 4], [4, 4], [5, NAN]], "all ratings are equal"),
        ([[4, 4], [4, 5]], ""),
    ],
)
def test_undefined_is_nan_and_says_why(ratings: list[list[float]], reason: str) -> None:
    assert stats.why_alpha_undefined(ratings) == reason
    for level in LEVELS:
        assert math.isnan(stats.krippendorff_alpha(ratings, level)) == bool(reason)


@pytest.mark.parametrize("level", LEVELS)
@some
@given(ratings=holed, seed=st.integers(0, 99))
def test_the_order_of_raters_and_targets_and_single_ratings_change_nothing(
    level: Level, ratings: np.ndarray, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    value = stats.krippendorff_alpha(ratings, level)
    mixed = rng.permutation(rng.permutation(ratings), axis=1)
    assert same(stats.krippendorff_alpha(mixed, level), value)
    single = np.full((1, ratings.shape[1]), NAN)
    single[0, 0] = 9
    assert same(stats.krippendorff_alpha(np.vstack([ratings, single]), level), value)


@some
@given(ratings=holed)
def test_doubled_targets_change_alpha_only_by_its_correction_for_small_samples(ratings: np.ndarray) -> None:
    value = stats.krippendorff_alpha(ratings, "interval")
    rated = (~np.isnan(ratings)).sum(axis=1)
    n = rated[rated > 1].sum()
    # D_o stays; D_e has n² / (n (n - 1)) in it, with n paired ratings.
    expected = 1 - (1 - value) * (2 * n - 1) / (2 * n - 2) if n > 1 else math.nan
    if not math.isnan(value):
        assert same(stats.krippendorff_alpha(np.tile(ratings, (2, 1)), "interval"), expected)


@some
@given(ratings=matrices)
def test_cronbach_alpha_is_the_consistency_of_the_mean(ratings: np.ndarray) -> None:
    assert same(stats.cronbach_alpha(ratings), icc(ratings)["ICC(C,k)"].value)
    assert same(stats.stratified_alpha([ratings]), stats.cronbach_alpha(ratings))


def test_stratified_alpha_by_hand() -> None:
    # The first group has alpha 1. The second: variances of items 1 + 1, of sums 3; alpha 2 (1 - 2/3),
    # so an error of 3 (1 - 2/3) = 1. The sums 5 10 9 have the variance 7.
    groups = [[[1, 1], [2, 2], [3, 3]], [[1, 2], [3, 3], [2, 1]]]
    assert stats.stratified_alpha(groups) == pytest.approx(6 / 7)
    missing = [np.vstack([groups[0], [3, NAN]]), np.vstack([groups[1], [1, 1]])]
    assert stats.stratified_alpha(missing) == pytest.approx(6 / 7)


def continuous(targets: int, raters: int, missing: float = 0.2) -> np.ndarray:
    """Ratings with decimals, some of them missing, none equal."""
    generator = np.random.default_rng(targets + raters)
    ratings = generator.gamma(2.0, size=(targets, 1)) + generator.gamma(1.0, size=(targets, raters))
    return np.where(generator.random(ratings.shape) < missing, NAN, ratings)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("digits", [0, 1, 12])
def test_alpha_of_many_different_values_is_that_of_krippendorff(level: Level, digits: int) -> None:
    ratings = continuous(150, 4).round(digits)
    import krippendorff

    oracle = krippendorff.alpha(ratings.T, level_of_measurement=level)
    assert stats.krippendorff_alpha(ratings, level) == pytest.approx(oracle, abs=1e-12)


def test_alpha_of_ten_thousand_targets_with_decimals_takes_little_memory() -> None:
    # A matrix of its 40,000 different values would take 13 GB.
    ratings = continuous(10_000, 5)
    for level in ("interval", "ordinal", "nominal"):
        tracemalloc.start()
        value = stats.krippendorff_alpha(ratings, level)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 50e6
        assert -1 < value < 1


def test_alpha_on_a_ratio_scale_is_the_same_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    ratings = continuous(60, 3)
    whole = stats.krippendorff_alpha(ratings, "ratio")
    monkeypatch.setattr("creaeval.stats.alpha._CELLS_AT_ONCE", 1000)
    assert stats.krippendorff_alpha(ratings, "ratio") == pytest.approx(whole, abs=1e-12)


def test_a_group_whose_sums_are_equal_counts_as_error_alone() -> None:
    # The second group's sums do not vary: error 2 (1 + 1) of a total variance of 4.
    groups = [[[1, 1], [2, 2], [3, 3]], [[1, 3], [3, 1], [2, 2]]]
    assert stats.stratified_alpha(groups) == pytest.approx(0)


def test_reliability_of_equal_sums_or_one_target_is_undefined() -> None:
    assert math.isnan(stats.cronbach_alpha([[1, 3], [3, 1], [2, 2]]))
    assert math.isnan(stats.cronbach_alpha([[1, 3]]))
    assert math.isnan(stats.cronbach_alpha(np.array([[1, 3], [1, NAN]])))
    assert math.isnan(stats.stratified_alpha([[[1, 3]], [[1, 3]]]))


def test_input_of_the_wrong_kind_is_refused_in_words() -> None:
    with pytest.raises(ValueError, match="'metric' is no level of measurement; those are nominal, ordinal"):
        stats.krippendorff_alpha(SHROUT_FLEISS, "metric")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="2 dimensions is needed"):
        stats.krippendorff_alpha([1, 2, 3], "nominal")
    with pytest.raises(ValueError, match=r"a ratio scale starts at 0; found -1$"):
        stats.krippendorff_alpha([[-1, 2], [3, 3]], "ratio")
    with pytest.raises(ValueError, match="two or more columns"):
        stats.cronbach_alpha([[1], [2]])
    with pytest.raises(ValueError, match="these have 2, 1 rows"):
        stats.stratified_alpha([[[1, 2], [2, 3]], [[1, 2]]])
    with pytest.raises(ValueError, match="every group needs two or more items"):
        stats.stratified_alpha([[[1], [2]], [[1, 2], [2, 3]]])
    with pytest.raises(ValueError, match="there are none"):
        stats.stratified_alpha([])
