"""What a document holds, whatever file it came from: lines and tables, and how they are written as text."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from creaeval.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

#: A long novel has a third of it.
MOST_LINES = 30_000
#: How a line is set: as the text around it, bold as a whole, or in the style of a heading.
PLAIN, BOLD, HEADING = 0, 1, 2
_BARE_NUMBER = re.compile(r"\D{0,20}?(\d{1,2})\s*[.):：、]?")


class Listed(NamedTuple):
    """The place of a line in one of Word's lists; ``label`` is what stands before it, such as ``Step %1:``.

    ``label`` is empty for a plain number, which is counted when the text is written. ``number`` counts
    through the whole document.
    """

    list_id: str
    level: int
    kind: str
    label: str
    number: int


@dataclass(frozen=True, eq=False)
class Line:
    """A line of text. Two lines are never equal, so that each can be looked up by itself.

    ``lead``: how many characters at its start are bold, where the rest is not.
    """

    text: str
    look: int = PLAIN
    lead: int = 0
    listed: Listed | None = None

    @property
    def blank(self) -> bool:
        """Whether nothing is written in it."""
        return not self.text.strip()


@dataclass(frozen=True, eq=False)
class Grid:
    """A table: its rows, each a list of cells, each a list of blocks."""

    rows: list[list[list[Block]]]


Block: TypeAlias = Line | Grid


def lines_in(blocks: Sequence[Block]) -> Iterator[Line]:
    """Yield the lines, those of tables cell by cell."""
    for block in blocks:
        if isinstance(block, Line):
            yield block
        else:
            for row in block.rows:
                for cell in row:
                    yield from lines_in(cell)


def check_length(lines: int, path: Path) -> None:
    """Refuse a document that is no single response; it would take long to look through."""
    if lines > MOST_LINES:
        raise DataError(
            f"{path}: holds {lines:,} lines, expected one response of at most {MOST_LINES:,}. Save each "
            "response as a file of its own."
        )


def is_blank(blocks: Sequence[Block]) -> bool:
    """Whether nothing is written in any of the blocks."""
    return all(line.blank for line in lines_in(blocks))


def write_lines(blocks: Sequence[Block], as_items: bool = False) -> list[str]:
    """Write blocks as lines of text; a row of a table is one line, its cells parted by `` | ``.

    Numbers of Word's lists are counted from 1 within the blocks, since a step's items start at 1 even where
    the list runs on. ``as_items``: a row whose first cell is a number is an item with this number.
    """
    return _write(blocks, as_items, Counter())


def _write(blocks: Sequence[Block], as_items: bool, counts: Counter[tuple[str, int]]) -> list[str]:
    lines: list[str] = []
    for block in blocks:
        if isinstance(block, Line):
            mark = _mark(block.listed, counts) if block.listed and not block.blank else ""
            lines.append(mark + block.text)
            continue
        for row in block.rows:
            if not all(is_blank(cell) for cell in row):
                lines += _write_row(row, as_items, counts)
    return lines


def _write_row(row: list[list[Block]], as_items: bool, counts: Counter[tuple[str, int]]) -> list[str]:
    if len(row) == 1:
        return _write(row[0], as_items, counts)
    texts = ["\n".join(_write(cell, as_items, counts)).strip() for cell in row]
    if as_items:
        while not texts[0]:
            del texts[0]  # the column of numbers that Word counts itself is blank
        number = _BARE_NUMBER.fullmatch(texts[0])
        if number is not None and len(texts) > 1:
            return f"{number[1]}. {' | '.join(text for text in texts[1:] if text)}".splitlines()
    return " | ".join(texts).splitlines()


def _mark(listed: Listed, counts: Counter[tuple[str, int]]) -> str:
    if listed.kind in {"bullet", "none"}:
        return "• " if listed.kind == "bullet" else ""
    counts[listed.list_id, listed.level] += 1
    for deeper in [key for key in counts if key[0] == listed.list_id and key[1] > listed.level]:
        del counts[deeper]
    number = counts[listed.list_id, listed.level]
    return "   " * listed.level + (f"{fill_label(listed, number)} " if listed.label else f"{number}. ")


def fill_label(listed: Listed, number: int) -> str:
    """Return a label such as ``Step %1:`` with its number."""
    return re.sub(r"%\d", str(number), listed.label)
