"""Find the one JSON object in a model's reply, or say why there is none to trust."""

from __future__ import annotations

import json
import math
import re
from typing import Any, NoReturn

from creaeval.llm.replies._quoted import QUOTES, Unreadable
from creaeval.llm.replies.lenient import Found, brief, cut, read_object, same_json


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


_TAG = re.compile(r"<\s*(?P<close>/\s*)?(?:think|thinking|reasoning)\s*>", re.IGNORECASE)
_CLOSE = re.compile(r"<\s*/\s*(?:think|thinking|reasoning)\s*>", re.IGNORECASE)
_MARK = re.compile(rf"{_TAG.pattern}|[{{}}]", re.IGNORECASE)
# A brace that starts an object, well formed or not; other braces are prose, as in "{sic}".
_OBJECT = re.compile(rf"\{{(?=\s*(?:[{QUOTES}}}]|\w+\s*:))")
# How far to look for the bracket of a list; bounded, so that many objects cost no more than their length.
_AROUND = 500
# Enough of a verdict on one step to see what differs.
_SHOWN, _MOST_SHOWN = 200, 3


def parse_object(text: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Read the single object of a reply.

    Reasoning between think tags, white space, a code fence and prose around the object are passed over.

    Parameters
    ----------
    text : str
        The raw reply.

    Returns
    -------
    dict
        The object.
    tuple of str
        What was repaired to read it; empty for JSON.

    Raises
    ------
    ReplyProblem
        No object, one that cannot be read without guessing, two that differ, a key given twice with
        different values, or a number that JSON does not have.
    """
    notes: tuple[str, ...] = ()
    try:
        # A whole reply first: inside its strings, tags and braces are only text.
        value = _DECODER.decode(text.strip())
    except (ValueError, RecursionError):
        found = _single(_objects(text), text)
        value, notes = found.value, found.notes
    if not isinstance(value, dict):
        raise ReplyProblem(f"no verdict: found {cut(text.strip())}, expected one JSON object")
    _check_text(value)
    return value, notes


def reasoning_is_open(text: str) -> bool:
    """Tell whether a reply stops within its reasoning.

    Parameters
    ----------
    text : str
        The raw reply.

    Returns
    -------
    bool
        Whether its last think tag is an opening one.
    """
    tags = list(_TAG.finditer(text))
    return bool(tags) and not tags[-1]["close"]


def _objects(text: str) -> list[Found]:
    """Find the objects that stand outside of reasoning, in one pass over the reply."""
    found: list[Found] = []
    open_braces = 0
    doubt = ""
    position = 0
    # Once only: each fault that Python's decoder reports costs it a count of all lines so far.
    quick = True
    while mark := _MARK.search(text, position):
        position = mark.end()
        if mark["close"]:
            # Everything before a closing tag without an opening one is draft: that one was in the prompt.
            found, open_braces, doubt = [], 0, ""
        elif mark.group() == "}":
            open_braces -= 1
        elif mark.group() != "{":
            position = _reasoning_end(text, position)
        elif not _OBJECT.match(text, mark.start()):
            open_braces += 1
        else:
            read = _read(text, mark.start(), quick=quick)
            quick = False
            if isinstance(read, Found):
                doubt = doubt or _doubt_around(text, read, open_braces)
                found.append(read)
            position = read.end if isinstance(read, Found) else read
        if open_braces < 0:
            doubt = doubt or _brace_too_many(mark.start())
    if open_braces and found:
        doubt = doubt or _brace_too_many(found[-1].end)
    if doubt and found:
        raise ReplyProblem(doubt)
    return found


def _reasoning_end(text: str, position: int) -> int:
    closing = _CLOSE.search(text, position)
    if closing is None:
        raise ReplyProblem("the reasoning was not closed, so there is no verdict after it")
    return closing.end()


def _read(text: str, start: int, *, quick: bool) -> Found | int:
    """Read an object; if it is broken but only part of a draft, say where that ends."""
    if quick:
        try:
            value, end = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            pass
        else:
            return Found(value, start, end)
    try:
        return read_object(text, start)
    except Unreadable as error:
        # Where an object is broken, its inner ones would read well and be taken for the answer: the search
        # ends, unless reasoning is closed after the fault. A tag that was read over is part of a text.
        if closing := _CLOSE.search(text, error.position):
            return closing.start()
        raise ReplyProblem(_described(error, text)) from None


def _described(error: Unreadable, text: str) -> str:
    if not error.syntax:
        return error.message
    line = text.count("\n", 0, error.position) + 1
    column = error.position - text.rfind("\n", 0, error.position)
    return f"{error.message} (the JSON is not well formed at line {line}, column {column})"


def _doubt_around(text: str, read: Found, open_braces: int) -> str:
    """Say why an object may be only part of the answer, if it may."""
    if open_braces:
        return _brace_too_many(read.start)
    before = text[max(0, read.start - _AROUND) : read.start].rstrip()[-1:]
    after = text[read.end : read.end + _AROUND].lstrip()[:1]
    if before == "[" or (before == "," and after == "]"):
        return "found a list of objects, expected one JSON object"
    return ""


def _brace_too_many(position: int) -> str:
    return f"found a brace too many near character {position + 1}, expected one JSON object and no others"


def _single(objects: list[Found], text: str) -> Found:
    if not objects:
        raise ReplyProblem(f"no verdict: found {brief(text.strip())}, expected one JSON object")
    # Compared as text, since Python holds 1, 1.0 and true for equal.
    different: dict[str, Found] = {}
    for one in objects:
        different.setdefault(json.dumps(one.value, sort_keys=True), one)
    if len(different) > 1:
        first = list(different.values())[:_MOST_SHOWN]
        places = " and ".join(str(one.start + 1) for one in first)
        shown = " and ".join(cut(text[one.start : one.end], _SHOWN) for one in first)
        raise ReplyProblem(
            f"expected one JSON object, found {len(different)} that differ, at characters {places}: {shown}"
        )
    return min(objects, key=lambda one: len(one.notes))


class _NotJsonError(ValueError):
    """What Python's decoder lets pass; the lenient reader says where it is."""


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs) and not all(same_json(result[key], value) for key, value in pairs):
        raise _NotJsonError
    return result


def _no_number(name: str) -> NoReturn:
    raise _NotJsonError(name)


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
    except RecursionError:
        raise ReplyProblem("nested too deep") from None
