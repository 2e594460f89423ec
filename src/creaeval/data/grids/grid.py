"""A sheet of cells as text, before anybody knows what its rows and columns are."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from creaeval.data.ids import find_visible

if TYPE_CHECKING:
    from pathlib import Path


class CellIssue(NamedTuple):
    """Why a workbook's cell does not hold what somebody typed: ``what`` it is and ``advice`` on what to do.

    ``only_ids``: it is in the way only where an id is expected.
    """

    what: str
    advice: str
    only_ids: bool = False


class Place(NamedTuple):
    """Where a cell stands: ``column`` counts from 1, ``title`` is the column's name where it has one.

    ``sheet`` is None unless the file is a workbook.
    """

    file: Path
    sheet: str | None
    row: int
    column: int
    title: str = ""

    def __str__(self) -> str:
        return f"{self.file}, {self.name}"

    @property
    def name(self) -> str:
        """The cell's name within its file: ``row 3, column 'score'`` or ``ratings!D3``."""
        if self.sheet is None:
            return f"row {self.row}, column {self.title!r}" if self.title else f"row {self.row}"
        return f"{quote_sheet(self.sheet)}!{column_letters(self.column)}{self.row}"


def column_letters(number: int) -> str:
    """Name a column as spreadsheets do, 1 as A."""
    letters = ""
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def quote_sheet(name: str) -> str:
    """Write a sheet's name as formulas have it."""
    return name if re.fullmatch(r"\w+", name) else f"'{name}'"


@dataclass
class Grid:
    """Rows of texts; ``rows[0]`` is row 1 of the file, and rows may be of different lengths.

    ``sheet`` is None unless the file is a workbook. ``issues`` are by row, from 1, and column, from 0.
    ``labels`` has, for columns of a statistics program, what their values mean.
    """

    path: Path
    sheet: str | None
    rows: list[list[str]]
    issues: dict[tuple[int, int], CellIssue] = field(default_factory=dict)
    hidden: bool = False
    labels: dict[str, dict[str, str]] = field(default_factory=dict)
    questions: dict[str, str] = field(default_factory=dict)

    @property
    def where(self) -> str:
        """The sheet's place in words."""
        return f"{self.path}" if self.sheet is None else f"{self.path}, {self.sheet}"

    def __str__(self) -> str:
        name = self.sheet or self.path.name
        return f"{name} (hidden)" if self.hidden else name

    def blank(self, number: int) -> bool:
        """Whether row ``number``, from 1, holds nothing that anybody can see."""
        row = self.rows[number - 1]
        return not any(map(find_visible, row)) and not any(
            (number, column) in self.issues for column in range(len(row))
        )

    def filled(self) -> list[int]:
        """Return the numbers of the rows that are not blank."""
        return [number for number in range(1, len(self.rows) + 1) if not self.blank(number)]

    def text(self, row: int, column: int) -> str:
        """Return a cell's text, by row from 1 and column from 0; nothing beyond the row's end."""
        cells = self.rows[row - 1] if row <= len(self.rows) else []
        return cells[column] if column < len(cells) else ""
