"""A CSV file as text, cell by cell: no id becomes a number, no delimiter is guessed from the texts."""

from __future__ import annotations

import csv
import re
from io import StringIO
from typing import TYPE_CHECKING

from creaeval.data.files import read_text
from creaeval.data.ids import clean_name, find_visible
from creaeval.data.tables.table import Cell, find_column, make_table
from creaeval.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from creaeval.data.tables.table import Table
    from creaeval.data.tables.workbook import Sheet

#: A response may be longer than the 131,072 characters the csv module allows by default.
_FIELD_LIMIT = 100_000_000


class CsvFile:
    """UTF-8 or Windows-1252 text, with commas, semicolons or tabs between the cells; it has no sheets."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.sheets: list[Sheet] = []
        self.wanted: str | None = None
        self._text = read_text(path, "CSV", windows=True)

    def table(
        self,
        keys: Sequence[str],
        fits: Callable[[Sequence[str]], bool],  # noqa: ARG002 - a CSV file has but one table to choose
        hint: Callable[[Sequence[str]], str] = lambda _: "",
    ) -> Table:
        """Return the table, by the delimiter with which the header has a key column."""
        delimiter, skip = self._delimiter(keys, hint)

        def length_problem(number: int, length: int, expected: int) -> str:
            rule = (
                f"A text that holds {delimiter!r} must stand in quotation marks."
                if length > expected
                else "A text with line breaks must stand in quotation marks."
            )
            return (
                f"{self.path}, row {number}: found {length} cells, expected {expected} as in the header. "
                f"{rule}"
            )

        records = [
            (number, [Cell(text) for text in record])
            for number, record in enumerate(self._records(delimiter), 1)
            if number > skip and any(map(find_visible, record))
        ]
        return make_table(self.path, None, records, length_problem)

    def _delimiter(self, keys: Sequence[str], hint: Callable[[Sequence[str]], str]) -> tuple[str, int]:
        """Return the delimiter and how many rows stand before the header (Excel's ``sep=;`` is one)."""
        skip = 0
        delimiters = ",;\t"
        if match := re.match(r"sep=([,;\t|])\r?\n", self._text, flags=re.IGNORECASE):
            delimiters, skip = match[1], 1
        headers = {delimiter: self._header(delimiter, skip) for delimiter in delimiters}
        fitting = [delimiter for delimiter, header in headers.items() if find_column(header, *keys)]
        if fitting:
            return max(fitting, key=lambda delimiter: len(headers[delimiter])), skip
        line = self._text.strip().splitlines()[0][:200]
        longest = [clean_name(title) for title in max(headers.values(), key=len)]
        advice = " It looks like JSON; name it .json." if line.startswith(("{", "[")) else hint(longest)
        raise DataError(
            f"{self.path}: no column 'response_id' or 'id' in the header, which reads {line!r}. Expected the "
            "names of the columns in the first row, with commas, semicolons or tabs between them."
            f"{advice}"
        )

    def _header(self, delimiter: str, skip: int) -> list[str]:
        """Return the names of the columns, if this is the delimiter."""
        rows = [row for row in self._records(delimiter, skip + 1) if any(map(find_visible, row))]
        return rows[skip] if len(rows) > skip else []

    def _records(self, delimiter: str, header_only: int = 0) -> list[list[str]]:
        """Return all records, or those up to the n-th that is not blank."""
        limit = csv.field_size_limit(_FIELD_LIMIT)
        records: list[list[str]] = []
        filled = 0
        # While the delimiter is still being looked for, a quotation mark in the texts must not stop us.
        reader = csv.reader(StringIO(self._text, newline=""), delimiter=delimiter, strict=not header_only)
        try:
            for record in reader:
                records.append(record)
                filled += any(map(find_visible, record))
                if header_only and filled == header_only:
                    break
        except csv.Error as error:
            raise DataError(
                f"{self.path}, row {len(records) + 1}: the quotation marks do not match ({error}). A "
                "quotation mark inside a quoted cell must be doubled."
            ) from error
        finally:
            csv.field_size_limit(limit)
        return records
