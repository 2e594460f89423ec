"""Read a CSV file as text, cell by cell: no id becomes a number, no delimiter is guessed from the texts."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING

from creaeval.data.files import read_text
from creaeval.data.ids import clean_name
from creaeval.errors import DataError
from creaeval.tasks import fold

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

#: A response may be longer than the 131,072 characters the csv module allows by default.
_FIELD_LIMIT = 100_000_000
ID_COLUMNS = ("response_id", "id")


@dataclass(frozen=True)
class Row:
    """One row; ``number`` is the one a spreadsheet shows, the header being row 1."""

    number: int
    cells: dict[str, str]


@dataclass(frozen=True)
class Table:
    """A table with its header as written, without outer spaces, and its rows that are not blank."""

    header: tuple[str, ...]
    rows: tuple[Row, ...]
    id_column: str

    def column(self, *names: str) -> str | None:
        """Return the header of the first of these columns that is there, whatever its case."""
        for name in names:
            for title in self.header:
                if fold(title) == fold(name):
                    return title
        return None


def read_table(path: Path) -> Table:
    """Read a table that has an id column.

    Parameters
    ----------
    path : Path
        UTF-8 or Windows-1252 text, with commas, semicolons or tabs between the cells. The delimiter is the
        one by which the header has a column ``response_id`` or ``id``.

    Returns
    -------
    Table

    Raises
    ------
    DataError
        With every problem found: no id column, a repeated or empty header, rows with more or fewer cells
        than the header, a quotation mark that is not closed.
    """
    text = read_text(path, "CSV", windows=True)
    delimiter, skip = _delimiter(text, path)
    records = _records(text, delimiter, path)
    numbered = [(n, r) for n, r in enumerate(records, 1) if n > skip and any(map(clean_name, r))]
    header_row, first = numbered[0]
    header = [clean_name(title) for title in first]
    while not header[-1]:
        header.pop()
    problems = _header_problems(header, header_row, path)
    rows: list[Row] = []
    for number, cells in numbered[1:]:
        if any(map(clean_name, cells[len(header) :])):
            problems.append(
                f"{path}, row {number}: found {len(cells)} cells, expected {len(header)} as in the header. "
                f"A text that holds {delimiter!r} must stand in quotation marks."
            )
        elif len(cells) < len(header):
            problems.append(
                f"{path}, row {number}: found {len(cells)} cells, expected {len(header)} as in the header. "
                "A text with line breaks must stand in quotation marks."
            )
        else:
            rows.append(Row(number, dict(zip(header, cells, strict=False))))
    if problems:
        raise DataError(problems[0], problems[1:])
    if not rows:
        raise DataError(f"{path}: has a header but no rows below it.")
    by_name = {fold(title): title for title in reversed(header)}
    id_column = next(by_name[fold(name)] for name in ID_COLUMNS if fold(name) in by_name)
    return Table(tuple(header), tuple(rows), id_column)


def _delimiter(text: str, path: Path) -> tuple[str, int]:
    """Return the delimiter and how many rows stand before the header (Excel's ``sep=;`` is one)."""
    if match := re.match(r"sep=([,;\t|])\r?\n", text, flags=re.IGNORECASE):
        return match[1], 1
    found: dict[str, int] = {}
    for delimiter in ",;\t":
        header = _records(text, delimiter, path, header_only=True)[-1]
        if any(fold(title) in map(fold, ID_COLUMNS) for title in map(clean_name, header)):
            found[delimiter] = len(header)
    if found:
        return max(found, key=lambda delimiter: found[delimiter]), 0
    line = text.strip().splitlines()[0][:200]
    hint = " It looks like JSON; name it .json." if line.startswith(("{", "[")) else ""
    raise DataError(
        f"{path}: no column 'response_id' or 'id' in the header, which reads {line!r}. Expected the names of "
        f"the columns in the first row, with commas, semicolons or tabs between them.{hint}"
    )


def _records(text: str, delimiter: str, path: Path, header_only: bool = False) -> list[list[str]]:
    limit = csv.field_size_limit(_FIELD_LIMIT)
    records: list[list[str]] = []
    try:
        # While the delimiter is still being looked for, a quotation mark in the texts must not stop us.
        for record in csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=not header_only):
            records.append(record)
            if header_only and any(map(clean_name, record)):
                break
    except csv.Error as error:
        raise DataError(
            f"{path}, row {len(records) + 1}: the quotation marks do not match ({error}). A quotation mark "
            "inside a quoted cell must be doubled."
        ) from error
    finally:
        csv.field_size_limit(limit)
    return records


def _header_problems(header: Sequence[str], number: int, path: Path) -> list[str]:
    problems = []
    for position, title in enumerate(header, 1):
        if not title:
            problems.append(f"{path}, row {number}: column {position} has no name in the header.")
        elif header.index(title) < position - 1:
            problems.append(f"{path}, row {number}: the column {title!r} is there twice.")
    return problems
