"""Read a sheet of an Excel workbook as text; a cell that does not hold what was typed is odd."""

from __future__ import annotations

import datetime
import re
import warnings
import zipfile
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from itertools import islice, zip_longest
from typing import TYPE_CHECKING, Any

from creaeval.data.files import looks_like, read_bytes
from creaeval.data.table import Cell, Odd, cell_name, find_column, make_table
from creaeval.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from creaeval.data.table import Table

#: What a workbook may unpack to. Ten thousand rows of long responses are about a tenth of it.
_MAX_BYTES = 200_000_000
_MAX_CELLS = 20_000_000
_MAX_DIGITS = 15  # Excel keeps no more of a number
_HEADER_ROWS = 20  # how far down a header is looked for, to say where it is
_TEXT_FORMAT = "Format the column as text and write the cell anew."


@dataclass(frozen=True)
class _Sheet:
    name: str
    hidden: bool
    header: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.name} (hidden)" if self.hidden else self.name


def read_xlsx_table(
    path: Path,
    sheet: str | None,
    keys: Sequence[str],
    fits: Callable[[Sequence[str]], bool],
    hint: Callable[[Sequence[str]], str] = lambda _: "",
) -> Table:
    """Read a sheet.

    Parameters
    ----------
    path : Path
        An .xlsx or .xlsm file. Its macros and links are not looked at.
    sheet : str or None
        The sheet; None for the only visible one that fits.
    keys : sequence of str
        Columns of which the header must have one.
    fits : callable
        Whether a header is one that is looked for.
    hint : callable, optional
        Adds to the message, where the header has no key column, which one may be meant.

    Returns
    -------
    Table

    Raises
    ------
    DataError
        With every problem found.
    """
    data, formulas = _checked(path)
    with _opened(data, path) as values:
        name = _choose(values, path, sheet, fits, hint)
        rows = [row for _, row in _rows(values[name])]
    if formulas:
        with _opened(data, path, formulas=True) as book:
            rows = list(_name_formulas(rows, book[name]))
    records = [(n, row) for n, row in enumerate(rows, 1) if not all(cell.blank for cell in row)]
    if not records:
        raise DataError(f"{path}, {name}: the sheet is empty, expected a header and rows.")
    _check_header(records, path, name, keys, hint)
    width = len(records[0][1])
    padded = {n: [*row, *[_BLANK] * (width - len(row))] for n, row in records}

    def too_long(number: int, _found: int, expected: int) -> str:
        column = next(i for i, cell in enumerate(padded[number], 1) if i > expected and not cell.blank)
        return (
            f"{path}: {cell_name(name, column, number)} holds something, but its column has no name in the "
            "header. Name the column or empty it; merged cells and headers of several rows are not read."
        )

    return make_table(path, name, list(padded.items()), too_long)


@dataclass(frozen=True)
class SheetCells:
    """The upper rows of a sheet, to be read cell by cell."""

    name: str
    hidden: bool
    rows: tuple[tuple[Cell, ...], ...]

    def cell(self, column: int, row: int) -> Cell:
        """Return a cell by its column and row, both from 1; a blank one where the sheet has none."""
        cells = self.rows[row - 1] if row <= len(self.rows) else ()
        return cells[column - 1] if column <= len(cells) else _BLANK

    @property
    def header(self) -> tuple[str, ...]:
        """The texts of the first row that is not blank."""
        first = next((row for row in self.rows if not all(cell.blank for cell in row)), ())
        return tuple(text for cell in first if (text := cell.text.strip()))


def read_sheets(path: Path, last_row: int) -> list[SheetCells]:
    """Read every sheet of a workbook down to a row, also those that are no table.

    Parameters
    ----------
    path : Path
        An .xlsx or .xlsm file.
    last_row : int
        The last row that is read.

    Returns
    -------
    list of SheetCells
        Formulas are their stored values.

    Raises
    ------
    DataError
        It is no workbook, or damaged.
    """
    data, formulas = _checked(path)
    with _opened(data, path) as book:
        sheets = [
            (s.title, s.sheet_state != "visible", [row for _, row in islice(_rows(s), last_row)])
            for s in book.worksheets
        ]
    if formulas:
        with _opened(data, path, formulas=True) as book:
            sheets = [
                (name, hidden, list(islice(_name_formulas(rows, book[name]), last_row)))
                for name, hidden, rows in sheets
            ]
    return [SheetCells(name, hidden, tuple(map(tuple, rows))) for name, hidden, rows in sheets]


