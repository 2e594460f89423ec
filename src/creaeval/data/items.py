"""Split the text of a list step into its items."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from creaeval.data.model import Item, StepText
from creaeval.data.words import words
from creaeval.tasks import fold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from creaeval.tasks import Step

_BULLET = r"(?:[•‣◦▪●○∙·]\s*|[-–—*+]\s+)"
_BULLETED = re.compile(rf"\s*{_BULLET}(?=\S)")


class SplitText(NamedTuple):
    """A heading above the first item, empty if there is none, and the items."""

    heading: str
    items: list[Item]


class _Line(NamedTuple):
    number: int | None
    text: str


def split_items(text: str, name: str = "item") -> list[Item]:
    """Split a text into items.

    A line opens an item if it starts with a number of at most two digits and one of ``. ) :`` (or their
    full-width forms), not directly followed by a digit. The number may be in parentheses and may follow a
    bullet, ``#``, bold marks, or the item's name. The number expected next is the last plus one. A line
    with a larger number belongs to the current item if the expected number opens a later line; otherwise
    the numbers between are blank items. A line with a number already used belongs to the current item.

    Without numbers, bulleted lines are items; else blocks parted by blank lines, if there are at least two;
    else lines.

    Parameters
    ----------
    text : str
        What was written for the step.
    name : str, optional
        What an item is called, such as ``"challenge"``.

    Returns
    -------
    list of Item
        Numbered from 1 without gaps; blank ones have an empty text. Text above item 1 is a heading and in
        no item (:func:`split_text` returns it); where the first number is larger than 1, it is item 1.
    """
    return split_text(text, name).items


def split_text(text: str, name: str = "item") -> SplitText:
    """Split a text into items as :func:`split_items` does, and keep the heading above them."""
    lines = text.splitlines()
    return _split_numbered(lines, name) or _split_bulleted(lines) or _split_plain(lines)


def list_items(entries: Sequence[str | None], name: str = "item") -> list[Item]:
    """Make items of entries that are already apart; None or empty is a blank item.

    An entry's own number is taken off only where it equals the entry's position.
    """
    items = []
    for position, entry in enumerate(entries, 1):
        first, *rest = (entry or "").strip().splitlines() or [""]
        opening = _opening(first, name)
        text = opening.text if opening.number == position else first
        items.append(Item(number=position, text="\n".join([text, *rest]).strip()))
    return items


def make_step(step: Step, value: str | Sequence[str | None]) -> StepText:
    """Make the text of a step, split into items where the step asks for a list.

    Parameters
    ----------
    step : Step
        The task's step.
    value : str or sequence of str or None
        The step's text, or its items one by one.

    Returns
    -------
    StepText
        In a list step, ``text`` is the heading, if there is one, and the scored items as numbered lines.
        Items beyond the step's maximum are ``unscored``; missing ones are not invented.
    """
    if step.items is None:
        whole = value if isinstance(value, str) else "\n".join(entry or "" for entry in value)
        return StepText(text=tidy(whole))
    name = step.items.name
    if isinstance(value, str):
        heading, items = split_text(tidy(value), name)
    else:
        heading, items = "", list_items([tidy(entry or "") for entry in value], name)
    items = [
        item.model_copy(update={"invalid": code}) if (code := program_code(step, item.text)) else item
        for item in items
    ]
    return item_step(items[: step.items.max], items[step.items.max :], heading)


def item_step(scored: Sequence[Item], unscored: Sequence[Item] = (), heading: str = "") -> StepText:
    """Make the text of a list step of its items: the heading and, as numbered lines, what is to be scored."""
    lines = [f"{item.number}. {'' if item.blank else item.text}".rstrip() for item in scored]
    if all(item.blank for item in scored):
        lines = []  # numbers alone are nothing written
    text = "\n".join([heading, *lines] if heading else lines)
    return StepText(text=text, items=tuple(scored), unscored=tuple(unscored))


def program_code(step: Step, text: str) -> str:
    """Return ``dont_know`` for a text that only says that nothing comes to mind, if the step has that code.

    It may say so in any language whose words are known (:mod:`creaeval.data.words`). Words such as "none",
    "null" or "nichts" may be meant, so they are no such answer.
    """
    known = step.invalid if step.items is None else step.items.invalid
    return "dont_know" if "dont_know" in known and fold(text) in words().no_answer else ""


def tidy(text: str) -> str:
    """Write every line end as a newline, without spaces before it, and drop blank lines at both ends."""
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n")


def _opening(line: str, name: str) -> _Line:
    """Read the number a line opens with, and what follows it."""
    pattern = (
        rf"\s*{_BULLET}?(?:\#{{1,6}}\s+)?(?P<mark>\*\*|__)?(?:(?:{re.escape(name)}|item)\s*)?\#?\s*"
        r"(?:[(（]\s*(?P<inner>\d{1,2})\s*[)）][.:．：]?|(?P<number>\d{1,2})\s*(?:[.．][)）]?|[)）][.:．：]?|[:：、]))"
        r"(?P<close>\*\*|__)?(?!\d)\s*(?P<text>.*)"
    )
    match = re.match(pattern, line, flags=re.IGNORECASE)
    if match is None:
        return _Line(None, line)
    number = int(match["inner"] or match["number"])
    # Bold that opens before the number and closes later in the line opens again behind it.
    reopened = match["mark"] if match["mark"] and not match["close"] else ""
    return _Line(number, reopened + match["text"])


def _split_numbered(lines: Sequence[str], name: str) -> SplitText | None:
    read = [_opening(line, name) for line in lines]
    above: list[str] = []
    blocks: list[list[str]] = []
    for index, line in enumerate(read):
        expected = len(blocks) + 1
        opens = line.number is not None and line.number >= expected
        if opens and line.number != expected:
            opens = not any(later.number == expected for later in read[index + 1 :])
        if opens and line.number is not None:
            if not blocks and line.number > 1 and any(text.strip() for text in above):
                blocks, above = [above], []
            blocks += [[] for _ in range(len(blocks), line.number - 1)]
            blocks.append([line.text])
        else:
            (blocks[-1] if blocks else above).append(lines[index])
    if not blocks:
        return None
    return SplitText(_join(above), _number(blocks))


def _split_bulleted(lines: Sequence[str]) -> SplitText | None:
    written = [bool(_BULLETED.match(line)) for line in lines if line.strip()]
    if True not in written:
        return None
    if not written[0] and False in written[written.index(True) :]:
        return None  # lines that are not bulleted carry the ideas, the bullets their details
    above: list[str] = []
    blocks: list[list[str]] = []
    for line in lines:
        if match := _BULLETED.match(line):
            blocks.append([line[match.end() :]])
        else:
            (blocks[-1] if blocks else above).append(line)
    return SplitText(_join(above), _number(blocks))


def _split_plain(lines: Sequence[str]) -> SplitText:
    blocks = [block for block in re.split(r"\n\s*\n", "\n".join(lines)) if block.strip()]
    if len(blocks) >= 2:
        return SplitText("", _number([[block] for block in blocks]))
    by_line: list[list[str]] = []
    for line in lines:
        if by_line and _BULLETED.match(line):
            by_line[-1].append(line)
        elif line.strip():
            by_line.append([line])
    return SplitText("", _number(by_line))


def _join(lines: Sequence[str]) -> str:
    return "\n".join(lines).strip()


def _number(blocks: Sequence[Sequence[str]]) -> list[Item]:
    return [Item(number=number, text=_join(block)) for number, block in enumerate(blocks, 1)]
