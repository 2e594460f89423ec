"""Judges' scores, and how they are made of the table a run writes: every value as it stands there."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, NamedTuple

from creaeval.data.ids import attempt, clean_name
from creaeval.data.in_training import TrainingColumn
from creaeval.data.model import Scores
from creaeval.data.points import read_number, read_points
from creaeval.data.rating_builder import PartKey
from creaeval.data.tables.table import find_column
from creaeval.errors import Problems
from creaeval.sheets import ItemScores, ScoreSheet, StepScores
from creaeval.sheets.panel import N_SHEETS
from creaeval.sheets.score_sheet import IN_TRAINING, INVALID, REPEATS, SCORE_COLUMNS
from creaeval.tasks import fold, resolve

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from creaeval.data.tables.table import Row, Table
    from creaeval.tasks import Step, Task

#: The columns by which the rows of one sheet are known.
_SHEET_COLUMNS = ("response_id", "method", "judge", *REPEATS)
_REQUIRED = {"response_id", "judge", "dimension", "score", "model_score", "computed_score"}
#: The code of an item that got no point for being valid; the file does not say why.
UNKNOWN = "unknown"
_MOST_REPEATS = 9999


class _Sheet(NamedTuple):
    method: str
    response_id: str
    judge: str
    evidence_repeat: int
    judge_repeat: int


class _Value(NamedTuple):
    written: float | None
    computed: float | None
    row: int


def is_score_table(header: Sequence[str]) -> bool:
    """Whether a header is that of a run's ``scores.csv``."""
    return {title.casefold() for title in header} >= _REQUIRED


def read_score_table(table: Table, task: Task, source: str) -> list[Scores]:
    """Make the score sheets of a run's table, one :class:`Scores` a method, with the values of the table.

    The table does not say why an item is invalid: its code is ``unknown``. Of short responses the column
    ``invalid`` says why one has no score, and ``in_training`` whether its judge was trained on it. DataError
    with every problem: a cell that is no number, a dimension the task has not, a value that is there twice, a
    score that is neither the computed nor the judge's own.
    """
    problems = Problems()
    values: dict[_Sheet, dict[PartKey, _Value]] = {}
    metadata: dict[str, dict[str, dict[str, str]]] = {}
    invalid: dict[_Sheet, str] = {}
    training = TrainingColumn()
    reader = _RowReader(table, task, problems)
    for row in table.rows:
        before = len(problems)
        sheet, part = reader.read_sheet(row), reader.read_part(row)
        value = reader.read_value(row, part)
        if part is None or value is None or len(problems) > before:
            continue
        if code := reader.invalid(row):
            invalid[sheet] = code
        reader.note_training(row, sheet, training)
        earlier = values.setdefault(sheet, {}).setdefault(part, value)
        if earlier[:2] != value[:2]:
            problems.add(
                f"{table.row_place(row)}: {sheet.response_id}/{sheet.judge}/{reader.dimension(row)} "
                f"is there twice with different values (rows {earlier.row} and {row.number}). Keep one."
            )
        keep_shared(metadata.setdefault(sheet.method, {}), sheet.response_id, reader.metadata(row))
    problems.stop()
    sheets: dict[str, list[ScoreSheet]] = {method: [] for method in metadata}
    for key, parts in values.items():
        sheets[key.method].append(_make_sheet(task, key, parts, invalid.get(key, "")))
    return [
        Scores(method, tuple(sheets[method]), metadata[method], source, trained_on=training.of(method))
        for method in metadata
    ]


