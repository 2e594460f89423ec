"""Responses in our own JSON: an object, a list, ``{"responses": [...]}``, or one object a line."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from creaeval.data.build import Placed, RawResponse, build_response

if TYPE_CHECKING:
    from pathlib import Path

    from creaeval.tasks import Task

_ID_KEYS = ("response_id", "id")


def read_json_objects(document: Any, path: Path, task: Task, problems: list[str], where: str) -> list[Placed]:
    """Read the responses of a JSON document.

    Parameters
    ----------
    document : object
        The parsed document.
    path : Path
        Its file.
    task : Task
        The task that was answered.
    problems : list of str
        What is wrong is added here.
    where : str
        The document's place: the file, or the line of a .jsonl file.

    Returns
    -------
    list of Placed
    """
    entries = unwrap(document, "responses", where, problems)
    raw = [_read_object(entry, place, task, problems) for place, entry in entries]
    placed = [build_response(r, task, path, problems) for r in raw if r is not None]
    return [p for p in placed if p is not None]


def unwrap(document: Any, key: str, where: str, problems: list[str]) -> list[tuple[str, Any]]:
    """Return a document's entries with their places: the list itself, the one under ``key``, or one."""
    entries = document
    if isinstance(document, dict):
        if key not in document:
            return [(where, document)]
        if unknown := sorted(set(document) - {key}):
            problems.append(
                f"{where}: unknown key {unknown[0]!r} beside {key!r}; each entry carries its own."
            )
        entries = document[key]
    if not isinstance(entries, list):
        problems.append(f"{where}: found {entries!r:.80}, expected an object or a list of objects.")
        return []
    if not entries:
        problems.append(f"{where}: the list of {key} is empty, expected at least one.")
    return [(f"{where}, entry {number}", entry) for number, entry in enumerate(entries, 1)]


def _read_object(entry: Any, where: str, task: Task, problems: list[str]) -> RawResponse | None:
    if not isinstance(entry, dict):
        problems.append(f"{where}: found {entry!r:.80}, expected an object with 'id' and 'steps'.")
        return None
    if is_story(entry) and len(task.steps) == 1:
        return _read_story(entry, where, task)
    id_key = next((key for key in _ID_KEYS if key in entry), None)
    if id_key is None:
        problems.append(f"{where}: no 'id' or 'response_id' among the keys {_keys(entry)}.")
        return None
    where = f"{where}, response {str(entry[id_key])[:60]}"
    steps = _read_steps(entry, where, task, problems)
    if steps is None:
        return None
    used = {id_key, "steps" if "steps" in entry else "response", "scenario"}
    extra = {key: value for key, value in entry.items() if key not in used}
    return RawResponse(where, entry[id_key], steps, entry.get("scenario"), extra)


def is_story(entry: Any) -> bool:
    """Whether an object is a story in the form in which those of TTCW are public."""
    return isinstance(entry, dict) and {"story_id", "text"} <= set(entry)


def _read_story(entry: dict[str, Any], where: str, task: Task) -> RawResponse:
    """Read a story; one whose text is null has nothing written, and its plot is the scenario."""
    used = {"story_id", "text", "plot", "text_words"}
    return RawResponse(
        f"{where}, story {str(entry['story_id'])[:60]}",
        entry["story_id"],
        {task.steps[0].id: entry["text"]},
        entry.get("plot_idx"),
        {key: value for key, value in entry.items() if key not in used},
    )


def _read_steps(
    entry: dict[str, Any], where: str, task: Task, problems: list[str]
) -> dict[str, object] | None:
    if "steps" in entry:
        if isinstance(entry["steps"], dict):
            return entry["steps"]
        problems.append(
            f"{where}, steps: found {entry['steps']!r:.80}, expected an object with the task's steps as keys."
        )
    elif "response" in entry and len(task.steps) == 1:
        return {task.steps[0].id: entry["response"]}
    elif "response" in entry:
        problems.append(
            f"{where}: found 'response', expected 'steps': task {task.id} has {len(task.steps)} steps."
        )
    elif "scores" in entry:
        problems.append(f"{where}: has 'scores' and no 'steps': this is a rating, not a response.")
    else:
        near = get_close_matches("steps", entry, n=1)
        hint = f" Did you mean {near[0]!r} to be 'steps'?" if near else ""
        problems.append(f"{where}: no 'steps' among the keys {_keys(entry)}.{hint}")
    return None


def _keys(entry: dict[str, Any]) -> str:
    return ", ".join(repr(key) for key in list(entry)[:8]) or "(none)"
