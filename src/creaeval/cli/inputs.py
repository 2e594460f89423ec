"""Find out what the words of a command name: a run, its results or a file of scores, and their task."""

from __future__ import annotations

import json
import re
import warnings
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from creaeval.cli.stored import is_there, open_store
from creaeval.errors import DataError, LedgerError, SettingError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from creaeval.data import Rating, Scores
    from creaeval.runs import Run, RunStore
    from creaeval.tasks import Task

_RECORD = "run.json"
#: Files of a run's results, beside its record, that hold its scores.
_TABLES = ("scores.csv", "scores_wide.csv")
_DEFAULT_TASK = "cgpst"


@dataclass(frozen=True)
class Named:
    """What a word names.

    Parameters
    ----------
    word : str
        As it was written.
    path : Path or None
        A folder, or a file of scores; None for a run's id or its beginning.
    results : Path or None
        The folder of a run's results, with its record, that ``path`` is or is a table of.
    """

    word: str
    path: Path | None
    results: Path | None = None


def find_named(word: str) -> Named:
    """Find out what a word names; SettingError where it is no file or folder and no run's id either."""
    from creaeval.data.grids.opening import split_sheet

    path = Path(word)
    if split_sheet(path)[0].exists():
        if path.name == _RECORD:
            path = path.parent
        folder = path.parent if path.name in _TABLES else path
        return Named(word, path, folder if (folder / _RECORD).is_file() else None)
    if re.fullmatch("[0-9a-f]+", word):
        return Named(word, None)
    raise SettingError(
        f"{word}: there is no such file or folder, and it is no run's id either. "
        "`creaeval runs list` shows the runs."
    )


def names_run(word: str) -> bool:
    """Whether a word names a run: by its id, or by its results."""
    try:
        named = find_named(word)
    except SettingError:
        return False
    return named.path is None or named.results is not None


