"""The layouts a table of ratings can have, recognised by its header alone: what is ambiguous is refused."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from creaeval.data.rating_builder import CATEGORY, INVALID, resolve_step
from creaeval.data.tables.columns import USE_COLUMNS
from creaeval.data.tables.table import find_column
from creaeval.errors import DataError, Problems
from creaeval.tasks import display_name, find_part, fold, identities, resolve
from creaeval.wording import nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from creaeval.data.tables.table import Table
    from creaeval.tasks import Task

_LONG = ("rater", "dimension", "score")
#: What stands behind a dimension's name where somebody summed the raters up, or wrote no score at all.
_NO_RATERS = {
    *("mean", "avg", "average", "median", "sum", "total", "sd", "se", "var", "min", "max", "n", "diff"),
    *("difference", "score", "rating", "points", "final", "comment", "comments", "note", "notes", "text"),
}
_LAYOUTS = (
    "Expected response_id, rater, dimension, score (one score a row); or response_id, rater and a column for "
    "each dimension; or response_id and columns such as Focus_A, Focus_B for raters A and B; or response_id, "
    "dimension and a column for each rater."
)


class Origin(NamedTuple):
    """Where a part of a rating is read: in a column, or in the header itself (``title`` is None)."""

    title: str | None
    text: str = ""


class ScoreColumn(NamedTuple):
    """A column of scores, with what says whose they are."""

    response: Origin
    rater: Origin
    dimension: Origin
    title: str


@dataclass(frozen=True)
class Layout:
    """The scores each row holds; ``wide``: an empty cell is no rating, rather than a mistake.

    ``item`` and ``stage`` are columns; ``metadata`` those that belong to the rating as a whole.
    """

    scores: tuple[ScoreColumn, ...]
    item: str | None
    stage: str | None
    wide: bool
    metadata: tuple[str, ...] = ()


@dataclass(frozen=True)
class RatingTable:
    """A table of ratings: ``named`` is the column of each role, ``hint`` names what may be meant as one."""

    table: Table
    task: Task
    named: Mapping[str, str | None]
    hint: Callable[[Sequence[str]], str]

    @property
    def rest(self) -> list[str]:
        """The columns that have no role."""
        return [title for title in self.table.header if title not in self.named.values()]

    def missing(self) -> str:
        """Say which columns of the long layout are missing."""
        return " and ".join(f"no column {role!r}" for role in _LONG if self.named[role] is None)

    def present(self, roles: Sequence[str]) -> str:
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


def find_layout(ratings: RatingTable) -> Layout:
    """Recognise the layout of a table of ratings; DataError with what was found and what is expected."""
    table, named, rest = ratings.table, ratings.named, ratings.rest
    rater, dimension, score = named["rater"], named["dimension"], named["score"]
    item, stage = named["item"], named["stage"]
    if named["response_id"] is None:
        return _raters_in_rows(ratings)
    response = Origin(named["response_id"])
    if rater and dimension and score:
        column = ScoreColumn(response, Origin(rater), Origin(dimension), score)
        return Layout((column,), item, stage, wide=False, metadata=tuple(rest))
    if score or (rater and dimension):
        raise DataError(f"{table.where}: {ratings.missing()}. {ratings.present(_LONG)} {_LAYOUTS}")
    if dimension:
        columns = [ScoreColumn(response, Origin(None, title), Origin(dimension), title) for title in rest]
        return Layout(tuple(columns), item, stage, wide=True)
    return _one_dimension_by_raters(ratings, response) or _dimensions_in_columns(ratings, response)


def _one_dimension_by_raters(ratings: RatingTable, response: Origin) -> Layout | None:
    """Return the layout with a column for each rater, where the task has but one dimension to rate."""
    table, task, named, rest = ratings.table, ratings.task, ratings.named, ratings.rest
    raters = [title for title in rest if _names_rater(title)]
    if named["rater"] is not None or not _only_dimension(task) or not raters:
        return None
    others = [title for title in rest if title not in raters]
    about = _about_uses(rest)
    if any(_check_unused(table, task, title) for title in others if title not in about):
        return None
    dimension = Origin(None, _only_dimension(task))
    columns = [ScoreColumn(response, Origin(None, title), dimension, title) for title in raters]
    return Layout(tuple(columns), named["item"], named["stage"], wide=True, metadata=tuple(others))


def _only_dimension(task: Task) -> str:
    """Return the identity of the only dimension of a task that has one, else nothing."""
    dimensions = [f"{step.id}.{dimension.id}" for step in task.steps for dimension in step.dimensions]
    return dimensions[0] if len(dimensions) == 1 else ""


def _names_rater(title: str) -> bool:
    person = re.fullmatch(r"(rater|judge|coder|scorer|expert)[\W_]*\w+", title, re.IGNORECASE)
    return person is not None or fold(title) in {"mean", "humanmean", "meanrating"}


def _about_uses(header: Sequence[str]) -> set[str]:
    """Return the columns that say what was rated, in a table of uses: numbers in them are no scores."""
    return {title for names in USE_COLUMNS.values() if (title := find_column(header, *names)) is not None}


def _raters_in_rows(ratings: RatingTable) -> Layout:
    table, task, named, rest = ratings.table, ratings.task, ratings.named, ratings.rest
    rater, dimension = named["rater"], named["dimension"]
    parts = [title for title in rest if _is_part(task, title, False) or _is_ambiguous(task, title)]
    if rater is None or parts or named["item"] or named["score"]:
        present = ratings.present(["response_id", "rater"])
        raise DataError(f"{table.where}: no column 'response_id' or 'id'. {present} {_LAYOUTS}")
    if dimension is None and not _only_dimension(task):
        raise DataError(
            f"{table.where}: no column 'response_id'. The rows seem to be raters and the columns "
            f"{', '.join(rest)[:200]} responses, but no column says which dimension of task {task.id} was "
            "rated. Add a column 'dimension', or turn the table round so that its rows are responses."
        )
    part = Origin(dimension) if dimension is not None else Origin(None, _only_dimension(task))
    columns = tuple(ScoreColumn(Origin(None, title), Origin(rater), part, title) for title in rest)
    return Layout(columns, None, named["stage"], wide=True)


def _dimensions_in_columns(ratings: RatingTable, response: Origin) -> Layout:
    table, task, named = ratings.table, ratings.task, ratings.named
    rater, item = named["rater"], named["item"]
    problems = Problems()
    columns: list[ScoreColumn] = []
    metadata: list[str] = []
    for title in ratings.rest:
        where = f"{table.where}, column {title!r}"
        readings = _split_rater(task, title) if rater is None else []
        if _is_part(task, title, item is not None):
            if rater is None:
                problems.add(
                    f"{where}: no rater is named. Add a column 'rater', or call the column {title}_A, with "
                    f"the rater's name for A.{ratings.hint(['rater'])}"
                )
            columns.append(ScoreColumn(response, Origin(rater), Origin(None, title), title))
        elif len(readings) > 1:
            ways = " or ".join(f"{name} by {person!r}" for name, person in readings)
            problems.add(f"{where}: could be {ways}. Give the ratings one a row. {_LAYOUTS}")
        elif readings:
            name, person = readings[0]
            problems.extend(f"{where}: {problem}" for problem in _check_rater(task, name, person, item))
            columns.append(ScoreColumn(response, Origin(None, person), Origin(None, name), title))
        else:
            problems.extend(f"{where}: {problem}" for problem in _check_unused(table, task, title))
            metadata.append(title)
    problems.stop()
    if not columns:
        raise DataError(
            f"{table.where}: {ratings.missing()}, and no column is called like a dimension of task "
            f"{task.id}. {ratings.present(_LONG)} {_LAYOUTS}"
        )
    return Layout(tuple(columns), item, named["stage"], wide=True, metadata=tuple(metadata))


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
    """Split ``Focus_A`` into the dimension and the rater, in every way there is."""
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
    """Refuse a column that may hold scores: as metadata they would be lost."""
    numbers = any(re.fullmatch(r"\s*-?\d+([.,]\d+)?\s*", row.cells[title]) for row in table.rows)
    heads = [title[: gap.start()] for gap in re.finditer(r"[\s_(]+", title) if gap.start()]
    if _is_ambiguous(task, title) or (numbers and any(_is_ambiguous(task, head) for head in heads)):
        return [
            "several steps have a dimension of this name; write it with the step, as in step1.originality."
        ]
    names = {identity: identity for identity in identities(task)}
    names |= {display_name(task, identity): identity for identity in identities(task)}
    if alike := nearest(title, names, cutoff=0.8, key=fold):
        return [f"task {task.id} has no dimension of this name. Did you mean {names[alike[0]]!r}?"]
    if numbers:
        return [
            f"holds numbers, but task {task.id} has no dimension of this name. Name it like one, or take the "
            f"column out. {_LAYOUTS}"
        ]
    return []
