"""The table in which verdicts on stories (TTCW) are public: one row a test, by a rater or a judge."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from creaeval.data.ids import clean_name
from creaeval.data.points import read_points
from creaeval.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from creaeval.data.rating_builder import RatingBuilder, RatingSource
    from creaeval.data.tables.table import Table

STORY_ID = "story_id"
_POINTS = {"yes": "1", "no": "0"}


def is_verdict_table(header: Sequence[str]) -> bool:
    """Whether a header is that of verdicts on stories, one a test."""
    return {STORY_ID, "ttcw_idx", "verdict"} <= set(header) and bool({"rater", "judge"} & set(header))


def read_verdicts(
    table: Table, source: RatingSource, *, scorer: str, stage: str = "", blank_is_no: bool = False
) -> None:
    """Read verdicts on stories: test N is the task's dimension N.

    ``scorer`` is the column ``rater`` or ``judge``, ``stage`` that of all. A blank verdict fails the test
    with ``blank_is_no``; else the value is missing. The metadata of the story
    ``0_Claude`` are its plot and writer.
    """
    task = source.task
    if len(task.steps) != 1 or len(task.steps[0].dimensions) == 1:
        raise DataError(f"{table.where}: holds verdicts on stories, which task {task.id} is not about.")
    (step,) = task.steps
    builders: dict[tuple[str, str], RatingBuilder] = {}
    for row in table.rows:
        story, name = (table.read_id(row, title, source.problems) for title in (STORY_ID, scorer))
        verdict = clean_name(row.cells["verdict"]).casefold()
        try:
            number = read_points(row.cells["ttcw_idx"], 1, len(step.dimensions))
        except ValueError as error:
            source.problems.add(f"{table.cell_place(row, 'ttcw_idx')}: {error} (task {task.id}).")
            continue
        where = table.cell_place(row, "verdict")
        if verdict and verdict not in _POINTS:
            source.problems.add(f"{where}: found {row.cells['verdict']!r:.60}, expected Yes, No or nothing.")
            continue
        if story is None or name is None or not (verdict or blank_is_no):
            continue
        if (story, name) not in builders:
            builders[story, name] = source.add(story, name, table.row_place(row), stage)
            builders[story, name].set_metadata(_story_parts(story))
        points = _POINTS[verdict or "no"]
        builders[story, name].set(step.dimensions[number - 1].id, points, where, step, row=row.number)


def _story_parts(story_id: str) -> dict[str, str]:
    """Split ``0_Claude`` into plot and writer; nothing where an id is no such pair."""
    match = re.fullmatch(r"(\d+)_(.+)", story_id)
    return {"plot_idx": match[1], "writer": match[2]} if match else {}
