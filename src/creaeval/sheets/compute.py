"""Everything on a score sheet that follows from the rest of it: no model is asked for arithmetic."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from creaeval.sheets.score_sheet import ItemScores, ScoreSheet, StepScores
    from creaeval.tasks import Dimension, Step, Task


def complete_sheet(task: Task, sheet: ScoreSheet, grid_scores: Mapping[str, int] | None = None) -> ScoreSheet:
    """Fill in the computed values of a sheet.

    Parameters
    ----------
    task : Task
        The task the sheet belongs to.
    sheet : ScoreSheet
        With items and what was written; earlier computed values are replaced.
    grid_scores : mapping of str to int, optional
        By step, the value of a ranking grid that could be read.

    Returns
    -------
    ScoreSheet
        Item sums, the counts of valid items and of distinct categories, groups, Overalls and, where every
        step of the task is there and complete, the Total. A task without sums has none of these.
    """
    if not task.sums:
        return _without_sums(task, sheet)
    steps = tuple(
        _complete_step(task.step(scores.step), scores, (grid_scores or {}).get(scores.step))
        for scores in sheet.steps
    )
    overalls = [scores.computed.get("overall") for scores in steps]
    complete = len(steps) == len(task.steps) and all(value is not None for value in overalls)
    total = sum(value for value in overalls if value is not None) if complete else None
    return sheet.model_copy(update={"steps": steps, "computed_total": total})


def _without_sums(task: Task, sheet: ScoreSheet) -> ScoreSheet:
    steps = [
        scores.model_copy(
            update={
                "items": tuple(_mark_validity(task.step(scores.step), item) for item in scores.items),
                "computed": {},
            }
        )
        for scores in sheet.steps
    ]
    return sheet.model_copy(update={"steps": tuple(steps), "computed_total": None})


def disagreements(sheet: ScoreSheet) -> list[str]:
    """List where what was written differs from what was computed, in words.

    Parameters
    ----------
    sheet : ScoreSheet
        A completed sheet.

    Returns
    -------
    list of str
        Such as ``"step1.overall: written 25, computed 24"``; empty if the sheet adds up.
    """
    return [
        f"{row.dimension}: written {row.model_score:g}, computed {row.computed_score:g}"
        for row in sheet.rows()
        if row.model_score is not None
        and row.computed_score is not None
        and row.model_score != row.computed_score
    ]


def _complete_step(step: Step, scores: StepScores, grid_score: int | None) -> StepScores:
    scores = scores.model_copy(update={"items": tuple(_mark_validity(step, item) for item in scores.items)})
    computed: dict[str, float] = {}
    written: dict[str, float] = dict(scores.written)
    for dimension in step.dimensions:
        value = _derived(step, dimension, scores, grid_score)
        if value is not None:
            computed[dimension.id] = value
    for group in step.groups:
        members = [computed.get(m, written.get(m)) for m in group.members]
        if all(value is not None for value in members):
            computed[group.id] = sum(value for value in members if value is not None)
        member_written = [written.get(m) for m in group.members]
        if group.id not in written and all(value is not None for value in member_written):
            # A group is a sum by definition: the model's own value is the sum of its own parts.
            written[group.id] = sum(value for value in member_written if value is not None)
    finals = [computed.get(d.id, written.get(d.id)) for d in step.dimensions]
    if all(value is not None for value in finals):
        computed["overall"] = sum(value for value in finals if value is not None)
    return scores.model_copy(
        update={"written": _in_order(step, written), "computed": _in_order(step, computed)}
    )


def _mark_validity(step: Step, item: ItemScores) -> ItemScores:
    """Give the item its point for being valid, which nobody writes apart from the verdict itself."""
    validity = {d.id: int(item.valid) for d in step.item_dimensions if d.derive == "valid_items"}
    points = {**item.scores, **validity}
    return item.model_copy(
        update={"scores": {d.id: points[d.id] for d in step.item_dimensions if d.id in points}}
    )


def _in_order(step: Step, values: Mapping[str, float]) -> dict[str, float]:
    return {part: values[part] for part in step.parts if part in values}


def _derived(step: Step, dimension: Dimension, scores: StepScores, grid_score: int | None) -> float | None:
    if dimension.derive == "ranking_grid":
        return grid_score
    if step.items is None or not scores.items:
        return None
    valid = [item for item in scores.items if item.valid]
    if dimension.derive == "valid_items":
        return len(valid)
    if dimension.derive == "distinct_categories":
        return distinct_categories([item.category for item in valid])
    if dimension.scope == "item":
        points = [item.scores.get(dimension.id) for item in valid]
        return None if None in points else sum(value for value in points if value is not None)
    return None


def distinct_categories(categories: Sequence[str | None]) -> int | None:
    """Count different categories; None if an item has none.

    Parameters
    ----------
    categories : sequence of str or None
        One entry a valid item.

    Returns
    -------
    int or None
        From 0 (no items) to the number of items.
    """
    if any(category is None for category in categories):
        return None
    return len({category.casefold() for category in categories if category is not None})
