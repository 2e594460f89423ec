"""Responses in a table: one row a response, one column a step, all other columns carried through."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING

from creaeval.data.build import Placed, RawResponse, build_response, unknown_step
from creaeval.data.table import ID_COLUMNS, find_column
from creaeval.data.tables import read_table
from creaeval.errors import DataError
from creaeval.tasks import find_step, fold

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from creaeval.data.table import Table
    from creaeval.tasks import Task


def read_table_responses(path: Path, task: Task, problems: list[str]) -> list[Placed]:
    """Read the responses of a CSV file or an Excel workbook.

    Parameters
    ----------
    path : Path
        With a column ``response_id`` or ``id``, a column for each step (by id or name; ``response`` in a task
        of one step), perhaps ``scenario``, and any others.
    task : Task
        The task that was answered.
    problems : list of str
        What is wrong is added here.

    Returns
    -------
    list of Placed
    """
    table = read_table(path, ID_COLUMNS, lambda header: holds_responses(header, task))
    return responses_of(table, task, problems)


def holds_responses(header: Sequence[str], task: Task) -> bool:
    """Whether a header has an id and a step."""
    return find_column(header, *ID_COLUMNS) is not None and bool(_named_steps(header, task))


def responses_of(table: Table, task: Task, problems: list[str]) -> list[Placed]:
    """Build the responses of a table that has an id column; what is wrong is added to ``problems``."""
    steps = _step_columns(table, task)
    id_column, scenario = table.column(*ID_COLUMNS), table.column("scenario")
    if id_column is None:
        raise DataError(f"{table.where}: no column 'response_id' or 'id' among {', '.join(table.header)}.")
    used = {id_column, scenario, *steps}
    carried = [title for title in table.header if title not in used]
    placed = []
    for row in table.rows:
        before = len(problems)
        named = table.read(row, id_column, "an id", problems)
        written = {name: table.read(row, title, "a text", problems) for title, name in steps.items()}
        of = table.read(row, scenario, "an id", problems) if scenario is not None else None
        # A date is as good as any text in a column that is carried, a value that is not there is not.
        for title in carried:
            if title in row.odd and not row.cells[title]:
                table.read(row, title, "a value", problems)
        if len(problems) == before:
            raw = RawResponse(
                where=table.row_place(row),
                id=named,
                steps=written,
                scenario=of.strip() if of is not None else None,
                extra={title: row.cells[title] for title in carried},
            )
            placed.append(build_response(raw, task, table.path, problems))
    return [p for p in placed if p is not None]


def _named_steps(header: Sequence[str], task: Task) -> dict[str, str]:
    """Return the columns that hold a step, each with the name to find the step by."""
    columns = [title for title in header if find_step(task, title) is not None]
    response = find_column(header, "response")
    if not columns and response is not None and len(task.steps) == 1:
        return {response: task.steps[0].id}
    return {title: title for title in columns}


def _step_columns(table: Table, task: Task) -> dict[str, str]:
    columns = _named_steps(table.header, task)
    if columns and len(task.steps) == 1 and find_step(task, next(iter(columns))) is None:
        return columns
    if problems := _misspelt(table, task):
        raise DataError(problems[0], problems[1:])
    if not columns:
        expected = ", ".join(step.id for step in task.steps)
        single = " (or 'response')" if len(task.steps) == 1 else ""
        raise DataError(
            f"{table.where}: no column holds a step of task {task.id}. Found the columns "
            f"{', '.join(table.header)}; expected {expected}{single}."
        )
    return columns


def _misspelt(table: Table, task: Task) -> list[str]:
    """Name the columns that can only be meant as steps: as carried ones their texts would be lost unseen."""
    spellings = [fold(spelling) for step in task.steps for spelling in (step.id, step.name)]
    return [
        f"{table.where}, column {title!r}: {unknown_step(task, title)}"
        for title in table.header
        if title != table.column(*ID_COLUMNS)
        and fold(title) not in spellings
        and (
            re.fullmatch(r"step\d+", fold(title))
            or get_close_matches(fold(title), [s for s in spellings if len(s) > 8], cutoff=0.85)
        )
    ]
