"""Check a ranking grid: every criterion's column must hold each rank once."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from creaeval.sheets.evidence import Record

if TYPE_CHECKING:
    from collections.abc import Sequence

_CELL_BREAK = re.compile(r"\s*[|\t;]\s*|\s{2,}|\s*,\s*")


class GridCheck(Record):
    """Outcome of reading a grid.

    ``faulty_columns`` counts from 1, in the order of the criteria; ``score`` is None where no grid could be
    read, and ``note`` says in words what was found.
    """

    score: int | None
    faulty_columns: tuple[int, ...] = ()
    note: str


def read_grid(text: str, n_criteria: int) -> list[list[int]] | None:
    """Read the ranks of a grid from text.

    Parameters
    ----------
    text : str
        A step's text: one row per solution, cells parted by ``|``, tabs, commas or wide gaps. A row starts
        with the solution's number and may end with the row's total.
    n_criteria : int
        How many criteria the grid has.

    Returns
    -------
    list of list of int, or None
        Ranks, one row per solution without its number and total; None if fewer than two rows of one form
        are found, or the rows are not numbered 1, 2, 3 and so on.
    """
    rows: list[list[int]] = []
    for line in text.splitlines():
        cells = _CELL_BREAK.split(unicodedata.normalize("NFKC", line).strip().strip("|").strip())
        if len(cells) not in (n_criteria + 1, n_criteria + 2):
            continue
        if all(re.fullmatch(r"-?\d+", cell) for cell in cells):
            rows.append([int(cell) for cell in cells])
    if len(rows) < 2 or len({len(row) for row in rows}) != 1:
        return None
    if [row[0] for row in rows] != list(range(1, len(rows) + 1)):
        return None
    return [row[1 : n_criteria + 1] for row in rows]


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
    grid = read_grid(text, n_criteria)
    if grid is None:
        return GridCheck(
            score=None,
            note=f"no grid of numbered solutions and {n_criteria} criteria could be read; "
            "the judge's own value stands",
        )
    faulty = faulty_columns(grid)
    names = ", ".join(str(column) for column in faulty)
    note = f"{len(grid)} solutions, {n_criteria} criteria; " + (
        f"faulty columns: {names}" if faulty else "every column holds each rank once"
    )
    return GridCheck(score=max(1, 5 - len(faulty)), faulty_columns=faulty, note=note)


def faulty_columns(grid: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Return the columns, from 1, that do not hold each of 1..n exactly once for n rows."""
    ranks = list(range(1, len(grid) + 1))
    return tuple(
        number for number, column in enumerate(zip(*grid, strict=True), 1) if sorted(column) != ranks
    )
