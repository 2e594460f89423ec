"""The package's example booklet, and booklets made of it."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

import creaeval
from creaeval.data import Response, make_step, read_responses, read_scenarios
from creaeval.demo import demo_file
from creaeval.methods import Case
from creaeval.tasks import Scenario, Task, load_task
from scripted import ScriptedModel

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from creaeval.runs import Run


@cache
def cgpst() -> Task:
    """The built-in task."""
    return load_task("cgpst")


@cache
def booklet() -> Response:
    """The example; its step 1 has six challenges and a blank seventh."""
    with demo_file("booklet.json") as path:
        return read_responses(path, cgpst())[0]


@cache
def scenarios() -> Mapping[str, Scenario]:
    """The example's scenario, by id."""
    with demo_file("scenario.yaml") as path:
        return read_scenarios(path)


def variant(response_id: str, steps: Mapping[str, str | list[str]] | None = None, **extra: str) -> Response:
    """Make a booklet like the example with some steps written anew."""
    written = {name: make_step(cgpst().step(name), value) for name, value in (steps or {}).items()}
    changes = {"id": response_id, "steps": {**booklet().steps, **written}, "metadata": extra}
    return booklet().model_copy(update=changes)


def marked(response_id: str, token: str) -> Response:
    """Make a booklet with a token in every step, ``token-step1`` and so on, in every item of it."""
    steps: dict[str, str | list[str]] = {}
    for step_id, written in booklet().steps.items():
        mark = f"{token}-{step_id}"
        if written.items:
            steps[step_id] = [f"{item.text} {mark}" if item.text else "" for item in written.items]
        else:
            steps[step_id] = f"{written.text}\n{mark}"
    return variant(response_id, steps)


def without(response: Response, *steps: str) -> Response:
    """Leave steps out of a response."""
    left = {name: text for name, text in response.steps.items() if name not in steps}
    return response.model_copy(update={"steps": left})


def case(response: Response | None = None, task: Task | None = None) -> Case:
    """Put a response beside its scenario."""
    return Case(task or cgpst(), response or booklet(), scenarios()["fog_water"])


def write_inputs(folder: Path, *responses: Response) -> None:
    """Write responses to ``booklets.json`` and the scenario to ``scenario.yaml``."""
    with demo_file("scenario.yaml") as path:
        (folder / "scenario.yaml").write_bytes(path.read_bytes())
    documents = [
        {
            "id": response.id,
            "scenario": response.scenario,
            "steps": {
                name: [item.text for item in (*text.items, *text.unscored)] or text.text
                for name, text in response.steps.items()
            },
            **response.metadata,
        }
        for response in responses
    ]
    (folder / "booklets.json").write_text(json.dumps(documents), encoding="utf-8")


def scored(folder: Path, *responses: Response, **options: Any) -> Run:
    """Score responses with a scripted model unless another is given."""
    model = ScriptedModel()
    given = {
        "analyst": model,
        "judges": model,
        "scenarios": scenarios(),
        "ledger": folder / "l.db",
        **options,
    }
    return creaeval.score(responses, **given)
