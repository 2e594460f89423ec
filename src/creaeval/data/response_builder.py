"""Build responses from what a file says about each, collecting what is wrong."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from creaeval.data.ids import attempt, check_text, clean_id
from creaeval.data.items import make_step
from creaeval.data.model import Response
from creaeval.data.notes import Notes
from creaeval.errors import Problems
from creaeval.tasks import find_step, fold
from creaeval.wording import nearest

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from creaeval.data.grids.grid import Grid
    from creaeval.data.model import StepText
    from creaeval.tasks import Scenario, Task

_NOTHING: Mapping[str, object] = MappingProxyType({})


class Located(NamedTuple):
    """A response and its place in words."""

    response: Response
    where: str


class ResponseSource:
    """A file of responses: those that could be built, and what is wrong with the others."""

    def __init__(self, task: Task, path: Path, notes: Notes | None = None) -> None:
        self.task, self.path = task, path
        self.notes = notes or Notes()
        self.problems = Problems()
        self.responses: list[Located] = []
        #: Tables in a document that hold a response a row.
        self.tables: list[Grid] = []
        #: The scenario that a booklet brings, by its response's id.
        self.scenarios: dict[str, Scenario] = {}

    def add(
        self,
        where: str,
        response_id: object,
        steps: Mapping[str, object],
        scenario: object = None,
        metadata: Mapping[str, object] = _NOTHING,
    ) -> None:
        """Add a response, or what is wrong with it; a step of which nothing is written has no key."""
        before = len(self.problems)
        clean = attempt(self.problems, where, clean_id, response_id)
        texts = self._steps(steps, where)
        if scenario is not None and scenario != "":
            scenario = attempt(self.problems, f"{where}, scenario", clean_id, scenario)
        columns = self._metadata(metadata, where)
        if len(self.problems) > before:
            return
        response = Response(
            id=str(clean),
            scenario=str(scenario or "") or None,
            steps={step.id: texts[step.id] for step in self.task.steps if step.id in texts},
            metadata=columns,
            source=str(self.path),
        )
        self.responses.append(Located(response, where))

    def _steps(self, values: Mapping[str, object], where: str) -> dict[str, StepText]:
        texts: dict[str, StepText] = {}
        for name, value in values.items():
            step = find_step(self.task, name)
            if step is None:
                self.problems.add(f"{where}: {unknown_step(self.task, name)}")
            elif step.id in texts:
                self.problems.add(f"{where}: {step.id} is there twice, the second time as {name!r}.")
            elif (written := self._written(value, f"{where}, {name}")) is not None:
                texts[step.id] = make_step(step, written)
        return texts

    def _written(self, value: object, where: str) -> str | list[str] | None:
        """Return a step's text or items; None if nothing is written or something is wrong."""
        texts: list[str] = []
        for number, entry in enumerate(value if isinstance(value, list) else [value], 1):
            place = f"{where}, item {number}" if isinstance(value, list) else where
            if not isinstance(entry, str | None):
                self.problems.add(f"{place}: found {entry!r:.80}, expected text or a list of texts.")
                return None
            if attempt(self.problems, place, check_text, entry or "") is None:
                return None
            texts.append(entry or "")
        if not any(text.strip() for text in texts):
            return None
        return texts if isinstance(value, list) else texts[0]

    def _metadata(self, values: Mapping[str, object], where: str) -> dict[str, str]:
        metadata: dict[str, str] = {}
        for name, value in values.items():
            if value is not None and not isinstance(value, str | int | float):
                self.problems.add(f"{where}, {name}: found {value!r:.80}, expected a single value.")
                continue
            metadata[name] = "" if value is None else str(value)
            attempt(self.problems, f"{where}, {name!r}", check_text, name + metadata[name])
        return metadata


def unknown_step(task: Task, name: str) -> str:
    """Say that a task has no such step, with the nearest name or all of them."""
    ids = {spelling: step.id for step in task.steps for spelling in (step.id, step.name)}
    alike = nearest(name, ids, cutoff=0.7, key=fold)
    known = ", ".join(step.id for step in task.steps)
    hint = f"Did you mean {ids[alike[0]]!r}?" if alike else f"Expected one of {known}."
    return f"task {task.id} has no step {name!r}. {hint}"
