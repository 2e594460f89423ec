"""Tables of points for tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Given = Mapping[tuple[str, str, str], Sequence[float | None]]


def table(given: Given) -> pd.DataFrame:
    """Points by (kind, scorer, dimension), a value for each of R00, R01 ...; None has no row."""
    rows = [
        (f"R{number:02}", scorer, kind, dimension, value)
        for (kind, scorer, dimension), values in given.items()
        for number, value in enumerate(values)
        if value is not None
    ]
    columns = ["response_id", "scorer", "kind", "dimension", "points"]
    return pd.DataFrame(rows, columns=columns).astype({"points": float})


def row(frame: pd.DataFrame, **where: str) -> pd.Series:
    """The one row with these values."""
    chosen = frame
    for name, value in where.items():
        chosen = chosen[chosen[name] == value]
    assert len(chosen) == 1, where
    return chosen.iloc[0]
