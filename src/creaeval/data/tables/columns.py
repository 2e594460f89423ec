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
        role = next((role for role in roles if fold(role) == fold(name)), None)
        title = clean_name(written)
        where = f"--columns {part.strip()}"
        if not equals or not clean_name(name) or not title:
            problems.add(f"{where}: found {part.strip()!r}. {_expected(roles)}.")
        elif role is None:
            problems.add(f"{where}: {_unknown_role(name, roles)}")
        elif columns.setdefault(role, title) != title:
            problems.add(f"{where}: {role} is already {columns[role]!r}. Name one column for each role.")
    problems.extend(_shared(columns))
    problems.stop()
    return columns


def check_roles(columns: Mapping[str, str] | None, roles: Sequence[str] = ROLES) -> dict[str, str]:
    """Return a mapping with clean names; DataError if it has an unknown role, or a column twice."""
    if not columns:
        return {}
    problems = Problems()
    checked: dict[str, str] = {}
    for name, title in columns.items():
        if name in roles:
            checked[name] = clean_name(title)
        else:
            problems.add(f"--columns {name}={title}: {_unknown_role(name, roles)}")
    problems.extend(_shared(checked))
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
    titles: dict[str, str] = {}
    for title in header:
        if title not in own.values():
            titles.setdefault(fold(title), title)
    roles = {role: own.get(role) for role in standard}
    for role, names in standard.items():
        if not roles[role]:
            roles[role] = next((titles[key] for name in names if (key := fold(name)) in titles), None)
    return roles


def column_problems(
    header: Sequence[str], columns: Mapping[str, str], standard: Mapping[str, tuple[str, ...]]
) -> list[str]:
    """Say which of the named columns a table lacks; it may have the standard one instead."""
    return [
        f"--columns {role}={title}: there is no column {title!r}. {_did_you_mean(title, header)}"
        f"Found the columns {', '.join(header)[:300]}."
        for role, title in columns.items()
        if _find_title(header, title) is None and find_column(header, *standard[role]) is None
    ]


def nearest_hint(
    header: Sequence[str],
    roles: Iterable[str],
    columns: Mapping[str, str],
    standard: Mapping[str, tuple[str, ...]],
) -> str:
    """Name the columns that may be meant as the missing ones among ``roles``; nothing if none is near."""
    known = find_roles(header, columns, standard)
    free = [title for title in header if title not in known.values() and fold(title)]
    meant: dict[str, str] = {}
    for role in roles:
        for name in standard[role] if known[role] is None else ():
            titles = nearest(name, free, cutoff=_NEAR, key=fold)
            if titles and role not in meant:
                meant[role] = titles[0]
                free.remove(titles[0])
    if not meant:
        return ""
    setting = ",".join(f"{role}={title}" for role, title in meant.items())
    quoted = f"'{setting}'" if re.search(r"\s", setting) else setting
    return f" Did you mean to map it: --columns {quoted}?"


def _expected(roles: Sequence[str]) -> str:
    example = "rater=Judge" if "rater" in roles else "object=Prompt"
    return f"Expected ROLE=COLUMN with one of the roles {', '.join(roles)}, as in {example}"


def _find_title(header: Sequence[str], title: str) -> str | None:
    if title in header:
        return title
    return find_column(header, title) if fold(title) else None


def _unknown_role(name: str, roles: Sequence[str]) -> str:
    return f"there is no role {name.strip()!r}. {_did_you_mean(name, roles)}{_expected(roles)}."


def _did_you_mean(name: str, known: Sequence[str]) -> str:
    hint = did_you_mean(name, known, most=2, key=fold)
    return f"{hint} " if hint else ""


def _shared(columns: Mapping[str, str]) -> list[str]:
    first: dict[str, str] = {}
    return [
        f"--columns {role}={title}: the column {title!r} is already {first[title]}. Name another one."
        for role, title in columns.items()
        if first.setdefault(title, role) != role
    ]
