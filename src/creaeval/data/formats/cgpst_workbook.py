"""Ratings in the workbooks of CGPST's raters: one workbook a rater and scenario, one sheet a response.

The workbooks are not published. Where each value stands is taken from a description of the scoring sheet (the
authors' scripts and printed sheets), not from a real workbook.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from openpyxl.utils.cell import coordinate_to_tuple  # type: ignore[import-untyped,unused-ignore]

from creaeval.data.grids.grid import quote_sheet
from creaeval.data.ids import attempt, clean_id, clean_name, find_visible
from creaeval.data.rating_builder import CATEGORY, INVALID
from creaeval.tasks import fold, identities

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from creaeval.data.grids.grid import CellIssue, Grid
    from creaeval.data.rating_builder import RatingSource
    from creaeval.errors import Problems
    from creaeval.tasks import Task

_RATER, _SCENARIO, _ANSWER = "F2", "R2", "X2"
_ADVICE = (
    "Where each value stands is taken from a description of the CGPST sheet, not from a real workbook: if "
    "yours is laid out otherwise, give the ratings as a table."
)


def _cells(text: str) -> dict[str, str]:
    """Read parts with their columns or cells."""
    return dict(pair.split(":") for pair in text.split())


class _StepCells(NamedTuple):
    """Where a step's values stand: items by row and column, ``points`` given once a step, ``sums``."""

    rows: range = range(0)
    items: Mapping[str, str] = {}
    points: Mapping[str, str] = {}
    sums: Mapping[str, str] = {}

    @property
    def filled_in(self) -> list[str]:
        """The cells that a rater fills in; sums may be formulas."""
        item_cells = [f"{column}{row}" for row in self.rows for column in self.items.values()]
        return [*item_cells, *self.points.values()]


_ITEMS = _cells(f"{CATEGORY}:C {INVALID}:H elaboration:P originality:Q")
_STEPS: Mapping[str, _StepCells] = {
    "step1": _StepCells(
        rows=range(5, 13),
        items=_ITEMS,
        sums=_cells("fluency:W19 flexibility:W21 elaboration:W23 originality:W25 overall:W27"),
    ),
    "step2": _StepCells(
        points=_cells(
            "condition_phrase:U32 stem_kvp:U34 purpose:U37 fs_parameters:U40 focus:U43 adequacy:U46"
        ),
        sums=_cells("overall:W49"),
    ),
    "step3": _StepCells(
        rows=range(56, 64),
        items=_ITEMS,
        sums=_cells("fluency:W70 flexibility:W72 elaboration:W74 originality:W76 overall:W78"),
    ),
    "step4": _StepCells(
        rows=range(88, 93),
        items=_cells("correctly_written:C relevance:F"),
        sums=_cells("correctly_written:X86 relevance:X89 overall:W95"),
    ),
    "step5": _StepCells(points=_cells("correctly_used:X92"), sums=_cells("overall:W97")),
    "step6": _StepCells(
        points=_cells(
            "relevance:Y102 effectiveness:Y106 criteria:Y110 impact:Y114 humaneness:Y118 development:Y122"
        ),
        sums=_cells("overall:W129"),
    ),
}
_TOTAL = "X133"
#: A row of names without a gap is that of a table.
_ROW_2 = [f"{chr(letter)}2" for letter in range(ord("F"), ord("X"))]
_NAMES = {
    *(_RATER, _SCENARIO, _ANSWER, _TOTAL, "F1", "X1", *_ROW_2),
    *(name for cells in _STEPS.values() for name in [*cells.filled_in, *cells.sums.values()]),
}


class Cell(NamedTuple):
    """A cell's text, and what is wrong with it."""

    text: str
    issue: CellIssue | None = None

    @property
    def blank(self) -> bool:
        """Whether nothing is in it."""
        return self.issue is None and find_visible(self.text) is None


@dataclass(frozen=True)
class RaterSheet:
    """A sheet with the cells that are read, their texts, and its name in words."""

    sheet: Grid
    where: str
    cells: dict[str, Cell]
    texts: dict[str, str]

    def place(self, name: str) -> str:
        """Return the place of a cell in words."""
        return f"{self.where}!{name}"

    def read(self, name: str, expected: str, problems: Problems, ids: bool = False) -> str | None:
        """Return a cell's text; None, and a problem is noted, where it is not what is expected."""
        issue = self.cells[name].issue
        if issue is None or (issue.only_ids and not ids):
            return self.texts[name]
        problems.add(f"{self.place(name)} is {issue.what} where {expected} is due. {issue.advice}")
        return None

    @property
    def is_scoring_sheet(self) -> bool:
        """Whether it names a rater and an answer where the scoring sheet does, and is no table.

        In a table they stand below names, or in a row (a second one of names) without a gap.
        """
        texts = self.texts
        in_table = all(texts[name] for name in _ROW_2) or (texts["F1"] and texts["X1"])
        return bool(texts[_RATER] and texts[_ANSWER] and not in_table)

    @property
    def may_be_scored(self) -> bool:
        """Whether it names a rater or an answer, or has numbers where step 2 is scored, as no notes have."""
        points = [self.texts[name] for name in _STEPS["step2"].points.values()]
        has_points = all(re.fullmatch(r"\d+(\.5)?", text) for text in points)
        return bool(self.texts[_RATER] or self.texts[_ANSWER] or has_points)

    def is_scored(self, cells: _StepCells) -> bool:
        """Whether a rater filled in a step: in one that is left empty, the formulas of the sums give 0."""
        if any(not self.cells[name].blank for name in cells.filled_in):
            return True
        sums = [self.cells[name] for name in cells.sums.values()]
        return any(cell.issue is None and fold(cell.text) not in {"", "0"} for cell in sums)


