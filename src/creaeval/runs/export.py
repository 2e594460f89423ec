"""Write a run to a folder, tables for people and JSON for everything, and read it back from there."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from creaeval.data import read_scores
from creaeval.errors import DataError, SettingError
from creaeval.methods import Outcome
from creaeval.runs.confidence import confidences, states_confidence
from creaeval.runs.csv_file import write_table
from creaeval.runs.file_names import file_names
from creaeval.runs.participants import Participants
from creaeval.runs.run import Run
from creaeval.runs.tables import (
    failure_table,
    has_panel,
    long_table,
    panel_table,
    unread_table,
    wide_table,
)
from creaeval.runs.workbook import Workbook

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import pandas as pd

    from creaeval.tasks import Task

# A number as a spreadsheet would write it, of no more digits than it keeps.
_PLAIN_NUMBER = re.compile(r"(?!.{17})-?(0|[1-9][0-9]*)(\.[0-9]+)?")


def export_run(run: Run, folder: str | Path) -> list[Path]:
    """Write everything of a run.

    Parameters
    ----------
    run : Run
        The run, finished or not.
    folder : str or Path
        Created if need be. A folder that holds something else than this run is refused.

    Returns
    -------
    list of Path
        ``scores.csv``, ``scores_wide.csv``, ``failures.csv``; ``scores_panel.csv`` where a run makes several
        sheets of a response; for the method ``offline`` ``confidence.csv``; of short responses with
        participants ``participants.csv`` and ``participants_reliability.csv``. All of these as sheets of
        ``results.xlsx``. ``run.json``, and ``responses/ID.json`` with evidence, memory and sheets of one
        response each; ``responses.jsonl``, a line for each, where responses are short and share calls.

    Raises
    ------
    SettingError
        The folder holds another run or other files, or cannot be written.
    """
    folder = Path(folder)
    check_folder(run.id, folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # First, so that a folder whose writing was interrupted is known as this run's.
        record = _write_json({"state": run.state, **run.manifest}, folder / "run.json")
        with Workbook() as book:
            tables, outcomes = _write_parts(run, folder, book)
            book.save(folder / "results.xlsx", first=("scores_wide", "participants"))
    except OSError as error:
        raise SettingError(
            f"{error.filename or folder}: cannot be written ({error.strerror}); perhaps another program has "
            f"it open. Nothing is lost: `creaeval runs export {run.id} --out DIR` writes the same to another "
            "folder."
        ) from error
    return [*tables, folder / "results.xlsx", record, *outcomes]


def _write_parts(run: Run, folder: Path, book: Workbook) -> tuple[list[Path], list[Path]]:
    """Write the tables and outcomes of a run, of which a part at a time is in memory."""
    participants, numeric, names = Participants(run), _numeric_columns(run), file_names(run.metadata)
    scores: dict[str, Callable[[Run], pd.DataFrame]] = {"scores": long_table, "scores_wide": wide_table}
    if has_panel(run.manifest):
        scores["scores_panel"] = panel_table
    others = {"failures": failure_table, **({"confidence": confidences} if states_confidence(run) else {})}
    outcomes: list[Path] = []
    for number, part in enumerate(run.parts()):
        for name, make_table in {**scores, **others}.items():
            frame = make_table(part)
            write_table(frame, folder / f"{name}.csv", append=number > 0)
            book.append(name, _with_numbers(frame, numeric) if name in scores else frame)
        outcomes += _write_outcomes(part, folder, names, append=number > 0)
        participants.add(part)
    if not (unread := unread_table(run)).empty:
        write_table(unread, folder / "failures.csv", append=True)
        book.append("failures", unread)
    written = [folder / f"{name}.csv" for name in (*scores, *others)]
    for name, frame in participants.tables().items():
        book.append(name, frame)
        written.append(write_table(frame, folder / f"{name}.csv"))
    return written, list(dict.fromkeys(outcomes))


def _numeric_columns(run: Run) -> list[bool]:
    """Say which of the columns that responses carry hold numbers alone; a participant's number is a name."""
    numeric = dict.fromkeys(run.carried_columns, True)
    for metadata in run.metadata.values():
        for name, text in metadata.items():
            numeric[name] &= name != "participant" and bool(not text or _PLAIN_NUMBER.fullmatch(text))
    return list(numeric.values())


