"""Read uses of objects (Alternate Uses Task) from tables, one use a row."""

from __future__ import annotations

import unicodedata
from functools import partial
from typing import TYPE_CHECKING

from creaeval.data.files import unknown_ending
from creaeval.data.formats.aut_release import AUT_SCORES, is_aut_table
from creaeval.data.ids import MISSING, check_text, clean_id, clean_name
from creaeval.data.items import list_items, tidy
from creaeval.data.model import Response, StepText
from creaeval.data.response_builder import Located
from creaeval.data.tables.columns import USE_COLUMNS, check_table, find_roles, role_hint
from creaeval.data.tables.opening import TABLES, read_table, split_sheet
from creaeval.errors import DataError, SettingError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from creaeval.data.response_builder import ResponseSource
    from creaeval.data.tables.table import Row, Table

_NEEDED = ("id", "object", "response")
_LINES = {"newline", "\\n", "\n"}


def use_separator(split: str | None) -> str | None:
    """Return what stands between the uses in a cell; SettingError if it could not."""
    if split in _LINES:
        return "\n"
    if split is not None and not split.strip() and split != "\t":
        raise SettingError(
            f"--split {split!r}: expected what stands between two uses, such as ';', or newline."
        )
    return split


def read_uses(
    source: ResponseSource, columns: Mapping[str, str], separator: str | None, spellings: dict[str, str]
) -> None:
    """Read uses, one a row, or other short texts.

    The columns are ``id`` (or ``response_id``), ``object`` (or ``prompt``; only where the task needs a
    scenario), ``response`` (or ``use``) and perhaps ``participant``, or those that ``columns`` names by role.
    All others are metadata, but for the ratings and predictions of the released table. Objects that differ
    in case only are one, spelled as at first, which ``spellings`` remembers.
    """
    table, roles = _open(source, columns)
    scores = AUT_SCORES if is_aut_table(table.header) else ()
    others = [t for t in table.header if t not in roles.values() and not t.startswith(tuple(scores))]
    for row in table.rows:
        before = len(source.problems)
        names = _read_names(table, row, roles, source)
        text = table.read_as(row, roles["response"], "a use", source.problems, check_text)
        if text is None or len(source.problems) > before:
            continue
        use_id, its_object = names.pop("id"), names.get("object", "")
        if its_object:
            its_object = spellings.setdefault(" ".join(its_object.casefold().split()), its_object)
            names["object"] = its_object
        taken = {"response", *names}
        rest = {f"input_{title}" if title in taken else title: row.cells[title] for title in others}
        for name, part in _split_uses(use_id, tidy(text), separator, source.task.noun):
            response = Response(
                id=name,
                scenario=its_object or None,
                steps={source.task.steps[0].id: StepText(text="" if _says_nothing(part) else part)},
                metadata={**names, **rest, "response": part},
                source=str(table.path),
            )
            source.responses.append(Located(response, table.row_place(row)))


def _open(source: ResponseSource, columns: Mapping[str, str]) -> tuple[Table, dict[str, str]]:
    task = source.task
    shows_object = task.needs_scenario and not task.scenarios
    needed = [role for role in _NEEDED if shows_object or role != "object"]
    if split_sheet(source.path)[0].suffix.lower() not in TABLES:
        raise unknown_ending(source.path, set(TABLES))

    def fits(header: Sequence[str]) -> bool:
        roles = find_roles(header, columns, USE_COLUMNS)
        return all(roles[role] for role in needed)

    def hint(header: Sequence[str]) -> str:
        return role_hint(header, needed, columns, USE_COLUMNS)

    keys = [*columns.values(), *(name for role in needed for name in USE_COLUMNS[role])]
    table = read_table(source.path, keys, fits, hint)
    roles = check_table(table, columns, USE_COLUMNS)
    if missing := [role for role in needed if roles[role] is None]:
        expected = "; ".join(" or ".join(USE_COLUMNS[role]) for role in missing)
        raise DataError(
            f"{table.where}: no column for {' and '.join(missing)} (expected {expected}). Found the columns "
            f"{', '.join(table.header)[:300]}.{hint(table.header)}"
        )
    return table, {role: title for role, title in roles.items() if title is not None}


def _read_names(table: Table, row: Row, roles: Mapping[str, str], source: ResponseSource) -> dict[str, str]:
    """Read the id, the object and the participant of a use, as far as there are columns for them."""
    names: dict[str, str] = {}
    for role, expected in (("id", "an id"), ("object", "an object"), ("participant", "an id")):
        if (title := roles.get(role)) is None:
            continue
        if role == "participant" and title not in row.issues and clean_name(row.cells[title]) in MISSING:
            names[role] = ""
            continue
        read = partial(_clean_name_of, expected=expected)
        names[role] = table.read_as(row, title, expected, source.problems, read) or ""
    return names


def _clean_name_of(text: str, expected: str) -> str:
    if not clean_name(text):
        raise ValueError(f"is empty, expected {expected}")
    return clean_id(text)


def _split_uses(use_id: str, text: str, separator: str | None, noun: str) -> list[tuple[str, str]]:
    if separator is None:
        return [(use_id, text)]
    parts = [part for part in text.split(separator) if part.strip()] or [""]
    # Uses in lines may have numbers, which are no part of them.
    return [(f"{use_id}-{item.number}", item.text) for item in list_items(parts, noun)]


def _says_nothing(text: str) -> bool:
    """Whether there is nothing but spaces and punctuation, such as a dash."""
    return all(unicodedata.category(character)[0] in "PZC" for character in text)
