"""Long texts of a reply are cut, not refused; texts that their decoding broke off are marked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Characters of one text of a reply that are kept, and entries of one list. No honest answer is as long.
LONGEST_TEXT, LONGEST_LIST = 8000, 200
# A token that does not fit within a bound ends the text before it.
_TOKEN = 8
_ENDS = tuple(".!?。！？…\"'”’)]")


def fit_lengths(value: Any, schema: Mapping[str, Any]) -> tuple[Any, tuple[str, ...]]:
    """Cut what is longer than anything that was asked for, and mark what its decoding broke off.

    Parameters
    ----------
    value : object
        A reply's value, as JSON.
    schema : mapping
        The schema that was sent. A ``maxLength`` in it is where a grammar ends a text, whatever was to follow
        (see :func:`creaeval.llm.replies.schema.reply_schema`).

    Returns
    -------
    object
        The value; every text that was cut or broken off ends with "…".
    tuple of str
        What was changed, one note each.
    """
    notes: list[str] = []
    try:
        return _fit(value, schema, "", notes), tuple(notes)
    except RecursionError:  # for the validation to refuse
        return value, ()


def _fit(value: Any, node: Mapping[str, Any], path: str, notes: list[str]) -> Any:
    if isinstance(value, dict):
        properties = node.get("properties", {})
        return {
            key: _fit(inner, properties.get(key, {}), f"{path}.{key}" if path else str(key), notes)
            for key, inner in value.items()
        }
    if isinstance(value, list):
        if len(value) > LONGEST_LIST:
            notes.append(f"{path}: the first {LONGEST_LIST} of {len(value)} entries were kept")
        entries = node.get("items", {})
        return [_fit(inner, entries, path, notes) for inner in value[:LONGEST_LIST]]
    return _fit_text(value, node, path, notes) if isinstance(value, str) else value


def _fit_text(text: str, node: Mapping[str, Any], path: str, notes: list[str]) -> str:
    if len(text) > LONGEST_TEXT:
        notes.append(f"{path}: cut to {LONGEST_TEXT} of {len(text)} characters")
        return text[: LONGEST_TEXT - 1] + "…"
    bound = node.get("maxLength")
    if bound is not None and len(text) >= bound - _TOKEN and not text.rstrip().endswith(_ENDS):
        notes.append(f"{path}: broken off at {bound} characters by the bound on decoding")
        return text.rstrip() + "…"
    return text
