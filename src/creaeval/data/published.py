"""Tables in the form in which ratings and recorded scores of AUT and TTCW are public."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from creaeval.data.draft import RatingDraft
from creaeval.data.ids import clean_id, clean_name
from creaeval.data.points import read_number, read_points
from creaeval.data.score_table import Scores
from creaeval.errors import DataError
from creaeval.sheets import ScoreSheet, StepScores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from creaeval.data.draft import Names
    from creaeval.data.table import Row, Table
    from creaeval.tasks import Task

#: How the method of scores is called that somebody else had made.
RECORDED = "recorded"
#: What the columns of ratings and predictions in the released table of uses begin with.
AUT_SCORES = ("human_mean", "pred_")
#: The columns that tell these tables from others; each of them is an id column where one is looked for.
PUBLISHED_IDS = ("row_id", "story_id")
_MEAN = "mean"
_POINTS = {"yes": "1", "no": "0"}


def is_published(header: Sequence[str]) -> bool:
    """Whether a header is that of the uses with their ratings, or of verdicts on stories."""
    return is_aut_table(header) or is_verdict_table(header)


def is_aut_table(header: Sequence[str]) -> bool:
    """Whether a header is that of the released uses with their mean ratings."""
    return {"row_id", "prompt", "response", "human_mean"} <= set(header)


def is_verdict_table(header: Sequence[str]) -> bool:
    """Whether a header is that of verdicts on stories, one a test."""
    return {"story_id", "ttcw_idx", "verdict"} <= set(header) and bool({"rater", "judge"} & set(header))


def read_aut_means(table: Table, task: Task, problems: list[str]) -> list[RatingDraft]:
    """Read the mean ratings of the released uses, as those of a rater called ``mean``."""
    step, dimension = _dimension(table, task)
    others = [t for t in table.header if t not in ("row_id", "response") and not t.startswith(AUT_SCORES)]
    drafts: list[RatingDraft] = []
    names: Names = {}
    for row in table.rows:
        if not row.cells["human_mean"].strip() or (use := _id(table, row, "row_id", problems)) is None:
            continue
        source, place = str(table.path), table.row_place(row)
        draft = RatingDraft(task, use, _MEAN, source, place, problems, names)
        where = table.cell_place(row, "human_mean")
        draft.put(f"{step}.{dimension}", row.cells["human_mean"], where, row=row.number)
        draft.carry({"object" if t == "prompt" else t: row.cells[t] for t in others})
        drafts.append(draft)
    return drafts


def read_aut_predictions(table: Table, task: Task) -> list[Scores]:
    """Read the published predictions for the released uses: one scorer a column, values as they stand."""
    step, dimension = _dimension(table, task)
    columns = [title for title in table.header if title.startswith("pred_")]
    problems: list[str] = []
    sheets: dict[str, list[ScoreSheet]] = {title: [] for title in columns}
    carried: dict[str, dict[str, str]] = {}
    for row in table.rows:
        given = [title for title in columns if row.cells[title].strip()]
        if not given or (use := _id(table, row, "row_id", problems)) is None:
            continue
        carried[use] = {"object": row.cells["prompt"]}
        for title in given:
            try:
                points = read_number(row.cells[title])
            except ValueError as error:
                problems.append(f"{table.cell_place(row, title)}: {error}.")
                continue
            written = StepScores(step=step, written={dimension: points})
            sheets[title].append(ScoreSheet(response_id=use, scorer=title, steps=(written,)))
    if not carried and not problems:
        problems.append(f"{table.where}: no column pred_… holds a value, so there are no scores.")
    if problems:
        raise DataError(problems[0], problems[1:])
    return [Scores(RECORDED, tuple(s for of in sheets.values() for s in of), carried, str(table.path))]


def read_verdicts(
    table: Table, task: Task, problems: list[str], *, scorer: str, stage: str = "", blank_is_no: bool = False
) -> list[RatingDraft]:
    """Read verdicts on stories: test N is the task's dimension N.

    Parameters
    ----------
    table : Table
        With ``story_id``, ``ttcw_idx``, ``verdict`` (Yes, No or nothing) and the scorer's column.
    task : Task
        A task of one step, whose dimensions are the tests in their order.
    problems : list of str
        What is wrong is added here.
    scorer : str
        The column ``rater`` or ``judge``.
    stage : str, optional
        The stage of all.
    blank_is_no : bool
        Whether a blank verdict fails the test; else the value is missing.

    Returns
    -------
    list of RatingDraft
        One a story and scorer. A story called ``0_Claude`` carries its plot and its writer.
    """
    if len(task.steps) != 1 or len(task.steps[0].dimensions) == 1:
        raise DataError(f"{table.where}: holds verdicts on stories, which task {task.id} is not about.")
    (step,) = task.steps
    drafts: dict[tuple[str, str], RatingDraft] = {}
    names: Names = {}
    for row in table.rows:
        story, name = (_id(table, row, title, problems) for title in ("story_id", scorer))
        verdict = clean_name(row.cells["verdict"]).casefold()
        try:
            number = read_points(row.cells["ttcw_idx"], 1, len(step.dimensions))
        except ValueError as error:
            problems.append(f"{table.cell_place(row, 'ttcw_idx')}: {error} (task {task.id}).")
            continue
        where = table.cell_place(row, "verdict")
        if verdict and verdict not in _POINTS:
            problems.append(f"{where}: found {row.cells['verdict']!r:.60}, expected Yes, No or nothing.")
            continue
        if story is None or name is None or not (verdict or blank_is_no):
            continue
        if (story, name) not in drafts:
            source, place = str(table.path), table.row_place(row)
            draft = RatingDraft(task, story, name, source, place, problems, names, stage)
            draft.carry(story_parts(story))
            drafts[story, name] = draft
        dimension = step.dimensions[number - 1].id
        drafts[story, name].put(dimension, _POINTS[verdict or "no"], where, step, row=row.number)
    return list(drafts.values())


def story_parts(story_id: str) -> dict[str, str]:
    """Part ``0_Claude`` into plot and writer; nothing where an id is no such pair."""
    match = re.fullmatch(r"(\d+)_(.+)", story_id)
    return {"plot_idx": match[1], "writer": match[2]} if match else {}


def _dimension(table: Table, task: Task) -> tuple[str, str]:
    if task.batching is None or len(task.steps[0].dimensions) != 1:
        raise DataError(
            f"{table.where}: holds uses of objects with ratings of one dimension, and task {task.id} is "
            "another. Use --task aut."
        )
    return task.steps[0].id, task.steps[0].dimensions[0].id


def _id(table: Table, row: Row, title: str, problems: list[str]) -> str | None:
    try:
        return clean_id(row.cells[title])
    except ValueError as error:
        problems.append(f"{table.cell_place(row, title)}: {error}.")
        return None
