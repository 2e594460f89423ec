"""An Excel workbook as text; a cell that does not hold what was typed has an issue."""

from __future__ import annotations

import datetime
import re
import warnings
from contextlib import contextmanager
from io import BytesIO
from typing import TYPE_CHECKING, Any

from openpyxl import load_workbook  # type: ignore[import-untyped,unused-ignore]
from openpyxl.utils.cell import coordinate_to_tuple, range_boundaries  # type: ignore[import-untyped,unused-ignore]
from openpyxl.xml.constants import SHEET_MAIN_NS  # type: ignore[import-untyped,unused-ignore]
from openpyxl.xml.functions import iterparse  # type: ignore[import-untyped,unused-ignore]

from creaeval.data.files import MAX_UNPACKED, WORKBOOK, check_archive, read_bytes
from creaeval.data.grids.grid import CellIssue, Grid
from creaeval.data.words import MISSING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_MAX_BYTES = MAX_UNPACKED
_MAX_CELLS = 20_000_000
_MAX_DIGITS = 15  # Excel keeps no more of a number
_CORRECT = "Correct the cell or empty it."
_TEXT_FORMAT = "Format the column as text and write the cell anew."


def read_workbook(path: Path) -> list[Grid]:
    """Read the sheets of an .xlsx or .xlsm file, whose macros and links are not looked at.

    Every cell of a merged range holds what its first one does. DataError if it is no workbook or too large.
    """
    data = read_bytes(path)
    check_archive(data, path, WORKBOOK, _MAX_BYTES)
    try:
        with _without_warnings():
            book = load_workbook(BytesIO(data), read_only=True, data_only=True, keep_links=False)
            return [_read_sheet(sheet, path) for sheet in book.worksheets]
    except Exception as error:  # openpyxl answers damage with whatever its parser runs into
        raise WORKBOOK.damaged(path, error) from error


@contextmanager
def _without_warnings() -> Iterator[None]:
    """Silence what openpyxl says of extensions that concern what cells look like, and of impossible dates."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _read_sheet(sheet: Any, path: Path) -> Grid:
    sheet.reset_dimensions()  # the size a file states is often wrong
    text = _source(sheet)
    formulas = _formulas_without_value(text)
    grid = Grid(path, sheet.title, [], hidden=sheet.sheet_state != "visible")
    left = _MAX_CELLS
    for number, row in enumerate(sheet.iter_rows(), 1):
        left -= len(row)
        if left < 0:
            raise ValueError(f"sheet {sheet.title} spans more than {_MAX_CELLS} cells")
        texts: list[str] = []
        for column, cell in enumerate(row):
            value, issue = _read(cell)
            # A formula without a value would seem blank; one that gives an empty text has the type of a text.
            if cell.value is None and column + 1 in formulas.get(number, ()):
                issue = None if cell.data_type in {"s", "str"} else _FORMULA
            if issue is not None:
                grid.issues[number, column] = issue
            texts.append(value)
        while texts and not texts[-1] and (number, len(texts) - 1) not in grid.issues:
            texts.pop()
        grid.rows.append(texts)
    _fill_merged(grid, text)
    return grid


def _source(sheet: Any) -> bytes:
    with sheet._get_source() as part:
        return bytes(part.read())


def _fill_merged(grid: Grid, text: bytes) -> None:
    """Write what the first cell of a merged range holds into all of its cells."""
    for reference in re.findall(rb'<(?:\w+:)?mergeCell [^>]*ref="([A-Z0-9:]+)"', text):
        left, top, right, bottom = range_boundaries(reference.decode())
        value, issue = grid.text(top, left - 1), grid.issues.get((top, left - 1))
        for number in range(top, min(bottom, len(grid.rows)) + 1):
            row = grid.rows[number - 1]
            row.extend([""] * (right - len(row)))
            for column in range(left - 1, right):
                row[column] = value
                if issue is not None:
                    grid.issues[number, column] = issue


def _formulas_without_value(text: bytes) -> dict[int, list[int]]:
    """Return the columns of a sheet's formulas, by row, whose value the file does not hold.

    openpyxl gives either formulas or stored values. Opening a workbook for both takes it twice; the sheet's
    own text says what both lack.
    """
    columns: dict[int, list[int]] = {}
    if re.search(rb"<(\w+:)?f[\s/>]", text) is None:
        return columns
    row = column = 0
    for event, element in iterparse(BytesIO(text), events=("start", "end")):
        tag = element.tag.removeprefix(f"{{{SHEET_MAIN_NS}}}")
        if tag == "row" and event == "start":
            row, column = int(element.get("r", row + 1)), 0
        elif tag == "c" and event == "end":
            column += 1
            if place := element.get("r"):
                row, column = coordinate_to_tuple(place)
            if element.find(f"{{{SHEET_MAIN_NS}}}f") is not None and not element.findtext(
                f"{{{SHEET_MAIN_NS}}}v"
            ):
                columns.setdefault(row, []).append(column)
        elif tag == "row":
            element.clear()
    return columns


_FORMULA = CellIssue(
    "a formula without a stored value", "Open the file in Excel and save it, or write the value itself."
)


def _read(cell: Any) -> tuple[str, CellIssue | None]:
    value = cell.value
    if value is None:
        return "", None
    if isinstance(value, str):
        # Excel writes a carriage return inside a cell this way.
        text = re.sub(r"_x000D_\n?", "\n", value) if "_x000D_" in value else value
        if cell.data_type == "e":
            return (text, None) if text in MISSING else (text, CellIssue(f"the error {text}", _CORRECT))
        return text, None
    if isinstance(value, bool):
        word = "TRUE" if value else "FALSE"
        return word, CellIssue(f"the truth value {word}", _TEXT_FORMAT)
    if isinstance(value, datetime.date | datetime.time | datetime.timedelta):
        kind = "a date" if isinstance(value, datetime.date) else "a time"
        advice = f"Excel makes dates of what looks like one. {_TEXT_FORMAT}"
        return _date_text(value), CellIssue(kind, advice)
    return _number(value, cell.number_format or "General")


def _date_text(value: datetime.date | datetime.time | datetime.timedelta) -> str:
    if isinstance(value, datetime.datetime):
        return value.date().isoformat() if value.time() == datetime.time() else value.isoformat(" ")
    return str(value)


def _number(value: float, form: str) -> tuple[str, CellIssue | None]:
    text = f"{value:.{_MAX_DIGITS}g}"
    if not re.fullmatch(r"-?\d+", text):
        return text, CellIssue(f"the number {text}", _TEXT_FORMAT, only_ids=True)
    if re.fullmatch(r"0{2,}", form) and not text.startswith("-"):
        return text.zfill(len(form)), None
    if re.search(r'["\\]', re.sub(r"\[[^\]]*\]", "", form)):
        what = f"the number {text}, which the format {form} shows as something else"
        return text, CellIssue(what, _TEXT_FORMAT, only_ids=True)
    return text, None
