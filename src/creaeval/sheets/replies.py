"""The exact form of the analyst's and the judge's replies, generated from a task.

No length is demanded: prompts say how long a good text is, and whatever a model writes is taken. Each text
has a bound on decoding, though, for models that are held to a grammar (:mod:`creaeval.llm.replies.schema`):
without one a small model can run to its token limit.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from annotated_types import GroupedMetadata
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    create_model,
)

from creaeval.sheets.evidence import Depth, Status
from creaeval.sheets.score_sheet import evidence_layout

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from creaeval.sheets.evidence import Evidence
    from creaeval.sheets.score_sheet import StepLayout
    from creaeval.tasks import Dimension, Step, Task


class _Bounds(NamedTuple):
    """Characters (and quotes) at which the decoding of a text ends: about twice what the prompt advises."""

    quote: int
    quotes: int
    observation: int
    memory_line: int
    why_same: int


_BOUNDS: dict[Depth, _Bounds] = {
    "full": _Bounds(quote=200, quotes=4, observation=800, memory_line=240, why_same=300),
    "brief": _Bounds(quote=110, quotes=2, observation=200, memory_line=120, why_same=120),
}
# A step without items is summed up in a few lines.
_MAIN_POINTS = 5
_ANALYSIS = 400


def _ask_for_all(schema: dict[str, Any]) -> None:
    # Values that may be absent are asked for like all others: see computed_points.
    schema["required"] = list(schema["properties"])
    for field in schema["properties"].values():
        field.pop("default", None)


class Reply(BaseModel):
    """Base of all generated reply models: no extra keys, and none missing but what is computed anyway."""

    model_config = ConfigDict(extra="forbid", json_schema_extra=_ask_for_all)


# The marks around what a respondent wrote.
_MARK = re.compile(r"</?[a-z]+-[0-9a-f]{8,}>")


def say_something(text: str) -> str:
    """Refuse text without words."""
    # Small models hand back the dots that stand for their words in the form they are shown, or the marks of
    # the text that they read.
    if not re.search(r"\w", _MARK.sub("", text)):
        raise ValueError("expected words")
    return text


@dataclass(frozen=True)
class Words(GroupedMetadata):
    """A text of any length with at least a word, as in ``Annotated[str, Words(400)]``.

    ``bound`` are the characters at which its decoding ends where a grammar holds the model.
    """

    bound: int

    def __iter__(self) -> Iterator[object]:
        """Yield what pydantic reads of it."""
        yield Field(min_length=1, json_schema_extra={"maxLength": self.bound})
        yield AfterValidator(say_something)


class Finding(Reply):
    """What the analyst reports for one dimension; the words first, then what they show."""

    quotes: list[Annotated[str, AfterValidator(say_something)]]
    observation: Annotated[str, AfterValidator(say_something)]
    status: Status


@cache
def _finding(depth: Depth) -> type[Finding]:
    bounds = _BOUNDS[depth]
    most: dict[str, Any] = {"maxItems": bounds.quotes}
    quotes = Annotated[list[Annotated[str, Words(bounds.quote)]], Field(json_schema_extra=most)]
    return create_model(
        "Finding",
        __base__=Finding,
        quotes=(quotes, ...),
        observation=(Annotated[str, Words(bounds.observation)], ...),
        status=(Status, ...),
    )


def make_reply(name: str, fields: Mapping[str, Any]) -> type[Reply]:
    """Generate a form with these fields, given as for ``pydantic.create_model``."""
    # create_model's overloads cannot follow fields that come as a mapping.
    made: type[Reply] = create_model(name, __base__=Reply, **fields)
    return made


def item_key(number: int) -> str:
    """Name an item in prompts and replies: ``item_3``."""
    return f"item_{number}"


def observed(dimensions: Iterable[Dimension]) -> tuple[Dimension, ...]:
    """Leave out the dimensions the analyst need not observe: the count of its own categories."""
    return tuple(d for d in dimensions if d.derive != "distinct_categories")


def compares(step: Step, *, shared_call: bool) -> bool:
    """Whether the analyst compares a step's items: where one may be invalid, and all are one response's."""
    return step.items is not None and bool(step.judged_codes) and not shared_call


@lru_cache(maxsize=256)
def evidence_reply(
    task_id: str,
    step: Step,
    categories: tuple[str, ...],
    items: tuple[int, ...],
    *,
    depth: Depth = "full",
    memory: bool = True,
    compare: bool = True,
) -> type[Reply]:
    """Generate the form of the analyst's reply for one step: ``memory``, ``items`` and each step dimension.

    ``items`` are the numbers of those that are not blank. ``depth`` decides bounds on decoding alone. A
    memory is not asked for where nobody would read it; ``compare`` has items compared with each other.
    """
    # The memory comes first, next to the text it sums up: at the end small models repeat an earlier one.
    lines = max(len(items), _MAIN_POINTS)
    text = Annotated[str, Words(_BOUNDS[depth].memory_line * lines)]
    fields: dict[str, Any] = {"memory": (text, ...)} if memory else {}
    finding = _finding(depth)
    if step.items is not None:
        parts: dict[str, Any] = {}
        if step.items.categories:
            parts["category"] = (Literal[categories], ...)
        parts |= {d.id: (finding, ...) for d in step.item_dimensions}
        if compare and len(items) > 1:
            # Last: what it says of two items else finds its way into small models' observations of each.
            parts |= _comparison(items, _BOUNDS[depth].why_same)
        fields["items"] = _items_field(step, items, make_reply(f"{step.id}_item", parts))
    fields |= {d.id: (finding, ...) for d in observed(step.step_dimensions)}
    return make_reply(f"{task_id}_{step.id}_evidence", fields)


def _items_field(step: Step, items: tuple[int, ...], form: Any) -> tuple[type[Reply], Any]:
    return make_reply(f"{step.id}_items", {item_key(number): (form, ...) for number in items}), ...


def _comparison(items: tuple[int, ...], bound: int) -> dict[str, Any]:
    """Fields of an item that name the others that say the same; a wrong name is repaired, not refused."""
    names: dict[str, Any] = {"enum": [item_key(number) for number in items]}
    name = Annotated[str, BeforeValidator(_as_item_key), Field(json_schema_extra=names)]
    most: dict[str, Any] = {"maxItems": len(items) - 1}
    others = Annotated[list[name], Field(json_schema_extra=most), WrapValidator(_none_or_value)]
    reason = Annotated[str, Field(json_schema_extra={"maxLength": bound})]
    # What lacks is noted with the evidence: it is no reason to pay for all of it again.
    return {"same_as": (others, None), "why_same": (reason, "")}


def _as_item_key(value: Any) -> Any:
    return item_key(value) if isinstance(value, int) and not isinstance(value, bool) else value


def judge_reply(task: Task, evidence: Evidence) -> type[Reply]:
    """Generate the form of a judge's reply to the evidence of one response."""
    return score_reply(task, evidence_layout(task, evidence))


