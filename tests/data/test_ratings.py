from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from creaeval.data import read_ratings
from creaeval.sheets import ItemScores

from .support import brick, cgpst, problems_of, the_problem, write

if TYPE_CHECKING:
    from pathlib import Path

LEVELS = " Words that stand for points are named with --levels, as in --levels low,medium,high."
HEADER = "response_id,rater,dimension,score\n"


def csv_file(folder: Path, *rows: str, header: str = HEADER) -> Path:
    return write(folder / "ratings.csv", header + "\n".join(rows) + "\n")


def test_long_csv_gives_one_rating_for_each_response_and_rater(tmp_path: Path) -> None:
    path = csv_file(
        tmp_path,
        "007,A,step2.focus,7",
        "7,A,Focus,3.0",
        "7,B,Step-2 Focus,4",
        "7,B,step2.integrity,9",
        "7,B,step1.overall, 20 ",
        "7,B,Total,100",
    )
    ratings = {(r.response_id, r.rater): r.sheet for r in read_ratings([path], cgpst())}
    assert {key: sheet.final("step2.focus") for key, sheet in ratings.items()} == {
        ("007", "A"): 7,
        ("7", "A"): 3,
        ("7", "B"): 4,
    }
    sheet = ratings["7", "B"]
    assert (sheet.final("step2.integrity"), sheet.final("step1.overall")) == (9, 20)
    assert (sheet.written_total, sheet.total, sheet.scorer) == (100, None, "B")


def test_items_in_long_csv_are_added_up_and_not_filled_up(tmp_path: Path) -> None:
    path = csv_file(
        tmp_path,
        "R1,A,step1.originality,2,1",
        "R1,A,step1.elaboration,1,1",
        "R1,A,step1.category,environment,1",
        "R1,A,step1.fluency,1,1",
        "R1,A,step1.invalid,Duplicate,2",
        "R1,A,step1.originality,0,2",
        header="response_id,rater,dimension,score,item\n",
    )
    (rating,) = read_ratings([path], cgpst())
    step1 = rating.sheet.step("step1")
    assert step1 is not None
    assert step1.items == (
        ItemScores(item=1, category="Environment", scores={"fluency": 1, "elaboration": 1, "originality": 2}),
        ItemScores(item=2, invalid="duplicate", scores={"fluency": 0}),
    )
    # 1 valid item, 1 category, elaboration 1, originality 2
    assert step1.computed == {
        "fluency": 1,
        "flexibility": 1,
        "elaboration": 1,
        "originality": 2,
        "overall": 5,
    }


def test_a_byte_order_mark_is_no_part_of_the_header(tmp_path: Path) -> None:
    # Case F03.
    text = f"\ufeff{HEADER}R01,A,Focus,7\nR02,A,Focus,4\n".replace("\n", "\r\n")
    ratings = read_ratings([write(tmp_path / "a.csv", text)], cgpst())
    assert [(r.response_id, r.rater, r.sheet.final("step2.focus")) for r in ratings] == [
        ("R01", "A", 7),
        ("R02", "A", 4),
    ]


F12 = ["R01,A,Focus,7", "R01 ,B,Focus,6", "R01\u00a0,A,Adequacy,5", "R02,A,Focus,3", "R02,A,Focus,8"]


def test_a_score_given_twice_is_named_with_both_rows_and_two_raters_are_no_conflict(tmp_path: Path) -> None:
    # Case F12; rows 5 and 6 differ, R03 is an exact repeat.
    path = csv_file(tmp_path, *F12, "R03,A,Focus,4", "R03,A,Focus,4")
    problem = the_problem(lambda: read_ratings([path], cgpst()))
    assert problem == (
        f"{path}: R02/A/Focus rated twice: 3 and 8 (rows 5 and 6). Keep one, or name the times in a column "
        "stage and choose one with --stage. Row 1 is the header."
    )
    right = csv_file(tmp_path, *F12[:4], "R03,A,Focus,4", "R03,A,Focus,4")
    found = {
        (r.response_id, r.rater): [r.sheet.final(f"step2.{d}") for d in ("focus", "adequacy")]
        for r in read_ratings([right], cgpst())
    }
    assert found == {
        ("R01", "A"): [7, 5],
        ("R01", "B"): [6, None],
        ("R02", "A"): [3, None],
        ("R03", "A"): [4, None],
    }


