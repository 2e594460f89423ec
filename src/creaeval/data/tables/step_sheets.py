"""Booklets in a workbook whose sheets are the steps: in each a row a team."""

from __future__ import annotations

from typing import TYPE_CHECKING

from creaeval.data.ids import clean_name
from creaeval.data.tables.columns import Columns
from creaeval.data.tables.text_layout import step_called
from creaeval.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from creaeval.data.grids.grid import Grid
    from creaeval.data.reading import Reading
    from creaeval.data.response_builder import ResponseSource
    from creaeval.data.tables.table import Table
    from creaeval.tasks import Task


def sheets_are_steps(grids: Sequence[Grid], task: Task) -> bool:
    """Whether each of several sheets is called like another step of a task."""
    steps = [step_called(task, grid.sheet or "") for grid in grids]
    named = [step for step in steps if step]
    return len(task.steps) > 1 and len(named) > 1 and len(set(named)) == len(named) == len(grids)


def add_step_sheets(tables: Sequence[Table], source: ResponseSource, reading: Reading) -> None:
    """Add the responses whose steps stand on sheets of their own; DataError where a sheet names nobody."""
    texts: dict[str, dict[str, object]] = {}
    places: dict[str, str] = {}
    for table in tables:
        columns = Columns(table, reading)
        who = columns.take("id") or columns.take("participant")
        if who is None:
            raise columns.none_found("id", "whose step it is")
        titles = [t for t in columns.free if columns.profile(t).texts and t not in columns.personal]
        if not titles:
            raise columns.none_found("text", "what was written")
        step = step_called(source.task, table.sheet or "")
        for row in table.rows:
            name = clean_name(row.cells[who])
            written = [row.cells[title] for title in titles]
            while len(written) > 1 and not written[-1].strip():
                written.pop()
            if name in places and step in texts[name]:
                raise DataError(f"{table.row_place(row)}: {name!r} stands on this sheet twice. Keep one.")
            places.setdefault(name, table.row_place(row))
            texts.setdefault(name, {})[step] = written[0] if len(titles) == 1 else written
    for name, steps in texts.items():
        source.add(places[name], name, steps)