def _checked(path: Path) -> tuple[bytes, bool]:
    """Read a workbook's bytes and say whether a sheet holds formulas."""
    data = read_bytes(path)
    kind = looks_like(data) or f"text that starts with {data[:20].decode('utf-8', 'replace')!r}"
    if kind != "an Excel workbook (.xlsx)":
        advice = (
            "Open it in Excel, take the password off and save it again."
            if "password" in kind
            else "Save it as .xlsx from a spreadsheet program."
        )
        raise DataError(f"{path}: looks like {kind}, expected an Excel workbook (.xlsx). {advice}")
    return data, _inspect(data, path)


def _inspect(data: bytes, path: Path) -> bool:
    """Refuse what would unpack to too much, and say whether a sheet holds formulas."""
    formulas = False
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            size = sum(info.file_size for info in archive.infolist())
            if size > _MAX_BYTES:
                raise DataError(
                    f"{path}: unpacks to {size // 1_000_000} MB, expected at most {_MAX_BYTES // 1_000_000}. "
                    "Save the sheet alone, without empty formatted rows and pictures, or as CSV (UTF-8)."
                )
            for info in archive.infolist():
                if info.filename.endswith((".xml", ".rels")):
                    with archive.open(info) as part:
                        if b"<!DOCTYPE" in part.read(2000).upper():
                            raise DataError(
                                f"{path}: {info.filename} declares a document type, which no workbook does. "
                                "Save it again from a spreadsheet program."
                            )
                if info.filename.startswith("xl/worksheets/") and not formulas:
                    formulas = re.search(rb"<(\w+:)?f[\s/>]", archive.read(info)) is not None
    except (zipfile.BadZipFile, OSError, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
        raise _damaged(path, error) from error
    return formulas


def _damaged(path: Path, error: Exception) -> DataError:
    return DataError(
        f"{path}: the workbook is damaged ({str(error)[:200]}). Open it in Excel and save it again."
    )


@contextmanager
def _opened(data: bytes, path: Path, formulas: bool = False) -> Iterator[Any]:
    from openpyxl import load_workbook  # type: ignore[import-untyped,unused-ignore]

    book = None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of extensions that concern what cells look like
            book = load_workbook(BytesIO(data), read_only=True, data_only=not formulas, keep_links=False)
            yield book
    except DataError:
        raise
    except Exception as error:  # openpyxl answers damage with whatever its parser runs into
        raise _damaged(path, error) from error
    finally:
        if book is not None:
            book.close()


def _choose(
    book: Any,
    path: Path,
    wanted: str | None,
    fits: Callable[[Sequence[str]], bool],
    hint: Callable[[Sequence[str]], str],
) -> str:
    sheets = [_Sheet(s.title, s.sheet_state != "visible", _header(s)) for s in book.worksheets]
    listed = ", ".join(map(str, sheets)) or "none"
    if wanted is not None:
        for same in (str.__eq__, lambda a, b: a.strip().casefold() == b.strip().casefold()):
            for sheet in sheets:
                if same(sheet.name, wanted):
                    return sheet.name
        raise DataError(f"{path}: there is no sheet {wanted!r}. Its sheets are {listed}.")
    fitting = [sheet for sheet in sheets if fits(sheet.header)]
    visible = [sheet for sheet in fitting if not sheet.hidden]
    if len(visible) == 1:
        return visible[0].name
    choose = f"Choose one as {path.name}#{(fitting or sheets or [_Sheet('NAME', False, ())])[0].name}"
    if visible:
        raise DataError(f"{path}: {len(visible)} sheets could be meant, of {listed}. {choose}, say.")
    if fitting:
        raise DataError(f"{path}: only a hidden sheet could be meant, of {listed}. {choose}, or show it.")
    filled = [sheet for sheet in sheets if sheet.header and not sheet.hidden]
    if len(filled) == 1:
        return filled[0].name  # whoever reads it says what is wrong with it
    headers = "; ".join(f"{sheet} starts with {', '.join(sheet.header[:8]) or 'nothing'}" for sheet in sheets)
    advice = next((told for sheet in filled if (told := hint(sheet.header))), "")
    raise DataError(
        f"{path}: no sheet has a header that can be read: {headers}. Expected a sheet whose first row has "
        f"'response_id' and the names of the other columns.{advice}"
    )


def _header(sheet: Any) -> tuple[str, ...]:
    for _, row in islice(_rows(sheet), 1000):
        if not all(cell.blank for cell in row):
            return tuple(text for cell in row if (text := cell.text.strip()))
    return ()


def _rows(sheet: Any) -> Iterator[tuple[int, list[Cell]]]:
    sheet.reset_dimensions()  # the size a file states is often wrong
    left = _MAX_CELLS
    for number, row in enumerate(sheet.iter_rows(), 1):
        left -= len(row)
        if left < 0:
            raise ValueError(f"sheet {sheet.title} spans more than {_MAX_CELLS} cells")
        cells = [_read(cell) for cell in row]
        while cells and cells[-1].blank and cells[-1] is not _EMPTY_TEXT:
            cells.pop()
        yield number, cells


def _check_header(
    records: list[tuple[int, list[Cell]]],
    path: Path,
    name: str,
    keys: Sequence[str],
    hint: Callable[[Sequence[str]], str],
) -> None:
    first = records[0]
    if find_column([cell.text.strip() for cell in first[1]], *keys):
        return
    found = ", ".join(cell.text.strip() for cell in first[1] if not cell.blank)[:200]
    problem = f"{path}, {name}: no column 'response_id' or 'id' in row {first[0]}, which reads {found!r}."
    for number, row in records[1:_HEADER_ROWS]:
        if find_column([cell.text.strip() for cell in row], *keys):
            raise DataError(
                f"{problem} There is one in row {number}: titles above the header and headers of several "
                "rows are not read. Delete the rows above it, so that the first row names every column."
            )
    advice = hint([cell.text.strip() for cell in first[1] if not cell.blank])
    raise DataError(f"{problem} Expected the names of the columns in the first row.{advice}")


def _name_formulas(rows: list[list[Cell]], sheet: Any) -> Iterator[list[Cell]]:
    """Put what is odd in the place of formulas whose value the file does not hold: they would seem blank."""
    sheet.reset_dimensions()
    for cells, row in zip_longest(rows, sheet.iter_rows(), fillvalue=()):
        yield [
            _FORMULA if cell is _BLANK and written is not None and written.data_type == "f" else cell
            for found, written in zip_longest(cells, row)
            for cell in [_BLANK if found is None else found]
        ]


_FORMULA = Cell(
    "",
    Odd("a formula without a stored value", "Open the file in Excel and save it, or write the value itself."),
)
#: The value of a formula that gives an empty text, which is a stored value, too.
_EMPTY_TEXT = Cell("")
_BLANK = Cell("")


def _read(cell: Any) -> Cell:
    value = cell.value
    if value is None:
        return _EMPTY_TEXT if cell.data_type in {"s", "str"} else _BLANK
    if cell.data_type == "e":
        return Cell(str(value), Odd(f"the error {value}", "Correct the cell or empty it."))
    if isinstance(value, bool):
        word = "TRUE" if value else "FALSE"
        return Cell(word, Odd(f"the truth value {word}", _TEXT_FORMAT))
    if isinstance(value, datetime.date | datetime.time | datetime.timedelta):
        kind = "a date" if isinstance(value, datetime.date) else "a time"
        return Cell(_date_text(value), Odd(kind, f"Excel makes dates of what looks like one. {_TEXT_FORMAT}"))
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
        return Cell(text, Odd(f"the number {text}", _TEXT_FORMAT, only_ids=True))
    if re.fullmatch(r"0{2,}", form) and not text.startswith("-"):
        return Cell(text.zfill(len(form)))
    if re.search(r'["\\]', re.sub(r"\[[^\]]*\]", "", form)):
        odd = Odd(f"the number {text}, which the format {form} shows as something else", _TEXT_FORMAT, True)
        return Cell(text, odd)
    return Cell(text)
