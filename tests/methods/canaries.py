"""A small task with a word of its own in every place, and a response to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from creaeval.data import Response, make_step
from creaeval.methods import Case
from creaeval.tasks import Scenario, Task, parse_task

if TYPE_CHECKING:
    from collections.abc import Sequence

STEPS = ("first", "second", "third")
PLOT = Scenario(id="plot", text="A scenario-word.", reference="A reference-word, well told.")

_HEAD = """
id: small
name: A small task
source: made for the tests
description: Answer.
steps:
"""
_STEP = """
  - id: {step}
    name: Step {step}
    instruction: Write something.
    dimensions:
"""
_DIMENSION = """
      - id: {dimension}
        name: Name of {dimension}
        description: A description-{step}.
        scale: {scale}
        levels: {{0: "none, level-{step}", 1: "some, level-{step}"}}
"""


def task(steps: Sequence[str] = STEPS, *, scale: str = "0-9", dimensions: Sequence[str] = ("depth",)) -> Task:
    """Make a task; its dimensions are the same in every step."""
    lines = _HEAD
    for step in steps:
        lines += _STEP.format(step=step)
        for name in dimensions:
            lines += _DIMENSION.format(step=step, dimension=name, scale=scale)
    return parse_task(lines, "small.yaml")


def case(the_task: Task | None = None, mark: str = "raw", plot: Scenario | None = PLOT) -> Case:
    """Make a response with ``mark-STEP`` in every step."""
    the_task = the_task or task()
    steps = {step.id: make_step(step, f"Some words, {mark}-{step.id}.") for step in the_task.steps}
    return Case(the_task, Response(id=mark, steps=steps), plot)


def case_for(method: str, mark: str = "raw") -> Case:
    """Make the case a method is tried with: of a single step with yes/no tests where it takes no other."""
    return case(task(STEPS[:1], scale="0-1") if method == "reference" else task(), mark)
