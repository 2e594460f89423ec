"""Methods against the full method: differences, percentages, paired intervals, tests."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from agreement.sheets_of_points import qwk, ratings, scores, sheets
from agreement.tables import row
from booklets import cgpst
from creaeval.agreement.methods.ablation_table import ablation_table
from creaeval.agreement.options import AgreementOptions
from creaeval.errors import SettingError

A = [1, 2, 3, 4, 5, 6, 7]
NEAR = [1, 2, 3, 4, 6, 6, 7]
FAR = [3, 3, 3, 4, 4, 3, 5]
RATED = ratings(sheets("A", {"focus": A, "adequacy": A}))
FULL = scores("full", sheets("j", {"focus": NEAR, "adequacy": A}))
QWK = AgreementOptions(measures=("qwk",), resamples=0)
LESS = scores("less", sheets("j", {"focus": FAR, "adequacy": NEAR}))


def test_differences_and_percentages_of_the_mean_over_dimensions() -> None:
    table = ablation_table(cgpst(), [LESS, FULL], RATED, QWK, full="full")
    assert table["method"].tolist() == ["full", "less"]
    full, less = (qwk(NEAR, A) + 1) / 2, (qwk(FAR, A) + qwk(NEAR, A)) / 2
    found = row(table, method="less")
    assert (row(table, method="full")["value"], found["value"]) == pytest.approx((full, less))
    assert found["difference"] == pytest.approx(less - full)
    assert found["change_percent"] == pytest.approx(100 * (less - full) / full)
    assert (found["n"], found["lost"], found["defined"]) == (7, 0, "2 of 2")
    assert math.isnan(row(table, method="full")["difference"])
    assert pd.isna(row(table, method="full")["significant"])


def test_intervals_of_differences_are_paired() -> None:
    twin = scores("twin", sheets("j", {"focus": NEAR, "adequacy": A}))
    table = ablation_table(cgpst(), [FULL, twin, LESS], RATED, QWK.change(resamples=300))
    found = row(table, method="twin")
    # The same scores: no resample can tell the two apart, though the value itself varies.
    assert found["difference"] == 0
    assert math.isnan(found["difference_low"])
    assert "no interval: all resamples are equal" in found["reason"]
    assert found["low"] < found["high"]
    assert found["p"] == 1
    less = row(table, method="less")
    assert less["difference_low"] <= less["difference"] <= less["difference_high"]
    # Two methods in the family: Holm doubles the smaller p.
    assert less["p_holm"] == pytest.approx(min(1, 2 * less["p"]))
    assert less["significant"] == (less["p_holm"] < 0.05)


def test_only_responses_that_all_methods_scored_count() -> None:
    short = scores("short", sheets("j", {"focus": FAR[:6], "adequacy": NEAR[:6]}))
    table = ablation_table(cgpst(), [FULL, short], RATED, QWK, n_permutations=0)
    assert table["n"].tolist() == [6, 6]
    assert table["lost"].tolist() == [1, 0]
    assert row(table, method="full")["value"] == pytest.approx((qwk(NEAR[:6], A[:6]) + 1) / 2)


def test_an_undefined_value_and_a_full_method_below_zero_have_their_reasons() -> None:
    flat = scores("flat", sheets("j", {"focus": [4] * 7, "adequacy": [4] * 7}))
    reverse = scores("reverse", sheets("j", {"focus": A[::-1], "adequacy": A[::-1]}))
    table = ablation_table(
        cgpst(), [reverse, flat, FULL], RATED, QWK.change(measures="pearson"), n_permutations=10
    )
    found = row(table, method="flat")
    assert math.isnan(found["value"])
    assert math.isnan(found["difference"])
    assert found["defined"] == "0 of 2"
    assert "undefined in 2 of 2 dimensions" in found["reason"]
    other = row(table, method="full")
    assert other["difference"] > 1
    assert math.isnan(other["change_percent"])
    assert other["reason"] == "no percentage: reverse is not above 0"


def test_a_method_that_scored_nothing_stays_in_the_table() -> None:
    none = scores("none")
    table = ablation_table(cgpst(), [FULL, none, LESS], RATED, QWK)
    found = row(table, method="none")
    assert math.isnan(found["value"])
    assert (found["n"], found["reason"]) == (0, "no scores that were rated")


def test_a_panel_is_held_against_the_same_judges() -> None:
    panel = scores("panel", sheets("j", {"focus": NEAR}), sheets("k", {"focus": A}))
    less = scores("less", sheets("j", {"focus": FAR}))
    other = scores("other", sheets("l", {"focus": FAR}))
    table = ablation_table(cgpst(), [panel, less, other], RATED, QWK)
    assert row(table, method="panel")["value"] == pytest.approx((qwk(NEAR, A) + 1) / 2)
    found = row(table, method="less")
    difference = qwk(FAR, A) - qwk(NEAR, A)
    assert found["difference"] == pytest.approx(difference)
    assert found["change_percent"] == pytest.approx(100 * difference / qwk(NEAR, A))
    assert "without panel: k, since the other method has no such judge" in found["reason"]
    apart = row(table, method="other")
    assert math.isnan(apart["difference"])
    assert "not compared: a panel is compared with a panel of the same judges only" in apart["reason"]


def test_wrong_settings_are_named() -> None:
    with pytest.raises(SettingError, match="full method 'best': expected one of full, less"):
        ablation_table(cgpst(), [FULL, LESS], RATED, full="best")
    with pytest.raises(SettingError, match="There is only full"):
        ablation_table(cgpst(), [FULL], RATED)
    with pytest.raises(SettingError, match="measure 'rmse'"):
        ablation_table(cgpst(), [FULL, LESS], RATED, AgreementOptions(measures=("rmse",)))
