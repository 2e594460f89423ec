"""Read an object that is not quite JSON, where what is meant is plain.

Beyond JSON it knows commas before a closing bracket, single and typographic quotes, True, False, None and the
escapes of Python, and decimal digits of any script. All else is refused: what is missing is not made up.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from dataclasses import dataclass
from typing import Any

from creaeval.llm.replies._quoted import ENDS_EARLY, QUOTES, Place, Unreadable, closing_quote, unquoted

# Replies nest a handful of levels; more is hostile and would end in Python's own limit.
MOST_LEVELS = 100
# More digits than any number has that a reply needs; Python refuses to read far longer ones.
_MOST_DIGITS = 400

_SPACE = re.compile(r"[ \t\r\n]*")
_TOKEN = re.compile(rf"[^ \t\r\n,\]}}]{{1,{_MOST_DIGITS}}}")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_WORDS = {"true": True, "false": False, "null": None}
_PYTHON_WORDS = {"True": True, "False": False, "None": None}
_NO_NUMBERS = ("NaN", "Infinity", "-Infinity", "nan", "inf", "-inf")
_TYPOGRAPHIC = re.compile(f"[{QUOTES.replace(chr(34), '').replace(chr(39), '')}]")
_DOUBT = "where a text ends is not certain: it holds quotes that could end it"


@dataclass(frozen=True)
class Found:
    """An object in a text.

    Parameters
    ----------
    value : dict
        The object.
    start, end : int
        Where it begins, and where the text after it begins.
    notes : tuple of str
        What was repaired to read it.
    """

    value: dict[str, Any]
    start: int
    end: int
    notes: tuple[str, ...] = ()


def read_object(text: str, start: int) -> Found:
    """Read the object that begins at a brace.

    Parameters
    ----------
    text : str
        The reply.
    start : int
        Where the brace is.

    Returns
    -------
    Found
        The object.

    Raises
    ------
    Unreadable
        It cannot be read without guessing.
    """
    # Closed by its own kind is the first reading, so that a quotation inside a text stays inside.
    reader = _Reader(text, mixed=False)
    try:
        found = reader.read(start)
    except Unreadable as first:
        if not _TYPOGRAPHIC.search(text, start, first.position + 1):
            raise
        try:
            return _Reader(text, mixed=True).read(start)
        except Unreadable as second:
            raise max(first, second, key=lambda error: error.position) from None
    if reader.doubtful and _reads_otherwise(text, found):
        raise Unreadable(_DOUBT, found.end)
    return found


def _reads_otherwise(text: str, found: Found) -> bool:
    try:
        other = _Reader(text, mixed=True).read(found.start)
    except Unreadable:
        return False
    return not same_json(other.value, found.value)


def ascii_digits(text: str) -> str:
    """Write decimal digits of any script as 0 to 9; a superscript or a roman numeral is no such digit."""
    if text.isascii():
        return text
    return "".join(str(unicodedata.decimal(sign)) if sign.isdecimal() else sign for sign in text)


def same_json(one: Any, other: Any) -> bool:
    """Tell whether two values are the same JSON; Python holds 1, 1.0 and true for equal."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def brief(value: Any) -> str:
    """Show a value in an error's words."""
    return cut(repr(value))


def cut(shown: str, limit: int = 80) -> str:
    """Cut what is shown to a length that a line can hold."""
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


