"""Leniency and fair means against lme4, against dense generalized least squares, and against the truth."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

from creaeval.stats.variance.components import Components, estimate_components
from creaeval.stats.variance.design import Ratings, make_ratings
from creaeval.stats.variance.fair import fair_means, rater_leniency
from stats.designs import DESIGNS, Cells, Numbers
from stats.textbooks import SHROUT_FLEISS, long

if TYPE_CHECKING:
    from creaeval.stats.variance.component_draws import RaterKind

# R 4.2.2, lme4 1.1-31, fits of test_components: ranef(m)$rater[, 1]; (fixef(m) + ranef(m)$response[, 1])[1:5]
LME4 = {
    "2 of 6 planned": (
        [-0.32716800, 0.68314921, 1.44697428, 0.33035344, -0.54439410, -1.58891483],
        [10.7319440, 9.9442346, 9.7771763, 10.6249273, 8.9696983],
    ),
    "unequal numbers": (
        [-0.93693053, 0.42912559, -1.62468331, -1.33967055, 1.32130891, 1.33092334, 0.81992655],
        [12.4112596, 11.0212279, 10.2336766, 7.4199166, 8.8907167],
    ),
}
TRUE = np.array([-3.0, -1.0, 1.0, 3.0])


def study(name: str) -> tuple[Ratings, Components]:
    cells = DESIGNS[name]
    return of_cells(cells)


def of_cells(cells: Cells) -> tuple[Ratings, Components]:
    ratings = make_ratings(cells.response, cells.rater, cells.value)
    return ratings, estimate_components(ratings)


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def chain_with_known_severities(seed: int = 3) -> Cells:
    """120 responses by the pairs AB, BC and CD, in whole points from 1 to 20."""
    numbers = Numbers(seed)
    response = np.repeat(np.arange(120), 2)
    rater = np.array([((0, 1), (1, 2), (2, 3))[row % 3] for row in range(120)]).ravel()
    value = 10.5 + numbers.normal(2, 120)[response] + TRUE[rater] + numbers.normal(1.2, 240)
    return Cells(response, rater, response, np.clip(np.round(value), 1, 20))


@pytest.mark.parametrize("name", LME4)
def test_random_raters_have_the_predictions_of_lme4(name: str) -> None:
    ratings, components = study(name)
    raters, responses = LME4[name]
    assert rater_leniency(ratings, components, raters="random").leniency == pytest.approx(raters, abs=2e-4)
    fair = fair_means(ratings, components, rng(), raters="random")
    assert fair.fair_mean[:5] == pytest.approx(responses, abs=2e-4)


def dense(ratings: Ratings, components: Components, raters: RaterKind) -> tuple[np.ndarray, ...]:
    """Henderson's equations written out: an intercept or raters fixed, the others random."""
    residual, response = components.variance("response", "rater"), components.variance("response")
    rows = np.arange(len(ratings.value))
    of_response = np.zeros((len(rows), ratings.n_responses))
    of_response[rows, ratings.response] = 1
    of_rater = np.zeros((len(rows), ratings.n_raters))
    of_rater[rows, ratings.rater] = 1
    k, n = ratings.n_raters, ratings.n_responses
    if raters == "fixed":
        design = np.hstack([of_rater, of_response])
        prior = np.concatenate([np.zeros(k), np.full(n, residual / response)])
        level = np.hstack([np.eye(k) - 1 / k, np.zeros((k, n))])
        fair = np.hstack([np.full((n, k), 1 / k), np.eye(n)])
    else:
        design = np.hstack([np.ones((len(rows), 1)), of_rater, of_response])
        prior = np.concatenate(
            [[0.0], np.full(k, residual / components.variance("rater")), np.full(n, residual / response)]
        )
        level = np.hstack([np.zeros((k, 1)), np.eye(k), np.zeros((k, n))])
        fair = np.hstack([np.ones((n, 1)), np.zeros((n, k)), np.eye(n)])
    inverse = np.linalg.inv(design.T @ design + np.diag(prior))
    solution, covariance = inverse @ design.T @ ratings.value, residual * inverse
    return tuple(
        part
        for matrix in (level, fair)
        for part in (matrix @ solution, np.sqrt(np.diagonal(matrix @ covariance @ matrix.T)))
    )


@pytest.mark.parametrize(
    "name", ["missing at random", "chain of pairs", "unequal numbers", "rater with one rating"]
)
@pytest.mark.parametrize("raters", ["fixed", "random"])
def test_values_and_errors_are_those_of_hendersons_equations(name: str, raters: RaterKind) -> None:
    ratings, components = study(name)
    leniency, fair = (
        rater_leniency(ratings, components, raters=raters),
        fair_means(ratings, components, rng(), raters=raters),
    )
    found = (leniency.leniency, leniency.se, fair.fair_mean, fair.se)
    for values, expected in zip(found, dense(ratings, components, raters), strict=True):
        assert values == pytest.approx(expected, rel=1e-8)


