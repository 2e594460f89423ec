"""Make tables of data: of a long frame, of any frame, or of rows that were made by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, TypeAlias

from creaeval.report.display.labels import AVG, SHARE_OF_HUMAN, line_of, measure_form
from creaeval.report.display.numbers import p_value, span
from creaeval.report.display.table import Cell, DisplayTable, Line
from creaeval.wording import first_few

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import pandas as pd

    from creaeval.tasks import Task

#: A column of a list: its name in the frame, how its numbers are written, whether with the interval.
Column: TypeAlias = tuple[str] | tuple[str, str] | tuple[str, str, bool]
_MOST_NOTES = 10
_MOST_NAMES = 4
#: Columns of plain tables that say what a row is of, so that every part of a broken table has them.
_WHO = "method judge rater scorer kind dimension metric measure analyst first second group".split()  # noqa: SIM905


def table_of(
    title: str,
    columns: Sequence[str | Line],
    rows: Iterable[tuple[Line | str, Sequence[Cell]]],
    *,
    corner: str = "",
    caption: str = "",
    notes: Iterable[str] = (),
) -> DisplayTable:
    """Make a table of rows, each a name and its cells.

    Parameters
    ----------
    title, corner, caption, notes
        As for :class:`DisplayTable`.
    columns : sequence of str or Line
        Their headings.
    rows : iterable of (Line or str, sequence of Cell)
        Names and cells.

    Returns
    -------
    DisplayTable
    """
    made = [(name if isinstance(name, Line) else Line(name), tuple(cells)) for name, cells in rows]
    headings = tuple(name if isinstance(name, Line) else Line(name) for name in columns)
    lines, cells = tuple(line for line, _ in made), tuple(row for _, row in made)
    return DisplayTable(title, headings, lines, cells, corner, caption, tuple(notes))


def plain_table(
    frame: pd.DataFrame,
    title: str = "",
    *,
    digits: int = 3,
    foot: int = 0,
    notes: Iterable[str] = (),
    links: Mapping[str, str] | None = None,
) -> DisplayTable:
    """Show a frame as it is, its first column as the rows' names.

    Parameters
    ----------
    frame : pandas.DataFrame
        Numbers, texts, missing values, or cells that were made before.
    title : str
        What it shows.
    digits : int
        Decimals of columns whose numbers are not all whole.
    foot : int
        How many of the last rows sum the others up.
    notes : iterable of str
        Said below.
    links : mapping of str to str, optional
        By row name the page of the HTML report that it leads to.

    Returns
    -------
    DisplayTable
    """
    names = [str(name).strip() for name in frame.columns]
    shown = [_plain_column(frame.iloc[:, place], digits) for place in range(len(names))]
    rows = []
    for place, (first, *cells) in enumerate(zip(*shown, strict=True)):
        link = (links or {}).get(first.text, "")
        rows.append((Line(first.text, summary=place >= len(frame) - foot, link=link), cells))
    columns = [Line(name, every=name in _WHO) for name in names[1:]]
    return table_of(title, columns, rows, corner="".join(names[:1]), notes=notes)


def _plain_column(values: Iterable[Any], digits: int) -> list[Cell]:
    """Make the cells of a column; numbers that are all whole have no decimals."""
    cells = [plain_cell(value, digits) for value in values]
    numbers = [cell.value for cell in cells if isinstance(cell.value, float) and not cell.words]
    if any(not value.is_integer() for value in numbers if not math.isnan(value)):
        return cells
    return [replace(cell, form=",.0f") if isinstance(cell.value, float) else cell for cell in cells]


def plain_cell(value: Any, digits: int = 3) -> Cell:
    """Make a cell of any value."""
    if isinstance(value, Cell):
        return value
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return Cell(math.nan)
    if isinstance(value, bool) or type(value).__name__ == "bool":
        return Cell("yes" if value else "no")
    if isinstance(value, Integral):
        return Cell(int(value), form=",d")
    if isinstance(value, Real):
        return Cell(float(value), form=f",.{digits}f")
    return Cell(str(value))


def list_table(
    frame: pd.DataFrame,
    name: str,
    columns: Mapping[str, Column],
    title: str = "",
    *,
    task: Task | None = None,
    group: str = "",
    notes: Iterable[str] = (),
) -> DisplayTable:
    """Show chosen columns of a frame, each row under a name.

    Parameters
    ----------
    frame : pandas.DataFrame
        Where it has ``value`` and ``dimension``, what is undefined is said below.
    name : str
        The column of the rows' names.
    columns : mapping of str to tuple
        By heading the frame's column; the format of its numbers (``p`` for p values), none for texts; and
        whether the row's interval stands behind.
    title : str
        What it shows.
    task : Task, optional
        Whose dimensions are named.
    group : str
        The column by which rows stand together, if any.
    notes : iterable of str
        Said below.

    Returns
    -------
    DisplayTable
    """
    records = records_of(frame)
    told = undefined_notes(records, name, "dimension", task) if {"value", "dimension"} <= set(frame) else []
    rows = []
    for row in records:
        line = line_of(name, str(row[name]), task)
        if "dimension" in row:
            row["dimension"] = line_of("dimension", str(row["dimension"]), task).full_name
        cells = [listed_cell(row, *column) for column in columns.values()]
        rows.append((replace(line, group=str(row[group])) if group else line, cells))
    return table_of(title, list(columns), rows, corner=name, notes=[*told, *notes])


def listed_cell(record: Mapping[str, Any], column: str, form: str = "", interval: bool = False) -> Cell:
    """Make the cell of one column of a list; see :func:`list_table`."""
    if not form:
        return plain_cell(record[column])
    value = float(record[column])
    if form == "p":
        return Cell() if math.isnan(value) else Cell(value, words=p_value(value))
    return value_cell(record, column, form) if interval else Cell(value, form=form)


def cross_table(
    frame: pd.DataFrame,
    rows: str,
    columns: str,
    title: str = "",
    *,
    task: Task | None = None,
    row_group: str = "",
    notes: Iterable[str] = (),
) -> DisplayTable:
    """Lay a long frame out with one of its columns down and another across.

    Parameters
    ----------
    frame : pandas.DataFrame
        A row for each cell. ``value``, and where they are there ``low``, ``high``, ``n``, ``defined``,
        ``reason``, ``rank`` and ``significant`` (of the best against the second).
    rows, columns : str
        Names of the columns that say what a row and a column is. Those called ``dimension``, ``metric`` and
        ``measure`` get the names that people know.
    title : str
        What it shows.
    task : Task, optional
        Whose dimensions are named, and stand under their steps.
    row_group : str
        The column by which rows stand together, if any.
    notes : iterable of str
        Said below the notes on what is undefined.

    Returns
    -------
    DisplayTable
        With n in the caption; where it differs, in a last column or row.
    """
    records = records_of(frame)
    down: dict[tuple[str, str], Line] = {}
    across: dict[str, Line] = {}
    by_place: dict[tuple[tuple[str, str], str], dict[str, Any]] = {}
    for record in records:
        key, heading = (str(record.get(row_group, "")), str(record[rows])), str(record[columns])
        line = line_of(rows, key[1], task)
        down[key] = Line(line.name, key[0], line.summary, line.every) if row_group else line
        across[heading] = line_of(columns, heading, task)
        by_place[key, heading] = record
    cells = [
        [value_cell(by_place[key, heading]) if (key, heading) in by_place else Cell() for heading in across]
        for key in down
    ]
    # A share has the n of what it is a share of.
    counts = [
        [
            by_place.get((key, heading), {}).get("n") if heading != SHARE_OF_HUMAN else None
            for heading in across
        ]
        for key in down
    ]
    told = [*undefined_notes(records, rows, columns, task), *_star_notes(records), *notes]
    table = DisplayTable(
        title,
        tuple(across.values()),
        tuple(down.values()),
        tuple(map(tuple, cells)),
        notes=tuple(told),
        turns=True,
    )
    return with_n(table, counts)


def records_of(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """List a frame's rows by the names of its columns."""
    return [{str(name): value for name, value in row.items()} for row in frame.to_dict("records")]


