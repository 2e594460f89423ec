"""Responses in the rows of a table: one row a response, one column a step, all other columns carried."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from creaeval.data.ids import attempt, clean_id
from creaeval.data.response_builder import unknown_step
from creaeval.data.tables.columns import check_table
from creaeval.data.tables.opening import read_table
from creaeval.data.tables.table import ID_COLUMNS, find_column
from creaeval.errors import DataError, Problems
from creaeval.tasks import find_step, fold
from creaeval.wording import nearest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from creaeval.data.response_builder import ResponseSource
    from creaeval.data.tables.table import Table
    from creaeval.tasks import Task

_COLUMNS = {"id": ID_COLUMNS, "scenario": ("scenario",), "response": ("response",)}


def read_table_responses(source: ResponseSource) -> None:
    """Read the responses of a CSV file or an Excel workbook.

    It has a column ``response_id`` or ``id``, a column for each step (by id or name; ``response`` in a task
    of one step), perhaps ``scenario``, and any others.
    """
    table = read_table(source.path, ID_COLUMNS, lambda header: holds_responses(header, source.task))
    add_responses(table, source)


def holds_responses(header: Sequence[str], task: Task) -> bool:
    """Whether a header has an id and a step."""
    return find_column(header, *ID_COLUMNS) is not None and bool(_named_steps(header, task))


def add_responses(table: Table, source: ResponseSource) -> None:
    """Add the responses of a table that has an id column."""
    steps = _step_columns(table, source.task)
    roles = check_table(table, {}, _COLUMNS)
    id_column, scenario_column = roles["id"], roles["scenario"]
    if id_column is None:
        raise DataError(f"{table.where}: no column 'response_id' or 'id' among {', '.join(table.header)}.")
    used = {id_column, scenario_column, *steps}
    metadata = [title for title in table.header if title not in used]
    problems, note = source.problems, f". See column {id_column!r}"
    for row in table.rows:
        before = len(problems)
        response_id = table.read(row, id_column, "an id", problems)
        texts = {name: table.read(row, title, "a text", problems) for title, name in steps.items()}
        scenario = table.read(row, scenario_column, "an id", problems) if scenario_column else None
        # A date is as good as any text in other columns, a value that is not there is not.
        for title in metadata:
            if title in row.issues and not row.cells[title]:
                table.read(row, title, "a value", problems)
        if len(problems) == before:
            attempt(problems, table.row_place(row), clean_id, response_id, note)
        if len(problems) == before:
            columns = {title: row.cells[title] for title in metadata}
            source.add(table.row_place(row), response_id, texts, (scenario or "").strip(), columns)


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
    problems = Problems()
    problems.extend(_misspelt(table, task))
    problems.stop()
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
    long = [spelling for spelling in spellings if len(spelling) > 8]
    problems = []
    for title in table.header:
        if title == table.column(*ID_COLUMNS) or fold(title) in spellings:
            continue
        if re.fullmatch(r"step\d+", fold(title)) or nearest(title, long, cutoff=0.85, key=fold):
            problems.append(f"{table.where}, column {title!r}: {unknown_step(task, title)}")
    return problems
