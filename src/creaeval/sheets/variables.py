"""Names of columns that statistics packages take as names of variables."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from creaeval.sheets.panel import N_SHEETS
from creaeval.sheets.score_sheet import IN_TRAINING, INVALID, SCORE_COLUMNS
from creaeval.tasks import identities

if TYPE_CHECKING:
    from collections.abc import Iterable

    from creaeval.tasks import Task

# Stata takes 32 characters, SPSS 64 bytes.
_CHARACTERS, _BYTES = 32, 64
# Words that SPSS keeps for itself in any case, then those of Stata.
_RESERVED = frozenset(
    {"all", "and", "by", "eq", "ge", "gt", "le", "lt", "ne", "not", "or", "to", "with"}
    | {"byte", "double", "float", "if", "in", "int", "long", "strl", "using"}
)


def variable_names(names: Iterable[str], taken: Iterable[str] = ()) -> list[str]:
    """Make names of variables that SPSS and Stata (14 and later) accept.

    They hold letters of any script, digits and underscores, begin with a letter, do not end with an
    underscore, are no word that either package keeps for itself, and have at most 32 characters and 64 bytes
    of UTF-8. No two differ in case alone, since SPSS tells no cases apart. A name that is so already stays as
    it is; R and pandas take them, too.

    Parameters
    ----------
    names : iterable of str
        Any names, such as ``step1.fluency``.
    taken : iterable of str
        Names that none may have.

    Returns
    -------
    list of str
        In their order, such as ``step1_fluency``; of names that would be equal, the second ends with ``_2``.

    References
    ----------
    IBM SPSS Statistics Base, "Variable names"; Stata User's Guide, 11.3 "Naming conventions".
    """
    used = {name.casefold() for name in taken}
    variables = []
    for name in names:
        plain = variable = _variable_name(name)
        number = 1
        while variable.casefold() in used:
            number += 1
            mark = f"_{number}"
            variable = _cut(plain, len(mark)) + mark
        used.add(variable.casefold())
        variables.append(variable)
    return variables


def wide_names(task: Task) -> dict[str, str]:
    """Return the column of each identity of a task in its wide table of scores: ``step1_fluency``."""
    # The other columns of the table are reserved whether a run has them or not: readers must find the same.
    names = identities(task)
    reserved = (*SCORE_COLUMNS, N_SHEETS, INVALID, IN_TRAINING)
    return dict(zip(names, variable_names(names, reserved), strict=True))


def _variable_name(name: str) -> str:
    # No variable's name holds wide or raised forms of letters, or marks that no letter takes in.
    marks_apart = unicodedata.normalize("NFKC", name)
    letters = "".join(c for c in marks_apart if not unicodedata.category(c).startswith("M"))
    spaced = "".join(
        c if c == "_" or c.isalpha() or c.isdecimal() else " " for c in unicodedata.normalize("NFKC", letters)
    )
    plain = _cut("_".join(spaced.split()).strip("_"))
    if not plain[:1].isalpha() or plain.casefold() in _RESERVED or re.fullmatch("str[0-9]+", plain):
        plain = _cut(f"v_{plain}")
    return plain


def _cut(name: str, spare: int = 0) -> str:
    """Cut a name to what both packages take, less what is to be put behind it."""
    shown = name[: _CHARACTERS - spare]
    while len(shown.encode()) > _BYTES - spare:
        shown = shown[:-1]
    return shown.rstrip("_")
