"""Items that are responses of their own: a run asks about them in batches, its tables have a row for each."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from creaeval.data.batches import items_of, unit_id
from creaeval.methods import Outcome, get_method
from creaeval.sheets import ItemScores, ScoreSheet, StepScores
from creaeval.sheets.expected import NOT_CAPTURED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from creaeval.data import Response
    from creaeval.runs.plan import Plan
    from creaeval.tasks import Task


@dataclass(frozen=True)
class Unit:
    """One item of a batch.

    Parameters
    ----------
    id : str
        Its own, to the outside that of a response.
    invalid : str
        Why nobody was asked about it (``blank``, ``dont_know``); empty for all others.
    carried : mapping of str to str
        Its columns.
    """

    id: str
    invalid: str = ""
    carried: Mapping[str, str] = field(default_factory=dict)


def units_of(task: Task, response: Response) -> tuple[Unit, ...]:
    """List the units of a batch in the order of its items; one without an id is named by its number."""
    return tuple(
        Unit(
            unit_id(response, item),
            (item.invalid or "blank") if item.blank else "",
            item.extra or response.extra,
        )
        for item in items_of(task, response)
    )


def kept_with(task: Task, response: Response) -> Any:
    """Return what the ledger keeps beside an outcome: the response's columns, or its units with theirs."""
    if task.unit == "response":
        return response.extra
    return {unit.id: [unit.invalid, dict(unit.carried)] for unit in units_of(task, response)}


def read_kept(kept: Mapping[str, Any]) -> tuple[Unit, ...]:
    """Make the units of what :func:`kept_with` returned."""
    return tuple(Unit(unit_id, invalid, carried) for unit_id, (invalid, carried) in kept.items())


def split_sheet(sheet: ScoreSheet, units: Sequence[Unit]) -> Iterator[ScoreSheet]:
    """Part the sheet of a batch into one for each unit.

    Parameters
    ----------
    sheet : ScoreSheet
        Of a task whose units are items.
    units : sequence of Unit
        Those of the batch, the first of which is item 1.

    Yields
    ------
    ScoreSheet
        With the points of the one item as values of the step. One that lacks points has an item with the code
        that says why; an invalid one has none at all.
    """
    for step in sheet.steps:
        for item in step.items:
            unit = units[item.item - 1]
            code = unit.invalid or item.invalid
            alone = StepScores(
                step=step.step,
                items=(ItemScores(item=1, invalid=code),) if code else (),
                written={part: float(points) for part, points in item.scores.items()}
                if code in ("", None, NOT_CAPTURED)
                else {},
            )
            yield sheet.model_copy(update={"response_id": unit.id, "steps": (alone,), "written_total": None})


def invalid_code(sheet: ScoreSheet) -> str:
    """Return why the unit of a sheet from :func:`split_sheet` lacks a score; nothing where it has all."""
    return next((item.invalid for step in sheet.steps for item in step.items if item.invalid), "")


def asks_nothing(task: Task, response: Response) -> bool:
    """Whether a response is a batch of which no unit is to be scored."""
    units = units_of(task, response) if task.unit == "item" else ()
    return bool(units) and all(unit.invalid for unit in units)


def unasked(plan: Plan, response: Response) -> Outcome:
    """Make the outcome of a batch about which nobody is asked.

    Parameters
    ----------
    plan : Plan
        Names the judges and repeats.
    response : Response
        One of which :func:`asks_nothing` is true.

    Returns
    -------
    Outcome
        A sheet for each judge and repeat on which all items are invalid.
    """
    units = units_of(plan.task, response)
    scorer = get_method(plan.method).scorer
    items = tuple(ItemScores(item=number, invalid=unit.invalid) for number, unit in enumerate(units, 1))
    steps = (StepScores(step=plan.task.steps[0].id, items=items),)
    return Outcome(
        response_id=response.id,
        sheets=tuple(
            ScoreSheet(
                response_id=response.id,
                scorer=scorer(judge.name),
                steps=steps,
                evidence_repeat=evidence,
                judge_repeat=repeat,
            )
            for evidence in range(1, plan.evidence_repeats + 1)
            for judge in plan.judges
            for repeat in range(1, plan.judge_repeats + 1)
        ),
    )
