"""Which column of a table holds what: as somebody says (``rater=Judge``), by its title, or by its cells."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from creaeval.data.reading import ALIASES, ROLES
from creaeval.data.tables.header import is_number
from creaeval.data.tables.table import ID_COLUMNS
from creaeval.data.words import MISSING, words
from creaeval.errors import DataError
from creaeval.tasks import fold
from creaeval.wording import did_you_mean, first_few

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from creaeval.data.reading import Reading
    from creaeval.data.tables.table import Table

_SAMPLE = 3000
#: Roles that are known by a word beside one such as id or name.
_CORES = ("participant", "rater", "object", "dimension")
#: Words of a title that say no more than what kind of name it is.
_NAMES_OF = frozenset(
    map(fold, ("id", "nr", "no", "num", "number", "nummer", "code", "name", "nom", "nombre", "nome", "naam"))
) | frozenset(
    map(
        fold,
        (
            "numer",
            "número",
            "numéro",
            "du",
            "de",
            "la",
            "le",
            "del",
            "des",
            "the",
            "of",
            "der",
            "your",
            "ihr",
            "votre",
            "tu",
        ),
    )
)
#: What is an id whatever it holds.
_OWN_IDS = frozenset(map(fold, ID_COLUMNS))
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_ADDRESS = re.compile(r"\d{1,3}(\.\d{1,3}){3}")


@dataclass(frozen=True)
class Profile:
    """What the cells of a column are like, of those that hold something."""

    filled: int
    numeric: float
    distinct: int
    length: float
    words: float

    @property
    def texts(self) -> bool:
        """Whether it holds words rather than numbers or codes."""
        return self.filled > 0 and self.numeric < 0.5 and self.length >= 2

    @property
    def prose(self) -> bool:
        """Whether it holds whole sentences; a text without spaces counts by its length."""
        return self.words >= 8 or (self.words < 2 and self.length > 40)

    @property
    def unique(self) -> bool:
        """Whether no value is there twice."""
        return self.filled > 1 and self.distinct == self.filled


class TwoReadingsError(DataError):
    """Several columns could be the one that is looked for."""


class Columns:
    """The columns of a table, taken one after the other for what they hold; ``free`` are the others."""

    def __init__(self, table: Table, reading: Reading, kinds: Iterable[str] = ROLES) -> None:
        self.table, self.reading = table, reading
        self.taken: dict[str, str] = {}
        self._profiles: dict[str, Profile] = {}
        self._said = {role: self._find_said(role) for role in reading.columns}
        said = {title for titles in self._said.values() for title in titles}
        #: What somebody said of a column holds for no other role.
        self._others = [title for title in table.header if title not in said]
        self._kinds = tuple(kinds)

    def _find_said(self, role: str) -> list[str]:
        table, found = self.table, []
        for wanted in self.reading.columns[role]:
            alike = [title for title in table.header if fold(title) == fold(wanted) and fold(title)]
            exact = [title for title in table.header if title == wanted]
            if exact or alike:
                found.append((exact or alike)[0])
        return found

    def missing(self) -> list[str]:
        """Say which of the columns that were named a table lacks, unless it has one by its title."""
        problems = []
        for role, wanted in self.reading.columns.items():
            lacks = [t for t in wanted if fold(t) not in set(map(fold, self.table.header)) and fold(t)]
            if lacks and not self._said[role] and not self._has_own_name(role):
                hint = did_you_mean(lacks[0], self.table.header, most=2, key=fold)
                problems.append(
                    f"{self.table.where}: --columns {role}={lacks[0]}: there is no column {lacks[0]!r}. "
                    f"{hint + ' ' if hint else ''}{self.listed()}"
                )
        return problems

    def _has_own_name(self, role: str) -> bool:
        """Whether a column is called like the role, as in one of several files."""
        names = {role, *(name for name, other in ALIASES.items() if other == role)}
        return any(fold(title) in set(map(fold, names)) for title in self.table.header)

    def listed(self) -> str:
        """Name the columns there are."""
        return f"Found the columns {', '.join(self.table.header)[:300]}."

    @property
    def free(self) -> list[str]:
        """The columns that were not taken, in order."""
        return [title for title in self.table.header if title not in self.taken]

    def said(self, role: str) -> list[str]:
        """Return the columns that somebody said are of a role."""
        return self._said.get(role, [])

    def by_words(self, role: str) -> list[str]:
        """Return the columns whose title means a role, the best first; what holds prose is no id."""
        ranks = words().roles.get(role, {})
        free = [title for title in self._others if title not in self.taken]
        if role == "id":
            free = [t for t in free if fold(t) in _OWN_IDS or not self.profile(t).prose]
        ranked = [(rank, title) for title in free if (rank := ranks.get(fold(title))) is not None]
        if not ranked:  # by what a row below the header, or a label, says of it
            asked = {title: fold(self.table.questions.get(title, "")) for title in free}
            ranked = [(rank, title) for title in free if (rank := ranks.get(asked[title])) is not None]
        if not ranked and role in _CORES:
            ranked = [(rank, title) for title in free if (rank := ranks.get(_core(title))) is not None]
        return [title for _, title in sorted(ranked, key=lambda pair: pair[0])]

    def take(self, role: str) -> str | None:
        """Take the column of a role, as it was said or by its title; None if there is none.

        DataError if two titles differ in case or punctuation only.
        """
        found = self.said(role) or self.by_words(role)
        if not found:
            return None
        alike = [title for title in found[1:] if fold(title) == fold(found[0])]
        if alike and not self.said(role):
            names = " and ".join(map(repr, [found[0], *alike]))
            raise DataError(
                f"{self.table.where}: the columns {names} could both be {role!r}. Say --columns "
                f"{role}=COLUMN, or rename one of them."
            )
        self.put(found[0], role)
        return found[0]

    def put(self, title: str, role: str) -> None:
        """Take a column for a role."""
        self.taken[title] = role

    def profile(self, title: str) -> Profile:
        """Tell what the cells of a column are like."""
        if title not in self._profiles:
            missing = MISSING | set(self.reading.missing)
            cells = (row.cells[title].strip() for row in self.table.rows[:_SAMPLE])
            given = [cell for cell in cells if cell not in missing]
            count = len(given) or 1
            self._profiles[title] = Profile(
                filled=len(given),
                numeric=sum(is_number(cell) or cell.casefold() in self.reading.levels for cell in given)
                / count,
                distinct=len(set(given)),
                length=sum(map(len, given)) / count,
                words=sum(len(cell.split()) for cell in given) / count,
            )
        return self._profiles[title]

    @cached_property
    def personal(self) -> dict[str, str]:
        """The columns of personal data, each with its kind, but for those that are kept or have a role."""
        keep = set(map(fold, self.reading.keep))
        found = {}
        for title in self._others:
            if fold(title) not in keep and (kind := self._personal_kind(title)):
                found[title] = kind
        return found

    def _personal_kind(self, title: str) -> str:
        if kind := words().personal.get(fold(title)):
            return kind
        cells = [row.cells[title].strip() for row in self.table.rows[:50] if row.cells[title].strip()]
        for kind, pattern in (("e-mail address", _EMAIL), ("IP address", _ADDRESS)):
            if cells and all(pattern.fullmatch(cell) for cell in cells):
                return kind
        return ""

    def ambiguous(self, role: str, titles: Sequence[str], why: str = "") -> TwoReadingsError:
        """Make the error for columns of which each could be the one."""
        names = " and ".join(map(repr, titles[:3]))
        more = f" (and {len(titles) - 3} more)" if len(titles) > 3 else ""
        return TwoReadingsError(
            f"{self.table.where}: the columns {names}{more} could {'both' if len(titles) == 2 else 'all'} be "
            f"the {role}{why}. Say which: --columns {role}={quote(titles[0])}, or --columns "
            f"{role}={quote(titles[1])}."
        )

    def none_found(self, role: str, expected: str) -> DataError:
        """Make the error for a role that no column has."""
        others = [title for title in self.free if title not in self.personal]
        example = quote(others[0]) if others else "COLUMN"
        return DataError(
            f"{self.table.where}: no column could be the {role} ({expected}). {self.listed()} Say which one "
            f"it is: --columns {role}={example}, say."
        )


def left_out(where: str, personal: Mapping[str, str]) -> str:
    """Say which columns of personal data, each with what they are, are left out."""
    kinds = ", ".join(f"{title!r} ({kind})" for title, kind in personal.items())
    return f"{where}: left out as personal data: {kinds}. Keep one with --keep COLUMN."


def quote(title: str) -> str:
    """Write a title as a shell takes it."""
    return f"'{title}'" if re.search(r"\W", title) else title


def _core(title: str) -> str:
    tokens = [fold(token) for token in re.split(r"[\W_]+", title)]
    rest = [token for token in tokens if token and token not in _NAMES_OF]
    return "".join(rest) if rest and len(rest) < len(tokens) else ""


def named(titles: Sequence[str]) -> str:
    """Name the first few columns."""
    return first_few([repr(title) for title in titles])
