"""Tables in Markdown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from creaeval.report.display.numbers import one_line
from creaeval.report.display.table import DisplayTable, group_title

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from creaeval.report.display.table import Cell

_AROUND = {"best": "**", "second": "_", "": ""}
_LEGEND = "Best in bold, second best in italics."
#: Characters of a row; tables that are wider are broken, a part for each step.
_ROOM = 170


def markdown_tables(tables: Iterable[DisplayTable], caption: str = "", notes: Iterable[str] = ()) -> str:
    """Write tables in Markdown, a caption above all of them and notes below."""
    blocks = [_bold(caption)] if caption else []
    for table in tables:
        blocks += _blocks(table)
    blocks.append(_list(notes))
    return "\n\n".join(filter(None, blocks)) + "\n"


def escape_markdown(text: str) -> str:
    """Make text that Markdown shows as it is, on one line; pipes are left to the table."""
    return re.sub(r"([\\`*_\[\]<>#~&$])", r"\\\1", one_line(text))


def _blocks(table: DisplayTable) -> Iterator[str]:
    yield _bold(table.title) if table.title else ""
    widths = [
        3 + max(map(len, (line.full_name, *(_cell(cell) for cell in table.column(place)))))
        for place, line in enumerate(table.columns)
    ]
    first = max((len(line.name) for line in table.rows), default=0)
    for part in table.parts(widths, _ROOM - first, by_group=True):
        group = group_title(part)
        yield _bold(group) if group else ""
        yield _grid(part, in_groups=not group)
    yield _list([*table.remarks, *([_LEGEND] if table.is_marked else [])])


def _grid(table: DisplayTable, *, in_groups: bool) -> str:
    names = [line.full_name if in_groups else line.name for line in table.columns]
    rules = ["---:" if table.is_numeric(place) else "---" for place in range(len(names))]
    lines = [[escape_markdown(name) for name in (table.corner, *names)], ["---", *rules]]
    group = ""
    for line, row in zip(table.rows, table.cells, strict=True):
        if line.group != group:
            group = line.group
            lines.append([_bold(group) if group else "", *[""] * len(names)])
        lines.append([escape_markdown(line.name), *map(_cell, row)])
    return "\n".join(f"| {' | '.join(text.replace('|', chr(92) + '|') for text in line)} |" for line in lines)


def _cell(cell: Cell) -> str:
    around, text = _AROUND[cell.mark], escape_markdown(cell.text)
    star = r"\*" if cell.star else ""
    return " ".join(filter(None, (f"{around}{text}{around}{star}", escape_markdown(cell.behind))))


def _bold(text: str) -> str:
    return f"**{escape_markdown(text)}**"


def _list(notes: Iterable[str]) -> str:
    return "\n".join(f"- {escape_markdown(note)}" for note in notes)
