"""What is judged: a task with its steps, items, dimensions, scales and rubrics."""

from __future__ import annotations

import re
from collections import Counter
from statistics import fmean
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    model_validator,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Derivation = Literal["valid_items", "distinct_categories", "ranking_grid"]
#: Codes of invalid items that the program gives by what is written, so that no model is asked.
PROGRAM_CODES = ("blank", "dont_know")


class Model(BaseModel):
    """Base of the task models: immutable, and an unknown key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)


def _check_identifier(value: str) -> str:
    if not re.fullmatch(r"[a-z][a-z0-9_]*", value):
        raise ValueError("expected lower-case letters, digits and underscores, starting with a letter")
    if value in {"overall", "total", "items", "memory", "valid"}:
        raise ValueError(f"{value!r} is a word the score sheet uses itself; choose another")
    return value


Identifier = Annotated[str, AfterValidator(_check_identifier)]
Text = Annotated[str, Field(min_length=1)]


class Scale(Model):
    """Whole points from ``min`` to ``max``; written ``0-8`` in YAML."""

    min: int
    max: int

    @model_validator(mode="before")
    @classmethod
    def _read_range(cls, value: Any) -> Any:
        return _parse_range(value) if isinstance(value, str) else value

    @model_validator(mode="after")
    def _check_order(self) -> Self:
        if self.min >= self.max:
            raise ValueError(f"expected the lower end first and below the upper, found {self.min}-{self.max}")
        return self

    def __str__(self) -> str:
        return f"{self.min}-{self.max}"


class Level(Model):
    """One rubric level: the points from ``min`` to ``max`` and what earns them."""

    min: int
    max: int
    text: Text

    @property
    def label(self) -> str:
        """The points as raters write them: ``2`` or ``4-6``."""
        return str(self.min) if self.min == self.max else f"{self.min}-{self.max}"


def _parse_range(value: str) -> dict[str, int]:
    match = re.fullmatch(r"\s*(\d+)\s*(?:[-–]\s*(\d+))?\s*", value)
    if match is None:
        raise ValueError(f"expected whole points such as '3' or '4-6', found {value!r}")
    low = int(match[1])
    return {"min": low, "max": int(match[2]) if match[2] else low}


def _repeated(names: Iterable[str]) -> str | None:
    """Return the first name that is there more than once."""
    return next((name for name, count in Counter(names).items() if count > 1), None)


def _read_levels(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return tuple({**_parse_range(str(points)), "text": text} for points, text in value.items())


class Dimension(Model):
    """One thing that is scored.

    ``scope`` says whether each item or the whole step gets the points; item points are summed over the
    step. ``derive`` names the rule by which the value is computed from the rest of the sheet; what a model
    or a rater wrote is kept beside it.

    ``requirements`` say what a text must do and never what that is worth: the analyst reports how far each is
    met, and reads no levels; judges read both. ``examples`` are observations as the analyst is to write them,
    about a text that nobody is shown. Both may be left out.
    """

    id: Identifier
    name: Text
    description: Text
    requirements: tuple[Text, ...] = ()
    scale: Scale
    scope: Literal["step", "item"] = "step"
    derive: Derivation | None = None
    levels: Annotated[tuple[Level, ...], BeforeValidator(_read_levels)] = ()
    examples: tuple[Text, ...] = ()
    aliases: tuple[Text, ...] = ()

    @model_validator(mode="after")
    def _check_levels(self) -> Self:
        seen: set[int] = set()
        for level in self.levels:
            points = set(range(level.min, level.max + 1))
            if level.min > level.max or not self.scale.min <= level.min <= level.max <= self.scale.max:
                raise ValueError(f"level {level.label} lies outside the scale {self.scale}")
            if seen & points:
                raise ValueError(f"level {level.label} overlaps another level")
            seen |= points
        return self


class Group(Model):
    """Dimensions reported as one sum, such as Integrity."""

    id: Identifier
    name: Text
    members: Annotated[tuple[str, ...], Field(min_length=2)]


class Items(Model):
    """The list a step asks for: what an item is called, how many are scored, why one may be invalid.

    ``invalid`` maps each code to its meaning; without codes every item is scored. Two codes are given by the
    program, never by a model: ``blank`` to empty and missing items and, where the step lists it,
    ``dont_know`` to items that say no more than that.
    """

    name: Identifier
    max: Annotated[int, Field(ge=1, le=100)]
    invalid: dict[Identifier, Text] = Field(default_factory=dict)
    categories: bool = False

    @property
    def added_up(self) -> bool:
        """Whether the points of items are added up over the step."""
        return True


class SharedItems(Items):
    """Responses that share a call, as the items of a step: what they get is not added up."""

    @property
    def added_up(self) -> bool:
        """Whether the points of items are added up over the step: no."""
        return False


class Step(Model):
    """One part of a response, analysed on its own.

    ``invalid`` holds codes as those of :class:`Items` for a text without items: a text with such a code gets
    no points.
    """

    id: Identifier
    name: Text
    instruction: Text
    dimensions: Annotated[tuple[Dimension, ...], Field(min_length=1)]
    items: Items | None = None
    invalid: dict[Identifier, Text] = Field(default_factory=dict)
    groups: tuple[Group, ...] = ()
    memory: Literal["all", "none"] | tuple[str, ...] = "all"

    def __hash__(self) -> int:
        # The mapping of codes inside has no hash of its own; equality still compares everything.
        return hash((self.id, self.name, self.dimensions))

    def dimension(self, dimension_id: str) -> Dimension:
        """Return the dimension with this id; KeyError if the step has none."""
        return {dimension.id: dimension for dimension in self.dimensions}[dimension_id]

    @property
    def judged_codes(self) -> dict[str, str]:
        """The codes a judge may give, of its items or of its text: all but those of the program."""
        codes = self.invalid if self.items is None else self.items.invalid
        return {code: text for code, text in codes.items() if code not in PROGRAM_CODES}

    @property
    def parts(self) -> tuple[str, ...]:
        """Ids of all values the step can have on a sheet, in order: dimensions, groups, ``overall``."""
        return (*(d.id for d in self.dimensions), *(g.id for g in self.groups), "overall")

    @property
    def item_dimensions(self) -> tuple[Dimension, ...]:
        """Dimensions scored item by item."""
        return tuple(d for d in self.dimensions if d.scope == "item")

    @property
    def step_dimensions(self) -> tuple[Dimension, ...]:
        """Dimensions scored once for the step."""
        return tuple(d for d in self.dimensions if d.scope == "step")

    def max_of(self, dimension: Dimension) -> int:
        """Highest points of a dimension over the whole step (item points are summed)."""
        per_step = self.items.max if dimension.scope == "item" and self.items is not None else 1
        return dimension.scale.max * per_step

    @property
    def max(self) -> int:
        """Highest Overall of the step: the sum over its dimensions."""
        return sum(self.max_of(d) for d in self.dimensions)

    @model_validator(mode="after")
    def _check_parts(self) -> Self:
        if repeated := _repeated([*(d.id for d in self.dimensions), *(g.id for g in self.groups)]):
            raise ValueError(f"the id {repeated!r} is used twice in {self.id}")
        for group in self.groups:
            for member in group.members:
                if member not in {d.id for d in self.dimensions}:
                    raise ValueError(f"group {group.id} names {member!r}, which is no dimension of {self.id}")
        for dimension in self.dimensions:
            self._check_dimension(dimension)
        return self

    def _check_dimension(self, dimension: Dimension) -> None:
        where = f"dimension {dimension.id}"
        if dimension.scope == "item" and self.items is None:
            raise ValueError(f"{where} has scope item, but {self.id} has no items")
        if dimension.derive == "valid_items":
            if (
                dimension.scope != ("item" if self.items is not None else "step")
                or str(dimension.scale) != "0-1"
            ):
                raise ValueError(f"{where}: derive valid_items needs scope item and scale 0-1")
            if not self.judged_codes:
                raise ValueError(f"{where}: derive valid_items needs items with invalid codes")
        if dimension.derive == "distinct_categories" and (
            dimension.scope != "step" or self.items is None or not self.items.categories
        ):
            raise ValueError(
                f"{where}: derive distinct_categories needs scope step and items with categories: true"
            )
        if dimension.derive == "ranking_grid" and dimension.scope != "step":
            raise ValueError(f"{where}: derive ranking_grid needs scope step")


class Batching(Model):
    """Which responses may share a call: it saves calls and changes nothing in what a response is.

    They answer the same scenario and have the same values in the carried columns named by ``by``; one that
    has no value there is asked about by itself. ``most`` of them share a call at most.
    """

    by: tuple[Text, ...] = ("participant",)
    most: Annotated[int, Field(ge=1, le=100)] = 20

    @model_validator(mode="before")
    @classmethod
    def _read_number(cls, value: Any) -> Any:
        return {"most": value} if isinstance(value, int) else value


class Scenario(Model):
    """The situation a response answers.

    ``reference`` is a good answer to it that others are compared with, ``reference_id`` the id of the
    response it is, if it is one of those that are scored: no response is compared with itself.
    """

    id: Text
    title: str = ""
    text: Text
    reference: str = ""
    reference_id: str = ""


def _read_scenarios(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return {
        key: {"id": str(key), **scenario} if isinstance(scenario, dict) else scenario
        for key, scenario in value.items()
    }


class Task(Model):
    """A whole task: its steps in order, the categories its items use, and its scenarios if it has any.

    ``total`` says what the points of dimensions come to: their ``sum`` (a step's Overall, and of all steps
    the Total); their ``mean``, in which each dimension of the step or of the whole task counts the same; or
    ``none``, without Overalls and Total. In YAML it may be a number, which the sum of all maxima must be.
    ``noun`` is what a response is called, such as ``use``. ``batching`` lets short responses to a task of one
    step share a call.
    """

    id: Identifier
    name: Text
    language: Annotated[str, Field(pattern=r"^[a-z]{2}$")] = "en"
    source: Text
    description: Text
    needs_scenario: bool = False
    scenarios: Annotated[dict[str, Scenario], BeforeValidator(_read_scenarios)] = Field(default_factory=dict)
    categories: tuple[Text, ...] = ()
    steps: Annotated[tuple[Step, ...], Field(min_length=1)]
    noun: Identifier = "response"
    batching: Batching | None = None
    total: Literal["sum", "mean", "none"] = "sum"

    def __hash__(self) -> int:
        # As a step's: equality still compares everything.
        return hash((self.id, self.steps))

    @model_validator(mode="wrap")
    @classmethod
    def _read_total(cls, value: Any, read: ModelWrapValidatorHandler[Self]) -> Self:
        if not isinstance(value, dict):
            return read(value)
        fields = _read_sums(read_unit(value) if "unit" in value else value)
        stated = fields.get("total")
        if not isinstance(stated, int) or isinstance(stated, bool):
            return read(fields)
        task = read({**fields, "total": "sum"})
        if stated != task.max:
            raise ValueError(f"total is {stated}, but the steps add up to {task.max}")
        return task

    @model_validator(mode="after")
    def _check_whole(self) -> Self:
        ids = [step.id for step in self.steps]
        if repeated := _repeated(ids):
            raise ValueError(f"two steps have the id {repeated!r}")
        for index, step in enumerate(self.steps):
            if isinstance(step.memory, tuple):
                for earlier in step.memory:
                    if earlier not in ids[:index]:
                        raise ValueError(f"{step.id}: memory names {earlier!r}, which is no earlier step")
            if step.items is not None and step.items.categories and not self.categories:
                raise ValueError(f"{step.id} sorts items into categories, but the task lists none")
        folded = [category.casefold() for category in self.categories]
        if repeated := _repeated(folded):
            raise ValueError(f"the category {repeated!r} is listed twice")
        self._check_batching()
        return self

    def _check_batching(self) -> None:
        if self.batching is not None and (len(self.steps) > 1 or self.steps[0].items or self.steps[0].groups):
            raise ValueError("batching needs a single step without items and groups")
        for step in self.steps:
            if step.invalid and (self.batching is None or step.items is not None):
                raise ValueError(f"{step.id}: invalid needs a step without items in a task with batching")

    @property
    def max(self) -> float:
        """Highest Total."""
        return self.combine([step.max_of(dimension) for step in self.steps for dimension in step.dimensions])

    def combine(self, points: Sequence[float]) -> float:
        """Put the points of dimensions together as ``total`` says: their mean, or else their sum."""
        return fmean(points) if self.total == "mean" else sum(points)

    def parts(self, step: Step) -> tuple[str, ...]:
        """Ids of all values a step has on a sheet of this task, which may know no ``overall``."""
        return step.parts[:-1] if self.total == "none" else step.parts

    def step(self, step_id: str) -> Step:
        """Return the step with this id; KeyError if the task has none."""
        return {step.id: step for step in self.steps}[step_id]

    def earlier_steps(self, step: Step) -> tuple[Step, ...]:
        """Return the steps whose memory is handed to ``step``, in order."""
        before = self.steps[: self.steps.index(step)]
        if step.memory == "all":
            return before
        if step.memory == "none":
            return ()
        return tuple(s for s in before if s.id in step.memory)


def _read_sums(task: Mapping[str, Any]) -> dict[str, Any]:
    """Read ``sums: false``, in whose place ``total: none`` is written today; its ``total`` could be null."""
    fields = {name: value for name, value in task.items() if name != "sums"}
    if task.get("sums") is False:
        fields["total"] = "none"
    if fields.get("total", "") is None:
        del fields["total"]
    return fields


def read_unit(task: dict[str, Any]) -> dict[str, Any]:
    """Read the fields of a task of version 0.1, whose ``unit: item`` made each item of a step a response.

    In today's words a response is what was an item, and may share a call with those of the same participant.
    ValueError where the unit is no word of 0.1, or the task has not the form it asked for.
    """
    fields = {name: value for name, value in task.items() if name != "unit"}
    if task["unit"] == "response":
        return fields
    if task["unit"] != "item":
        raise ValueError(f"unit: found {task['unit']!r}; a task of this version has batching instead")
    steps = fields.get("steps")
    step = steps[0] if isinstance(steps, list | tuple) and len(steps) == 1 else {}
    dimensions = step.get("dimensions", ())
    if not isinstance(step.get("items"), dict) or not all(d.get("scope") == "item" for d in dimensions):
        raise ValueError("unit: item needs a single step whose dimensions all have scope item")
    items = step["items"]
    whole = {name: value for name, value in step.items() if name != "items"}
    whole["dimensions"] = [{**dimension, "scope": "step"} for dimension in dimensions]
    whole["invalid"] = items.get("invalid", {})
    # A use always named the object that was shown.
    today = {"noun": items["name"], "total": "none", "batching": {}, "needs_scenario": True}
    return {**fields, "steps": [whole], **today}
