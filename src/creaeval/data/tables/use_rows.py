"""Read uses of objects (Alternate Uses Task) from tables, one use a row."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from creaeval.data.files import list_files, unknown_ending
from creaeval.data.formats.aut_release import AUT_SCORES, is_aut_table
from creaeval.data.ids import MISSING, clean_id, clean_name, text_problem
from creaeval.data.items import list_items, tidy
from creaeval.data.model import Response, StepText
from creaeval.data.tables.columns import (
    USE_COLUMNS,
    USE_ROLES,
    check_roles,
    column_problems,
    find_roles,
    nearest_hint,
)
from creaeval.data.tables.opening import TABLES, read_table, split_sheet
from creaeval.errors import DataError, Problems, SettingError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from creaeval.data.tables.table import Row, Table
    from creaeval.tasks import Task

_NEEDED = ("id", "object", "response")
_LINES = {"newline", "\\n", "\n"}


def read_uses(
    paths: str | Path | Sequence[str | Path],
    task: Task,
    *,
    columns: Mapping[str, str] | None = None,
    split: str | None = None,
) -> list[Response]:
    """Read uses, one a row, or other short texts.

    Parameters
    ----------
    paths : path or sequence of paths
        Files, or folders whose files are read: .csv, .tsv, .xlsx or .xlsm, with the columns ``id`` (or
        ``response_id``), ``object`` (or ``prompt``; only where the task needs a scenario), ``response`` (or
        ``use``) and perhaps ``participant``. All others are carried, but for the ratings and predictions of
        the released table.
    task : Task
        A task of one text.
    columns : mapping of str to str, optional
        The tables' own names of columns by role (``id``, ``object``, ``response``, ``participant``).
    split : str, optional
        What parts several uses in one cell, such as ``";"``; ``"newline"`` for line breaks. The uses of the
        row ``R1`` are then called ``R1-1``, ``R1-2`` and so on, also where there is only one.

    Returns
    -------
    list of Response
        One a use, in the order of the rows. Objects that differ in case only are one, spelled as at first.

    Raises
    ------
    DataError
        With every problem found in every file: a missing column, a use without id or object, an id that is
        there twice.
    SettingError
        ``split`` is nothing that could separate uses.
    """
    separator = _separator(split)
    named = check_roles(columns, USE_ROLES)
    problems = Problems()
    uses: list[Response] = []
    places: dict[str, str] = {}
    spellings: dict[str, str] = {}
    for path in list_files(paths, set(TABLES)):
        with problems.collect():
            table, roles = _open(path, named, task)
            for row in table.rows:
                for use in _read_row(table, row, roles, task, separator, spellings, problems):
                    place = table.row_place(row)
                    if use.id in places:
                        problems.add(
                            f"{place}: the id {use.id!r} is already taken by {places[use.id]}. "
                            "Every use needs an id of its own."
                        )
                    places.setdefault(use.id, place)
                    uses.append(use)
    problems.stop()
    return uses


def _separator(split: str | None) -> str | None:
    if split is None or split in _LINES:
        return None if split is None else "\n"
    if not split.strip() and split != "\t":
        raise SettingError(
            f"--split {split!r}: expected what stands between two uses, such as ';', or newline."
        )
    return split


def _open(path: Path, columns: Mapping[str, str], task: Task) -> tuple[Table, dict[str, str]]:
    shows_object = task.needs_scenario and not task.scenarios
    needed = [role for role in _NEEDED if shows_object or role != "object"]
    if split_sheet(path)[0].suffix.lower() not in TABLES:
        raise unknown_ending(path, set(TABLES))

    def fits(header: Sequence[str]) -> bool:
        roles = find_roles(header, columns, USE_COLUMNS)
        return all(roles[role] for role in needed)

    def hint(header: Sequence[str]) -> str:
        return nearest_hint(header, needed, columns, USE_COLUMNS)

    keys = [*columns.values(), *(name for role in needed for name in USE_COLUMNS[role])]
    table = read_table(path, keys, fits, hint)
    problems = Problems()
    problems.extend(f"{table.where}: {p}" for p in column_problems(table.header, columns, USE_COLUMNS))
    problems.stop()
    roles = find_roles(table.header, columns, USE_COLUMNS)
    if missing := [role for role in needed if roles[role] is None]:
        expected = "; ".join(" or ".join(USE_COLUMNS[role]) for role in missing)
        raise DataError(
            f"{table.where}: no column for {' and '.join(missing)} (expected {expected}). Found the columns "
            f"{', '.join(table.header)[:300]}.{hint(table.header)}"
        )
    return table, {role: title for role, title in roles.items() if title is not None}


def _read_row(
    table: Table,
    row: Row,
    roles: Mapping[str, str],
    task: Task,
    separator: str | None,
    spellings: dict[str, str],
    problems: Problems,
) -> list[Response]:
    before = len(problems)
    use_id = _name(table, row, roles["id"], "an id", problems)
    its_object = _name(table, row, roles["object"], "an object", problems) if "object" in roles else ""
    its_object = spellings.setdefault(" ".join(its_object.casefold().split()), its_object)
    text = table.read(row, roles["response"], "a use", problems)
    participant = ""
    if (title := roles.get("participant")) is not None and (
        title in row.odd or clean_name(row.cells[title]) not in MISSING
    ):
        participant = _name(table, row, title, "an id", problems)
    if text is not None and (problem := text_problem(text)):
        problems.add(f"{table.cell_place(row, roles['response'])}: {problem}.")
    if len(problems) > before or text is None:
        return []
    carried = {
        **({"object": its_object} if "object" in roles else {}),
        **({"participant": participant} if "participant" in roles else {}),
    }
    others = {
        (f"input_{title}" if title in (*carried, "response") else title): row.cells[title]
        for title in _carried(table, roles)
    }
    (step,) = task.steps
    return [
        Response(
            id=name,
            scenario=its_object or None,
            steps={step.id: StepText(text="" if _says_nothing(part) else part)},
            metadata={**carried, **others, "response": part},
            source=str(table.path),
        )
        for name, part in _apart(use_id, tidy(text), separator, task.noun)
    ]


def _name(table: Table, row: Row, title: str, expected: str, problems: Problems) -> str:
    text = table.read(row, title, expected, problems)
    if text is None:
        return ""
    place = table.cell_place(row, title)
    if not clean_name(text):
        problems.add(f"{place}: is empty, expected {expected}.")
        return ""
    try:
        return clean_id(text)
    except ValueError as error:
        problems.add(f"{place}: {error}.")
        return ""


def _carried(table: Table, roles: Mapping[str, str]) -> list[str]:
    scores = AUT_SCORES if is_aut_table(table.header) else ()
    return [
        title for title in table.header if title not in roles.values() and not title.startswith(tuple(scores))
    ]


def _apart(use_id: str, text: str, separator: str | None, noun: str) -> list[tuple[str, str]]:
    if separator is None:
        return [(use_id, text)]
    parts = [part for part in text.split(separator) if part.strip()] or [""]
    # Uses in lines may have numbers, which are no part of them.
    items = list_items(parts, noun)
    return [(f"{use_id}-{item.number}", item.text) for item in items]


def _says_nothing(text: str) -> bool:
    """Whether there is nothing but spaces and punctuation, such as a dash."""
    return all(unicodedata.category(character)[0] in "PZC" for character in text)
