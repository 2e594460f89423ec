"""Collect what a rater wrote, value by value, and check each; then make the rating."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from creaeval.data.item_words import CATEGORY, INVALID, read_category, read_code, resolve_step
from creaeval.data.points import points_range, read_decimal, read_half_points, read_points, takes_halves
from creaeval.data.response import Rating
from creaeval.sheets import ItemScores, ScoreSheet, StepScores, complete_sheet
from creaeval.tasks import fold, resolve

if TYPE_CHECKING:
    from collections.abc import Mapping

    from creaeval.tasks import Step, Task


class _Key(NamedTuple):
    step: str
    item: int | None
    part: str


class _Value(NamedTuple):
    value: float | str
    where: str
    row: int | None

    def __str__(self) -> str:
        return self.value if isinstance(self.value, str) else f"{self.value:g}"


#: What a name means: by the name, the step it is in and whether it is an item's.
Names: TypeAlias = "dict[tuple[str, str | None, bool], tuple[Step | None, str]]"


class RatingDraft:
    """What one rater wrote about one response.

    Parameters
    ----------
    task : Task
        The task that was rated.
    response_id, rater : str
        Whose rating it is.
    source : str
        The file.
    where : str
        The rating's place in words.
    problems : list of str
        What is wrong is added here.
    names : dict, optional
        The names that were resolved, kept for other drafts of the same task.
    stage : str, optional
        When it was given, such as ``blind``.
    """

    def __init__(
        self,
        task: Task,
        response_id: str,
        rater: str,
        source: str,
        where: str,
        problems: list[str],
        names: Names | None = None,
        stage: str = "",
    ) -> None:
        self.response_id, self.rater, self.stage, self.where = response_id, rater, stage, where
        self._task, self._source, self._problems = task, source, problems
        self._names: Names = {} if names is None else names
        self._values: dict[_Key, _Value] = {}
        self._extra: dict[str, str] | None = None

    @property
    def name(self) -> str:
        """Whose rating of what it is, in words: ``R02/A``, or ``R02/A/blind`` at a stage."""
        return "/".join(filter(None, (self.response_id, self.rater, self.stage)))

    def carry(self, columns: Mapping[str, str]) -> None:
        """Take the other columns of a row; one that differs from row to row is not of the whole rating."""
        if self._extra is None:
            self._extra = dict(columns)
        else:
            self._extra = {name: text for name, text in self._extra.items() if columns.get(name) == text}

    def put(
        self,
        name: str,
        raw: object,
        where: str,
        step: Step | None = None,
        item: object = None,
        row: int | None = None,
    ) -> None:
        """Take one value.

        Parameters
        ----------
        name : str
            Identity or name of the part; of an item also ``category`` and ``invalid``.
        raw : object
            What was written.
        where : str
            Its place in words.
        step : Step, optional
            The step the name is in, if it is known.
        item : object, optional
            The item's number.
        row : int, optional
            The row of a table.
        """
        try:
            meant = (name, step.id if step is not None else None, item is not None)
            if meant not in self._names:
                self._names[meant] = self._resolve(name, step, item)
            found, part = self._names[meant]
            number = self._item_number(found, part, item)
            value = self._read(raw, found, part, number)
        except ValueError as error:
            self._problems.append(f"{where}: {error}.")
            return
        key = _Key(found.id if found is not None else "", number, part)
        later = _Value(value, where, row)
        earlier = self._values.setdefault(key, later)
        if earlier.value != value:
            of_item = f", item {number}," if number is not None else ""
            places = (
                f"rows {earlier.row} and {row}"
                if row is not None and earlier.row not in {None, row}
                else f"{earlier.where} and {where}"
            )
            self._problems.append(
                f"{self._source}: {self.name}/{name}{of_item} rated twice: {earlier} and {later} ({places}). "
                "Keep one."
            )

    def _resolve(self, name: str, step: Step | None, item: object) -> tuple[Step | None, str]:
        if item is not None:
            head, _, tail = name.rpartition(".")
            if fold(tail) in {CATEGORY, INVALID}:
                if step is None:
                    step = resolve_step(self._task, head)
                return step, fold(tail)
        try:
            return resolve(self._task, name if step is None else f"{step.id}.{name}")
        except KeyError as error:
            raise ValueError(str(error.args[0])) from error

    def _item_number(self, step: Step | None, part: str, item: object) -> int | None:
        if item is None:
            return None
        if step is not None and step.items is None and self._task.batching is not None:
            raise ValueError(
                f"found item {item!r}, but in task {self._task.id} each {self._task.noun} is a response "
                "of its own: its id is the response_id"
            )
        if step is None or step.items is None:
            raise ValueError(f"found item {item!r}, but {_identity(step, part)} is not scored by items")
        if part not in {CATEGORY, INVALID, *(d.id for d in step.item_dimensions)}:
            raise ValueError(f"found item {item!r}, but {step.id}.{part} is scored once for the whole step")
        try:
            return read_points(item, 1, step.items.max)
        except ValueError as error:
            raise ValueError(f"item: {error} (task {self._task.id}, {step.id})") from error

    def _read(self, raw: object, step: Step | None, part: str, item: int | None) -> float | str:
        if step is not None and item is not None:
            if part == CATEGORY:
                return read_category(raw, step, self._task)
            if part == INVALID:
                return read_code(raw, step)
            scale = step.dimension(part).scale
            low, high = scale.min, scale.max
        else:
            low, high = points_range(self._task, step, part)
        halves = item is None and takes_halves(self._task, step, part)
        try:
            if not self._task.sums:
                # Nothing is added up from it, so it may be the mean of several raters.
                return read_decimal(raw, low, high)
            return read_half_points(raw, low, high) if halves else read_points(raw, low, high)
        except ValueError as error:
            raise ValueError(f"{error} (task {self._task.id}, {_identity(step, part)})") from error

    def finish(self) -> Rating:
        """Make the rating, with all computed values; missing items are not invented."""
        steps = tuple(
            StepScores(step=step.id, items=self._items(step), written=self._written(step))
            for step in self._task.steps
            if any(key.step == step.id for key in self._values)
        )
        total = self._values.get(_Key("", None, "total"))
        sheet = ScoreSheet(
            response_id=self.response_id,
            scorer=self.rater,
            steps=steps,
            written_total=float(total.value) if total is not None else None,
        )
        return Rating(
            response_id=self.response_id,
            rater=self.rater,
            sheet=complete_sheet(self._task, sheet),
            source=self._source,
            stage=self.stage,
            extra={name: text for name, text in (self._extra or {}).items() if text},
        )

    def _written(self, step: Step) -> dict[str, float]:
        found = {part: self._values.get(_Key(step.id, None, part)) for part in step.parts}
        return {part: float(value.value) for part, value in found.items() if value is not None}

    def _items(self, step: Step) -> tuple[ItemScores, ...]:
        numbers = sorted({k.item for k in self._values if k.step == step.id and k.item is not None})
        return tuple(self._item(step, number) for number in numbers)

    def _item(self, step: Step, number: int) -> ItemScores:
        code = self._values.get(_Key(step.id, number, INVALID))
        category = self._values.get(_Key(step.id, number, CATEGORY))
        scores: dict[str, int] = {}
        for dimension in step.item_dimensions:
            value = self._values.get(_Key(step.id, number, dimension.id))
            if value is None:
                continue
            points = int(value.value)
            counted = dimension.derive == "valid_items"
            if code is not None and points > 0:
                self._problems.append(
                    f"{value.where}: found {points} for {step.id}.{dimension.id}, but item {number} is "
                    f"invalid ({code.value}); an invalid item gets no points."
                )
            elif code is None and counted and points == 0:
                codes = ", ".join(step.items.invalid) if step.items is not None else ""
                self._problems.append(
                    f"{value.where}: found 0 for {step.id}.{dimension.id} of item {number}, expected also "
                    f"why it is invalid, as 'invalid': one of {codes}."
                )
            elif code is None:
                scores[dimension.id] = points
        return ItemScores(
            item=number,
            invalid=str(code.value) if code is not None else None,
            category=str(category.value) if category is not None else None,
            scores=scores,
        )


def _identity(step: Step | None, part: str) -> str:
    return part if step is None else f"{step.id}.{part}"
