"""Intervals that cover less than they say are said to."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import skew

from agreement.tables import row, table
from creaeval.agreement import AgreementOptions, measure_agreement
from creaeval.agreement.doubts import doubt_interval, skewness

RANDOM = np.random.default_rng(3)


def test_skewness_is_that_of_scipy() -> None:
    values = RANDOM.poisson(1.0, 50).astype(float)
    assert skewness(values) == pytest.approx(skew(values))
    assert skewness(np.ones(5)) == 0


def test_of_few_skewed_points_the_interval_is_doubted_and_of_others_not() -> None:
    rare = np.zeros(60)
    rare[:6] = 1
    even = np.tile([1.0, 2, 3, 4, 5], 12)
    assert doubt_interval(even, rare, ("j", "A")) == (
        "the interval is too narrow: A's points are skewed (2.7) and responses fewer than 500"
    )
    assert doubt_interval(even, even, ("j", "A")) == ""
    many = np.tile(rare, 10)
    assert doubt_interval(many, many, ("j", "A")) == ""


def test_it_stands_beside_the_number_and_in_the_notes() -> None:
    rare = [1.0] * 6 + [0.0] * 54
    turned = [*rare[3:], *rare[:3]]
    data = table({("judge", "j", "d"): rare, ("rater", "A", "d"): turned})
    found = measure_agreement(data, AgreementOptions(measures=("qwk", "exact"), resamples=200))
    assert "too narrow" in row(found.cells, metric="qwk").reason
    assert row(found.cells, metric="exact").reason == ""
    assert found.warnings[-1].startswith("1 interval of 2 in agreement.csv are too narrow")
