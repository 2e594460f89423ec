"""Find a task's parts by the many ways people and models spell their names."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING

from creaeval.wording import nearest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from creaeval.tasks.model import Dimension, Group, Step, Task


@lru_cache(maxsize=20_000)
def fold(name: str) -> str:
    """Reduce a name to what identifies it: letters and digits, without case, width or accents.

    Parameters
    ----------
    name : str
        A name as somebody wrote it, such as ``"Stem & KVP"`` or ``"stem_kvp"``.

    Returns
    -------
    str
        For both of these ``"stemkvp"``.
    """
    plain = unicodedata.normalize("NFKD", name).casefold()
    return re.sub(r"[^\w]|_", "", "".join(c for c in plain if not unicodedata.combining(c)))


def find_step(task: Task, name: str) -> Step | None:
    """Find a step by id (``step1``), by ``Step-1`` or by its name; None if there is none."""
    return next(_steps_called(task, name), None)


def _steps_called(task: Task, name: str) -> Iterator[Step]:
    return (step for step in task.steps if fold(name) in {fold(step.id), fold(step.name)})


def find_part(step: Step, name: str) -> Dimension | Group | None:
    """Find a dimension or group of a step by id, name or alias; None if there is none."""
    parts: tuple[Dimension | Group, ...] = (*step.dimensions, *step.groups)
    for part in parts:
        if fold(name) in map(fold, (part.id, part.name, *getattr(part, "aliases", ()))):
            return part
    return None


def _part_id(step: Step, name: str) -> str | None:
    if fold(name) in {"overall", "overallscore"}:
        return "overall"
    part = find_part(step, name)
    return part.id if part is not None else None


def find_category(task: Task, name: str) -> str | None:
    """Find a category without regard to case or punctuation; None if the task lists none like it."""
    return next((category for category in task.categories if fold(category) == fold(name)), None)


def resolve(task: Task, name: str) -> tuple[Step | None, str]:
    """Resolve the identity of a dimension, group, Overall or Total.

    Parameters
    ----------
    task : Task
        The task whose names are meant.
    name : str
        ``step1.fluency``, ``step1_fluency``, ``Step-1 Fluency``, ``step1.overall``, ``total``, or a bare name
        where it is unique in the task. Names may hold dots, underscores and spaces: the whole is tried before
        a step and its part.

    Returns
    -------
    tuple of (Step or None, str)
        The step and the part's id; ``(None, "total")`` for the Total.

    Raises
    ------
    KeyError
        Nothing, or more than one thing, has this name; the message is fit for a person.
    """
    if fold(name) in {"total", "totalscore"}:
        return None, "total"
    for step in task.steps:
        # An identity means one thing only, whatever else folds to the same letters.
        if name.startswith(f"{step.id}.") and name.removeprefix(f"{step.id}.") in step.parts:
            return step, name.removeprefix(f"{step.id}.")
    parts = _parts_called(task.steps, name)
    if not parts:
        for head, tail in _splits(name):
            parts |= _parts_called(_steps_called(task, head), tail)
    if len(parts) > 1:
        raise KeyError(
            f"{name!r} is in more than one step of task {task.id}; write one of {', '.join(parts)}"
        )
    for part in parts.values():
        return part
    known = identities(task)
    near = nearest(name.casefold(), known, most=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else f"known are {', '.join(known)}"
    raise KeyError(f"task {task.id} has no dimension {name!r}; {hint}")


def _parts_called(steps: Iterable[Step], name: str) -> dict[str, tuple[Step, str]]:
    """Return what has this name in these steps, by identity."""
    parts = ((step, _part_id(step, name)) for step in steps)
    return {f"{step.id}.{part}": (step, part) for step, part in parts if part is not None}


def _splits(name: str) -> Iterator[tuple[str, str]]:
    """Yield every way to read a name as a step and its part: at each dot or underscore, behind ``Step-1``."""
    for mark in re.finditer("[._]", name):
        yield name[: mark.start()], name[mark.end() :]
    if match := re.match(r"\s*(step[\s_-]*\d+)\W+(.+)", name, flags=re.IGNORECASE):
        yield match[1], match[2]


def identities(task: Task) -> list[str]:
    """List every identity a score can have, in the order of the sheet; the Total comes last, if any."""
    names = [f"{step.id}.{part}" for step in task.steps for part in task.parts(step)]
    return names if task.total == "none" else [*names, "total"]


def display_name(task: Task, identity: str) -> str:
    """Name an identity for people: ``step2.stem_kvp`` becomes ``Stem & KVP``."""
    step_id, _, part_id = identity.partition(".")
    if not part_id:
        return "Total"
    if part_id == "overall":
        return "Overall"
    part = find_part(task.step(step_id), part_id)
    return part.name if part is not None else part_id
