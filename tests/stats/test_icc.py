"""Intraclass correlations against Shrout and Fleiss and what their forms mean; test_oracles has pingouin."""

from __future__ import annotations

import math
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from creaeval.stats.icc import IccName, icc
from stats.test_correlation import same, some

# Shrout & Fleiss (1979), Table 2: six targets, four judges.
SHROUT_FLEISS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
NAMES: tuple[IccName, ...] = get_args(IccName)

matrices = st.integers(2, 4).flatmap(
    lambda k: st.lists(
        st.lists(st.integers(0, 20).map(lambda half: half / 2), min_size=k, max_size=k),
        min_size=2,
        max_size=8,
    ).map(np.array)
)


def test_the_example_of_shrout_and_fleiss() -> None:
    table = icc(SHROUT_FLEISS)
    published = {
        # Values: their Table 4. F, p and limits: as R's psych::ICC prints them for these data.
        "ICC(1,1)": (0.17, 1.79, 5, 18, "0.16477", -0.133, 0.72),
        "ICC(2,1)": (0.29, 11.03, 5, 15, "0.00013", 0.019, 0.76),
        "ICC(3,1)": (0.71, 11.03, 5, 15, "0.00013", 0.342, 0.95),
        "ICC(1,k)": (0.44, 1.79, 5, 18, "0.16477", -0.884, 0.91),
        "ICC(2,k)": (0.62, 11.03, 5, 15, "0.00013", 0.071, 0.93),
        "ICC(3,k)": (0.91, 11.03, 5, 15, "0.00013", 0.676, 0.99),
    }
    assert {
        form.shrout_fleiss: (
            round(form.value, 2),
            round(form.f, 2),
            form.df1,
            form.df2,
            f"{form.p:.5f}",
            round(form.lower, 3),
            round(form.upper, 2),
        )
        for form in table.forms
    } == published
    assert (table.n, table.k, table.left_out, table.confidence) == (6, 4, 0, 0.95)


def test_a_constant_leniency_is_consistent_and_does_not_agree() -> None:
    human = np.array([1, 2, 3, 4, 5, 6])
    table = icc(np.column_stack([human, human + 3]))
    assert table["ICC(C,1)"].value == 1
    assert (table["ICC(C,1)"].f, table["ICC(C,1)"].p) == (math.inf, 0)
    # R = 2 * 3.5, E = 0, C = 12 * 1.5**2: 7 / (7 + 2 * 27 / 6).
    assert table["ICC(A,1)"].value == pytest.approx(7 / 16)
    assert table["ICC(A,1)"].lower < 7 / 16 < table["ICC(A,1)"].upper < 1


def test_full_agreement_is_1_and_has_no_interval_rather_than_one_without_width() -> None:
    for form in icc(np.array([[1, 1, 1], [2, 2, 2], [4.5, 4.5, 4.5]])).forms:
        assert (form.value, form.f, form.p) == (1, math.inf, 0)
        assert math.isnan(form.lower)
        assert math.isnan(form.upper)
        assert form.why_no_interval == "no interval: without any disagreement it would have no width"


def test_negative_values_are_reported_and_a_mean_without_reliability_is_not() -> None:
    # Every target has the mean 3, so R = 0, and C = 0: E = W = 4 and 5.
    table = icc([[1, 5], [2, 4], [3, 3], [4, 2], [5, 1]])
    assert table["ICC(1,1)"].value == -1
    assert table["ICC(3,1)"].value == -1
    for name in ("ICC(1,k)", "ICC(2,k)", "ICC(3,k)"):
        assert math.isnan(table[name].value)
        assert table[name].why_undefined == "targets differ too little for a mean of ratings"


def test_targets_with_a_missing_rating_are_left_out_and_counted() -> None:
    holed = np.vstack([SHROUT_FLEISS, [1, 2, math.nan, 3]])
    assert icc(holed).forms == icc(SHROUT_FLEISS).forms
    assert (icc(holed).n, icc(holed).left_out) == (6, 1)


@pytest.mark.parametrize(
    ("ratings", "reason"),
    [
        ([[1, 2]], "fewer than 2 targets with all their ratings"),
        ([[1, math.nan], [1, 2], [math.nan, 3]], "fewer than 2 targets with all their ratings"),
        ([[2, 2], [2, 2]], "every rater is constant"),
        ([[2, 3], [2, 3], [2, 3]], "every rater is constant"),
    ],
)
def test_undefined_forms_are_nan_and_say_why(ratings: list[list[float]], reason: str) -> None:
    for form in icc(ratings).forms:
        assert form.why_undefined == reason
        numbers = (form.value, form.f, form.df1, form.df2, form.p, form.lower, form.upper)
        assert all(math.isnan(number) for number in numbers)


def test_a_higher_confidence_gives_wider_limits() -> None:
    narrow, wide = icc(SHROUT_FLEISS, 0.8), icc(SHROUT_FLEISS, 0.99)
    for one, other in zip(narrow.forms, wide.forms, strict=True):
        assert other.lower < one.lower < one.value < one.upper < other.upper


@some
@given(ratings=matrices, shift=st.integers(-9, 9), seed=st.integers(0, 99))
def test_consistency_does_not_see_a_lenient_rater_and_no_form_sees_order(
    ratings: np.ndarray, shift: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    mixed = rng.permutation(rng.permutation(ratings), axis=1)
    forms, of_mixed, of_shifted = (icc(table) for table in (ratings, mixed, ratings + shift))
    for name in NAMES:
        assert same(of_mixed[name].value, forms[name].value)
        assert same(of_shifted[name].value, forms[name].value)
    lenient = ratings.copy()
    lenient[:, 0] += shift
    for name in ("ICC(C,1)", "ICC(C,k)"):
        assert same(icc(lenient)[name].value, forms[name].value)


@some
@given(ratings=matrices)
def test_every_value_lies_within_its_limits(ratings: np.ndarray) -> None:
    for form in icc(ratings).forms:
        if not math.isnan(form.value) and not math.isnan(form.lower):
            assert form.lower - 1e-9 <= form.value <= form.upper + 1e-9 <= 1 + 2e-9


@some
@given(ratings=matrices)
def test_doubled_targets_leave_the_values_but_for_their_degrees_of_freedom(ratings: np.ndarray) -> None:
    value, doubled = (icc(r)["ICC(C,1)"].value for r in (ratings, np.tile(ratings, (2, 1))))
    # R and E are both divided by 2n - 1 in place of 2(n - 1).
    assert same(doubled, value)


def test_input_that_is_no_table_of_raters_is_refused_in_words() -> None:
    with pytest.raises(ValueError, match=r"2 dimensions is needed; this has the shape \(3,\)"):
        icc([1, 2, 3])
    with pytest.raises(ValueError, match=r"two or more columns are needed, one for each rater"):
        icc([[1], [2]])
    with pytest.raises(ValueError, match="a confidence lies between 0 and 1"):
        icc(SHROUT_FLEISS, 95)
    with pytest.raises(KeyError, match=r"'ICC2k' is no form of the ICC; those are ICC\(1\) = ICC\(1,1\)"):
        icc(SHROUT_FLEISS)["ICC2k"]
