"""Lay a table out for a page: cells of text with what they are sorted by."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from creaeval.report.display import Cell, DisplayTable

_MARKS = {"best": "¹", "second": "²", "": ""}
_LEGEND = "¹ best, ² second best."
#: Characters of a row that stand beside each other on most screens.
_ROOM = 130


@dataclass(frozen=True)
class Shown:
    """One cell; ``order`` is what it is sorted by, None for a missing one, ``link`` the page it leads to."""

    text: str
    order: float | str | None
    link: str = ""
    more: str = ""


@dataclass(frozen=True)
class Grid:
    """Headings with whether their column holds numbers, rows to sort, and rows that stay at the foot.

    ``groups`` are headings above the headings with the columns that they span, empty where there are none.
    """

    columns: tuple[tuple[str, bool], ...]
    rows: tuple[tuple[Shown, ...], ...]
    foot: tuple[tuple[Shown, ...], ...]
    groups: tuple[tuple[str, int], ...] = ()


def make_grids(table: DisplayTable) -> list[Grid]:
    """Lay a table out, in several parts where it is wider than a page."""
    first = max((len(line.full_name) for line in table.rows), default=0)
    widths = [
        2 + max(len(line.name), *(len(f"{cell.text} {cell.behind}") for cell in table.column(place)), 0)
        for place, line in enumerate(table.columns)
    ]
    return [_grid(part) for part in table.parts(widths, max(_ROOM - first, 40))]


def remarks(table: DisplayTable) -> str:
    """Say what stands below a table."""
    return " ".join([*table.remarks, *([_LEGEND] if table.is_marked else [])])


def _grid(table: DisplayTable) -> Grid:
    columns = [(line.name, table.is_numeric(place)) for place, line in enumerate(table.columns)]
    rows: tuple[list[tuple[Shown, ...]], list[tuple[Shown, ...]]] = [], []
    for line, cells in zip(table.rows, table.cells, strict=True):
        name = Shown(line.full_name, line.full_name, line.link)
        rows[line.summary].append((name, *map(_shown, cells)))
    groups = [(name, len(list(of))) for name, of in groupby(line.group for line in table.columns)]
    above = ((("", 1), *groups)) if any(name for name, _ in groups) else ()
    return Grid(((table.corner, False), *columns), tuple(rows[0]), tuple(rows[1]), above)


def _shown(cell: Cell) -> Shown:
    star = "*" if cell.star else ""
    return Shown(f"{cell.text}{_MARKS[cell.mark]}{star}", cell.order, more=cell.behind)
