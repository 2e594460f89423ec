"""Judges' scores, and how they are made of the table a run writes: every value as it stands there."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, NamedTuple

from creaeval.data.ids import clean_id, clean_name
from creaeval.data.model import Scores
from creaeval.data.points import read_number, read_points
from creaeval.errors import Problems
from creaeval.sheets import ItemScores, ScoreSheet, StepScores
from creaeval.sheets.panel import N_SHEETS
from creaeval.sheets.score_sheet import REPEATS, SCORE_COLUMNS
from creaeval.tasks import resolve

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from creaeval.data.tables.table import Row, Table
    from creaeval.tasks import Step, Task

#: Where items are the units: why one has no score.
INVALID_COLUMN = "invalid"
#: The columns by which the rows of one sheet are known.
_SHEET_COLUMNS = ("response_id", "method", "judge", *REPEATS)
_TOLD_BY = {"response_id", "judge", "dimension", "score", "model_score", "computed_score"}
#: The code of an item that got no point for being valid; the file does not say why.
UNKNOWN = "unknown"
_MOST_REPEATS = 9999


class _Sheet(NamedTuple):
    method: str
    response_id: str
    judge: str
    evidence_repeat: int
    judge_repeat: int


class _Part(NamedTuple):
    step: str
    item: int | None
    part: str


class _Value(NamedTuple):
    written: float | None
    computed: float | None
    row: int


def is_score_table(header: Sequence[str]) -> bool:
    """Whether a header is that of a run's ``scores.csv``."""
    return {title.casefold() for title in header} >= _TOLD_BY


def read_score_table(table: Table, task: Task, source: str) -> list[Scores]:
    """Make the score sheets of a run's table.

    Parameters
    ----------
    table : Table
        With the columns of ``scores.csv``.
    task : Task
        The task that was judged.
    source : str
        The file.

    Returns
    -------
    list of Scores
        One a method. The written and the computed values are those of the table. It does not hold the
        items' categories, nor why one is invalid: the code of such an item is ``unknown``. Of texts
        the column ``invalid`` says why one has no score.

    Raises
    ------
    DataError
        With every problem found: a cell that is no number, a dimension the task has not, a value that is
        there twice, a score that is neither the computed nor the judge's own value.
    """
    problems = Problems()
    values: dict[_Sheet, dict[_Part, _Value]] = {}
    carried: dict[str, dict[str, dict[str, str]]] = {}
    invalid: dict[_Sheet, str] = {}
    reader = _Reader(table, task, problems)
    for row in table.rows:
        read = reader.read(row)
        if read is None:
            continue
        sheet, part, value = read
        if code := reader.invalid(row):
            invalid[sheet] = code
        earlier = values.setdefault(sheet, {}).setdefault(part, value)
        if earlier[:2] != value[:2]:
            problems.add(
                f"{table.row_place(row)}: {sheet.response_id}/{sheet.judge}/{row.cells[reader.dimension]} "
                f"is there twice with different values (rows {earlier.row} and {row.number}). Keep one."
            )
        keep_shared(carried.setdefault(sheet.method, {}), sheet.response_id, reader.carried(row))
    problems.stop()
    sheets: dict[str, list[ScoreSheet]] = {method: [] for method in carried}
    for key, parts in values.items():
        sheets[key.method].append(_make_sheet(task, key, parts, invalid.get(key)))
    return [Scores(method, tuple(sheets[method]), carried[method], source) for method in carried]


