"""Reliability and numbers needed from components; intervals against exact ones and against simulated data."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from creaeval.stats.draws import TOO_FEW
from creaeval.stats.icc import icc
from creaeval.stats.variance.component_draws import ComponentDraws, draw_components
from creaeval.stats.variance.components import Components, estimate_components
from creaeval.stats.variance.design import Ratings, make_ratings
from creaeval.stats.variance.reliability import CoefficientKind, raters_needed, reliability, variance_limits
from stats.designs import DESIGNS, FACET, planned, two_way
from stats.textbooks import BRENNAN_1, BRENNAN_3, SHROUT_FLEISS, long

KINDS: tuple[CoefficientKind, ...] = ("consistent", "absolute")
small = arrays.arrays(np.float64, st.tuples(st.integers(3, 8), st.integers(2, 4)), elements=st.integers(1, 9))


def study_of(scores: object, *, nested: bool = False) -> Components:
    return estimate_components(long(scores, nested=nested))


def values(study: Components, n_raters: float, n_levels: float = 1) -> list[float]:
    return [reliability(study, kind, n_raters, n_levels).value for kind in KINDS]


def with_draws(ratings: Ratings, seed: int = 0, **options: object) -> tuple[Components, ComponentDraws]:
    study = estimate_components(ratings)
    return study, draw_components(ratings, study, np.random.default_rng(seed), **options)  # type: ignore[arg-type]


def test_coefficients_of_brennans_data() -> None:
    # Published: 0.844 and 0.773 with 12 items; 0.64 and 0.55 with four items on two occasions
    assert values(study_of(BRENNAN_1), 12) == pytest.approx([0.844, 0.773], abs=6e-4)
    assert values(study_of(BRENNAN_3), 4, 2) == pytest.approx([0.64, 0.55], abs=6e-3)
    # By hand: 0.5528 over itself and 0.5750 / 4 + 0.1009 / 2 + 0.9352 / 8
    relative = 0.5750 / 4 + 0.1009 / 2 + 0.9352 / 8
    assert values(study_of(BRENNAN_3), 4, 2)[0] == pytest.approx(0.5528 / (0.5528 + relative), abs=1e-4)


def test_coefficients_are_the_intraclass_correlations() -> None:
    # Published: ICC(3,1) 0.71, ICC(2,1) 0.29; ICC(3,4) 0.91, ICC(2,4) 0.62; ICC(1,1) 0.17, ICC(1,4) 0.44
    crossed, nested = study_of(SHROUT_FLEISS), study_of(SHROUT_FLEISS, nested=True)
    assert values(crossed, 1) == pytest.approx([0.71, 0.29], abs=6e-3)
    assert values(crossed, 4) == pytest.approx([0.91, 0.62], abs=6e-3)
    assert values(nested, 1) == pytest.approx([0.17, 0.17], abs=6e-3)
    assert values(nested, 4) == pytest.approx([0.44, 0.44], abs=6e-3)


@given(small)
def test_the_identity_holds_wherever_nothing_is_negative(scores: np.ndarray) -> None:
    study = study_of(scores)
    if min(part.estimate for part in study.components) < 0.0 or study.variance("response") == 0.0:
        return
    table = icc(scores)
    expected = [table["ICC(C,k)"].value, table["ICC(A,k)"].value]
    assert values(study, scores.shape[1]) == pytest.approx(expected)


@given(small)
def test_nested_coefficients_are_the_one_way_intraclass_correlations(scores: np.ndarray) -> None:
    study = study_of(scores, nested=True)
    if study.components[0].estimate > 0.0:
        table = icc(scores)
        assert values(study, 1) == pytest.approx([table["ICC(1)"].value] * 2)
        assert values(study, scores.shape[1]) == pytest.approx([table["ICC(k)"].value] * 2)


def test_the_example_of_the_findings_of_planned_missing_ratings() -> None:
    # lme4: 1.258427, 1.318845, 5.093728 (test_components); by hand from these
    cells = DESIGNS["2 of 6 planned"]
    study = estimate_components(make_ratings(cells.response, cells.rater, cells.value))
    response, rater, rest = 1.258427, 1.318845, 5.093728
    assert study.design.raters_per_response == 2
    assert values(study, 1) == pytest.approx(
        [response / (response + rest), response / (response + rater + rest)], rel=1e-4
    )
    assert values(study, 2)[1] == pytest.approx(response / (response + (rater + rest) / 2), rel=1e-4)
    assert raters_needed(study, "absolute").n_raters == math.ceil(4 * (rater + rest) / response)
    assert raters_needed(study, "consistent").n_raters == math.ceil(4 * rest / response)


def test_variance_between_clusters_is_of_responses() -> None:
    cells = DESIGNS["responses in clusters"]
    study = estimate_components(make_ratings(cells.response, cells.rater, cells.value, cluster=cells.third))
    universe = study.variance("cluster") + study.variance("response")
    error = study.variance("rater") + study.variance("response", "rater")
    assert values(study, 3)[1] == pytest.approx(universe / (universe + error / 3))


def test_numbers_needed_by_hand() -> None:
    # One facet: p / (p + e / k) >= t from k >= t e / ((1 - t) p)
    study = study_of(SHROUT_FLEISS)
    p, rater, error = (part.estimate for part in study.components)
    assert raters_needed(study, "consistent", 0.95).n_raters == math.ceil(0.95 * error / (0.05 * p))
    assert raters_needed(study, "absolute").n_raters == math.ceil(0.8 * (rater + error) / (0.2 * p))
    assert raters_needed(study, "consistent", 0.5).n_raters == 1
    assert raters_needed(study, "consistent", p / (p + error / 7)).n_raters == 7  # met exactly


def test_what_the_other_facet_leaves_cannot_be_averaged_away() -> None:
    study = study_of(BRENNAN_3)
    p, _, _, by_item, by_occasion, _, rest = (part.estimate for part in study.components)
    # With n items, one occasion: p / (p + po + (pi + pio) / n); the limit is p / (p + po) = 0.846
    expected = math.ceil((by_item + rest) / (p / 0.8 - p - by_occasion))
    assert raters_needed(study, "consistent").n_raters == expected
    needed = raters_needed(study, "consistent", 0.85)
    assert (needed.n_raters, needed.reason) == (math.inf, "no number of raters reaches 0.85")


@given(st.floats(0.05, 0.99), st.sampled_from(KINDS))
def test_one_fewer_would_not_do(target: float, kind: CoefficientKind) -> None:
    study = study_of(BRENNAN_1)
    number = raters_needed(study, kind, target).n_raters
    assert reliability(study, kind, number).value >= target - 1e-9
    assert number == 1 or reliability(study, kind, number - 1).value < target


def test_where_responses_do_not_differ_no_number_is_enough() -> None:
    study = study_of([[1, 3], [3, 1]])
    assert values(study, 2) == [0, 0]
    assert raters_needed(study, "absolute").n_raters == math.inf


def test_what_cannot_be_computed_is_nan_with_its_reason() -> None:
    single = study_of([[1], [2], [3]])
    constant = study_of(np.full((4, 3), 7.1))
    for study, reason in ((single, "there is a single rater"), (constant, "all ratings are equal")):
        assert math.isnan(reliability(study, "absolute").value)
        assert reliability(study, "absolute").reason == reason
        assert math.isnan(raters_needed(study, "absolute").n_raters)
        assert raters_needed(study, "absolute").reason == reason
    apart = study_of([[1, 3], [1, 3], [1, 3]])  # raters are constant: 0 of their variance, or 0 / 0
    assert reliability(apart, "absolute").value == 0
    assert math.isnan(reliability(apart, "consistent").value)
    assert reliability(apart, "consistent").reason


def test_intervals_of_consistency_are_the_exact_ones_of_crossed_data() -> None:
    # McGraw and Wong's limits of ICC(C,1) are exact; draws are many.
    rng = np.random.default_rng(3)
    scores = rng.normal(0, 1, (40, 1)) + rng.normal(0, 1, (40, 3)) + rng.normal(0, 1, 3)
    for confidence in (0.8, 0.95):
        study, draws = with_draws(long(scores), n_draws=200_000, normal=True)
        exact = icc(scores, confidence)
        for name, number in (("ICC(C,1)", 1), ("ICC(C,k)", 3)):
            found = reliability(study, "consistent", number, draws=draws, confidence=confidence)
            assert (found.value, found.low, found.high) == pytest.approx(
                (exact[name].value, exact[name].lower, exact[name].upper), abs=4e-3
            )
            assert found.confidence == confidence


def test_intervals_of_nested_data_are_the_exact_ones() -> None:
    rng = np.random.default_rng(4)
    scores = rng.normal(0, 1, (40, 1)) + rng.normal(0, 1, (40, 3))
    study, draws = with_draws(long(scores, nested=True), n_draws=200_000, normal=True)
    found, exact = reliability(study, "absolute", draws=draws), icc(scores)["ICC(1)"]
    assert (found.low, found.high) == pytest.approx((exact.lower, exact.upper), abs=4e-3)


def test_the_interval_of_a_number_follows_from_that_of_reliability() -> None:
    # n = 4 (1 - r) / r for a target of 0.8
    cells = DESIGNS["missing at random"]
    study, draws = with_draws(make_ratings(cells.response, cells.rater, cells.value))
    single, needed = (f(study, "absolute", draws=draws) for f in (reliability, raters_needed))
    assert needed.low == math.ceil(4 * (1 - single.high) / single.high)
    assert needed.high == math.ceil(4 * (1 - single.low) / single.low)
    assert needed.low < needed.n_raters < needed.high


def test_fixed_raters_have_narrower_intervals_of_agreement() -> None:
    cells = two_way(31, planned(150, 3), (2, 1, 1))
    ratings = make_ratings(cells.response, cells.rater, cells.value)
    study, random = with_draws(ratings)
    _, fixed = with_draws(ratings, raters="fixed")
    wide, narrow = (reliability(study, "absolute", draws=draws) for draws in (random, fixed))
    assert wide.low < narrow.low < narrow.value < narrow.high
    assert narrow.high - narrow.low < 0.5 * (wide.high - wide.low)
    level, same = (reliability(study, "consistent", draws=draws) for draws in (random, fixed))
    assert (level.low, level.high) == pytest.approx((same.low, same.high), abs=0.01)


def test_the_variance_of_fixed_raters_is_that_of_their_severities() -> None:
    # With a known residual, the mean over draws is nearly the estimate itself.
    cells = two_way(32, [(row, rater) for row in range(400) for rater in range(4)], (1, 1, 1))
    study, draws = with_draws(make_ratings(cells.response, cells.rater, cells.value), raters="fixed")
    assert draws.values[:, 1].mean() == pytest.approx(study.variance("rater"), rel=0.02)


def test_limits_of_components_hold_them() -> None:
    for name in ("2 of 6 planned", "islands", "responses in clusters"):
        cells = DESIGNS[name]
        cluster = cells.third if "clusters" in name else None
        study, draws = with_draws(make_ratings(cells.response, cells.rater, cells.value, cluster=cluster))
        for part, (low, high) in zip(study.components, variance_limits(draws), strict=True):
            assert 0 <= low < part.variance < high


def test_where_there_is_no_interval_there_is_a_reason() -> None:
    study, draws = with_draws(long(SHROUT_FLEISS[:4]))
    found = reliability(study, "absolute", draws=draws)
    assert found.reason == TOO_FEW
    assert math.isnan(found.low)
    assert not math.isnan(found.value)
    needed = raters_needed(study, "absolute", draws=draws)
    assert (needed.reason, math.isnan(needed.high)) == (TOO_FEW, True)
    cells = DESIGNS["responses in clusters"]
    two = make_ratings(cells.response, cells.rater, cells.value, cluster=cells.third % 2)
    assert with_draws(two)[1].reason == TOO_FEW
    facet = make_ratings(FACET.response, FACET.rater, FACET.value, facet=FACET.third)
    assert with_draws(facet)[1].reason == ""
    assert with_draws(facet, raters="fixed")[1].reason == "raters that cross a facet are random here"
    assert with_draws(long([[1], [2]]))[1].reason == "there is a single rater"
    assert np.isnan(variance_limits(with_draws(long([[1], [2]]))[1])).all()
    assert math.isnan(reliability(study, "absolute").low)
    assert reliability(study, "absolute").reason == ""


def coverage(draw: object, truth: float, n: int, kind: CoefficientKind = "absolute") -> float:
    rng, inside = np.random.default_rng(8), 0
    for _ in range(n):
        ratings = draw(rng)  # type: ignore[operator]
        study = estimate_components(ratings)
        draws = draw_components(ratings, study, rng, n_draws=1000)
        found = reliability(study, kind, draws=draws)
        inside += found.low <= truth <= found.high
    return inside / n


def test_intervals_cover_with_few_random_raters() -> None:
    # Two raters, 200 responses, shares 1 : .5 : .3. Binomial error of 400 intervals: .011.
    def crossed(rng: np.random.Generator) -> Ratings:
        scores = rng.normal(0, 1, (200, 1)) + rng.normal(0, 0.5**0.5, 2) + rng.normal(0, 0.3**0.5, (200, 2))
        return long(scores)

    assert 0.91 < coverage(crossed, 1 / 1.8, 400) < 0.99


def test_intervals_cover_with_planned_missing_ratings() -> None:
    response, rater = np.array(planned(60, 4)).T

    def incomplete(rng: np.random.Generator) -> Ratings:
        value = rng.normal(0, 1, 60)[response] + rng.normal(0, 0.5**0.5, 4)[rater]
        return make_ratings(response, rater, value + rng.normal(0, 0.5, 120))

    assert 0.90 < coverage(incomplete, 1 / 1.75, 150) < 0.995


@settings(max_examples=20)
@given(st.sampled_from(sorted(DESIGNS)), st.sampled_from(KINDS), st.floats(1, 20))
def test_more_raters_are_more_reliable_and_nothing_leaves_its_range(
    name: str, kind: CoefficientKind, number: float
) -> None:
    cells = DESIGNS[name]
    study, draws = with_draws(make_ratings(cells.response, cells.rater, cells.value), n_draws=500)
    single, several = (reliability(study, kind, k, draws=draws) for k in (1, number))
    for found in (single, several):
        assert 0 <= found.low <= found.high <= 1
        assert 0 <= found.value <= 1
    assert several.value >= single.value
    assert several.low >= single.low


def test_long_tails_widen_intervals_and_short_ones_narrow_them() -> None:
    rng = np.random.default_rng(9)
    values = {"long": rng.exponential(1, (150, 4)), "short": rng.uniform(-1.7, 1.7, (150, 4))}
    for name, drawn in values.items():
        ratings = long(drawn[:, :1] + 0.5 * drawn[:, 1:] + rng.normal(0, 0.5, 3))
        own, normal = (with_draws(ratings, normal=normal) for normal in (False, True))
        widths = [
            found.high - found.low
            for found in (reliability(study, "consistent", draws=draws) for study, draws in (own, normal))
        ]
        assert (widths[0] > 1.3 * widths[1]) if name == "long" else (widths[0] < 0.95 * widths[1])
        assert own[1].note == ""  # there are many
    few = with_draws(long(rng.exponential(1, (40, 1)) ** 2 + rng.exponential(1, (40, 3)) ** 2))[1]
    assert few.note == "points have long tails and responses are few: intervals cover less than they say"


def test_intervals_of_skewed_points_cover() -> None:
    # Normal theory covers .76 here (.02 of binomial error).
    def skewed(rng: np.random.Generator) -> Ratings:
        return long(rng.exponential(1, (80, 1)) + rng.normal(0, 0.3, 3) + 0.7 * rng.exponential(1, (80, 3)))

    assert coverage(skewed, 1 / 1.49, 300, "consistent") > 0.88


def test_what_makes_no_sense_is_refused_in_words() -> None:
    study = study_of(SHROUT_FLEISS)
    with pytest.raises(ValueError, match="at least 1"):
        reliability(study, "absolute", 0)
    with pytest.raises(ValueError, match="coefficient"):
        reliability(study, "alpha")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="confidence"):
        reliability(study, "absolute", confidence=95)
    with pytest.raises(ValueError, match="target"):
        raters_needed(study, "absolute", 1.0)
    with pytest.raises(ValueError, match="raters must be"):
        with_draws(long(SHROUT_FLEISS), raters="some")
