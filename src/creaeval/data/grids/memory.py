"""Tables in memory as text: a pandas DataFrame, or a list of dicts."""

from __future__ import annotations

import datetime
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard

from creaeval.data.grids.grid import Grid
from creaeval.errors import DataError

if TYPE_CHECKING:
    import pandas as pd


def is_frame(source: object) -> TypeGuard[pd.DataFrame]:
    """Whether something is a pandas DataFrame, without importing pandas for it."""
    return any(
        kind.__name__ == "DataFrame" and kind.__module__.startswith("pandas") for kind in type(source).__mro__
    )


def is_records(source: object) -> TypeGuard[Sequence[Mapping[str, Any]]]:
    """Whether something is a list of dicts, one a row."""
    return isinstance(source, Sequence) and bool(source) and all(isinstance(row, Mapping) for row in source)


def read_frame(frame: pd.DataFrame, name: str) -> Grid:
    """Make a grid of a DataFrame, whose header is row 1 as in a file; an index with a name is a column."""
    if any(frame.index.names):
        frame = frame.reset_index()
    titles = [
        " ".join(map(str, title)) if isinstance(title, tuple) else str(title) for title in frame.columns
    ]
    rows = [[cell_text(value) for value in record] for record in frame.itertuples(index=False, name=None)]
    return Grid(Path(name), None, [titles, *rows])


def read_records(records: Sequence[Mapping[str, Any]], name: str) -> Grid:
    """Make a grid of dicts, one a row; a key that one of them has not is blank there."""
    titles = list(dict.fromkeys(key for record in records for key in record))
    for number, record in enumerate(records, 1):
        if key := next((key for key, value in record.items() if isinstance(value, Mapping)), None):
            raise DataError(
                f"{name}, entry {number}: {key!r} holds an object, expected a text, a number or a list."
            )
    rows = [[cell_text(record.get(title)) for title in titles] for record in records]
    return Grid(Path(name), None, [list(map(str, titles)), *rows])


def cell_text(value: object) -> str:
    """Write a value as it would stand in a CSV file; nothing for one that is missing."""
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple):
        return "\n".join(map(cell_text, value))
    if value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return ""
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.15g}"
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        return value.date().isoformat()
    return f"{float(value):.15g}" if hasattr(value, "dtype") and hasattr(value, "__float__") else str(value)
