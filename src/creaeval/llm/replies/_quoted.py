"""Where a quoted text ends and what it says, in replies whose quotes are not those of JSON.

What comes after a quote decides whether it can end the text: the apostrophe in ``'don't'`` has a letter after
it, the last quote a comma or a brace. Where two ends are possible, nothing is read.
"""

from __future__ import annotations

import re
from typing import Literal, NoReturn

DOUBLE, SINGLE = '"“”„‟', "'‘’‚‛"
QUOTES = DOUBLE + SINGLE
ENDS_EARLY = "the JSON ends before it is closed"

Place = Literal["key", "member", "element"]

_OPENING, _CLOSING = "“„‟‘‚‛", "”’"
_STOP = re.compile(rf"[\\{QUOTES}\x00-\x1f]")
# The end of the reply counts as well: the reader then finds that the object is not closed.
_AFTER = {
    "key": re.compile(r"[ \t\r\n]*(?::|\Z)"),
    "member": re.compile(rf"[ \t\r\n]*(?:\}}|\Z|,[ \t\r\n]*(?:[{QUOTES}}}]|\Z))"),
    "element": re.compile(
        rf"[ \t\r\n]*(?:\]|\Z|,[ \t\r\n]*(?:[{QUOTES}\]\[{{\d-]|(?:true|false|null|True|False|None)\b|\Z))"
    ),
}
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|U([0-9a-fA-F]{8})|(.))", re.DOTALL)
_SAID = {
    '"': '"',
    "\\": "\\",
    "/": "/",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "'": "'",
}


class Unreadable(Exception):  # noqa: N818 - the caller decides what it means
    """The text is no object, not even with the repairs that are allowed.

    Parameters
    ----------
    message : str
        What is wrong.
    position : int
        How far the text was read.
    syntax : bool
        Whether it is the writing that is wrong, which a line and a column help to find.
    """

    def __init__(self, message: str, position: int, *, syntax: bool = True) -> None:
        super().__init__(message)
        self.message, self.position, self.syntax = message, position, syntax


def closing_quote(text: str, start: int, place: Place, *, mixed: bool) -> tuple[int, bool]:
    """Find the quote that ends the text opened at ``start``.

    Parameters
    ----------
    text : str
        The reply.
    start : int
        Where the opening quote is.
    place : {"key", "member", "element"}
        What is quoted: a key, a value in an object, or a value in a list.
    mixed : bool
        Whether a straight quote may be closed by a typographic one, or the other way round.

    Returns
    -------
    int
        Where the closing quote is.
    bool
        Whether a typographic quote inside could end the text as well.

    Raises
    ------
    Unreadable
        It has no end, or more than one that is possible.
    """
    ending = _Ending(text, start, place, mixed=mixed)
    end = ending.straight() if text[start] in "\"'" else ending.typographic()
    return end, ending.doubtful


def unquoted(text: str, start: int, end: int) -> tuple[str, bool]:
    r"""Say what the text between two quotes says.

    Parameters
    ----------
    text : str
        The reply.
    start, end : int
        Where its quotes are.

    Returns
    -------
    str
        The text.
    bool
        Whether it has escapes that JSON does not know, such as ``\'`` and ``\xe9``.

    Raises
    ------
    Unreadable
        An escape that is neither JSON's nor Python's.
    """
    inside = text[start + 1 : end]
    if "\\" not in inside:
        return inside, False
    foreign = False

    def said(match: re.Match[str]) -> str:
        nonlocal foreign
        four, two, eight, one = match.groups()
        foreign = foreign or bool(two or eight or one == "'")
        code = int(four or two or eight or "0", 16)
        if code > 0x10FFFF or (one and one not in _SAID):
            raise Unreadable(
                f"found {match.group()!r} in a text, expected an escape that JSON has",
                start + 1 + match.start(),
            )
        return _SAID[one] if one else chr(code)

    # Half characters written one after the other become one; a lone one stays and is refused later.
    halves = _ESCAPE.sub(said, inside).encode("utf-16-le", "surrogatepass")
    return halves.decode("utf-16-le", "surrogatepass"), foreign


def _stops(text: str, position: int) -> tuple[int, str]:
    """Find the next quote that is not escaped; the end of the reply has no quote."""
    while stop := _STOP.search(text, position):
        here, mark = stop.start(), stop.group()
        if mark < " ":
            raise Unreadable(f"found {mark!r} inside a text, expected it as an escape", here)
        if mark != "\\":
            return here, mark
        position = here + 2
    return len(text), ""


class _Ending:
    """The search for the end of one text."""

    def __init__(self, text: str, start: int, place: Place, *, mixed: bool) -> None:
        self._text, self._start, self._place, self._mixed = text, start, place, mixed
        self._family = DOUBLE if text[start] in DOUBLE else SINGLE
        # How many typographic quotations are open inside.
        self._depth = 0
        self.doubtful = False

    def straight(self) -> int:
        opened = self._text[self._start]
        # A quote of another kind that can be the end, unless the own kind makes an end as well.
        other = -1
        here, mark = _stops(self._text, self._start + 1)
        while mark:
            if mark == opened and other >= 0:
                return self._doubt(here) if self._can_end(here) else other
            if mark == opened and (opened == '"' or self._can_end(here)):
                return here
            # An apostrophe follows a letter; a quote that follows none opens a quotation of its own.
            if mark == opened and not self._text[here - 1].isalnum():
                self._doubt(here)
            if mark != opened and mark in self._family and other < 0:
                if self._mixed and self._depth == 0 and self._can_end(here):
                    # No name of a field holds a quote and a colon, whether or not the reply is cut off.
                    if self._place == "key":
                        return here
                    other = here
                else:
                    self._pass(here, mark)
            here, mark = _stops(self._text, here + 1)
        # Not even at ``other``: a text that is cut off may hold a quotation just before a brace.
        raise Unreadable(ENDS_EARLY, here, syntax=False)

    def typographic(self) -> int:
        inside = False
        here, mark = _stops(self._text, self._start + 1)
        while mark:
            if mark in "\"'":
                if mark in self._family and not _between_letters(self._text, here):
                    if self._can_end(here):
                        ends = self._mixed and self._depth == 0 and not inside
                        return here if ends else self._doubt(here)
                    inside = not inside
            elif mark in self._family:
                if self._can_end(here) and self._depth == 0:
                    return here
                self._pass(here, mark)
            here, mark = _stops(self._text, here + 1)
        raise Unreadable(ENDS_EARLY, here, syntax=False)

    def _can_end(self, here: int) -> bool:
        return _AFTER[self._place].match(self._text, here + 1) is not None

    def _pass(self, here: int, mark: str) -> None:
        """Go on after a typographic quote that does not end the text."""
        if self._can_end(here):
            if self._place == "key":
                self._doubt(here)
            self.doubtful = True
        if mark in _OPENING:
            self._depth += 1
        elif mark in _CLOSING and self._depth and not (mark == "’" and _between_letters(self._text, here)):
            self._depth -= 1

    def _doubt(self, here: int) -> NoReturn:
        begin = repr(self._text[self._start : self._start + 30])
        raise Unreadable(f"where the text {begin} ends is not certain", here)


def _between_letters(text: str, here: int) -> bool:
    return text[here - 1].isalnum() and text[here + 1 : here + 2].isalnum()
