"""Read a table from a CSV file or an Excel workbook."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from creaeval.data.csv_table import read_csv_table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from creaeval.data.table import Table

WORKBOOKS = (".xlsx", ".xlsm")
TABLES = (".csv", ".tsv", *WORKBOOKS)


def split_sheet(path: Path) -> tuple[Path, str | None]:
    """Part ``ratings.xlsx#final`` into the file and the sheet, None where no sheet is named."""
    match = re.fullmatch(r"(.+\.xls[xm])#([^#]+)", path.name, flags=re.IGNORECASE)
    if match is None or path.exists():
        return path, None
    return path.with_name(match[1]), match[2]


def read_table(
    path: Path,
    keys: Sequence[str],
    fits: Callable[[Sequence[str]], bool],
    hint: Callable[[Sequence[str]], str] = lambda _: "",
) -> Table:
    """Read a table.

    Parameters
    ----------
    path : Path
        A file whose ending is among ``TABLES``; a workbook's sheet may be named as in ``FILE.xlsx#SHEET``.
    keys : sequence of str
        Columns of which the header must have one.
    fits : callable
        Whether a header is one that is looked for; of a workbook the only visible sheet that fits is read.
    hint : callable, optional
        Adds to the message, where a header has none of the key columns, which one may be meant.

    Returns
    -------
    Table

    Raises
    ------
    DataError
        With every problem found.
    """
    file, sheet = split_sheet(path)
    if file.suffix.lower() in WORKBOOKS:
        from creaeval.data.xlsx_table import read_xlsx_table

        return read_xlsx_table(file, sheet, keys, fits, hint)
    return read_csv_table(path, keys, hint)
