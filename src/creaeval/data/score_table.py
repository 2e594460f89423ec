"""Judges' scores, and how they are made of the table a run writes: every value as it stands there."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from creaeval.data.ids import clean_id, clean_name
from creaeval.data.points import read_number, read_points
from creaeval.errors import DataError
from creaeval.sheets import ItemScores, ScoreSheet, StepScores
from creaeval.sheets.expected import EXPECTED
from creaeval.sheets.score_sheet import SCORE_COLUMNS
from creaeval.tasks import resolve

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from creaeval.data.tables.table import Row, Table
    from creaeval.tasks import Step, Task

#: Where items are the units: why one has no score.
INVALID_COLUMN = "invalid"
#: Of rows that sum up a panel, which are not read.
N_SHEETS = "n_sheets"
_HEAD = SCORE_COLUMNS[:5]
_TOLD_BY = {"response_id", "judge", "dimension", "score", "model_score", "computed_score"}
#: The code of an item that got no point for being valid; the file does not say why.
UNTOLD = "untold"
_MOST_REPEATS = 9999
#: What stands before the number of a repeat in a judge's name, by the column that holds it.
REPEAT_MARKS = {"evidence_repeat": "@", "judge_repeat": "#"}


@dataclass(frozen=True)
class Scores:
    """The scores of one method in one file.

    Parameters
    ----------
    method : str
        Its name; empty where the file names none.
    sheets : tuple of ScoreSheet
        One a response and judge.
    carried : dict of str to dict
        By response id, the file's other columns, where they are the same for the whole response.
    source : str
        The file.
    analyst : str
        Who gathered the evidence; empty where nobody did or a file does not say.
    """

    method: str
    sheets: tuple[ScoreSheet, ...]
    carried: dict[str, dict[str, str]]
    source: str
    analyst: str = ""


class _Sheet(NamedTuple):
    method: str
    response_id: str
    scorer: str


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
        items' categories, nor why one is invalid: the code of such an item is ``untold``. Where items are the
        units, the column ``invalid`` says why one has no score.

    Raises
    ------
    DataError
        With every problem found: a cell that is no number, a dimension the task has not, a value that is
        there twice, a score that is neither the computed nor the judge's own value.
    """
    problems: list[str] = []
    values: dict[_Sheet, dict[_Part, _Value]] = {}
    carried: dict[tuple[str, str], dict[str, str]] = {}
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
            problems.append(
                f"{table.row_place(row)}: {sheet.response_id}/{sheet.scorer}/{row.cells[reader.dimension]} "
                f"is there twice with different values (rows {earlier.row} and {row.number}). Keep one."
            )
        extra = reader.carried(row)
        shared = carried.setdefault((sheet.method, sheet.response_id), extra)
        if shared != extra:
            kept = {name: text for name, text in shared.items() if extra.get(name) == text}
            carried[sheet.method, sheet.response_id] = kept
    if problems:
        raise DataError(problems[0], problems[1:])
    sheets = [_make_sheet(task, key, parts, invalid.get(key)) for key, parts in values.items()]
    methods = dict.fromkeys(key.method for key in values)
    return [
        Scores(
            method,
            tuple(sheet for key, sheet in zip(values, sheets, strict=True) if key.method == method),
            {
                response_id: {name: text for name, text in extra.items() if text}
                for (of, response_id), extra in carried.items()
                if of == method
            },
            source,
        )
        for method in methods
    ]


