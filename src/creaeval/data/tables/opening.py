"""Open a file of tables once: a CSV file or an Excel workbook, of which a sheet may be named."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from creaeval.data.tables.csv_file import CsvFile

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from creaeval.data.tables.table import Table
    from creaeval.data.tables.workbook import Workbook

    TableFile: TypeAlias = CsvFile | Workbook

WORKBOOKS = (".xlsx", ".xlsm")
TABLES = (".csv", ".tsv", *WORKBOOKS)


def split_sheet(path: Path) -> tuple[Path, str | None]:
    """Split ``ratings.xlsx#final`` into the file and the sheet, None where no sheet is named."""
    match = re.fullmatch(r"(.+\.xls[xm])#([^#]+)", path.name, flags=re.IGNORECASE)
    if match is None or path.exists():
        return path, None
    return path.with_name(match[1]), match[2]


def open_tables(path: Path | TableFile) -> TableFile:
    """Open a file whose ending is among ``TABLES``, perhaps as ``FILE.xlsx#SHEET``, unless it is open."""
    if not isinstance(path, Path):
        return path
    file, sheet = split_sheet(path)
    if file.suffix.lower() not in WORKBOOKS:
        return CsvFile(path)
    from creaeval.data.tables.workbook import Workbook

    return Workbook(file, sheet)


def read_table(
    path: Path,
    keys: Sequence[str],
    fits: Callable[[Sequence[str]], bool],
    hint: Callable[[Sequence[str]], str] = lambda _: "",
) -> Table:
    """Read a table; DataError with every problem.

    The header must have one of the columns ``keys``. ``fits`` says whether a header is one that is looked
    for: of a workbook the only visible sheet that fits is read, unless one is named. ``hint`` adds to the
    message, where a header has none of the key columns, which one may be meant.
    """
    return open_tables(path).table(keys, fits, hint)
