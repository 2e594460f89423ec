"""Build a response from what a file says about it, collecting what is wrong."""

from __future__ import annotations

from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TYPE_CHECKING

from creaeval.data.ids import clean_id, text_problem
from creaeval.data.items import make_step
from creaeval.data.response import Response
from creaeval.tasks import find_step, fold

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from creaeval.data.response import StepText
    from creaeval.tasks import Task


@dataclass(frozen=True)
class RawResponse:
    """What a file says about one response; ``where`` is its place, such as ``answers.csv, row 3``."""

    where: str
    id: object
    steps: Mapping[str, object]
    scenario: object = None
    extra: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Placed:
    """A response and its place in words."""

    response: Response
    where: str


def unknown_step(task: Task, name: str) -> str:
    """Say that a task has no such step, with the nearest name or all of them."""
    spellings = {fold(spelling): step.id for step in task.steps for spelling in (step.id, step.name)}
    near = get_close_matches(fold(name), spellings, n=1, cutoff=0.7)
    known = ", ".join(step.id for step in task.steps)
    hint = f"Did you mean {spellings[near[0]]!r}?" if near else f"Expected one of {known}."
    return f"task {task.id} has no step {name!r}. {hint}"


def build_response(raw: RawResponse, task: Task, path: Path, problems: list[str]) -> Placed | None:
    """Build a response.

    Parameters
    ----------
    raw : RawResponse
        What the file says.
    task : Task
        The task that was answered.
    path : Path
        The file, kept as the response's source.
    problems : list of str
        What is wrong is added here.

    Returns
    -------
    Placed or None
        None if something was wrong. A step of which nothing is written has no key.
    """
    before = len(problems)
    response_id = _try_id(raw.id, raw.where, problems)
    steps: dict[str, StepText] = {}
    for name, value in raw.steps.items():
        step = find_step(task, name)
        if step is None:
            problems.append(f"{raw.where}: {unknown_step(task, name)}")
        elif step.id in steps:
            problems.append(f"{raw.where}: {step.id} is there twice, the second time as {name!r}.")
        elif (written := _read_value(value, f"{raw.where}, {name}", problems)) is not None:
            steps[step.id] = make_step(step, written)
    scenario = raw.scenario
    if scenario is not None and scenario != "":
        scenario = _try_id(scenario, f"{raw.where}, scenario", problems)
    extra = _read_extra(raw, problems)
    if response_id is None or len(problems) > before:
        return None
    ordered = {step.id: steps[step.id] for step in task.steps if step.id in steps}
    response = Response(
        id=response_id, scenario=str(scenario or "") or None, steps=ordered, extra=extra, source=str(path)
    )
    return Placed(response, raw.where)


def _try_id(value: object, where: str, problems: list[str]) -> str | None:
    try:
        return clean_id(value)
    except ValueError as error:
        problems.append(f"{where}: {error}.")
        return None


def _read_value(value: object, where: str, problems: list[str]) -> str | list[str] | None:
    """Return a step's text or items; None if nothing is written or something is wrong."""
    if value is None:
        return None
    entries = value if isinstance(value, list) else [value]
    texts: list[str] = []
    for number, entry in enumerate(entries, 1):
        place = f"{where}, item {number}" if isinstance(value, list) else where
        if entry is not None and not isinstance(entry, str):
            problems.append(f"{place}: found {entry!r:.80}, expected text or a list of texts.")
            return None
        if problem := text_problem(entry or ""):
            problems.append(f"{place}: {problem}.")
            return None
        texts.append(entry or "")
    if not any(text.strip() for text in texts):
        return None
    return texts if isinstance(value, list) else texts[0]


def _read_extra(raw: RawResponse, problems: list[str]) -> dict[str, str]:
    extra: dict[str, str] = {}
    for name, value in raw.extra.items():
        if value is not None and not isinstance(value, str | int | float):
            problems.append(f"{raw.where}, {name}: found {value!r:.80}, expected a single value.")
            continue
        text = "" if value is None else str(value)
        if problem := text_problem(name + text):
            problems.append(f"{raw.where}, {name!r}: {problem}.")
        extra[name] = text
    return extra
