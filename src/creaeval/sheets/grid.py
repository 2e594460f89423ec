"""Read a ranking grid as people write it, and check that every criterion's column holds each rank once.

A line becomes cells, the numbers at its end are values, and what stands before them is the row's label. Only
then is asked what the rows mean: which number is the solution's, which are ranks, which is a total. Where two
answers fit, none is taken and the reason is given.
"""

from __future__ import annotations

import math
import re
import unicodedata
from dataclasses import dataclass, field
from itertools import dropwhile, pairwise, takewhile
from typing import TYPE_CHECKING

from creaeval.sheets.evidence import Record

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: What separates cells, the surest first: a label may hold commas and spaces, but hardly a bar.
_BARS = re.compile(r"[|│┃]")
_TABS = re.compile(r"\t")
_MARKS = (_BARS, _TABS, *map(re.compile, (r";", r"[,、]", r"\s{2,}")))
_ANY_MARK = re.compile(r"[|│┃;,、\s]+")
_NUMBER = re.compile(r"[(\[]?([+-]?\d{1,9}(?:[.,]\d{1,9})?)[)\]]?")
#: A last cell with words around its number: "34 (highest)", "总分34".
_REMARKED = re.compile(
    r"(?:total|sum|合计|总计|总分|总和)?\s*[:=]?\s*(\d{1,9}(?:[.,]\d{1,9})?)(?:\s*[^\d\s.,:)\]].*)?",
    re.IGNORECASE,
)
#: What separates a label from a number behind it that may be the first rank: "Solution 1: 8", "1. Fish | 8".
_BEFORE_NUMBER = re.compile(r"[\s:;、|│┃]")
#: How a label ends whose next number is a rank.
_LABEL_ENDS = tuple(":;、|│┃.)]=-\t")
_WORD_OR_NUMBER = re.compile(r"[^\W\d_]+|\d{1,9}")
_AROUND_CELLS = " \t_~\"'“”"
_BLANKS = frozenset({"", "-", "–", "—", "/", "?", "n/a", "na", "none"})
_TOTALS = frozenset(
    {"total", "totals", "sum", "sums", "average", "合计", "总计", "总分", "总和", "小计", "平均"}
)
_SOLUTIONS = frozenset({"solution", "solutions", "sol", "s"})
_CRITERIA = frozenset({"criterion", "criteria", "crit", "c"})
#: A number may follow so many words of a label ("Solution ID no. 1"); behind more it is part of a text.
_MOST_WORDS = 3
#: What stands for a cell without a rank: it is in no range of ranks, so its column is faulty.
_NO_RANK = 0


class GridCheck(Record):
    """Outcome of reading a grid.

    ``faulty_columns`` counts from 1, in the order of the criteria; ``score`` is None where no grid could be
    read, and ``note`` says in words what was read, or why nothing was.
    """

    score: int | None
    faulty_columns: tuple[int, ...] = ()
    note: str


def read_grid(text: str, n_criteria: int) -> list[list[int]] | None:
    """Read the ranks of a grid from text.

    Parameters
    ----------
    text : str
        A step's text: a row per solution, cells split by bars, tabs, semicolons, commas or spaces, with or
        without a header, a column of totals and a row of totals. A row begins with the solution's number
        (``1.``, ``Solution 1``, ``#1``, ``方案1``), its text, or both. Rows without either must end in their
        own sums, else the first rank could be the number. Criteria may be the rows where words say so.
    n_criteria : int
        How many criteria the grid has.

    Returns
    -------
    list of list of int, or None
        Ranks, one row per solution in the order of their numbers, one column per criterion; 0 where a cell
        holds no whole number. None if no grid can be read, or more than one.
    """
    try:
        return _read(text, n_criteria).ranks
    except _NotReadError:
        return None


def check_grid(text: str, n_criteria: int) -> GridCheck:
    """Score a ranking grid by its faulty columns: 5 with none, one point less for each, at least 1.

    The number of rows is the number of solutions, invalid ones included. Row totals and the named best
    solution do not count.

    Parameters
    ----------
    text : str
        The step's text.
    n_criteria : int
        How many criteria the grid has.

    Returns
    -------
    GridCheck

    References
    ----------
    CreaEval (arXiv 2609.03432), Table 18.
    """
    try:
        grid = _read(text, n_criteria)
    except _NotReadError as reason:
        return GridCheck(
            score=None,
            note=f"no grid of numbered solutions and {n_criteria} criteria could be read: {reason}; "
            "the judge's own value stands",
        )
    faulty = faulty_columns(grid.ranks)
    names = ", ".join(map(str, faulty))
    outcome = f"faulty columns: {names}" if faulty else "every column holds each rank once"
    size = ", ".join([f"{len(grid.ranks)} solutions", f"{n_criteria} criteria", *grid.remarks])
    return GridCheck(score=max(1, 5 - len(faulty)), faulty_columns=faulty, note=f"{size}; {outcome}")


