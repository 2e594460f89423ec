"""Identifiers of responses and raters: text as it was written, cleaned of what nobody can see."""

from __future__ import annotations

import re
import unicodedata
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from creaeval.errors import Problems

_Value = TypeVar("_Value")

_MAX_LENGTH = 200
#: str.strip knows the spaces, but not these; spreadsheets and web pages leave them at the ends of cells.
_INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff"
#: Finds the first character of a text that anybody can see; None in a blank one.
find_visible = re.compile(rf"[^\s{_INVISIBLE}]").search
_JOINERS = "\u200c\u200d"  # they belong into the middle of Persian or Indic words


def clean_name(text: str) -> str:
    """Strip spaces of every kind, byte order marks and zero-width characters from both ends."""
    previous = None
    while text != previous:
        previous, text = text, text.strip().strip(_INVISIBLE)
    return text


def clean_id(value: object, note: str = "") -> str:
    """Return an id in composed form (NFC), without outer spaces; a whole number (from JSON) as its digits.

    ValueError, with the ``note`` behind it, if it is missing, empty, too long, of another type, or has
    characters nobody can see.
    """
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    if isinstance(text, str):
        text = unicodedata.normalize("NFC", clean_name(text))
        problem = _id_problem(text, value)
    else:
        problem = (
            "there is no id, expected one" if value is None else f"found the id {value!r:.80}, expected text"
        )
    if problem:
        raise ValueError(f"{problem}{note}")
    return str(text)


def excerpt(value: object) -> str:
    """Return the beginning of an id on one line, as messages say whose problem it is."""
    return " ".join(str(value).split())[:60]


def clean_ids(texts: Iterable[str]) -> dict[str, str]:
    """Return the id of each of these texts that is one."""
    ids: dict[str, str] = {}
    for text in texts:
        with suppress(ValueError):
            ids[text] = clean_id(text)
    return ids


def _id_problem(text: str, value: object) -> str:
    if not text:
        return f"found the id {str(value)[:40]!r}, expected one that is not empty"
    if len(text) > _MAX_LENGTH:
        return f"found an id of {len(text)} characters ({text[:40]!r}...), expected at most {_MAX_LENGTH}"
    for character in text:
        kind = unicodedata.category(character)
        if kind in {"Cc", "Cs", "Zl", "Zp"} or (kind == "Cf" and character not in _JOINERS):
            return f"the id {text!r} holds the invisible character U+{ord(character):04X}; take it out"
    return ""


def check_text(text: str) -> str:
    """Return a text; ValueError if it cannot be stored or sent: it has half a character, or a NUL."""
    if match := re.search("[\x00\ud800-\udfff]", text):
        raise ValueError(
            f"character {match.start() + 1} is U+{ord(match[0]):04X}, which is no text; take it out"
        )
    return text


def attempt(
    problems: Problems, place: object, read: Callable[..., _Value], *arguments: object
) -> _Value | None:
    """Return what ``read`` makes of the arguments; None, and a problem at ``place``, on a ValueError."""
    try:
        return read(*arguments)
    except ValueError as error:
        problems.add(f"{place}: {error}.")
        return None
