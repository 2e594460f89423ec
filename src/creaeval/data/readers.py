"""Read responses from files of any form we know."""

from __future__ import annotations

from typing import TYPE_CHECKING

from creaeval.data.cgpst_json import is_released_form, read_released_responses
from creaeval.data.docx_booklet import read_docx_booklet
from creaeval.data.files import list_files, read_text
from creaeval.data.json_responses import read_json_objects
from creaeval.data.json_text import parse_json, parse_json_lines
from creaeval.data.table_responses import read_table_responses
from creaeval.data.tables import TABLES, split_sheet
from creaeval.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from creaeval.data.build import Placed
    from creaeval.data.response import Response
    from creaeval.tasks import Task

_ENDINGS = {".json", ".jsonl", ".docx", *TABLES}
_OTHER_SHEETS = {".xls", ".xlsb", ".ods", ".numbers"}


def read_responses(paths: str | Path | Sequence[str | Path], task: Task) -> list[Response]:
    """Read responses.

    Parameters
    ----------
    paths : path or sequence of paths
        Files, or folders whose files are read: .json (released CGPST data or our own form), .jsonl, .csv,
        .tsv, .xlsx or .xlsm (``FILE.xlsx#SHEET`` names a sheet), .docx.
    task : Task
        The task that was answered.

    Returns
    -------
    list of Response
        In the order of the files and of the responses in them. A step of which nothing is written is absent.

    Raises
    ------
    DataError
        With every problem found in every file, among them two responses with one id.
    """
    problems: list[str] = []
    placed: list[Placed] = []
    for path in list_files(paths, _ENDINGS):
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
            raise unknown_ending(path, _ENDINGS)


def unknown_ending(path: Path, endings: set[str]) -> DataError:
    """Make the error for a file of a form that is not read."""
    if not path.exists():
        return DataError(f"{path}: there is no such file. Check the name and the folder.")
    if path.suffix.lower() in _OTHER_SHEETS:
        return DataError(
            f"{path}: spreadsheets ending in {path.suffix!r} are not read. Save it as .xlsx or CSV (UTF-8)."
        )
    return DataError(f"{path}: ends in {path.suffix!r}, expected one of {', '.join(sorted(endings))}.")


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
