"""An Excel workbook as text, opened once; a cell that does not hold what was typed has an issue."""

from __future__ import annotations

import datetime
import re
import warnings
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BytesIO
from itertools import islice
from typing import TYPE_CHECKING, Any

from openpyxl import load_workbook  # type: ignore[import-untyped,unused-ignore]
from openpyxl.utils.cell import coordinate_to_tuple  # type: ignore[import-untyped,unused-ignore]
from openpyxl.xml.constants import SHEET_MAIN_NS  # type: ignore[import-untyped,unused-ignore]
from openpyxl.xml.functions import iterparse  # type: ignore[import-untyped,unused-ignore]

from creaeval.data.files import MAX_UNPACKED, WORKBOOK, check_archive, read_bytes
from creaeval.data.tables.table import BLANK, Cell, CellIssue, Place, find_column, make_table
from creaeval.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from creaeval.data.tables.table import Table

_MAX_BYTES = MAX_UNPACKED
_MAX_CELLS = 20_000_000
_MAX_DIGITS = 15  # Excel keeps no more of a number
_FIRST_ROWS = 1000  # among which there must be one that is not blank
_HEADER_ROWS = 20  # how far down a header is looked for, to say where it is
_TEXT_FORMAT = "Format the column as text and write the cell anew."


@dataclass
class Sheet:
    """A sheet of a workbook, of which no more rows are read than somebody asks for."""

    path: Path
    name: str
    hidden: bool
    unread: Iterator[list[Cell]]
    _rows: list[list[Cell]] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{self.name} (hidden)" if self.hidden else self.name

    def cells(self, names: Iterable[str]) -> dict[str, Cell]:
        """Return cells by their names, such as ``F2``; blank ones where the sheet has none."""
        places = {name: coordinate_to_tuple(name) for name in names}
        self._row(max(row for row, _ in places.values()))
        return {
            name: self._row(row)[column - 1] if column <= len(self._row(row)) else BLANK
            for name, (row, column) in places.items()
        }

    def header(self) -> tuple[str, ...]:
        """Return the texts of the first row that is not blank."""
        for number in range(1, _FIRST_ROWS + 1):
            row = self._row(number)
            if not all(cell.blank for cell in row):
                return tuple(text for cell in row if (text := cell.text.strip()))
            if number > len(self._rows):
                break
        return ()

    def rows(self) -> list[list[Cell]]:
        """Return all rows, without blank cells at their ends."""
        self._read(None)
        return self._rows

    def _row(self, number: int) -> list[Cell]:
        if number > len(self._rows):
            self._read(number - len(self._rows))
        return self._rows[number - 1] if number <= len(self._rows) else []

    def _read(self, more: int | None) -> None:
        with _without_warnings():
            self._rows.extend(islice(self.unread, more))


class Workbook:
    """An .xlsx or .xlsm file, whose macros and links are not looked at; ``wanted`` names one sheet."""

    def __init__(self, path: Path, wanted: str | None = None) -> None:
        self.path, self.wanted = path, wanted
        data = read_bytes(path)
        check_archive(data, path, WORKBOOK, _MAX_BYTES)
        try:
            with _without_warnings():
                book = load_workbook(BytesIO(data), read_only=True, data_only=True, keep_links=False)
        except Exception as error:  # openpyxl answers damage with whatever its parser runs into
            raise WORKBOOK.damaged(path, error) from error
        self.sheets = [
            Sheet(path, sheet.title, sheet.sheet_state != "visible", _rows(sheet, path))
            for sheet in book.worksheets
        ]

    def table(
        self,
        keys: Sequence[str],
        fits: Callable[[Sequence[str]], bool],
        hint: Callable[[Sequence[str]], str] = lambda _: "",
    ) -> Table:
        """Return the table of the sheet that is wanted, or of the only visible one whose header fits."""
        sheet = self._choose(fits, hint)
        path, name = self.path, sheet.name
        rows = {n: row for n, row in enumerate(sheet.rows(), 1) if not all(cell.blank for cell in row)}
        if not rows:
            raise DataError(f"{path}, {name}: the sheet is empty, expected a header and rows.")
        header_row = min(rows)
        self._check_header(list(rows.items()), name, keys, hint)
        width = len(rows[header_row])
        records = [(n, [*row, *[BLANK] * (width - len(row))]) for n, row in rows.items()]

        def too_long(number: int, _length: int, expected: int) -> str:
            column = next(i for i, cell in enumerate(rows[number], 1) if i > expected and not cell.blank)
            return (
                f"{path}: {Place(path, name, number, column).name} holds something, but its column has no "
                "name in the header. Name the column or empty it; merged cells and headers of several rows "
                "are not read."
            )

        return make_table(path, name, records, too_long)

    def _choose(self, fits: Callable[[Sequence[str]], bool], hint: Callable[[Sequence[str]], str]) -> Sheet:
        path, sheets = self.path, self.sheets
        listed = ", ".join(map(str, sheets)) or "none"
        if self.wanted is not None:
            return self._named(self.wanted, listed)
        fitting = [sheet for sheet in sheets if fits(sheet.header())]
        visible = [sheet for sheet in fitting if not sheet.hidden]
        if len(visible) == 1:
            return visible[0]
        choose = f"Choose one as {path.name}#{next((sheet.name for sheet in [*fitting, *sheets]), 'NAME')}"
        if visible:
            raise DataError(f"{path}: {len(visible)} sheets could be meant, of {listed}. {choose}, say.")
        if fitting:
            raise DataError(f"{path}: only a hidden sheet could be meant, of {listed}. {choose}, or show it.")
        filled = [sheet for sheet in sheets if sheet.header() and not sheet.hidden]
        if len(filled) == 1:
            return filled[0]  # whoever reads it says what is wrong with it
        headers = "; ".join(
            f"{sheet} starts with {', '.join(sheet.header()[:8]) or 'nothing'}" for sheet in sheets
        )
        advice = next((advice for sheet in filled if (advice := hint(sheet.header()))), "")
        raise DataError(
            f"{path}: no sheet has a header that can be read: {headers}. Expected a sheet whose first row "
            f"has 'response_id' and the names of the other columns.{advice}"
        )

    def _named(self, wanted: str, listed: str) -> Sheet:
        for fold_name in (str, lambda name: name.strip().casefold()):
            for sheet in self.sheets:
                if fold_name(sheet.name) == fold_name(wanted):
                    return sheet
        raise DataError(f"{self.path}: there is no sheet {wanted!r}. Its sheets are {listed}.")

    def _check_header(
        self,
        records: list[tuple[int, list[Cell]]],
        name: str,
        keys: Sequence[str],
        hint: Callable[[Sequence[str]], str],
    ) -> None:
        number, first = records[0]
        if find_column([cell.text.strip() for cell in first], *keys):
            return
        titles = [cell.text.strip() for cell in first if not cell.blank]
        problem = (
            f"{self.path}, {name}: no column 'response_id' or 'id' in row {number}, which reads "
            f"{', '.join(titles)[:200]!r}."
        )
        for lower, row in records[1:_HEADER_ROWS]:
            if find_column([cell.text.strip() for cell in row], *keys):
                raise DataError(
                    f"{problem} There is one in row {lower}: titles above the header and headers of several "
                    "rows are not read. Delete the rows above it, so that the first row names every column."
                )
        raise DataError(f"{problem} Expected the names of the columns in the first row.{hint(titles)}")


