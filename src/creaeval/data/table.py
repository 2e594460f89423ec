"""A table as text, whatever file it came from: its header, its rows, and the place of each cell in words."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from creaeval.data.ids import clean_name
from creaeval.errors import DataError
from creaeval.tasks import fold

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

ID_COLUMNS = ("response_id", "id")
_NAMES = ("an id", "a rater's name")


@dataclass(frozen=True)
class Odd:
    """A cell of a workbook that does not hold what somebody wrote, such as a date.

    ``what`` names it and ``advice`` says what to do; ``only_ids``: it is in the way only where an id is due.
    """

    what: str
    advice: str
    only_ids: bool = False


@dataclass(frozen=True)
class Cell:
    """A cell's text, and what is odd about it."""

    text: str
    odd: Odd | None = None

    @property
    def blank(self) -> bool:
        """Whether nothing is in it."""
        return self.odd is None and not clean_name(self.text)


@dataclass(frozen=True)
class Row:
    """One row; ``number`` is the one a spreadsheet shows."""

    number: int
    cells: dict[str, str]
    odd: dict[str, Odd] = field(default_factory=dict)


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

    def cell_name(self, row: Row, title: str) -> str:
        """Return a cell's name within its file: ``row 3, column 'score'`` or ``ratings!D3``."""
        if self.sheet is None:
            return f"row {row.number}, column {title!r}"
        return cell_name(self.sheet, self.header.index(title) + 1, row.number)

    def cell_place(self, row: Row, title: str) -> str:
        """Return a cell's place: its name after the file's."""
        return f"{self.path}, {self.cell_name(row, title)}"

    def read(self, row: Row, title: str, due: str, problems: list[str]) -> str | None:
        """Return a cell's text.

        Parameters
        ----------
        row : Row
            The row.
        title : str
            The column.
        due : str
            What is expected there, such as ``"a score"`` or ``"an id"``.
        problems : list of str
            If the cell holds a date, a truth value, an error or a formula without a value, it is named here.

        Returns
        -------
        str or None
            None if the cell was named among the problems.
        """
        odd = row.odd.get(title)
        if odd is None or (odd.only_ids and due not in _NAMES):
            return row.cells[title]
        problems.append(
            f"{self.path}: {self.cell_name(row, title)} is {odd.what} where {due} is due. {odd.advice}"
        )
        return None


def find_column(header: Sequence[str], *names: str) -> str | None:
    """Return the first of these columns that a header has, whatever its case."""
    for name in names:
        for title in header:
            if fold(title) == fold(name):
                return title
    return None


def cell_name(sheet: str, column: int, row: int) -> str:
    """Return a cell's name as a spreadsheet writes it, such as ``ratings!D3``."""
    letters = ""
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    name = sheet if re.fullmatch(r"\w+", sheet) else f"'{sheet}'"
    return f"{name}!{letters}{row}"


def make_table(
    path: Path,
    sheet: str | None,
    records: Sequence[tuple[int, Sequence[Cell]]],
    odd_length: Callable[[int, int, int], str],
) -> Table:
    """Make a table of records that are not blank, the first of which is the header.

    Parameters
    ----------
    path : Path
        The file.
    sheet : str or None
        The sheet of a workbook.
    records : sequence of (int, sequence of Cell)
        Each with the row's number; at least one.
    odd_length : callable
        Says in words that a row (its number, cells found, cells expected) has more or fewer cells than the
        header.

    Returns
    -------
    Table

    Raises
    ------
    DataError
        With every problem found: a repeated, empty or odd name in the header, a row of another length, no
        rows.
    """
    header_row, first = records[0]
    titles = list(first)
    while titles[-1].blank:
        titles.pop()
    header = [clean_name(title.text) for title in titles]
    problems = _header_problems(path, sheet, header_row, titles, header)
    rows: list[Row] = []
    for number, cells in records[1:]:
        if len(cells) < len(header) or not all(cell.blank for cell in cells[len(header) :]):
            problems.append(odd_length(number, len(cells), len(header)))
            continue
        named = list(zip(header, cells, strict=False))
        rows.append(
            Row(
                number,
                {title: cell.text for title, cell in named},
                {title: cell.odd for title, cell in named if cell.odd is not None},
            )
        )
    if problems:
        raise DataError(problems[0], problems[1:])
    table = Table(path, tuple(header), tuple(rows), sheet)
    if not rows:
        raise DataError(f"{table.where}: has a header but no rows below it.")
    return table


def _header_problems(
    path: Path, sheet: str | None, row: int, titles: Sequence[Cell], header: Sequence[str]
) -> list[str]:
    problems = []
    for position, (cell, title) in enumerate(zip(titles, header, strict=True), 1):
        if cell.odd is not None and sheet is not None and not cell.odd.only_ids:
            name = cell_name(sheet, position, row)
            problems.append(f"{path}: {name} is {cell.odd.what} where a column's name is due.")
        elif not title and sheet is not None:
            problems.append(
                f"{path}: {cell_name(sheet, position, row)} is empty, so column {position} has no name in "
                "the header. Merged cells and headers of several rows are not read; give each column one "
                "name, in one row."
            )
        elif not title:
            problems.append(f"{path}, row {row}: column {position} has no name in the header.")
        elif title.casefold() in map(str.casefold, header[: position - 1]):
            where = f"{path}, row {row}" if sheet is None else f"{path}, {sheet}, row {row}"
            problems.append(f"{where}: the column {title!r} is there twice.")
    return problems
