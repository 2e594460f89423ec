"""Ratings without a task: a scale is enough, and the dimensions are those of the files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from creaeval.data.reading import Reading
from creaeval.errors import SettingError
from creaeval.tasks import Task, fold, load_task

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_RANGE = re.compile(
    r"\s*(-?\d+(?:[.,]0+)?)\s*(?:-|–|—|to|bis|à|a|until|\.\.|至|到)\s*(-?\d+(?:[.,]0+)?)\s*", re.IGNORECASE
)


def read_scale(text: str) -> tuple[tuple[int, int], dict[str, float]]:
    """Read a scale.

    Parameters
    ----------
    text : str
        ``1-10``, ``1.0-5.0``, ``0 to 4``; or its words from the lowest on, which count from 1:
        ``low/medium/high``.

    Returns
    -------
    tuple of ((int, int), dict of str to float)
        The lowest and the highest points, and the points of the words.

    Raises
    ------
    SettingError
        It is none of these.
    """
    if match := _RANGE.fullmatch(text):
        low, high = (int(float(part.replace(",", "."))) for part in match.groups())
        if low < high:
            return (low, high), {}
        raise SettingError(f"--scale {text}: expected the lower end first and below the upper.")
    names = [name.strip().casefold() for name in re.split(r"[/|,;]", text) if name.strip()]
    if len(names) > 1 and not any(re.fullmatch(r"[\d.,]+", name) for name in names):
        return (1, len(names)), {name: float(number) for number, name in enumerate(names, 1)}
    raise SettingError(
        f"--scale {text}: expected points such as 1-10 or 0 to 4, or words such as low/medium/high."
    )


def make_task(scale: tuple[int, int], dimensions: Sequence[str] = ("score",)) -> Task:
    """Make a task of nothing but dimensions on one scale, for ratings of anything."""
    ids: dict[str, str] = {}
    for name in dimensions:
        plain = re.sub(r"[^a-z0-9]+", "_", fold(name)).strip("_")
        identifier = plain if re.match(r"[a-z]", plain) else f"d{len(ids) + 1}"
        ids[
            identifier
            if identifier not in {*ids, "overall", "total", "items", "memory", "valid"}
            else f"d{len(ids) + 1}"
        ] = name
    return Task.model_validate(
        {
            "id": "ratings",
            "name": "Ratings",
            "source": "a scale that was named",
            "description": "Whatever was rated.",
            "total": "none",
            "steps": [
                {
                    "id": "response",
                    "name": "Response",
                    "instruction": "Whatever was asked.",
                    "dimensions": [
                        {
                            "id": identifier,
                            "name": name,
                            "description": "Not described.",
                            "scale": {"min": scale[0], "max": scale[1]},
                        }
                        for identifier, name in ids.items()
                    ],
                }
            ],
        }
    )


def find_task(
    files: Any, task: str | None, scale: str | None, reading: Mapping[str, Any]
) -> tuple[Task, dict[str, Any]]:
    """Load the task that is named, or make one of a scale and the dimensions that are in the files.

    Returns the task and how the files are read: words of the scale are levels then. SettingError if neither
    is named, or both.
    """
    options = dict(reading)
    if task is not None and scale is not None:
        raise SettingError("--task and --scale: name one; a task has scales of its own.")
    if scale is None and task is None and options.get("levels"):
        levels = Reading.of(levels=options["levels"]).levels
        if len(levels) > 1 and all(float(points).is_integer() for points in levels.values()):
            scale = f"{min(levels.values()):g}-{max(levels.values()):g}"
    if scale is None:
        if task is None:
            raise SettingError(
                "Name the task with --task, or for ratings of anything their --scale, as in 1-10."
            )
        return load_task(task), options
    points, names = read_scale(scale)
    if names and "levels" not in options:
        options["levels"] = names
    from creaeval.data.reader import find_dimensions

    return make_task(points, find_dimensions(files, make_task(points), options)), options
