"""Read a CSV file as text, cell by cell: no id becomes a number, no delimiter is guessed from the texts."""

from __future__ import annotations

import csv
import re
from io import StringIO
from typing import TYPE_CHECKING

from creaeval.data.files import read_text
from creaeval.data.ids import clean_name
from creaeval.data.table import Cell, make_table
from creaeval.errors import DataError
from creaeval.tasks import fold

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from creaeval.data.table import Table

#: A response may be longer than the 131,072 characters the csv module allows by default.
_FIELD_LIMIT = 100_000_000


def read_csv_table(
    path: Path, keys: Sequence[str], hint: Callable[[Sequence[str]], str] = lambda _: ""
) -> Table:
    """Read a table that has one of the key columns.

    Parameters
    ----------
    path : Path
        UTF-8 or Windows-1252 text, with commas, semicolons or tabs between the cells.
    keys : sequence of str
        Such as ``response_id`` and ``id``. The delimiter is the one by which the header has such a column.
    hint : callable, optional
        Adds to the message, where the header has no key column, which one may be meant.

    Returns
    -------
    Table

    Raises
    ------
    DataError
        With every problem found: no key column, a repeated or empty header, rows with more or fewer cells
        than the header, a quotation mark that is not closed.
    """
    text = read_text(path, "CSV", windows=True)
    delimiter, skip = _delimiter(text, path, keys, hint)
    records = _records(text, delimiter, path)

    def odd_length(number: int, found: int, expected: int) -> str:
        rule = (
            f"A text that holds {delimiter!r} must stand in quotation marks."
            if found > expected
            else "A text with line breaks must stand in quotation marks."
        )
        return f"{path}, row {number}: found {found} cells, expected {expected} as in the header. {rule}"

    return make_table(
        path,
        None,
        [
            (n, [Cell(text) for text in record])
            for n, record in enumerate(records, 1)
            if n > skip and any(map(clean_name, record))
        ],
        odd_length,
    )


def _delimiter(
    text: str, path: Path, keys: Sequence[str], hint: Callable[[Sequence[str]], str]
) -> tuple[str, int]:
    """Return the delimiter and how many rows stand before the header (Excel's ``sep=;`` is one)."""
    skip = 0
    delimiters = ",;\t"
    if match := re.match(r"sep=([,;\t|])\r?\n", text, flags=re.IGNORECASE):
        delimiters, skip = match[1], 1
    found: dict[str, int] = {}
    longest: list[str] = []
    for delimiter in delimiters:
        headers = [
            r for r in _records(text, delimiter, path, header_only=skip + 1) if any(map(clean_name, r))
        ]
        header = [clean_name(title) for title in headers[skip]] if len(headers) > skip else []
        longest = max(longest, header, key=len)
        if any(fold(title) in map(fold, keys) for title in header):
            found[delimiter] = len(header)
    if found:
        return max(found, key=lambda delimiter: found[delimiter]), skip
    line = text.strip().splitlines()[0][:200]
    advice = " It looks like JSON; name it .json." if line.startswith(("{", "[")) else hint(longest)
    raise DataError(
        f"{path}: no column 'response_id' or 'id' in the header, which reads {line!r}. Expected the names of "
        f"the columns in the first row, with commas, semicolons or tabs between them.{advice}"
    )


def _records(text: str, delimiter: str, path: Path, header_only: int = 0) -> list[list[str]]:
    """Return all records, or those up to the n-th that is not blank."""
    limit = csv.field_size_limit(_FIELD_LIMIT)
    records: list[list[str]] = []
    filled = 0
    try:
        # While the delimiter is still being looked for, a quotation mark in the texts must not stop us.
        for record in csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=not header_only):
            records.append(record)
            filled += any(map(clean_name, record))
            if header_only and filled == header_only:
                break
    except csv.Error as error:
        raise DataError(
            f"{path}, row {len(records) + 1}: the quotation marks do not match ({error}). A quotation mark "
            "inside a quoted cell must be doubled."
        ) from error
    finally:
        csv.field_size_limit(limit)
    return records
