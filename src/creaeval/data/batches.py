"""Uses of objects in batches: each use is a response of its own, and a batch is what one call scores."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from creaeval.data.items import item_step, program_code
from creaeval.data.response import Item, Response

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from creaeval.tasks import Step, Task

BATCH = 20


@dataclass(frozen=True)
class Use:
    """One use as a file holds it.

    Parameters
    ----------
    id : str
        Its own.
    object : str
        What it is a use of.
    text : str
        What was written; empty if nothing was.
    participant : str
        Who wrote it; empty if that is not known.
    extra : mapping of str to str
        The columns that go into every table, object and participant included.
    source : str
        The file.
    """

    id: str
    object: str
    text: str
    participant: str = ""
    extra: Mapping[str, str] = field(default_factory=dict)
    source: str = ""


def make_batches(
    uses: Iterable[Use], step: Step, size: int = BATCH, *, mix_participants: bool = False
) -> list[Response]:
    """Put uses into batches.

    Parameters
    ----------
    uses : iterable of Use
        In any order.
    step : Step
        The step they are items of.
    size : int
        Uses in a batch at most; never more than the step's maximum of items.
    mix_participants : bool
        Whether uses of different people, or of nobody known, may stand in one batch.

    Returns
    -------
    list of Response
        Every use is an item of exactly one, all of one object, in their order. Batches of one object and
        participant follow each other, in the order of the first use of each. Unless participants are mixed,
        a batch is of one participant, and a use of nobody known is alone. Ids are ``OBJECT/PARTICIPANT/1``,
        ``OBJECT//1`` without a participant. Objects that differ in case only are one, spelled as at first.
    """
    most = _most(step, size)
    groups: dict[tuple[str, ...], list[Use]] = {}
    spellings: dict[str, str] = {}
    for use in (_spelled_as_at_first(use, spellings) for use in uses):
        alone = not (mix_participants or use.participant)
        key = (use.object, "" if mix_participants else use.participant, use.id if alone else "")
        groups.setdefault(key, []).append(use)
    taken: Counter[str] = Counter()
    batches = []
    for group in groups.values():
        for start in range(0, len(group), most):
            one = group[start]
            name = f"{one.object}/{'' if mix_participants else one.participant}"
            taken[name] += 1
            batches.append(_batch(f"{name}/{taken[name]}", group[start : start + most], step))
    return batches


def _spelled_as_at_first(use: Use, spellings: dict[str, str]) -> Use:
    name = spellings.setdefault(" ".join(use.object.casefold().split()), use.object)
    extra = {**use.extra, "object": name} if "object" in use.extra else use.extra
    return replace(use, object=name, extra=extra)


def _most(step: Step, size: int) -> int:
    return min(size, step.items.max) if step.items is not None else size


def _batch(batch_id: str, uses: Sequence[Use], step: Step) -> Response:
    items = [
        Item(
            number=number,
            text=use.text,
            invalid=program_code(step, use.text),
            id=use.id,
            extra=dict(use.extra),
        )
        for number, use in enumerate(uses, 1)
    ]
    return Response(
        id=batch_id, scenario=uses[0].object, steps={step.id: item_step(items)}, source=uses[0].source
    )


def unit_ids(task: Task, responses: Iterable[Response]) -> list[str]:
    """List the ids that get rows of scores: of responses, or of their items where these are the units.

    Parameters
    ----------
    task : Task
        The task.
    responses : iterable of Response
        Its responses.

    Returns
    -------
    list of str
    """
    if task.unit == "response":
        return [response.id for response in responses]
    return [unit_id(response, item) for response in responses for item in items_of(task, response)]


def unit_id(response: Response, item: Item) -> str:
    """Return the id of an item that is a unit; one without an id is named by its batch and number."""
    return item.id or f"{response.id}-{item.number}"


def items_of(task: Task, response: Response) -> tuple[Item, ...]:
    """Return the items of a response to a task whose units are items."""
    written = response.steps.get(task.steps[0].id)
    return written.items if written is not None else ()


def batch_notes(task: Task, responses: Sequence[Response], size: int = BATCH) -> list[str]:
    """Say how many calls uses without a participant take, and how to have fewer.

    Parameters
    ----------
    task : Task
        The task.
    responses : sequence of Response
        From :func:`creaeval.data.read_responses`.
    size : int
        Uses in a batch at most.

    Returns
    -------
    list of str
        One line, or none where there are no such uses or only one of each object.
    """
    if task.unit == "response":
        return []
    alone = Counter(
        response.scenario
        for response in responses
        if [bool(item.extra.get("participant")) for item in items_of(task, response)] == [False]
    )
    most = _most(task.steps[0], size)
    mixed = sum(-(-number // most) for number in alone.values())
    if mixed == alone.total():
        return []
    return [
        f"{alone.total()} uses are of no known participant, so each is asked about by itself: "
        f"{alone.total()} calls for each model. With --mix-participants, up to {most} uses of one object "
        f"share a call, which makes {mixed}; uses of different people then stand side by side."
    ]
