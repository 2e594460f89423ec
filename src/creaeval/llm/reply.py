"""Find the one JSON object in a model's reply, or say why there is none to trust."""

from __future__ import annotations

import json
import math
import re
from typing import Any, NoReturn


class ReplyProblem(Exception):  # noqa: N818 - asks for another reply, not an error of the program
    """A reply cannot be used.

    Parameters
    ----------
    lines : str
        What is wrong, one problem a line, in words the model can act on.
    """

    def __init__(self, *lines: str) -> None:
        super().__init__("; ".join(lines))
        self.lines = lines


_OPEN = re.compile(r"<\s*(think|thinking|reasoning)\s*>", re.IGNORECASE)
_CLOSE = re.compile(r"<\s*/\s*(think|thinking|reasoning)\s*>", re.IGNORECASE)
# A brace that starts an object, well formed or not; other braces are prose, as in "{sic}".
_BRACE = re.compile(r"\{(?=\s*(?:[\"'“”‘’}]|\w+\s*:))")


def parse_object(text: str) -> dict[str, Any]:
    """Read the single JSON object of a reply.

    Reasoning between think tags, white space, a code fence and prose around the object are passed over.

    Parameters
    ----------
    text : str
        The raw reply.

    Returns
    -------
    dict
        The object.

    Raises
    ------
    ReplyProblem
        No object, a broken one, two that differ, a key given twice with different values, or a number
        that JSON does not have.
    """
    try:
        # A whole reply first: inside its strings, tags and braces are only text.
        value = _DECODER.decode(text.strip())
    except (ValueError, RecursionError):
        value = _single(_objects(_without_reasoning(text)), text)
    if not isinstance(value, dict):
        raise ReplyProblem(f"expected one JSON object, found {_short(value)}")
    _check_text(value)
    return value


def _without_reasoning(text: str) -> str:
    # Everything before the last closing tag is draft, also where the opening tag was part of the prompt.
    closings = list(_CLOSE.finditer(text))
    if closings:
        text = text[closings[-1].end() :]
    if _OPEN.search(text):
        raise ReplyProblem("the reasoning was not closed, so there is no answer after it")
    return text


def _objects(text: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    position = 0
    while match := _BRACE.search(text, position):
        # Where an object is broken, its inner ones would parse and be taken for the answer: the search ends.
        try:
            value, position = _DECODER.raw_decode(text, match.start())
        except json.JSONDecodeError as error:
            where = f"at line {error.lineno}, column {error.colno}"
            raise ReplyProblem(f"the JSON is not well formed: {error.msg} {where}") from None
        except (RecursionError, ValueError):
            raise ReplyProblem("the JSON is not well formed: too deep, or a number too long") from None
        found.append(value)
    return found


def _single(objects: list[dict[str, Any]], text: str) -> dict[str, Any]:
    if not objects:
        raise ReplyProblem(f"expected one JSON object, found {_short(text.strip())}")
    # Compared as text, since Python holds 1, 1.0 and true for equal.
    different = {json.dumps(value, sort_keys=True): value for value in objects}
    if len(different) > 1:
        shown = ", ".join(_short(value) for value in different.values())
        raise ReplyProblem(f"expected one JSON object, found {len(different)} that differ: {shown}")
    return objects[0]


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in pairs:
        if key in result and json.dumps(result[key]) != json.dumps(value):
            raise ReplyProblem(
                f"{key}: found twice, {_short(result[key])} and {_short(value)}, expected once"
            )
        result[key] = value
    return result


def _no_number(name: str) -> NoReturn:
    raise ReplyProblem(f"found {name}, expected a number that JSON has")


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        _no_number(digits)
    return value


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_no_number, parse_float=_finite)


def _check_text(value: dict[str, Any]) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise ReplyProblem(
            "a text holds half of a character (a lone surrogate), expected whole text"
        ) from None


def _short(value: object, limit: int = 80) -> str:
    shown = repr(value)
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"