def _with_numbers(frame: pd.DataFrame, numeric: Sequence[bool]) -> pd.DataFrame:
    """Make numbers of those columns at the end of a table that hold nothing else."""
    import pandas as pd

    carried = frame.columns[frame.shape[1] - len(numeric) :]
    chosen = [title for title, is_numeric in zip(carried, numeric, strict=True) if is_numeric]
    return frame.assign(**{title: pd.to_numeric(frame[title], errors="coerce") for title in chosen})


def outcomes_file(task: Task) -> str:
    """Name the files of :func:`export_run` that hold evidence, memories and sheets."""
    return "responses/*.json" if task.batching is None else "responses.jsonl"


def _write_outcomes(part: Run, folder: Path, names: Mapping[str, str], *, append: bool) -> Iterator[Path]:
    if part.task.batching is not None:
        # Thousands of short responses in a file each would be slow to write and to read.
        path = folder / "responses.jsonl"
        with path.open("a" if append else "w", encoding="utf-8", newline="") as file:
            file.writelines(f"{outcome.model_dump_json()}\n" for outcome in part.outcomes)
        yield path
        return
    (folder / "responses").mkdir(exist_ok=True)
    for outcome in part.outcomes:
        path = folder / "responses" / f"{names[outcome.response_id]}.json"
        yield _write_json(outcome.model_dump(mode="json"), path)


def check_folder(run_id: str, folder: Path) -> None:
    """Check that a folder can take a run's files.

    Parameters
    ----------
    run_id : str
        The run.
    folder : Path
        The folder; it may be missing.

    Raises
    ------
    SettingError
        It is a file, or holds another run or other files.
    """
    if folder.exists() and not folder.is_dir():
        raise SettingError(f"{folder}: this is a file; --out expects a folder.")
    if not folder.exists() or not any(folder.iterdir()):
        return
    record = folder / "run.json"
    try:
        held_id = json.loads(record.read_text(encoding="utf-8")).get("run_id")
    except (OSError, ValueError, AttributeError):
        held_id = None
    if held_id != run_id:
        holds = f"holds run {held_id}" if held_id else "holds other files"
        raise SettingError(f"{folder}: this folder {holds}, not run {run_id}; name another one with --out.")


def _write_json(value: object, path: Path) -> Path:
    path.write_text(json.dumps(value, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    return path


def read_run_folder(folder: str | Path, task: Task) -> Run | None:
    """Read a run from its results; what responses carry is taken from ``scores.csv``.

    None where the folder lacks a part of it, or is of a version whose responses that share a call were one:
    which had which id stands in the ledger alone. DataError for a file that cannot be read, or is of another
    task.
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
    # A file under a name that is no longer used may lie beside the new one: the latest of a response counts.
    latest = sorted(sorted(paths), key=lambda path: path.stat().st_mtime_ns)
    by_id = {outcome.response_id: outcome for path in latest for outcome in _read_outcomes(path)}
    outcomes = tuple(by_id.values())
    places = {entry["id"]: place for place, entry in enumerate(manifest.get("responses", ()))}
    if len(paths) > 1:
        # Files of one response each come in the order in which they were written.
        outcomes = tuple(sorted(outcomes, key=lambda outcome: places.get(outcome.response_id, len(places))))
    _check_task(outcomes, task, record)
    metadata: dict[str, dict[str, str]] = {}
    if any(outcome.sheets for outcome in outcomes) and (folder / "scores.csv").is_file():
        metadata = read_scores(folder, task)[0].metadata
    return Run(
        id=str(manifest["run_id"]),
        state=manifest.get("state", "finished"),
        task=task,
        manifest=manifest,
        outcomes=outcomes,
        metadata={outcome.response_id: metadata.get(outcome.response_id, {}) for outcome in outcomes},
    )


def _check_task(outcomes: Iterable[Outcome], task: Task, record: Path) -> None:
    """Check that the task still has all that was scored; DataError if it has changed since."""
    parts = {step.id: set(step.parts) for step in task.steps}
    for outcome in outcomes:
        for step in (step for sheet in outcome.sheets for step in sheet.steps):
            scored = {*step.written, *step.computed, *(part for item in step.items for part in item.scores)}
            if step.step not in parts or scored - parts[step.step]:
                lost = ", ".join(
                    f"{step.step}.{part}" for part in sorted(scored - parts.get(step.step, set()))
                )
                raise DataError(
                    f"{record}: response {outcome.response_id!r} has points for {lost or step.step}, which "
                    f"task {task.id} does not have: the task has changed since this run was made. Give the "
                    "task as it was with --task FILE, or name the run by its id: its ledger keeps the task."
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
