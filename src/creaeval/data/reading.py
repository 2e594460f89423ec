"""How files are read: what people say about theirs, and what reading them found out."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, field_validator

from creaeval.data.ids import clean_name
from creaeval.errors import Problems, SettingError
from creaeval.tasks import fold
from creaeval.wording import did_you_mean

ROLES = (
    *("id", "participant", "object", "text", "scenario", "step"),
    *("rater", "score", "dimension", "item", "stage", "carry"),
)
#: Other names of roles, as in files and tasks.
ALIASES = {"response_id": "id", "response": "text", "use": "text", "story": "text", "prompt": "object"}
#: Those that several columns may have.
_SEVERAL = ("text", "score", "carry")


def _as_texts(value: Any) -> Any:
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    return tuple(map(str, value)) if isinstance(value, Sequence | set | frozenset) else value


Texts = Annotated[tuple[str, ...], BeforeValidator(_as_texts)]


class Reading(BaseModel):
    """What decides how files are read; what is not said is found out.

    Parameters
    ----------
    columns : mapping of str to str or sequence of str, optional
        The files' own titles of columns by role, one of :data:`ROLES`, such as
        ``{"rater": "Judge"}``. ``text`` and ``score`` may have several, ``carry`` those that are neither.
    split : str, optional
        What stands between several uses in one cell, such as ``";"``; ``"newline"`` for line breaks,
        ``"none"`` where each cell is one.
    missing : sequence of str, optional
        What else means that a value is missing, such as ``-99``.
    levels : mapping of str to float or sequence of str, optional
        Points of words that stand for scores: ``{"low": 1, "high": 2}``, or the words from 1 on.
    sheet, header : str, int, optional
        The sheet (name, or number from 1) and the row of the header (0 for none) of tables.
    object, rater, dimension : str, optional
        What all of a file is of, where no column says so.
    keep : sequence of str, optional
        Columns of personal data that are not left out.
    strict : bool
        Whether anything that would have to be guessed is refused.
    blank_is_no : bool
        Whether a blank verdict on stories (TTCW) counts as No; else it is missing.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    columns: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    split: str | None = None
    missing: Texts = ()
    levels: Mapping[str, float] = Field(default_factory=dict)
    sheet: str = ""
    header: int | None = Field(default=None, ge=0)
    object: str = ""
    rater: str = ""
    dimension: str = ""
    keep: Texts = ()
    strict: bool = False
    blank_is_no: bool = False

    @field_validator("columns", mode="before")
    @classmethod
    def _read_columns(cls, value: Any) -> Any:
        try:
            return check_roles(value)
        except SettingError as error:
            raise ValueError(str(error)) from error

    @field_validator("levels", mode="before")
    @classmethod
    def _read_levels(cls, value: Any) -> Any:
        if isinstance(value, str):
            value = _as_texts(value)
        if not isinstance(value, Mapping):
            pairs = [str(part).rpartition("=") for part in value or ()]
            value = {
                (name or points).strip(): points if name else number
                for number, (name, _, points) in enumerate(pairs, 1)
            }
        return {str(name).casefold(): points for name, points in value.items()}

    @field_validator("split")
    @classmethod
    def _check_split(cls, value: str | None) -> str | None:
        if value in {"newline", "\\n", "\n"}:
            return "\n"
        if value is not None and not value.strip() and value != "\t":
            raise ValueError(
                f"--split {value!r}: expected what stands between two uses, such as ';', or newline"
            )
        return value

    @classmethod
    def of(cls, **options: Any) -> Reading:
        """Make it of options that a user gave; SettingError with what is wrong with them."""
        known = {name: value for name, value in options.items() if value is not None}
        if unknown := [name for name in known if name not in cls.model_fields]:
            hint = did_you_mean(unknown[0], cls.model_fields)
            raise SettingError(
                f"{unknown[0]!r} says nothing about how files are read. {hint or 'Expected one of '}"
                f"{'' if hint else ', '.join(cls.model_fields)}."
            )
        try:
            return cls(**known)
        except ValidationError as error:
            problems: list[str] = []
            for problem in error.errors():
                said = problem["msg"].removeprefix("Value error, ").splitlines()
                option = f"{'.'.join(map(str, problem['loc']))}: "
                problems += [f"{'' if line.startswith('--') else option}{line.rstrip('.')}." for line in said]
            raise SettingError(problems[0], problems[1:]) from error


def read_columns(texts: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Read which columns of a file stand for which roles.

    Parameters
    ----------
    texts : sequence of str
        Such as ``rater=Judge,id=Subj``. A column's title may hold spaces, and commas that are not followed by
        another ``ROLE=``. ``text``, ``score`` and ``carry`` may be said of several columns.

    Returns
    -------
    dict of str to tuple of str
        The file's columns by role.

    Raises
    ------
    SettingError
        A part that is not ``ROLE=COLUMN``, an unknown role, or one that is said of two columns.
    """
    problems = Problems(SettingError)
    columns: dict[str, list[str]] = {}
    for part in (part for text in texts for part in re.split(r",(?=[^,=]*=)", text)):
        name, equals, written = part.partition("=")
        if not equals or not clean_name(name) or not clean_name(written):
            problems.add(f"--columns {part.strip()}: found {part.strip()!r}. {_expected()}.")
        else:
            columns.setdefault(name.strip(), []).append(written)
    with problems.collect():
        checked = check_roles(columns)
    problems.stop()
    return checked


def check_roles(columns: Mapping[str, Any] | None) -> dict[str, tuple[str, ...]]:
    """Return titles by role with clean names; SettingError for an unknown role, or two columns of one."""
    problems = Problems(SettingError)
    checked: dict[str, tuple[str, ...]] = {}
    for name, value in (columns or {}).items():
        titles = [clean_name(str(title)) for title in ([value] if isinstance(value, str) else value)]
        role = next((r for r in (*ROLES, *ALIASES) if fold(r) == fold(name)), name.strip())
        role = ALIASES.get(role, role)
        titles = list(dict.fromkeys([*checked.get(role, ()), *titles]))
        where = f"--columns {name.strip()}={titles[-1] if titles else ''}"
        if role not in ROLES:
            hint = did_you_mean(role, (*ROLES, *ALIASES), most=2, key=fold)
            problems.add(f"{where}: there is no role {role!r}. {hint + ' ' if hint else ''}{_expected()}.")
        elif len(titles) > 1 and role not in _SEVERAL:
            problems.add(f"{where}: {role} is already {titles[0]!r}. Name one column for each role.")
        other = next((r for r, t in checked.items() if r != role and titles and titles[-1] in t), role)
        if other != role and {other, role} != {"id", "participant"}:
            problems.add(f"{where}: the column {titles[-1]!r} is already {other}. Name another one.")
        checked[role] = tuple(titles)
    problems.stop()
    return checked


def _expected() -> str:
    return f"Expected ROLE=COLUMN with one of the roles {', '.join(ROLES)}, as in rater=Judge"
