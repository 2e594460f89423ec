"""Faults that others met in agreement statistics, each with its right value and the wrong ones.

The inputs were made anew after public reports; each test names its report.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from creaeval import stats
from creaeval.stats.icc import icc


def test_s01_levels_that_nobody_used_keep_their_distance() -> None:
    """EducationalTestingService/skll#52."""
    human = [2, 4, 4, 7, 9, 9, 2, 7]
    judge = [2, 4, 7, 7, 9, 4, 4, 9]
    value = stats.quadratic_weighted_kappa(human, judge)
    assert value == pytest.approx(0.603774, abs=1e-6)
    assert value != pytest.approx(0.611111, abs=1e-4)


def test_s03_a_constant_judge_has_no_correlation_and_it_is_not_0() -> None:
    """Shikib/usr#4."""
    dimensions = {
        "Purpose": ([1, 2, 3, 2, 1, 3], [2, 2, 2, 2, 2, 2]),
        "Focus": ([3, 5, 8, 6, 2, 9], [4, 5, 7, 7, 3, 9]),
        "Adequacy": ([4, 6, 7, 5, 3, 8], [5, 5, 8, 6, 2, 7]),
    }
    values = {name: stats.pearson(*data) for name, data in dimensions.items()}
    assert math.isnan(values["Purpose"])
    assert stats.get_measure("pearson").why_undefined(*dimensions["Purpose"]) == "the second is constant"
    assert values["Focus"] == pytest.approx(0.966694, abs=1e-6)
    assert values["Adequacy"] == pytest.approx(0.85064, abs=1e-6)
    defined = [value for value in values.values() if not math.isnan(value)]
    assert len(defined) == 2
    assert sum(defined) / 2 == pytest.approx(0.908667, abs=1e-6)
    assert stats.quadratic_weighted_kappa(*dimensions["Purpose"]) == 0
    assert stats.get_measure("qwk").why_undefined(*dimensions["Purpose"]) == ""


def test_s07_nearly_constant_ratings_have_an_alpha_of_0() -> None:
    """pln-fing-udelar/fast-krippendorff#11."""
    a, b = [2] * 8, [2] * 7 + [1]
    both = np.column_stack([a, b])
    for level in ("nominal", "ordinal", "interval"):
        assert stats.krippendorff_alpha(both, level) == pytest.approx(0, abs=1e-9)
    assert stats.why_alpha_undefined(both) == ""
    assert stats.quadratic_weighted_kappa(a, b) == 0
    assert icc(both)["ICC(2,1)"].value == pytest.approx(0, abs=1e-9)
    assert icc(both)["ICC(2,1)"].why_undefined == ""
    assert stats.exact_agreement(a, b) == 7 / 8


def test_s09_value_and_limits_come_from_targets_in_rows() -> None:
    """jasp-stats/jasp-issues#2333."""
    raters_in_rows = np.array([[2, 5, 7, 3, 9], [3, 5, 8, 4, 9], [1, 4, 6, 2, 8]])
    ratings = raters_in_rows.T
    table = icc(ratings)
    assert (table.n, table.k) == (5, 3)
    assert stats.krippendorff_alpha(ratings, "interval") == pytest.approx(0.896226, abs=1e-6)
    assert table["ICC(2,1)"].value == pytest.approx(0.912, abs=1e-6)
    assert table["ICC(3,1)"].value == pytest.approx(0.987013, abs=1e-6)
    assert all(form.lower < form.value < form.upper for form in table.forms)
    # Turned round, the numbers are these; nothing in a matrix can tell.
    assert stats.krippendorff_alpha(raters_in_rows, "interval") == pytest.approx(-0.089623, abs=1e-6)
    assert icc(raters_in_rows)["ICC(2,1)"].value == pytest.approx(0.076, abs=1e-3)


def test_s10_mean_scores_are_not_rounded() -> None:
    """EducationalTestingService/rsmtool#248."""
    human = [3, 5, 8, 6, 2, 9, 7, 4]
    judge = [3.67, 5.33, 7.67, 6.5, 2.33, 8.67, 6.67, 4.67]
    value = stats.quadratic_weighted_kappa(human, judge)
    assert value == pytest.approx(0.976894, abs=1e-6)
    assert stats.pearson(human, judge) == pytest.approx(0.992141, abs=1e-6)
    for wrong in (0.958333, 0.974359, 0.9625):
        assert value != pytest.approx(wrong, abs=1e-4)


def test_s11_every_icc_says_which_it_is() -> None:
    """raphaelvallat/pingouin#228."""
    human = np.arange(1, 9)
    judge = human + 2
    both = np.column_stack([human, judge])
    table = icc(both)
    values = {(form.name, form.shrout_fleiss): round(form.value, 6) for form in table.forms}
    assert values == {
        ("ICC(1)", "ICC(1,1)"): 0.714286,
        ("ICC(A,1)", "ICC(2,1)"): 0.75,
        ("ICC(C,1)", "ICC(3,1)"): 1,
        ("ICC(k)", "ICC(1,k)"): 0.833333,
        ("ICC(A,k)", "ICC(2,k)"): 0.857143,
        ("ICC(C,k)", "ICC(3,k)"): 1,
    }
    assert "agreement" in table["ICC(A,1)"].description
    assert "consistency" in table["ICC(C,1)"].description
    assert stats.pearson(human, judge) == pytest.approx(1)
    assert stats.quadratic_weighted_kappa(human, judge) == pytest.approx(0.724138, abs=1e-6)
    assert stats.krippendorff_alpha(both, "interval") == pytest.approx(0.7, abs=1e-6)
    assert stats.mean_difference(judge, human) == 2


def test_s13_agreement_within_each_dimension_is_not_that_of_all_pooled() -> None:
    """mankadronit/Automated-Essay--Scoring#1."""
    dimensions = {
        "Condition Phrase": ([0, 1, 2, 1, 0, 2, 1, 2], [1, 1, 0, 2, 1, 2, 0, 1]),
        "Purpose": ([1, 3, 2, 0, 3, 2, 1, 2], [2, 2, 3, 1, 1, 3, 2, 0]),
        "Focus": ([7, 8, 9, 8, 7, 9, 8, 9], [8, 7, 9, 9, 8, 7, 9, 8]),
    }
    right = {"Condition Phrase": 0.0, "Purpose": 0.066667, "Focus": -0.025641}
    for name, data in dimensions.items():
        assert stats.quadratic_weighted_kappa(*data) == pytest.approx(right[name], abs=1e-6)
        assert stats.pearson(*data) == pytest.approx(right[name], abs=1e-6)
    pooled = [np.concatenate(rater) for rater in zip(*dimensions.values(), strict=True)]
    assert stats.quadratic_weighted_kappa(*pooled) == pytest.approx(0.936416, abs=1e-6)
