"""Read a run back from the folder that `creaeval score --out` or `creaeval runs export` wrote."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from creaeval.data import read_scores
from creaeval.errors import DataError
from creaeval.methods import Outcome
from creaeval.runs.run import Run

if TYPE_CHECKING:
    from creaeval.tasks import Task


def read_run_folder(folder: str | Path, task: Task) -> Run | None:
    """Read a run from its results, where they hold all of it.

    Parameters
    ----------
    folder : str or Path
        With ``run.json`` and ``responses/``; what responses carry is taken from ``scores.csv``.
    task : Task
        The task that was judged.

    Returns
    -------
    Run or None
        None where the folder lacks a part of it, or where items are the units: which item has which id
        stands in the ledger alone.

    Raises
    ------
    DataError
        A file cannot be read, or is of another task.
    """
    folder = Path(folder)
    record, responses = folder / "run.json", folder / "responses"
    if task.unit == "item" or not (record.is_file() and responses.is_dir()):
        return None
    manifest = _read_json(record)
    if not isinstance(manifest, dict) or not {"run_id", "method", "task"} <= set(manifest):
        raise DataError(f"{record}: expected the record of a run, with run_id, method and task.")
    if manifest["task"] != task.id:
        raise DataError(
            f"{record}: this run is of task {str(manifest['task'])!r}, not of {task.id!r}; name it with "
            "--task."
        )
    outcomes = tuple(_read_outcome(path) for path in sorted(responses.glob("*.json")))
    places = {one["id"]: place for place, one in enumerate(manifest.get("responses", ()))}
    outcomes = tuple(sorted(outcomes, key=lambda one: places.get(one.response_id, len(places))))
    carried: dict[str, dict[str, str]] = {}
    if any(one.sheets for one in outcomes) and (folder / "scores.csv").is_file():
        carried = read_scores(folder, task)[0].carried
    return Run(
        id=str(manifest["run_id"]),
        state=manifest.get("state", "finished"),
        task=task,
        manifest=manifest,
        outcomes=outcomes,
        carried={one.response_id: carried.get(one.response_id, {}) for one in outcomes},
    )


def _read_outcome(path: Path) -> Outcome:
    try:
        return Outcome.model_validate(_read_json(path))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise DataError(
            f"{path}: at {place or 'the top'}: {first['msg']}; expected what a run wrote of one response."
        ) from None


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: cannot be read as JSON ({error}).") from None
