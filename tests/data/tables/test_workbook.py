from __future__ import annotations

import datetime
import io
import zipfile
from typing import TYPE_CHECKING, Any

import pytest
from openpyxl import Workbook  # type: ignore[import-untyped,unused-ignore]

from creaeval.data import read_data, read_ratings, read_responses
from creaeval.data.grids import workbook as xlsx_table

from ..support import brick, cgpst, problems_of, the_problem, write
from ..workbooks import LONG, workbook

if TYPE_CHECKING:
    from pathlib import Path


def focus(path: Path) -> dict[tuple[str, str], float | None]:
    return {(r.response_id, r.rater): r.sheet.final("step2.focus") for r in read_ratings(path, cgpst())}


def test_ids_are_what_the_cells_show(tmp_path: Path) -> None:
    rows = [["007", "A", "Focus", 7], [7, "A", "Focus", 3.0], [7.0, 1, "Focus", "4"], [8, "A", "Focus", 5]]
    rows += [[" R01\u00a0", "A ", "step2.focus", 6.5], [12345678, "A", "Focus", 1]]
    path = workbook(tmp_path / "a.xlsx", LONG, *rows, formats={"A5": "000", "D5": "00", "A7": "000"})
    assert focus(path) == {
        ("007", "A"): 7,
        ("7", "A"): 3,
        ("7", "1"): 4,
        ("008", "A"): 5,
        ("R01", "A"): 6.5,
        ("12345678", "A"): 1,
    }


def test_blank_rows_are_skipped_and_rows_keep_their_numbers(tmp_path: Path) -> None:
    blank = [None, " ", "\u00a0", None]
    path = workbook(
        tmp_path / "a.xlsx", blank, LONG, [], ["R1", "A", "Focus", 7], blank, ["R2", "A", "Focus", 11]
    )
    assert the_problem(lambda: focus(path)) == (
        f"{path}, ratings!D6: found '11', expected a whole or half number from 1 to 10 "
        "(task cgpst, step2.focus)."
    )


@pytest.mark.parametrize(
    ("cell", "value", "message"),
    [
        ("score", datetime.datetime(2026, 4, 3), "ratings!D2 is a date where a score is due"),
        ("score", datetime.time(3, 4), "ratings!D2 is a time where a score is due"),
        ("score", True, "ratings!D2 is the truth value TRUE where a score is due"),
        ("score", "#REF!", "ratings!D2 is the error #REF! where a score is due"),
        ("score", "=3+4", "ratings!D2 is a formula without a stored value where a score is due"),
        ("score", "seven", "ratings!D2: found 'seven', expected a whole or half number from 1 to 10"),
        ("score", 7.25, "ratings!D2: found '7.25', expected a whole or half number from 1 to 10"),
        ("score", None, "ratings: none of its 1 rows holds a score."),
        ("score", "#N/A", "ratings: none of its 1 rows holds a score."),
        ("response_id", 1.1, "ratings!A2 is the number 1.1 where an id is due"),
        ("response_id", 12345678901234567, "where an id is due"),
        ("rater", 1.1, "ratings!B2 is the number 1.1 where a rater's name is due"),
        (
            "response_id",
            None,
            "ratings, row 2: found the id '', expected one that is not empty. Cells that are",
        ),
        ("rater", datetime.date(2026, 4, 3), "ratings!B2 is a date where a rater's name is due"),
        ("dimension", False, "ratings!C2 is the truth value FALSE where a dimension is due"),
    ],
)
def test_a_cell_that_holds_something_else_is_named(
    tmp_path: Path, cell: str, value: object, message: str
) -> None:
    row: dict[str, Any] = {"response_id": "R1", "rater": "A", "dimension": "Focus", "score": 7, cell: value}
    path = workbook(tmp_path / "a.xlsx", LONG, list(row.values()))
    problem = the_problem(lambda: focus(path))
    assert problem.startswith(str(path))
    assert message in problem


