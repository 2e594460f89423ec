"""Our own JSON of responses and of ratings: an object, a list, an object with a list, or one object a line.

A response is ``{"id", "steps": {...}, "scenario", ...}``, a rating ``{"response_id", "rater", "stage",
"scores": {...}, "items": {...}}``; stories are read in the form in which those of TTCW are public.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from creaeval.data.files import read_object, refuse_unknown
from creaeval.data.ids import clean_id, excerpt
from creaeval.data.rating_builder import CATEGORY, INVALID, resolve_step
from creaeval.wording import nearest

if TYPE_CHECKING:
    from creaeval.data.rating_builder import RatingBuilder, RatingSource
    from creaeval.data.response_builder import ResponseSource
    from creaeval.errors import Problems
    from creaeval.tasks import Task

_ID_KEYS = ("response_id", "id")
_RATING_KEYS = (*_ID_KEYS, "rater", "stage", "scores", "items")
_ITEM_KEYS = ("item", "category", "invalid", "scores")


def read_json_responses(document: Any, where: str, source: ResponseSource) -> None:
    """Read the responses of a document; ``where`` is its place: the file, or the line of a .jsonl file."""
    for place, entry in _unwrap(document, "responses", where, source.problems):
        _add_response(source, entry, place)


def read_json_ratings(document: Any, where: str, source: RatingSource) -> None:
    """Read the ratings of a document; ``where`` is its place: the file, or the line of a .jsonl file."""
    for place, entry in _unwrap(document, "ratings", where, source.problems):
        _add_rating(source, entry, place)


def holds_ratings(document: Any) -> bool:
    """Whether a document is of ratings: entries that have a rater and scores."""
    entries = document.get("ratings", document) if isinstance(document, dict) else document
    first = entries[0] if isinstance(entries, list) and entries else entries
    return isinstance(first, dict) and "rater" in first and bool({"scores", "items"} & set(first))


def _unwrap(document: Any, key: str, where: str, problems: Problems) -> list[tuple[str, Any]]:
    """Return a document's entries with their places: the list, the one under ``key``, or itself."""
    entries = document
    if isinstance(document, dict):
        if key not in document:
            return [(where, document)]
        if unknown := sorted(set(document) - {key}):
            problems.add(f"{where}: unknown key {unknown[0]!r} beside {key!r}; each entry carries its own.")
        entries = document[key]
    if not isinstance(entries, list):
        problems.add(f"{where}: found {entries!r:.80}, expected an object or a list of objects.")
        return []
    if not entries:
        problems.add(f"{where}: the list of {key} is empty, expected at least one.")
    return [(f"{where}, entry {number}", entry) for number, entry in enumerate(entries, 1)]


def _add_response(source: ResponseSource, entry: Any, where: str) -> None:
    if not isinstance(entry, dict):
        source.problems.add(f"{where}: found {entry!r:.80}, expected an object with 'id' and 'steps'.")
        return
    if {"story_id", "text"} <= set(entry) and len(source.task.steps) == 1:
        _add_story(source, entry, where)
        return
    id_key = next((key for key in _ID_KEYS if key in entry), None)
    if id_key is None:
        source.problems.add(f"{where}: no 'id' or 'response_id' among the keys {_keys(entry)}.")
        return
    where = f"{where}, response {excerpt(entry[id_key])}"
    steps = _read_steps(entry, where, source.task, source.problems)
    if steps is not None:
        used = {id_key, "steps" if "steps" in entry else "response", "scenario"}
        metadata = {key: value for key, value in entry.items() if key not in used}
        source.add(where, entry[id_key], steps, entry.get("scenario"), metadata)


def _add_story(source: ResponseSource, entry: dict[str, Any], where: str) -> None:
    """Add a story; one whose text is null has nothing written, and its plot is the scenario."""
    used = {"story_id", "text", "plot", "text_words"}
    source.add(
        f"{where}, story {excerpt(entry['story_id'])}",
        entry["story_id"],
        {source.task.steps[0].id: entry["text"]},
        entry.get("plot_idx"),
        {key: value for key, value in entry.items() if key not in used},
    )


def _read_steps(
    entry: dict[str, Any], where: str, task: Task, problems: Problems
) -> dict[str, object] | None:
    if "steps" in entry:
        if isinstance(entry["steps"], dict):
            return entry["steps"]
        problems.add(
            f"{where}, steps: found {entry['steps']!r:.80}, expected an object with the task's steps as keys."
        )
    elif "response" in entry and len(task.steps) == 1:
        return {task.steps[0].id: entry["response"]}
    elif "response" in entry:
        problems.add(
            f"{where}: found 'response', expected 'steps': task {task.id} has {len(task.steps)} steps."
        )
    elif "scores" in entry:
        problems.add(f"{where}: has 'scores' and no 'steps': this is a rating, not a response.")
    else:
        alike = nearest("steps", entry)
        hint = f" Did you mean {alike[0]!r} to be 'steps'?" if alike else ""
        problems.add(f"{where}: no 'steps' among the keys {_keys(entry)}.{hint}")
    return None


def _add_rating(source: RatingSource, entry: Any, where: str) -> None:
    problems = source.problems
    if not isinstance(entry, dict):
        problems.add(f"{where}: found {entry!r:.80}, expected an object with {', '.join(_RATING_KEYS)}.")
        return
    if "scores" not in entry and "items" not in entry:
        hint = " This is a response, not a rating." if "steps" in entry or "response" in entry else ""
        problems.add(f"{where}: neither 'scores' nor 'items' among the keys.{hint}")
        return
    try:
        response_id = clean_id(entry.get("response_id", entry.get("id")))
        rater = clean_id(entry.get("rater"))
        stage = clean_id(entry["stage"]) if entry.get("stage") not in (None, "") else ""
    except ValueError as error:
        problems.add(f"{where}, 'response_id', 'rater' and 'stage': {error}.")
        return
    where = f"{where}, response {excerpt(response_id)}, rater {excerpt(rater)}"
    where += f", stage {excerpt(stage)}" if stage else ""
    refuse_unknown(entry, _RATING_KEYS, where, problems)
    builder = source.add(response_id, rater, where, stage)
    for name, value in read_object(entry.get("scores"), f"{where}, scores", problems).items():
        builder.set(name, value, f"{where}, {name}")
    for name, items in read_object(entry.get("items"), f"{where}, items", problems).items():
        _set_items(builder, source, name, items)


def _set_items(builder: RatingBuilder, source: RatingSource, name: str, items: Any) -> None:
    where, problems = f"{builder.where}, items, {name}", source.problems
    try:
        step = resolve_step(source.task, name)
    except ValueError as error:
        problems.add(f"{where}: {error}")
        return
    if not isinstance(items, list):
        problems.add(f"{where}: found {items!r:.80}, expected a list of items.")
        return
    for position, item in enumerate(items, 1):
        if not isinstance(item, dict) or item.get("item") is None:
            problems.add(f"{where}, entry {position}: found {item!r:.80}, expected an object with 'item'.")
            continue
        place = f"{where}, item {item['item']!r:.20}"
        refuse_unknown(item, _ITEM_KEYS, place, problems)
        for word in (CATEGORY, INVALID):
            if item.get(word) is not None:
                builder.set(word, item[word], f"{place}, {word}", step, item["item"])
        for dimension, points in read_object(item.get("scores"), f"{place}, scores", problems).items():
            builder.set(dimension, points, f"{place}, {dimension}", step, item["item"])


def _keys(entry: dict[str, Any]) -> str:
    return ", ".join(repr(key) for key in list(entry)[:8]) or "(none)"
