"""Write the file of a new task, with notes on every part, for its author to change."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from creaeval.errors import TaskError
from creaeval.tasks.load import builtin_tasks, parse_task
from creaeval.tasks.names import fold

if TYPE_CHECKING:
    from creaeval.tasks.model import Task


def write_new_task(path: str | Path) -> Task:
    """Write a task that can be scored as it is: an essay with a rubric of three dimensions.

    Parameters
    ----------
    path : str or Path
        A file that is not there yet, ending in ``.yaml`` or ``.yml``. The task's id is made of its name.

    Returns
    -------
    Task
        What was written.

    Raises
    ------
    TaskError
        There is such a file, its name is no YAML file's, or it cannot be written.
    """
    path = Path(path)
    if path.suffix.casefold() not in (".yaml", ".yml"):
        raise TaskError(f"{path}: a task is a YAML file; choose a name that ends in .yaml.")
    template = (files("creaeval.tasks") / "new_task.yaml").read_text(encoding="utf-8")
    text = template.replace("{file}", _shown(path)).replace("{id}", _task_id(path))
    # What is written is read first, so that no file is left behind that could not be.
    task = parse_task(text, str(path))
    try:
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        raise TaskError(f"{path}: there is such a file already, and it was left as it is.") from None
    except OSError as error:
        raise TaskError(f"{path}: cannot be written ({error.strerror}).") from error
    return task


def _task_id(path: Path) -> str:
    name = re.sub(r"[^a-z0-9]+", "_", path.stem.casefold()).strip("_")
    # A word that the sheet itself uses, a built-in task's name, or one that no id can begin with.
    taken = {"overall", "total", "items", "memory", "valid", *map(fold, builtin_tasks())}
    return name if re.match(r"[a-z]", name) and name not in taken else f"task_{name}".rstrip("_")


def _shown(path: Path) -> str:
    # It stands in a comment, where a line break would end it.
    return " ".join(path.name.split())
