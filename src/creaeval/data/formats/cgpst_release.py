"""The released form of CGPST data: one record a booklet, with each rater's copy of text and scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from creaeval.data.ids import clean_id, clean_name
from creaeval.data.items import tidy
from creaeval.data.rating_builder import INVALID, RatingSource
from creaeval.data.response_builder import ResponseSource, unknown_step
from creaeval.tasks import find_step, fold

if TYPE_CHECKING:
    from pathlib import Path

    from creaeval.data.rating_builder import RatingBuilder
    from creaeval.data.response_builder import Located
    from creaeval.errors import Problems
    from creaeval.tasks import Step, Task

_FORM = "[response id, [raters], scenario id, scores of the first rater, scores of the second, ...]"
_TOTALS = {"total", "totalscore"}


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


def read_released_responses(document: list[Any], path: Path, task: Task, problems: Problems) -> list[Located]:
    """Read the responses of a released file; a problem, too, where the raters' copies of a text differ."""
    source = ResponseSource(task, path)
    for record in _read_records(document, path, source.problems):
        copies = [
            {
                entries.step.id: entries
                for entries in _step_entries(sheet, task, record.where, source.problems)
            }
            for sheet in record.sheets
        ]
        source.problems.extend(_differences(record, copies))
        texts = {step_id: _texts(entries) for step_id, entries in copies[0].items()}
        source.add(record.where, record.id, texts, record.scenario)
    problems.extend(source.problems)
    return source.responses


def read_released_ratings(
    document: list[Any], path: Path, task: Task, problems: Problems
) -> list[RatingBuilder]:
    """Read the ratings of a released file, one a rater and record."""
    source = RatingSource(task, path)
    for record in _read_records(document, path, source.problems):
        for rater, sheet in zip(record.raters, record.sheets, strict=True):
            _add_rating(source, record, rater, sheet)
    problems.extend(source.problems)
    return source.builders


def _add_rating(source: RatingSource, record: Record, rater: str, sheet: dict[str, Any]) -> None:
    where = f"{record.where}, rater {rater[:60]}"
    try:
        builder = source.add(clean_id(record.id), clean_id(rater), where)
    except ValueError as error:
        source.problems.add(f"{where}: {error}.")
        return
    if isinstance(record.scenario, str):
        builder.set_metadata({"scenario": clean_name(record.scenario)})
    for entries in _step_entries(sheet, source.task, where, source.problems):
        _set_step(builder, entries, source.problems)
    for name, value in sheet.items():
        if fold(name) in _TOTALS:
            builder.set("total", value, f"{where}, {name}")


def _set_step(builder: RatingBuilder, entries: StepEntries, problems: Problems) -> None:
    step, where = entries.step, f"{builder.where}, {entries.name}"
    if step.items is not None:
        for number, entry in enumerate(entries.entries, 1):
            written = {name: value for name, value in entry.items() if name != "Content"}
            if not written:
                problems.add(f"{where}, item {number}: found neither points nor {INVALID!r}.")
            for name, value in written.items():
                builder.set(name, value, f"{where}, item {number}, {name}", step, number)
    for name, value in entries.values.items():
        builder.set(name, value, f"{where}, {name}", step)


def _read_records(document: list[Any], path: Path, problems: Problems) -> list[Record]:
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
                layout = ", ".join(type(part).__name__ for part in entry[:8])
                problems.add(f"{where}: found a list of ({layout}), expected {_FORM}.")
    return records


def _step_entries(sheet: dict[str, Any], task: Task, where: str, problems: Problems) -> list[StepEntries]:
    """Sort what one rater's copy holds by the task's steps; the Total is left aside."""
    sorted_entries: list[StepEntries] = []
    for name, content in sheet.items():
        if fold(name) in _TOTALS:
            continue
        step = find_step(task, name)
        if step is None:
            problems.add(f"{where}: {unknown_step(task, name)}")
        elif not isinstance(content, list) or not all(isinstance(entry, dict) for entry in content):
            problems.add(f"{where}, {name}: found {content!r:.80}, expected a list of objects.")
        elif step.id in {other.step.id for other in sorted_entries}:
            problems.add(f"{where}: {step.id} is there twice, the second time as {name!r}.")
        else:
            sorted_entries.append(_sort_entries(step, name, content, f"{where}, {name}", problems))
    return sorted_entries


def _sort_entries(
    step: Step, name: str, content: list[dict[str, Any]], where: str, problems: Problems
) -> StepEntries:
    texts: list[dict[str, Any]] = []
    values: dict[str, Any] = {}
    for entry in content:
        summary = entry.get("Score Summary")
        if summary is not None and not isinstance(summary, dict):
            problems.add(f"{where}, Score Summary: found {summary!r:.80}, expected an object.")
        values |= summary if isinstance(summary, dict) else {}
        rest = {key: value for key, value in entry.items() if key != "Score Summary"}
        if "Content" in rest:
            texts.append(rest)
        elif rest and step.items is None:
            values |= rest
        elif rest:
            problems.add(f"{where}: found the keys {', '.join(rest)} without 'Content'.")
    if step.items is None:
        for entry in texts:
            values |= {key: value for key, value in entry.items() if key != "Content"}
    return StepEntries(step, name, tuple(texts), values)


def _texts(entries: StepEntries) -> object:
    texts = [entry["Content"] for entry in entries.entries]
    return texts[0] if entries.step.items is None and len(texts) == 1 else texts


def _differences(record: Record, copies: list[dict[str, StepEntries]]) -> list[str]:
    """Say where a later rater's copy of the texts differs from the first one's."""
    first = {step_id: _comparable(entries) for step_id, entries in copies[0].items()}
    differences = []
    for rater, copy in zip(record.raters[1:], copies[1:], strict=True):
        other = {step_id: _comparable(entries) for step_id, entries in copy.items()}
        for step_id in dict.fromkeys([*first, *other]):
            ours, theirs = first.get(step_id), other.get(step_id)
            if ours != theirs:
                differences.append(
                    f"{record.where}, {step_id}: the copies of {record.raters[0]} and {rater} differ; "
                    f"{_first_difference(ours, theirs)}. Expected one and the same response."
                )
    return differences


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
