"""Two one-sided tests by hand, beside statsmodels, and by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from creaeval.stats.draws import make_draws
from creaeval.stats.equivalence import equivalence_of_draws, equivalence_of_error


def test_a_difference_by_hand() -> None:
    found = equivalence_of_error(0.02, 0.02, 0.05)
    # z = .07 / .02 = 3.5 and -.03 / .02 = -1.5; 1 - Phi(3.5) = .000233, Phi(-1.5) = .0668.
    assert (round(found.p_lower, 6), round(found.p_upper, 4)) == (0.000233, 0.0668)
    assert found.p_equivalence == found.p_upper
    assert found.p_noninferior == found.p_lower
    # .02 -+ 1.6449 * .02 leaves -.05 to .05, as p is above .05.
    assert (round(found.low, 4), round(found.high, 4), found.confidence) == (-0.0129, 0.0529, 0.9)


def test_the_direction_of_non_inferiority_is_the_measures() -> None:
    worse = [equivalence_of_error(-0.3, 0.02, 0.1, better=better) for better in ("higher", "lower", "near 0")]
    assert worse[0].p_noninferior > 0.99  # lower by far more than the margin
    assert worse[1].p_noninferior < 1e-9  # which is better, where lower is
    assert math.isnan(worse[2].p_noninferior)
    assert len({found.p_equivalence for found in worse}) == 1


@pytest.mark.parametrize("margin", [0.2, 0.5, 1.0])
@pytest.mark.parametrize("alpha", [0.05, 0.1])
def test_tests_of_a_mean_are_those_of_statsmodels(margin: float, alpha: float) -> None:
    from statsmodels.stats.weightstats import DescrStatsW, ttost_paired

    x, y = np.random.default_rng(3).normal([[0.3], [0.0]], 1.0, (2, 25))
    d = x - y
    p, lower, upper = ttost_paired(x, y, -margin, margin)
    error = float(d.std(ddof=1)) / 5
    found = equivalence_of_error(float(d.mean()), error, margin, alpha=alpha, degrees_of_freedom=24)
    assert (found.p_equivalence, found.p_lower, found.p_upper) == pytest.approx((p, lower[1], upper[1]))
    assert (found.low, found.high) == pytest.approx(DescrStatsW(d).tconfint_mean(alpha=2 * alpha))
    assert (found.p_equivalence < alpha) == (-margin < found.low and found.high < margin)


def test_resamples_beyond_the_margin_are_counted() -> None:
    draws = np.array([-0.3, -0.1, 0.0, 0.0, 0.05, 0.1, 0.2, 0.2, math.nan, 0.0])
    found = equivalence_of_draws(0.02, draws, 0.2, n=12)
    # One of nine at -.2 or below, two at .2 or above, and the data.
    assert (found.p_lower, found.p_upper) == (2 / 10, 3 / 10)
    assert found.p_equivalence == 0.3
    assert "undefined in 10% of the resamples" in found.reason


def test_by_resamples_and_by_their_error_come_to_the_same_in_a_large_sample() -> None:
    values = np.random.default_rng(5).normal(0.1, 1.0, 400)
    draws = np.concatenate([counts @ values / 400 for counts in make_draws(400, n_resamples=20_000).counts()])
    of_draws = equivalence_of_draws(float(values.mean()), draws, 0.2, n=400)
    of_error = equivalence_of_error(float(values.mean()), float(values.std(ddof=1)) / 20, 0.2)
    assert of_draws.p_equivalence == pytest.approx(of_error.p_equivalence, abs=0.01)
    assert (of_draws.low, of_draws.high) == pytest.approx((of_error.low, of_error.high), abs=0.01)


def test_a_difference_of_the_margin_is_called_equivalent_about_as_seldom_as_alpha_says() -> None:
    generator = np.random.default_rng(8)
    called = 0
    for seed in range(400):
        values = generator.normal(0.5, 1.0, 60)
        draws = np.concatenate(
            [counts @ values / 60 for counts in make_draws(60, n_resamples=400, seed=seed).counts()]
        )
        called += equivalence_of_draws(float(values.mean()), draws, 0.5, n=60).p_equivalence <= 0.05
    # The binomial error of 400 is .011; the bootstrap of 60 is a little too sure.
    assert 0.02 <= called / 400 <= 0.09


@pytest.mark.parametrize(
    ("draws", "n", "reason"),
    [
        (np.full(50, 0.1), 40, "no interval: all resamples are equal"),
        (np.linspace(0, 0.2, 50), 4, "no interval: fewer than 5 responses or clusters"),
        (np.full(50, math.nan), 40, "the difference is undefined"),
    ],
)
def test_what_has_no_interval_has_no_test(draws: np.ndarray, n: int, reason: str) -> None:
    found = equivalence_of_draws(0.1, draws, 0.3, n=n)
    assert math.isnan(found.p_equivalence)
    assert math.isnan(found.p_noninferior)
    assert math.isnan(found.low)
    assert found.reason == reason


def test_without_a_standard_error_or_a_difference_there_is_no_test() -> None:
    assert equivalence_of_error(0.1, 0.0, 0.3).reason == "no standard error"
    assert equivalence_of_error(math.nan, 0.1, 0.3).reason == "the difference is undefined"
    assert math.isnan(equivalence_of_error(0.1, math.nan, 0.3).p_lower)


def test_margins_and_levels_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ValueError, match="a margin of equivalence is above 0, but is 0"):
        equivalence_of_error(0.1, 0.1, 0.0)
    with pytest.raises(ValueError, match=r"alpha lies between 0 and 0\.5, but is 0\.5"):
        equivalence_of_draws(0.1, np.arange(5.0), 0.1, n=5, alpha=0.5)
