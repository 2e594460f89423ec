"""Paired comparisons: against hand computation, published data and scipy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from creaeval.stats.compare import holm, paired_t_test, smallest_detectable_difference

# Student's sleep data (1908), as in R's `datasets::sleep`
FIRST_DRUG = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
SECOND_DRUG = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]


def test_students_sleep_data() -> None:
    # t.test(extra ~ group, paired = TRUE): t = -4.0621, df = 9, p = 0.002833, 95 % -2.4598858 to -0.7001142
    result = paired_t_test(FIRST_DRUG, SECOND_DRUG, paired_by="patient")
    assert (result.paired_by, result.n, result.degrees_of_freedom) == ("patient", 10, 9)
    assert result.mean_difference == pytest.approx(-1.58)
    assert result.t == pytest.approx(-4.0621, abs=5e-5)
    assert result.p_value == pytest.approx(0.002833, abs=5e-7)
    assert (result.low, result.high) == pytest.approx((-2.4598858, -0.7001142), abs=5e-8)


def test_t_test_without_spread_or_pairs_is_undefined() -> None:
    same = paired_t_test([1.1, 2.2, 3.3], [0.1, 1.2, 2.3])
    assert same.mean_difference == pytest.approx(1.0)
    assert math.isnan(same.t)
    assert math.isnan(same.p_value)
    single = paired_t_test([1, np.nan], [0, 1])
    assert (single.n, single.n_missing, single.mean_difference) == (1, 1, 1.0)
    assert math.isnan(single.standard_deviation)
    assert math.isnan(paired_t_test([], []).mean_difference)


def test_holm_by_hand() -> None:
    # sorted 0.01 x 3, 0.03 x 2, 0.04 x 1, then the running maximum
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.6, 0.9]) == pytest.approx([1.0, 1.0])
    assert holm([0.01, np.nan, 0.04, 0.03]) == pytest.approx([0.03, np.nan, 0.06, 0.06], nan_ok=True)
    assert len(holm([])) == 0


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_keeps_the_order_and_never_lowers(p_values: list[float]) -> None:
    adjusted = holm(p_values)
    order = np.argsort(p_values, kind="stable")
    assert (np.diff(adjusted[order]) >= 0).all()
    assert (adjusted >= np.array(p_values)).all()
    assert (adjusted <= 1).all()


def test_smallest_detectable_difference() -> None:
    assert smallest_detectable_difference(1.0) == pytest.approx(1.959964 + 0.841621, abs=1e-6)
    assert smallest_detectable_difference(0.05, alpha=0.01, power=0.9) == pytest.approx(
        0.05 * (2.575829 + 1.281552), abs=1e-6
    )
    assert math.isnan(smallest_detectable_difference(math.nan))


def test_what_makes_no_sense_is_refused_in_words() -> None:
    with pytest.raises(ValueError, match="one-dimensional"):
        paired_t_test(np.ones((2, 2)), np.ones((2, 2)))
    with pytest.raises(ValueError, match="confidence"):
        paired_t_test([1], [1], confidence=0)
    with pytest.raises(ValueError, match="outside"):
        holm([1.2])
    with pytest.raises(ValueError, match="one-dimensional"):
        holm([[0.1]])
    with pytest.raises(ValueError, match="negative"):
        smallest_detectable_difference(-1.0)
    with pytest.raises(ValueError, match="power"):
        smallest_detectable_difference(1.0, power=1.0)
