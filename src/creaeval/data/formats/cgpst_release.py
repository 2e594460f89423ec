"""The released form of CGPST data: one record a booklet, with each rater's copy of text and scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from creaeval.data.files import read_object
from creaeval.data.ids import attempt, clean_id, clean_name, excerpt
from creaeval.data.items import tidy
from creaeval.data.rating_builder import INVALID
from creaeval.data.response_builder import unknown_step
from creaeval.tasks import find_step, fold

if TYPE_CHECKING:
    from creaeval.data.rating_builder import RatingBuilder, RatingSource
    from creaeval.data.response_builder import ResponseSource
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


def read_released_responses(document: list[Any], where: str, source: ResponseSource) -> None:
    """Read the responses of a released file; a problem, too, where the raters' copies of a text differ."""
    for record in _read_records(document, where, source.problems):
        copies = [_step_entries(sheet, source.task, record.where, source.problems) for sheet in record.sheets]
        source.problems.extend(_differences(record, copies))
        texts = {step_id: _texts(entries) for step_id, entries in copies[0].items()}
        source.add(record.where, record.id, texts, record.scenario)


def read_released_ratings(document: list[Any], where: str, source: RatingSource) -> None:
    """Read the ratings of a released file, one a rater and record."""
    for record in _read_records(document, where, source.problems):
        for rater, sheet in zip(record.raters, record.sheets, strict=True):
            _add_rating(source, record, rater, sheet)


def _add_rating(source: RatingSource, record: Record, rater: str, sheet: dict[str, Any]) -> None:
    where = f"{record.where}, rater {excerpt(rater)}"
    ids = attempt(source.problems, where, lambda: (clean_id(record.id), clean_id(rater)))
    if ids is None:
        return
    builder = source.add(*ids, where)
    if isinstance(record.scenario, str):
        builder.set_metadata({"scenario": clean_name(record.scenario)})
    for entries in _step_entries(sheet, source.task, where, source.problems).values():
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


def _read_records(document: list[Any], place: str, problems: Problems) -> list[Record]:
    """Check the outer form of each record and add what is wrong to ``problems``."""
    records = []
    for number, entry in enumerate(document, 1):
        where = f"{place}, record {number}"
        match entry:
            case [str() as identity, [*raters], scenario, *sheets] if (
                raters
                and all(isinstance(rater, str) for rater in raters)
                and len(raters) == len(sheets)
                and all(isinstance(sheet, dict) for sheet in sheets)
            ):
                where += f" ({excerpt(identity)})"
                records.append(Record(where, identity, scenario, tuple(raters), tuple(sheets)))
            case _:
                layout = ", ".join(type(part).__name__ for part in entry[:8])
                problems.add(f"{where}: found a list of ({layout}), expected {_FORM}.")
    return records


def _step_entries(
    sheet: dict[str, Any], task: Task, where: str, problems: Problems
) -> dict[str, StepEntries]:
    """Sort what one rater's copy holds by the task's steps; the Total is left aside."""
    entries: dict[str, StepEntries] = {}
    for name, content in sheet.items():
        if fold(name) in _TOTALS:
            continue
        step = find_step(task, name)
        if step is None:
            problems.add(f"{where}: {unknown_step(task, name)}")
        elif not isinstance(content, list) or not all(isinstance(entry, dict) for entry in content):
            problems.add(f"{where}, {name}: found {content!r:.80}, expected a list of objects.")
        elif step.id in entries:
            problems.add(f"{where}: {step.id} is there twice, the second time as {name!r}.")
        else:
            entries[step.id] = _sort_entries(step, name, content, f"{where}, {name}", problems)
    return entries


def _sort_entries(
    step: Step, name: str, content: list[dict[str, Any]], where: str, problems: Problems
) -> StepEntries:
    texts: list[dict[str, Any]] = []
    values: dict[str, Any] = {}
    for entry in content:
        values |= read_object(entry.get("Score Summary"), f"{where}, Score Summary", problems)
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
    first = copies[0]
    differences = []
    for rater, copy in zip(record.raters[1:], copies[1:], strict=True):
        for step_id in dict.fromkeys([*first, *copy]):
            ours, theirs = (_comparable(entries.get(step_id)) for entries in (first, copy))
            if ours != theirs:
                differences.append(
                    f"{record.where}, {step_id}: the copies of {record.raters[0]} and {rater} differ; "
                    f"{_first_difference(ours, theirs)}. Expected one and the same response."
                )
    return differences


def _comparable(entries: StepEntries | None) -> list[str] | None:
    return None if entries is None else [tidy(str(e["Content"] or "")) for e in entries.entries]


def _first_difference(ours: list[str] | None, theirs: list[str] | None) -> str:
    if ours is None or theirs is None:
        return "one of them lacks the step"
    if len(ours) != len(theirs):
        return f"found {len(ours)} and {len(theirs)} texts"
    index = next(index for index, text in enumerate(ours) if text != theirs[index])
    number, left, right = index + 1, ours[index], theirs[index]
    same = next(
        (i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right))
    )
    start = max(0, same - 20)
    return f"text {number} reads {left[start : start + 60]!r} and {right[start : start + 60]!r}"
