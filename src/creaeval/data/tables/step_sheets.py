"""Booklets in a workbook whose sheets are the steps: in each a row a team."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from creaeval.data.ids import clean_name
from creaeval.data.tables.columns import Columns, left_out
from creaeval.data.tables.response_rows import shared_values
from creaeval.data.tables.text_layout import step_called
from creaeval.data.words import MISSING, words
from creaeval.errors import DataError
from creaeval.tasks import fold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from creaeval.data.grids.grid import Grid
    from creaeval.data.reading import Reading
    from creaeval.data.response_builder import ResponseSource
    from creaeval.data.tables.table import Table
    from creaeval.tasks import Task

#: What a scenario is kept as beside other columns, none of which has this name.
_SCENARIO = ""


def find_step_sheets(grids: Sequence[Grid], task: Task) -> list[Grid]:
    """Return the sheets that are called like a step each, if most of a workbook's are; else none."""
    steps = {grid.sheet: step_called(task, grid.sheet or "") for grid in grids}
    named = list(filter(None, steps.values()))
    several = len(task.steps) > 1 and len(named) > 1 and len(set(named)) == len(named)
    return [grid for grid in grids if steps[grid.sheet]] if several and 2 * len(named) > len(grids) else []


def add_step_sheets(tables: Sequence[Table], source: ResponseSource, reading: Reading) -> None:
    """Add the responses whose steps stand on sheets of their own, with what all sheets say alike of each.

    DataError where a sheet names nobody, names somebody twice, or several of its columns could be the text.
    """
    teams: dict[str, _Team] = {}
    for table in tables:
        _read_sheet(table, source, reading, teams)
    for name, team in teams.items():
        metadata = shared_values(team.along)
        source.add(team.place, name, team.steps, metadata.pop(_SCENARIO, None), metadata)


@dataclass
class _Team:
    """Where a team is first named, what it wrote by step, and what stands beside on each sheet."""

    place: str
    steps: dict[str, object] = field(default_factory=dict)
    along: list[dict[str, str]] = field(default_factory=list)


def _read_sheet(table: Table, source: ResponseSource, reading: Reading, teams: dict[str, _Team]) -> None:
    step = step_called(source.task, table.sheet or "")
    columns = Columns(table, reading)
    who = columns.take("id") or columns.take("participant")
    if who is None:
        raise columns.none_found("id", "whose step it is")
    scenario = columns.take("scenario")
    titles = _text_titles(columns, step, source.task)
    carried = {title: title for title in columns.free if title not in {*titles, *columns.personal}}
    if scenario is not None:
        carried[scenario] = _SCENARIO
    if columns.personal:
        source.notes.say(left_out(table.where, columns.personal))
    for row in table.rows:
        place, name = table.row_place(row), clean_name(row.cells[who])
        team = teams.setdefault(name, _Team(place))
        if step in team.steps:
            raise DataError(f"{place}: {name!r} stands on this sheet twice. Keep one.")
        read = [table.read(row, title, "a text", source.problems) or "" for title in titles]
        written = ["" if clean_name(text) in MISSING else text for text in read]
        while len(written) > 1 and not written[-1].strip():
            written.pop()
        team.steps[step] = written[0] if len(titles) == 1 else written
        team.along.append({key: row.cells[title] for title, key in carried.items()})


def _text_titles(columns: Columns, step: str, task: Task) -> list[str]:
    """Return the columns of what was written: one, or several that are numbered or that somebody named."""
    if said := columns.said("text"):
        return said
    aside = words().aside
    free = [
        title
        for title in columns.free
        if columns.profile(title).texts and title not in columns.personal and fold(title) not in aside
    ]
    numbered = [title for title in free if re.search(r"\d", title) or len(title) == 1]
    if len(numbered) > 1:
        return numbered
    called = [t for t in free if step_called(task, t) == step] or [
        t for t in columns.by_words("text") if t in free
    ]
    if not free:
        raise columns.none_found("text", "what was written")
    if len(free) > 1 and not called:
        raise columns.ambiguous("text", free)
    return (called or free)[:1]