def faulty_columns(grid: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Return the columns, from 1, that do not hold each of 1..n exactly once for n rows."""
    ranks = list(range(1, len(grid) + 1))
    return tuple(
        number for number, column in enumerate(zip(*grid, strict=True), 1) if sorted(column) != ranks
    )


class _NotReadError(Exception):
    """Why no grid was read."""


class _OtherSizeError(_NotReadError):
    """The rows are a table, but not one of the criteria."""


@dataclass(frozen=True)
class _Row:
    """One line: what stands before its numbers, and these; nan where a cell is empty."""

    label: str
    values: tuple[float, ...]

    @property
    def parts(self) -> list[str]:
        """Words and numbers of the label."""
        return _WORD_OR_NUMBER.findall(self.label.casefold())

    @property
    def words(self) -> tuple[str, ...]:
        """The words before the label's first number, or all of them."""
        return tuple(takewhile(lambda part: not part.isdecimal(), self.parts))

    @property
    def number(self) -> int | None:
        """The number that the label carries near its beginning."""
        behind = self.parts[len(self.words) :]
        return int(behind[0]) if behind and len(self.words) <= _MOST_WORDS else None


@dataclass
class _Table:
    """Rows that no other text interrupts, and the line above them."""

    header: str
    rows: list[_Row] = field(default_factory=list)


@dataclass(frozen=True)
class _Grid:
    """Ranks as read; ``numbered`` where the solutions' own numbers order them."""

    ranks: list[list[int]]
    numbered: bool
    remarks: tuple[str, ...] = ()


def _read(text: str, n_criteria: int) -> _Grid:
    """Read the only grid of a text."""
    if n_criteria < 1:
        raise _NotReadError("no criteria are known")
    tables = list(_tables(text, fewest=min(n_criteria, 3)))
    if not tables:
        raise _NotReadError("no line holds a solution and its ranks")
    if len(tables) == 1:
        return _read_table(tables[0], n_criteria)
    # A page break or a text may stand between rows of one grid; numbers that go on tie them together.
    whole = _Table(tables[0].header, [row for table in tables for row in table.rows])
    several = [table for table in tables if len(table.rows) > 1]
    if not several:
        return _read_table(whole, n_criteria)
    try:
        together = _read_table(whole, n_criteria)
    except _NotReadError:
        return _only(several, n_criteria)
    if together.numbered:
        return together
    if len(several) == 1:
        raise _NotReadError("a row without a number stands apart from the others, so it may be one of them")
    return _only(several, n_criteria)


def _only(tables: Sequence[_Table], n_criteria: int) -> _Grid:
    """Read the grid that all tables of its size agree on."""
    grids: list[_Grid] = []
    other_sizes: list[_OtherSizeError] = []
    for table in tables:
        try:
            grids.append(_read_table(table, n_criteria))
        except _OtherSizeError as error:
            other_sizes.append(error)
    if not grids:
        raise other_sizes[0]
    if any(grid.ranks != grids[0].ranks for grid in grids):
        raise _NotReadError(f"there are {len(grids)} grids, and they differ")
    return grids[0]


# From lines to rows ---------------------------------------------------------------------------------------


def _tables(text: str, fewest: int) -> Iterator[_Table]:
    """Yield the tables of a text; empty lines and rules do not interrupt them."""
    table = _Table("")
    for line in text.splitlines():
        # Full-width bars, commas and digits become plain; marks of emphasis say nothing.
        plain = re.sub(r"[*`]", "", unicodedata.normalize("NFKC", line).replace("−", "-"))
        if not any(map(str.isalnum, plain)):
            continue
        row = _read_row(plain, fewest)
        if row is not None:
            table.rows.append(row)
            continue
        if table.rows:
            yield table
        table = _Table(plain)
    if table.rows:
        yield table


def _read_row(line: str, fewest: int) -> _Row | None:
    """Read a row that ends in at least so many numbers, by the surest mark that gives them."""
    for mark in _MARKS:
        row = _row(_cells(line, mark), blanks=_BLANKS, sure=mark in (_BARS, _TABS))
        if len(row.values) >= fewest:
            return row
    words = [word for word in _cells(line, _ANY_MARK) if word]
    row = _row(words, blanks=frozenset(), sure=True)
    return row if len(row.values) >= fewest else None


def _cells(line: str, mark: re.Pattern[str]) -> list[str]:
    stripped = line.strip(" ") if mark is _TABS else line.strip()
    if mark is _BARS:
        # The bars at the edges of a table enclose cells, they do not separate them.
        stripped = re.sub(r"^[|│┃]|[|│┃]$", "", stripped)
    return [cell.strip(_AROUND_CELLS) for cell in mark.split(stripped)]


def _row(cells: Sequence[str], *, blanks: frozenset[str], sure: bool) -> _Row:
    """Split cells into a label and the values behind it; a blank cell among these is one, too."""
    values: list[float] = []
    remarked = _REMARKED.fullmatch(cells[-1]) if cells else None
    for cell in reversed([*cells[:-1], remarked[1]] if remarked else cells):
        value = math.nan if cell.casefold() in blanks else _value(cell)
        if value is None:
            break
        values.insert(0, value)
    values = list(dropwhile(math.isnan, values))
    label = " ".join(cells[: len(cells) - len(values)]).strip()
    # Split and not matched at once, which would take long for a long line.
    last = _BEFORE_NUMBER.split(label)[-1]
    before = label.removesuffix(last).rstrip(" ")
    rank = _value(last)
    if rank is not None and _ends_before_rank(before, sure=sure):
        return _Row(before, (rank, *values))
    return _Row(label, tuple(values))


def _ends_before_rank(label: str, *, sure: bool) -> bool:
    """Whether a number behind this label is a rank: where cells are sure, the label must end in its own."""
    row = _Row(label, ())
    if label.endswith(("|", "│", "┃")):
        return True
    if sure:
        return row.number is not None and len(row.parts) == len(row.words) + 1
    return row.number is not None or label.endswith(_LABEL_ENDS)


def _value(cell: str) -> float | None:
    number = _NUMBER.fullmatch(cell)
    return float(number[1].replace(",", ".")) if number else None


# From rows to ranks ---------------------------------------------------------------------------------------


def _read_table(table: _Table, n_criteria: int) -> _Grid:
    """Read the ranks of a table, with solutions or criteria as its rows."""
    rows = _without_margins(table.rows)
    if len(rows) < 2:
        raise _OtherSizeError("only one row holds ranks")
    widths = sorted({len(row.values) for row in rows})
    if len(widths) > 1:
        raise _OtherSizeError(f"rows hold {widths[0]} to {widths[-1]} numbers, not equally many")
    numbers, values = _numbered(rows)
    if numbers is not None:
        values = [row for _, row in sorted(zip(numbers, values, strict=True), key=lambda pair: pair[0])]
    in_rows = _what_rows_are(rows, table.header)
    if in_rows == "criteria":
        return _turned(values, n_criteria)
    grid = _ranks(values, n_criteria, numbered=numbers is not None)
    if in_rows is None and len(values) == n_criteria and not _end_in_sums(values):
        turned = _turned(values, n_criteria)
        if len(faulty_columns(turned.ranks)) < len(faulty_columns(grid.ranks)):
            raise _NotReadError("rows and columns could both be the solutions, and nothing says which are")
    return grid


def _without_margins(rows: Sequence[_Row]) -> list[_Row]:
    """Leave out a header of numbers and a row of column totals."""
    kept = list(rows)
    if len(kept) > 2 and _is_header(kept[0], kept[1:]):
        kept = kept[1:]
    if len(kept) > 2 and _is_totals(kept[-1], kept[:-1]):
        kept = kept[:-1]
    return kept


def _is_header(first: _Row, others: Sequence[_Row]) -> bool:
    """Whether a row only counts the columns: its numbers are 1, 2, 3 and it is unlike the rows below."""
    if first.number is not None or first.values != tuple(range(1, len(first.values) + 1)):
        return False
    other_width = all(len(row.values) != len(first.values) for row in others)
    names_solutions = _names(first.words, _SOLUTIONS, "方案") and len({row.label for row in others}) > 1
    return other_width or names_solutions or all(row.number is not None for row in others)


def _is_totals(last: _Row, others: Sequence[_Row]) -> bool:
    """Whether a row holds totals of columns: it says so, or it lacks a label and its values are no ranks."""
    if last.number is not None:
        return False
    if not _TOTALS.isdisjoint(last.words):
        return True
    lacks_label = not last.label and all(row.label or len(row.values) > len(last.values) for row in others)
    return lacks_label and all(math.isnan(value) or value > len(others) for value in last.values)


def _numbered(rows: Sequence[_Row]) -> tuple[list[int] | None, list[tuple[float, ...]]]:
    """Find the rows' numbers, in their labels or first cells; None where texts or sums tell them apart."""
    values = [row.values for row in rows]
    numbers = [row.number for row in rows]
    if not any(row.number is not None for row in rows) and len({row.label.casefold() for row in rows}) == 1:
        # Nothing but the first number can tell rows of one label apart, unless each ends in its sum:
        # ranks from 1 to n cannot be the sums of others that hold 1 to n, too.
        if not rows[0].label and _end_in_sums(values):
            return None, values
        first = [row[0] for row in values]
        if sorted(first) != list(range(1, len(rows) + 1)):
            raise _NotReadError(
                "rows neither begin with the numbers or texts of the solutions nor all end in their own sum "
                f"(first numbers: {_listed(first)})"
            )
        return list(map(int, first)), [row[1:] for row in values]
    if None in numbers or len({row.words for row in rows}) > 1:
        if any(row.number is not None and not row.words for row in rows):
            raise _NotReadError("some rows begin with a solution's number and others do not")
        if all(row.parts and row.parts[-1].isdecimal() for row in rows):
            raise _NotReadError("the texts of the solutions end in numbers, which may be their first ranks")
        # Numbers behind different words belong to the solutions' texts.
        return None, values
    known = [number for number in numbers if number is not None]
    if sorted(known) != list(range(1, len(rows) + 1)):
        raise _NotReadError(f"solutions are not numbered 1 to {len(rows)} once each, but {_listed(known)}")
    return known, values


def _ranks(values: Sequence[tuple[float, ...]], n_criteria: int, *, numbered: bool) -> _Grid:
    """Take the ranks of rows of solutions, which may go on with a total and a final place."""
    width = len(values[0])
    places = list(range(1, len(values) + 1))
    last = [row[-1] for row in values]
    rest = [row[:-1] for row in values]
    if width == n_criteria and not _end_in_sums(values):
        if width > 1 and min(last) > len(values) >= max(map(max, rest)):
            raise _NotReadError("the last numbers are too high for ranks, so they may be totals of fewer")
        return _Grid(_whole(values), numbered)
    if width == n_criteria + 1 and sorted(last) != places and not _end_in_sums(rest):
        if not numbered and not _end_in_sums(values) and sorted(row[0] for row in values) == places:
            raise _NotReadError(
                "the first number of each row could be the solution's, and the last number could be a total"
            )
        return _Grid(_whole(rest), numbered, ("totals left aside",))
    if width == n_criteria + 2 and _end_in_sums(rest):
        remarks = ("totals and what follows them left aside",)
        return _Grid(_whole([row[:n_criteria] for row in values]), numbered, remarks)
    totals = _end_in_sums(values)
    numbers = f"{width - 1} numbers and their total" if totals else f"{width} numbers"
    raise _OtherSizeError(
        f"rows hold {numbers} behind the solution's own number or text, where {n_criteria} criteria take "
        f"{n_criteria} ranks, with or without a total"
    )


def _turned(values: Sequence[tuple[float, ...]], n_criteria: int) -> _Grid:
    """Take the ranks of rows of criteria, whose columns are the solutions."""
    if len(values) != n_criteria:
        raise _OtherSizeError(f"{len(values)} criteria are rows, where {n_criteria} are known")
    if len(values[0]) < 2:
        raise _OtherSizeError("only one column holds ranks")
    return _Grid(_whole(list(zip(*values, strict=True))), numbered=True, remarks=("solutions as columns",))


def _what_rows_are(rows: Sequence[_Row], header: str) -> str | None:
    """Say by their labels and the header's whether rows are solutions or criteria; None if no word does."""
    labels = rows[0].words if all(row.words == rows[0].words for row in rows) else ()
    parts = _WORD_OR_NUMBER.findall(header.casefold())
    columns = [word for word, number in pairwise(parts) if number.isdecimal()]
    solutions = sum(_names([word], _SOLUTIONS, "方案") for word in columns)
    criteria = sum(_names([word], _CRITERIA, "标准", "准则", "指标") for word in columns)
    says_solutions = _names(labels, _SOLUTIONS, "方案") or criteria > max(solutions, 1)
    says_criteria = _names(labels, _CRITERIA, "标准", "准则", "指标") or solutions > max(criteria, 1)
    if says_solutions and says_criteria:
        raise _NotReadError("the header and the rows' labels contradict each other")
    return "solutions" if says_solutions else "criteria" if says_criteria else None


def _names(words: Sequence[str], latin: frozenset[str], *chinese: str) -> bool:
    """Whether words name a thing: in Chinese, whose words are not separated, by their end."""
    return any(word in latin or word.endswith(chinese) for word in words)


def _end_in_sums(values: Sequence[tuple[float, ...]]) -> bool:
    """Whether the last of each row's three numbers or more is the sum of the others."""
    return all(len(row) > 2 and sum(row[:-1]) == row[-1] for row in values)


def _whole(values: Sequence[Sequence[float]]) -> list[list[int]]:
    """Make ranks of values: what is no whole number is no rank, which its column shows as a fault."""
    return [[int(value) if value.is_integer() else _NO_RANK for value in row] for row in values]


def _listed(values: Sequence[float]) -> str:
    return ", ".join(f"{value:g}" for value in values[:12]) + (", …" if len(values) > 12 else "")
