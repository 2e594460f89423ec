"""Build a rating from what a rater wrote, value by value, checking each."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from creaeval.data.model import Rating
from creaeval.data.points import points_reader, read_points
from creaeval.data.reading import Reading
from creaeval.data.response_builder import unknown_step
from creaeval.data.words import MISSING
from creaeval.errors import Problems
from creaeval.sheets import ItemScores, ScoreSheet, StepScores
from creaeval.tasks import find_category, find_step, fold, resolve
from creaeval.wording import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from creaeval.tasks import Step, Task

    #: Reads what was written for a part; ValueError with what was found and what was expected.
    _Reader: TypeAlias = Callable[[object], float | str]

#: How people write that a value is missing, where they write a number.
_CODE_OF_MISSING = re.compile(r"-\d+([.,]0+)?|9{2,}([.,]0+)?|(77|88)([.,]0+)?")
#: The parts of an item that are words, not points.
CATEGORY, INVALID = "category", "invalid"


class PartKey(NamedTuple):
    """What a value is of; ``step`` is empty for the total, ``item`` None for what is given once a step."""

    step: str
    item: int | None
    part: str


class _Value(NamedTuple):
    value: float | str
    where: object
    row: int | None

    def __str__(self) -> str:
        return self.value if isinstance(self.value, str) else f"{self.value:g}"


class RatingSource:
    """A file of ratings: what is wrong with it, and a builder for each rating in it."""

    def __init__(self, task: Task, path: Path, reading: Reading | None = None) -> None:
        self.task, self.path = task, path
        self.problems = Problems()
        self.builders: list[RatingBuilder] = []
        reading = reading or Reading()
        self.missing = MISSING | set(reading.missing)
        self.levels = reading.levels
        #: What a name means and how it is read: by the name, the step it is in and whether it is an item's.
        self.parts: dict[tuple[str, str, bool], tuple[Step | None, PartKey, _Reader]] = {}

    def add(self, response_id: str, rater: str, where: str, stage: str = "") -> RatingBuilder:
        """Add a rating; ``where`` is its place in words."""
        self.builders.append(RatingBuilder(self, response_id, rater, where, stage))
        return self.builders[-1]

    def advise(self, advice: str, most: int | None = None) -> None:
        """Put advice behind the problems so far, or behind the first of them."""
        problems, self.problems = list(self.problems), Problems()
        for number, problem in enumerate(problems):
            self.problems.add(f"{problem} {advice}" if most is None or number < most else problem)


class RatingBuilder:
    """What one rater wrote about one response, at a stage such as ``blind``."""

    def __init__(self, source: RatingSource, response_id: str, rater: str, where: str, stage: str) -> None:
        self.response_id, self.rater, self.where, self.stage = response_id, rater, where, stage
        self._source, self._task = source, source.task
        self._values: dict[PartKey, _Value] = {}
        self._metadata: dict[str, str] | None = None

    @property
    def name(self) -> str:
        """Whose rating of what it is, in words: ``R02/A``, or ``R02/A/blind`` at a stage."""
        return "/".join(filter(None, (self.response_id, self.rater, self.stage)))

    def set_metadata(self, columns: Mapping[str, str]) -> None:
        """Take the other columns of a row; one that differs from row to row is not of the whole rating."""
        if self._metadata is None:
            self._metadata = dict(columns)
        else:
            self._metadata = {
                name: text for name, text in self._metadata.items() if columns.get(name) == text
            }

    def set(
        self,
        name: str,
        raw: object,
        where: object,
        step: Step | None = None,
        item: object = None,
        row: int | None = None,
    ) -> None:
        """Take one value: ``raw`` is what was written at ``where``, a place, perhaps in a table's ``row``.

        ``name`` is the identity or name of the part, in ``step`` if that is known; of an item, whose number
        is ``item``, also ``category`` and ``invalid``.
        """
        try:
            key, value = self._read(name, raw, step, item)
        except ValueError as error:
            code = str(raw).strip()
            hint = ""
            if _CODE_OF_MISSING.fullmatch(code):
                hint = f" If {code} stands for a missing value, say --missing {code}."
            elif any(map(str.isalpha, code)):
                hint = " Words that stand for points are named with --levels, as in --levels low,medium,high."
            self._source.problems.add(f"{where}: {error}.{hint}")
            return
        later = _Value(value, where, row)
        earlier = self._values.setdefault(key, later)
        if earlier.value != value:
            of_item = f", item {key.item}," if key.item is not None else ""
            places = (
                f"rows {earlier.row} and {row}"
                if row is not None and earlier.row not in {None, row}
                else f"{earlier.where} and {where}"
            )
            several = (
                "" if self.stage else ", or name the times in a column stage and choose one with --stage"
            )
            self._source.problems.add(
                f"{self._source.path}: {self.name}/{name}{of_item} rated twice: {earlier} and {later} "
                f"({places}). Keep one{several}."
            )

    def finish(self, problems: Problems) -> Rating:
        """Make the rating, with all computed values; missing items are not invented."""
        steps = tuple(
            self._step(step, problems)
            for step in self._task.steps
            if any(key.step == step.id for key in self._values)
        )
        total = self._values.get(PartKey("", None, "total"))
        written_total = float(total.value) if total is not None else None
        return Rating(
            response_id=self.response_id,
            rater=self.rater,
            sheet=ScoreSheet.build(
                self._task, self.response_id, self.rater, steps, written_total=written_total
            ),
            source=str(self._source.path),
            stage=self.stage,
            metadata={name: text for name, text in (self._metadata or {}).items() if text},
        )

    def _read(self, name: str, raw: object, step: Step | None, item: object) -> tuple[PartKey, float | str]:
        """Read a value and what it is of; ValueError if either cannot be read."""
        source, of_item = self._source, item is not None
        named = name, step.id if step is not None else "", of_item
        if named not in source.parts:
            source.parts[named] = self._find_part(name, step, item)
        step, key, reader = source.parts[named]
        if of_item:
            key = key._replace(item=self._item_number(step, key.part, item))
        if isinstance(raw, str) and source.levels:
            raw = source.levels.get(raw.strip().casefold(), raw)
        return key, reader(raw)

    def _find_part(self, name: str, step: Step | None, item: object) -> tuple[Step | None, PartKey, _Reader]:
        of_item = item is not None
        step, part = _find_part(self._task, name, step, of_item)
        if of_item:
            self._item_number(step, part, item)  # what has no items has no reader of them
        key = PartKey(step.id if step is not None else "", None, part)
        return step, key, _make_reader(self._task, step, part, of_item)

    def _item_number(self, step: Step | None, part: str, item: object) -> int:
        if step is not None and step.items is None and self._task.batching is not None:
            raise ValueError(
                f"found item {item!r}, but in task {self._task.id} each {self._task.noun} is a response of "
                "its own: its id is the response_id"
            )
        if step is None or step.items is None:
            identity = part if step is None else f"{step.id}.{part}"
            raise ValueError(f"found item {item!r}, but {identity} is not scored by items")
        if part not in {CATEGORY, INVALID, *(d.id for d in step.item_dimensions)}:
            raise ValueError(f"found item {item!r}, but {step.id}.{part} is scored once for the whole step")
        try:
            return read_points(item, 1, step.items.max)
        except ValueError as error:
            raise ValueError(f"item: {error} (task {self._task.id}, {step.id})") from error

    def _step(self, step: Step, problems: Problems) -> StepScores:
        numbers = sorted({key.item for key in self._values if key.step == step.id and key.item is not None})
        values = {part: self._values.get(PartKey(step.id, None, part)) for part in step.parts}
        return StepScores.build(
            self._task,
            step,
            items=[self._item(step, number, problems) for number in numbers],
            written={part: float(value.value) for part, value in values.items() if value is not None},
        )

    def _item(self, step: Step, number: int, problems: Problems) -> ItemScores:
        code = self._values.get(PartKey(step.id, number, INVALID))
        category = self._values.get(PartKey(step.id, number, CATEGORY))
        scores: dict[str, int] = {}
        for dimension in step.item_dimensions:
            value = self._values.get(PartKey(step.id, number, dimension.id))
            if value is None:
                continue
            points = int(value.value)
            if code is not None and points > 0:
                problems.add(
                    f"{value.where}: found {points} for {step.id}.{dimension.id}, but item {number} is "
                    f"invalid ({code.value}); an invalid item gets no points."
                )
            elif code is None and dimension.derive == "valid_items" and points == 0:
                codes = ", ".join(step.items.invalid) if step.items is not None else ""
                problems.add(
                    f"{value.where}: found 0 for {step.id}.{dimension.id} of item {number}, expected also "
                    f"why it is invalid, as 'invalid': one of {codes}."
                )
            elif code is None:
                scores[dimension.id] = points
        return ItemScores.build(
            step,
            number,
            scores,
            invalid=str(code.value) if code is not None else None,
            category=str(category.value) if category is not None else None,
        )


def finish_ratings(builders: Sequence[RatingBuilder], problems: Iterable[str]) -> list[Rating]:
    """Make the ratings; DataError with all problems if there is one, or if a rating is there twice."""
    all_problems = Problems()
    all_problems.extend(problems)
    ratings = [builder.finish(all_problems) for builder in builders]
    places: dict[tuple[str, str, str], str] = {}
    for builder in builders:
        key = builder.response_id, builder.rater, builder.stage
        if key in places:
            stage = f" at stage {builder.stage!r}" if builder.stage else ""
            in_book = builder.where.startswith(f"{places[key].partition('.xls')[0]}.xls")
            all_problems.add(
                f"{builder.where}: response {builder.response_id!r} was already rated by {builder.rater!r}"
                f"{stage} in {places[key]}. Keep one of the two"
                f"{', or say which sheet is to be read: --read sheet=NAME' if in_book else ''}."
            )
        places.setdefault(key, builder.where)
    all_problems.stop()
    return ratings


def resolve_step(task: Task, name: str) -> Step:
    """Find a step by name; without a name the only step there is. ValueError if there is none."""
    if not name and len(task.steps) == 1:
        return task.steps[0]
    step = find_step(task, name)
    if step is None:
        raise ValueError(unknown_step(task, name))
    return step


def _find_part(task: Task, name: str, step: Step | None, of_item: bool) -> tuple[Step | None, str]:
    head, _, tail = name.rpartition(".")
    if of_item and fold(tail) in {CATEGORY, INVALID}:
        return step or resolve_step(task, head), fold(tail)
    try:
        return resolve(task, name if step is None else f"{step.id}.{name}")
    except KeyError as error:
        raise ValueError(str(error.args[0])) from error


def _make_reader(task: Task, step: Step | None, part: str, of_item: bool) -> _Reader:
    if step is not None and of_item:
        if part == CATEGORY:
            return lambda raw: _read_category(raw, step, task)
        if part == INVALID:
            return lambda raw: _read_code(raw, step)
    return points_reader(task, step, part, of_item)


def _read_category(raw: object, step: Step, task: Task) -> str:
    if step.items is None or not step.items.categories:
        raise ValueError(f"found the category {raw!r:.80}, but {step.id} has no categories")
    category = find_category(task, raw) if isinstance(raw, str) else None
    if category is None:
        raise ValueError(f"found the category {raw!r:.80}. {_expected(str(raw), task.categories)}")
    return category


def _read_code(raw: object, step: Step) -> str:
    """Read why an item is invalid: ``duplicate``, or ``Duplicate — what the code means``."""
    codes = step.items.invalid if step.items is not None else {}
    if not codes:
        raise ValueError(f"found an invalid item ({raw!r:.80}), but every item of {step.id} is scored")
    word = re.split(r"\s*[—–:]|\s+-", raw.strip(), maxsplit=1)[0] if isinstance(raw, str) else ""
    code = next((code for code in codes if fold(code) == fold(word)), None)
    if code is None:
        raise ValueError(f"found {raw!r:.80} as the reason why an item is invalid. {_expected(word, codes)}")
    return code


def _expected(word: str, known: Iterable[str]) -> str:
    names = list(known)
    return did_you_mean(word, names, key=str.casefold) or f"Expected one of {', '.join(names)}"
