"""Variance components against textbooks where data are crossed, and against R's lme4 where they are not."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from creaeval.stats.variance.components import Components, estimate_components
from creaeval.stats.variance.design import make_ratings
from creaeval.stats.variance.reml import fit_ratios, nested_criterion
from stats.designs import DESIGNS, FACET, Cells, two_way
from stats.textbooks import BRENNAN_1, BRENNAN_3, SHROUT_FLEISS, long

small = arrays.arrays(np.float64, st.tuples(st.integers(3, 8), st.integers(2, 4)), elements=st.integers(1, 9))

# R 4.2.2, lme4 1.1-31, data of stats/designs.py written to d (response, rater and third as factors):
#   m <- lmer(value ~ (1|response) + (1|rater), d, control = lmerControl(optimizer = "bobyqa",
#     optCtrl = list(rhoend = 1e-12, maxfun = 1e6))); as.data.frame(VarCorr(m))$vcov
# nested: value ~ (1|response); clusters: value ~ (1|third) + (1|response) + (1|rater).
LME4 = {
    "missing at random": [5.212342, 1.348753, 2.919386],
    "chain of pairs": [2.723043, 2.250028, 1.970946],
    "2 of 6 planned": [1.258427, 1.318845, 5.093728],
    "nested": [1.063930, 2.622878],
    "unequal numbers": [3.211878, 1.669459, 0.860877],
    "rater with one rating": [4.510414, 0.671331, 0.826474],
    "big residual": [0.0, 0.0, 36.264838],
    "no rater variance": [3.594445, 0.013706, 3.402376],
    "responses in clusters": [2.133667, 2.230777, 0.337572, 1.529090],
    "islands": [4.770678, 0.262644, 0.939132],
}
# value ~ (1|response) + (1|rater) + (1|third) + (1|response:rater) + (1|response:third) + (1|rater:third)
LME4_FACET = [5.280763, 0.875293, 2.484189, 0.444160, 1.207455, 0.023541, 1.263216]


def estimates(study: Components) -> list[float]:
    return [part.estimate for part in study.components]


def effects(study: Components) -> list[str]:
    return [" x ".join(part.effect) for part in study.components]


def of_cells(cells: Cells, *, clusters: bool = False) -> Components:
    return estimate_components(
        make_ratings(cells.response, cells.rater, cells.value, cluster=cells.third if clusters else None)
    )


@pytest.mark.parametrize("name", DESIGNS)
def test_incomplete_designs_have_the_components_of_lme4(name: str) -> None:
    study = of_cells(DESIGNS[name], clusters="clusters" in name)
    assert study.method == "reml"
    assert study.reason == ""
    assert estimates(study) == pytest.approx(LME4[name], rel=1e-4, abs=1e-5)
    assert sum(part.share for part in study.components) == pytest.approx(1)


def test_what_the_designs_are() -> None:
    kinds = {name: of_cells(cells).design.kind for name, cells in DESIGNS.items()}
    assert kinds == dict.fromkeys(kinds, "incomplete") | {"nested": "nested", "islands": "disconnected"}


def test_an_incomplete_facet_has_the_components_of_lme4() -> None:
    study = estimate_components(make_ratings(FACET.response, FACET.rater, FACET.value, facet=FACET.third))
    assert estimates(study) == pytest.approx(LME4_FACET, rel=1e-4, abs=1e-5)
    assert (study.factors, study.levels) == (("response", "rater", "facet"), (30, 4, 3))


def test_brennans_first_data_set() -> None:
    # Published: 0.0574, 0.0754, 0.1269 (mean squares 0.8157, 0.8811, 0.1269)
    study = estimate_components(long(BRENNAN_1))
    assert (study.method, study.design.kind) == ("anova", "crossed")
    assert effects(study) == ["response", "rater", "response x rater"]
    assert [part.degrees_of_freedom for part in study.components] == [9, 11, 99]
    assert [part.mean_square for part in study.components] == pytest.approx(
        [0.8157, 0.8811, 0.1269], abs=6e-5
    )
    assert estimates(study) == pytest.approx([0.0574, 0.0754, 0.1269], abs=6e-5)


def test_brennans_third_data_set() -> None:
    # Published sums of squares and components
    study = estimate_components(long(BRENNAN_3))
    assert effects(study)[3:] == [
        "response x rater",
        "response x facet",
        "rater x facet",
        "response x rater x facet",
    ]
    assert study.levels == (10, 4, 2)
    assert [part.degrees_of_freedom for part in study.components] == [9, 3, 1, 27, 9, 3, 27]
    assert [part.sum_of_squares for part in study.components] == pytest.approx(
        [62.20, 37.45, 3.20, 56.30, 12.05, 7.50, 25.25]
    )
    assert estimates(study) == pytest.approx(
        [0.5528, 0.4417, 0.0074, 0.5750, 0.1009, 0.1565, 0.9352], abs=6e-5
    )


def test_crossed_components_are_exact() -> None:
    # By hand: squares of the six means' deviations (times 4), of the four means' (times 6), and the rest.
    data = np.array(SHROUT_FLEISS, dtype=float)
    rows, columns = data.mean(axis=1), data.mean(axis=0)
    response = 4 * ((rows - data.mean()) ** 2).sum() / 5
    rater = 6 * ((columns - data.mean()) ** 2).sum() / 3
    rest = ((data - rows[:, None] - columns + data.mean()) ** 2).sum() / 15
    expected = [(response - rest) / 4, (rater - rest) / 6, rest]
    assert estimates(estimate_components(long(data))) == pytest.approx(expected, rel=1e-12)


def test_raters_within_responses_of_the_textbook() -> None:
    # Shrout and Fleiss: between 11.24 and within 6.26 with 4 ratings
    study = estimate_components(long(SHROUT_FLEISS, nested=True))
    assert (study.method, study.design.kind, effects(study)) == (
        "anova",
        "nested",
        ["response", "response x rater"],
    )
    assert [part.degrees_of_freedom for part in study.components] == [5, 18]
    assert [part.mean_square for part in study.components] == pytest.approx([11.24, 6.26], abs=6e-3)
    assert estimates(study) == pytest.approx([(11.24 - 6.26) / 4, 6.26], abs=6e-3)


def test_balanced_clusters_by_hand() -> None:
    # Two clusters of two responses, two raters: all sums of squares by hand.
    # Cluster means 3 and 6, response means 2, 4, 5, 7, rater means 4 and 5, grand mean 4.5.
    value = np.array([1, 3, 4, 4, 5, 5, 6, 8], dtype=float)
    response, rater = np.repeat(np.arange(4), 2), np.tile([0, 1], 4)
    study = estimate_components(make_ratings(response, rater, value, cluster=response // 2))
    assert study.method == "anova"
    assert effects(study) == ["cluster", "response", "rater", "response x rater"]
    # cluster 4 x 2 x 2.25; responses 2 x 4 x 1; rater 4 x 2 x .25; the whole is 32 - 0: 1 is left over 3
    assert [part.sum_of_squares for part in study.components] == pytest.approx([18, 8, 2, 2])
    assert [part.degrees_of_freedom for part in study.components] == [1, 2, 1, 3]
    rest = 2 / 3
    assert estimates(study) == pytest.approx([(18 - 4) / 4, (4 - rest) / 2, (2 - rest) / 4, rest])


def test_balanced_data_have_the_same_components_by_both_methods() -> None:
    cells = two_way(21, [(row, rater) for row in range(30) for rater in range(4)], (2, 1, 1), clusters=6)
    whole = of_cells(cells, clusters=True)
    assert whole.method == "anova"
    assert min(estimates(whole)) > 0
    ratings = make_ratings(cells.response, cells.rater, cells.value, cluster=cells.third)
    criterion = nested_criterion(ratings, cells.value - cells.value.mean(), with_raters=True)
    ratios, residual = fit_ratios(criterion, 3)
    response, cluster, rater = ratios * residual
    assert [cluster, response, rater, residual] == pytest.approx(estimates(whole), rel=1e-4)


@given(arrays.arrays(np.float64, st.tuples(*[st.integers(2, 4)] * 3), elements=st.integers(1, 9)))
def test_sums_of_squares_add_up(scores: np.ndarray) -> None:
    study = estimate_components(long(scores))
    total = ((scores - scores.mean()) ** 2).sum()
    assert sum(part.sum_of_squares for part in study.components) == pytest.approx(total, abs=1e-9)
    assert sum(part.degrees_of_freedom for part in study.components) == scores.size - 1


def test_components_of_simulated_scores_are_found() -> None:
    generator = np.random.default_rng(6)
    response, rater = generator.normal(0, 2, (400, 1, 1)), generator.normal(0, 1, (1, 40, 1))
    crossed, error = generator.normal(0, 1.5, (400, 40, 1)), generator.normal(0, 1, (400, 40, 3))
    found = estimates(estimate_components(long(response + rater + crossed + error)))
    assert found == pytest.approx([4.0, 1.0, 0.0, 2.25, 0.0, 0.0, 1.0], abs=0.5)


@pytest.mark.parametrize("name", DESIGNS)
@pytest.mark.parametrize(("factor", "shift"), [(-2.0, 3), (0.01, 0), (10.0, 1000)])
def test_another_scale_changes_nothing_but_units(name: str, factor: float, shift: int) -> None:
    cells = DESIGNS[name]
    moved = cells._replace(
        value=factor * cells.value + shift, response=-cells.response, rater=cells.rater + 9
    )
    expected = [factor**2 * estimate for estimate in estimates(of_cells(cells))]
    assert estimates(of_cells(moved)) == pytest.approx(expected, rel=1e-4, abs=1e-6 * factor**2)


def test_a_negative_component_is_shown_and_counts_as_zero() -> None:
    # Means 2 and 2 of both responses: MS response 0, MS error 2, so the response's component is (0 - 2) / 2
    study = estimate_components(long([[1, 3], [3, 1]]))
    response = study.components[0]
    assert (response.estimate, response.variance, response.share) == pytest.approx((-2.0, 0.0, 0.0))
    assert "response" in study.notes[0]
    assert "-2" in study.notes[0]
    assert study.variance("response") == 0
    assert study.variance("cluster") == 0
    nested = estimate_components(long([[1, 3], [3, 1]], nested=True))
    assert nested.components[0].estimate == -1  # within (2 + 2) / 2: (0 - 2) / 2


def test_raters_who_differ_by_constants_leave_no_residual() -> None:
    # Four responses of 1, 2, 4, 9 and raters 0, +1, +5, each response by two of them.
    levels, leniency = np.array([1, 2, 4, 9]), np.array([0, 1, 5])
    response, rater = np.array([(0, 0), (0, 1), (1, 1), (1, 2), (2, 0), (2, 2), (3, 0), (3, 1)]).T
    study = estimate_components(make_ratings(response, rater, levels[response] + leniency[rater]))
    assert estimates(study) == pytest.approx([levels.var(ddof=1), leniency.var(ddof=1), 0])
    own = estimate_components(make_ratings([0, 0, 1, 1, 2, 2, 2], range(7), [1, 1, 4, 4, 5, 5, 5]))
    assert estimates(own) == pytest.approx([np.var([1, 4, 5], ddof=1), 0])


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        ([(0, 0, 1), (1, 0, 2)], "there is a single rater"),
        ([(0, 0, 1), (0, 1, 2)], "there is a single response"),
        ([(0, 0, math.nan)], "there is no rater"),
        ([(0, 0, 1), (1, 0, 2), (2, 1, 3)], "no response has two ratings"),
        ([(0, 0, 1), (1, 1, 2)], "no response has two ratings"),
        (
            [(0, 0, 1), (0, 1, 2), (1, 1, 3), (1, 2, 5)],
            "4 ratings of 2 responses by 3 raters are too few to tell raters from error",
        ),
    ],
)
def test_nothing_is_made_from_nothing(cells: list[tuple[int, int, float]], reason: str) -> None:
    response, rater, value = zip(*cells, strict=True)
    study = estimate_components(make_ratings(response, rater, value))
    assert all(math.isnan(estimate) for estimate in estimates(study))
    assert not study.defined
    assert study.reason == reason


def test_equal_ratings_have_no_variance_and_no_shares() -> None:
    for ratings in (
        long(np.full((4, 3), 7.1)),
        long([[7.1, 7.1, math.nan], [math.nan, 7.1, 7.1], [7.1, math.nan, 7.1]]),
        long(np.full((4, 3), 7.1), nested=True),
    ):
        study = estimate_components(ratings)
        assert set(estimates(study)) == {0}
        assert all(math.isnan(part.share) for part in study.components)
        assert study.reason == "all ratings are equal"


def test_effects_with_the_same_levels_are_named() -> None:
    cells = DESIGNS["missing at random"]
    own = estimate_components(make_ratings(cells.response, cells.rater, cells.value, cluster=cells.response))
    assert own.reason == "cluster and response have the same levels and cannot be told apart"
    single = estimate_components(make_ratings(cells.response, cells.rater, cells.value, facet=cells.rater))
    assert single.reason == "rater and facet have the same levels and cannot be told apart"
    alone = estimate_components(
        make_ratings(cells.response, cells.rater, cells.value, facet=np.zeros_like(cells.rater))
    )
    assert alone.reason == "there is a single level of the facet"
    assert effects(alone)[-1] == "response x rater x facet"
    # Raters 0 and 1 rated the first level, 2 and 3 the second: no rater's levels can be compared.
    part = (FACET.third < 2) & ((FACET.rater < 2) == (FACET.third == 0))
    columns = (FACET.response[part], FACET.rater[part], FACET.value[part])
    split = estimate_components(make_ratings(*columns, facet=FACET.third[part]))
    assert split.reason == "rater and rater x facet have the same levels and cannot be told apart"