def test_a_number_that_its_format_shows_as_an_id_is_refused(tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", LONG, [7, "A", "Focus", 3], formats={"A2": '"R"000'})
    assert 'ratings!A2 is the number 7, which the format "R"000 shows as something else' in the_problem(
        lambda: focus(path)
    )


def test_a_formula_with_a_stored_value_is_that_value_also_an_empty_text(tmp_path: Path) -> None:
    rows: list[list[Any]] = [["R1", "A", "=3+4", '=""'], [None, None, None, '=""']]
    path = workbook(tmp_path / "a.xlsx", ["id", "rater", "Focus", "Adequacy"], *rows)
    cells = {b"<f>3+4</f><v></v>": b"<f>3+4</f><v>7</v>", b"<f>3+4</f><v />": b"<f>3+4</f><v>7</v>"}
    cells |= {b'r="D2"': b'r="D2" t="str"', b'r="D3"': b'r="D3" t="str"'}
    changed = rewrite(path, "xl/worksheets/sheet1.xml", cells)
    (rating,) = read_ratings(changed, cgpst())
    assert [rating.sheet.final(f"step2.{part}") for part in ("focus", "adequacy")] == [7, None]


def test_a_fraction_where_an_item_or_a_dimension_is_due_is_no_lost_score(tmp_path: Path) -> None:
    header = [*LONG, "item"]
    rows = [["R1", "A", "step1.originality", 2, 1.5], ["R1", "A", 2.5, 2, None]]
    first, second = problems_of(lambda: focus(workbook(tmp_path / "a.xlsx", header, *rows)))
    assert "ratings!D2: item: found '1.5', expected a whole number from 1 to " in first
    assert "ratings!D3: task cgpst has no dimension '2.5'" in second


def rewrite(path: Path, name: str, changes: dict[bytes, bytes]) -> Path:
    out = io.BytesIO()
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(out, "w") as new:
        for info in old.infolist():
            content = old.read(info)
            for before, after in changes.items() if info.filename == name else ():
                content = content.replace(before, after)
            new.writestr(info, content)
    return write(path.with_name("changed.xlsx"), out.getvalue())


ROW = ["R1", "A", "Focus", 7]


def test_sheets_that_rate_the_same_twice_are_named_with_the_option(tmp_path: Path) -> None:
    path = workbook(
        tmp_path / "a.xlsx", LONG, ROW, pilot_hidden=[LONG, ROW], second=[LONG, ROW], notes=[["x"]]
    )
    assert the_problem(lambda: focus(path)) == (
        f"{path}, second, row 2: response 'R1' was already rated by 'A' in {path}, ratings, row 2. Keep one "
        "of the two, or say which sheet is to be read: --read sheet=NAME."
    )
    assert focus(path.with_name("a.xlsx#SECOND")) == {("R1", "A"): 7}
    for sheet in ("second", "3"):
        (rating,) = read_ratings(path, cgpst(), sheet=sheet)
        assert rating.sheet.final("step2.focus") == 7


def test_sheets_that_hold_others_are_read_together(tmp_path: Path) -> None:
    more = [LONG, ["R1", "B", "Focus", 6], ["R2", "A", "Focus", 5]]
    path = workbook(tmp_path / "a.xlsx", LONG, ROW, second=more)
    assert focus(path) == {("R1", "A"): 7, ("R1", "B"): 6, ("R2", "A"): 5}


def test_a_sheet_a_rater_has_the_rater_for_its_name(tmp_path: Path) -> None:
    sheets: dict[str, Any] = {
        name: [["id", "Focus"], ["R1", score]] for name, score in (("Ben", 6), ("Cy", 5))
    }
    path = workbook(tmp_path / "a.xlsx", ["id", "Focus"], ["R1", 7], **sheets)
    found = read_data(path, cgpst(), want=("ratings",))
    scores = {(r.response_id, r.rater): r.sheet.final("step2.focus") for r in found.ratings}
    assert scores == {("R1", "ratings"): 7, ("R1", "Ben"): 6, ("R1", "Cy"): 5}
    said = "no column names the rater, so the rater is 'Cy', as the sheet; --columns rater=COLUMN or --read"
    assert f"{path}, Cy: {said} rater=NAME says otherwise." in found.notes


def test_the_sheet_that_fits_is_found_among_others(tmp_path: Path) -> None:
    texts = [["id", "response"], ["R1", "a boat"]]
    path = workbook(
        tmp_path / "a.xlsx", ["id", "rater", "Originality"], ["R1", "A", 3], texts=texts, notes=[["x"]]
    )
    both = read_data(path, brick())
    assert [(r.response_id, r.rater, r.sheet.final("use.originality")) for r in both.ratings] == [
        ("R1", "A", 3)
    ]
    assert [(r.id, r.steps["use"].text) for r in both.responses] == [("R1", "a boat")]
    assert [note.partition(":")[0] for note in both.notes] == [f"{path}, notes"]
    assert read_data(path, brick(), want=("ratings",)).ratings == both.ratings
    assert read_data(path, brick(), want=("responses",)).responses == both.responses


def test_a_hidden_sheet_alone_is_not_taken_either(tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", ["notes"], pilot_hidden=[LONG, ROW])
    assert problems_of(lambda: focus(path)) == (
        f"{path}, ratings: has a header (row 1) but no rows below it.",
        f"{path}: its hidden sheets were not read; name one as a.xlsx#pilot.",
    )
    assert focus(path.with_name("a.xlsx#pilot")) == {("R1", "A"): 7}


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            [["x", "y"], ["1", "2"]],
            "ratings: no column could be the id (what was rated). Found the columns x, y. Say which one it "
            "is: --columns id=x, say.",
        ),
        (
            [[1, 2], [3, 4]],
            "ratings: no row names the columns; row 1 reads '1 2'. Write the names of the columns above the",
        ),
        ([[1, 2], [3, 4]], "or say --read header=ROW"),
        (
            [LONG, [*ROW, 5]],
            "ratings!E2 holds something, but its column has no name in the header (row 1). Name the column "
            "or empty it, or say --read header=ROW.",
        ),
        ([LONG], "ratings: has a header (row 1) but no rows below it"),
        ([[*LONG, "Rater"], [*ROW, "x"]], "ratings, row 1: the column 'Rater' is there twice"),
        (
            [[*LONG, datetime.date(2026, 3, 4)], [*ROW, 1]],
            "ratings!E1 is a date where a column's name is due",
        ),
        ([], "a.xlsx, ratings: is empty, expected a header and rows."),
    ],
)
def test_a_header_that_cannot_be_read_is_explained(
    tmp_path: Path, rows: list[list[Any]], message: str
) -> None:
    path = workbook(tmp_path / "a.xlsx", *rows)
    assert message in problems_of(lambda: focus(path))[0]


