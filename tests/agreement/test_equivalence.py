"""Equivalence and non-inferiority to people and between methods, and intervals for raters like these."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import t as student

from agreement.tables import judge, row, table
from creaeval.agreement import AgreementOptions, Scorer
from creaeval.agreement.methods.equivalence import equivalence
from creaeval.agreement.pairs import AVG, HUMAN, PairValues, find_groups
from creaeval.agreement.protocol import measure_agreement
from creaeval.stats.correlation import pearson

RANDOM = np.random.default_rng(7)
TRUTH = RANDOM.normal(size=120)


def scores(noise: float) -> list[float]:
    return [float(value) for value in TRUTH + noise * RANDOM.normal(size=120)]


DATA = table(
    {
        (judge("good", "good"), "", "d"): scores(0.5),
        (judge("bad", "bad"), "", "d"): scores(2.0),
        **{("rater", name, "d"): scores(0.5) for name in "ABC"},
    }
)
OPTIONS = AgreementOptions(measures=("pearson",), margin=0.1, resamples=1000)


def test_a_judge_as_good_as_people_is_equivalent_and_a_bad_one_is_not() -> None:
    found = equivalence(PairValues(DATA, find_groups(DATA), OPTIONS))
    good, bad = (row(found, first=name, second=HUMAN, dimension=AVG) for name in ("good", "bad"))
    people = np.mean([pearson(*DATA.take("d", [a, b]).T) for a, b in _pairs()])
    assert good.second_value == pytest.approx(people)
    assert good.difference == pytest.approx(good.first_value - people)
    assert good.p_equivalence < 0.05
    # Two one-sided tests at .05: the interval of 90% lies within the margin.
    assert -0.1 < good.low < good.high < 0.1
    assert good.p_equivalence == max(good.p_lower, good.p_upper)
    assert good.p_noninferior == good.p_lower
    assert bad.p_equivalence > 0.5
    assert bad.p_noninferior > 0.5


def test_methods_are_tested_against_the_first_one() -> None:
    found = equivalence(PairValues(DATA, find_groups(DATA), OPTIONS))
    between = row(found, first="good", second="bad", dimension=AVG)
    assert between.p_noninferior < 0.05
    assert between.p_equivalence > 0.5


def test_for_raters_like_these_the_jackknife_over_raters_is_added() -> None:
    options = OPTIONS.change(raters="random", measures=("pearson",))
    fixed, random = (
        row(measure_agreement(DATA, which).means, judge="good", dimension="d", metric="pearson")
        for which in (OPTIONS, options)
    )
    by_rater = np.array([pearson(*DATA.take("d", [judge("good", "good"), rater]).T) for rater in DATA.raters])
    values = PairValues(DATA, find_groups(DATA), OPTIONS)
    ends, _ = values.interval(values.mean(find_groups(DATA)[0], "pearson", "d"))
    # Of a mean of three, the jackknife is the variance of the three over 3.
    of_raters, of_responses = by_rater.var(ddof=1) / 3, ends.standard_error**2
    error = math.sqrt(of_raters + of_responses)
    df = error**4 / (of_responses**2 / 119 + of_raters**2 / 2)
    reach = student.ppf(0.975, df) * error
    assert (random.low, random.high) == pytest.approx((random.value - reach, random.value + reach))
    assert random.high - random.low > fixed.high - fixed.low


def test_two_raters_do_not_tell_how_raters_like_them_agree() -> None:
    data = DATA.select(scorers=lambda scorer: scorer.name != "C")
    found = measure_agreement(data, OPTIONS.change(raters="random")).means
    human = row(found, judge=HUMAN, dimension="d", metric="pearson")
    assert math.isnan(human.low)
    assert human.reason == "no interval: too few raters to speak of raters like these"


def _pairs() -> list[tuple[Scorer, Scorer]]:
    a, b, c = DATA.raters
    return [(a, b), (a, c), (b, c)]
