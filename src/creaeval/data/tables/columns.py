"""Which column of a table holds what, where a file has names of its own: ``rater=Judge``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from creaeval.data.ids import clean_name
from creaeval.data.tables.table import ID_COLUMNS, find_column
from creaeval.errors import Problems, SettingError
from creaeval.tasks import fold
from creaeval.wording import did_you_mean, nearest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from creaeval.data.tables.table import Table

ROLES = ("response_id", "rater", "dimension", "score", "item", "stage")
#: The names under which each role is found without being told.
RATING_COLUMNS: Mapping[str, tuple[str, ...]] = {
    **{role: (role,) for role in ROLES},
    "response_id": ID_COLUMNS,
}
#: The same for uses of the Alternate Uses Task; those of the released table are among them.
USE_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "id": (*ID_COLUMNS, "row_id"),
    "object": ("object", "prompt"),
    "response": ("response", "use"),
    "participant": ("participant",),
}
USE_ROLES = tuple(USE_COLUMNS)
_NEAR = 0.7


def read_columns(texts: Sequence[str], roles: Sequence[str] = ROLES) -> dict[str, str]:
    """Read which columns of a file stand for which roles.

    Parameters
    ----------
    texts : sequence of str
        Such as ``rater=Judge,response_id=Subj``. A column's name may hold spaces, and commas that are not
        followed by another ``ROLE=``.
    roles : sequence of str, optional
        The roles there are: ``ROLES`` of ratings, or ``USE_ROLES`` of uses.

    Returns
    -------
    dict of str to str
        The file's column by role.

    Raises
    ------
    SettingError
        A part that is not ``ROLE=COLUMN``, an unknown role, or a role or a column that is named twice.
    """
    problems = Problems(SettingError)
    columns: dict[str, str] = {}
    for part in (part for text in texts for part in re.split(r",(?=[^,=]*=)", text)):
        name, equals, written = part.partition("=")
        role = next((role for role in roles if fold(role) == fold(name)), name.strip())
        title = clean_name(written)
        where = f"--columns {part.strip()}"
        if not equals or not clean_name(name) or not title:
            problems.add(f"{where}: found {part.strip()!r}. {_expected(roles)}.")
        elif columns.setdefault(role, title) != title:
            problems.add(f"{where}: {role} is already {columns[role]!r}. Name one column for each role.")
    problems.extend(_role_problems(columns, roles))
    problems.stop()
    return columns


def check_roles(columns: Mapping[str, str] | None, roles: Sequence[str] = ROLES) -> dict[str, str]:
    """Return a mapping with clean names; DataError if it has an unknown role, or a column twice."""
    checked = {role: clean_name(title) for role, title in (columns or {}).items()}
    problems = Problems()
    problems.extend(_role_problems(checked, roles))
    problems.stop()
    return checked


def find_roles(
    header: Sequence[str], columns: Mapping[str, str], standard: Mapping[str, tuple[str, ...]]
) -> dict[str, str | None]:
    """Find the column of each role in a header; None where there is none.

    ``columns`` are the file's own names by role, ``standard`` those that a role has if it is not among them,
    or if the file lacks that column.
    """
    own = {role: _find_title(header, title) for role, title in columns.items()}
    # A column that was said to be one thing is no other, whatever it is called.
    free = [title for title in header if title not in own.values()]
    return {role: own.get(role) or find_column(free, *names) for role, names in standard.items()}


def check_table(
    table: Table, columns: Mapping[str, str], standard: Mapping[str, tuple[str, ...]]
) -> dict[str, str | None]:
    """Find the column of each role; DataError if a named one is not there, or two could be of one role."""
    problems = Problems()
    problems.extend(f"{table.where}: {missing}" for missing in _missing(table.header, columns, standard))
    roles = find_roles(table.header, columns, standard)
    for role, title in roles.items():
        alike = [other for other in table.header if title and fold(other) == fold(title)]
        if len(alike) > 1 and title != columns.get(role):
            names = " and ".join(map(repr, alike))
            problems.add(f"{table.where}: the columns {names} could both be {role!r}. Rename one of them.")
    problems.stop()
    return roles


def role_hint(
    header: Sequence[str],
    roles: Iterable[str],
    columns: Mapping[str, str],
    standard: Mapping[str, tuple[str, ...]],
) -> str:
    """Name the columns that are not there, or that may be meant as the missing ones among ``roles``."""
    if missing := _missing(header, columns, standard):
        return " " + " ".join(missing)
    known = find_roles(header, columns, standard)
    free = [title for title in header if title not in known.values() and fold(title)]
    meant: list[str] = []
    for role in roles:
        names = standard[role] if known[role] is None else ()
        titles = [title for name in names for title in nearest(name, free, cutoff=_NEAR, key=fold)]
        if titles:
            meant.append(f"{role}={titles[0]}")
            free.remove(titles[0])
    setting = ",".join(meant)
    quoted = f"'{setting}'" if re.search(r"\s", setting) else setting
    return f" Did you mean to map it: --columns {quoted}?" if meant else ""


def _missing(
    header: Sequence[str], columns: Mapping[str, str], standard: Mapping[str, tuple[str, ...]]
) -> list[str]:
    """Say which of the named columns a header lacks; it may have the standard one instead."""
    return [
        f"--columns {role}={title}: there is no column {title!r}. {_did_you_mean(title, header)}"
        f"Found the columns {', '.join(header)[:300]}."
        for role, title in columns.items()
        if _find_title(header, title) is None and find_column(header, *standard[role]) is None
    ]


def _find_title(header: Sequence[str], title: str) -> str | None:
    if title in header:
        return title
    return find_column(header, title) if fold(title) else None


def _role_problems(columns: Mapping[str, str], roles: Sequence[str]) -> list[str]:
    """Say which roles there are not, and which columns have two."""
    first: dict[str, str] = {}
    problems = []
    for role, title in columns.items():
        where = f"--columns {role}={title}"
        if role not in roles:
            hint = _did_you_mean(role, roles)
            problems.append(f"{where}: there is no role {role.strip()!r}. {hint}{_expected(roles)}.")
        elif first.setdefault(title, role) != role:
            problems.append(f"{where}: the column {title!r} is already {first[title]}. Name another one.")
    return problems


def _expected(roles: Sequence[str]) -> str:
    example = "rater=Judge" if "rater" in roles else "object=Prompt"
    return f"Expected ROLE=COLUMN with one of the roles {', '.join(roles)}, as in {example}"


def _did_you_mean(name: str, known: Sequence[str]) -> str:
    hint = did_you_mean(name, known, most=2, key=fold)
    return f"{hint} " if hint else ""
