"""Read responses from files of any form we know."""

from __future__ import annotations

from typing import TYPE_CHECKING

from creaeval.data.files import list_files, parse_json, parse_json_lines, read_text, unknown_ending
from creaeval.data.formats.cgpst_release import is_released_form, read_released_responses
from creaeval.data.formats.docx_booklet import read_docx_booklet
from creaeval.data.formats.own_json import read_json_objects
from creaeval.data.tables.opening import TABLES, split_sheet
from creaeval.data.tables.response_rows import read_table_responses
from creaeval.data.tables.use_rows import read_uses
from creaeval.errors import Problems, SettingError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from creaeval.data.model import Response
    from creaeval.data.response_builder import Located
    from creaeval.tasks import Task

#: Of the files that responses are read from.
ENDINGS = {".json", ".jsonl", ".docx", *TABLES}


def read_responses(
    paths: str | Path | Sequence[str | Path],
    task: Task,
    *,
    columns: Mapping[str, str] | None = None,
    split: str | None = None,
) -> list[Response]:
    """Read responses.

    Parameters
    ----------
    paths : path or sequence of paths
        Files, or folders whose files are read: .json (released CGPST data or our own form), .jsonl, .csv,
        .tsv, .xlsx or .xlsm (``FILE.xlsx#SHEET`` names a sheet), .docx.
    task : Task
        The task that was answered.
    columns, split
        For a task of short texts that share calls, such as uses of an object; see
        :func:`creaeval.data.tables.use_rows.read_uses`, which reads its files.

    Returns
    -------
    list of Response
        In the order of the files and of the responses in them. A step of which nothing is written is absent.

    Raises
    ------
    DataError
        With every problem found in every file, among them two responses with one id.
    SettingError
        A setting for uses, and the task has whole responses.
    """
    if task.batching is not None:
        return read_uses(paths, task, columns=columns, split=split)
    if columns or split is not None:
        raise SettingError(
            f"--columns and --split are for tasks of short texts, such as aut; task {task.id} has whole "
            "responses."
        )
    problems = Problems()
    located: list[Located] = []
    for path in list_files(paths, ENDINGS):
        with problems.collect():
            located += _read_file(path, task, problems)
    problems.extend(_repeated_ids(located))
    problems.stop()
    return [p.response for p in located]


def _read_file(path: Path, task: Task, problems: Problems) -> list[Located]:
    match split_sheet(path)[0].suffix.lower():
        case ".docx":
            return read_docx_booklet(path, task, problems)
        case ending if ending in TABLES:
            return read_table_responses(path, task, problems)
        case ".jsonl":
            lines = parse_json_lines(read_text(path, "JSON Lines"), str(path))
            return [
                located
                for number, document in lines
                for located in read_json_objects(
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


def _repeated_ids(located: Sequence[Located]) -> list[str]:
    first: dict[str, str] = {}
    repeated = []
    for p in located:
        if p.response.id in first:
            repeated.append(
                f"{p.where}: the id {p.response.id!r} is already taken by {first[p.response.id]}. "
                "Every response needs an id of its own."
            )
        first.setdefault(p.response.id, p.where)
    return repeated
