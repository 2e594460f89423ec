"""Write tables as one workbook."""

from __future__ import annotations

import math
import re
from numbers import Integral, Real
from typing import TYPE_CHECKING

from creaeval.errors import SettingError
from creaeval.runs.export import no_formula

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import pandas as pd
    from openpyxl.cell.cell import Cell  # type: ignore[import-untyped,unused-ignore]

#: Characters that fit into a sheet's name and into its cells.
_SHEET_NAME, _CELL = 31, 32_767
_CUT = " … (cut)"


def write_workbook(frames: Mapping[str, pd.DataFrame], path: Path) -> Path:
    """Write tables as one workbook, a sheet a table, in which no cell can act as a formula."""
    from openpyxl import Workbook  # type: ignore[import-untyped,unused-ignore]

    if not frames:
        raise SettingError(f"{path.name}: there is no table to write; a workbook has one sheet at least.")
    workbook = Workbook()
    workbook.remove(workbook.worksheets[0])
    for name, frame in zip(sheet_names(list(frames)), frames.values(), strict=True):
        sheet = workbook.create_sheet(name)
        sheet.freeze_panes = "A2"
        for line, row in enumerate([list(map(str, frame.columns)), *frame.itertuples(index=False)], 1):
            for place, value in enumerate(row, 1):
                _fill(sheet.cell(line, place), value)
    workbook.save(path)
    return path


def sheet_names(names: Sequence[str]) -> list[str]:
    """Make legal names of sheets, each its own: at most 31 characters, and without those Excel refuses."""
    taken: set[str] = set()
    legal = []
    for name in names:
        plain = re.sub(r"[\[\]:*?/\\\x00-\x1f]", "_", name).strip("' ") or "table"
        # Excel keeps this name for itself.
        plain = "History_" if plain.casefold() == "history" else plain
        shown, number = plain[:_SHEET_NAME].rstrip("' "), 1
        while shown.casefold() in taken:
            number += 1
            mark = f" {number}"
            shown = plain[: _SHEET_NAME - len(mark)] + mark
        taken.add(shown.casefold())
        legal.append(shown)
    return legal


def _fill(cell: Cell, value: object) -> None:
    import numpy as np
    import pandas as pd
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

    if value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and math.isnan(value)):
        return
    if isinstance(value, bool | np.bool_):
        cell.value = bool(value)
    elif isinstance(value, Integral):
        cell.value = int(value)
    elif isinstance(value, Real) and math.isfinite(value):
        cell.value = float(value)
    else:
        text = no_formula(ILLEGAL_CHARACTERS_RE.sub("", str(value)))
        cell.value = text if len(text) <= _CELL else f"{text[: _CELL - len(_CUT)]}{_CUT}"
        # Or else text such as #N/A becomes an error, and what begins with = a formula.
        cell.data_type = "s"
