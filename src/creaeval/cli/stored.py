"""Open a ledger, or its runs, that must be there already."""

from __future__ import annotations

import json
import re
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from creaeval.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from creaeval.llm import Ledger
    from creaeval.runs import Run, RunStore
    from creaeval.tasks import Task


@contextmanager
def open_ledger(ledger: str) -> Iterator[Ledger]:
    """Open a ledger; a file that is not there is an error, since looking must not create it."""
    from creaeval.llm import Ledger

    if not is_there(ledger):
        raise SettingError(
            f"{ledger}: there is no ledger here. Name it with --ledger, or change to the folder you ran in."
        )
    with Ledger.open(ledger) as opened:
        yield opened


def is_there(ledger: str) -> bool:
    """Whether there is a ledger; of one on a server nobody can tell but by opening it."""
    file = re.sub(r"^sqlite(\+\w+)?:///", "", ledger)
    return "://" in file or Path(file).expanduser().exists()


@contextmanager
def open_store(ledger: str) -> Iterator[RunStore]:
    """Open a ledger's runs, as open_ledger does."""
    from creaeval.runs import RunStore

    with open_ledger(ledger) as opened:
        yield RunStore(opened)


def is_run_id(scores: str) -> bool:
    """Whether scores are named by a run's id; SettingError where they are no file or folder either."""
    from creaeval.data.tables.opening import split_sheet

    if split_sheet(Path(scores))[0].exists():
        return False
    if re.fullmatch("[0-9a-f]+", scores):
        return True
    raise SettingError(
        f"{scores}: there is no such file or folder, and it is no run's id either. "
        "`creaeval runs list` shows the runs."
    )


def load_run(store: RunStore, run_id: str, task: Task | None) -> Run:
    """Load a run, which is to be of this task where one is known."""
    run = store.load(run_id)
    if task is not None and task.id != run.task.id:
        raise SettingError(f"{run_id}: this run is of task {run.task.id}, not of {task.id}.")
    return run


def find_task(name: str, task: str | None) -> Task:
    """Load the task of a run's folder or its tables: the one that is named, else that of its ``run.json``."""
    from creaeval.tasks import builtin_tasks, load_task

    path = Path(name)
    folder = path.parent if path.name in ("scores.csv", "scores_wide.csv") else path
    record = folder / "run.json"
    if task is not None or not record.is_file():
        return load_task(task or "cgpst")
    try:
        task_id = json.loads(record.read_text(encoding="utf-8"))["task"]
    except (OSError, ValueError, KeyError, TypeError):
        raise SettingError(
            f"{record}: cannot be read as the record of a run; name its task with --task."
        ) from None
    if task_id not in builtin_tasks():
        raise SettingError(
            f"{record}: this run is of the task {task_id!r}; name its YAML file with --task FILE."
        )
    return load_task(task_id)
