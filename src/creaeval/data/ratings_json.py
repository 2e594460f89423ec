"""Ratings in our own JSON: ``{"response_id", "rater", "stage", "scores": {...}, "items": {...}}``."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from creaeval.data.draft import RatingDraft
from creaeval.data.ids import clean_id
from creaeval.data.item_words import CATEGORY, INVALID, resolve_step
from creaeval.data.json_responses import unwrap

if TYPE_CHECKING:
    from pathlib import Path

    from creaeval.tasks import Task

_KEYS = ("response_id", "id", "rater", "stage", "scores", "items")
_ITEM_KEYS = ("item", "category", "invalid", "scores")


def read_json_ratings(
    document: Any, path: Path, task: Task, problems: list[str], where: str
) -> list[RatingDraft]:
    """Read the ratings of a JSON document.

    Parameters
    ----------
    document : object
        One rating, a list of them, or ``{"ratings": [...]}``.
    path : Path
        Its file.
    task : Task
        The task that was rated.
    problems : list of str
        What is wrong is added here.
    where : str
        The document's place: the file, or the line of a .jsonl file.

    Returns
    -------
    list of RatingDraft
    """
    entries = unwrap(document, "ratings", where, problems)
    drafts = [_read_one(entry, path, task, place, problems) for place, entry in entries]
    return [draft for draft in drafts if draft is not None]


def _read_one(entry: Any, path: Path, task: Task, where: str, problems: list[str]) -> RatingDraft | None:
    if not isinstance(entry, dict):
        problems.append(f"{where}: found {entry!r:.80}, expected an object with {', '.join(_KEYS)}.")
        return None
    if "scores" not in entry and "items" not in entry:
        hint = " This is a response, not a rating." if "steps" in entry or "response" in entry else ""
        problems.append(f"{where}: neither 'scores' nor 'items' among the keys.{hint}")
        return None
    try:
        response_id = clean_id(entry.get("response_id", entry.get("id")))
        rater = clean_id(entry.get("rater"))
        stage = clean_id(entry["stage"]) if entry.get("stage") not in (None, "") else ""
    except ValueError as error:
        problems.append(f"{where}, 'response_id', 'rater' and 'stage': {error}.")
        return None
    where = f"{where}, response {response_id[:60]}, rater {rater[:60]}"
    where += f", stage {stage[:60]}" if stage else ""
    _refuse_unknown(entry, _KEYS, where, problems)
    draft = RatingDraft(task, response_id, rater, str(path), where, problems, stage=stage)
    for name, value in _object(entry.get("scores"), f"{where}, scores", problems).items():
        draft.put(name, value, f"{where}, {name}")
    for name, items in _object(entry.get("items"), f"{where}, items", problems).items():
        _put_items(draft, task, name, items, problems)
    return draft


def _put_items(draft: RatingDraft, task: Task, name: str, items: Any, problems: list[str]) -> None:
    where = f"{draft.where}, items, {name}"
    try:
        step = resolve_step(task, name)
    except ValueError as error:
        problems.append(f"{where}: {error}")
        return
    if not isinstance(items, list):
        problems.append(f"{where}: found {items!r:.80}, expected a list of items.")
        return
    for position, item in enumerate(items, 1):
        if not isinstance(item, dict) or item.get("item") is None:
            problems.append(f"{where}, entry {position}: found {item!r:.80}, expected an object with 'item'.")
            continue
        place = f"{where}, item {item['item']!r:.20}"
        _refuse_unknown(item, _ITEM_KEYS, place, problems)
        for word in (CATEGORY, INVALID):
            if item.get(word) is not None:
                draft.put(word, item[word], f"{place}, {word}", step, item["item"])
        for dimension, points in _object(item.get("scores"), f"{place}, scores", problems).items():
            draft.put(dimension, points, f"{place}, {dimension}", step, item["item"])


def _object(value: Any, where: str, problems: list[str]) -> dict[str, Any]:
    if value is not None and not isinstance(value, dict):
        problems.append(f"{where}: found {value!r:.80}, expected an object.")
    return value if isinstance(value, dict) else {}


def _refuse_unknown(entry: dict[str, Any], known: tuple[str, ...], where: str, problems: list[str]) -> None:
    for key in entry:
        if key not in known:
            near = get_close_matches(key, known, n=1)
            hint = f"Did you mean {near[0]!r}?" if near else f"Expected {', '.join(known)}."
            problems.append(f"{where}: unknown key {key!r}. {hint}")