def test_severities_of_a_chain_are_found() -> None:
    # The plain differences from the other raters of the same responses are up to 1.9 points off (findings).
    ratings, components = of_cells(chain_with_known_severities())
    for raters in ("fixed", "random"):
        found = rater_leniency(ratings, components, raters=raters)
        assert np.abs(found.leniency - TRUE).max() < 0.35
        assert (found.low < TRUE).all()
        assert (found.high > TRUE).all()
    fixed = rater_leniency(ratings, components)
    assert fixed.leniency.sum() == pytest.approx(0)
    assert fixed.n_ratings.tolist() == [40, 80, 80, 40]


def test_crossed_raters_differ_as_their_means_do() -> None:
    ratings = long(SHROUT_FLEISS)
    components = estimate_components(ratings)
    means = np.mean(SHROUT_FLEISS, axis=0)
    found = rater_leniency(ratings, components)
    assert found.leniency == pytest.approx(means - means.mean())
    # The error of a mean of 6 less that of all four: residual 1.0194 / 6 * (1 - 1 / 4)
    assert found.se == pytest.approx([math.sqrt(1.0194 / 6 * 0.75)] * 4, rel=1e-3)
    # Student's t with 15 degrees of freedom: 2.1314
    assert found.high - found.leniency == pytest.approx(2.1314 * found.se, rel=1e-4)
    narrower = rater_leniency(ratings, components, confidence=0.9)
    assert narrower.high - narrower.leniency == pytest.approx(1.7531 * found.se, rel=1e-4)


def test_adjusted_means_are_least_squares_and_fair_means_are_drawn_to_the_middle() -> None:
    ratings, components = of_cells(chain_with_known_severities())
    fair = fair_means(ratings, components, rng())
    # Least squares of responses and raters, both fixed, raters summing to 0.
    rows = np.arange(len(ratings.value))
    design = np.zeros((len(rows), 124))
    design[rows, ratings.response] = 1
    design[rows, 120 + ratings.rater] = 1
    solution = np.linalg.lstsq(design, ratings.value, rcond=None)[0]
    assert fair.adjusted_mean == pytest.approx(solution[:120] + solution[120:].mean())
    middle = fair.fair_mean.mean()
    assert fair.fair_mean.std() < fair.adjusted_mean.std()
    assert np.mean(np.abs(fair.fair_mean - middle) <= np.abs(fair.adjusted_mean - middle) + 0.05) > 0.95
    assert (fair.adjusted_se > fair.se).all()
    assert fair.mean[:2] == pytest.approx([ratings.value[:2].mean(), ratings.value[2:4].mean()])


def test_fair_means_are_nearer_the_truth_than_means_and_their_intervals_cover() -> None:
    numbers = np.random.default_rng(11)
    raw, fair_error, inside, rank_inside = [], [], [], []
    cells = chain_with_known_severities()
    for _ in range(40):
        true = numbers.normal(0, 2, 120)
        value = true[cells.response] + TRUE[cells.rater] + numbers.normal(0, 1.2, 240)
        ratings, components = of_cells(cells._replace(value=value))
        fair = fair_means(ratings, components, numbers)
        raw.append(np.square(fair.mean - true).mean())
        fair_error.append(np.square(fair.fair_mean - true).mean())
        inside.append(np.mean((fair.low <= true) & (true <= fair.high)))
        rank = 120 - true.argsort().argsort()
        rank_inside.append(np.mean((fair.rank_low <= rank) & (rank <= fair.rank_high)))
    assert np.mean(fair_error) < 0.3 * np.mean(raw)
    assert 0.92 < np.mean(inside) < 0.97
    assert 0.92 < np.mean(rank_inside) < 0.97


def test_the_best_of_clearly_different_responses_is_ranked_first_for_sure() -> None:
    scores = np.arange(8)[:, None] * 5 + np.array([0, 1, 3]) + np.array([[0, 0.3, 0], [0.2, 0, 0]] * 4)
    ratings = long(scores)
    fair = fair_means(ratings, estimate_components(ratings), rng())
    assert fair.rank.tolist() == fair.rank_low.tolist() == fair.rank_high.tolist() == [8, 7, 6, 5, 4, 3, 2, 1]