class _Reader:
    """Reads one row after the other; what is wrong is added to ``problems``."""

    def __init__(self, table: Table, task: Task, problems: Problems) -> None:
        self._table, self._task, self._problems = table, task, problems
        own = (
            *SCORE_COLUMNS,
            N_SHEETS,
            *((INVALID_COLUMN,) if any(step.invalid for step in task.steps) else ()),
        )
        self._titles = {name: table.column(name) for name in own}
        self._others = [title for title in table.header if title not in self._titles.values()]
        self._sheets: dict[tuple[str, ...], _Sheet] = {}
        self._parts: dict[str, tuple[Step | None, str]] = {}
        self.dimension = self._titles["dimension"] or "dimension"

    def read(self, row: Row) -> tuple[_Sheet, _Part, _Value] | None:
        """Return whose value of what a row holds; None if something is wrong with it."""
        before = len(self._problems)
        sheet = self._sheet(row)
        part = self._part(row)
        score, written, computed = (self._number(row, n) for n in ("score", "model_score", "computed_score"))
        if len(self._problems) > before or part is None:
            return None
        # A judge's own Total stands beside no other: without a computed one it is undefined.
        final = computed if computed is not None or part.part == "total" else written
        if not _same(score, final):
            self._wrong(
                row,
                "score",
                f"found {_shown(score)}, expected {_shown(final)}, the computed_score or, where there is "
                "none, the model_score. Leave the three as they were written",
            )
            return None
        if part.item is not None and written is None:
            self._wrong(row, "model_score", "found nothing, expected the points of an item")
            return None
        return sheet, part, _Value(written, computed, row.number)

    def invalid(self, row: Row) -> str:
        """Return why an item that is a unit of its own has no score; nothing where it has one."""
        title = self._titles.get(INVALID_COLUMN)
        return clean_name(row.cells[title]) if title is not None else ""

    def carried(self, row: Row) -> dict[str, str]:
        """Return what stands in the columns that are none of a run's own."""
        return {unescape(title): text for title in self._others if (text := row.cells[title])}

    def _sheet(self, row: Row) -> _Sheet:
        # The rows of one sheet begin alike, and they are many.
        head = tuple(row.cells[title] for name in _SHEET_COLUMNS if (title := self._titles[name]))
        if head in self._sheets and not row.odd:
            return self._sheets[head]
        before = len(self._problems)
        sheet = _Sheet(
            self._text(row, "method", "a method"),
            self._id(row),
            self._judge(row),
            *read_repeats(self._table, row, self._titles, self._problems),
        )
        if len(self._problems) == before:
            self._sheets[head] = sheet
        return sheet

    def _part(self, row: Row) -> _Part | None:
        name = self._text(row, "dimension", "a dimension")
        item = self._text(row, "item", "an item's number")
        try:
            if name not in self._parts:
                self._parts[name] = resolve(self._task, name)
        except KeyError as error:
            self._wrong(row, "dimension", str(error.args[0]))
            return None
        step, part = self._parts[name]
        if not item:
            return _Part(step.id if step is not None else "", None, part)
        if step is None or step.items is None or part not in {d.id for d in step.item_dimensions}:
            self._wrong(row, "item", f"found item {item!r}, but {name} is not scored by items")
            return None
        number = self._whole(row, "item", step.items.max)
        return _Part(step.id, number, part) if number is not None else None

    def _whole(self, row: Row, name: str, high: int) -> int | None:
        text = self._text(row, name, "a number")
        try:
            return read_points(text, 1, high) if text else None
        except ValueError as error:
            self._wrong(row, name, str(error))
            return None

    def _number(self, row: Row, name: str) -> float | None:
        text = self._text(row, name, "a score")
        try:
            return read_number(text) if text else None
        except ValueError as error:
            self._wrong(row, name, f"{error}, or nothing")
            return None

    def _id(self, row: Row) -> str:
        try:
            return clean_id(self._text(row, "response_id", "an id"))
        except ValueError as error:
            self._wrong(row, "response_id", str(error))
            return ""

    def _judge(self, row: Row) -> str:
        # No id: the path of a local model may be longer than one.
        name = self._text(row, "judge", "a judge's name")
        if not name:
            self._wrong(row, "judge", "found the id '', expected one that is not empty")
        return name

    def _text(self, row: Row, name: str, due: str) -> str:
        title = self._titles[name]
        if title is None:
            return ""
        return clean_name(self._table.read(row, title, due, self._problems) or "")

    def _wrong(self, row: Row, name: str, problem: str) -> None:
        place = self._table.cell_place(row, self._titles[name] or name)
        self._problems.add(f"{place}: {problem}.")


def read_repeats(
    table: Table, row: Row, titles: Mapping[str, str | None], problems: Problems
) -> tuple[int, int]:
    """Read which repeat of evidence and of judging a row is of: the first where the table does not say."""

    def number(name: str) -> int:
        title = titles.get(name)
        if title is None:
            return 1
        text = clean_name(table.read(row, title, "a number", problems) or "")
        try:
            return read_points(text, 1, _MOST_REPEATS) if text else 1
        except ValueError as error:
            problems.add(f"{table.cell_place(row, title)}: {error}.")
            return 1

    return number("evidence_repeat"), number("judge_repeat")


def unescape(text: str) -> str:
    """Take off the apostrophe that a run's tables put before what a spreadsheet would run as a formula."""
    return re.sub(r"^'(?='*[=+\-@\t\n])", "", text)


def keep_shared(carried: dict[str, dict[str, str]], response_id: str, columns: Mapping[str, str]) -> None:
    """Keep of a response's columns those that are the same in all its rows."""
    shared = carried.setdefault(response_id, dict(columns))
    if shared != columns:
        carried[response_id] = {name: text for name, text in shared.items() if columns.get(name) == text}


def _make_sheet(task: Task, key: _Sheet, values: dict[_Part, _Value], invalid: str | None) -> ScoreSheet:
    total = values.get(_Part("", None, "total"), _Value(None, None, 0))
    return ScoreSheet(
        response_id=key.response_id,
        scorer=key.judge,
        evidence_repeat=key.evidence_repeat,
        judge_repeat=key.judge_repeat,
        steps=tuple(
            _make_step(step, {p: v for p, v in values.items() if p.step == step.id}, invalid)
            for step in task.steps
            if any(part.step == step.id for part in values)
        ),
        written_total=total.written,
        computed_total=total.computed,
    )


def _make_step(step: Step, values: dict[_Part, _Value], invalid: str | None) -> StepScores:
    once = {part.part: value for part, value in values.items() if part.item is None}
    numbers = sorted({part.item for part in values if part.item is not None})
    return StepScores(
        step=step.id,
        items=tuple(_make_item(step, number, values) for number in numbers),
        invalid=invalid or "",
        written={part: value.written for part, value in once.items() if value.written is not None},
        computed={part: value.computed for part, value in once.items() if value.computed is not None},
    )


def _make_item(step: Step, number: int, values: dict[_Part, _Value]) -> ItemScores:
    found = {d.id: values.get(_Part(step.id, number, d.id)) for d in step.item_dimensions}
    points = {part: value.written or 0 for part, value in found.items() if value is not None}
    # Whole points stay whole; expected ones, from probabilities, are fractions.
    scores = {part: int(value) if value == int(value) else value for part, value in points.items()}
    valid = all(scores.get(d.id, 1) for d in step.item_dimensions if d.derive == "valid_items")
    return ItemScores(item=number, invalid=None if valid else UNKNOWN, scores=scores)


def _same(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, abs_tol=1e-9)


def _shown(value: float | None) -> str:
    return "nothing" if value is None else f"{value:g}"
