"""Scores of items that are responses of their own, for the terminal."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from creaeval.tasks import display_name, identities

if TYPE_CHECKING:
    from collections.abc import Iterator

    from creaeval.runs import Run
    from creaeval.sheets import ScoreSheet

_TEXT = 60


def unit_table(run: Run, rows: int) -> Table:
    """Show the first scores: id, text, judge, and the points or why there are none.

    Parameters
    ----------
    run : Run
        Of a task whose units are items.
    rows : int
        How many rows at most.

    Returns
    -------
    rich.table.Table
    """
    n = sum(len(units) for units in run.units.values())
    items = run.task.steps[0].items
    name = items.name if items is not None else "item"
    title = f"Scores of each {name}, {n} in all"
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    for heading in (name.capitalize(), "", "Judge"):
        table.add_column(heading, overflow="fold")
    parts = identities(run.task)
    for part in parts:
        table.add_column(escape(display_name(run.task, part)), justify="right")
    for sheet in islice(_sheets(run), rows):
        text = " ".join(run.carried.get(sheet.response_id, {}).get("response", "").split())
        shown = f"{text[:_TEXT]}…" if len(text) > _TEXT else text
        codes = [item.invalid or "" for step in sheet.steps for item in step.items]
        values = [sheet.final(part) for part in parts]
        cells = [f"{value:g}" if value is not None else " ".join(codes) or "–" for value in values]
        table.add_row(*map(escape, (sheet.response_id, shown, sheet.label, *cells)))
    return table


def _sheets(run: Run) -> Iterator[ScoreSheet]:
    for part in run.parts():
        yield from part.sheets
