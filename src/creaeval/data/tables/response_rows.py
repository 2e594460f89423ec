"""Responses in the rows of a table: one row a response, one column a step, all other columns carried."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from creaeval.data.response_builder import ResponseSource, unknown_step
from creaeval.data.tables.opening import read_table
from creaeval.data.tables.table import ID_COLUMNS, find_column
from creaeval.errors import DataError, Problems
from creaeval.tasks import find_step, fold
from creaeval.wording import nearest

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from creaeval.data.response_builder import Located
    from creaeval.data.tables.table import Table
    from creaeval.tasks import Task


def read_table_responses(path: Path, task: Task, problems: Problems) -> list[Located]:
    """Read the responses of a CSV file or an Excel workbook.

    It has a column ``response_id`` or ``id``, a column for each step (by id or name; ``response`` in a task
    of one step), perhaps ``scenario``, and any others.
    """
    table = read_table(path, ID_COLUMNS, lambda header: holds_responses(header, task))
    return responses_of(table, task, problems)


def holds_responses(header: Sequence[str], task: Task) -> bool:
    """Whether a header has an id and a step."""
    return find_column(header, *ID_COLUMNS) is not None and bool(_named_steps(header, task))


def responses_of(table: Table, task: Task, problems: Problems) -> list[Located]:
    """Build the responses of a table that has an id column; what is wrong is added to ``problems``."""
    steps = _step_columns(table, task)
    id_column, scenario_column = table.column(*ID_COLUMNS), table.column("scenario")
    if id_column is None:
        raise DataError(f"{table.where}: no column 'response_id' or 'id' among {', '.join(table.header)}.")
    used = {id_column, scenario_column, *steps}
    carried = [title for title in table.header if title not in used]
    source = ResponseSource(task, table.path)
    for row in table.rows:
        before = len(source.problems)
        response_id = table.read(row, id_column, "an id", source.problems)
        texts = {name: table.read(row, title, "a text", source.problems) for title, name in steps.items()}
        scenario = None
        if scenario_column is not None:
            scenario = table.read(row, scenario_column, "an id", source.problems)
        # A date is as good as any text in a column that is carried, a value that is not there is not.
        for title in carried:
            if title in row.odd and not row.cells[title]:
                table.read(row, title, "a value", source.problems)
        if len(source.problems) == before:
            extra = {title: row.cells[title] for title in carried}
            scenario = scenario.strip() if scenario is not None else None
            source.add(table.row_place(row), response_id, texts, scenario, extra)
    problems.extend(source.problems)
    return source.responses


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
