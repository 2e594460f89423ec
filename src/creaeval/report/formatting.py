"""How numbers and intervals are written, and how tables look in the terminal."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.table import Table

if TYPE_CHECKING:
    import pandas as pd


def fixed(value: Any, digits: int, *, sign: bool = False, missing: str = "") -> str:
    """Write a number with so many decimals; one that rounds to zero has no sign."""
    number = float(value)
    if math.isnan(number):
        return missing
    text = f"{number:{'+' if sign else ''}.{digits}f}"
    return text if float(text) else f"{0:.{digits}f}"


def with_interval(text: str, row: Any, digits: int = 2) -> str:
    """Write the interval of a row, where it has one, behind its value."""
    low, high = float(row["low"]), float(row["high"])
    return text if math.isnan(low) else f"{text} [{low:.{digits}f}, {high:.{digits}f}]"


def value_texts(rows: pd.DataFrame, judges: list[str], digits: int = 3) -> list[str]:
    """Write each judge's value with its interval; ``rows`` are by judge, and some may have none."""
    texts = []
    for judge in judges:
        row: Any = rows.loc[judge] if judge in rows.index else None
        if row is None:
            texts.append("")
        elif math.isnan(row["value"]):
            texts.append("undefined")
        else:
            texts.append(with_interval(f"{row['value']:.{digits}f}", row))
    return texts


def span(numbers: pd.Series[Any]) -> str:
    """Write numbers that may be the same: ``40``, or ``19–40``."""
    low, high = int(numbers.min()), int(numbers.max())
    return str(low) if low == high else f"{low}–{high}"


def titled_table(title: str) -> Table:
    """Begin a table of the terminal."""
    return Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
