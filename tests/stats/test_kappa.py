"""Kappas against published examples and their definitions; test_oracles has other packages."""

from __future__ import annotations

import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from creaeval import stats
from stats.test_correlation import KAPPAS, MEASURES, same, some, two_raters

# Fleiss (1971) as reworked in textbooks: ten subjects, fourteen raters, five categories; kappa .210.
TEXTBOOK = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
]


def test_cohen_kappa_of_a_textbook_table() -> None:
    # 20 both yes, 5 and 10 apart, 15 both no: p_o = 35/50, p_e = .5 * .6 + .5 * .4, so .2 / .5.
    x = [1] * 25 + [0] * 25
    y = [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15
    assert stats.cohen_kappa(x, y) == pytest.approx(0.4)


def test_fleiss_kappa_of_the_textbook_table() -> None:
    ratings = [np.repeat(range(5), row) for row in TEXTBOOK]
    assert round(stats.fleiss_kappa(ratings), 3) == 0.210


def test_fleiss_kappa_of_ratings_with_decimals_takes_little_memory() -> None:
    # A table of targets by different values would have 10,000 x 50,000 cells.
    ratings = np.random.default_rng(1).random((10_000, 5))
    tracemalloc.start()
    value = stats.fleiss_kappa(ratings)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50e6
    # No two are equal: p_o is 0 and p_e one in 50,000.
    assert value == pytest.approx(-1 / 49_999)


def test_weighted_kappas_by_hand() -> None:
    # x 1 1 3, y 1 3 3. Squares: observed 4/3, expected (4 * (2*2 + 1*1)) / 9 = 20/9, so 1 - 12/20.
    assert stats.quadratic_weighted_kappa([1, 1, 3], [1, 3, 3]) == pytest.approx(0.4)
    # Distances: observed 2/3, expected 10/9, so 1 - 6/10.
    assert stats.linear_weighted_kappa([1, 1, 3], [1, 3, 3]) == pytest.approx(0.4)
    # x 0 2 3, y 1 2 2. Observed (1 + 0 + 1) / 3; of all nine distances 1 2 2 1 0 0 2 1 1, 10 / 9.
    assert stats.linear_weighted_kappa([0, 2, 3], [1, 2, 2]) == pytest.approx(1 - 6 / 10)


@pytest.mark.parametrize("name", KAPPAS)
def test_one_constant_rater_gives_exactly_0(name: str) -> None:
    assert MEASURES[name]([0.1, 0.1, 0.1], [1, 2, 3]) == 0
    assert MEASURES[name]([1, 2, 3], [0.7, 0.7, 0.7]) == 0


@some
@given(data=two_raters, shift=st.integers(-50, 50), factor=st.sampled_from([0.5, 2, 3, 10]))
def test_weighted_kappas_do_not_depend_on_origin_and_unit_of_the_scale(
    data: tuple[np.ndarray, np.ndarray], shift: int, factor: float
) -> None:
    x, y = data
    for kappa in (stats.quadratic_weighted_kappa, stats.linear_weighted_kappa):
        assert same(kappa(x * factor + shift, y * factor + shift), kappa(x, y))


@some
@given(
    rows=st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=2, max_size=15),
    power=st.sampled_from([1, 2]),
)
def test_weighted_kappas_are_those_of_the_confusion_matrix(rows: list[tuple[int, int]], power: int) -> None:
    x, y = np.array(rows).T
    table = np.zeros((7, 7))
    np.add.at(table, (x, y), 1)
    weights = np.abs(np.subtract.outer(np.arange(7), np.arange(7))) ** power / 6**power
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / len(rows)
    both_constant = np.ptp(x) == 0 and np.ptp(y) == 0
    value = math.nan if both_constant else 1 - np.sum(weights * table) / np.sum(weights * expected)
    kappa = stats.quadratic_weighted_kappa if power == 2 else stats.linear_weighted_kappa
    assert same(kappa(x, y), value)


@some
@given(
    ratings=st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=2, max_size=8),
    seed=st.integers(0, 99),
)
def test_fleiss_kappa_does_not_see_order(ratings: list[list[int]], seed: int) -> None:
    rng = np.random.default_rng(seed)
    mixed = rng.permutation(rng.permuted(np.array(ratings), axis=1))
    assert same(stats.fleiss_kappa(mixed), stats.fleiss_kappa(ratings))


def test_fleiss_kappa_takes_empty_cells_where_all_targets_have_as_many_ratings() -> None:
    full = [[1, 2], [2, 2], [3, 3]]
    nan = math.nan
    holed = np.array([[1, nan, 2], [nan, 2, 2], [nan, nan, nan], [3, 3, nan]])
    assert stats.fleiss_kappa(holed) == stats.fleiss_kappa(full)


def test_fleiss_kappa_refuses_what_it_is_not_made_for() -> None:
    with pytest.raises(ValueError, match="these have 1 to 2"):
        stats.fleiss_kappa(np.array([[1, 2], [1, math.nan]]))
    with pytest.raises(ValueError, match="two or more ratings of every target"):
        stats.fleiss_kappa([[1], [2]])
    assert math.isnan(stats.fleiss_kappa([[1, 2]]))
    assert math.isnan(stats.fleiss_kappa([[1, 1], [1, 1]]))
