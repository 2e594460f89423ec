"""A file is opened once, and each of its cells knows where it stands."""

from __future__ import annotations

import csv
import io
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import load_workbook  # type: ignore[import-untyped,unused-ignore]

from creaeval.data import read_ratings, read_responses
from creaeval.data.grids import workbook as workbook_module
from creaeval.data.grids.grid import Place
from creaeval.data.grids.opening import open_grids
from creaeval.data.notes import Notes
from creaeval.data.reading import Reading
from creaeval.data.tables.header import find_table
from creaeval.errors import Problems

from ..formats.test_cgpst_workbook import SHEET, book
from ..support import brick, cgpst, write
from ..workbooks import LONG, workbook
from .test_workbook import rewrite

if TYPE_CHECKING:
    from creaeval.data.tables.table import Table


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was opened: names of files whose bytes are read, and ``book`` each time openpyxl is asked."""
    names: list[str] = []
    read_bytes = Path.read_bytes

    def note_bytes(path: Path) -> bytes:
        names.append(path.name)
        return read_bytes(path)

    def note_book(*arguments: Any, **options: Any) -> Any:
        names.append("book")
        return load_workbook(*arguments, **options)

    monkeypatch.setattr(Path, "read_bytes", note_bytes)
    monkeypatch.setattr(workbook_module, "load_workbook", note_book)
    return names


def with_a_sum(path: Path, formula: bytes, value: bytes) -> Path:
    stored = b"<f>" + formula + b"</f><v>" + value + b"</v>"
    return rewrite(
        path,
        "xl/worksheets/sheet1.xml",
        {b"<f>" + formula + b"</f><v />": stored, b"<f>" + formula + b"</f><v></v>": stored},
    )


def test_a_workbook_with_a_formula_is_opened_once(tmp_path: Path, opened: list[str]) -> None:
    path = workbook(
        tmp_path / "a.xlsx", LONG, ["R1", "A", "Focus", "=3+4"], ["R2", "A", "Focus", 3], notes_hidden=[["x"]]
    )
    changed = with_a_sum(path, b"3+4", b"7")
    with pytest.warns(UserWarning, match="hidden sheets are not read: notes"):
        ratings = read_ratings(changed, cgpst())
    assert [r.sheet.final("step2.focus") for r in ratings] == [7, 3]
    assert opened == ["changed.xlsx", "book"]


def test_a_raters_workbook_with_a_formula_is_opened_once(tmp_path: Path, opened: list[str]) -> None:
    changed = with_a_sum(book(tmp_path / "a.xlsx", A05={**SHEET, "W27": "=W19+8"}), b"W19+8", b"11")
    (rating,) = read_ratings(changed, cgpst())
    assert rating.sheet.final("step1.overall") == 11
    assert opened == ["changed.xlsx", "book"]


def test_a_csv_file_of_ratings_or_responses_is_opened_once(tmp_path: Path, opened: list[str]) -> None:
    read_ratings(write(tmp_path / "a.csv", "id,rater,dimension,score\nR1,A,Focus,7\n"), cgpst())
    read_responses(write(tmp_path / "b.csv", "id,response\nR1,a boat\n"), brick())
    assert opened == ["a.csv", "b.csv"]


# Letters, digits and what parts cells or lines in a CSV file; Excel keeps such a text as it is. Each begins
# with a letter: a row of words above numbers may be a second header.
_TEXT = st.text("abcXYZ019é ,;\t\"\n-'", max_size=8).map(lambda text: f"x{text}".strip())


@st.composite
def grids(draw: st.DrawFn) -> list[list[str]]:
    """A header and rows, with blank rows anywhere; up to 30 columns, so that some lie beyond Z.

    There are two columns at least: a header of one does not tell what stands between cells. Two cells of a
    row are filled at least: one alone below a blank row may be a remark.
    """
    width = draw(st.sampled_from([2, 3, 27, 30]))
    header = ["id", *(f"c{number}" for number in range(2, width + 1))]
    cells = st.lists(_TEXT | st.just(""), min_size=width - 2, max_size=width - 2)
    rows = draw(
        st.lists(st.tuples(_TEXT, _TEXT, cells).map(lambda row: [*row[:2], *row[2]]), min_size=1, max_size=4)
    )
    grid: list[list[str]] = []
    for row in [header, *rows]:
        grid += [[""] * width] * draw(st.integers(0, 2))
        grid.append(row)
    return grid


def put(folder: str, grid: list[list[str]], kind: str) -> Path:
    if kind == "xlsx":
        return workbook(Path(folder) / "grid.xlsx", *([text or None for text in row] for row in grid))
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=kind).writerows(grid)
    return write(Path(folder) / "grid.csv", out.getvalue())


def read_table(path: Path, header: list[str]) -> Table:
    (grid,) = open_grids(path)
    notes = Notes()
    table = find_table(grid, header.__contains__, Reading(), notes)
    assert notes.said == []
    return table


@settings(max_examples=60)
@given(grids(), st.sampled_from([",", ";", "\t", "xlsx"]))
def test_each_cell_knows_its_file_sheet_row_and_column(grid: list[list[str]], kind: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = put(folder, grid, kind)
        filled = [(number, row) for number, row in enumerate(grid, 1) if any(row)]
        (_, header), *rows = filled
        table = read_table(path, header)
        assert table.header == tuple(header)
        assert [row.number for row in table.rows] == [number for number, _ in rows]
        for row in table.rows:
            for title, text in row.cells.items():
                place = table.cell_place(row, title)
                assert place.file == path
                assert place.sheet == ("ratings" if kind == "xlsx" else None)
                assert place.title == title == header[place.column - 1]
                assert grid[place.row - 1][place.column - 1] == text
        if kind == "xlsx":
            sheet = load_workbook(path)["ratings"]
            for row in table.rows:
                for title, text in row.cells.items():
                    book_name, _, name = table.cell_place(row, title).name.partition("!")
                    assert (book_name, sheet[name].value or "") == ("ratings", text)


@settings(max_examples=30)
@given(grids(), st.data())
def test_an_issue_of_a_cell_is_told_with_its_place(grid: list[list[str]], data: st.DataObject) -> None:
    number = data.draw(st.sampled_from([n for n, row in enumerate(grid) if any(row)][1:]))
    column = data.draw(st.integers(0, len(grid[0]) - 1))
    cells: list[list[Any]] = [[text or None for text in row] for row in grid]
    cells[number][column] = True
    with tempfile.TemporaryDirectory() as folder:
        path = workbook(Path(folder) / "grid.xlsx", *cells)
        table = read_table(path, next(filter(any, grid)))
        problems = Problems()
        for row in table.rows:
            for title in table.header:
                table.read(row, title, "a text", problems)
        name = load_workbook(path)["ratings"].cell(number + 1, column + 1).coordinate
        assert [problem.partition(" is ")[0] for problem in problems] == [f"{path}: ratings!{name}"]
        assert Place(path, "ratings", number + 1, column + 1).name == f"ratings!{name}"
