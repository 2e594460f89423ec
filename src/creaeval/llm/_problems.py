"""Say what is wrong with a reply's values: `field: found X, expected Y`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

_MOST_LINES = 15


def problem_lines(error: ValidationError, schema: Mapping[str, Any]) -> tuple[str, ...]:
    """List the errors of a validation, one a line.

    Parameters
    ----------
    error : pydantic.ValidationError
        What pydantic found.
    schema : mapping
        The schema sent, from which ranges are named in full.

    Returns
    -------
    tuple of str
        At most 15 lines; the last one counts the rest.
    """
    lines = [_line(detail, schema) for detail in error.errors(include_url=False, include_context=False)]
    if len(lines) > _MOST_LINES:
        rest = len(lines) - (_MOST_LINES - 1)
        lines = [*lines[: _MOST_LINES - 1], f"… and {rest} more problems"]
    return tuple(lines)


def _line(detail: ErrorDetails, schema: Mapping[str, Any]) -> str:
    field = ".".join(str(part) for part in detail["loc"]) or "the reply"
    if detail["type"] == "missing":
        return f"{field}: found nothing, expected {_range(detail['loc'], schema) or 'this field'}"
    found = repr(detail["input"])
    found = found if len(found) <= 60 else found[:59] + "…"
    if detail["type"] == "extra_forbidden":
        return f"{field}: found {found}, expected no such field"
    words = detail["msg"].removeprefix("Value error, ").removeprefix("Input should be ")
    return (
        f"{field}: found {found}, expected {_range(detail['loc'], schema) or words.removeprefix('expected ')}"
    )


def _range(location: tuple[int | str, ...], schema: Mapping[str, Any]) -> str:
    node: Any = schema
    for part in location:
        if not isinstance(node, Mapping):
            return ""
        node = node.get("items") if isinstance(part, int) else node.get("properties", {}).get(part)
    if not isinstance(node, Mapping) or "minimum" not in node or "maximum" not in node:
        return ""
    kind = "a whole number" if node.get("type") == "integer" else "a number"
    return f"{kind} from {node['minimum']} to {node['maximum']}"
