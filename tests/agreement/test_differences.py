from __future__ import annotations

import pandas as pd

from booklets import cgpst
from creaeval.agreement import differences
from creaeval.data import Rating
from creaeval.methods import Outcome
from creaeval.runs import Run
from creaeval.sheets import ScoreSheet, StepScores
from creaeval.tasks import identities


def sheet(response_id: str, scorer: str, total: float | None = None, **points: float) -> ScoreSheet:
    """A sheet with step 2 alone."""
    step = StepScores(step="step2", written=dict(points))
    return ScoreSheet(response_id=response_id, scorer=scorer, steps=(step,), computed_total=total)


def rating(response_id: str, rater: str, total: float | None = None, **points: float) -> Rating:
    return Rating(response_id=response_id, rater=rater, sheet=sheet(response_id, rater, total, **points))


def run(*sheets: ScoreSheet) -> Run:
    outcomes = tuple(Outcome(response_id=one.response_id, sheets=(one,)) for one in sheets)
    return Run("0123456789", "finished", cgpst(), {"method": "creaeval"}, outcomes, {})


def row(table: pd.DataFrame, dimension: str, **where: str) -> list[float | None]:
    for name, value in {**where, "dimension": dimension}.items():
        table = table[table[name] == value]
    (found,) = table[["score", "rating", "difference"]].to_numpy().tolist()
    return [None if pd.isna(value) else value for value in found]


def test_a_difference_is_the_score_less_the_rating() -> None:
    table = differences(run(sheet("r", "j", 100, focus=7)), [rating("r", "H", 108, focus=9)])
    assert row(table, "step2.focus") == [7, 9, -2]
    assert row(table, "total") == [100, 108, -8]


def test_what_either_lacks_is_missing_and_no_zero() -> None:
    table = differences(run(sheet("r", "j", None, focus=7)), [rating("r", "H", 108, purpose=2)])
    assert row(table, "step2.focus") == [7, None, None]
    assert row(table, "step2.purpose") == [None, 2, None]
    assert row(table, "total") == [None, 108, None]
    assert row(table, "step1.fluency") == [None, None, None]


def test_every_judge_stands_beside_every_rater_of_the_same_response() -> None:
    judged = run(sheet("r", "j1", focus=5), sheet("r", "j2", focus=6), sheet("s", "j1", focus=1))
    rated = [rating("r", "A", focus=5), rating("r", "B", focus=8), rating("t", "A", focus=3)]
    table = differences(judged, rated)
    # Two judges by two raters of r; s has no rating, t no score.
    assert len(table) == 4 * len(identities(cgpst()))
    assert set(table["response_id"]) == {"r"}
    assert row(table, "step2.focus", judge="j2", rater="B") == [6, 8, -2]
    assert row(table, "step2.focus", judge="j1", rater="A") == [5, 5, 0]


def test_no_ratings_give_a_table_with_its_columns_and_no_row() -> None:
    table = differences(run(sheet("r", "j", focus=5)), [])
    assert list(table) == ["response_id", "judge", "rater", "dimension", "score", "rating", "difference"]
    assert len(table) == 0
