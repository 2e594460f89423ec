"""Write a task out for people to read."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from creaeval.tasks import Dimension, Step, Task


def task_text(task: Task) -> str:
    """Write out a task with steps, dimensions, scales, requirements, rubric levels and examples."""
    lines = [
        f"{task.name} ({task.id}, language {task.language}), {most_points(task)}",
        task.description,
        f"Source: {task.source}",
    ]
    if task.categories:
        lines.append(f"Categories ({len(task.categories)}): {', '.join(task.categories)}")
    if task.scenarios:
        lines.append(f"Scenarios: {', '.join(task.scenarios)}")
    for step in task.steps:
        sums = f", at most {step.max} points" if task.total == "sum" else ""
        lines += ["", *_step_lines(step, sums)]
    return "\n".join(lines)


def most_points(task: Task) -> str:
    """Say how many points a response can get."""
    each = "" if task.noun == "response" else f" a {task.noun}"
    number = sum(len(step.dimensions) for step in task.steps)
    if task.total == "none" and number > 1:
        return f"points in {number} dimensions{each} that are not added up"
    mean = f", the mean of {number} dimensions" if task.total == "mean" else ""
    return f"at most {task.max:g} points{each}{mean}"


def _step_lines(step: Step, sums: str) -> list[str]:
    lines = [f"{step.id}: {step.name}{sums}", f"  {step.instruction}"]
    if step.items is not None:
        lines.append(f"  Items: up to {step.items.max} of kind {step.items.name}")
    codes = step.invalid if step.items is None else step.items.invalid
    lines += [f"    not valid, {code}: {text}" for code, text in codes.items()]
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
    requirements = [f"      requirement: {text}" for text in dimension.requirements]
    levels = [f"      {level.label}: {level.text}" for level in dimension.levels]
    examples = [f"      example of evidence: {text}" for text in dimension.examples]
    return [head, f"    {dimension.description}", *requirements, *levels, *examples]
