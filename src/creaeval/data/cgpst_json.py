"""The released form of CGPST data: one record a booklet, with each rater's copy of text and scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from creaeval.data.build import Placed, RawResponse, build_response, unknown_step
from creaeval.data.items import tidy
from creaeval.tasks import find_step, fold

if TYPE_CHECKING:
    from pathlib import Path

    from creaeval.tasks import Step, Task

_FORM = "[response id, [raters], scenario id, scores of the first rater, scores of the second, ...]"


@dataclass(frozen=True)
class Record:
    """One booklet: ``sheets`` holds, for each rater, what stands under the name of each step."""

    where: str
    id: object
    scenario: object
    raters: tuple[str, ...]
    sheets: tuple[dict[str, Any], ...]


@dataclass(frozen=True)
class StepEntries:
    """What one rater's copy holds for a step: its entries with text, and the values of the whole step."""

    step: Step
    name: str
    entries: tuple[dict[str, Any], ...]
    values: dict[str, Any]


def is_released_form(document: Any) -> bool:
    """Whether a JSON document is a list of lists, as only the released data is."""
    return isinstance(document, list) and bool(document) and all(isinstance(e, list) for e in document)


def read_records(document: list[Any], path: Path, problems: list[str]) -> list[Record]:
    """Check the outer form of each record and add what is wrong to ``problems``."""
    records = []
    for number, entry in enumerate(document, 1):
        where = f"{path}, record {number}"
        match entry:
            case [str() as identity, [*raters], scenario, *sheets] if (
                raters
                and all(isinstance(rater, str) for rater in raters)
                and len(raters) == len(sheets)
                and all(isinstance(sheet, dict) for sheet in sheets)
            ):
                where += f" ({identity[:60]})"
                records.append(Record(where, identity, scenario, tuple(raters), tuple(sheets)))
            case _:
                shape = ", ".join(type(part).__name__ for part in entry[:8])
                problems.append(f"{where}: found a list of ({shape}), expected {_FORM}.")
    return records


def step_entries(sheet: dict[str, Any], task: Task, where: str, problems: list[str]) -> list[StepEntries]:
    """Sort what one rater's copy holds by the task's steps; the Total is left aside."""
    found: list[StepEntries] = []
    for name, content in sheet.items():
        if fold(name) in {"total", "totalscore"}:
            continue
        step = find_step(task, name)
        if step is None:
            problems.append(f"{where}: {unknown_step(task, name)}")
        elif not isinstance(content, list) or not all(isinstance(entry, dict) for entry in content):
            problems.append(f"{where}, {name}: found {content!r:.80}, expected a list of objects.")
        elif step.id in {other.step.id for other in found}:
            problems.append(f"{where}: {step.id} is there twice, the second time as {name!r}.")
        else:
            found.append(_sort_entries(step, name, content, f"{where}, {name}", problems))
    return found


def _sort_entries(
    step: Step, name: str, content: list[dict[str, Any]], where: str, problems: list[str]
) -> StepEntries:
    texts: list[dict[str, Any]] = []
    values: dict[str, Any] = {}
    for entry in content:
        summary = entry.get("Score Summary")
        if summary is not None and not isinstance(summary, dict):
            problems.append(f"{where}, Score Summary: found {summary!r:.80}, expected an object.")
        values |= summary if isinstance(summary, dict) else {}
        rest = {key: value for key, value in entry.items() if key != "Score Summary"}
        if "Content" in rest:
            texts.append(rest)
        elif rest and step.items is None:
            values |= rest
        elif rest:
            problems.append(f"{where}: found the keys {', '.join(rest)} without 'Content'.")
    if step.items is None:
        for entry in texts:
            values |= {key: value for key, value in entry.items() if key != "Content"}
    return StepEntries(step, name, tuple(texts), values)


def read_released_responses(document: list[Any], path: Path, task: Task, problems: list[str]) -> list[Placed]:
    """Read the responses of a released file.

    Parameters
    ----------
    document : list
        The parsed file.
    path : Path
        Its name.
    task : Task
        The task that was answered.
    problems : list of str
        What is wrong is added here, also where the raters' copies of a text differ.

    Returns
    -------
    list of Placed
    """
    placed = []
    for record in read_records(document, path, problems):
        copies = [
            {s.step.id: s for s in step_entries(sheet, task, record.where, problems)}
            for sheet in record.sheets
        ]
        problems += _differences(record, copies)
        texts = {step_id: _texts(entries) for step_id, entries in copies[0].items()}
        raw = RawResponse(record.where, record.id, texts, record.scenario)
        placed.append(build_response(raw, task, path, problems))
    return [p for p in placed if p is not None]


def _texts(entries: StepEntries) -> object:
    texts = [entry["Content"] for entry in entries.entries]
    return texts[0] if entries.step.items is None and len(texts) == 1 else texts


def _differences(record: Record, copies: list[dict[str, StepEntries]]) -> list[str]:
    """Say where a later rater's copy of the texts differs from the first one's."""
    first = {step_id: _comparable(entries) for step_id, entries in copies[0].items()}
    problems = []
    for rater, copy in zip(record.raters[1:], copies[1:], strict=True):
        other = {step_id: _comparable(entries) for step_id, entries in copy.items()}
        for step_id in dict.fromkeys([*first, *other]):
            ours, theirs = first.get(step_id), other.get(step_id)
            if ours != theirs:
                problems.append(
                    f"{record.where}, {step_id}: the copies of {record.raters[0]} and {rater} differ; "
                    f"{_first_difference(ours, theirs)}. Expected one and the same response."
                )
    return problems


def _comparable(entries: StepEntries) -> list[str]:
    return [tidy(str(entry["Content"] or "")) for entry in entries.entries]


def _first_difference(ours: list[str] | None, theirs: list[str] | None) -> str:
    if ours is None or theirs is None:
        return "one of them lacks the step"
    if len(ours) != len(theirs):
        return f"found {len(ours)} and {len(theirs)} texts"
    number, (left, right) = next(
        (n, pair) for n, pair in enumerate(zip(ours, theirs, strict=True), 1) if pair[0] != pair[1]
    )
    start = next(
        (i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right))
    )
    start = max(0, start - 20)
    return f"text {number} reads {left[start : start + 60]!r} and {right[start : start + 60]!r}"
