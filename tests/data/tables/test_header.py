"""Where the header of a table is, and what above, below and between its rows is no data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from openpyxl import Workbook  # type: ignore[import-untyped,unused-ignore]

from creaeval.data import Found, read_data
from creaeval.tasks import load_task

from ..support import cgpst, the_problem, write
from ..workbooks import workbook

if TYPE_CHECKING:
    from pathlib import Path

AUT = load_task("aut")
USES = ["id,object,response", "u1,brick,a wall", "u2,brick,a hat"]
SCORES = ["id,rater,Originality", "u1,A,3", "u2,A,4"]


def read(folder: Path, *rows: str, **reading: Any) -> Found:
    return read_data(write(folder / "a.csv", "\n".join(rows) + "\n"), AUT, **reading)


def texts(found: Found) -> list[tuple[str, str]]:
    return [(response.id, response.steps["uses"].text) for response in found.responses]


def scores(found: Found) -> list[tuple[str, str, float | None]]:
    return [(r.response_id, r.rater, r.sheet.final("uses.originality")) for r in found.ratings]


UNDERSTOOD = [("u1", "a wall"), ("u2", "a hat")]


@pytest.mark.parametrize(
    ("above", "row", "said"),
    [
        (["AUT study 2", "spring term,,", ""], 4, "AUT study 2"),
        (["Lab,Ann", "Date,2026-01-05"], 3, "Lab Ann"),
        (["", ",,", "Study: bricks"], 4, "Study: bricks"),
    ],
)
def test_titles_and_blank_rows_above_the_header_are_no_data(
    tmp_path: Path, above: list[str], row: int, said: str
) -> None:
    found = read(tmp_path, *above, *USES)
    assert texts(found) == UNDERSTOOD
    assert found.notes == [f"{tmp_path / 'a.csv'}: the header is row {row}; above it stands {said!r}."]


def test_blank_rows_alone_are_not_worth_a_word(tmp_path: Path) -> None:
    found = read(tmp_path, "", ",,", USES[0], "", *USES[1:], ",,", " , ,\u00a0")
    assert (texts(found), found.notes, found.left_out) == (UNDERSTOOD, [], 0)


def test_the_object_may_stand_in_the_title_alone(tmp_path: Path) -> None:
    found = read(tmp_path, "List as many uses for a brick as you can", "id,response", "u1,a wall", "u2,a hat")
    assert texts(found) == UNDERSTOOD
    assert [response.scenario for response in found.responses] == ["brick", "brick"]


QUALTRICS = [
    ["StartDate", "IPAddress", "ResponseId", "Q1", "Q2_1", "Q2_2", "Q3_1"],
    [
        *("Start Date", "IP Address", "Response ID", "How old are you?"),
        *(
            f"List uses for a {thing}. - {number}"
            for thing, number in (("brick", 1), ("brick", 2), ("rope", 1))
        ),
    ],
    [f'{{"ImportId":"{name}"}}' for name in ("startDate", "ip", "_recordId", "QID1", "2_1", "2_2", "3_1")],
    ["2026-01-02 10:00:00", "10.0.0.1", "R_1a", "21", "a wall", "a hat", "a belt"],
    ["2026-01-02 10:05:00", "10.0.0.2", "R_2b", "34", "a step", "", "a snake"],
]


@pytest.mark.parametrize("machine", [True, False])
def test_three_headers_of_a_survey_are_one(tmp_path: Path, machine: bool) -> None:
    rows = [row for row in QUALTRICS if machine or not row[0].startswith("{")]
    path = workbook(tmp_path / "a.xlsx", *rows)
    found = read_data(path, AUT)
    assert [(r.id, r.scenario, r.steps["uses"].text) for r in found.responses] == [
        ("R_1a-brick-1", "brick", "a wall"),
        ("R_1a-brick-2", "brick", "a hat"),
        ("R_1a-rope-1", "rope", "a belt"),
        ("R_2b-brick-1", "brick", "a step"),
        ("R_2b-rope-1", "rope", "a snake"),
    ]
    below = (
        "rows 2, 3 below the header belong to it and are"
        if machine
        else "row 2 below the header belongs to it and is"
    )
    assert found.notes[0].startswith(f"{path}, ratings: {below} no data: 'Start Date IP Address")
    assert found.notes[1] == (
        f"{path}, ratings: left out as personal data: 'StartDate' (date), 'IPAddress' (IP address). Keep one "
        "with --keep COLUMN."
    )
    assert {response.metadata["Q1"] for response in found.responses} == {"21", "34"}


@pytest.mark.parametrize(
    "first", [["id", "Focus", None, "Adequacy", None], ["id", "Focus", "Focus", "Adequacy", "Adequacy"]]
)
def test_a_group_of_columns_and_the_raters_below_it_are_one_header(
    tmp_path: Path, first: list[str | None]
) -> None:
    book = Workbook()
    for row in (first, [None, "A", "B", "A", "B"], ["R1", 7, 6, 5, 4], ["R2", 3, 2, 1, 2]):
        book.active.append(row)
    book.active.merge_cells("B1:C1")
    book.active.merge_cells("D1:E1")
    book.save(tmp_path / "a.xlsx")
    ratings = read_data(tmp_path / "a.xlsx", cgpst(), want=("ratings",)).ratings
    assert {
        (r.response_id, r.rater): (r.sheet.final("step2.focus"), r.sheet.final("step2.adequacy"))
        for r in ratings
    } == {("R1", "A"): (7, 5), ("R1", "B"): (6, 4), ("R2", "A"): (3, 1), ("R2", "B"): (2, 2)}


def test_words_above_numbers_that_tell_of_them_are_no_data(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        "id,age,rater,score",
        "which use,age in years,who rated,from 1 to 5",
        *("u1,20,A,3", "u2,21,A,4"),
    )
    assert scores(found) == [("u1", "A", 3), ("u2", "A", 4)]
    assert found.notes[0].endswith(
        "row 2 below the header belongs to it and is no data: 'which use age in years who rated from 1 to 5'."
    )


@pytest.mark.parametrize("wrong", ["x", "four", "3 or 4"])
def test_a_wrong_value_in_the_first_row_is_no_header(tmp_path: Path, wrong: str) -> None:
    problem = the_problem(lambda: read(tmp_path, SCORES[0], f"u0,A,{wrong}", *SCORES[1:]))
    assert f"row 2, column 'Originality': found {wrong!r}, expected a number from 1 to 5" in problem


def test_an_id_that_is_a_word_among_numbers_is_no_header(tmp_path: Path) -> None:
    found = read(tmp_path, "id,object,response", "A,brick,a wall", "0,brick,a hat", "1,brick,2")
    assert texts(found) == [("A", "a wall"), ("0", "a hat"), ("1", "2")]


@pytest.mark.parametrize(
    ("below", "left", "said"),
    [
        (["Mean,,3.5", "SD,,0.71"], 2, "left out 2 rows as sums of others: row 4 (Mean 3.5), 5 (SD 0.71)."),
        (["", "Mittelwert,,3.5"], 1, "left out 1 row as sums of others: row 5 (Mittelwert 3.5)."),
        (["平均,,3.5"], 1, "left out 1 row as sums of others: row 4 (平均 3.5)."),
        (
            ["", "Rated in March 2026."],
            1,
            "left out 1 row as remarks below the table: row 5 (Rated in March 2026.).",
        ),
        (["Total,,7", "Data of the lab"], 2, "left out 1 row as sums of others: row 4 (Total 7)."),
    ],
)
def test_sums_and_remarks_below_the_rows_are_left_out_and_said(
    tmp_path: Path, below: list[str], left: int, said: str
) -> None:
    found = read(tmp_path, *SCORES, *below)
    assert scores(found) == [("u1", "A", 3), ("u2", "A", 4)]
    assert f"{tmp_path / 'a.csv'}: {said}" in found.notes
    assert found.left_out == left


def test_sums_between_the_rows_are_left_out_too(tmp_path: Path) -> None:
    found = read(tmp_path, SCORES[0], "u1,A,3", "Total,,3", "u2,A,4", "Total,,4")
    assert scores(found) == [("u1", "A", 3), ("u2", "A", 4)]
    assert found.notes == [
        f"{tmp_path / 'a.csv'}: left out 2 rows as sums of others: row 3 (Total 3), 5 (Total 4)."
    ]


def test_a_response_that_is_called_like_a_sum_is_one_where_words_stand_in_its_row(tmp_path: Path) -> None:
    found = read(tmp_path, "team,rater,Originality", "Total,A,3", "Sum,B,4", "Red,A,2")
    assert scores(found) == [("Total", "A", 3), ("Sum", "B", 4), ("Red", "A", 2)]
    assert found.left_out == 0


def test_a_header_that_is_repeated_is_no_data(tmp_path: Path) -> None:
    found = read(tmp_path, *USES[:2], "", USES[0].upper(), USES[2])
    assert texts(found) == UNDERSTOOD
    assert found.notes == [f"{tmp_path / 'a.csv'}: left out rows that repeat the header: 4."]
    assert found.left_out == 1


def test_rows_without_a_header_are_refused_with_both_ways_out(tmp_path: Path) -> None:
    rows = ["u1,brick,a wall", "u2,brick,a hat"]
    problem = the_problem(lambda: read(tmp_path, *rows))
    assert problem == (
        f"{tmp_path / 'a.csv'}: no row names the columns; row 1 reads 'u1 brick a wall'. Write the names of "
        "the columns above the data, or say --read header=ROW; with --read header=none the columns are "
        "called A, B, C … and --columns says which is which."
    )
    found = read(tmp_path, *rows, header=0, columns={"id": "A", "object": "B", "text": "C"})
    assert texts(found) == UNDERSTOOD


def test_the_row_that_is_said_is_the_header(tmp_path: Path) -> None:
    rows = ["code,thing,words", "id,object,response", *USES[1:]]
    assert texts(read(tmp_path, *rows, header=2)) == UNDERSTOOD
    assert "row 9, which --read header=9 names, is empty." in the_problem(
        lambda: read(tmp_path, *rows, header=9)
    )


def test_nothing_is_left_out_unsaid_if_nothing_may_be_guessed(tmp_path: Path) -> None:
    assert texts(read(tmp_path, *USES, strict=True)) == UNDERSTOOD
    for rows in (["Study 2", *USES], [*USES, "", "Kept by the lab"], [*USES[:2], USES[0], USES[2]]):
        problem = the_problem(lambda rows=rows: read(tmp_path, *rows, strict=True))  # type: ignore[misc]
        assert problem.endswith("--columns, --split or --read.")


def test_a_column_without_a_name_is_refused_where_it_holds_something(tmp_path: Path) -> None:
    assert texts(read(tmp_path, "id,,object,response", "u1,,brick,a wall", "u2,,brick,a hat")) == UNDERSTOOD
    problem = the_problem(
        lambda: read(tmp_path, "id,,object,response", "u1,,brick,a wall", "u2,x,brick,a hat")
    )
    assert problem == (
        f"{tmp_path / 'a.csv'}: row 3, column 2, holds something, but its column has no name in the header "
        "(row 1). Name the column or empty it, or say --read header=ROW."
    )
    # R writes the numbers of rows without a name above them.
    assert texts(read(tmp_path, ",id,object,response", "1,u1,brick,a wall", "2,u2,brick,a hat")) == UNDERSTOOD


def test_columns_of_one_name_are_told_apart_by_a_row_below_and_never_by_data(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "id,Focus,Focus\n,1,2\nR1,7,6\nR2,3,2\n")
    ratings = read_data(path, cgpst(), want=("ratings",)).ratings
    assert [(r.response_id, r.rater, r.sheet.final("step2.focus")) for r in ratings] == [
        *(("R1", "1", 7), ("R1", "2", 6), ("R2", "1", 3), ("R2", "2", 2)),
    ]
    path = write(tmp_path / "b.csv", "id,Focus,Focus\nR1,7,6\nR2,3,2\n")
    problem = the_problem(lambda: read_data(path, cgpst(), want=("ratings",)))
    assert (
        problem == f"{path}, row 1: the column 'Focus' is there twice. Rename one of the two, or delete it."
    )
