"""Ratings in the workbooks of CGPST's raters: one workbook a rater and scenario, one sheet a response.

The workbooks are not published. Where each value stands is taken from a description of the scoring sheet (the
authors' scripts and printed sheets), not from a real workbook.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from creaeval.data.ids import clean_id, clean_name
from creaeval.data.rating_builder import CATEGORY, INVALID, RatingSource
from creaeval.data.tables.columns import RATING_COLUMNS, find_roles
from creaeval.data.tables.layouts import fits_ratings
from creaeval.data.tables.opening import WORKBOOKS, open_tables, split_sheet
from creaeval.tasks import fold, identities

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from creaeval.data.rating_builder import RatingBuilder
    from creaeval.data.tables.opening import TableFile
    from creaeval.data.tables.workbook import Sheet
    from creaeval.errors import Problems
    from creaeval.tasks import Task

_RATER, _SCENARIO, _ANSWER = "F2", "R2", "X2"
_ADVICE = (
    " Where each value stands is taken from a description of the CGPST sheet, not from a real workbook: if "
    "yours is laid out otherwise, give the ratings as a table."
)


class _StepCells(NamedTuple):
    """Where a step's values stand: items by row and column, ``points`` given once a step, ``sums``."""

    rows: range = range(0)
    items: Mapping[str, str] = {}
    points: Mapping[str, str] = {}
    sums: Mapping[str, str] = {}

    @property
    def filled_in(self) -> list[str]:
        """The cells that a rater fills in; sums may be formulas."""
        of_items = [f"{column}{row}" for row in self.rows for column in self.items.values()]
        return [*of_items, *self.points.values()]


_ITEMS = {CATEGORY: "C", INVALID: "H", "elaboration": "P", "originality": "Q"}
_STEPS: Mapping[str, _StepCells] = {
    "step1": _StepCells(
        rows=range(5, 13),
        items=_ITEMS,
        sums={
            "fluency": "W19",
            "flexibility": "W21",
            "elaboration": "W23",
            "originality": "W25",
            "overall": "W27",
        },
    ),
    "step2": _StepCells(
        points={
            "condition_phrase": "U32",
            "stem_kvp": "U34",
            "purpose": "U37",
            "fs_parameters": "U40",
            "focus": "U43",
            "adequacy": "U46",
        },
        sums={"overall": "W49"},
    ),
    "step3": _StepCells(
        rows=range(56, 64),
        items=_ITEMS,
        sums={
            "fluency": "W70",
            "flexibility": "W72",
            "elaboration": "W74",
            "originality": "W76",
            "overall": "W78",
        },
    ),
    "step4": _StepCells(
        rows=range(88, 93),
        items={"correctly_written": "C", "relevance": "F"},
        sums={"correctly_written": "X86", "relevance": "X89", "overall": "W95"},
    ),
    "step5": _StepCells(points={"correctly_used": "X92"}, sums={"overall": "W97"}),
    "step6": _StepCells(
        points={
            "relevance": "Y102",
            "effectiveness": "Y106",
            "criteria": "Y110",
            "impact": "Y114",
            "humaneness": "Y118",
            "development": "Y122",
        },
        sums={"overall": "W129"},
    ),
}
_TOTAL = "X133"


def rater_sheets(path: Path | TableFile, task: Task, columns: Mapping[str, str]) -> list[Sheet]:
    """Return the sheets of a rater's workbook; none if the file is no such workbook.

    They name a rater (F2) or an answer (X2), or hold points without either. A file is no such workbook if a
    sheet's header is one of a table of ratings, in which ``columns`` are the file's own names by role.
    """
    if isinstance(path, Path) and split_sheet(path)[0].suffix.lower() not in WORKBOOKS:
        return []
    known = set(identities(task))
    if not all(identity in known for identity in _identities()):
        return []
    file = open_tables(path)
    sheets = file.sheets
    if file.wanted is not None:
        sheets = [sheet for sheet in sheets if sheet.name.casefold() == file.wanted.strip().casefold()]
    for sheet in sheets:
        header = sheet.header()
        if not sheet.hidden and fits_ratings(header, task, find_roles(header, columns, RATING_COLUMNS)):
            return []
    if not any(_text(sheet, _RATER) and _text(sheet, _ANSWER) and not _is_table(sheet) for sheet in sheets):
        return []
    shown = [sheet for sheet in sheets if file.wanted is not None or not sheet.hidden]
    return [s for s in shown if _text(s, _RATER) or _text(s, _ANSWER) or _has_points(s)] or sheets


