"""Which of a run's responses its judges were trained on."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from creaeval.methods import get_method
from creaeval.offline.doubts import mark_of
from creaeval.wording import first_few, plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from creaeval.llm import ChatModel
    from creaeval.llm.local.trained import Trained
    from creaeval.methods import Case, Outcome
    from creaeval.runs.plan import Plan


def mark_of_case(case: Case) -> str:
    """Return the mark of what was written, by which it is known again under another id."""
    resolved = "" if case.scenario is None else case.scenario.id
    steps = (case.response.steps.get(step.id) for step in case.task.steps)
    texts = [step.text for step in steps if step is not None and not step.empty]
    return mark_of(case.response.scenario or resolved, *texts)


def find_trained(judges: Iterable[ChatModel], cases: Sequence[Case]) -> dict[str, tuple[str, ...]]:
    """Find the ids of the cases that each judge was trained on; no entry for one that does not say."""
    told = {judge.name: trained for judge in judges if (trained := _trained(judge)) is not None}
    marks = {case.response.id: mark_of_case(case) for case in cases} if told else {}
    return {
        judge: tuple(name for name, mark in marks.items() if trained.includes(name, mark))
        for judge, trained in told.items()
    }


def _trained(judge: ChatModel) -> Trained | None:
    trained: Trained | None = getattr(judge, "trained", None)
    return trained


def training_notes(plan: Plan) -> list[str]:
    """Say which responses of a plan its judges were trained on, and of which judge nothing tells it."""
    notes, n_cases, noun = [], len(plan.cases), plan.task.noun
    for judge in plan.judges:
        if seen := plan.in_training.get(judge.name):
            notes.append(
                f"{judge.name} was trained on or chosen by {len(seen)} of these {plural(n_cases, noun)} "
                f"({first_few(seen)}): its scores of them say little about new ones, and they are left out "
                "of its agreement with people."
            )
        elif judge.name not in plan.in_training and get_method(plan.method).provider:
            notes.append(
                f"{judge.name}: no card lies beside the model, so nothing tells which {noun}s it was trained "
                "on, and none can be left out of its agreement with people."
            )
    return notes


def recorded_training(manifest: Mapping[str, Any], outcomes: Iterable[Outcome]) -> dict[str, frozenset[str]]:
    """Read from a run, by the name on a judge's sheets, the ids of the responses it was trained on.

    Runs of the offline scorer from before the record named them have it in what was said of each use.
    """
    judges = manifest.get("judges", ())
    told = {
        str(judge.get("scorer", judge["name"])): frozenset(judge["in_training"])
        for judge in judges
        if "in_training" in judge
    }
    if told or manifest["method"] != "offline":
        return told
    seen = {
        outcome.response_id
        for outcome in outcomes
        if any(json.loads(use)["in_training"] for use in outcome.trail)
    }
    return {str(judge["name"]): frozenset(seen) for judge in judges}
