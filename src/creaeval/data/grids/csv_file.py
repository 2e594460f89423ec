"""A CSV file as text, cell by cell: no id becomes a number, the delimiter is found out."""

from __future__ import annotations

import csv
import re
from collections import Counter
from io import StringIO
from itertools import islice
from typing import TYPE_CHECKING

from creaeval.data.files import read_text
from creaeval.data.grids.grid import CellIssue, Grid
from creaeval.data.ids import find_visible
from creaeval.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path

#: A million uses are about a tenth of it.
_MAX_BYTES = 500_000_000
#: A response may be longer than the 131,072 characters the csv module allows by default.
_FIELD_LIMIT = 100_000_000
_ERRORS = frozenset({"#NAME?", "#REF!", "#VALUE!", "#DIV/0!", "#NUM!", "#SPILL!", "#CALC!"})
_DELIMITERS = ",;\t|"
_SAMPLE_ROWS = 200
_SAMPLE = 300_000


def read_csv(path: Path) -> Grid:
    """Read a CSV file with commas, semicolons, tabs or bars between the cells.

    DataError if it is no text, or its quotation marks do not match.
    """
    text = read_text(path, "CSV", guess_encoding=True, most=_MAX_BYTES)
    if text.lstrip().startswith(("{", "[{")):
        raise DataError(f"{path}: looks like JSON, expected CSV. Name it .json, or .jsonl.")
    stated = re.match(r"sep=(.)\r?\n", text, flags=re.IGNORECASE)
    limit = csv.field_size_limit(_FIELD_LIMIT)
    try:
        rows = _records(path, text, stated[1] if stated else _delimiter(text))
    finally:
        csv.field_size_limit(limit)
    if stated:
        rows[0] = []
    return Grid(path, None, rows, _errors(rows) if "#" in text else {})


def _errors(rows: list[list[str]]) -> dict[tuple[int, int], CellIssue]:
    """Find what spreadsheets write where a formula has no value."""
    return {
        (number, column): CellIssue(f"the error {text}", "Correct the cell or empty it.")
        for number, row in enumerate(rows, 1)
        for column, text in enumerate(row)
        if text in _ERRORS
    }


def _delimiter(text: str) -> str:
    """Find the delimiter: the one by which most rows have the same number of cells, and that more than one.

    A quoted cell may hold any of them, so the sample is read with each. Of two that fit alike the one that
    makes more columns counts.
    """
    scores: dict[str, tuple[float, int]] = {}
    sample = text[:_SAMPLE]
    for delimiter in _DELIMITERS:
        reader = csv.reader(StringIO(sample, newline=""), delimiter=delimiter)
        widths = [len(row) for row in islice(reader, _SAMPLE_ROWS) if any(map(find_visible, row))]
        wide = Counter(width for width in widths if width > 1)
        if wide:
            width, rows = max(wide.items(), key=lambda item: (item[1], item[0]))
            scores[delimiter] = (rows / len(widths), width)
    return max(scores, key=lambda delimiter: scores[delimiter]) if scores else ","


def _records(path: Path, text: str, delimiter: str) -> list[list[str]]:
    records: list[list[str]] = []
    try:
        records.extend(csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise DataError(
            f"{path}, row {len(records) + 1}: the quotation marks do not match ({error}). A "
            "quotation mark inside a quoted cell must be doubled."
        ) from error
    return records
