"""The table in which rated uses of objects (AUT) are public: mean ratings and predictions of other models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from creaeval.data.model import Scores
from creaeval.data.points import read_number
from creaeval.errors import DataError, Problems
from creaeval.sheets import ScoreSheet, StepScores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from creaeval.data.rating_builder import RatingSource
    from creaeval.data.tables.table import Table
    from creaeval.tasks import Task

#: How the method of scores is called that somebody else had made.
RECORDED = "recorded"
#: What the columns of ratings and predictions begin with.
AUT_SCORES = ("human_mean", "pred_")
USE_ID = "row_id"
_MEAN = "mean"


def is_aut_table(header: Sequence[str]) -> bool:
    """Whether a header is that of the released uses with their mean ratings."""
    return {USE_ID, "prompt", "response", "human_mean"} <= set(header)


def read_aut_means(table: Table, source: RatingSource) -> None:
    """Read the mean ratings of the released uses, as those of a rater called ``mean``."""
    step, dimension = _dimension(table, source.task)
    others = [t for t in table.header if t not in (USE_ID, "response") and not t.startswith(AUT_SCORES)]
    for row in table.rows:
        mean = row.cells["human_mean"]
        if not mean.strip() or (use := table.read_id(row, USE_ID, source.problems)) is None:
            continue
        builder = source.add(use, _MEAN, table.row_place(row))
        builder.set(f"{step}.{dimension}", mean, table.cell_place(row, "human_mean"), row=row.number)
        builder.set_metadata({"object" if title == "prompt" else title: row.cells[title] for title in others})


def read_aut_predictions(table: Table, task: Task) -> list[Scores]:
    """Read the published predictions for the released uses: one scorer a column, values as they stand."""
    step, dimension = _dimension(table, task)
    columns = [title for title in table.header if title.startswith("pred_")]
    problems = Problems()
    sheets: dict[str, list[ScoreSheet]] = {title: [] for title in columns}
    metadata: dict[str, dict[str, str]] = {}
    for row in table.rows:
        predicted = [title for title in columns if row.cells[title].strip()]
        if not predicted or (use := table.read_id(row, USE_ID, problems)) is None:
            continue
        metadata[use] = {"object": row.cells["prompt"]}
        for title in predicted:
            points = table.read_as(row, title, "a score", problems, read_number)
            if points is not None:
                scores = StepScores(step=step, written={dimension: points})
                sheets[title].append(ScoreSheet(response_id=use, scorer=title, steps=(scores,)))
    if not metadata and not problems:
        problems.add(f"{table.where}: no column pred_… holds a value, so there are no scores.")
    problems.stop()
    all_sheets = tuple(sheet for scorer_sheets in sheets.values() for sheet in scorer_sheets)
    return [Scores(RECORDED, all_sheets, metadata, str(table.path))]


def _dimension(table: Table, task: Task) -> tuple[str, str]:
    if task.batching is None or len(task.steps[0].dimensions) != 1:
        raise DataError(
            f"{table.where}: holds uses of objects with ratings of one dimension, and task {task.id} is "
            "another. Use --task aut."
        )
    return task.steps[0].id, task.steps[0].dimensions[0].id
