"""Tables in the terminal, broken so that each part fits its width."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from creaeval.report.display.numbers import fold
from creaeval.report.display.table import Cell, DisplayTable, Line, group_title

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console

_STYLE = {"best": "bold", "second": "underline"}
_LEGEND = "Best in bold, second best underlined."
#: Characters between columns; of a line of a row's name, of a heading, of a text.
_GAP, _NAME, _HEADING, _TEXT = 3, 32, 14, 28
#: Lines above which single values go without their intervals.
_LONG = 80
_BARE = "For want of room only averages have their intervals here; the files of `--out` have all."


def print_tables(console: Console, tables: Iterable[DisplayTable]) -> None:
    """Print tables, each with its notes below."""
    for table in tables:
        parts = _lay_out(table, console.width)
        notes = table.remarks
        if sum(map(_height, parts)) > _LONG:
            bare = _lay_out(_without_intervals(table), console.width)
            if len(bare) < len(parts):
                parts, notes = bare, [*notes, _BARE]
        for number, part in enumerate(parts, 1):
            console.print(_rich_table(part, f" (part {number} of {len(parts)})" if len(parts) > 1 else ""))
        notes += [_LEGEND] if table.is_marked else []
        for note in notes:
            console.print(_plain(note), highlight=False)
        if notes:
            console.print()


def titled_table(title: str) -> Table:
    """Begin a table of the terminal."""
    return Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)


def _lay_out(table: DisplayTable, width: int) -> tuple[DisplayTable, ...]:
    """Break a table into the parts that the width asks for, its rows across where that takes fewer lines."""
    ways = [table.turned(), table] if table.turns else [table]
    return min((_break(way, width) for way in ways), key=lambda parts: sum(map(_height, parts)))


def _without_intervals(table: DisplayTable) -> DisplayTable:
    """Leave intervals to the rows and columns that sum the others up."""
    cells = tuple(
        tuple(
            cell if row.summary or column.summary else replace(cell, low=math.nan, high=math.nan)
            for column, cell in zip(table.columns, cells, strict=True)
        )
        for row, cells in zip(table.rows, table.cells, strict=True)
    )
    return replace(table, cells=cells) if table.turns else table


def _break(table: DisplayTable, width: int) -> tuple[DisplayTable, ...]:
    names = [fold(line.name, _NAME) for line in table.rows]
    first = max((len(text) + 2 for name in names for text in name), default=0)
    widths = [_width(table, place) + _GAP for place in range(len(table.columns))]
    return table.parts(widths, max(width - first, *widths, 1))


def _height(part: DisplayTable) -> int:
    """Count the lines that a part takes, with what stands around it."""
    return len(part.rows) + len({line.group for line in part.rows}) + max(map(len, _headings(part))) + 5


def _headings(table: DisplayTable) -> list[list[str]]:
    """Write the headings in lines; where all columns stand under one group, it is in the title."""
    alone = bool(group_title(table))
    return [[""], *(fold(line.name if alone else line.full_name, _HEADING) for line in table.columns)]


def _width(table: DisplayTable, place: int) -> int:
    line = table.columns[place]
    texts = [text for name in (line.name, line.full_name) for text in fold(name, _HEADING)]
    for cell in table.column(place):
        texts += fold(_text(cell), _TEXT) if isinstance(cell.value, str) else [_text(cell)]
    return max(map(len, texts))


def _rich_table(table: DisplayTable, more: str) -> Table:
    made = titled_table(_plain(", ".join(filter(None, (table.title, group_title(table)))) + more))
    made.add_column(_plain(table.corner), overflow="fold")
    for place, heading in enumerate(_headings(table)[1:]):
        numeric = table.is_numeric(place)
        made.add_column(
            _plain("\n".join(heading)),
            justify="right" if numeric else "left",
            overflow="fold",
            min_width=_width(table, place) if numeric else None,
        )
    before = Line("")
    for line, row in zip(table.rows, table.cells, strict=True):
        if line.summary and not before.summary:
            made.add_section()
        if line.group != before.group:
            made.add_row(_plain(line.group), style="bold")
        before = line
        name = "\n".join(fold(line.name, _NAME))
        made.add_row(
            f"{'  ' * bool(line.group)}{_plain(name)}",
            *(_styled(cell) for cell in row),
            style="bold" if line.summary else "",
        )
    return made


def _text(cell: Cell) -> str:
    return " ".join(filter(None, (cell.text + "*" * cell.star, cell.behind)))


def _styled(cell: Cell) -> str:
    text = _plain(_text(cell))
    return f"[{style}]{text}[/{style}]" if (style := _STYLE.get(cell.mark)) else text


def _plain(text: str) -> str:
    # Control characters could reach the terminal as commands.
    return escape("".join(c if c.isprintable() or c == "\n" else " " for c in text))
