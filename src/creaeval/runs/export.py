"""Write a run to a folder, tables for people and JSON for everything, and read it back from there."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from creaeval.data import read_scores
from creaeval.errors import DataError, SettingError
from creaeval.methods import Outcome
from creaeval.runs.confidence import confidences, states_confidence
from creaeval.runs.run import Run
from creaeval.runs.tables import failure_table, long_table, wide_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import pandas as pd

    from creaeval.tasks import Task


# Nothing at all, names Windows keeps for devices, and names that look like one made of another id.
_UNSAFE_NAME = re.compile(r"^$|^(con|prn|aux|nul|com\d|lpt\d)(\..*)?$|-[0-9a-f]{8}$", flags=re.IGNORECASE)


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
        ``scores.csv``, ``scores_wide.csv``, ``failures.csv``, ``run.json``, and ``responses/ID.json`` with
        evidence, memory and sheets of one response each; ``responses.jsonl``, a line for each, where
        responses are short and share calls. For the method ``offline`` also ``confidence.csv``.

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
        tables = {"scores.csv": long_table, "scores_wide.csv": wide_table, "failures.csv": failure_table}
        if states_confidence(run):
            tables["confidence.csv"] = confidences
        names = file_names(list(run.metadata))
        outcomes: list[Path] = []
        for number, part in enumerate(run.parts()):
            for name, make_table in tables.items():
                write_table(make_table(part), folder / name, append=number > 0)
            outcomes += _write_outcomes(part, folder, names, append=number > 0)
        written = [*(folder / name for name in tables), record, *dict.fromkeys(outcomes)]
    except OSError as error:
        raise SettingError(
            f"{folder}: cannot be written ({error.strerror}). Nothing is lost: "
            f"`creaeval runs export {run.id} --out DIR` writes the same to another folder."
        ) from error
    return written


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


def write_table(frame: pd.DataFrame, path: Path, *, append: bool = False) -> Path:
    """Write a table as CSV (UTF-8 with a mark that Excel needs) in which no cell can act as a formula.

    Parameters
    ----------
    frame : pandas.DataFrame
        The table; missing values become empty cells, line ends within a cell plain newlines.
    path : Path
        The file.
    append : bool
        Whether the rows follow those of the file, which has the same columns.

    Returns
    -------
    Path
        The same path.
    """
    harmless = frame.map(lambda cell: no_formula(cell) if isinstance(cell, str) else cell)
    harmless.columns = [no_formula(str(name)) for name in frame.columns]
    # The mark stands at the beginning alone.
    mode, encoding = ("a", "utf-8") if append else ("w", "utf-8-sig")
    with path.open(mode, encoding=encoding, newline="") as file:
        harmless.to_csv(file, index=False, header=not append, lineterminator="\n")
    return path


def no_formula(text: str) -> str:
    """Put an apostrophe before text that a spreadsheet would run, and make line ends plain newlines."""
    # The csv module does not quote a lone carriage return, and spreadsheets begin a new row there.
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    # Spreadsheets run a cell that begins so; a leading apostrophe makes it text. Plain numbers may stay.
    # Where there is an apostrophe already another is put, so that a reader can always take one off.
    if re.match("'*[=+@\t\n-]", text) and not re.fullmatch(r"[+-]?\d+([.,]\d+)?", text):
        return f"'{text}"
    return text


def file_names(response_ids: Sequence[str]) -> dict[str, str]:
    """Make file names of the ids of one run, each its own and safe on every system.

    The id itself where it is plain and no other one differs from it in case alone (such two would share a
    file on Windows and macOS); else its plain part and a hash of the whole.
    """
    plain = {name: re.sub(r"[^A-Za-z0-9._-]", "_", name).strip(".")[:80] for name in response_ids}
    taken = Counter(name.casefold() for name in plain.values())
    return {
        response_id: name
        if name == response_id and taken[name.casefold()] == 1 and not _UNSAFE_NAME.search(name)
        else f"{name}-{hashlib.sha256(response_id.encode()).hexdigest()[:8]}"
        for response_id, name in plain.items()
    }


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
    outcomes = tuple(outcome for path in sorted(paths) for outcome in _read_outcomes(path))
    places = {entry["id"]: place for place, entry in enumerate(manifest.get("responses", ()))}
    if len(paths) > 1:
        # Files of one response each are in the order of their names.
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