class Inputs:
    """What a command is given: runs, scores and ratings, all of one task.

    The task is the one that is named, else that of the first run or its results, else cgpst. A ledger is
    opened when a run is looked for, and stays open within ``with``: outcomes are read as they are needed.

    Parameters
    ----------
    ledger : str
        File or URL.
    task : str, optional
        The task's name or file.
    """

    def __init__(self, ledger: str, task: str | None = None) -> None:
        self._ledger, self._wanted = ledger, task
        self._opened = ExitStack()
        self._store: RunStore | None = None
        self._task: Task | None = None
        #: Why it is this task, in words.
        self._reason = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    @property
    def task(self) -> Task:
        """The task of all that was read so far."""
        from creaeval.tasks import load_task

        if self._task is None:
            self._reason = "" if self._wanted else ", since none was named"
            self._task = load_task(self._wanted or _DEFAULT_TASK)
        return self._task

    def read_run(self, word: str) -> Run | None:
        """Read a run by its id or from the folder of its results; None for a file of scores."""
        from creaeval.runs.export import read_run_folder

        named = find_named(word)
        if named.path is None:
            return self._load(word)
        if named.results is None or named.path != named.results:
            return None
        self._settle(named.results)
        return read_run_folder(named.results, self.task)

    def find_run(self, word: str) -> Run:
        """Read a run, also where one of its tables is named, with its texts as far as the ledger has them.

        SettingError for other files.
        """
        named = find_named(word)
        run = self.read_run(word if named.results is None else str(named.results))
        if run is None:
            raise SettingError(
                f"{word}: expected a run: its id, or the folder that `creaeval score --out DIR` wrote, with "
                "run.json and the responses."
            )
        if not run.responses and (stored := self._look_up(run.id)) is not None:
            return replace(run, responses=stored.responses, scenarios=stored.scenarios)
        return run

    def read_scores(self, word: str, reading: Mapping[str, Any] | None = None) -> list[Scores]:
        """Read the scores of a run, its results or a file, one of each method."""
        from creaeval.agreement import scores_of
        from creaeval.data import read_scores
        from creaeval.methods import canonical_name

        named = find_named(word)
        if named.path is None:
            return [scores_of(self._load(word))]
        self._settle(named.results)
        methods = read_scores(named.path, self.task, **(reading or {}))
        return [replace(scores, method=canonical_name(scores.method)) for scores in methods]

    def use_scale(
        self, scale: str | None, words: Sequence[str], reading: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Make a task of a scale and the dimensions in files; return how these are read."""
        from creaeval.data.scales import find_task

        if scale is None and (self._wanted or not reading.get("levels")):
            return dict(reading)
        files = [Path(word) for word in words if Path(word).is_file()]
        self._task, options = find_task(files, self._wanted, scale, reading)
        return options

    def read_ratings(self, paths: Sequence[Path], reading: Mapping[str, Any]) -> list[Rating]:
        """Read ratings of the task; where they do not fit it, the error says so and which one they fit."""
        from creaeval.data import read_ratings

        if run := next((str(path) for path in paths if names_run(str(path))), ""):
            raise SettingError(
                f"{run} is a run, not ratings: `creaeval compare` sets two runs side by side, and "
                f"`creaeval raters {run}` the judges of one."
            )
        try:
            return read_ratings(paths, self.task, **reading)
        except DataError as error:
            fitting = _fitting_tasks(paths, self.task, reading)
            of_task = any(f"task {self.task.id}" in problem for problem in error.problems)
            if not fitting and (self._wanted or not of_task):
                raise
            fits = f" They can be read as {' or '.join(fitting)}." if fitting else ""
            raise DataError(
                f"The ratings were read as those of task {self.task.id}{self._reason}, and do not fit it; "
                f"--task names another.{fits}",
                error.problems,
            ) from None

    def _load(self, run_id: str) -> Run:
        """Load a run from the ledger, whose task is to be that of what was read before."""
        if not is_there(self._ledger):
            raise SettingError(
                f"{run_id}: there is no such file or folder, and no ledger {self._ledger} that could hold a "
                "run of this id. Name it with --ledger, or change to the folder you ran in."
            )
        run = self._open().load(run_id)
        if self._task is None and not self._wanted:
            self._task, self._reason = run.task, f", that of run {run.id}"
        if self.task.id != run.task.id:
            raise SettingError(
                f"{run_id}: this run is of task {run.task.id}, not of {self.task.id}{self._reason}."
            )
        return run

    def _open(self) -> RunStore:
        if self._store is None:
            self._store = self._opened.enter_context(open_store(self._ledger))
        return self._store

    def _look_up(self, run_id: str) -> Run | None:
        """Return the run of this id where the ledger is there and has it."""
        try:
            return self._open().load(run_id)
        except (SettingError, LedgerError):
            return None

    def _settle(self, results: Path | None) -> None:
        """Take the task of a run's results, unless it is named or known."""
        from creaeval.tasks import builtin_tasks, load_task

        if self._task is not None or self._wanted or results is None:
            return
        record = results / _RECORD
        try:
            written = json.loads(record.read_text(encoding="utf-8"))
            task_id, run_id = str(written["task"]), str(written["run_id"])
        except (OSError, ValueError, KeyError, TypeError):
            raise SettingError(
                f"{record}: cannot be read as the record of a run; name its task with --task."
            ) from None
        stored = None if task_id in builtin_tasks() else self._look_up(run_id)
        if task_id not in builtin_tasks() and (stored is None or stored.task.id != task_id):
            raise SettingError(
                f"{record}: this run is of the task {task_id!r}; name its YAML file with --task FILE, or the "
                "ledger that has the run with --ledger."
            )
        self._task = load_task(task_id) if stored is None else stored.task
        self._reason = f", that of {record}"


def as_ratings(scores: Sequence[Scores]) -> list[Rating]:
    """Take judges as raters, so that they can be compared with each other as people are."""
    from creaeval.data import Rating

    return [
        Rating(
            response_id=sheet.response_id,
            rater=sheet.label if len(scores) == 1 else f"{sheet.label} ({part.method}, {part.source})",
            sheet=sheet,
            source=part.source,
            metadata=part.metadata.get(sheet.response_id, {}),
        )
        for part in scores
        for sheet in part.sheets
    ]


def _fitting_tasks(paths: Sequence[Path], task: Task, reading: Mapping[str, Any]) -> list[str]:
    """Name the built-in tasks, other than this one, that the ratings can be read as."""
    from creaeval.data import read_ratings
    from creaeval.tasks import builtin_tasks, load_task

    fitting = []
    for name in builtin_tasks():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                read_ratings(paths, load_task(name), **reading)
        except DataError:
            continue
        fitting.append(name)
    return [name for name in fitting if name != task.id]