def test_equal_ratings_share_the_better_rank_and_seeds_give_the_same_ranks() -> None:
    ratings = long([[1, 2, 2], [5, 7, 6], [5, 7, 6], [9, 9, 8], [3, 3, 5]])
    components = estimate_components(ratings)
    fair, again = (fair_means(ratings, components, rng()) for _ in range(2))
    assert fair.rank.tolist() == [5, 2, 2, 1, 4]
    assert (fair.rank_low == again.rank_low).all()
    assert (fair.rank_low <= fair.rank).all()
    assert (fair.rank <= fair.rank_high).all()


def test_islands_are_compared_within_themselves() -> None:
    ratings, components = study("islands")
    found = rater_leniency(ratings, components)
    assert sorted(found.island.tolist()) == [0, 0, 1, 1]
    for island in (0, 1):
        assert found.leniency[found.island == island].sum() == pytest.approx(0)
    fair = fair_means(ratings, components, rng())
    for island in (0, 1):
        ranks = fair.rank[fair.island == island]
        assert ranks.min() == 1
        assert ranks.max() <= 25
    # Ten points more for one island change nothing within the other.
    shifted = ratings.value + 10 * (components.design.response_island[ratings.response] == 1)
    moved = make_ratings(ratings.response, ratings.rater, shifted)
    again = rater_leniency(moved, components)
    assert again.leniency == pytest.approx(found.leniency)


def test_a_rater_alone_in_an_island_cannot_be_compared() -> None:
    cells = DESIGNS["missing at random"]
    ratings = make_ratings(
        np.append(cells.response, 99), np.append(cells.rater, 77), np.append(cells.value, 20.0)
    )
    for raters in ("fixed", "random"):
        found = rater_leniency(ratings, estimate_components(ratings), raters=raters)
        assert np.isnan(found.leniency).tolist() == [False] * 4 + [True]
        assert np.isnan(found.se).tolist() == [False] * 4 + [True]
        assert found.reason == "a rater who is alone in an island cannot be compared"


def test_nested_raters_have_no_leniency_and_fair_means_are_drawn_to_the_mean() -> None:
    ratings, components = study("nested")
    found = rater_leniency(ratings, components)
    assert np.isnan(found.leniency).all()
    assert found.reason == "no two raters rated the same response"
    fair = fair_means(ratings, components, rng())
    assert fair.adjusted_mean == pytest.approx(fair.mean)
    # By hand: mu + s / (s + e / m) (mean - mu), mu weighted by 1 / (s + e / m)
    s, e = components.variance("response"), components.variance("response", "rater")
    weight = 1 / (s + e / fair.n_ratings)
    mu = (weight * fair.mean).sum() / weight.sum()
    assert fair.fair_mean == pytest.approx(mu + s * weight * (fair.mean - mu))


def test_nothing_is_made_from_nothing() -> None:
    alone = long([[1], [2], [3]])
    found, fair = (
        rater_leniency(alone, estimate_components(alone)),
        fair_means(alone, estimate_components(alone), rng()),
    )
    assert np.isnan(found.leniency).all()
    assert found.reason == fair.reason == "there is a single rater"
    assert np.isnan(fair.fair_mean).all()
    assert fair.mean.tolist() == [1, 2, 3]
    same = study("big residual")  # responses and raters have no variance
    assert rater_leniency(*same, raters="random").reason == "the variance of raters is estimated as 0"
    assert not np.isnan(rater_leniency(*same).leniency).any()
    flat = fair_means(*same, rng())
    assert np.isnan(flat.rank).all()
    assert flat.reason == "responses differ by error only, so they have no ranks"
    assert flat.fair_mean.std() == pytest.approx(0)


def test_raters_who_differ_by_constants_are_known_exactly() -> None:
    response, rater = np.array([(0, 0), (0, 1), (1, 1), (1, 2), (2, 0), (2, 2), (3, 0), (3, 1)]).T
    ratings = make_ratings(response, rater, np.array([1, 2, 4, 9])[response] + np.array([0, 1, 5])[rater])
    components = estimate_components(ratings)
    for raters in ("fixed", "random"):
        found = rater_leniency(ratings, components, raters=raters)
        assert found.leniency == pytest.approx([-2, -1, 3], abs=1e-9)
        assert found.se == pytest.approx([0, 0, 0], abs=1e-6)
        fair = fair_means(ratings, components, rng(), raters=raters)
        assert fair.fair_mean == pytest.approx([3, 4, 6, 11])


def test_what_makes_no_sense_is_refused_in_words() -> None:
    ratings, components = study("missing at random")
    with pytest.raises(ValueError, match="raters must be"):
        rater_leniency(ratings, components, raters="some")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="confidence"):
        fair_means(ratings, components, rng(), confidence=1)
    facet = make_ratings(ratings.response, ratings.rater, ratings.value, facet=ratings.rater)
    with pytest.raises(ValueError, match="without facet or clusters"):
        rater_leniency(facet, components)
