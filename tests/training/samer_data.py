"""A made-up task of two steps whose responses hold words that decide the rater's points."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from creaeval.data import Rating, Response, make_step
from creaeval.sheets import ScoreSheet, StepScores
from creaeval.tasks import Scenario, Task, parse_task
from creaeval.training.samer_fit import SamerSettings
from creaeval.training.samer_train import train_samer

from .tiny import make_model

if TYPE_CHECKING:
    from pathlib import Path

    from creaeval.training.card import Card

TASK = """
id: walk
name: A walk
source: made for the tests
description: Answer.
steps:
  - id: plan
    name: Plan
    instruction: Plan a walk.
    dimensions:
      - {id: depth, name: Depth, description: Is it deep?, scale: 0-3}
      - {id: order, name: Order, description: Is it in order?, scale: 1-4}
  - id: tale
    name: Tale
    instruction: Tell a tale of it.
    dimensions:
      - {id: wit, name: Wit, description: Is it witty?, scale: 0-3}
"""
WORDS = ("dull", "plain", "bright", "dazzling")
SCENARIOS = {name: Scenario(id=name, text=f"The {name}.") for name in ("hill", "lake", "road", "wood")}
SETTINGS = SamerSettings(epochs=10, patience=10, rate=5e-3, batch=16, width=16, seed=1)
N = 48


def walk() -> Task:
    """The task."""
    return parse_task(TASK, "walk.yaml")


def level(number: int) -> int:
    """How good a response is, 0 to 3: every level occurs in every scenario."""
    return number // len(SCENARIOS) % 4


def response(task: Task, number: int) -> Response:
    """A response whose words say how good it is, but for the order, which is the other way round."""
    text = f"A {WORDS[level(number)]} thing. {WORDS[level(number)]} {WORDS[level(number)]}"
    scenario = list(SCENARIOS)[number % len(SCENARIOS)]
    steps = {step.id: make_step(step, text) for step in task.steps}
    return Response(
        id=f"R{number:02d}", scenario=scenario, steps=steps, metadata={"school": f"s{number % 3}"}
    )


def rating(task: Task, number: int, rater: str = "A") -> Rating:
    """The rater's points: those the words stand for."""
    good = float(level(number))
    steps = (
        StepScores.build(task, task.step("plan"), written={"depth": good, "order": 4 - good}),
        StepScores.build(task, task.step("tale"), written={"wit": good}),
    )
    sheet = ScoreSheet.build(task, f"R{number:02d}", rater, steps)
    return Rating(response_id=f"R{number:02d}", rater=rater, sheet=sheet)


def backbone(folder: Path, *, window: int = 256) -> Path:
    """A tiny language model with random weights."""
    return make_model(folder, [f"A {word} thing. {word}" for word in WORDS] * 20, window=window)


def trained(folder: Path, model: Path, *, split_by: str = "response", epochs: int = 10) -> Card:
    """Train on all responses of the made-up task."""
    task = walk()
    return train_samer(
        [response(task, number) for number in range(N)],
        [rating(task, number) for number in range(N)],
        task=task,
        scenarios=SCENARIOS,
        rater="A",
        backbone=model,
        out=folder,
        split_by=split_by,
        settings=replace(SETTINGS, epochs=epochs),
    )
