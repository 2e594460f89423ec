"""Load a task from YAML and say exactly where a wrong one is wrong."""

from __future__ import annotations

import warnings
from functools import cache
from importlib.resources import files
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from creaeval.errors import TaskError
from creaeval.tasks.model import Batching, Dimension, Group, Items, Scale, Scenario, Step, Task
from creaeval.wording import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

#: Keys of a task that are still read, and what is written today.
_EARLIER_KEYS = {
    "unit": "noun, total and batching, and invalid in the step, as docs/tasks.md shows",
    "sums": "`total: none` where it is false",
}


def builtin_tasks() -> list[str]:
    """List the names of the tasks the package brings, sorted."""
    folder = files("creaeval.tasks") / "builtin"
    return sorted(f.name.removesuffix(".yaml") for f in folder.iterdir() if f.name.endswith(".yaml"))


def key_places(models: Mapping[type[BaseModel], str]) -> dict[str, str]:
    """Say in words where each key of a document belongs; ``models`` have a name for the place of each."""
    places: dict[str, list[str]] = {}
    for model, place in models.items():
        for key in model.model_fields:
            places.setdefault(key, []).append(place)
    return {key: " or ".join(places[key]) for key in sorted(places)}


_KNOWN_KEYS = key_places(
    {
        Task: "the task itself",
        Step: "a step",
        Items: "items",
        Dimension: "a dimension",
        Group: "a group",
        Scale: "a scale",
        Scenario: "a scenario",
        Batching: "batching",
    }
)


@cache
def _built_in(name: str) -> Task:
    # Reading YAML with its places takes a quarter of a second, and the same command may need the task twice.
    resource = files("creaeval.tasks") / "builtin" / f"{name}.yaml"
    return parse_task(resource.read_text(encoding="utf-8"), f"built-in task {name}")


def load_task(name_or_path: str | Path) -> Task:
    """Load a task by the name of a built-in or by the path of a YAML file.

    Parameters
    ----------
    name_or_path : str or Path
        ``"cgpst"``, or the path of a file of the same form.

    Returns
    -------
    Task

    Raises
    ------
    TaskError
        No such task, or its file is wrong; names file, line, place in the document and what was expected.
    """
    name = str(name_or_path)
    if name in builtin_tasks():
        return _built_in(name)
    path = Path(name)
    if not path.is_file():
        problem = (
            f"There is no task {name!r}: it is neither a file nor one of the built-in tasks "
            f"({', '.join(builtin_tasks())}). {did_you_mean(name, builtin_tasks())}"
        )
        raise TaskError(problem.strip())
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise TaskError(f"{path}: not UTF-8 text (byte {error.start}); expected a YAML file.") from error
    except OSError as error:
        raise TaskError(f"{path}: cannot be read ({error.strerror}).") from error
    return parse_task(text, str(path))


def read_yaml(text: str, where: str) -> Any:
    """Read one YAML document, keeping the place of every key; never builds objects.

    Parameters
    ----------
    text : str
        The document.
    where : str
        The file's name for messages.

    Returns
    -------
    object
        Mappings and lists that know their line numbers (``.lc``).

    Raises
    ------
    TaskError
        The text is no YAML, or a key stands twice; with the line where it is known.
    """
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    yaml = YAML(typ="rt", pure=True)
    try:
        return yaml.load(StringIO(text))
    except MarkedYAMLError as error:
        mark = error.problem_mark
        line = f", line {mark.line + 1}" if mark is not None else ""
        problem = (error.problem or "not valid YAML").split("\n")[0]
        raise TaskError(f"{where}{line}: {problem}.") from error
    except YAMLError as error:
        raise TaskError(f"{where}: not valid YAML ({error}).") from error
    except ValueError as error:  # a date or tagged number that is none, such as 2024-13-45
        raise TaskError(f"{where}: a value cannot be read ({error}). Put it in quotation marks.") from error
    except RecursionError as error:
        raise TaskError(f"{where}: is nested too deeply to be read.") from error


def parse_task(text: str, where: str) -> Task:
    """Read a task from YAML text.

    Parameters
    ----------
    text : str
        The document.
    where : str
        The file's name for messages.

    Returns
    -------
    Task

    Raises
    ------
    TaskError
        With every problem found: line, place in the document, what was found and what was expected.
    """
    document = read_yaml(text, where)
    if not isinstance(document, dict):
        raise TaskError(f"{where}: expected a mapping that starts with 'id:', found {_describe(document)}.")
    for key, today in _EARLIER_KEYS.items():
        if key in document:
            warnings.warn(
                f"{where}: {key} is a word of an earlier version and still read; in its place write {today}.",
                stacklevel=2,
            )
    try:
        return Task.model_validate(document)
    except ValidationError as error:
        first, *others = explain_all(document, [dict(e) for e in error.errors()], where, _KNOWN_KEYS)
        raise TaskError(first, others) from error


def explain_all(
    document: Any, errors: Sequence[Mapping[str, Any]], where: str, known_keys: Mapping[str, str]
) -> list[str]:
    """Say what pydantic found wrong in a document from :func:`read_yaml`, in the order of its lines.

    ``errors`` are as ``ValidationError.errors()`` gives them; an unknown key may have been meant to be one of
    ``known_keys``, or be one of them at the wrong place; see :func:`key_places`.
    """
    # A list whose members failed is also reported as too short: that echo would only mislead.
    deepest = [
        e for e in errors if not any(f["loc"][: len(e["loc"])] == e["loc"] and f is not e for f in errors)
    ]
    lines = [(_locate(document, e["loc"])[0], _explain(document, e, where, known_keys)) for e in deepest]
    return [text for _, text in sorted(lines, key=lambda pair: pair[0])]


def _explain(document: Any, error: Mapping[str, Any], where: str, known_keys: Mapping[str, str]) -> str:
    location: Sequence[str | int] = error["loc"]
    line, trail, value = _locate(document, location)
    place = f"{where}, line {line}" + (f", at {' › '.join(trail)}" if trail else "")
    kind = error["type"]
    if kind == "extra_forbidden":
        key = str(location[-1])
        if key in known_keys:
            return f"{place}: the key {key!r} does not belong here, but to {known_keys[key]}."
        return f"{place}: unknown key {key!r}. {did_you_mean(key, known_keys)}".rstrip()
    if kind == "missing":
        return f"{place}: the key {str(location[-1])!r} is missing."
    message = str(error["msg"]).removeprefix("Value error, ")
    if kind in {"value_error", "assertion_error"}:
        return f"{place}: {message}{'' if message.endswith('?') else '.'}"
    return f"{place}: found {_describe(value)}. {message}."


def _describe(value: Any) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list | tuple):
        return "a list"
    return repr(str(value)) if isinstance(value, str) else repr(value)


def _locate(document: Any, location: Sequence[str | int]) -> tuple[int, list[str], Any]:
    """Follow a pydantic location as far as the document goes: line (from 1), readable trail, value there."""
    trail: list[str] = []
    line, node = 1, document
    for part in location:
        if not hasattr(node, "lc"):  # a single value that was taken as a list of one
            break
        try:
            child = node[part]
        except (KeyError, IndexError, TypeError):
            break
        places = node.lc  # ruamel's mappings and lists know where each entry stands
        row, _column = places.key(part) if hasattr(node, "keys") else places.item(part)
        line, node = row + 1, child
        named = isinstance(child, dict) and isinstance(part, int)
        name = (child.get("id") or child.get("name")) if named else None
        trail.append(str(name) if name else str(part + 1) if isinstance(part, int) else part)
    return line, trail, node