@pytest.mark.parametrize(
    ("score", "hint"),
    [
        ("17", ""),
        ("3-4", ""),
        ("7.5", ""),
        ("7,5", ""),
        ("2026-05-07", ""),
        ("-1", " If -1 stands for a missing value, say --missing -1."),
        ("99", " If 99 stands for a missing value, say --missing 99."),
        ("x", LEVELS),
        ("1e1", LEVELS),
        ("inf", LEVELS),
    ],
)
def test_a_value_outside_its_scale_is_never_recorded(tmp_path: Path, score: str, hint: str) -> None:
    path = csv_file(tmp_path, "R1,A,step1.originality,16", f'R2,A,step1.originality,"{score}"')
    assert the_problem(lambda: read_ratings([path], cgpst())) == (
        f"{path}, row 3, column 'score': found {score!r}, expected a whole number from 0 to 16 "
        f"(task cgpst, step1.originality).{hint} Row 1 is the header."
    )


@pytest.mark.parametrize("score", ["", "NA", "n/a", "N/A", "#N/A", "NaN", "nan", ".", "-", "–", "\u200b"])
def test_a_score_that_is_missing_is_none(tmp_path: Path, score: str) -> None:
    path = csv_file(tmp_path, "R1,A,step1.originality,16", f"R2,A,step1.originality,{score}", "R3,A,Focus,7")
    ratings = read_ratings([path], cgpst())
    assert [(r.response_id, r.sheet.final("step1.originality")) for r in ratings] == [
        ("R1", 16),
        ("R3", None),
    ]


@pytest.mark.parametrize(
    ("score", "value"), [("7,0", 7), ("7.0", 7), ("6,5", 6.5), (" 6.5 ", 6.5), ("7,", 7)]
)
def test_a_decimal_comma_is_a_decimal_point(tmp_path: Path, score: str, value: float) -> None:
    path = csv_file(tmp_path, f'R1,A,Focus,"{score}"')
    assert [r.sheet.final("step2.focus") for r in read_ratings([path], cgpst())] == [value]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("R1,A,Relevance,2,", "write one of step4.relevance, step6.relevance"),
        ("R1,A,Focuss,2,", "did you mean step2.focus"),
        ("R1,,Focus,2,", "found the id '', expected one that is not empty"),
        ("R1,A,Focus,2,1", "found item '1', but step2.focus is not scored by items"),
        (
            "R1,A,step1.flexibility,2,1",
            "found item '1', but step1.flexibility is scored once for the whole step",
        ),
        (
            "R1,A,step1.originality,2,9",
            "item: found '9', expected a whole number from 1 to 8 (task cgpst, step1)",
        ),
        ("R1,A,step1.originality,3,1", "expected a whole number from 0 to 2"),
        ("R1,A,step1.fluency,0,1", "expected also why it is invalid"),
        ("R1,A,category,Technology,1", "task cgpst has no step ''"),
        ("R1,A,step4.category,Technology,1", "but step4 has no categories"),
        ("R1,A,total,187,", "expected a whole or half number from 9 to 186 (task cgpst, total)"),
    ],
)
def test_a_wrong_row_is_explained(tmp_path: Path, row: str, message: str) -> None:
    # Lowest Total: Focus, Adequacy, Correctly Used and the six of step 6 start at 1, so 2 + 1 + 6 = 9.
    path = csv_file(tmp_path, row, header="response_id,rater,dimension,score,item\n")
    assert message in the_problem(lambda: read_ratings([path], cgpst()))


