"""Gwet's coefficients against published values, by hand, and against their definition with matrices."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from creaeval import stats
from creaeval.stats.grid import grid
from creaeval.stats.gwet import gwet_ac1, gwet_ac2
from creaeval.stats.measures import Levels, get_measure

from .test_correlation import same, some

# Gwet's cont3x3abstractors, of the R package irrCAC: 100 patients, two abstractors, three categories.
ABSTRACTORS = np.array([[13, 0, 0], [0, 20, 7], [0, 4, 56]])
THREE = Levels(1, 3)


def pairs_of(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Scores from 1 of two raters with this table."""
    x, y = np.indices(table.shape)
    return np.repeat(x.ravel() + 1.0, table.ravel()), np.repeat(y.ravel() + 1.0, table.ravel())


def by_matrix(x: np.ndarray, y: np.ndarray, levels: np.ndarray, *, quadratic: bool) -> float:
    """Gwet (2014), with the matrices of weights and of shares laid out."""
    distances = (levels[:, None] - levels) ** 2 / (levels[-1] - levels[0]) ** 2
    weights = 1 - distances if quadratic else np.eye(len(levels))
    shares = np.array([[np.mean((x == first) & (y == second)) for second in levels] for first in levels])
    pi = (shares.sum(axis=0) + shares.sum(axis=1)) / 2
    q = len(levels)
    by_chance = weights.sum() / (q * (q - 1)) * (pi * (1 - pi)).sum()
    return float(((weights * shares).sum() - by_chance) / (1 - by_chance))


def test_published_values_of_the_three_categories() -> None:
    # irrCAC's vignettes "overview" and "weighting": Gwet's AC1 0.8493305 and, with quadratic weights, AC2
    # 0.9402369; of the same table Cohen's kappa 0.7964094 and 0.8921569.
    x, y = pairs_of(ABSTRACTORS)
    assert round(gwet_ac1(x, y, THREE), 7) == 0.8493305
    assert round(gwet_ac2(x, y, THREE), 7) == 0.9402369
    assert round(stats.cohen_kappa(x, y), 7) == 0.7964094
    assert round(stats.quadratic_weighted_kappa(x, y), 7) == 0.8921569


def test_the_paradox_of_kappa_by_hand() -> None:
    # 118 both yes, 5 and 2 apart, none both no: p_a = 118 / 125, the shares of yes 123 / 125 and 120 / 125,
    # so pi = .972 and p_e = 2 * .972 * .028 = .054432; (.944 - .054432) / .945568.
    x, y = pairs_of(np.array([[118, 5], [2, 0]]))
    assert gwet_ac1(x, y, Levels(1, 2)) == pytest.approx(0.889568 / 0.945568)
    # p_o is the same, p_e = .984 * .96 + .016 * .04 = .94528.
    assert stats.cohen_kappa(x, y) == pytest.approx((0.944 - 0.94528) / (1 - 0.94528))


def test_levels_that_nobody_used_count() -> None:
    # x 1 1 2, y 1 2 2 on 1-5: p_a = 2/3, pi = 1/2 each, so p_e = .5 / 4 = .125. With weights p_a is 1 - 1/48,
    # their sum 25 - 2 (4 * 1 + 3 * 4 + 2 * 9 + 1 * 16) / 16 = 18.75, and p_e = 18.75 * .5 / 20.
    x, y = [1, 1, 2], [1, 2, 2]
    assert gwet_ac1(x, y, Levels(1, 5)) == pytest.approx((2 / 3 - 0.125) / 0.875)
    assert gwet_ac2(x, y, Levels(1, 5)) == pytest.approx((47 / 48 - 0.46875) / 0.53125)
    # As positions of the levels that occur they would be 1/3 for both.
    assert gwet_ac1(x, y, Levels(1, 2)) == pytest.approx(1 / 3)


def test_raters_who_give_all_the_same_agree_fully() -> None:
    # Where kappa is 0/0: nothing is unlike, so chance explains nothing.
    assert gwet_ac1([3, 3, 3], [3, 3, 3], Levels(1, 5)) == 1
    assert gwet_ac2([3, 3, 3], [3, 3, 3], Levels(1, 5)) == 1


@some
@given(
    st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), min_size=1, max_size=12),
    st.integers(0, 4),
    st.sampled_from([0.5, 1.0, 2.0]),
)
def test_both_are_as_their_definition_with_matrices(
    rows: list[tuple[int, int]], more: int, step: float
) -> None:
    x, y = np.array(rows).T * step
    levels = Levels(0, (8 + more) * step, step)
    used = np.arange(levels.number) * step
    assert same(gwet_ac1(x, y, levels), by_matrix(x, y, used, quadratic=False))
    assert same(gwet_ac2(x, y, levels), by_matrix(x, y, used, quadratic=True))
    # Twice the points on a scale twice as wide are the same judgement.
    doubled = Levels(0, levels.high * 2, step * 2)
    assert same(gwet_ac2(2 * x, 2 * y, doubled), gwet_ac2(x, y, levels))


def test_scores_between_the_levels_are_undefined_with_a_reason() -> None:
    x, y = [1, 2, 3, 3], [1, 2.5, 3, 2]
    for key in ("ac1", "ac2"):
        measure = get_measure(key)
        assert math.isnan(measure.value(x, y, Levels(1, 5)))
        assert measure.why_undefined(x, y, ("judge", "rater A"), Levels(1, 5)) == (
            "rater A gives 2.5, which is no level of 1 to 5 in steps of 1"
        )
        assert not math.isnan(measure.value(x, y, Levels(1, 5, 0.5)))
        assert math.isnan(measure.value(x, y))
        assert measure.why_undefined(x, y) == "the scale is not known"
        assert "no level of 2 to 5" in measure.why_undefined([1, 2], [2, 2], levels=Levels(2, 5))


def test_on_the_grid_each_pair_has_its_own_scale_or_none() -> None:
    x, y = pairs_of(ABSTRACTORS)
    scores = np.column_stack([x, y, x + 0.25])
    pairs = [(0, 1), (0, 1), (0, 1), (0, 2)]
    scales = [THREE, Levels(1, 7), None, THREE]
    found = grid(scores, pairs, ["ac1", "ac2"], levels=scales).values
    for key, function in (("ac1", gwet_ac1), ("ac2", gwet_ac2)):
        assert found[key][0] == pytest.approx(function(x, y, THREE))
        assert found[key][1] == pytest.approx(function(x, y, Levels(1, 7)))
        assert np.isnan(found[key][2:]).all()
