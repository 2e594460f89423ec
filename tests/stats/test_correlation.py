"""Correlations, and what every measure of two raters has in common."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from creaeval import stats
from creaeval.stats.measures import Levels, get_measure, list_measures

if TYPE_CHECKING:
    from collections.abc import Callable

# Half points from 0 to 10, as two raters may give them.
SCALE = Levels(0, 10, 0.5)
MEASURES: dict[str, Callable[..., float]] = {
    measure.key: partial(measure.value, levels=SCALE) for measure in list_measures()
}
NAMES = list(MEASURES)
CORRELATIONS = ["pearson", "spearman", "kendall"]
KAPPAS = ["qwk", "linear", "kappa"]

scores = st.integers(0, 20).map(lambda half: half / 2)
two_raters = st.lists(st.tuples(scores, scores), min_size=2, max_size=12).map(
    lambda rows: tuple(np.array(rows).T)
)
some = settings(max_examples=40)


def same(a: float, b: float) -> bool:
    return a == pytest.approx(b, abs=1e-9, nan_ok=True)


def test_pearson_by_hand() -> None:
    # Deviations -1 0 1 and -1 1 0: products 1 + 0 + 0, squares 2 and 2, so 1 / 2.
    assert stats.pearson([1, 2, 3], [1, 3, 2]) == pytest.approx(0.5)


def test_spearman_gives_ties_their_mean_rank() -> None:
    # Ranks 1.5 1.5 3 and 1 2 3: deviations -.5 -.5 1 and -1 0 1; 1.5 / sqrt(1.5 * 2).
    assert stats.spearman([4, 4, 9], [1, 2, 30]) == pytest.approx(1.5 / math.sqrt(3))


def test_kendall_counts_ties_in_each_rater() -> None:
    # Pairs of targets: tied in x, concordant, concordant; 2 / sqrt(2 * 3).
    assert stats.kendall_tau_b([4, 4, 9], [1, 2, 30]) == pytest.approx(2 / math.sqrt(6))


def test_correlations_ignore_level_where_kappa_does_not() -> None:
    x = np.array([1, 2, 4, 5])
    assert [MEASURES[name](x, x + 3) for name in CORRELATIONS] == pytest.approx([1, 1, 1])
    assert stats.quadratic_weighted_kappa(x, x + 3) < 0.5


def test_a_mean_that_differs_by_rounding_only_is_constant() -> None:
    wobbling = [0.3, 0.1 + 0.2, 0.3]
    assert get_measure("pearson").why_undefined([1, 2, 3], wobbling) == "the second is constant"
    assert math.isnan(stats.pearson([1, 2, 3], wobbling))
    assert stats.quadratic_weighted_kappa([1, 2, 3], wobbling) == 0


@pytest.mark.parametrize(
    ("x", "y", "correlation", "kappa", "difference"),
    [
        ([], [], "scored by both: 0", "scored by both: 0", "scored by both: 0"),
        ([1], [2], "scored by both: 1", "scored by both: 1", ""),
        ([1, 2, None], [1, None, 3], "scored by both: 1", "scored by both: 1", ""),
        ([2, 2, 2], [1, 2, 3], "the first is constant", "", ""),
        ([1, 2, 3], [2, 2, 2], "the second is constant", "", ""),
        ([2, 2], [2, 2], "both are constant", "both are constant", ""),
        ([2, 2], [3, 3], "both are constant", "both are constant", ""),
        ([2, 2, 5], [1, 3, None], "the first is constant", "", ""),
        ([1, 2], [1, 2], "", "", ""),
    ],
)
def test_an_undefined_value_is_nan_and_has_its_reason(
    x: list[float], y: list[float], correlation: str, kappa: str, difference: str
) -> None:
    for name, measure in MEASURES.items():
        needs = get_measure(name).needs
        reason = {"both vary": correlation, "variation": kappa, "a pair": difference}[needs]
        assert get_measure(name).why_undefined(x, y, levels=SCALE) == reason
        assert math.isnan(measure(x, y)) == bool(reason)


@pytest.mark.parametrize("name", NAMES)
@some
@given(data=two_raters, seed=st.integers(0, 99))
def test_the_order_of_pairs_and_doubled_data_change_nothing(
    name: str, data: tuple[np.ndarray, np.ndarray], seed: int
) -> None:
    x, y = data
    order = np.random.default_rng(seed).permutation(x.size)
    value = MEASURES[name](x, y)
    assert same(MEASURES[name](x[order], y[order]), value)
    if not name.startswith("icc"):  # whose mean squares correct for the number of targets
        assert same(MEASURES[name](np.tile(x, 2), np.tile(y, 2)), value)


@pytest.mark.parametrize("name", NAMES)
@some
@given(data=two_raters)
def test_raters_may_be_exchanged_and_a_pair_with_a_missing_score_is_left_out(
    name: str, data: tuple[np.ndarray, np.ndarray]
) -> None:
    x, y = data
    value = MEASURES[name](x, y)
    assert same(MEASURES[name](y, x), value if get_measure(name).symmetric else -value)
    assert same(MEASURES[name]([*x, math.nan, 3], [*y, 7, math.nan]), value)
    low, high = get_measure(name).bounds
    assert math.isnan(value) or low - 1e-9 <= value <= high + 1e-9
    if not name.startswith("icc"):  # 0 divided by 0 where targets do not differ, too
        assert math.isnan(value) == bool(get_measure(name).why_undefined(x, y, levels=SCALE))


@pytest.mark.parametrize("name", NAMES)
def test_input_that_is_no_two_lists_of_numbers_is_refused_in_words(name: str) -> None:
    measure = MEASURES[name]
    with pytest.raises(ValueError, match="of one length; these have 3 and 2 values"):
        measure([1, 2, 3], [1, 2])
    with pytest.raises(ValueError, match=r"1 dimension is needed; this has the shape \(2, 2\)"):
        measure([[1, 2], [3, 4]], [1, 2])
    with pytest.raises(ValueError, match="scores are numbers"):
        measure(["9", "10"], [9, 10])
    with pytest.raises(ValueError, match="scores are numbers"):
        measure(np.array([9, "10"], dtype=object), [9, 10])
    with pytest.raises(ValueError, match="scores are numbers"):
        measure([9, {}], [9, 10])
    with pytest.raises(ValueError, match="scores are finite"):
        measure([1, math.inf], [1, 2])
