"""The forms a table of ratings can have, told from its header alone: what cannot be told is refused."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, NamedTuple

from creaeval.data.item_words import CATEGORY, INVALID, resolve_step
from creaeval.data.table import ID_COLUMNS, find_column
from creaeval.errors import DataError
from creaeval.tasks import display_name, find_part, fold, identities, resolve

if TYPE_CHECKING:
    from collections.abc import Sequence

    from creaeval.data.table import Table
    from creaeval.tasks import Task

_ROLES = ("rater", "dimension", "score", "item")
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
    """The scores each row holds; ``wide``: an empty cell is no rating, rather than a mistake."""

    entries: tuple[Entry, ...]
    item: str | None
    wide: bool


def fits_ratings(header: Sequence[str], task: Task) -> bool:
    """Whether a header could be one of ratings."""
    has = {role: find_column(header, role) is not None for role in _ROLES}
    if find_column(header, *ID_COLUMNS) is None:
        return has["rater"]
    if has["dimension"] or (has["rater"] and has["score"]):
        return True
    return any(_is_part(task, title, has["item"]) or _split_rater(task, title) for title in header)


def find_form(table: Table, task: Task) -> Form:
    """Tell the form of a table of ratings from its header.

    Parameters
    ----------
    table : Table
        The table.
    task : Task
        The task that was rated.

    Returns
    -------
    Form

    Raises
    ------
    DataError
        With what was found and which forms there are.
    """
    named = {role: table.column(role) for role in _ROLES}
    rater, dimension, score, item = named["rater"], named["dimension"], named["score"], named["item"]
    response = table.column(*ID_COLUMNS)
    rest = [title for title in table.header if title not in {response, *named.values()}]
    if response is None:
        return _raters_in_rows(table, task, rest, rater, dimension)
    source = Source(response)
    if rater and dimension and score:
        entry = Entry(source, Source(rater), Source(dimension), score)
        return Form((entry,), item, wide=False)
    if score or (rater and dimension):
        lacking = [f"no column {name!r}" for name in ("rater", "dimension", "score") if named[name] is None]
        raise DataError(f"{table.where}: {' and '.join(lacking)}. {_found(table)} {_FORMS}")
    if dimension:
        raters = tuple(Entry(source, Source(None, t), Source(dimension), t) for t in rest)
        return Form(raters, item, wide=True)
    if rater is None and _one_dimension(task) and rest and all(map(_names_rater, rest)):
        part = Source(None, _one_dimension(task))
        return Form(tuple(Entry(source, Source(None, t), part, t) for t in rest), item, wide=True)
    return _dimensions_in_columns(table, task, rest, source, rater, item)


def _found(table: Table) -> str:
    return f"Found the columns {', '.join(table.header)[:300]}."


def _one_dimension(task: Task) -> str:
    """Return the identity of the only dimension of a task that has one, else nothing."""
    dimensions = [f"{step.id}.{dimension.id}" for step in task.steps for dimension in step.dimensions]
    return dimensions[0] if len(dimensions) == 1 else ""


def _names_rater(title: str) -> bool:
    return re.fullmatch(r"(rater|judge|coder|scorer|expert)[\W_]*\w+", title, re.IGNORECASE) is not None


def _raters_in_rows(
    table: Table, task: Task, rest: list[str], rater: str | None, dimension: str | None
) -> Form:
    parts = [title for title in rest if _is_part(task, title, False) or _is_ambiguous(task, title)]
    if rater is None or parts or table.column("item", "score"):
        raise DataError(f"{table.where}: no column 'response_id' or 'id'. {_found(table)} {_FORMS}")
    if dimension is None and not _one_dimension(task):
        raise DataError(
            f"{table.where}: no column 'response_id'. The rows seem to be raters and the columns "
            f"{', '.join(rest)[:200]} responses, but no column says which dimension of task {task.id} was "
            "rated. Add a column 'dimension', or turn the table round so that its rows are responses."
        )
    part = Source(dimension) if dimension is not None else Source(None, _one_dimension(task))
    return Form(tuple(Entry(Source(None, t), Source(rater), part, t) for t in rest), None, wide=True)


def _dimensions_in_columns(
    table: Table, task: Task, rest: list[str], source: Source, rater: str | None, item: str | None
) -> Form:
    problems: list[str] = []
    entries: list[Entry] = []
    for title in rest:
        where = f"{table.where}, column {title!r}"
        split = _split_rater(task, title) if rater is None else []
        if _is_part(task, title, item is not None):
            if rater is None:
                problems.append(
                    f"{where}: no rater is named. Add a column 'rater', or call the column {title}_A, with "
                    "the rater's name for A."
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
    if problems:
        raise DataError(problems[0], problems[1:])
    if not entries:
        lacking = [f"no column {n!r}" for n in ("rater", "dimension", "score") if table.column(n) is None]
        raise DataError(
            f"{table.where}: {' and '.join(lacking)}, and no column is called like a dimension of task "
            f"{task.id}. {_found(table)} {_FORMS}"
        )
    return Form(tuple(entries), item, wide=True)


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
    """Refuse a column that may hold scores: left out without a word they would be lost."""
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
