"""Write a task out for people to read."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from creaeval.tasks import Dimension, Step, Task


def task_text(task: Task) -> str:
    """Write out a task with steps, dimensions, scales and rubric levels.

    Parameters
    ----------
    task : Task
        The task.

    Returns
    -------
    str
        Plain text of several lines.
    """
    lines = [
        f"{task.name} ({task.id}, language {task.language}), at most {task.max} points",
        task.description,
        f"Source: {task.source}",
    ]
    if task.categories:
        lines.append(f"Categories ({len(task.categories)}): {', '.join(task.categories)}")
    if task.scenarios:
        lines.append(f"Scenarios: {', '.join(task.scenarios)}")
    for step in task.steps:
        lines += ["", *_step_lines(step)]
    return "\n".join(lines)


def _step_lines(step: Step) -> list[str]:
    lines = [f"{step.id}: {step.name}, at most {step.max} points", f"  {step.instruction}"]
    if step.items is not None:
        lines.append(f"  Items: up to {step.items.max} of kind {step.items.name}")
        lines += [f"    not valid, {code}: {text}" for code, text in step.items.invalid.items()]
    for dimension in step.dimensions:
        lines += _dimension_lines(step, dimension)
    lines += [f"  {g.id} ({g.name}) = {' + '.join(g.members)}" for g in step.groups]
    return lines


def _dimension_lines(step: Step, dimension: Dimension) -> list[str]:
    per = f" for each {step.items.name}" if dimension.scope == "item" and step.items is not None else ""
    how = {
        None: "",
        "valid_items": "; computed: the number of valid items",
        "distinct_categories": "; computed: the number of different categories",
        "ranking_grid": "; computed where the grid can be read",
    }[dimension.derive]
    head = f"  {step.id}.{dimension.id} ({dimension.name}), {dimension.scale}{per}{how}"
    levels = [f"      {level.label}: {level.text}" for level in dimension.levels]
    return [head, f"    {dimension.description}", *levels]
