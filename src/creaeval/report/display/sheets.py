"""Tables for programs: frames of plain values, and workbooks of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from creaeval.runs.workbook import write_workbook

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    import pandas as pd

    from creaeval.report.display.table import DisplayTable


def to_frame(table: DisplayTable) -> pd.DataFrame:
    """Make a frame of a table, with the ends of intervals in columns of their own and its notes below."""
    import pandas as pd

    columns: dict[tuple[int, str], list[object]] = {(-1, table.corner): [row.full_name for row in table.rows]}
    for place, line in enumerate(table.columns):
        cells = table.column(place)
        columns[place, line.full_name] = [cell.value for cell in cells]
        if any(cell.interval for cell in cells):
            for end in ("low", "high"):
                columns[place, f"{line.full_name}, {end}"] = [getattr(cell, end) for cell in cells]
    notes = table.remarks
    frame = pd.DataFrame({key: [*values, *[None] * len(notes)] for key, values in columns.items()})
    frame.columns = pd.Index([name for _, name in columns])
    if notes:
        frame.iloc[-len(notes) :, 0] = notes
    return frame


def write_sheets(tables: Iterable[DisplayTable], path: Path) -> Path:
    """Write tables as a workbook, a sheet a table."""
    frames: dict[str, pd.DataFrame] = {}
    for table in tables:
        # Of equal titles each keeps its sheet.
        frames[table.title + " " * sum(name.strip() == table.title for name in frames)] = to_frame(table)
    return write_workbook(frames, path)