def rater_sheets(grids: Sequence[Grid], task: Task, is_table: Callable[[Grid], bool]) -> list[RaterSheet]:
    """Return the sheets of a rater's workbook; none if the file is no such workbook.

    They name a rater (F2) or an answer (X2), or hold points without either. A file is no such workbook if a
    sheet that is shown holds a table of ratings, as ``is_table`` tells.
    """
    if not _has_all_parts(task):
        return []
    rated = []
    for grid in grids:
        cells = {name: _cell(grid, name) for name in _NAMES}
        texts = {name: clean_name(cell.text) for name, cell in cells.items()}
        rated.append(RaterSheet(grid, f"{grid.path}: {quote_sheet(grid.sheet or '')}", cells, texts))
    if not any(sheet.is_scoring_sheet for sheet in rated):
        return []
    if any(not grid.hidden and is_table(grid) for grid in grids):
        return []
    only = len(grids) == 1
    return [sheet for sheet in rated if (only or not sheet.sheet.hidden) and sheet.may_be_scored] or rated


def _cell(grid: Grid, name: str) -> Cell:
    row, column = coordinate_to_tuple(name)
    return Cell(grid.text(row, column - 1), grid.issues.get((row, column - 1)))


def read_rater_sheets(sheets: Sequence[RaterSheet], source: RatingSource) -> None:
    """Read the ratings of a rater's workbook, one a sheet on which something is scored.

    The response is the Answer ID, joined with the FS ID where that is no part of it (``A05_FS10``); the rater
    is the Human ID; the scenario is metadata.
    """
    shown = [sheet for sheet in sheets if len(sheets) == 1 or not sheet.sheet.hidden]
    scored = [sheet for sheet in shown if any(sheet.is_scored(cells) for cells in _STEPS.values())]
    for sheet in scored:
        _add_rating(source, sheet)
    if not scored:
        reason = "holds a score" if shown else "is visible, and hidden ones are not read. Show the sheets"
        names = ", ".join(sheet.sheet.sheet or "" for sheet in sheets)[:200]
        source.problems.add(f"{source.path}: none of the sheets {names} {reason}.")
    source.advise(_ADVICE, most=1)


def _has_all_parts(task: Task) -> bool:
    known = identities(task)
    return all(
        f"{step}.{part}" in known
        for step, cells in _STEPS.items()
        for part in [*cells.items, *cells.points, *cells.sums]
        if part not in {CATEGORY, INVALID}
    )


def _add_rating(source: RatingSource, sheet: RaterSheet) -> None:
    rater = _read_id(sheet, _RATER, "the Human ID", source.problems)
    answer = _read_id(sheet, _ANSWER, "the Answer ID", source.problems)
    scenario: str | None = ""
    if sheet.texts[_SCENARIO]:
        scenario = _read_id(sheet, _SCENARIO, "the FS ID", source.problems)
    if rater is None or answer is None or scenario is None:
        return
    parts = re.split(r"[\W_]+", answer.casefold())
    if scenario and scenario.casefold() not in parts:
        if other := next((part for part in parts if re.fullmatch(r"fs\d+", part)), None):
            source.problems.add(
                f"{sheet.place(_ANSWER)}: found the answer {answer!r}, which is of {other.upper()}, but "
                f"{_SCENARIO} says {scenario!r}. Correct the one that is wrong."
            )
            return
        answer = f"{answer}_{scenario}"
    builder = source.add(answer, rater, sheet.sheet.where)
    builder.set_metadata({"scenario": scenario})

    def add(name: str, identity: str, item: int | None = None) -> None:
        if text := sheet.read(name, identity, source.problems):
            builder.set(identity, text, sheet.place(name), item=item)

    for step_id, cells in _STEPS.items():
        if not sheet.is_scored(cells):
            continue
        for number, row in enumerate(cells.rows, 1):
            for part, column in cells.items.items():
                add(f"{column}{row}", f"{step_id}.{part}", number)
        for part, name in {**cells.points, **cells.sums}.items():
            add(name, f"{step_id}.{part}")
    add(_TOTAL, "total")


def _read_id(sheet: RaterSheet, name: str, expected: str, problems: Problems) -> str | None:
    text = sheet.read(name, expected, problems, ids=True)
    if text is None:
        return None
    return attempt(problems, sheet.place(name), clean_id, sheet.cells[name].text, f" ({expected})")
