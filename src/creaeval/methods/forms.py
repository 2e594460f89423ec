"""Show a model the form of its answer in a line or two; the JSON schema goes with the request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from creaeval.sheets.replies import observed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from creaeval.tasks import Dimension, Step, Task

_FINDING = '{"quotes": ["…"], "observation": "…", "status": "present"}'


def evidence_form(step: Step, *, memory: bool, compare: bool) -> str:
    """Show the form of the analyst's answer for a step.

    Parameters
    ----------
    step : Step
        The step.
    memory : bool
        Whether a memory is asked for.
    compare : bool
        Whether items are compared with each other.

    Returns
    -------
    str
    """
    # Not by their keys: those of an earlier step would pass for those of the step that is read.
    names = [step.name] if step.items is None else [f"{step.items.name} {number}" for number in (1, 2)]
    lines = r"\n".join(f"{name}: …" for name in names)
    parts = [f'"memory": "{lines}"'] if memory else []
    if step.items is not None:
        category = ['"category": "…"'] if step.items.categories else []
        same = ['"same_as": [], "why_same": ""'] if compare else []
        item = ", ".join([*category, *_findings(step.item_dimensions), *same])
        parts.append(f'"items": {{"item_1": {{{item}}}, …}}')
    parts += _findings(observed(step.step_dimensions))
    return "{" + ", ".join(parts) + "}"


def _findings(dimensions: Iterable[Dimension]) -> list[str]:
    return [f'"{d.id}": {"{…}" if index else _FINDING}' for index, d in enumerate(dimensions)]


def score_form(
    steps: Sequence[Step], *, whole: bool, categories: bool = False, analysis: bool = False, sums: bool = True
) -> str:
    """Show the form of a judge's answer for these steps, ``total`` included if they are the whole task.

    Parameters
    ----------
    steps : sequence of Step
        The steps.
    whole : bool
        Whether they are the whole task.
    categories : bool
        Whether the scorer sorts items into categories.
    analysis : bool
        Whether words stand before the points of each dimension.
    sums : bool
        Whether Overalls and the Total are asked for; means are computed alone.

    Returns
    -------
    str
    """
    parts = [
        f'"{step.id}": {_step_form(step, categories=categories, analysis=analysis, sums=sums)}'
        for step in steps
    ]
    return "{" + ",\n".join([*parts, *(['"total": …'] if whole and sums else [])]) + "}"


def _step_form(step: Step, *, categories: bool, analysis: bool, sums: bool) -> str:
    parts: list[str] = []
    if step.items is not None:
        scored = ['"category": "…"'] if categories and step.items.categories else []
        scored += [
            f'"{d.id}": {_worded(str(d.scale), analysis)}'
            for d in step.item_dimensions
            if d.derive != "valid_items"
        ]
        if codes := step.judged_codes:
            valid = ", ".join(['"valid": "yes"', *scored])
            choice = "|".join(codes)
            parts.append(f'"items": {{"item_1": {{{valid}}} or {{"valid": "{choice}"}}, …}}')
        else:
            parts.append(f'"items": {{"item_1": {{{", ".join(scored)}}}, …}}')
    for dimension in step.dimensions:
        if dimension.scope == "step" or (step.items is not None and step.items.added_up):
            low = 0 if dimension.scope == "item" else dimension.scale.min
            points = f"{low}-{step.max_of(dimension)}"
            parts.append(f'"{dimension.id}": {_worded(points, analysis and dimension.scope == "step")}')
    return "{" + ", ".join([*parts, *(['"overall": …'] if sums else [])]) + "}"


def _worded(points: str, analysis: bool) -> str:
    return f'{{"analysis": "…", "points": {points}}}' if analysis else points


def scoring_rules(task: Task, steps: Sequence[Step]) -> dict[str, bool]:
    """Say which rules the scorer of these steps needs, for the templates: no others are shown.

    Parameters
    ----------
    task : Task
        The task.
    steps : sequence of Step
        The steps to be scored.

    Returns
    -------
    dict of str to bool
        ``codes`` (items can be invalid), ``item_sums``, ``sums`` (Overalls) and ``whole`` (the Total).
    """
    return {
        "codes": any(step.judged_codes for step in steps),
        "item_sums": any(step.items and step.items.added_up and step.item_dimensions for step in steps),
        "sums": task.total == "sum",
        "whole": len(steps) == len(task.steps),
    }
