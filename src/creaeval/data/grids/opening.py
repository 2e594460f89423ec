"""Open what tables stand in: CSV files, workbooks, files of statistics programs, and tables in memory."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from creaeval.data.files import unknown_ending
from creaeval.data.grids.csv_file import read_csv
from creaeval.errors import DataError
from creaeval.wording import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from creaeval.data.grids.grid import Grid

WORKBOOKS = (".xlsx", ".xlsm")
STATISTICS = (".sav", ".zsav", ".dta")
TABLES = (".csv", ".tsv", ".txt", *WORKBOOKS, *STATISTICS)


def split_sheet(path: Path) -> tuple[Path, str | None]:
    """Split ``ratings.xlsx#final`` into the file and the sheet, None where no sheet is named."""
    match = re.fullmatch(r"(.+\.xls[xm])#([^#]+)", path.name, flags=re.IGNORECASE)
    if match is None or path.exists():
        return path, None
    return path.with_name(match[1]), match[2]


def open_grids(path: Path, sheet: str = "") -> list[Grid]:
    """Read the sheets of a file whose ending is among ``TABLES``; a CSV file has one.

    Where a sheet is named, by ``sheet`` (its name, or its number from 1) or in the path as
    ``FILE.xlsx#SHEET``, it is the only one. DataError if there is none, or the file cannot be read.
    """
    path, named = split_sheet(path)
    ending = path.suffix.lower()
    if ending in WORKBOOKS:
        from creaeval.data.grids.workbook import read_workbook

        grids = read_workbook(path)
    elif ending in STATISTICS:
        from creaeval.data.grids.statistics_file import read_statistics_file

        grids = [read_statistics_file(path)]
    elif ending in TABLES:
        grids = [read_csv(path)]
    else:
        raise unknown_ending(path, set(TABLES))
    wanted = named or sheet
    return [choose_sheet(grids, wanted)] if wanted and grids[0].sheet is not None else grids


def choose_sheet(grids: Sequence[Grid], wanted: str) -> Grid:
    """Return the sheet of this name or, from 1, number; DataError with the sheets there are."""
    for fold_name in (str, lambda name: name.strip().casefold()):
        for grid in grids:
            if fold_name(grid.sheet or "") == fold_name(wanted):
                return grid
    if wanted.isdigit() and 1 <= int(wanted) <= len(grids):
        return grids[int(wanted) - 1]
    names = [grid.sheet or "" for grid in grids]
    hint = did_you_mean(wanted, names)
    raise DataError(
        f"{grids[0].path}: there is no sheet {wanted!r}. {hint + ' ' if hint else ''}Its sheets are "
        f"{', '.join(map(str, grids))}."
    )
