"""Write tables as csv that R, Python and spreadsheets read as it is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd


def write_table(frame: pd.DataFrame, path: Path, *, append: bool = False) -> Path:
    """Write a table as CSV, in UTF-8 without a byte order mark, in which no cell can act as a formula.

    Parameters
    ----------
    frame : pandas.DataFrame
        The table; missing values become empty cells, line ends within a cell plain newlines.
    path : Path
        The file.
    append : bool
        Whether the rows follow those of the file, which has the same columns.

    Returns
    -------
    Path
        The same path.
    """
    import pandas as pd

    harmless = frame.copy(deep=False)
    for place in range(frame.shape[1]):
        column = frame.iloc[:, place]
        if column.dtype.kind not in "biufM":
            cells = column.to_numpy(dtype=object)
            different = {cell for cell in cells if isinstance(cell, str)}
            changed = {text: safe for text in different if (safe := no_formula(text)) != text}
            if changed:
                safe_cells = [changed.get(cell, cell) if isinstance(cell, str) else cell for cell in cells]
                harmless.isetitem(place, pd.Series(safe_cells, index=frame.index, dtype=object).array)
    harmless.columns = [no_formula(str(name)) for name in frame.columns]
    with path.open("a" if append else "w", encoding="utf-8", newline="") as file:
        harmless.to_csv(file, index=False, header=not append, lineterminator="\n")
    return path


def no_formula(text: str) -> str:
    """Put an apostrophe before text that a spreadsheet would run, and make line ends plain newlines."""
    # The csv module does not quote a lone carriage return, and spreadsheets begin a new row there.
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    # Spreadsheets run a cell that begins so; a leading apostrophe makes it text. Plain numbers may stay.
    # Where there is an apostrophe already another is put, so that a reader can always take one off.
    if re.match("'*[=+@\t\n-]", text) and not re.fullmatch(r"[+-]?\d+([.,]\d+)?", text):
        return f"'{text}"
    return text
