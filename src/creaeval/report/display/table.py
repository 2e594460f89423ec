"""One table as people read it, whatever shows it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Literal

from creaeval.report.display.numbers import interval, number

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Cell:
    """One cell.

    Parameters
    ----------
    value : float or str, optional
        A number, which is also what the column is sorted by; nan where it is undefined; a text; None where
        nothing is to be said.
    low, high : float
        Ends of the value's interval; nan for none.
    form : str
        How the number is written, as for :func:`format`.
    mark : {"", "best", "second"}
        Its place among those it is compared with.
    star : bool
        Whether it is significant; the table's notes say of what.
    words : str
        Written in place of the number: ``<.001``, ``19–40``.
    note : str
        Written smaller behind the value.
    """

    value: float | str | None = None
    low: float = math.nan
    high: float = math.nan
    form: str = ",.3f"
    mark: Literal["", "best", "second"] = ""
    star: bool = False
    words: str = ""
    note: str = ""

    @property
    def text(self) -> str:
        """The value as it is written."""
        if self.words or self.value is None:
            return self.words
        return self.value if isinstance(self.value, str) else number(self.value, self.form)

    @property
    def interval(self) -> str:
        """The interval as it is written; nothing where there is none."""
        return interval(self.low, self.high)

    @property
    def behind(self) -> str:
        """What is written smaller behind the value: note and interval."""
        return " ".join(filter(None, (self.note, self.interval)))

    @property
    def order(self) -> float | str | None:
        """What it is sorted by; None for what is missing."""
        undefined = isinstance(self.value, float) and math.isnan(self.value)
        return None if undefined or self.value == "" else self.value


@dataclass(frozen=True)
class Line:
    """A row or a column.

    Parameters
    ----------
    name : str
        What it is called.
    group : str
        The heading that it stands under with its neighbours, such as a step.
    summary : bool
        Whether it sums the others up, so that it stays behind them.
    every : bool
        Whether it is repeated in every part of a table that is broken into several.
    link : str
        The page of the HTML report that its name leads to.
    """

    name: str
    group: str = ""
    summary: bool = False
    every: bool = False
    link: str = ""

    @property
    def full_name(self) -> str:
        """Name and group on one line."""
        return ": ".join(filter(None, (self.group, self.name)))


@dataclass(frozen=True)
class DisplayTable:
    """A table as people read it: rows and columns with their names, and a cell for each two of them.

    Parameters
    ----------
    title : str
        What it shows.
    columns, rows : tuple of Line
        Their names. Those that sum others up come last.
    cells : tuple of tuple of Cell
        Row by row.
    corner : str
        Heading of the rows' names.
    caption : str
        What holds for all cells, such as n.
    notes : tuple of str
        Said below.
    turns : bool
        Whether rows and columns may change places where that reads better.
    """

    title: str
    columns: tuple[Line, ...]
    rows: tuple[Line, ...]
    cells: tuple[tuple[Cell, ...], ...]
    corner: str = ""
    caption: str = ""
    notes: tuple[str, ...] = ()
    turns: bool = False

    @property
    def remarks(self) -> list[str]:
        """What is said below: the caption as a sentence, then the notes."""
        return [*([f"{self.caption}."] if self.caption else []), *self.notes]

    @property
    def is_marked(self) -> bool:
        """Whether any cell is marked as the best or second best."""
        return any(cell.mark for row in self.cells for cell in row)

    def column(self, place: int) -> list[Cell]:
        """Return the cells of one column."""
        return [row[place] for row in self.cells]

    def is_numeric(self, place: int) -> bool:
        """Say whether a column holds numbers, so that it is written to the right."""
        values = [cell.value for cell in self.column(place)]
        return any(not isinstance(value, str | None) for value in values) and not any(
            isinstance(value, str) and value for value in values
        )

    def turned(self) -> DisplayTable:
        """Return the table with rows and columns in each other's place."""
        cells = tuple(tuple(self.column(place)) for place in range(len(self.columns)))
        return replace(self, columns=self.rows, rows=self.columns, cells=cells)

    def select(self, places: Sequence[int]) -> DisplayTable:
        """Return the table with some of its columns."""
        cells = tuple(tuple(row[place] for place in places) for row in self.cells)
        return replace(self, columns=tuple(self.columns[place] for place in places), cells=cells)

    def parts(
        self, widths: Sequence[float], room: float, *, by_group: bool = False
    ) -> tuple[DisplayTable, ...]:
        """Break the table into parts whose columns fit into a room, between groups where that is possible.

        Parameters
        ----------
        widths : sequence of float
            Of the columns, in any unit.
        room : float
            What the columns of one part may take, in the same unit.
        by_group : bool
            Whether each group of a table that does not fit gets a part of its own.

        Returns
        -------
        tuple of DisplayTable
            The table itself where it fits.
        """
        if sum(widths) <= room:
            return (self,)
        every = [place for place, line in enumerate(self.columns) if line.every]
        left = room - sum(widths[place] for place in every)
        others = [place for place in range(len(widths)) if place not in every]
        if not others or left < max(widths[place] for place in others):
            every, left, others = [], room, list(range(len(widths)))
        parts: list[list[int]] = []
        used = math.inf
        for group, members in groupby(others, key=lambda place: self.columns[place].group):
            run = list(members)
            whole = sum(widths[place] for place in run)
            if used + whole > left or (by_group and group):
                used = math.inf
            for place in run:
                if used + widths[place] > left:
                    parts.append([])
                    used = 0
                parts[-1].append(place)
                used += widths[place]
        return tuple(self.select(sorted([*part, *every])) for part in parts)


def group_title(table: DisplayTable) -> str:
    """Name the group that all columns but the summing ones stand under; nothing where there are several."""
    groups = {line.group for line in table.columns if not (line.summary or line.every)}
    return groups.pop() if len(groups) == 1 else ""
