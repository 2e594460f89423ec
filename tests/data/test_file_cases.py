"""Files that real people stumbled over, each with its right outcome (the cases of kind file_import)."""

from __future__ import annotations

from pathlib import Path

import pytest

from creaeval.data import read_ratings, read_responses, unmatched
from creaeval.tasks import Task, parse_task

from .support import brick, cgpst, problems_of, the_problem

CASES = Path(__file__).parent / "cases"

TEN_POINTS = """
id: ten
name: One dimension
source: made for the tests
description: Name an unusual use.
steps:
  - id: use
    name: Use
    instruction: Name a use.
    dimensions:
      - {id: originality, name: Originality, description: How unusual it is., scale: 1-10}
"""


def ten_points() -> Task:
    return parse_task(TEN_POINTS, "ten.yaml")


def focus(name: str) -> dict[tuple[str, str], float | None]:
    ratings = read_ratings(CASES / name, cgpst())
    return {(r.response_id, r.rater): r.sheet.final("step2.focus") for r in ratings}


def test_f01_a_date_is_named_and_never_a_serial_number() -> None:
    path = CASES / "F01.xlsx"
    first, second = problems_of(lambda: read_ratings(path, cgpst()))
    assert first.startswith(f"{path}: ratings!D3 is a date where a score is due. ")
    assert second.startswith(f"{path}: ratings!A4 is a date where an id is due. ")
    for wrong in ("46115", "46149", "3.5", "2026"):
        assert wrong not in first + second


def test_f03_a_byte_order_mark_is_no_part_of_the_header() -> None:
    assert focus("F03.csv") == {("R01", "A"): 7, ("R02", "A"): 4}


def test_f05_text_saved_by_excel_on_windows_is_read() -> None:
    responses = read_responses(CASES / "F05.csv", brick())
    assert [(r.id, r.metadata["object"], r.steps["use"].text) for r in responses] == [
        ("1", "brick", "It’s a café step – with a “grip”"),
        ("2", "brick", "door stop"),
    ]


def test_f07_007_and_7_are_two_people_and_11_has_no_response() -> None:
    responses = read_responses(CASES / "F07_responses.csv", brick())
    ratings = read_ratings(CASES / "F07_ratings.xlsx", cgpst())
    assert [r.id for r in responses] == ["007", "7", "010"]
    assert focus("F07_ratings.xlsx") == {
        ("007", "A"): 7,
        ("7", "A"): 3,
        ("7", "B"): 4,
        ("010", "A"): 8,
        ("11", "A"): 5,
    }
    (sentence,) = unmatched(ratings, [one.id for one in responses])
    assert sentence == f"rating id 11 has no response (by A, in {CASES / 'F07_ratings.xlsx'})."


def test_f09_soft_line_breaks_and_nested_tables_are_read() -> None:
    responses = read_responses(CASES / "F09.docx", brick())
    assert {r.id: r.steps["use"].text for r in responses} == {
        "R01": "use it as a boat\nfor ants",
        "R02": "a hat for a statue",
    }


def test_f11_a_hidden_sheet_is_read_only_when_it_is_named() -> None:
    with pytest.warns(UserWarning, match=r"F11\.xlsx: hidden sheets are not read: pilot\."):
        assert focus("F11.xlsx") == {("R01", "A"): 8, ("R02", "A"): 5}
    assert focus("F11.xlsx#pilot") == {("R01", "A"): 1, ("R02", "A"): 2}
    problem = the_problem(lambda: focus("F11.xlsx#Blatt 1"))
    assert problem.endswith("there is no sheet 'Blatt 1'. Its sheets are pilot (hidden), final.")


def test_f12_a_true_conflict_is_named_and_nothing_else(tmp_path: Path) -> None:
    problem = the_problem(lambda: focus("F12.csv"))
    assert "R02/A/Focus rated twice: 3 and 8 (rows 5 and 6)" in problem
    text = (CASES / "F12.csv").read_text("utf-8").replace("R02,A,Focus,8", "R02,A,Focus,3")
    right = tmp_path / "right.csv"
    right.write_text(text, encoding="utf-8")
    found = {
        (r.response_id, r.rater): [r.sheet.final(f"step2.{d}") for d in ("focus", "adequacy")]
        for r in read_ratings(right, cgpst())
    }
    assert found == {
        ("R01", "A"): [7, 5],
        ("R01", "B"): [6, None],
        ("R02", "A"): [3, None],
        ("R03", "A"): [4, None],
    }


def test_s09_raters_in_rows_are_read_where_the_dimension_can_be_told() -> None:
    ratings = read_ratings(CASES / "S09.csv", ten_points())
    table = {(r.response_id, r.rater): r.sheet.final("use.originality") for r in ratings}
    assert {rater: [table[f"R0{n}", rater] for n in range(1, 6)] for rater in "ABC"} == {
        "A": [2, 5, 7, 3, 9],
        "B": [3, 5, 8, 4, 9],
        "C": [1, 4, 6, 2, 8],
    }
    problem = the_problem(lambda: read_ratings(CASES / "S09.csv", cgpst()))
    assert "The rows seem to be raters and the columns R01, R02, R03, R04, R05 responses" in problem
    assert "no column says which dimension of task cgpst was rated. Add a column 'dimension'" in problem


@pytest.mark.parametrize("corner", ["", "name", "x"])
def test_an_orientation_that_the_header_does_not_tell_is_refused(tmp_path: Path, corner: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text((CASES / "S09.csv").read_text("utf-8").replace("rater", corner), encoding="utf-8")
    name = corner or "'column A'"
    assert the_problem(lambda: read_ratings(path, ten_points())) == (
        f"{path}: the rows could be responses and the columns 'R01', 'R02', 'R03', 'R04', 'R05' raters, or "
        "the other way round. Call the first column id where rows are responses, rater where they are "
        f"raters, or say --columns id={name} or --columns rater={name}."
    )
    by_rater = read_ratings(path, ten_points(), columns={"rater": corner or "column A"})
    assert {(r.response_id, r.rater) for r in by_rater} == {(f"R0{n}", r) for n in range(1, 6) for r in "ABC"}
    by_row = read_ratings(path, ten_points(), columns={"id": corner or "column A"})
    assert {(r.response_id, r.rater) for r in by_row} == {(r, f"R0{n}") for n in range(1, 6) for r in "ABC"}
