"""Examples of scored work, to be shown to judges before the work that they score."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from creaeval.data.files import read_documents
from creaeval.data.grids.opening import open_grids
from creaeval.data.ids import attempt, clean_name
from creaeval.data.points import read_decimal
from creaeval.data.reading import Reading
from creaeval.data.tables.header import find_only_table
from creaeval.data.tables.table import find_column
from creaeval.errors import DataError, Problems
from creaeval.tasks import find_part

if TYPE_CHECKING:
    from collections.abc import Mapping

    from creaeval.tasks import Dimension, Step, Task

_ABOUT = ("object", "prompt", "scenario")


@dataclass(frozen=True)
class Example:
    """Work that was scored before: ``points`` are by id of a dimension, ``about`` is what it answers."""

    text: str
    points: tuple[tuple[str, float], ...]
    about: str = ""


def read_examples(path: str | Path | None, task: Task) -> tuple[Example, ...]:
    """Read examples of scored work for a task of one step, in the order of the file; none without a path.

    A csv or xlsx table, or a json list of objects: ``response`` (or the step's id or name) is the work; a
    column a dimension, or ``score`` where there is one, has its points, perhaps means of raters; ``object``
    (or ``prompt`` or ``scenario``) is what it answers. Others are passed over. DataError with every problem.
    """
    if path is None:
        return ()
    path = Path(path)
    if len(task.steps) > 1:
        raise DataError(
            f"{path}: examples can be shown for tasks of one step; {task.id} has {len(task.steps)}."
        )
    problems = Problems()
    read = [_example(place, values, task, problems) for place, values in _entries(path, task)]
    examples = tuple(example for example in read if example is not None)
    if not problems and not examples:
        problems.add(f"{path}: holds no example.")
    problems.stop()
    return examples


def _entries(path: Path, task: Task) -> list[tuple[str, Mapping[str, Any]]]:
    if path.suffix.lower() == ".json":
        ((_, document),) = read_documents(path)
        if not isinstance(document, list) or not all(isinstance(entry, dict) for entry in document):
            raise DataError(f"{path}: expected a list of objects, such as {_FORM}.")
        return [(f"{path}, entry {number}", entry) for number, entry in enumerate(document, 1)]
    names = _work_names(task)

    def known(title: str) -> bool:
        return find_column([title], *names) is not None

    table = find_only_table(open_grids(path), lambda header: any(map(known, header)), known, Reading())
    problems = Problems()
    entries: list[tuple[str, Mapping[str, Any]]] = []
    for row in table.rows:
        values = {title: table.read(row, title, "a value", problems) or "" for title in table.header}
        entries.append((table.row_place(row), values))
    problems.stop()
    return entries


_FORM = '[{"response": "a boat", "originality": 3}]'


def _work_names(task: Task) -> tuple[str, ...]:
    (step,) = task.steps
    return ("response", task.noun, step.id, step.name, *((step.items.name,) if step.items else ()))


def _example(place: str, values: Mapping[str, Any], task: Task, problems: Problems) -> Example | None:
    before, step = len(problems), task.steps[0]
    titles = list(values)
    work, about = find_column(titles, *_work_names(task)), find_column(titles, *_ABOUT)
    text = values[work] if work is not None else ""
    if not isinstance(text, str) or not text.strip():
        problems.add(f"{place}: has no work; expected a text called response.")
    points: dict[str, float] = {}
    for title in titles:
        dimension = None if title in (work, about) else _dimension(title, step)
        if dimension is None or values[title] in ("", None):
            continue
        if dimension.id in points:
            problems.add(f"{place}: {dimension.id} has points twice.")
        scale = dimension.scale
        value = attempt(problems, f"{place}, {title!r}", read_decimal, values[title], scale.min, scale.max)
        points[dimension.id] = value or 0
    if not points and len(problems) == before:
        known = ", ".join(d.id for d in step.dimensions)
        problems.add(f"{place}: has no points; expected a value for {known}.")
    if len(problems) > before:
        return None
    answered = clean_name(str(values[about] or "")) if about is not None else ""
    return Example(str(text).strip(), tuple(points.items()), answered)


def _dimension(title: str, step: Step) -> Dimension | None:
    scored = [d for d in step.dimensions if d.derive is None]
    if find_column([title], "score") and len(scored) == 1:
        return scored[0]
    head, dot, tail = title.partition(".")
    part = find_part(step, tail if dot and head == step.id else title)
    return next((d for d in scored if part is not None and d.id == part.id), None)
