"""What figures ask of the data frames they are given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from creaeval.errors import DataError
from creaeval.report.display.numbers import number as written

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd


def need(frame: pd.DataFrame, columns: Sequence[str], figure: str) -> None:
    """Refuse a frame that lacks a column."""
    missing = [name for name in columns if name not in frame.columns]
    if missing:
        has = ", ".join(map(str, frame.columns)) or "no columns"
        raise DataError(
            f"{figure}: column {missing[0]!r} is missing. "
            f"The data need {', '.join(columns)}; they have {has}."
        )


def in_order(frame: pd.DataFrame, column: str) -> list[str]:
    """List a column's values as text, in the order in which they first occur."""
    return list(dict.fromkeys(map(str, frame[column])))


def number(value: float, digits: int = 3) -> str:
    """Write a value as the paper does, without the zero before the point: ``.638``, ``−.010``."""
    return written(value, ",.1f" if abs(value) >= 10 else f",.{digits}f")
