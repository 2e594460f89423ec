"""Every prompt as it is sent, one file a task and method: a word that changed must be seen and meant."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from booklets import booklet, case, cgpst
from creaeval.data import Response, make_step
from creaeval.methods import Case, Options, list_methods
from creaeval.methods.overview import method_calls
from creaeval.tasks import Scenario, Task, load_task
from scripted import ScriptedModel, canned
from uses import shared_case, three_uses

from .support import scored

if TYPE_CHECKING:
    from creaeval.llm import ChatRequest
    from creaeval.sheets import Depth

FOLDER = Path(__file__).parent / "snapshots"
# The whole booklet once; for the others its first two steps, one with items and one without.
FITTING = [
    (task, method.name)
    for task in ("cgpst", "aut", "ttcw")
    for method, calls in method_calls(load_task(task))
    # The offline scorer is no chat model and is asked by no template.
    if calls is not None and method.name != "offline"
]
NAMES = [*FITTING, ("cgpst", "creaeval-brief"), ("ttcw", "creaeval-brief"), ("aut", "creaeval-brief")]


@cache
def response_to(task_id: str, *, whole: bool) -> Case:
    """A short response to a built-in task."""
    if task_id == "cgpst":
        steps = [step.id for step in cgpst().steps][: None if whole else 2]
        part = {step: booklet().steps[step] for step in steps}
        return Case(cgpst(), booklet().model_copy(update={"steps": part}), case().scenario)
    task: Task = load_task(task_id)
    step = task.steps[0]
    if task_id == "aut":
        return shared_case(three_uses())
    story = make_step(step, "She counted the boats again, and there was one too many.")
    plot = Scenario(id="sea", text="A town by the sea.", reference="The harbour had always had seven boats.")
    return Case(task, Response(id="story", scenario="sea", steps={step.id: story}), plot)


def write(path: str) -> str:
    return f"Noted of {path.partition('_')[0]}." if path.endswith(".memory") else canned(path)


def sent(task_id: str, name: str, folder: Path) -> str:
    """All prompts of a method, each distinct one once: instructions where they change, then the last turn."""
    method = name.removesuffix("-brief")
    depth: Depth = "full" if method == name else "brief"
    uses_analyst = next(one for one in list_methods() if one.name == method).uses_analyst
    the_case = response_to(task_id, whole=name.startswith("creaeval"))
    if uses_analyst:
        the_case = replace(the_case, options=Options(evidence=depth))
    model = ScriptedModel("scripted:model", write=write)
    outcome = scored(the_case, folder, model, [model], method)
    assert not outcome.failures, outcome.failures
    return "\n\n".join(dict.fromkeys(_lines(model.requests))) + "\n"


def _lines(requests: list[ChatRequest]) -> list[str]:
    lines: list[str] = []
    for request in requests:
        lines.append(f"=== system ===\n{request.system}")
        lines.append(f"=== {request.schema_name} ===\n{request.messages[-1].text}")
    return lines


@pytest.mark.parametrize(("task_id", "name"), NAMES, ids=lambda part: str(part))
def test_prompts_are_sent_word_for_word_as_kept(task_id: str, name: str, tmp_path: Path) -> None:
    text = sent(task_id, name, tmp_path)
    path = FOLDER / task_id / f"{name}.txt"
    if os.environ.get("CREAEVAL_UPDATE_SNAPSHOTS"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    kept = path.read_text(encoding="utf-8") if path.exists() else ""
    assert kept == text, (
        f"A prompt of {name} for {task_id} differs from {path}. If the change is meant, run "
        "`CREAEVAL_UPDATE_SNAPSHOTS=1 .venv/bin/python -m pytest tests/methods/test_snapshots.py`, read the "
        "difference with `git diff`, and make new recordings for the demo with `make record-demo`."
    )


def test_no_file_is_kept_of_a_prompt_that_is_not_sent() -> None:
    kept = {(path.parent.name, path.stem) for path in FOLDER.glob("*/*.txt")}
    assert kept == set(NAMES)


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*/*.txt")), ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_no_prompt_ties_length_or_richness_to_points(path: Path) -> None:
    text = path.read_text(encoding="utf-8").casefold()
    for words in ("thin work", "thin evidence", "rich work", "rich evidence", "whole range", "low points"):
        assert words not in text


def test_rules_on_items_and_sums_stand_only_where_there_are_any() -> None:
    for path in FOLDER.glob("ttcw/*.txt"):
        text = path.read_text(encoding="utf-8")
        assert "First decide whether an item is valid" not in text, path
        assert "scored item by item" not in text, path
        assert "same_as" not in text, path
    for path in FOLDER.glob("aut/*.txt"):
        text = path.read_text(encoding="utf-8")
        assert "overall is the sum" not in text, path
        assert "First decide whether an item is valid" not in text, path