class _Reader:
    def __init__(self, text: str, *, mixed: bool) -> None:
        self._text = text
        self._mixed = mixed
        # Keys only: a dict keeps the order and each note once.
        self._notes: dict[str, None] = {}
        self._marks: set[str] = set()
        self.doubtful = False

    def read(self, start: int) -> Found:
        value, end = self._object(start, ())
        # Where the kinds of quotes vary, a quotation inside a text cannot be told from the end of the text.
        if self.doubtful and self._marks & {"'", '"'} and self._marks - {"'", '"'}:
            raise Unreadable(_DOUBT, end)
        return Found(value, start, end, tuple(self._notes))

    def _object(self, start: int, path: tuple[str, ...]) -> tuple[dict[str, Any], int]:
        result: dict[str, Any] = {}
        sign, position = self._peek(start + 1)
        while sign != "}":
            if sign not in QUOTES:
                raise self._unexpected(path, position, "a name in quotes")
            key, position = self._quoted(position, "key")
            inside = (*path, key)
            sign, position = self._peek(position)
            if sign != ":":
                raise self._unexpected(inside, position, "a colon")
            value, position = self._value(position + 1, "member", inside)
            if key in result and not same_json(result[key], value):
                raise Unreadable(
                    f"{_field(inside)}: found twice, {brief(result[key])} and {brief(value)}, expected once",
                    position,
                    syntax=False,
                )
            result[key] = value
            sign, position = self._separator(position, "}", path)
        return result, position + 1

    def _list(self, start: int, path: tuple[str, ...]) -> tuple[list[Any], int]:
        result: list[Any] = []
        sign, position = self._peek(start + 1)
        while sign != "]":
            value, position = self._value(position, "element", (*path, str(len(result))))
            result.append(value)
            sign, position = self._separator(position, "]", path)
        return result, position + 1

    def _separator(self, position: int, closing: str, path: tuple[str, ...]) -> tuple[str, int]:
        sign, position = self._peek(position)
        if sign == closing:
            return sign, position
        if sign != ",":
            raise self._unexpected(path, position, f"a comma or {closing!r}")
        sign, position = self._peek(position + 1)
        if sign == closing:
            self._notes[f"{_field(path)}: a comma before {closing!r} left out"] = None
        return sign, position

    def _value(self, position: int, place: Place, path: tuple[str, ...]) -> tuple[Any, int]:
        sign, position = self._peek(position)
        if sign in "{[":
            if len(path) >= MOST_LEVELS:
                raise Unreadable(f"nested more than {MOST_LEVELS} levels deep", position)
            return self._object(position, path) if sign == "{" else self._list(position, path)
        if sign in QUOTES:
            return self._quoted(position, place)
        match = _TOKEN.match(self._text, position)
        if match is None:
            raise self._unexpected(path, position, "a value")
        return self._word(match.group(), position, path), match.end()

    def _quoted(self, start: int, place: Place) -> tuple[str, int]:
        end, doubtful = closing_quote(self._text, start, place, mixed=self._mixed)
        value, foreign = unquoted(self._text, start, end)
        marks = {self._text[start], self._text[end]}
        self._marks |= marks
        self.doubtful = self.doubtful or doubtful
        if "'" in marks:
            self._notes["single quotes read as double ones"] = None
        if marks - {"'", '"'}:
            self._notes["typographic quotes read as straight ones"] = None
        if foreign:
            self._notes["escapes of Python read"] = None
        return value, end + 1

    def _word(self, token: str, position: int, path: tuple[str, ...]) -> Any:
        if token in _WORDS:
            return _WORDS[token]
        if token in _PYTHON_WORDS:
            value = _PYTHON_WORDS[token]
            self._notes[f"{_field(path)}: {token} read as {json.dumps(value)}"] = None
            return value
        if position + len(token) == len(self._text):
            raise Unreadable(ENDS_EARLY, len(self._text), syntax=False)
        digits = ascii_digits(token)
        if token in _NO_NUMBERS or (_NUMBER.fullmatch(digits) and not math.isfinite(float(digits))):
            raise Unreadable(
                f"{_field(path)}: found {cut(token)}, expected a number that JSON has",
                position,
                syntax=False,
            )
        if len(token) == _MOST_DIGITS or not _NUMBER.fullmatch(digits):
            raise self._unexpected(path, position, "a value")
        number = json.loads(digits)
        if digits != token:
            self._notes[f"{_field(path)}: {token} read as {number}"] = None
        return number

    def _peek(self, position: int) -> tuple[str, int]:
        space = _SPACE.match(self._text, position)
        position = space.end() if space else position
        if position >= len(self._text):
            raise Unreadable(ENDS_EARLY, len(self._text), syntax=False)
        return self._text[position], position

    def _unexpected(self, path: tuple[str, ...], position: int, expected: str) -> Unreadable:
        match = _TOKEN.match(self._text, position)
        found = match.group() if match else self._text[position]
        return Unreadable(f"{_field(path)}: found {brief(found)}, expected {expected}", position)


def _field(path: tuple[str, ...]) -> str:
    return cut(".".join(path)) or "the reply"