def read_rater_sheets(
    sheets: Sequence[Sheet], file: TableFile, task: Task, problems: Problems | list[str]
) -> list[RatingBuilder]:
    """Read the ratings of a rater's workbook, one a sheet on which something is scored.

    The response is the Answer ID, joined with the FS ID where that is no part of it (``A05_FS10``); the rater
    is the Human ID; the scenario is carried.
    """
    source = RatingSource(task, file.path)
    shown = [sheet for sheet in sheets if file.wanted is not None or not sheet.hidden]
    scored = [sheet for sheet in shown if any(_is_step_scored(sheet, cells) for cells in _STEPS.values())]
    for sheet in scored:
        _read_sheet(sheet, source)
    if not scored:
        reason = "holds a score" if shown else "is visible, and hidden ones are not read. Show the sheets"
        names = ", ".join(sheet.name for sheet in sheets)[:200]
        source.problems.add(f"{file.path}: none of the sheets {names} {reason}.")
    problems.extend(problem + ("" if number else _ADVICE) for number, problem in enumerate(source.problems))
    return source.builders


def _read_sheet(sheet: Sheet, source: RatingSource) -> None:
    rater = _read_id(sheet, _RATER, "the Human ID", source.problems)
    answer = _read_id(sheet, _ANSWER, "the Answer ID", source.problems)
    scenario: str | None = ""
    if _text(sheet, _SCENARIO):
        scenario = _read_id(sheet, _SCENARIO, "the FS ID", source.problems)
    if rater is None or answer is None or scenario is None:
        return
    parts = re.split(r"[\W_]+", answer.casefold())
    if scenario and scenario.casefold() not in parts:
        if other := next((part for part in parts if re.fullmatch(r"fs\d+", part)), None):
            source.problems.add(
                f"{_place(sheet, _ANSWER)}: found the answer {answer!r}, which is of "
                f"{other.upper()}, but {_SCENARIO} says {scenario!r}. Correct the one that is wrong."
            )
            return
        answer = f"{answer}_{scenario}"
    builder = source.add(answer, rater, f"{sheet.path}, {sheet.name}")
    builder.carry({"scenario": scenario})
    for step_id, cells in _STEPS.items():
        if not _is_step_scored(sheet, cells):
            continue
        for number, row in enumerate(cells.rows, 1):
            for part, column in cells.items.items():
                _set(builder, sheet, f"{column}{row}", f"{step_id}.{part}", source.problems, number)
        for part, name in {**cells.points, **cells.sums}.items():
            _set(builder, sheet, name, f"{step_id}.{part}", source.problems)
    _set(builder, sheet, _TOTAL, "total", source.problems)


def _set(
    builder: RatingBuilder,
    sheet: Sheet,
    name: str,
    identity: str,
    problems: Problems,
    item: int | None = None,
) -> None:
    cell = sheet.cell(name)
    if cell.issue is not None and not cell.issue.only_ids:
        issue = cell.issue
        problems.add(f"{_place(sheet, name)} is {issue.what} where {identity} is due. {issue.advice}")
    elif not cell.blank:
        builder.set(identity, clean_name(cell.text), _place(sheet, name), item=item)


def _read_id(sheet: Sheet, name: str, expected: str, problems: Problems) -> str | None:
    cell = sheet.cell(name)
    if cell.issue is not None:
        issue = cell.issue
        problems.add(f"{_place(sheet, name)} is {issue.what} where {expected} is due. {issue.advice}")
        return None
    try:
        return clean_id(cell.text)
    except ValueError as error:
        problems.add(f"{_place(sheet, name)}: {error} ({expected}).")
        return None


def _is_table(sheet: Sheet) -> bool:
    """Whether F2 and X2 stand in a table: below names, or in a row (a second one of names) without a gap."""
    row = [_text(sheet, f"{chr(letter)}2") for letter in range(ord("F"), ord("X"))]
    return all(row) or bool(_text(sheet, "F1") and _text(sheet, "X1"))


def _has_points(sheet: Sheet) -> bool:
    """Whether numbers stand where step 2 is scored, as on no sheet of notes."""
    return all(re.fullmatch(r"\d+(\.5)?", _text(sheet, name)) for name in _STEPS["step2"].points.values())


def _is_step_scored(sheet: Sheet, cells: _StepCells) -> bool:
    """Whether a rater filled in a step: in one that is left empty, the formulas of the sums give 0."""
    if any(not sheet.cell(name).blank for name in cells.filled_in):
        return True
    sums = [sheet.cell(name) for name in cells.sums.values()]
    return any(cell.issue is None and fold(cell.text) not in {"", "0"} for cell in sums)


def _identities() -> list[str]:
    return [
        f"{step}.{part}"
        for step, cells in _STEPS.items()
        for part in [*cells.items, *cells.points, *cells.sums]
        if part not in {CATEGORY, INVALID}
    ]


def _text(sheet: Sheet, name: str) -> str:
    return clean_name(sheet.cell(name).text)


def _place(sheet: Sheet, name: str) -> str:
    return f"{sheet.path}: {sheet.place(name).name}"
