"""Lay out for the terminal whether judges favour their own family's work."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from creaeval.analysis.pair_values import AVG

if TYPE_CHECKING:
    import pandas as pd


def self_preference_table(found: pd.DataFrame) -> Table:
    """Show each judge's average over dimensions."""
    table = Table(
        title=f"Self-preference: bias on the own family's work less that on other models' ({AVG}, in points)",
        title_justify="left",
        box=SIMPLE_HEAD,
        pad_edge=False,
    )
    for name in ("", "family"):
        table.add_column(name, overflow="fold")
    for name in ("own", "other models", "people", "own – other", "n own", "n other", "n people"):
        table.add_column(name, justify="right", overflow="fold")
    table.add_column("", overflow="fold")
    for row in found[found["dimension"].eq(AVG)].to_dict("records"):
        value, low, high = (float(row[name]) for name in ("self_preference", "low", "high"))
        shown = "undefined" if math.isnan(value) else f"{value:+.2f}"
        if not math.isnan(low):
            shown += f" [{low:.2f}, {high:.2f}]"
        table.add_row(
            escape(str(row["judge"])),
            escape(str(row["family"])),
            *(_points(float(row[name])) for name in ("bias_own", "bias_other", "bias_people")),
            escape(shown),
            *(str(row[name]) for name in ("n_own", "n_other", "n_people")),
            escape(str(row["reason"])),
        )
    return table


def _points(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:+.2f}"