def test_cells_that_are_merged_over_several_rows_hold_what_the_first_does(tmp_path: Path) -> None:
    book = Workbook()
    rows = [LONG, ROW, [None, "B", "Focus", 5], ["R2", "A", "Focus", 4], [None, None, "Adequacy", 3]]
    for row in rows:
        book.active.append(row)
    for merged in ("A2:A3", "A4:A5", "B4:B5"):
        book.active.merge_cells(merged)
    book.save(tmp_path / "a.xlsx")
    ratings = read_ratings(tmp_path / "a.xlsx", cgpst())
    assert [
        (r.response_id, r.rater, r.sheet.final("step2.focus"), r.sheet.final("step2.adequacy"))
        for r in ratings
    ] == [("R1", "A", 7, None), ("R1", "B", 5, None), ("R2", "A", 4, 3)]


def test_responses_keep_their_lines_and_carry_other_columns_as_they_look(tmp_path: Path) -> None:
    path = workbook(
        tmp_path / "a.xlsx",
        ["ID", "Scenario", "Step-1", "step2", "age", "day", "grant"],
        [7, "FS10", "1. Fish\n2. Boats", "How?", 12.5, datetime.datetime(2026, 4, 3), True],
        ["8", None, "1. Nets_x000D_\n2. Laws", 5, None, None, None],
    )
    one, two = read_responses(path, cgpst())
    assert (one.id, one.scenario) == ("7", "FS10")
    assert one.metadata == {"age": "12.5", "day": "2026-04-03", "grant": "TRUE"}
    assert [item.text for item in one.steps["step1"].items] == ["Fish", "Boats"]
    assert [item.text for item in two.steps["step1"].items] == ["Nets", "Laws"]
    assert two.steps["step2"].text == "5"


def test_a_response_or_its_id_that_became_a_date_is_named(tmp_path: Path) -> None:
    day = datetime.datetime(2026, 4, 3)
    path = workbook(tmp_path / "a.xlsx", ["id", "response"], ["R1", day], [day, "x"], ["R3", "=A1"])
    first, second, third = problems_of(lambda: read_responses(path, brick()))
    assert "ratings!B2 is a date where a text is due" in first
    assert "ratings!A3 is a date where an id is due" in second
    assert "ratings!B4 is a formula without a stored value where a text is due" in third


