"""Measures that depend on the scale get it, whatever way the points take."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from agreement.sheets_of_points import ratings, scores, sheets
from booklets import cgpst
from creaeval.agreement import AgreementOptions, agree
from creaeval.agreement.methods.method_table import method_table
from creaeval.data import Rating
from creaeval.stats.gwet import gwet_ac1, gwet_ac2
from creaeval.stats.measures import Levels

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

A = [1, 2, 3, 4, 5, 6, 7, 7]
NEAR = [1, 2, 3, 4, 6, 6, 7, 8]
FAR = [3, 3, 3, 4, 4, 3, 5, 5]
FOCUS = Levels(1, 10)
MEASURES = ("ac1", "ac2")


def value(table: pd.DataFrame, **where: str) -> pd.Series:
    for name, wanted in where.items():
        table = table[table[name].eq(wanted)]
    assert len(table) == 1
    return table.iloc[0]


def expected(x: Sequence[float], y: Sequence[float]) -> dict[str, float]:
    return {"ac1": gwet_ac1(x, y, FOCUS), "ac2": gwet_ac2(x, y, FOCUS)}


def test_the_report_its_comparison_and_groups_use_all_levels_of_the_scale() -> None:
    runs = [scores(name, sheets(name, {"focus": points})) for name, points in (("near", NEAR), ("far", FAR))]
    report = agree(cgpst(), runs, ratings(sheets("A", {"focus": A})), measures=MEASURES, resamples=100)
    for key in MEASURES:
        cell = value(report.tables["agreement"], judge="near", rater="A", metric=key, dimension="step2.focus")
        assert cell["value"] == pytest.approx(expected(NEAR, A)[key])
        assert cell["low"] < cell["value"] <= cell["high"] <= 1
        row = value(report.tables["comparison"], metric=key, dimension="step2.focus")
        assert row["difference"] == pytest.approx(expected(NEAR, A)[key] - expected(FAR, A)[key])
        assert 0 < row["p"] <= 1


def test_the_table_of_methods_ranks_by_them() -> None:
    runs = [scores(name, sheets(name, {"focus": points})) for name, points in (("near", NEAR), ("far", FAR))]
    rated = ratings(sheets("A", {"focus": A}))
    table = method_table(
        cgpst(), runs, rated, AgreementOptions(measures=MEASURES, resamples=0), n_permutations=0
    )
    for key in MEASURES:
        best = value(table, measure=key, dimension="step2.focus", method="near")
        assert (best["rank"], best["value"]) == (1, pytest.approx(expected(NEAR, A)[key]))


def test_raters_in_slots_have_the_scale_too() -> None:
    # Ten people, two a response, so that they are put into slots.
    people = {
        f"P{n}{place}": {"focus": [points if n == number else None for number, points in enumerate(given)]}
        for n in range(8)
        for place, given in (("a", A), ("b", NEAR))
    }
    rated = ratings(*(sheets(name, points) for name, points in people.items()))
    report = agree(cgpst(), [], rated, measures=MEASURES, resamples=0)
    assert "slots" in report.tables
    for key in MEASURES:
        cell = value(report.tables["means"], metric=key, dimension="step2.focus")
        assert cell["value"] == pytest.approx(expected(NEAR, A)[key])


def test_half_points_make_half_levels_and_others_none() -> None:
    halves = [1.5, *NEAR[1:]]
    report = agree(
        cgpst(), [], ratings(sheets("A", {"focus": A}), sheets("B", {"focus": halves})), measures=MEASURES
    )
    cell = value(report.tables["agreement"], metric="ac1", dimension="step2.focus", rater="B")
    assert cell["value"] == pytest.approx(gwet_ac1(A, halves, Levels(1, 10, 0.5)))
    thirds = [1 + 1 / 3, *NEAR[1:]]
    report = agree(
        cgpst(), [], ratings(sheets("A", {"focus": A}), sheets("B", {"focus": thirds})), measures=MEASURES
    )
    cell = value(report.tables["agreement"], metric="ac1", dimension="step2.focus", rater="B")
    assert math.isnan(cell["value"])
    assert cell["reason"] == "B gives 1.33333, which is no level of 1 to 10 in steps of 1"


def test_groups_by_a_carried_column_have_the_scale_too() -> None:
    rated = [
        Rating(
            response_id=rating.response_id,
            rater=rating.rater,
            sheet=rating.sheet,
            metadata={"school": "north" if number % 8 < 4 else "south"},
        )
        for number, rating in enumerate(ratings(sheets("A", {"focus": A}), sheets("B", {"focus": NEAR})))
    ]
    table = agree(cgpst(), [], rated, measures=MEASURES, groups=("school",), resamples=0).tables["by_column"]
    for key in MEASURES:
        cell = value(table, metric=key, dimension="step2.focus", group="south")
        assert cell["value"] == pytest.approx(expected(A[4:], NEAR[4:])[key])
