"""A table as text, whatever file it came from: its header, its rows, and the place of each cell."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from creaeval.data.grids.grid import Place
from creaeval.data.ids import clean_id
from creaeval.tasks import fold

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from creaeval.data.grids.grid import CellIssue
    from creaeval.errors import Problems

_Value = TypeVar("_Value")

ID_COLUMNS = ("response_id", "id")
#: What is expected in cells whose text must stand exactly as it was typed.
_NAMES = ("an id", "a rater's name")


@dataclass(frozen=True)
class Row:
    """One row: its texts and issues by column; ``number`` is the one a spreadsheet shows."""

    number: int
    cells: dict[str, str]
    issues: dict[str, CellIssue] = field(default_factory=dict)


@dataclass(frozen=True)
class Table:
    """A table with its header as written, without outer spaces, and its rows that are not blank.

    ``sheet`` is None unless the table stands in a workbook. ``questions`` has what a survey asked, by column;
    ``labels`` what values of a column mean; ``above`` what stands above the header, a title say.
    ``header_row`` counts from 1.
    """

    path: Path
    header: tuple[str, ...]
    rows: tuple[Row, ...]
    sheet: str | None = None
    questions: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    above: str = ""
    header_row: int = 1

    def column(self, *names: str) -> str | None:
        """Return the header of the first of these columns that is there, whatever its case."""
        return find_column(self.header, *names)

    @property
    def where(self) -> str:
        """The table's place in words."""
        return f"{self.path}" if self.sheet is None else f"{self.path}, {self.sheet}"

    def row_place(self, row: Row) -> str:
        """Return a row's place, such as ``a.csv, row 3``."""
        return f"{self.where}, row {row.number}"

    def cell_place(self, row: Row, title: str) -> Place:
        """Return the place of a cell."""
        return Place(self.path, self.sheet, row.number, self.header.index(title) + 1, title)

    def read(self, row: Row, title: str, expected: str, problems: Problems) -> str | None:
        """Return a cell's text; None, and a problem is noted, where it is not what is ``expected``.

        A date, a truth value, an error or a formula without a value is a problem everywhere; some numbers are
        where an id is expected.
        """
        issue = row.issues.get(title)
        if issue is None or (issue.only_ids and expected not in _NAMES):
            return row.cells[title]
        name = self.cell_place(row, title).name
        problems.add(f"{self.path}: {name} is {issue.what} where {expected} is due. {issue.advice}")
        return None

    def read_as(
        self, row: Row, title: str, expected: str, problems: Problems, read: Callable[[str], _Value]
    ) -> _Value | None:
        """Return what ``read`` makes of a cell; None, and a problem is noted, where it cannot be read."""
        text = self.read(row, title, expected, problems)
        if text is None:
            return None
        try:
            return read(text)
        except ValueError as error:
            problems.add(f"{self.cell_place(row, title)}: {error}.")
            return None

    def read_id(self, row: Row, title: str, problems: Problems) -> str | None:
        """Return the id in a cell; None, and a problem is noted, where there is none."""
        return self.read_as(row, title, "an id", problems, clean_id)


def find_column(header: Sequence[str], *names: str) -> str | None:
    """Return the first of these columns that a header has, whatever its case."""
    titles: dict[str, str] = {}
    for title in header:
        titles.setdefault(fold(title), title)
    return next((titles[fold(name)] for name in names if fold(name) in titles), None)
