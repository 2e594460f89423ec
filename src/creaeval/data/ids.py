"""Identifiers of responses and raters: text as it was written, cleaned of what nobody can see."""

from __future__ import annotations

import re
import unicodedata

_MAX_LENGTH = 200
#: str.strip knows the spaces, but not these; spreadsheets and web pages leave them at the ends of cells.
_INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff"
#: How R writes a value that is missing, and an empty cell.
MISSING = frozenset({"", "NA"})
#: Finds the first character of a text that anybody can see; None in a blank one.
find_visible = re.compile(rf"[^\s{_INVISIBLE}]").search
_JOINERS = "\u200c\u200d"  # they belong into the middle of Persian or Indic words


def clean_name(text: str) -> str:
    """Strip spaces of every kind, byte order marks and zero-width characters from both ends."""
    previous = None
    while text != previous:
        previous, text = text, text.strip().strip(_INVISIBLE)
    return text


def clean_id(value: object) -> str:
    """Return the id that is used for the one somebody gave, in composed form (NFC), without outer spaces.

    ``007`` and ``7`` stay two ids; a whole number (from JSON) becomes its digits. ValueError with what was
    found and what was expected: missing, empty, too long, of another type, or with characters nobody can see.
    """
    if value is None:
        raise ValueError("there is no id, expected one")
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise ValueError(f"found the id {value!r}, expected text")
    text = unicodedata.normalize("NFC", clean_name(value))
    if not text:
        raise ValueError(f"found the id {value!r}, expected one that is not empty")
    if len(text) > _MAX_LENGTH:
        raise ValueError(
            f"found an id of {len(text)} characters ({text[:40]!r}...), expected at most {_MAX_LENGTH}"
        )
    for character in text:
        kind = unicodedata.category(character)
        if kind in {"Cc", "Cs", "Zl", "Zp"} or (kind == "Cf" and character not in _JOINERS):
            raise ValueError(
                f"the id {text!r} holds the invisible character U+{ord(character):04X}; take it out"
            )
    return text


def text_problem(text: str) -> str | None:
    """Say why a text cannot be stored or sent, None if it can: half a character, or a NUL."""
    match = re.search("[\x00\ud800-\udfff]", text)
    if match is None:
        return None
    return f"character {match.start() + 1} is U+{ord(match[0]):04X}, which is no text; take it out"
