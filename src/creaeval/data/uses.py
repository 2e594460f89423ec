"""Read uses of objects (Alternate Uses Task) from tables, one use a row."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from creaeval.data.batches import BATCH, Use, make_batches
from creaeval.data.files import list_files, unknown_ending
from creaeval.data.formats.aut_release import AUT_SCORES, is_aut_table
from creaeval.data.ids import MISSING, clean_id, clean_name, text_problem
from creaeval.data.items import list_items, tidy
from creaeval.data.tables.columns import (
    USE_COLUMNS,
    USE_ROLES,
    check_roles,
    column_problems,
    find_roles,
    nearest_hint,
)
from creaeval.data.tables.opening import TABLES, read_table, split_sheet
from creaeval.errors import DataError, SettingError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from creaeval.data.response import Response
    from creaeval.data.tables.table import Row, Table
    from creaeval.tasks import Step, Task

_NEEDED = ("id", "object", "response")
_LINES = {"newline", "\\n", "\n"}


def read_uses(
    paths: str | Path | Sequence[str | Path],
    task: Task,
    *,
    columns: Mapping[str, str] | None = None,
    batch: int = BATCH,
    split: str | None = None,
    mix_participants: bool = False,
) -> list[Response]:
    """Read uses, one a row, and put them into batches.

    Parameters
    ----------
    paths : path or sequence of paths
        Files, or folders whose files are read: .csv, .tsv, .xlsx or .xlsm, with the columns ``id`` (or
        ``response_id``), ``object`` (or ``prompt``), ``response`` (or ``use``) and perhaps ``participant``.
        All others are carried, but for the ratings and predictions of the released table.
    task : Task
        A task whose units are items.
    columns : mapping of str to str, optional
        The tables' own names of columns by role (``id``, ``object``, ``response``, ``participant``).
    batch : int
        Uses that are scored in one call, at most.
    split : str, optional
        What parts several uses in one cell, such as ``";"``; ``"newline"`` for line breaks. The uses of the
        row ``R1`` are then called ``R1-1``, ``R1-2`` and so on, also where there is only one.
    mix_participants : bool
        Whether uses of different people, or of nobody known, may be scored in one call.

    Returns
    -------
    list of Response
        One a batch; see :func:`creaeval.data.batches.make_batches`.

    Raises
    ------
    DataError
        With every problem found in every file: a missing column, a use without id or object, an id that is
        there twice.
    SettingError
        ``batch`` is below 1, or ``split`` is nothing that could part uses.
    """
    if batch < 1:
        raise SettingError(f"--batch {batch}: expected 1 or more.")
    separator = _separator(split)
    named = check_roles(columns, USE_ROLES)
    (step,) = task.steps
    problems: list[str] = []
    uses: list[Use] = []
    places: dict[str, str] = {}
    for path in list_files(paths, set(TABLES)):
        try:
            table, roles = _open(path, named)
        except DataError as error:
            problems += error.problems
            continue
        for row in table.rows:
            for use in _read_row(table, row, roles, step, separator, problems):
                place = table.row_place(row)
                if use.id in places:
                    problems.append(
                        f"{place}: the id {use.id!r} is already taken by {places[use.id]}. "
                        "Every use needs an id of its own."
                    )
                places.setdefault(use.id, place)
                uses.append(use)
    if problems:
        raise DataError(problems[0], problems[1:])
    return make_batches(uses, step, batch, mix_participants=mix_participants)


def _separator(split: str | None) -> str | None:
    if split is None or split in _LINES:
        return None if split is None else "\n"
    if not split.strip() and split != "\t":
        raise SettingError(
            f"--split {split!r}: expected what stands between two uses, such as ';', or newline."
        )
    return split


def _open(path: Path, columns: Mapping[str, str]) -> tuple[Table, dict[str, str]]:
    if split_sheet(path)[0].suffix.lower() not in TABLES:
        raise unknown_ending(path, set(TABLES))

    def fits(header: Sequence[str]) -> bool:
        roles = find_roles(header, columns, USE_COLUMNS)
        return all(roles[role] for role in _NEEDED)

    def hint(header: Sequence[str]) -> str:
        return nearest_hint(header, _NEEDED, columns, USE_COLUMNS)

    keys = [*columns.values(), *(name for role in _NEEDED for name in USE_COLUMNS[role])]
    table = read_table(path, keys, fits, hint)
    if problems := [f"{table.where}: {p}" for p in column_problems(table.header, columns, USE_COLUMNS)]:
        raise DataError(problems[0], problems[1:])
    roles = find_roles(table.header, columns, USE_COLUMNS)
    if missing := [role for role in _NEEDED if roles[role] is None]:
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
    step: Step,
    separator: str | None,
    problems: list[str],
) -> list[Use]:
    before = len(problems)
    use_id = _name(table, row, roles["id"], "an id", problems)
    its_object = _name(table, row, roles["object"], "an object", problems)
    text = table.read(row, roles["response"], "a use", problems)
    participant = ""
    if (title := roles.get("participant")) is not None and (
        title in row.odd or clean_name(row.cells[title]) not in MISSING
    ):
        participant = _name(table, row, title, "an id", problems)
    if text is not None and (problem := text_problem(text)):
        problems.append(f"{table.cell_place(row, roles['response'])}: {problem}.")
    if len(problems) > before or text is None:
        return []
    carried = {"object": its_object, **({"participant": participant} if "participant" in roles else {})}
    others = {
        (f"input_{title}" if title in (*carried, "response") else title): row.cells[title]
        for title in _carried(table, roles)
    }
    named = _apart(use_id, tidy(text), separator, step)
    return [
        Use(
            one,
            its_object,
            "" if _says_nothing(part) else part,
            participant,
            {**carried, **others, "response": part},
            str(table.path),
        )
        for one, part in named
    ]


def _name(table: Table, row: Row, title: str, due: str, problems: list[str]) -> str:
    text = table.read(row, title, due, problems)
    if text is None:
        return ""
    place = table.cell_place(row, title)
    if not clean_name(text):
        problems.append(f"{place}: is empty, expected {due}.")
        return ""
    try:
        return clean_id(text)
    except ValueError as error:
        problems.append(f"{place}: {error}.")
        return ""


def _carried(table: Table, roles: Mapping[str, str]) -> list[str]:
    scores = AUT_SCORES if is_aut_table(table.header) else ()
    return [
        title for title in table.header if title not in roles.values() and not title.startswith(tuple(scores))
    ]


def _apart(use_id: str, text: str, separator: str | None, step: Step) -> list[tuple[str, str]]:
    if separator is None:
        return [(use_id, text)]
    parts = [part for part in text.split(separator) if part.strip()] or [""]
    # Uses in lines may have numbers, which are no part of them.
    items = list_items(parts, step.items.name if step.items is not None else "item")
    return [(f"{use_id}-{item.number}", item.text) for item in items]


def _says_nothing(text: str) -> bool:
    """Whether there is nothing but spaces and punctuation, such as a dash."""
    return all(unicodedata.category(character)[0] in "PZC" for character in text)