def value_cell(record: Mapping[str, Any], name: str = "value", form: str = "") -> Cell:
    """Make the cell of a value with its interval, its rank and its star."""
    rank = record.get("rank")
    place = 0 if rank is None or rank != rank or str(rank) == "<NA>" else int(rank)
    measure = str(record.get("metric", record.get("measure", "")))
    return Cell(
        float(record[name]),
        float(record.get("low", math.nan)),
        float(record.get("high", math.nan)),
        form or measure_form(measure),
        "best" if place == 1 else "second" if place == 2 else "",
        is_true(record.get("significant")),
    )


def count_cell(numbers: Iterable[float]) -> Cell:
    """Make the cell of numbers of responses that may be the same."""
    whole = [int(value) for value in numbers]
    return Cell(min(whole), form=",d", words=span(whole)) if whole else Cell()


def is_true(value: Any) -> bool:
    """Say whether a value that may be missing is true."""
    return str(value) == "True"


def undefined_notes(
    records: Iterable[Mapping[str, Any]], rows: str, columns: str, task: Task | None = None
) -> list[str]:
    """Say what is undefined, wholly or in part, and why: of each row the columns of one reason together."""
    cases: dict[tuple[str, str], list[str]] = {}
    for record in records:
        if told := _undefined(record):
            row = line_of(rows, str(record[rows]), task).full_name
            column = line_of(columns, str(record[columns]), task).full_name
            cases.setdefault((row, told), []).append(column)
    lines = [
        f"{row}, {first_few(list(dict.fromkeys(names)), _MOST_NAMES)}: {told}"
        for (row, told), names in cases.items()
    ]
    if len(lines) > _MOST_NOTES:
        rest = len(lines) - _MOST_NOTES
        lines[_MOST_NOTES:] = [f"… and {rest} more such cases; the CSV file has all."]
    return lines


def _undefined(record: Mapping[str, Any]) -> str:
    reason = str(record.get("reason") or "")
    if math.isnan(float(record["value"])):
        return f"undefined ({reason})." if reason else "undefined."
    defined = str(record.get("defined", ""))
    if len(set(defined.split(" of "))) < 2:
        return ""
    # The reasons of an average stand with its dimensions.
    because = f" ({reason})" if reason and AVG not in record.values() else ""
    return f"mean of {defined} values, the others are undefined{because}."


def _star_notes(records: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    if any(is_true(record.get("significant")) for record in records):
        yield "* p < .05 against the second best."


def with_n(table: DisplayTable, counts: Sequence[Sequence[int | None]]) -> DisplayTable:
    """Say n in the caption; where it differs, in a column or, where it differs within rows, in a row."""
    by_row = [[n for n in row if n is not None] for row in counts]
    every = {int(n) for row in by_row for n in row}
    if len(every) < 2:
        return replace(table, caption=f"n = {every.pop():,}") if every else table
    if all(len(set(row)) < 2 for row in by_row):
        cells = tuple((*row, count_cell(ns)) for row, ns in zip(table.cells, by_row, strict=True))
        return replace(table, columns=(*table.columns, Line("n", summary=True)), cells=cells)
    by_column = [[n for n in column if n is not None] for column in zip(*counts, strict=True)]
    last = tuple(map(count_cell, by_column))
    return replace(table, rows=(*table.rows, Line("n", summary=True, every=True)), cells=(*table.cells, last))