def score_reply(
    task: Task, layout: Sequence[StepLayout], *, categories: tuple[str, ...] = (), analysis: bool = False
) -> type[Reply]:
    """Generate the form of a reply that fills in a score sheet.

    It has a field for each step with its items, dimensions, sums and ``overall``, and ``total`` if no step is
    missing. Sums of items, ``overall`` and ``total`` are None where a reply lacks them; they are asked
    for only where the task's total is a sum. ``categories`` are the task's where the scorer sorts the items.
    With ``analysis`` words stand before the points of each dimension, as in
    ``{"analysis": …, "points": …}``.
    """
    steps = tuple((part.step, part.item_numbers) for part in layout)
    return _score_reply(task, steps, categories, analysis)


@lru_cache(maxsize=256)
def _score_reply(
    task: Task, steps: tuple[tuple[Step, tuple[int, ...]], ...], categories: tuple[str, ...], analysis: bool
) -> type[Reply]:
    fields: dict[str, Any] = {
        step.id: (_step_form(step, items, categories, analysis, task.total == "sum"), ...)
        for step, items in steps
    }
    if task.total == "sum" and len(steps) == len(task.steps):
        fields["total"] = (_computed_points(0, sum(step.max for step, _ in steps)), None)
    return make_reply(f"{task.id}_scores", fields)


def _step_form(
    step: Step, items: tuple[int, ...], categories: tuple[str, ...], analysis: bool, sums: bool
) -> type[Reply]:
    fields: dict[str, Any] = {}
    if step.items is not None:
        fields["items"] = _items_field(step, items, _item_form(step, categories, analysis))
    for dimension in step.dimensions:
        if dimension.scope == "step":
            fields[dimension.id] = _points_field(dimension, analysis)
        elif step.items is not None and step.items.added_up:
            fields[dimension.id] = (_computed_points(0, step.max_of(dimension)), None)
    if sums:
        fields["overall"] = (_computed_points(0, step.max), None)
    return make_reply(f"{step.id}_scores", fields)


def _points_field(dimension: Dimension, analysis: bool) -> tuple[Any, Any]:
    points = _points(dimension.scale.min, dimension.scale.max)
    if not analysis:
        return points, ...
    words = Annotated[str, Words(_ANALYSIS)]
    return make_reply(f"{dimension.id}_row", {"analysis": (words, ...), "points": (points, ...)}), ...


def _item_form(step: Step, categories: tuple[str, ...], analysis: bool) -> Any:
    """Form of one item: points, or where items can be invalid either ``yes`` with points or a code alone."""
    scored: dict[str, Any] = {}
    if categories and step.items is not None and step.items.categories:
        scored["category"] = (Literal[categories], ...)
    for dimension in step.item_dimensions:
        if dimension.derive != "valid_items":
            scored[dimension.id] = _points_field(dimension, analysis)
    codes = tuple(step.judged_codes)
    if not codes:
        return make_reply(f"{step.id}_item", scored)
    valid = make_reply(f"{step.id}_valid_item", {"valid": (Literal["yes"], ...), **scored})
    invalid = make_reply(f"{step.id}_invalid_item", {"valid": (Literal[codes], ...)})
    return Annotated[valid | invalid, Field(discriminator="valid", json_schema_extra=_any_of)]


def _any_of(schema: dict[str, Any]) -> None:
    # Strict structured output of several providers knows anyOf but neither oneOf nor discriminator.
    if "oneOf" in schema:
        schema["anyOf"] = schema.pop("oneOf")
        schema.pop("discriminator", None)


def _refuse_truth(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError("expected a whole number")
    return value


def _points(low: int, high: int) -> Any:
    # The bounds come first: after the validator pydantic would leave them out of the JSON schema.
    return Annotated[int, Field(ge=low, le=high), BeforeValidator(_refuse_truth)]


def _computed_points(low: int, high: int) -> Any:
    """Points that follow from the others: asked for, since comparisons use them, and accepted without."""
    return Annotated[_points(low, high), WrapValidator(_none_or_value)]


def _none_or_value(value: Any, read: ValidatorFunctionWrapHandler) -> Any:
    return None if value is None else read(value)