class _Reader:
    """Reads one row after the other; what is wrong is added to ``problems``."""

    def __init__(self, table: Table, task: Task, problems: list[str]) -> None:
        self._table, self._task, self._problems = table, task, problems
        own = (*SCORE_COLUMNS, N_SHEETS, *((INVALID_COLUMN,) if task.unit == "item" else ()))
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
        whole = written is not None and written == int(written)
        if part.item is not None and not (whole or (written is not None and EXPECTED in sheet.scorer)):
            self._wrong(row, "model_score", f"found {_shown(written)}, expected the whole points of an item")
            return None
        return sheet, part, _Value(written, computed, row.number)

    def invalid(self, row: Row) -> str:
        """Return why an item that is a unit of its own has no score; nothing where it has one."""
        title = self._titles.get(INVALID_COLUMN)
        return clean_name(row.cells[title]) if title is not None else ""

    def carried(self, row: Row) -> dict[str, str]:
        """Return the columns that are none of a run's own."""
        return {_plain(title): _plain(row.cells[title]) for title in self._others}

    def _sheet(self, row: Row) -> _Sheet:
        # The rows of one sheet begin alike, and they are many.
        head = tuple(row.cells[title] for name in _HEAD if (title := self._titles[name]))
        if head in self._sheets and not row.odd:
            return self._sheets[head]
        before = len(self._problems)
        sheet = _Sheet(
            _plain(self._text(row, "method", "a method")),
            self._id(row, "response_id", "an id"),
            self._id(row, "judge", "a judge's name") + self._repeats(row),
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

    def _repeats(self, row: Row) -> str:
        texts = {name: self._text(row, name, "a number") for name in REPEAT_MARKS}
        return repeat_mark(texts, lambda name, problem: self._wrong(row, name, problem))

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

    def _id(self, row: Row, name: str, due: str) -> str:
        text = _plain(self._text(row, name, due))
        try:
            return clean_id(text)
        except ValueError as error:
            self._wrong(row, name, str(error))
            return ""

    def _text(self, row: Row, name: str, due: str) -> str:
        title = self._titles[name]
        if title is None:
            return ""
        return clean_name(self._table.read(row, title, due, self._problems) or "")

    def _wrong(self, row: Row, name: str, problem: str) -> None:
        place = self._table.cell_place(row, self._titles[name] or name)
        self._problems.append(f"{place}: {problem}.")


def repeat_mark(texts: Mapping[str, str], wrong: Callable[[str, str], None]) -> str:
    """Return what tells a judge's repeats apart, such as ``@2#3``; nothing for the first.

    Parameters
    ----------
    texts : mapping of str to str
        What stands in the columns of ``REPEAT_MARKS``, as far as they are there.
    wrong : callable
        Is told of a column what is wrong in it.

    Returns
    -------
    str
    """
    mark = ""
    for name, text in texts.items():
        try:
            number = read_points(clean_name(text), 1, _MOST_REPEATS) if clean_name(text) else 1
        except ValueError as error:
            wrong(name, str(error))
            continue
        mark += f"{REPEAT_MARKS[name]}{number}" if number > 1 else ""
    return mark


def _make_sheet(task: Task, key: _Sheet, values: dict[_Part, _Value], invalid: str | None) -> ScoreSheet:
    total = values.get(_Part("", None, "total"), _Value(None, None, 0))
    return ScoreSheet(
        response_id=key.response_id,
        scorer=key.scorer,
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
        items=(ItemScores(item=1, invalid=invalid),)
        if invalid
        else tuple(_make_item(step, number, values) for number in numbers),
        written={part: value.written for part, value in once.items() if value.written is not None},
        computed={part: value.computed for part, value in once.items() if value.computed is not None},
    )


def _make_item(step: Step, number: int, values: dict[_Part, _Value]) -> ItemScores:
    found = {d.id: values.get(_Part(step.id, number, d.id)) for d in step.item_dimensions}
    points = {part: value.written or 0 for part, value in found.items() if value is not None}
    # Whole points stay whole; expected ones, from probabilities, are fractions.
    scores = {part: int(value) if value == int(value) else value for part, value in points.items()}
    valid = all(scores.get(d.id, 1) for d in step.item_dimensions if d.derive == "valid_items")
    return ItemScores(item=number, invalid=None if valid else UNTOLD, scores=scores)


def _plain(text: str) -> str:
    """Take off the apostrophe that a run's tables put before what a spreadsheet would run as a formula."""
    return re.sub(r"^'(?=[=+\-@\t\n])", "", text)


def _same(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, abs_tol=1e-9)


def _shown(value: float | None) -> str:
    return "nothing" if value is None else f"{value:g}"