@contextmanager
def _without_warnings() -> Iterator[None]:
    """Silence what openpyxl says of extensions that concern what cells look like, and of impossible dates."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _rows(sheet: Any, path: Path) -> Iterator[list[Cell]]:
    try:
        sheet.reset_dimensions()  # the size a file states is often wrong
        formulas = _formulas_without_value(sheet)
        left = _MAX_CELLS
        for number, row in enumerate(sheet.iter_rows(), 1):
            left -= len(row)
            if left < 0:
                raise ValueError(f"sheet {sheet.title} spans more than {_MAX_CELLS} cells")
            cells = [_read(cell) for cell in row]
            for column in formulas.get(number, ()):
                # They would seem blank.
                if column <= len(cells) and cells[column - 1] is BLANK:
                    cells[column - 1] = _FORMULA
            while cells and cells[-1].blank and cells[-1] is not _EMPTY_TEXT:
                cells.pop()
            yield cells
    except Exception as error:  # openpyxl answers damage with whatever its parser runs into
        raise WORKBOOK.damaged(path, error) from error


def _formulas_without_value(sheet: Any) -> dict[int, list[int]]:
    """Return the columns of a sheet's formulas, by row, whose value the file does not hold.

    openpyxl gives either formulas or stored values. Opening a workbook for both takes it twice; the sheet's
    own text says what both lack.
    """
    with sheet._get_source() as part:
        text = part.read()
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


_FORMULA = Cell(
    "",
    CellIssue(
        "a formula without a stored value", "Open the file in Excel and save it, or write the value itself."
    ),
)
#: The value of a formula that gives an empty text, which is a stored value, too.
_EMPTY_TEXT = Cell("")


def _read(cell: Any) -> Cell:
    value = cell.value
    if value is None:
        return _EMPTY_TEXT if cell.data_type in {"s", "str"} else BLANK
    if cell.data_type == "e":
        return Cell(str(value), CellIssue(f"the error {value}", "Correct the cell or empty it."))
    if isinstance(value, bool):
        word = "TRUE" if value else "FALSE"
        return Cell(word, CellIssue(f"the truth value {word}", _TEXT_FORMAT))
    if isinstance(value, datetime.date | datetime.time | datetime.timedelta):
        kind = "a date" if isinstance(value, datetime.date) else "a time"
        advice = f"Excel makes dates of what looks like one. {_TEXT_FORMAT}"
        return Cell(_date_text(value), CellIssue(kind, advice))
    if isinstance(value, int | float):
        return _number(value, cell.number_format or "General")
    # Excel writes a carriage return inside a cell this way.
    return Cell(re.sub(r"_x000D_\n?", "\n", str(value)))


def _date_text(value: datetime.date | datetime.time | datetime.timedelta) -> str:
    if isinstance(value, datetime.datetime):
        return value.date().isoformat() if value.time() == datetime.time() else value.isoformat(" ")
    return str(value)


def _number(value: float, form: str) -> Cell:
    text = f"{value:.{_MAX_DIGITS}g}"
    if not re.fullmatch(r"-?\d+", text):
        return Cell(text, CellIssue(f"the number {text}", _TEXT_FORMAT, only_ids=True))
    if re.fullmatch(r"0{2,}", form) and not text.startswith("-"):
        return Cell(text.zfill(len(form)))
    if re.search(r'["\\]', re.sub(r"\[[^\]]*\]", "", form)):
        what = f"the number {text}, which the format {form} shows as something else"
        return Cell(text, CellIssue(what, _TEXT_FORMAT, only_ids=True))
    return Cell(text)