def test_missing_columns_are_named_and_every_wrong_row_is_listed(tmp_path: Path) -> None:
    path = csv_file(tmp_path, "R1,x", header="response_id,Notes\n")
    problem = the_problem(lambda: read_ratings([path], cgpst()))
    assert "no column holds scores: none is called score, like a dimension of task cgpst or like a" in problem
    assert "Found the columns response_id, Notes. Say --columns score=COLUMN" in problem
    path = csv_file(tmp_path, "R1,A,Focus,11", "R2,A,Focus,x", "R3,A,Focus,5")
    assert len(problems_of(lambda: read_ratings([path], cgpst()))) == 2


RATING: dict[str, Any] = {
    "response_id": "R1",
    "rater": "A",
    "scores": {"step2.integrity": 8, "Focus": 6, "Step-6 Humaness": 3},
    "items": {
        "Identify Challenges": [
            {"item": 1, "category": "Technology", "scores": {"Originality": 1, "elaboration": 2}},
            {"item": 3, "invalid": "why"},
        ]
    },
}


@pytest.mark.parametrize("form", ["one", "list", "wrapped", "lines"])
def test_our_own_json_is_read_in_every_form(tmp_path: Path, form: str) -> None:
    content: Any = {
        "one": RATING,
        "list": [RATING],
        "wrapped": {"ratings": [RATING]},
        "lines": json.dumps(RATING) + "\n",
    }[form]
    path = write(tmp_path / ("a.jsonl" if form == "lines" else "a.json"), content)
    (rating,) = read_ratings(path, cgpst())
    assert (rating.response_id, rating.rater, rating.source) == ("R1", "A", str(path))
    sheet = rating.sheet
    assert [sheet.final(f"step2.{part}") for part in ("integrity", "focus", "overall")] == [8, 6, None]
    step1 = sheet.step("step1")
    assert step1 is not None
    assert [item.item for item in step1.items] == [1, 3]
    assert step1.computed["overall"] == 5  # 1 valid + 1 category + 2 + 1
    assert sheet.final("step6.humaneness") == 3


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rater": None}, "there is no id, expected one"),
        ({"scores": {"Focus": True}}, "Focus: found True, expected a whole or half number from 1 to 10"),
        ({"scores": {"Focus": float("nan")}}, "Focus: found nan, expected"),
        ({"scores": {"Focus": 5, "step2.focus": 6}}, "R1/A/step2.focus rated twice: 5 and 6 ("),
        ({"scores": [1]}, "scores: found [1], expected an object"),
        ({"items": {"step2": [{"item": 1, "scores": {"focus": 1}}]}}, "step2.focus is not scored by items"),
        ({"items": {"step9": []}}, "task cgpst has no step 'step9'"),
        ({"items": {"step1": [{"scores": {}}]}}, "expected an object with 'item'"),
        ({"items": {"step1": [{"item": "x", "invalid": "why"}]}}, "item: found 'x', expected a whole number"),
        (
            {"items": {"step1": [{"item": 1, "categry": "x"}]}},
            "unknown key 'categry'. Did you mean 'category'?",
        ),
        ({"score": {}}, "unknown key 'score'. Did you mean 'scores'?"),
    ],
)
def test_a_wrong_rating_in_json_is_explained(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    path = write(tmp_path / "a.json", [{**RATING, **changes}])
    assert message in the_problem(lambda: read_ratings([path], cgpst()))


def test_one_rater_rating_a_response_in_two_places_is_named_with_both(tmp_path: Path) -> None:
    one = write(tmp_path / "a.json", RATING)
    two = write(tmp_path / "b.json", {**RATING, "scores": {}, "response_id": " R1 "})
    problem = the_problem(lambda: read_ratings(tmp_path, cgpst()))
    assert problem.startswith(f"{two}, response R1, rater A: response 'R1' was already rated by 'A' in {one}")


def test_a_file_of_responses_is_no_file_of_ratings(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", {"id": "1", "steps": {}})
    assert "This is a response, not a rating" in the_problem(lambda: read_ratings([path], brick()))
