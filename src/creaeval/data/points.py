"""Read points and know the range each value of a sheet can have."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from creaeval.data.words import words
from creaeval.tasks import fold

if TYPE_CHECKING:
    from collections.abc import Callable

    from creaeval.tasks import Dimension, Step, Task


def read_points(raw: object, low: float, high: float) -> int:
    """Read whole points from ``low`` to ``high``; ValueError with what was found and what was expected."""
    return int(_read(raw, low, high, 1, "a whole number"))


def read_half_points(raw: object, low: float, high: float) -> float:
    """Read whole or half points, such as ``7``, ``"7.5"`` or ``"7.0"`` (as pandas writes whole numbers)."""
    return _read(raw, low, high, 2, "a whole or half number")


def _read(raw: object, low: float, high: float, parts: int | None, expected: str) -> float:
    points: float | None = None
    if isinstance(raw, int | float) and not isinstance(raw, bool):
        points = raw
    elif isinstance(raw, str) and re.fullmatch(r"\s*[+-]?\d{1,9}([.,]\d{0,30})?\s*", raw):
        points = float(raw.replace(",", "."))
    if points is not None and low <= points <= high and (parts is None or (points * parts) % 1 == 0):
        return points
    written = "nothing" if raw is None or raw == "" else repr(raw)[:60]
    raise ValueError(f"found {written}, expected {expected} from {low:g} to {high:g}")


def read_decimal(raw: object, low: float, high: float) -> float:
    """Read a mean of points, such as ``2.3``; see :func:`read_half_points`."""
    return _read(raw, low, high, None, "a number")


def read_number(text: str, expected: str = "a number") -> float:
    """Read a number of any size, as a program wrote it; ValueError with what was found if it is none."""
    if re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", text.strip(), re.ASCII | re.IGNORECASE):
        number = float(text)
        if math.isfinite(number):
            return number
    raise ValueError(f"found {text!r:.60}, expected {expected}")


def points_reader(
    task: Task, step: Step | None, part: str, of_item: bool = False
) -> Callable[[object], float]:
    """Return what reads the points of a part, of an item or once a step; they are whole, halves or means."""
    identity = part if step is None else f"{step.id}.{part}"
    low, high = points_range(task, step, part)
    read: Callable[[object, float, float], float] = read_points
    if step is not None and of_item:
        scale = step.dimension(part).scale
        low, high = scale.min, scale.max
    elif task.total == "none" and part in ("overall", "total"):
        # Whatever somebody made of the points in another way is no value of this task.
        read, low, high = read_decimal, -math.inf, math.inf
    elif task.total != "sum":
        # No sum must come out, so it may be the mean of several raters, and a bound written in short.
        read = read_decimal
        low, high = math.floor(10 * low) / 10, math.ceil(10 * high) / 10
    elif _takes_halves(task, step, part):
        read = read_half_points

    known: dict[str, float] = {}  # the same few texts stand in many cells

    def read_part(raw: object) -> float:
        if isinstance(raw, str):
            if raw not in known:
                known[raw] = read_once(raw)
            return known[raw]
        return read_once(raw)

    def read_once(raw: object) -> float:
        if (low, high) == (0, 1) and isinstance(raw, str):
            raw = words().yes_no.get(fold(raw), raw)
        try:
            return read(raw, low, high)
        except ValueError as error:
            raise ValueError(f"{error} (task {task.id}, {identity})") from error

    return read_part


def _takes_halves(task: Task, step: Step | None, part: str) -> bool:
    """Whether half points can be given: to what is scored once a step but counts, and to sums of it."""
    if step is None:
        return any(_takes_halves(task, s, "overall") for s in task.steps)
    return any(d.scope == "step" and d.derive is None for d in _members(step, part))


def points_range(task: Task, step: Step | None, part: str) -> tuple[float, float]:
    """Return the lowest and highest value of a dimension, group, ``overall`` or, without a step, ``total``.

    Item points may sum to 0, whatever their scale, because every item may be invalid.
    """
    steps = task.steps if step is None else (step,)
    members = [(s, dimension) for s in steps for dimension in _members(s, part)]
    lowest = [0 if dimension.scope == "item" else dimension.scale.min for _, dimension in members]
    highest = [s.max_of(dimension) for s, dimension in members]
    if part in ("overall", "total"):
        return task.combine(lowest), task.combine(highest)
    return sum(lowest), sum(highest)


def _members(step: Step, part: str) -> list[Dimension]:
    if part in ("overall", "total"):
        return list(step.dimensions)
    for group in step.groups:
        if group.id == part:
            return [step.dimension(member) for member in group.members]
    return [step.dimension(part)]
