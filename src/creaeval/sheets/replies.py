"""The exact form of the analyst's and the judge's replies, generated from a task.

Every string is bounded: without a bound a small model can run to its token limit.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, create_model

from creaeval.sheets.evidence import Status
from creaeval.sheets.shape import evidence_shape

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from creaeval.sheets.evidence import Evidence
    from creaeval.sheets.shape import StepShape
    from creaeval.tasks import Dimension, Step, Task

MAX_QUOTE, MAX_OBSERVATION, MAX_MEMORY, MAX_QUOTES = 110, 180, 400, 2


class Reply(BaseModel):
    """Base of all generated reply models: no missing and no extra keys."""

    model_config = ConfigDict(extra="forbid")


def say_something(text: str) -> str:
    """Refuse text without words."""
    # Small models hand back the dots that stand for their words in the form they are shown.
    if not re.search(r"\w", text):
        raise ValueError("expected words")
    return text


_Words = Annotated[str, Field(min_length=1), AfterValidator(say_something)]
_Quote = Annotated[_Words, Field(max_length=MAX_QUOTE)]


class Finding(Reply):
    """What the analyst reports for one dimension; the words first, then what they show."""

    quotes: Annotated[list[_Quote], Field(max_length=MAX_QUOTES)]
    observation: Annotated[_Words, Field(max_length=MAX_OBSERVATION)]
    status: Status


def _model(name: str, fields: dict[str, Any]) -> type[Reply]:
    # create_model's overloads cannot follow fields that come as a mapping.
    made: type[Reply] = create_model(name, __base__=Reply, **fields)
    return made


def item_key(number: int) -> str:
    """Name an item in prompts and replies: ``item_3``."""
    return f"item_{number}"


def observed(dimensions: Iterable[Dimension]) -> tuple[Dimension, ...]:
    """Leave out the dimensions the analyst need not observe: the count of its own categories."""
    return tuple(d for d in dimensions if d.derive != "distinct_categories")


@lru_cache(maxsize=256)
def evidence_reply(
    task_id: str, step: Step, categories: tuple[str, ...], items: tuple[int, ...], *, memory: bool = True
) -> type[Reply]:
    """Generate the form of the analyst's reply for one step.

    Parameters
    ----------
    task_id : str
        Names the model for people who read its schema.
    step : Step
        The step.
    categories : tuple of str
        The task's categories, used where the step sorts its items.
    items : tuple of int
        Numbers of the items that are not blank; empty for a step without items.
    memory : bool
        Whether a memory is asked for: not in a task of a single step, where nobody would read it.

    Returns
    -------
    type of Reply
        Fields ``memory``, ``items`` (``item_1`` …), and one per step dimension.
    """
    # The memory comes first, next to the text it sums up: at the end small models repeat an earlier one.
    noted = Annotated[_Words, Field(max_length=MAX_MEMORY)]
    fields: dict[str, Any] = {"memory": (noted, ...)} if memory else {}
    if step.items is not None:
        parts: dict[str, Any] = {}
        if step.items.categories:
            parts["category"] = (Literal[categories], ...)
        parts |= {d.id: (Finding, ...) for d in step.item_dimensions}
        item = _model(f"{step.id}_item", parts)
        fields["items"] = (
            _model(f"{step.id}_items", {item_key(n): (item, ...) for n in items}),
            ...,
        )
    fields |= {d.id: (Finding, ...) for d in observed(step.step_dimensions)}
    return _model(f"{task_id}_{step.id}_evidence", fields)


def judge_reply(task: Task, evidence: Evidence) -> type[Reply]:
    """Generate the form of a judge's reply to the evidence of one response.

    Parameters
    ----------
    task : Task
        The task.
    evidence : Evidence
        Says which steps and items there are to score.

    Returns
    -------
    type of Reply
        As :func:`score_reply`.
    """
    return score_reply(task, evidence_shape(task, evidence))


def score_reply(
    task: Task, shape: Sequence[StepShape], *, categories: tuple[str, ...] = (), analysis: bool = False
) -> type[Reply]:
    """Generate the form of a reply that fills in a score sheet.

    Parameters
    ----------
    task : Task
        The task.
    shape : sequence of StepShape
        Which steps and items there are to score.
    categories : tuple of str
        The task's categories where the scorer sorts the items; empty where the analyst has.
    analysis : bool
        Whether words stand before the points of each dimension, as in ``{"analysis": …, "points": …}``.

    Returns
    -------
    type of Reply
        One field a step with its items, dimensions, sums and ``overall``; ``total`` if no step is missing.
        Where items are units of their own (see :class:`~creaeval.tasks.Task`), there are no sums.
    """
    steps = tuple((part.step, part.given) for part in shape)
    return _score_reply(task.id, steps, len(task.steps), categories, analysis, task.unit == "response")


@lru_cache(maxsize=256)
def _score_reply(
    task_id: str,
    shape: tuple[tuple[Step, tuple[int, ...]], ...],
    n_steps: int,
    categories: tuple[str, ...],
    analysis: bool,
    sums: bool,
) -> type[Reply]:
    fields: dict[str, Any] = {
        step.id: (_step_form(step, items, categories, analysis, sums), ...) for step, items in shape
    }
    if sums and len(shape) == n_steps:
        fields["total"] = (_points(0, sum(step.max for step, _ in shape)), ...)
    return _model(f"{task_id}_scores", fields)


def _step_form(
    step: Step, items: tuple[int, ...], categories: tuple[str, ...], analysis: bool, sums: bool
) -> type[Reply]:
    fields: dict[str, Any] = {}
    if step.items is not None:
        item = _item_form(step, categories, analysis)
        fields["items"] = (
            _model(f"{step.id}_items", {item_key(n): (item, ...) for n in items}),
            ...,
        )
    for dimension in step.dimensions:
        if sums or dimension.scope == "step":
            low = 0 if dimension.scope == "item" else dimension.scale.min
            points = _points(low, step.max_of(dimension))
            worded = analysis and dimension.scope == "step"
            fields[dimension.id] = (_worded(dimension.id, points) if worded else points, ...)
    if sums:
        fields["overall"] = (_points(0, step.max), ...)
    return _model(f"{step.id}_scores", fields)


def _worded(name: str, points: Any) -> type[Reply]:
    words = Annotated[_Words, Field(max_length=MAX_OBSERVATION)]
    return _model(f"{name}_row", {"analysis": (words, ...), "points": (points, ...)})


def _item_form(step: Step, categories: tuple[str, ...], analysis: bool) -> Any:
    """Form of one item: points, or where items can be invalid either ``yes`` with points or a code alone."""
    scored: dict[str, Any] = {}
    if categories and step.items is not None and step.items.categories:
        scored["category"] = (Literal[categories], ...)
    for dimension in step.item_dimensions:
        if dimension.derive != "valid_items":
            points = _points(dimension.scale.min, dimension.scale.max)
            scored[dimension.id] = (_worded(dimension.id, points) if analysis else points, ...)
    codes = tuple(step.items.judged_codes) if step.items is not None else ()
    if not codes:
        return _model(f"{step.id}_item", scored)
    valid = _model(f"{step.id}_valid_item", {"valid": (Literal["yes"], ...), **scored})
    invalid = _model(f"{step.id}_invalid_item", {"valid": (Literal[codes], ...)})
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
