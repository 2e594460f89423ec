"""Parse JSON and JSON Lines with errors that name line and column."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from creaeval.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence


class _RepeatedKeyError(ValueError):
    """A key stands twice in one object; json would silently keep the last."""


def _no_repeats(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        keys = [key for key, _ in pairs]
        repeated = next(key for key in keys if keys.count(key) > 1)
        raise _RepeatedKeyError(repeated)
    return result


def parse_json(text: str, where: str, first_line: int = 1) -> Any:
    """Parse one JSON document.

    Parameters
    ----------
    text : str
        The document.
    where : str
        The file's name for messages.
    first_line : int, optional
        The line of the file the text starts at.

    Returns
    -------
    object

    Raises
    ------
    DataError
        The text is no JSON, with line and column, or a key stands twice in one object.
    """
    try:
        return json.loads(text, object_pairs_hook=_no_repeats)
    except json.JSONDecodeError as error:
        hint = ""
        start = text.lstrip()[:20]
        if not start.startswith(("{", "[")):
            hint = f" The text starts with {start!r}, JSON with {{ or [."
        elif error.msg == "Extra data" and error.lineno > 1:
            hint = " If every line is an object of its own, name the file .jsonl."
        line = error.lineno + first_line - 1
        raise DataError(
            f"{where}, line {line}, column {error.colno}: not valid JSON ({error.msg}).{hint}"
        ) from error
    except _RepeatedKeyError as error:
        raise DataError(f"{where}: the key {error.args[0]!r} stands twice in one object.") from error
    except RecursionError as error:
        raise DataError(f"{where}: is nested too deeply to be read.") from error
    except ValueError as error:  # a number of more digits than Python reads
        raise DataError(f"{where}: not valid JSON ({error}).") from error


def parse_json_lines(text: str, where: str) -> list[tuple[int, Any]]:
    """Parse JSON Lines.

    Parameters
    ----------
    text : str
        One JSON document a line; blank lines are skipped.
    where : str
        The file's name for messages.

    Returns
    -------
    list of (int, object)
        Line number, from 1, and document.

    Raises
    ------
    DataError
        With every line that is no JSON.
    """
    documents: list[tuple[int, Any]] = []
    problems: list[str] = []
    # str.splitlines would also break at characters that may stand inside a JSON string.
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            documents.append((number, parse_json(line, where, first_line=number)))
        except DataError as error:
            problems += [
                p if f"line {number}" in p else p.replace(where, f"{where}, line {number}", 1)
                for p in error.problems
            ]
    if problems:
        raise DataError(problems[0], problems[1:])
    return documents
