"""Read responses from files of any form we know."""

from __future__ import annotations

from typing import TYPE_CHECKING

from creaeval.data.batches import BATCH
from creaeval.data.files import list_files, parse_json, parse_json_lines, read_text, unknown_ending
from creaeval.data.formats.cgpst_release import is_released_form, read_released_responses
from creaeval.data.formats.docx_booklet import read_docx_booklet
from creaeval.data.formats.own_json import read_json_objects
from creaeval.data.tables.opening import TABLES, split_sheet
from creaeval.data.tables.response_rows import read_table_responses
from creaeval.data.uses import read_uses
from creaeval.errors import DataError, SettingError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from creaeval.data.response import Response
    from creaeval.data.response_builder import Located as Placed
    from creaeval.tasks import Task

#: Of the files that responses are read from.
ENDINGS = {".json", ".jsonl", ".docx", *TABLES}


def read_responses(
    paths: str | Path | Sequence[str | Path],
    task: Task,
    *,
    columns: Mapping[str, str] | None = None,
    batch: int = BATCH,
    split: str | None = None,
    mix_participants: bool = False,
) -> list[Response]:
    """Read responses.

    Parameters
    ----------
    paths : path or sequence of paths
        Files, or folders whose files are read: .json (released CGPST data or our own form), .jsonl, .csv,
        .tsv, .xlsx or .xlsm (``FILE.xlsx#SHEET`` names a sheet), .docx.
    task : Task
        The task that was answered.
    columns, batch, split, mix_participants
        For a task whose units are items (uses of an object); see :func:`creaeval.data.uses.read_uses`, which
        reads its files.

    Returns
    -------
    list of Response
        In the order of the files and of the responses in them; batches of uses in the order of
        :func:`creaeval.data.batches.make_batches`. A step of which nothing is written is absent.

    Raises
    ------
    DataError
        With every problem found in every file, among them two responses with one id.
    SettingError
        A setting for uses, but the task's units are no items.
    """
    if task.unit == "item":
        return read_uses(
            paths, task, columns=columns, batch=batch, split=split, mix_participants=mix_participants
        )
    if columns or batch != BATCH or split is not None or mix_participants:
        raise SettingError(
            f"--columns, --batch, --split and --mix-participants are for tasks whose items are responses of "
            f"their own, such as aut; task {task.id} has whole responses."
        )
    problems: list[str] = []
    placed: list[Placed] = []
    for path in list_files(paths, ENDINGS):
        try:
            placed += _read_file(path, task, problems)
        except DataError as error:
            problems += error.problems
    problems += _repeated_ids(placed)
    if problems:
        raise DataError(problems[0], problems[1:])
    return [p.response for p in placed]


def _read_file(path: Path, task: Task, problems: list[str]) -> list[Placed]:
    match split_sheet(path)[0].suffix.lower():
        case ".docx":
            return read_docx_booklet(path, task, problems)
        case ending if ending in TABLES:
            return read_table_responses(path, task, problems)
        case ".jsonl":
            lines = parse_json_lines(read_text(path, "JSON Lines"), str(path))
            return [
                placed
                for number, document in lines
                for placed in read_json_objects(
                    document, path, task, problems, where=f"{path}, line {number}"
                )
            ]
        case ".json":
            document = parse_json(read_text(path, "JSON"), str(path))
            if is_released_form(document):
                return read_released_responses(document, path, task, problems)
            return read_json_objects(document, path, task, problems, where=str(path))
        case _:
            raise unknown_ending(path, ENDINGS)


def _repeated_ids(placed: Sequence[Placed]) -> list[str]:
    first: dict[str, str] = {}
    problems = []
    for p in placed:
        if p.response.id in first:
            problems.append(
                f"{p.where}: the id {p.response.id!r} is already taken by {first[p.response.id]}. "
                "Every response needs an id of its own."
            )
        first.setdefault(p.response.id, p.where)
    return problems
