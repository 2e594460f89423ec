"""G- and D-studies against Brennan's textbook and against intraclass correlations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from creaeval.stats.icc import icc
from creaeval.stats.variance import GStudy, d_study, g_study, needed, one_way_study

# Brennan (2001), Generalizability Theory, synthetic data set 1 (persons x items), Table 2.2.
BRENNAN_1 = [
    [1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    [1, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0],
    [1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0],
    [1, 1, 0, 1, 1, 0, 0, 1, 0, 0, 0, 0],
    [1, 1, 1, 1, 1, 0, 1, 0, 0, 0, 0, 0],
    [1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 0, 0],
    [1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0],
    [1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 0, 0],
    [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0],
    [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
]
# Synthetic data set 3 (persons x items x occasions): occasions, items, persons.
BRENNAN_3 = np.array(
    [
        [
            [2, 4, 5, 5, 4, 4, 2, 3, 0, 6],
            [6, 5, 5, 9, 3, 4, 6, 4, 5, 8],
            [7, 6, 4, 8, 5, 4, 6, 4, 4, 7],
            [5, 7, 6, 6, 6, 7, 5, 5, 5, 6],
        ],
        [
            [2, 6, 5, 5, 4, 6, 2, 6, 5, 6],
            [5, 7, 4, 7, 5, 4, 7, 6, 5, 8],
            [5, 5, 5, 7, 6, 7, 7, 6, 5, 8],
            [5, 7, 5, 6, 4, 8, 5, 4, 3, 6],
        ],
    ]
).transpose(2, 1, 0)
# Shrout and Fleiss (1979), Table 2
SHROUT_FLEISS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]


def estimates(study: GStudy) -> list[float]:
    return [component.estimate for component in study.components]


def test_brennans_first_data_set() -> None:
    # Published: 0.0574, 0.0754, 0.1269 (mean squares 0.8157, 0.8811, 0.1269), 0.844 and 0.773 with 12 items
    study = g_study(BRENNAN_1, facets=["item"])
    assert [component.effect for component in study.components] == [
        ("response",),
        ("item",),
        ("response", "item"),
    ]
    assert [c.degrees_of_freedom for c in study.components] == [9, 11, 99]
    assert [c.mean_square for c in study.components] == pytest.approx([0.8157, 0.8811, 0.1269], abs=6e-5)
    assert estimates(study) == pytest.approx([0.0574, 0.0754, 0.1269], abs=6e-5)
    design = d_study(study, n_raters=12)
    assert design.generalizability == pytest.approx(0.844, abs=6e-4)
    assert design.dependability == pytest.approx(0.773, abs=6e-4)


def test_brennans_third_data_set() -> None:
    # Published sums of squares, components, and coefficients of four items on two occasions
    study = g_study(BRENNAN_3, facets=["item", "occasion"])
    assert study.levels == (10, 4, 2)
    assert [c.degrees_of_freedom for c in study.components] == [9, 3, 1, 27, 9, 3, 27]
    assert [c.sum_of_squares for c in study.components] == pytest.approx(
        [62.20, 37.45, 3.20, 56.30, 12.05, 7.50, 25.25]
    )
    assert estimates(study) == pytest.approx(
        [0.5528, 0.4417, 0.0074, 0.5750, 0.1009, 0.1565, 0.9352], abs=6e-5
    )
    assert sum(c.share for c in study.components) == pytest.approx(1.0)
    design = d_study(study, n_raters=4, n_repeats=2)
    assert design.relative_error == pytest.approx(0.5750 / 4 + 0.1009 / 2 + 0.9352 / 8, abs=1e-4)
    assert design.generalizability == pytest.approx(0.64, abs=6e-3)
    assert design.dependability == pytest.approx(0.55, abs=6e-3)


def test_coefficients_are_the_intraclass_correlations() -> None:
    # Published: ICC(3,4) 0.91 and ICC(2,4) 0.62; ICC(3,1) 0.71 and ICC(2,1) 0.29
    study = g_study(SHROUT_FLEISS)
    four, one = d_study(study, n_raters=4), d_study(study, n_raters=1)
    assert four.generalizability == pytest.approx(0.91, abs=5e-3)
    assert four.dependability == pytest.approx(0.62, abs=5e-3)
    assert one.generalizability == pytest.approx(0.71, abs=6e-3)
    assert one.dependability == pytest.approx(0.29, abs=5e-3)


@given(arrays.arrays(np.float64, st.tuples(st.integers(3, 8), st.integers(2, 4)), elements=st.integers(1, 9)))
def test_the_identity_holds_wherever_nothing_is_negative(scores: np.ndarray) -> None:
    study = g_study(scores)
    if min(estimates(study)) < 0.0 or study.components[0].variance == 0.0:
        return
    design = d_study(study, n_raters=scores.shape[1])
    assert design.generalizability == pytest.approx(icc(scores)["ICC(C,k)"].value)
    assert design.dependability == pytest.approx(icc(scores)["ICC(A,k)"].value)


@given(
    arrays.arrays(
        np.float64,
        st.tuples(st.integers(2, 5), st.integers(2, 4), st.integers(2, 3)),
        elements=st.integers(1, 9),
    )
)
def test_sums_of_squares_add_up(scores: np.ndarray) -> None:
    study = g_study(scores)
    total = ((scores - scores.mean()) ** 2).sum()
    assert sum(c.sum_of_squares for c in study.components) == pytest.approx(total, abs=1e-9)
    assert sum(c.degrees_of_freedom for c in study.components) == scores.size - 1


def test_components_of_simulated_scores_are_found() -> None:
    generator = np.random.default_rng(6)
    response, rater = generator.normal(0, 2, (400, 1, 1)), generator.normal(0, 1, (1, 40, 1))
    crossed, error = generator.normal(0, 1.5, (400, 40, 1)), generator.normal(0, 1, (400, 40, 3))
    found = estimates(g_study(response + rater + crossed + error))
    assert found == pytest.approx([4.0, 1.0, 0.0, 2.25, 0.0, 0.0, 1.0], abs=0.5)


def test_a_negative_component_is_shown_and_counts_as_zero() -> None:
    # Means 2 and 2 of both responses: MS response 0, MS error 2, so the response's component is (0 - 2) / 2
    study = g_study([[1, 3], [3, 1]])
    response = study.components[0]
    assert (response.estimate, response.variance, response.share) == pytest.approx((-2.0, 0.0, 0.0))
    assert any("response" in warning and "-2" in warning for warning in study.warnings)
    assert d_study(study, n_raters=2).generalizability == 0.0
    assert needed(study) is None


def test_incomplete_responses_are_left_out_and_counted() -> None:
    scores = np.array([*SHROUT_FLEISS, [1, np.nan, 2, 3], [np.nan] * 4], dtype=float)
    study = g_study(scores)
    assert study.n_left_out == 2
    assert study.levels == (6, 4)
    assert estimates(study) == estimates(g_study(SHROUT_FLEISS))


def test_what_cannot_be_estimated_is_undefined() -> None:
    single = g_study([[1], [2], [3]])
    assert all(math.isnan(estimate) for estimate in estimates(single))
    assert any("single rater" in warning for warning in single.warnings)
    assert needed(single) is None
    constant = g_study(np.full((4, 3), 7.1))
    assert [c.variance for c in constant.components] == [0.0, 0.0, 0.0]
    assert all(math.isnan(c.share) for c in constant.components)
    assert math.isnan(d_study(constant, n_raters=2).generalizability)
    empty = g_study(np.full((2, 3), np.nan))
    assert empty.n_left_out == 2
    assert all(math.isnan(estimate) for estimate in estimates(empty))
    assert empty.warnings


def test_numbers_needed_by_hand() -> None:
    # One facet: p / (p + e / k) >= t from k >= t e / ((1 - t) p)
    study = g_study(SHROUT_FLEISS)
    p, rater, error = estimates(study)
    assert needed(study, target=0.95) == math.ceil(0.95 * error / (0.05 * p))
    assert needed(study, coefficient="dependability") == math.ceil(0.8 * (rater + error) / (0.2 * p))
    assert needed(study, target=0.5) == 1


def test_what_the_other_facet_leaves_cannot_be_averaged_away() -> None:
    study = g_study(BRENNAN_3, facets=["item", "occasion"])
    p, _, _, by_item, by_occasion, _, rest = estimates(study)
    # With n items, one occasion: p / (p + po + (pi + pio) / n); the limit is p / (p + po) = 0.846
    expected = math.ceil((by_item + rest) / (p / 0.8 - p - by_occasion))
    assert needed(study, n_repeats=1) == expected
    assert needed(study, target=0.85, n_repeats=1) is None


def test_a_target_that_is_met_exactly_is_met() -> None:
    # The target is the coefficient of seven raters itself.
    study = g_study(SHROUT_FLEISS)
    p, _, error = estimates(study)
    exact = p / (p + error / 7)
    assert needed(study, target=exact) == 7


@given(st.floats(0.05, 0.99), st.sampled_from(["generalizability", "dependability"]))
def test_one_fewer_would_not_do(target: float, coefficient: str) -> None:
    study = g_study(BRENNAN_1)
    number = needed(study, target=target, coefficient=coefficient)  # type: ignore[arg-type]
    assert number is not None
    assert getattr(d_study(study, n_raters=number), coefficient) >= target - 1e-9
    assert number == 1 or getattr(d_study(study, n_raters=number - 1), coefficient) < target


def test_what_makes_no_sense_is_refused_in_words() -> None:
    one, two = g_study(SHROUT_FLEISS), g_study(BRENNAN_3)
    with pytest.raises(ValueError, match="shape"):
        g_study([1, 2, 3])
    with pytest.raises(ValueError, match="names"):
        g_study(SHROUT_FLEISS, facets=["rater", "repeat"])
    with pytest.raises(ValueError, match="names"):
        g_study(SHROUT_FLEISS, facets=["response"])
    with pytest.raises(ValueError, match="infinite"):
        g_study(np.array([[1.0, np.inf], [1.0, 2.0]]))
    with pytest.raises(ValueError, match="no meaning"):
        d_study(one, n_raters=2, n_repeats=2)
    with pytest.raises(ValueError, match="n_repeats is needed"):
        d_study(two, n_raters=2)
    with pytest.raises(ValueError, match="at least 1"):
        d_study(one, n_raters=0)
    with pytest.raises(ValueError, match="target"):
        needed(one, target=1.0)
    with pytest.raises(ValueError, match="coefficient"):
        needed(one, coefficient="alpha")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="n_repeats is needed"):
        needed(two)


def test_raters_within_responses_of_the_textbook() -> None:
    # Shrout and Fleiss: between 11.24 and within 6.26 with 4 ratings; ICC(1,1) 0.17 and ICC(1,4) 0.44
    study = one_way_study(SHROUT_FLEISS)
    assert [one.effect for one in study.components] == [("response",), ("response", "rater")]
    assert [one.degrees_of_freedom for one in study.components] == [5, 18]
    assert [one.mean_square for one in study.components] == pytest.approx([11.24, 6.26], abs=6e-3)
    assert estimates(study) == pytest.approx([(11.24 - 6.26) / 4, 6.26], abs=6e-3)
    one, four = d_study(study, n_raters=1), d_study(study, n_raters=4)
    assert (one.generalizability, four.generalizability) == pytest.approx((0.17, 0.44), abs=6e-3)
    assert (study.design, study.levels, g_study(SHROUT_FLEISS).design) == ("nested", (6, 4), "crossed")


@given(arrays.arrays(np.float64, st.tuples(st.integers(3, 8), st.integers(2, 4)), elements=st.integers(1, 9)))
def test_one_way_coefficients_are_the_one_way_intraclass_correlations(scores: np.ndarray) -> None:
    study = one_way_study(scores)
    if study.components[0].estimate <= 0.0:
        return
    design = d_study(study, n_raters=scores.shape[1])
    assert design.generalizability == design.dependability
    assert design.generalizability == pytest.approx(icc(scores)["ICC(k)"].value)
    assert d_study(study, n_raters=1).dependability == pytest.approx(icc(scores)["ICC(1)"].value)


def test_the_most_common_number_of_ratings_is_used_wherever_they_stand() -> None:
    # Four pairs of ratings, spread over five raters; a triple, a single one and none are left out.
    gap = np.nan
    spread = [
        [1, gap, 3, gap, gap],
        [gap, 4, 4, gap, gap],
        [gap, gap, gap, 7, 5],
        [9, 8, gap, gap, gap],
        [1, 2, 3, gap, gap],
        [gap, gap, gap, gap, 6],
        [gap] * 5,
    ]
    study = one_way_study(spread)
    assert (study.levels, study.n_left_out) == ((4, 2), 3)
    assert estimates(study) == pytest.approx(estimates(one_way_study([[1, 3], [4, 4], [7, 5], [9, 8]])))
    # Means 2, 4, 6, 8.5: between 2 x 23.1875 / 3, within (2 + 0 + 2 + 0.5) / 4
    assert estimates(study) == pytest.approx([(2 * 23.1875 / 3 - 1.125) / 2, 1.125])


def test_of_equally_common_numbers_of_ratings_the_largest_counts() -> None:
    assert one_way_study(np.array([[1, 2, np.nan], [2, 4, np.nan], [1, 2, 3], [4, 5, 6]])).levels == (2, 3)


def test_one_way_components_that_cannot_be_estimated_are_undefined() -> None:
    for scores in ([[1, np.nan], [2, np.nan]], [[1, 2], [2, np.nan]], [[np.nan, np.nan]]):
        study = one_way_study(np.array(scores))
        assert math.isnan(study.components[0].estimate)
        assert study.warnings
        assert needed(study) is None
    # Both means are 2, within (2 + 2) / 2: response (0 - 2) / 2
    study = one_way_study([[1, 3], [3, 1]])
    assert (study.components[0].estimate, study.components[0].variance) == (-1.0, 0.0)
    assert "response" in study.warnings[0]
    with pytest.raises(ValueError, match="shape"):
        one_way_study([1, 2])
    with pytest.raises(ValueError, match="infinite"):
        one_way_study([[1, np.inf]])
    with pytest.raises(ValueError, match="another name"):
        one_way_study([[1, 2]], facet="response")
