"""A table as text, whatever file it came from: its header, its rows, and the place of each cell."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from creaeval.data.ids import attempt, clean_id, clean_name, find_visible
from creaeval.errors import DataError, Problems
from creaeval.tasks import fold

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

_Value = TypeVar("_Value")

ID_COLUMNS = ("response_id", "id")
#: What is expected in cells whose text must stand exactly as it was typed.
_NAMES = ("an id", "a rater's name")


class CellIssue(NamedTuple):
    """Why a workbook's cell does not hold what somebody typed: ``what`` it is and ``advice`` on what to do.

    ``only_ids``: it is in the way only where an id is expected.
    """

    what: str
    advice: str
    only_ids: bool = False


class Cell(NamedTuple):
    """A cell's text, and what is wrong with it."""

    text: str
    issue: CellIssue | None = None

    @property
    def blank(self) -> bool:
        """Whether nothing is in it."""
        return self.issue is None and find_visible(self.text) is None


BLANK = Cell("")


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
            return f"row {self.row}, column {self.title!r}"
        letters, column = "", self.column
        while column:
            column, rest = divmod(column - 1, 26)
            letters = chr(ord("A") + rest) + letters
        return f"{quote_sheet(self.sheet)}!{letters}{self.row}"


def quote_sheet(name: str) -> str:
    """Write a sheet's name as formulas have it."""
    return name if re.fullmatch(r"\w+", name) else f"'{name}'"


@dataclass(frozen=True)
class Row:
    """One row: its texts and issues by column; ``number`` is the one a spreadsheet shows."""

    number: int
    cells: dict[str, str]
    issues: dict[str, CellIssue] = field(default_factory=dict)


@dataclass(frozen=True)
class Table:
    """A table with its header as written, without outer spaces, and its rows that are not blank.

    ``sheet`` is None unless the table stands in a workbook.
    """

    path: Path
    header: tuple[str, ...]
    rows: tuple[Row, ...]
    sheet: str | None = None

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
        return None if text is None else attempt(problems, self.cell_place(row, title), read, text)

    def read_id(self, row: Row, title: str, problems: Problems) -> str | None:
        """Return the id in a cell; None, and a problem is noted, where there is none."""
        return self.read_as(row, title, "an id", problems, clean_id)


def find_column(header: Sequence[str], *names: str) -> str | None:
    """Return the first of these columns that a header has, whatever its case."""
    titles: dict[str, str] = {}
    for title in header:
        titles.setdefault(fold(title), title)
    return next((titles[fold(name)] for name in names if fold(name) in titles), None)


def make_table(
    path: Path,
    sheet: str | None,
    records: Sequence[tuple[int, Sequence[Cell]]],
    length_problem: Callable[[int, int, int], str],
) -> Table:
    """Make a table of numbered rows that are not blank, the first of which is the header.

    ``length_problem`` says that a row (its number, cells found, cells expected) has more or fewer cells than
    the header. DataError with every problem: a repeated, empty or unreadable name in the header, a row of
    another length, no rows.
    """
    header_row, first = records[0]
    titles = list(first)
    while titles[-1].blank:
        titles.pop()
    header = [clean_name(title.text) for title in titles]
    problems = Problems()
    problems.extend(_header_problems(path, sheet, header_row, titles, header))
    rows: list[Row] = []
    for number, cells in records[1:]:
        if len(cells) < len(header) or not all(cell.blank for cell in cells[len(header) :]):
            problems.add(length_problem(number, len(cells), len(header)))
            continue
        named = list(zip(header, cells, strict=False))
        texts = {title: cell.text for title, cell in named}
        issues = {title: cell.issue for title, cell in named if cell.issue is not None}
        rows.append(Row(number, texts, issues))
    problems.stop()
    table = Table(path, tuple(header), tuple(rows), sheet)
    if not rows:
        raise DataError(f"{table.where}: has a header but no rows below it.")
    return table


def _header_problems(
    path: Path, sheet: str | None, row: int, titles: Sequence[Cell], header: Sequence[str]
) -> list[str]:
    problems = []
    for position, (cell, title) in enumerate(zip(titles, header, strict=True), 1):
        place = Place(path, sheet, row, position)
        if cell.issue is not None and sheet is not None and not cell.issue.only_ids:
            problems.append(f"{path}: {place.name} is {cell.issue.what} where a column's name is due.")
        elif not title and sheet is not None:
            problems.append(
                f"{path}: {place.name} is empty, so column {position} has no name in the header. Merged "
                "cells and headers of several rows are not read; give each column one name, in one row."
            )
        elif not title:
            problems.append(f"{path}, row {row}: column {position} has no name in the header.")
        elif title.casefold() in map(str.casefold, header[: position - 1]):
            where = f"{path}, row {row}" if sheet is None else f"{path}, {sheet}, row {row}"
            problems.append(f"{where}: the column {title!r} is there twice.")
    return problems
