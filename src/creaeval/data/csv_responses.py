"""Responses in a CSV file: one row a response, one column a step, all other columns carried through."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING

from creaeval.data.build import Placed, RawResponse, build_response, unknown_step
from creaeval.data.csv_table import read_table
from creaeval.errors import DataError
from creaeval.tasks import find_step, fold

if TYPE_CHECKING:
    from pathlib import Path

    from creaeval.data.csv_table import Table
    from creaeval.tasks import Task


def read_csv_responses(path: Path, task: Task, problems: list[str]) -> list[Placed]:
    """Read the responses of a CSV file.

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
    table = read_table(path)
    steps = _step_columns(table, task, path)
    scenario = table.column("scenario")
    used = {table.id_column, scenario, *steps}
    carried = [title for title in table.header if title not in used]
    placed = []
    for row in table.rows:
        raw = RawResponse(
            where=f"{path}, row {row.number}",
            id=row.cells[table.id_column],
            steps={name: row.cells[title] for title, name in steps.items()},
            scenario=row.cells[scenario].strip() if scenario else None,
            extra={title: row.cells[title] for title in carried},
        )
        placed.append(build_response(raw, task, path, problems))
    return [p for p in placed if p is not None]


def _step_columns(table: Table, task: Task, path: Path) -> dict[str, str]:
    """Return the columns that hold a step, each with the name to find the step by."""
    columns = [title for title in table.header if find_step(task, title) is not None]
    response = table.column("response")
    if not columns and response is not None and len(task.steps) == 1:
        return {response: task.steps[0].id}
    if problems := _misspelt(table, task, path):
        raise DataError(problems[0], problems[1:])
    if not columns:
        expected = ", ".join(step.id for step in task.steps)
        single = " (or 'response')" if len(task.steps) == 1 else ""
        raise DataError(
            f"{path}: no column holds a step of task {task.id}. Found the columns {', '.join(table.header)}; "
            f"expected {expected}{single}."
        )
    return {title: title for title in columns}


def _misspelt(table: Table, task: Task, path: Path) -> list[str]:
    """Name the columns that can only be meant as steps: as carried ones their texts would be lost unseen."""
    spellings = [fold(spelling) for step in task.steps for spelling in (step.id, step.name)]
    return [
        f"{path}, column {title!r}: {unknown_step(task, title)}"
        for title in table.header
        if title != table.id_column
        and fold(title) not in spellings
        and (
            re.fullmatch(r"step\d+", fold(title))
            or get_close_matches(fold(title), [s for s in spellings if len(s) > 8], cutoff=0.85)
        )
    ]
