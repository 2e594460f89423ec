"""The forms a table of ratings can have, told from its header alone: what cannot be told is refused."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, NamedTuple

from creaeval.data.columns import USE_COLUMNS
from creaeval.data.item_words import CATEGORY, INVALID, resolve_step
from creaeval.data.table import find_column
from creaeval.errors import DataError
from creaeval.tasks import display_name, find_part, fold, identities, resolve

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from creaeval.data.table import Table
    from creaeval.tasks import Task

_LONG = ("rater", "dimension", "score")
#: What stands behind a dimension's name where somebody summed the raters up, or wrote no score at all.
_NO_RATERS = {
    *("mean", "avg", "average", "median", "sum", "total", "sd", "se", "var", "min", "max", "n", "diff"),
    *("difference", "score", "rating", "points", "final", "comment", "comments", "note", "notes", "text"),
}
_FORMS = (
    "Expected response_id, rater, dimension, score (one score a row); or response_id, rater and a column for "
    "each dimension; or response_id and columns such as Focus_A, Focus_B for raters A and B; or response_id, "
    "dimension and a column for each rater."
)


class Source(NamedTuple):
    """Where a part of a rating is read: in a column, or in the header itself (``title`` is None)."""

    title: str | None
    text: str = ""


class Entry(NamedTuple):
    """One score of each row: ``score`` is its column."""

    response: Source
    rater: Source
    dimension: Source
    score: str


@dataclass(frozen=True)
class Form:
    """The scores each row holds; ``wide``: an empty cell is no rating, rather than a mistake.

    ``item`` and ``stage`` are columns; ``carried`` those that belong to the rating as a whole.
    """

    entries: tuple[Entry, ...]
    item: str | None
    stage: str | None
    wide: bool
    carried: tuple[str, ...] = ()


@dataclass(frozen=True)
class Header:
    """A table with what its header says: ``named`` is the column of each role, ``rest`` are the others.

    ``hint`` names what may be meant as a column that is missing.
    """

    table: Table
    task: Task
    named: Mapping[str, str | None]
    hint: Callable[[Sequence[str]], str]

    @property
    def rest(self) -> list[str]:
        """The columns that have no role."""
        return [title for title in self.table.header if title not in self.named.values()]

    def lacking(self) -> str:
        """Say which columns of the long form are missing."""
        return " and ".join(f"no column {role!r}" for role in _LONG if self.named[role] is None)

    def found(self, roles: Sequence[str]) -> str:
        """Say which columns there are, and which of them may be meant as one of these roles."""
        return f"Found the columns {', '.join(self.table.header)[:300]}.{self.hint(roles)}"


def fits_ratings(header: Sequence[str], task: Task, named: Mapping[str, str | None]) -> bool:
    """Whether a header could be one of ratings; ``named`` is its column of each role."""
    if named["response_id"] is None:
        return named["rater"] is not None
    if named["dimension"] or (named["rater"] and named["score"]):
        return True
    by_items = named["item"] is not None
    return any(_is_part(task, title, by_items) or _split_rater(task, title) for title in header)


def find_form(header: Header) -> Form:
    """Tell the form of a table of ratings from its header.

    Parameters
    ----------
    header : Header
        The table, with its column of each role.

    Returns
    -------
    Form

    Raises
    ------
    DataError
        With what was found and which forms there are.
    """
    table, task, named, rest = header.table, header.task, header.named, header.rest
    rater, dimension, score = named["rater"], named["dimension"], named["score"]
    item, stage = named["item"], named["stage"]
    if named["response_id"] is None:
        return _raters_in_rows(header)
    source = Source(named["response_id"])
    if rater and dimension and score:
        entry = Entry(source, Source(rater), Source(dimension), score)
        return Form((entry,), item, stage, wide=False, carried=tuple(rest))
    if score or (rater and dimension):
        raise DataError(f"{table.where}: {header.lacking()}. {header.found(_LONG)} {_FORMS}")
    if dimension:
        raters = tuple(Entry(source, Source(None, t), Source(dimension), t) for t in rest)
        return Form(raters, item, stage, wide=True)
    raters_in_header = [title for title in rest if _names_rater(title)]
    if rater is None and _one_dimension(task) and raters_in_header:
        others = [title for title in rest if title not in raters_in_header]
        about = _about_uses(rest)
        if not any(_check_unused(table, task, title) for title in others if title not in about):
            part = Source(None, _one_dimension(task))
            entries = tuple(Entry(source, Source(None, t), part, t) for t in raters_in_header)
            return Form(entries, item, stage, wide=True, carried=tuple(others))
    return _dimensions_in_columns(header, source)


def _one_dimension(task: Task) -> str:
    """Return the identity of the only dimension of a task that has one, else nothing."""
    dimensions = [f"{step.id}.{dimension.id}" for step in task.steps for dimension in step.dimensions]
    return dimensions[0] if len(dimensions) == 1 else ""


def _names_rater(title: str) -> bool:
    person = re.fullmatch(r"(rater|judge|coder|scorer|expert)[\W_]*\w+", title, re.IGNORECASE)
    return person is not None or fold(title) in {"mean", "humanmean", "meanrating"}


def _about_uses(header: Sequence[str]) -> set[str]:
    """Return the columns that say what was rated, in a table of uses: numbers in them are no scores."""
    return {title for names in USE_COLUMNS.values() if (title := find_column(header, *names)) is not None}


def _raters_in_rows(header: Header) -> Form:
    table, task, named, rest = header.table, header.task, header.named, header.rest
    rater, dimension = named["rater"], named["dimension"]
    parts = [title for title in rest if _is_part(task, title, False) or _is_ambiguous(task, title)]
    if rater is None or parts or named["item"] or named["score"]:
        found = header.found(["response_id", "rater"])
        raise DataError(f"{table.where}: no column 'response_id' or 'id'. {found} {_FORMS}")
    if dimension is None and not _one_dimension(task):
        raise DataError(
            f"{table.where}: no column 'response_id'. The rows seem to be raters and the columns "
            f"{', '.join(rest)[:200]} responses, but no column says which dimension of task {task.id} was "
            "rated. Add a column 'dimension', or turn the table round so that its rows are responses."
        )
    part = Source(dimension) if dimension is not None else Source(None, _one_dimension(task))
    entries = tuple(Entry(Source(None, t), Source(rater), part, t) for t in rest)
    return Form(entries, None, named["stage"], wide=True)


def _dimensions_in_columns(header: Header, source: Source) -> Form:
    table, task, named = header.table, header.task, header.named
    rater, item = named["rater"], named["item"]
    problems: list[str] = []
    entries: list[Entry] = []
    carried: list[str] = []
    for title in header.rest:
        where = f"{table.where}, column {title!r}"
        split = _split_rater(task, title) if rater is None else []
        if _is_part(task, title, item is not None):
            if rater is None:
                problems.append(
                    f"{where}: no rater is named. Add a column 'rater', or call the column {title}_A, with "
                    f"the rater's name for A.{header.hint(['rater'])}"
                )
            entries.append(Entry(source, Source(rater), Source(None, title), title))
        elif len(split) > 1:
            ways = " or ".join(f"{name} by {who!r}" for name, who in split)
            problems.append(f"{where}: could be {ways}. Give the ratings one a row. {_FORMS}")
        elif split:
            problems += [f"{where}: {problem}" for problem in _check_rater(task, *split[0], item)]
            entries.append(Entry(source, Source(None, split[0][1]), Source(None, split[0][0]), title))
        else:
            problems += [f"{where}: {problem}" for problem in _check_unused(table, task, title)]
            carried.append(title)
    if problems:
        raise DataError(problems[0], problems[1:])
    if not entries:
        raise DataError(
            f"{table.where}: {header.lacking()}, and no column is called like a dimension of task "
            f"{task.id}. {header.found(_LONG)} {_FORMS}"
        )
    return Form(tuple(entries), item, named["stage"], wide=True, carried=tuple(carried))


def _is_part(task: Task, title: str, by_items: bool) -> bool:
    """Whether a column is called like a dimension, sum or Overall, or tells of an item."""
    head, _, tail = title.rpartition(".")
    try:
        if by_items and fold(tail) in {CATEGORY, INVALID}:
            resolve_step(task, head)
        else:
            resolve(task, title)
    except (KeyError, ValueError):
        return False
    return True


def _is_ambiguous(task: Task, title: str) -> bool:
    """Whether several steps have something of this name."""
    return fold(title) == "overall" or any(find_part(step, title) is not None for step in task.steps)


def _split_rater(task: Task, title: str) -> list[tuple[str, str]]:
    """Part ``Focus_A`` into the dimension and the rater, in every way there is."""
    if _is_part(task, title, False):
        return []
    ways = [
        (title[: gap.start()], title[gap.end() :].strip(" )]"))
        for gap in re.finditer(r"[\s_.:/(\[-]+", title)
    ]
    return [(head, tail) for head, tail in ways if head and tail and _is_part(task, head, False)]


def _check_rater(task: Task, name: str, rater: str, item: str | None) -> list[str]:
    if fold(rater) in _NO_RATERS:
        return [f"{rater!r} is no name of a rater. Take the column out, or write the ratings one a row."]
    step, part = resolve(task, name)
    if item is None and rater.isdigit() and step is not None and part in {d.id for d in step.item_dimensions}:
        return [
            f"{rater} could be a rater or an item of {step.id}. Call raters R{rater}, say; scores of items "
            "need a column 'item'."
        ]
    return []


def _check_unused(table: Table, task: Task, title: str) -> list[str]:
    """Refuse a column that may hold scores: carried as a text they would be lost."""
    numbers = any(re.fullmatch(r"\s*-?\d+([.,]\d+)?\s*", row.cells[title]) for row in table.rows)
    heads = [title[: gap.start()] for gap in re.finditer(r"[\s_(]+", title) if gap.start()]
    if _is_ambiguous(task, title) or (numbers and any(_is_ambiguous(task, head) for head in heads)):
        return [
            "several steps have a dimension of this name; write it with the step, as in step1.originality."
        ]
    names = {fold(identity): identity for identity in identities(task)}
    names |= {fold(display_name(task, identity)): identity for identity in identities(task)}
    near = get_close_matches(fold(title), names, n=1, cutoff=0.8)
    if near:
        return [f"task {task.id} has no dimension of this name. Did you mean {names[near[0]]!r}?"]
    if numbers:
        return [
            f"holds numbers, but task {task.id} has no dimension of this name. Name it like one, or take the "
            f"column out. {_FORMS}"
        ]
    return []