class _RowReader:
    """Reads one row after the other; what is wrong is added to ``problems``."""

    def __init__(self, table: Table, task: Task, problems: Problems) -> None:
        self._table, self._task, self._problems = table, task, problems
        codes = [INVALID] if any(step.invalid for step in task.steps) else []
        own = [*SCORE_COLUMNS, N_SHEETS, IN_TRAINING, *codes]
        for name in own:
            alike = [title for title in table.header if fold(title) == fold(name)]
            if len(alike) > 1:
                names = " and ".join(map(repr, alike))
                problems.add(
                    f"{table.where}: the columns {names} could both be {name!r}. Rename one of them."
                )
        roles = {name: find_column(table.header, name) for name in own}
        self._titles = {name: title for name, title in roles.items() if title is not None}
        self._others = [title for title in table.header if title not in self._titles.values()]
        self._sheets: dict[tuple[str, ...], _Sheet] = {}
        self._parts: dict[str, tuple[Step | None, str]] = {}

    def dimension(self, row: Row) -> str:
        """Return the dimension as it is written."""
        return row.cells[self._titles["dimension"]]

    def invalid(self, row: Row) -> str:
        """Return why a short response has no score; nothing where it has one."""
        return clean_name(row.cells.get(self._titles.get(INVALID, ""), ""))

    def note_training(self, row: Row, sheet: _Sheet, column: TrainingColumn) -> None:
        """Read whether the judge was trained on the response."""
        if (title := self._titles.get(IN_TRAINING)) is None:
            return
        try:
            column.add(sheet.method, sheet.judge, sheet.response_id, row.cells[title])
        except ValueError as error:
            self._wrong(row, IN_TRAINING, str(error))

    def metadata(self, row: Row) -> dict[str, str]:
        """Return what stands in the columns that are none of a run's own."""
        return {unescape(title): text for title in self._others if (text := row.cells[title])}

    def read_sheet(self, row: Row) -> _Sheet:
        """Read whose sheet a row is of."""
        # The rows of one sheet begin alike, and they are many.
        head = tuple(row.cells[self._titles[name]] for name in _SHEET_COLUMNS if name in self._titles)
        if head in self._sheets and not row.issues:
            return self._sheets[head]
        before = len(self._problems)
        method = self._text(row, "method", "a method")
        response_id = self._table.read_id(row, self._titles["response_id"], self._problems) or ""
        # No id: the path of a local model may be longer than one.
        judge = self._text(row, "judge", "a judge's name")
        if not judge:
            self._wrong(row, "judge", "found the id '', expected one that is not empty")
        repeats = read_repeats(self._table, row, self._titles, self._problems)
        sheet = _Sheet(method, response_id, judge, *repeats)
        if len(self._problems) == before:
            self._sheets[head] = sheet
        return sheet

    def read_part(self, row: Row) -> PartKey | None:
        """Read what a row's value is of; None if that is wrong."""
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
            return PartKey(step.id if step is not None else "", None, part)
        if step is None or step.items is None or part not in {d.id for d in step.item_dimensions}:
            self._wrong(row, "item", f"found item {item!r}, but {name} is not scored by items")
            return None
        place = self._table.cell_place(row, self._titles["item"])
        number = attempt(self._problems, place, read_points, item, 1, step.items.max)
        return PartKey(step.id, number, part) if number is not None else None

    def read_value(self, row: Row, part: PartKey | None) -> _Value | None:
        """Read the values of a row; None if one is wrong or they do not fit each other."""
        before = len(self._problems)
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
        elif part.item is not None and written is None:
            self._wrong(row, "model_score", "found nothing, expected the points of an item")
        return _Value(written, computed, row.number)

    def _number(self, row: Row, name: str) -> float | None:
        def read(text: str) -> float | None:
            return read_number(clean_name(text), "a number, or nothing") if clean_name(text) else None

        return self._table.read_as(row, self._titles[name], "a score", self._problems, read)

    def _text(self, row: Row, name: str, expected: str) -> str:
        if name not in self._titles:
            return ""
        return clean_name(self._table.read(row, self._titles[name], expected, self._problems) or "")

    def _wrong(self, row: Row, name: str, problem: str) -> None:
        self._problems.add(f"{self._table.cell_place(row, self._titles[name])}: {problem}.")


def read_repeats(table: Table, row: Row, titles: Mapping[str, str], problems: Problems) -> tuple[int, int]:
    """Read which repeat of evidence and of judging a row is of: the first where the table does not say."""

    def read(text: str) -> int:
        return read_points(clean_name(text), 1, _MOST_REPEATS) if clean_name(text) else 1

    evidence, judging = (
        table.read_as(row, titles[name], "a number", problems, read) if name in titles else 1
        for name in REPEATS
    )
    return evidence or 1, judging or 1


def unescape(text: str) -> str:
    """Take off the apostrophe that a run's tables put before what a spreadsheet would run as a formula."""
    return re.sub(r"^'(?='*[=+\-@\t\n])", "", text)


def keep_shared(metadata: dict[str, dict[str, str]], response_id: str, columns: Mapping[str, str]) -> None:
    """Keep of a response's columns those that are the same in all its rows."""
    shared = metadata.setdefault(response_id, dict(columns))
    if shared != columns:
        metadata[response_id] = {name: text for name, text in shared.items() if columns.get(name) == text}


def _make_sheet(task: Task, key: _Sheet, values: dict[PartKey, _Value], invalid: str) -> ScoreSheet:
    total = values.get(PartKey("", None, "total"), _Value(None, None, 0))
    return ScoreSheet(
        response_id=key.response_id,
        scorer=key.judge,
        evidence_repeat=key.evidence_repeat,
        judge_repeat=key.judge_repeat,
        steps=tuple(
            _make_step(step, {part: value for part, value in values.items() if part.step == step.id}, invalid)
            for step in task.steps
            if any(part.step == step.id for part in values)
        ),
        written_total=total.written,
        computed_total=total.computed,
    )


def _make_step(step: Step, values: dict[PartKey, _Value], invalid: str) -> StepScores:
    once = {key.part: value for key, value in values.items() if key.item is None}
    numbers = sorted({key.item for key in values if key.item is not None})
    return StepScores(
        step=step.id,
        items=tuple(_make_item(step, number, values) for number in numbers),
        invalid=invalid,
        written={part: value.written for part, value in once.items() if value.written is not None},
        computed={part: value.computed for part, value in once.items() if value.computed is not None},
    )


def _make_item(step: Step, number: int, values: dict[PartKey, _Value]) -> ItemScores:
    scores: dict[str, float] = {}
    for dimension in step.item_dimensions:
        if (value := values.get(PartKey(step.id, number, dimension.id))) is not None:
            points = value.written or 0
            # Whole points stay whole; expected ones, from probabilities, are fractions.
            scores[dimension.id] = int(points) if points == int(points) else points
    valid = all(scores.get(d.id, 1) for d in step.item_dimensions if d.derive == "valid_items")
    return ItemScores(item=number, invalid=None if valid else UNKNOWN, scores=scores)


def _same(score: float | None, final: float | None) -> bool:
    if score is None or final is None:
        return score is final
    return math.isclose(score, final, abs_tol=1e-9)


def _shown(value: float | None) -> str:
    return "nothing" if value is None else f"{value:g}"
