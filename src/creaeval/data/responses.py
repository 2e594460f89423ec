"""Read responses from files of any form we know."""

from __future__ import annotations

from typing import TYPE_CHECKING

from creaeval.data.files import list_files, read_documents, unknown_ending
from creaeval.data.formats.booklet import DOCUMENTS, read_booklet
from creaeval.data.formats.cgpst_release import is_released_form, read_released_responses
from creaeval.data.formats.own_json import read_json_responses
from creaeval.data.response_builder import ResponseSource
from creaeval.data.tables.columns import USE_ROLES, check_roles
from creaeval.data.tables.opening import TABLES, split_sheet
from creaeval.data.tables.response_rows import read_table_responses
from creaeval.data.tables.use_rows import read_uses, use_separator
from creaeval.errors import Problems, SettingError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from creaeval.data.model import Response
    from creaeval.data.response_builder import Located
    from creaeval.tasks import Task

#: Of the files that responses are read from.
ENDINGS = {".json", ".jsonl", *DOCUMENTS, *TABLES}


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
    columns : mapping of str to str, optional
        For a task of short texts that share calls, such as uses of an object, one a row of a table: the
        tables' own names of columns by role (``id``, ``object``, ``response``, ``participant``).
    split : str, optional
        What stands between several uses in one cell, such as ``";"``; ``"newline"`` for line breaks. The uses
        of the row ``R1`` are then called ``R1-1``, ``R1-2`` and so on, also where there is only one.

    Returns
    -------
    list of Response
        In the order of the files and of the responses in them. A step of which nothing is written is absent.

    Raises
    ------
    DataError
        With every problem found in every file, among them two responses with one id.
    SettingError
        A setting for uses, and the task has whole responses; or ``split`` could not separate uses.
    """
    # Where an object is all that was shown, it stands beside each short response.
    shows_objects = task.needs_scenario and not task.scenarios
    has_uses = task.batching is not None and (shows_objects or bool(columns) or split is not None)
    if task.batching is None and (columns or split is not None):
        raise SettingError(
            f"--columns and --split are for tasks of short texts, such as aut; task {task.id} has whole "
            "responses."
        )
    separator, own_names = use_separator(split), check_roles(columns, USE_ROLES)
    problems = Problems()
    located: list[Located] = []
    spellings: dict[str, str] = {}
    for path in list_files(paths, set(TABLES) if has_uses else ENDINGS):
        source = ResponseSource(task, path)
        with problems.collect():
            if has_uses:
                read_uses(source, own_names, separator, spellings)
            else:
                _read_file(source)
        problems.extend(source.problems)
        located += source.responses
    places: dict[str, str] = {}
    for response, where in located:
        if response.id in places:
            problems.add(
                f"{where}: the id {response.id!r} is already taken by {places[response.id]}. "
                f"Every {'use' if has_uses else 'response'} needs an id of its own."
            )
        places.setdefault(response.id, where)
    problems.stop()
    return [response for response, _ in located]


def _read_file(source: ResponseSource) -> None:
    match split_sheet(source.path)[0].suffix.lower():
        case ending if ending in DOCUMENTS:
            read_booklet(source)
        case ending if ending in TABLES:
            read_table_responses(source)
        case ".json" | ".jsonl":
            for where, document in read_documents(source.path):
                read = read_released_responses if is_released_form(document) else read_json_responses
                read(document, where, source)
        case _:
            raise unknown_ending(source.path, ENDINGS)
