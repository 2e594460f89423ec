"""Ratings in the workbooks of CGPST's raters: one workbook a rater and scenario, one sheet a response.

The workbooks are not published. Where each value stands is taken from a description of the scoring sheet (the
authors' scripts and printed sheets), not from a real workbook.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from creaeval.data.columns import RATING_COLUMNS, find_roles
from creaeval.data.draft import RatingDraft
from creaeval.data.ids import clean_id, clean_name
from creaeval.data.item_words import CATEGORY, INVALID
from creaeval.data.rating_forms import fits_ratings
from creaeval.data.table import cell_name
from creaeval.data.tables import WORKBOOKS, split_sheet
from creaeval.data.xlsx_table import read_sheets
from creaeval.tasks import fold, identities

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from creaeval.data.table import Cell
    from creaeval.data.xlsx_table import SheetCells
    from creaeval.tasks import Task

_RATER, _SCENARIO, _ANSWER = "F2", "R2", "X2"
_LAST_ROW = 133
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


def rater_sheets(path: Path, task: Task, columns: Mapping[str, str]) -> list[SheetCells]:
    """Return the sheets of a rater's workbook.

    Parameters
    ----------
    path : Path
        A table; of a workbook a sheet may be named as in ``FILE.xlsx#SHEET``.
    task : Task
        The task that was rated.
    columns : mapping of str to str
        The file's own names of columns by role: with them a sheet may be a table of ratings.

    Returns
    -------
    list of SheetCells
        Those that name a rater (F2) or an answer (X2), or hold points without either; none if the file is
        no such workbook, or if a sheet's header is one of a table of ratings.

    Raises
    ------
    DataError
        It is no workbook, or damaged.
    """
    file, wanted = split_sheet(path)
    known = set(identities(task))
    if file.suffix.lower() not in WORKBOOKS or not all(i in known for i in _identities()):
        return []
    sheets = read_sheets(file, _LAST_ROW)
    if wanted is not None:
        sheets = [sheet for sheet in sheets if sheet.name.casefold() == wanted.strip().casefold()]
    for sheet in sheets:
        named = find_roles(sheet.header, columns, RATING_COLUMNS)
        if not sheet.hidden and fits_ratings(sheet.header, task, named):
            return []
    if not any(_text(sheet, _RATER) and _text(sheet, _ANSWER) and not _is_table(sheet) for sheet in sheets):
        return []
    shown = [sheet for sheet in sheets if wanted is not None or not sheet.hidden]
    return [s for s in shown if _text(s, _RATER) or _text(s, _ANSWER) or _has_points(s)] or sheets


def read_rater_sheets(
    sheets: Sequence[SheetCells], path: Path, task: Task, problems: list[str]
) -> list[RatingDraft]:
    """Read the ratings of a rater's workbook.

    Parameters
    ----------
    sheets : sequence of SheetCells
        Its sheets, from :func:`rater_sheets`.
    path : Path
        The file.
    task : Task
        The task that was rated.
    problems : list of str
        What is wrong is added here, by sheet and cell.

    Returns
    -------
    list of RatingDraft
        One a sheet on which something is scored. The response is the Answer ID, joined with the FS ID where
        that is no part of it (``A05_FS10``); the rater is the Human ID; the scenario is carried.
    """
    file, wanted = split_sheet(path)
    before = len(problems)
    shown = [sheet for sheet in sheets if wanted is not None or not sheet.hidden]
    scored = [sheet for sheet in shown if _is_scored(sheet)]
    drafts = [draft for sheet in scored if (draft := _read_sheet(sheet, file, task, problems))]
    if not scored:
        why = "holds a score" if shown else "is visible, and hidden ones are not read. Show the sheets"
        problems.append(f"{file}: none of the sheets {', '.join(s.name for s in sheets)[:200]} {why}.")
    if len(problems) > before:
        problems[before] += _ADVICE
    return drafts


def _read_sheet(sheet: SheetCells, path: Path, task: Task, problems: list[str]) -> RatingDraft | None:
    names = {name: _read_id(sheet, name, path, problems) for name in (_RATER, _ANSWER)}
    scenario = _read_id(sheet, _SCENARIO, path, problems) if _text(sheet, _SCENARIO) else ""
    rater, answer = names[_RATER], names[_ANSWER]
    if rater is None or answer is None or scenario is None:
        return None
    parts = re.split(r"[\W_]+", answer.casefold())
    if scenario and scenario.casefold() not in parts:
        if other := next((part for part in parts if re.fullmatch(r"fs\d+", part)), None):
            problems.append(
                f"{_place(sheet, _ANSWER, path)}: found the answer {answer!r}, which is of "
                f"{other.upper()}, but {_SCENARIO} says {scenario!r}. Correct the one that is wrong."
            )
            return None
        answer = f"{answer}_{scenario}"
    draft = RatingDraft(task, answer, rater, str(path), f"{path}, {sheet.name}", problems)
    draft.carry({"scenario": scenario})
    for step_id, cells in _STEPS.items():
        if not _is_step_scored(sheet, cells):
            continue
        step = task.step(step_id)
        for number, row in enumerate(cells.rows, 1):
            for part, column in cells.items.items():
                _put(draft, sheet, path, f"{column}{row}", f"{step_id}.{part}", problems, number)
        for part, name in {**cells.points, **cells.sums}.items():
            _put(draft, sheet, path, name, f"{step.id}.{part}", problems)
    _put(draft, sheet, path, _TOTAL, "total", problems)
    return draft


def _put(
    draft: RatingDraft,
    sheet: SheetCells,
    path: Path,
    name: str,
    identity: str,
    problems: list[str],
    item: int | None = None,
) -> None:
    cell = _cell(sheet, name)
    where = _place(sheet, name, path)
    if cell.blank:
        return
    if cell.odd is not None and not cell.odd.only_ids:
        problems.append(f"{where} is {cell.odd.what} where {identity} is due. {cell.odd.advice}")
        return
    draft.put(identity, clean_name(cell.text), where, item=item)


def _read_id(sheet: SheetCells, name: str, path: Path, problems: list[str]) -> str | None:
    cell, where = _cell(sheet, name), _place(sheet, name, path)
    due = {_RATER: "the Human ID", _ANSWER: "the Answer ID", _SCENARIO: "the FS ID"}[name]
    if cell.odd is not None:
        problems.append(f"{where} is {cell.odd.what} where {due} is due. {cell.odd.advice}")
        return None
    try:
        return clean_id(cell.text)
    except ValueError as error:
        problems.append(f"{where}: {error} ({due}).")
        return None


def _is_table(sheet: SheetCells) -> bool:
    """Whether F2 and X2 stand in a table: below names, or in a row (a second one of names) without a gap."""
    row = [_text(sheet, f"{chr(letter)}2") for letter in range(ord("F"), ord("X"))]
    return all(row) or bool(_text(sheet, "F1") and _text(sheet, "X1"))


def _is_scored(sheet: SheetCells) -> bool:
    return any(_is_step_scored(sheet, cells) for cells in _STEPS.values())


def _has_points(sheet: SheetCells) -> bool:
    """Whether numbers stand where step 2 is scored, as on no sheet of notes."""
    return all(re.fullmatch(r"\d+(\.5)?", _text(sheet, name)) for name in _STEPS["step2"].points.values())


def _is_step_scored(sheet: SheetCells, cells: _StepCells) -> bool:
    """Whether a rater filled in a step: in one that is left empty, the formulas of the sums give 0."""
    given = [f"{column}{row}" for row in cells.rows for column in cells.items.values()]
    if any(not _cell(sheet, name).blank for name in [*given, *cells.points.values()]):
        return True
    sums = [_cell(sheet, name) for name in cells.sums.values()]
    return any(cell.odd is None and fold(cell.text) not in {"", "0"} for cell in sums)


def _identities() -> list[str]:
    return [
        f"{step}.{part}"
        for step, cells in _STEPS.items()
        for part in [*cells.items, *cells.points, *cells.sums]
        if part not in {CATEGORY, INVALID}
    ]


def _cell(sheet: SheetCells, name: str) -> Cell:
    column = ord(name[0]) - ord("A") + 1  # no column beyond Z is read
    return sheet.cell(column, int(name[1:]))


def _text(sheet: SheetCells, name: str) -> str:
    return clean_name(_cell(sheet, name).text)


def _place(sheet: SheetCells, name: str, path: Path) -> str:
    return f"{path}: {cell_name(sheet.name, ord(name[0]) - ord('A') + 1, int(name[1:]))}"
