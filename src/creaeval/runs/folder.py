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
    from collections.abc import Iterator

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
        None where the folder lacks a part of it, or is of a version whose responses that share a call were
        one: which had which id stands in the ledger alone.

    Raises
    ------
    DataError
        A file cannot be read, or is of another task.
    """
    folder = Path(folder)
    record = folder / "run.json"
    paths = [*folder.glob("responses/*.json"), *folder.glob("responses.jsonl")]
    if not (record.is_file() and paths):
        return None
    manifest = _read_json(record)
    if not isinstance(manifest, dict) or not {"run_id", "method", "task"} <= set(manifest):
        raise DataError(f"{record}: expected the record of a run, with run_id, method and task.")
    if manifest["task"] != task.id:
        raise DataError(
            f"{record}: this run is of task {str(manifest['task'])!r}, not of {task.id!r}; name it with "
            "--task."
        )
    if "batches" in manifest:
        return None
    outcomes = tuple(outcome for path in sorted(paths) for outcome in _read_outcomes(path))
    places = {one["id"]: place for place, one in enumerate(manifest.get("responses", ()))}
    if len(paths) > 1:
        # Files of one response each are in the order of their names.
        outcomes = tuple(sorted(outcomes, key=lambda one: places.get(one.response_id, len(places))))
    carried: dict[str, dict[str, str]] = {}
    if any(one.sheets for one in outcomes) and (folder / "scores.csv").is_file():
        carried = read_scores(folder, task)[0].metadata
    return Run(
        id=str(manifest["run_id"]),
        state=manifest.get("state", "finished"),
        task=task,
        manifest=manifest,
        outcomes=outcomes,
        metadata={one.response_id: carried.get(one.response_id, {}) for one in outcomes},
    )


def _read_outcomes(path: Path) -> Iterator[Outcome]:
    try:
        if path.suffix == ".jsonl":
            with path.open(encoding="utf-8") as lines:
                for line in lines:
                    yield Outcome.model_validate_json(line)
        else:
            yield Outcome.model_validate(_read_json(path))
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
