"""The points of judges and raters side by side, one row a value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from creaeval.tasks import resolve

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import pandas as pd

    from creaeval.data import Rating
    from creaeval.runs import Run
    from creaeval.sheets import ScoreSheet
    from creaeval.tasks import Task

#: ``model``: what the judge itself wrote, as the paper compared methods; ``final``: computed where it can be.
Values = Literal["model", "final"]
COLUMNS = ["response_id", "scorer", "kind", "dimension", "points"]


def compared_dimensions(task: Task) -> list[str]:
    """List the identities whose agreement is reported: every dimension, those of a group merged.

    Overalls and the Total are sums of these and left out. For CGPST these are the paper's 20.

    Parameters
    ----------
    task : Task
        The task.

    Returns
    -------
    list of str
        In the order of the sheet.
    """
    names: list[str] = []
    for step in task.steps:
        merged = {member for group in step.groups for member in group.members}
        names += [f"{step.id}.{part}" for part in step.parts if part != "overall" and part not in merged]
    return names


def collect_points(run: Run, ratings: Sequence[Rating], *, values: Values = "model") -> pd.DataFrame:
    """Put what judges and raters gave in one table.

    Parameters
    ----------
    run : Run
        The judges' scores.
    ratings : sequence of Rating
        The raters'.
    values : {"model", "final"}
        Which of a judge's values; a rater's are those the rater wrote, or else the computed ones.

    Returns
    -------
    pandas.DataFrame
        Columns ``response_id``, ``scorer``, ``kind`` (judge or rater), ``dimension`` and ``points``; a value
        that is not there has no row.
    """
    import pandas as pd

    rows = [
        *_rows(run.task, (sheet for outcome in run.outcomes for sheet in outcome.sheets), "judge", values),
        *_rows(run.task, (rating.sheet for rating in ratings), "rater", "model"),
    ]
    return pd.DataFrame(rows, columns=COLUMNS).astype({"points": float})


def _rows(
    task: Task, sheets: Iterable[ScoreSheet], kind: str, values: Values
) -> Iterator[tuple[str, str, str, str, float]]:
    dimensions = compared_dimensions(task)
    for sheet in sheets:
        for dimension in dimensions:
            points = sheet.final(dimension) if values == "final" else None
            if points is None:
                points = _own(task, sheet, dimension)
            if points is None and kind == "rater":
                points = sheet.final(dimension)
            if points is not None:
                yield sheet.response_id, sheet.scorer, kind, dimension, points


def _own(task: Task, sheet: ScoreSheet, identity: str) -> float | None:
    """Return what a scorer wrote; of a group, the sum of what it wrote for the members."""
    step, part = resolve(task, identity)
    scores = None if step is None else sheet.step(step.id)
    if step is None or scores is None:
        return None
    if (written := scores.written.get(part)) is not None:
        return written
    members = next((group.members for group in step.groups if group.id == part), ())
    parts = [scores.written.get(member) for member in members]
    known = [points for points in parts if points is not None]
    return sum(known) if known and len(known) == len(parts) else None
