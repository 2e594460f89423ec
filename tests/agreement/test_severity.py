from __future__ import annotations

import math

import numpy as np
import pytest

from agreement.tables import row, table
from creaeval.agreement.severity import AVG, SEVERITY_COLUMNS, severity

SCALES = {"d1": (1.0, 9.0), "d2": (0.0, 4.0)}
# The judge scores R00 to R03, A R00 to R02, B R02 and R03.
DATA = table(
    {
        ("judge", "j", "d1"): [5, 6, 7, 8],
        ("rater", "A", "d1"): [3, 4, 4, None],
        ("rater", "B", "d1"): [None, None, 6, 9],
        ("judge", "j", "d2"): [1, 1, 3, 3],
        ("rater", "A", "d2"): [2, 2, 2, None],
    },
    SCALES,
)


def test_level_and_spread_by_hand() -> None:
    found = severity(DATA)
    assert [*found.columns] == SEVERITY_COLUMNS
    judge = row(found, scorer="j", dimension="d1")
    # Raters' means are 3, 4, 5, 9: differences 2, 2, 2, -1
    assert (judge.n, judge["mean"], judge.lowest, judge.highest) == (4, 6.5, 5, 8)
    assert judge.sd == pytest.approx(math.sqrt(5 / 3))
    assert judge.range_use == pytest.approx(3 / 8)
    assert (judge.leniency, judge.n_compared, judge.reason) == (1.25, 4, "")


def test_a_rater_is_compared_with_the_other_raters_only() -> None:
    found = severity(DATA)
    # A and B share R02, where A gave 4 and B 6.
    a, b = row(found, scorer="A", dimension="d1"), row(found, scorer="B", dimension="d1")
    assert (a.leniency, a.n_compared) == (-2, 1)
    assert (b.leniency, b.n_compared) == (2, 1)
    alone = row(found, scorer="A", dimension="d2")
    assert math.isnan(alone.leniency)
    assert (alone.n_compared, alone.reason) == (0, "leniency: no other rater scored these responses")


def test_the_average_is_unweighted_over_the_dimensions_where_it_is_defined() -> None:
    found = severity(DATA)
    judge = row(found, scorer="j", dimension=AVG)
    # d2: 1 - 2, 1 - 2, 3 - 2 on three responses, so -1/3
    assert judge.leniency == pytest.approx((1.25 - 1 / 3) / 2)
    assert (judge["mean"], judge.defined, judge.n, judge.n_compared) == (4.25, "2 of 2", 4, 3)
    assert judge.range_use == pytest.approx((3 / 8 + 2 / 4) / 2)
    a = row(found, scorer="A", dimension=AVG)
    assert (a.leniency, a.defined) == (-2, "1 of 2")
    assert "no other rater" in a.reason
    b = row(found, scorer="B", dimension="d2")
    assert (b.n, b.reason) == (0, "no points")
    assert b[["mean", "sd", "lowest", "highest", "range_use", "leniency"]].isna().all()


def test_a_judge_of_the_same_name_is_no_rater() -> None:
    found = severity(table({("judge", "A", "d1"): [5, 5], ("rater", "A", "d1"): [3, 4]}, SCALES))
    assert row(found, kind="judge", dimension="d1").leniency == 1.5
    assert math.isnan(row(found, kind="rater", dimension="d1").leniency)


def test_what_is_undefined_has_its_reason() -> None:
    found = severity(table({("judge", "j", "d1"): [5], ("judge", "k", "d1"): [5, 12]}, SCALES))
    one = row(found, scorer="j", dimension="d1")
    assert math.isnan(one.sd)
    assert math.isnan(one.range_use)
    assert one.reason == (
        "sd and range_use: fewer than 2 responses; leniency: no rater scored these responses"
    )
    off = row(found, scorer="k", dimension="d1")
    assert math.isnan(off.range_use)
    assert "1 of 2 scores are off the scale" in off.reason
    assert off["mean"] == 8.5
    flat = severity(table({("judge", "j", "d2"): [3, 3]}, {"d2": (3.0, 3.0)})).iloc[0]
    assert math.isnan(flat.range_use)
    assert flat.reason.startswith("range_use: a scale runs from a lower to a higher value")


def test_nobody_makes_an_empty_table() -> None:
    nobody = severity(DATA.keep(np.zeros(len(DATA.long), dtype=bool)))
    assert ([*nobody.columns], len(nobody)) == (SEVERITY_COLUMNS, 0)
