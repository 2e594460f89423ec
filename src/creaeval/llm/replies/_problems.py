"""Say what is wrong with a reply's values: `field: found X, expected Y`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

    from creaeval.llm.replies.coerce import Coerced, Path

_MOST_LINES = 15


def problem_lines(
    error: ValidationError, schema: Mapping[str, Any], read: Coerced | None = None
) -> tuple[str, ...]:
    """List the errors of a validation, one a line.

    Parameters
    ----------
    error : pydantic.ValidationError
        What pydantic found.
    schema : mapping
        The schema sent, from which ranges are named in full.
    read : Coerced, optional
        What was validated, if it was read otherwise than it was written: the lines show what was written.

    Returns
    -------
    tuple of str
        At most 15 lines; the last one counts the rest.
    """
    lines = [_line(detail, schema, read) for detail in error.errors(include_url=False)]
    if len(lines) > _MOST_LINES:
        rest = len(lines) - (_MOST_LINES - 1)
        lines = [*lines[: _MOST_LINES - 1], f"… and {rest} more problems"]
    return tuple(lines)


def _line(detail: ErrorDetails, schema: Mapping[str, Any], read: Coerced | None) -> str:
    location, kind, found = detail["loc"], detail["type"], detail["input"]
    if kind in ("union_tag_invalid", "union_tag_not_found"):
        return _tag_line(detail)
    field = _dotted(location)
    if kind == "missing":
        return f"{field}: found nothing, expected {_range(location, schema) or 'this field'}"
    if read is not None:
        found = read.written.get(_place(location, read.value), found)
    if kind == "extra_forbidden":
        return f"{field}: found {_brief(found)}, expected no such field"
    words = detail["msg"].removeprefix("Value error, ").removeprefix("Input should be ")
    expected = _range(location, schema) or words.removeprefix("expected ")
    return f"{field}: found {_brief(found)}, expected {expected}"


def _tag_line(detail: ErrorDetails) -> str:
    """Name the field that tells the forms of an object apart."""
    context, value = detail.get("ctx", {}), detail["input"]
    name = str(context.get("discriminator", "")).strip("'")
    inside = isinstance(value, Mapping)
    found = _brief(value[name]) if inside and name in value else "nothing" if inside else _brief(value)
    expected = f"one of {context['expected_tags']}" if "expected_tags" in context else "this field"
    return (
        f"{_dotted((*detail['loc'], name) if inside else detail['loc'])}: found {found}, expected {expected}"
    )


def _place(location: tuple[int | str, ...], value: Any) -> Path:
    """Leave out of pydantic's location what is no part of the value: the names of a union's forms."""
    place: list[int | str] = []
    for part in location:
        if (isinstance(value, dict) and part in value) or (
            isinstance(value, list) and part in range(len(value))
        ):
            place.append(part)
            value = value[part]  # type: ignore[index]  # an int where it is a list
    return tuple(place)


def _range(location: tuple[int | str, ...], schema: Mapping[str, Any]) -> str:
    nodes: list[Any] = [schema]
    for part in location:
        inner = [found for node in nodes for found in _inside(node, part)]
        # Where a part leads nowhere it is the name of a union's form, and the place stays the same.
        nodes = inner or [option for node in nodes for option in _options(node)]
    ranges = {_words(node) for node in nodes}
    return ranges.pop() if len(ranges) == 1 else ""


def _options(node: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    forms = node.get("anyOf") or node.get("oneOf") or []
    return [inner for one in forms for inner in (_options(one) or [one])]


def _inside(node: Mapping[str, Any], part: int | str) -> list[Mapping[str, Any]]:
    inner = node.get("items") if isinstance(part, int) else node.get("properties", {}).get(part)
    return [inner] if isinstance(inner, Mapping) else []


def _words(node: Mapping[str, Any]) -> str:
    if "minimum" not in node or "maximum" not in node:
        return ""
    kind = "a whole number" if node.get("type") == "integer" else "a number"
    return f"{kind} from {node['minimum']} to {node['maximum']}"


def _dotted(location: tuple[int | str, ...]) -> str:
    return ".".join(str(part) for part in location) or "the reply"


def _brief(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else shown[:59] + "…"
