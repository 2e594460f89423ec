"""What a rater says about an item in words: its category, why it is invalid, the step it is in."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING

from creaeval.data.build import unknown_step
from creaeval.tasks import find_category, find_step, fold

if TYPE_CHECKING:
    from collections.abc import Iterable

    from creaeval.tasks import Step, Task

#: The parts of an item that are words, not points.
CATEGORY, INVALID = "category", "invalid"


def resolve_step(task: Task, name: str) -> Step:
    """Find a step by name; without a name the only step there is. ValueError if there is none."""
    if not name and len(task.steps) == 1:
        return task.steps[0]
    step = find_step(task, name)
    if step is None:
        raise ValueError(unknown_step(task, name))
    return step


def read_category(raw: object, step: Step, task: Task) -> str:
    """Read an item's category; ValueError with the nearest one if the task has none like it."""
    if step.items is None or not step.items.categories:
        raise ValueError(f"found the category {raw!r:.80}, but {step.id} has no categories")
    category = find_category(task, raw) if isinstance(raw, str) else None
    if category is None:
        raise ValueError(f"found the category {raw!r:.80}. {_nearest(str(raw), task.categories)}")
    return category


def read_code(raw: object, step: Step) -> str:
    """Read why an item is invalid: ``duplicate``, or ``Duplicate — what the code means``."""
    codes = step.items.invalid if step.items is not None else {}
    if not codes:
        raise ValueError(f"found an invalid item ({raw!r:.80}), but every item of {step.id} is scored")
    word = re.split(r"\s*[—–:]|\s+-", raw.strip(), maxsplit=1)[0] if isinstance(raw, str) else ""
    code = next((code for code in codes if fold(code) == fold(word)), None)
    if code is None:
        raise ValueError(f"found {raw!r:.80} as the reason why an item is invalid. {_nearest(word, codes)}")
    return code


def _nearest(found: str, known: Iterable[str]) -> str:
    names = list(known)
    near = get_close_matches(found.casefold(), [name.casefold() for name in names], n=1, cutoff=0.6)
    if near:
        return f"Did you mean {next(n for n in names if n.casefold() == near[0])!r}?"
    return f"Expected one of {', '.join(names)}"