def test_two_responses_of_one_id_in_a_workbook_are_named_with_both_rows(tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", ["id", "response"], [7, "x"], ["7", "y"])
    problem = the_problem(lambda: read_responses(path, brick()))
    assert problem.startswith(
        f"{path}, ratings, row 3: the id '7' is already taken by {path}, ratings, row 2."
    )


def ole(marker: str) -> bytes:
    return b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 600 + marker.encode("utf-16-le")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "a.xlsx",
            ole("EncryptedPackage"),
            "looks like an Office file with a password, expected an Excel workbook",
        ),
        (
            "a.xlsx",
            ole("Workbook"),
            "looks like an old Office file (.doc or .xls), expected an Excel workbook",
        ),
        ("a.xlsx", b"id;score\n1;2\n", "looks like text that starts with 'id;score"),
        ("a.xlsx", b"<html><table>", "looks like a web page (HTML), expected an Excel workbook"),
        ("a.xlsx", b"PK\x03\x04oops", "looks like a damaged zip archive"),
        (
            "a.xls",
            ole("Workbook"),
            "spreadsheets ending in '.xls' are not read. Save it as .xlsx or CSV (UTF-8)",
        ),
        ("a.ods", b"PK", "spreadsheets ending in '.ods' are not read"),
        ("a.csv", ole("EncryptedPackage"), "looks like an Office file with a password, expected CSV"),
    ],
)
def test_what_is_no_readable_workbook_is_named(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    path = write(tmp_path / name, content)
    for read in (lambda: read_ratings(path, brick()), lambda: read_responses(path, brick())):
        assert message in the_problem(read)


@pytest.mark.parametrize("keep", [100, 2000, 4000])
def test_a_cut_off_workbook_is_an_error_and_no_traceback(tmp_path: Path, keep: int) -> None:
    path = workbook(tmp_path / "a.xlsx", LONG, ROW)
    write(path, path.read_bytes()[:keep])
    assert the_problem(lambda: focus(path)).startswith(f"{path}: ")


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("xl/workbook.xml", b"<sheets>", b"<sheets"),
        ("xl/worksheets/sheet1.xml", b"<sheetData>", b"<sheetData"),
        ("xl/worksheets/sheet1.xml", b"</row>", b""),
        ("xl/worksheets/sheet1.xml", b't="n"', b't="s"'),
    ],
)
def test_damage_inside_is_an_error_and_no_traceback(
    tmp_path: Path, name: str, before: bytes, after: bytes
) -> None:
    path = rewrite(workbook(tmp_path / "a.xlsx", LONG, ROW), name, {before: after})
    assert "the workbook is damaged" in the_problem(lambda: focus(path))


def test_a_workbook_that_unpacks_to_too_much_is_refused_unread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = workbook(tmp_path / "a.xlsx", LONG, ROW)
    monkeypatch.setattr(xlsx_table, "_MAX_BYTES", 3_000_000)
    assert focus(path) == {("R1", "A"): 7}
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/media/image1.png", bytes(5_000_000))
    assert path.stat().st_size < 20_000
    assert f"{path}: unpacks to 5 MB, expected at most 3." in the_problem(lambda: focus(path))


def test_a_sheet_that_spans_too_many_cells_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = workbook(tmp_path / "a.xlsx", LONG, ROW)
    monkeypatch.setattr(xlsx_table, "_MAX_CELLS", 7)
    assert "sheet ratings spans more than 7 cells" in the_problem(lambda: focus(path))


def test_a_workbook_with_a_document_type_is_refused(tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", LONG, ROW)
    bomb = rewrite(path, "xl/workbook.xml", {b"<workbook": b'<!DOCTYPE x [<!ENTITY a "b">]><workbook'})
    assert "xl/workbook.xml declares a document type" in the_problem(lambda: focus(bomb))


def test_a_wrong_statement_of_the_sheets_size_does_not_hide_rows(tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", LONG, ROW)
    changed = rewrite(path, "xl/worksheets/sheet1.xml", {b'<dimension ref="A1:D2"': b'<dimension ref="A1"'})
    assert focus(changed) == {("R1", "A"): 7}


def test_workbooks_in_a_folder_are_read_too(tmp_path: Path) -> None:
    workbook(tmp_path / "b.xlsx", ["id", "response"], ["R2", "x"])
    write(tmp_path / "a.csv", "id,response\nR1,y\n")
    write(tmp_path / "~$b.xlsx", b"lock")
    assert [r.id for r in read_responses(tmp_path, brick())] == ["R1", "R2"]
