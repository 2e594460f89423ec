"""What single columns of a table of ratings are, by their titles and cells: raters, dimensions, sums."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from creaeval.data.rating_builder import CATEGORY, INVALID, resolve_step
from creaeval.data.tables.columns import quote
from creaeval.data.tables.header import is_number
from creaeval.data.words import MISSING, words
from creaeval.tasks import display_name, find_part, fold, identities, resolve
from creaeval.wording import nearest

if TYPE_CHECKING:
    from creaeval.data.notes import Notes
    from creaeval.data.tables.columns import Columns
    from creaeval.tasks import Task

#: What stands behind a dimension's name where somebody wrote no score at all.
_NO_SCORES = frozenset({"score", "rating", "points", "comment", "comments", "note", "notes", "text", "value"})
LAYOUTS = (
    "Expected id, rater, dimension, score (one score a row); or id, rater and a column for each dimension; "
    "or id and columns such as Focus_A, Focus_B for raters A and B; or id, dimension and a column for each "
    "rater."
)
#: Share of cells that are points from which on the others are slips, to be said, and no other kind of thing.
MOST = 0.6
_CODES = frozenset({"-9", "-99", "-999", "9", "99", "999", "-1", "88", "-88", "77", "-77"})


class ScoreTitles:
    """Tells what a column is; ``has_texts``: the table also holds what was rated."""

    def __init__(self, columns: Columns, task: Task, notes: Notes, *, has_texts: bool) -> None:
        self.columns, self.task, self.notes, self.has_texts = columns, task, notes, has_texts
        self.table, self.reading = columns.table, columns.reading
        self.item: str | None = None
        #: Columns that sum others up, as was found.
        self.sums: list[str] = []

    @cached_property
    def only(self) -> str:
        """The identity of the only dimension of the task, or the one all was said to be of; else nothing."""
        if self.reading.dimension:
            step, part = resolve(self.task, self.reading.dimension)
            return f"{step.id}.{part}" if step is not None else part
        dimensions = [
            f"{step.id}.{dimension.id}" for step in self.task.steps for dimension in step.dimensions
        ]
        return dimensions[0] if len(dimensions) == 1 else ""

    @cached_property
    def known(self) -> set[str]:
        """The columns known to be no scores: age, time, remarks, sums, personal data, what was rated."""
        known = words()
        about = {*known.roles["object"], *known.roles["text"], *known.roles["participant"]}
        skipped = known.aside | about
        names = {title for title in self.columns.free if fold(title) in skipped and not self.is_part(title)}
        return names | set(self.columns.personal)

    def holds_numbers(self, title: str) -> bool:
        """Whether a column holds numbers, or the words that stand for points."""
        profile = self.columns.profile(title)
        levels = self.reading.levels
        if levels and profile.filled:
            missing = MISSING | set(self.reading.missing)
            cells = {row.cells[title].strip() for row in self.table.rows} - missing
            return sum(cell.casefold() in levels for cell in cells) > MOST * len(cells)
        return profile.filled > 0 and profile.numeric > MOST

    def part_name(self, title: str) -> str:
        """Return the name of a part, the only dimension's for another word for it."""
        if _is_part(self.task, title, self.item is not None) or not self._is_alias(title):
            return title
        self.say_alias(title, self.only)
        return self.only

    def say_alias(self, title: str, name: str) -> None:
        """Say that another word was taken for the only dimension."""
        if name == self.only and self._is_alias(title.split("_")[0]):
            self.notes.guess(
                f"{self.table.where}: {title!r} was read as {self.only}, the only dimension of task "
                f"{self.task.id}."
            )

    def _is_alias(self, title: str) -> bool:
        """Whether a name is a usual one of the only dimension there is."""
        name = fold(title)
        cut = len(name) > 3 and any(word.startswith(name) for word in words().dimensions)
        called = bool(self.only) and (name in words().dimensions or cut)
        return called and not _is_part(self.task, title, False) and not self.is_remark(title)

    def is_remark(self, title: str) -> bool:
        """Whether a column is called like remarks, and holds no points: ``note`` is a mark in French."""
        if title not in self.table.header or fold(title) not in words().comment:
            return False
        return not (self.fits_scale(title) if self.only else self.holds_numbers(title))

    def is_part(self, title: str) -> bool:
        """Whether a column is called like a dimension, sum or Overall, or tells of an item."""
        return _is_part(self.task, title, self.item is not None) or (
            self._is_alias(title) and fold(title) not in words().roles["score"]
        )

    def is_ambiguous(self, title: str) -> bool:
        """Whether several steps have something of this name."""
        return fold(title) == "overall" or any(find_part(step, title) is not None for step in self.task.steps)

    def split(self, title: str) -> list[tuple[str, str]]:
        """Split ``Focus_A`` or ``A - Focus`` into the dimension and the rater, in every way there is."""
        if _is_part(self.task, title, False):
            return []
        ways: list[tuple[str, str]] = []
        for gap in re.finditer(r"[\s_.:/(\[-]+", title):
            head, tail = title[: gap.start()].strip(), title[gap.end() :].strip(" )]")
            if not head or not tail:
                continue
            if _is_part(self.task, head, False) or self._is_alias(head):
                ways.append((self.only if self._is_alias(head) else head, tail))
            elif _is_part(self.task, tail, False) or self._is_alias(tail):
                ways.append((self.only if self._is_alias(tail) else tail, head))
        return list(dict.fromkeys(ways))

    def sums_up(self, title: str, person: str) -> bool:
        """Whether a column such as ``Focus_mean`` sums up others, which is said."""
        if fold(person) not in words().summary:
            return False
        self.notes.guess(f"{self.table.where}: {title!r} sums up others and is no rater.")
        self.columns.put(title, "carry")
        self.sums.append(title)
        return True

    def say_total(self, title: str) -> None:
        """Say what a column of sums was read as."""
        what = "the raters' own sum" if self.task.total != "none" else "a sum of others, and no score"
        self.notes.guess(f"{self.table.where}: {title!r} was read as {what}.")

    def check_rater(self, name: str, rater: str) -> list[str]:
        """Say what is wrong with the name of a rater in a title."""
        if fold(rater) in _NO_SCORES:
            return [f"{rater!r} is no name of a rater. Take the column out, or write the ratings one a row."]
        step, part = resolve(self.task, name)
        by_item = step is not None and part in {dimension.id for dimension in step.item_dimensions}
        if self.item is None and rater.isdigit() and by_item and step is not None:
            return [
                f"{rater} could be a rater or an item of {step.id}. Call raters R{rater}, say; scores of "
                "items need a column 'item'."
            ]
        return []

    def check_unused(self, title: str) -> list[str]:
        """Refuse a column that may hold scores: carried along they would be lost."""
        task = self.task
        numbers = self.holds_numbers(title)
        heads = [title[: gap.start()] for gap in re.finditer(r"[\s_(]+", title) if gap.start()]
        if self.is_ambiguous(title) or (numbers and any(map(self.is_ambiguous, heads))):
            return [
                "several steps have a dimension of this name; write it with the step, as in "
                "step1.originality."
            ]
        names = {identity: identity for identity in identities(task)}
        names |= {display_name(task, identity): identity for identity in identities(task)}
        carry = f"--columns carry={quote(title)}"
        if alike := nearest(title, names, cutoff=0.8, key=fold):
            return [
                f"task {task.id} has no dimension of this name. Did you mean {names[alike[0]]!r}? If it is "
                f"no score, say {carry}."
            ]
        if numbers:
            return [
                f"holds numbers, but task {task.id} has no dimension of this name. Name it like one, or say "
                f"{carry} if it holds no scores. {LAYOUTS}"
            ]
        return []

    def may_be_words(self, title: str) -> bool:
        """Whether a column called like a rater may hold words for points, or nothing yet."""
        plain = len(fold(re.sub(r"[\W\d_]+$", "", title))) > 1 or fold(title)[0] in "rj"
        return plain and not self.has_texts

    def fits_scale(self, title: str, share: float = 1.0) -> bool:
        """Whether a column holds numbers, all or a share of which are points, or codes of missing values."""
        step, part = resolve(self.task, self.only)
        scale = step.dimension(part).scale if step is not None else None
        missing = MISSING | set(self.reading.missing)
        cells = [row.cells[title].strip() for row in self.table.rows]
        given = [cell for cell in cells if cell not in missing]
        if self.reading.levels:
            points = sum(cell.casefold() in self.reading.levels for cell in given)
            return points > 0 and points >= share * len(given)
        if scale is None:
            return False
        given = [cell for cell in given if cell not in _CODES]
        points = sum(scale.min <= to_number(cell) <= scale.max for cell in filter(is_number, given))
        return points > 0 and points >= share * len(given)

    def misspelt_rater(self) -> str | None:
        """Return a column that is nearly called like one of raters, and has names."""
        for title in self.columns.free:
            near = nearest(title, words().roles["rater"], cutoff=0.85, key=fold)
            if near and self.columns.profile(title).filled and not self.holds_numbers(title):
                return title
        return None


def names_rater(title: str) -> bool:
    """Whether a title is that of a rater: ``R1``, ``Judge A``, ``评委2``."""
    match = re.fullmatch(r"(\D*?)[\W_]*(\d{1,3}|[A-Z]{1,2}|[A-Za-z]\w*)?", title)
    parts = re.fullmatch(r"(.*?)[\W_]*(\d{1,3})", title) or re.fullmatch(r"(.+?)[\W_]+(\w+)", title)
    if match is None or parts is None:
        return False
    word, tail = fold(parts[1]), parts[2]
    return word in words().raters and (len(word) > 1 or tail.isdigit())


def to_number(text: str) -> float:
    """Read a cell as a number, NaN if it is none."""
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return float("nan")


def _is_part(task: Task, title: str, by_items: bool) -> bool:
    head, _, tail = title.rpartition(".")
    try:
        if by_items and fold(tail) in {CATEGORY, INVALID}:
            resolve_step(task, head)
        else:
            resolve(task, title)
    except (KeyError, ValueError):
        return False
    return True


def is_rating_title(title: str, task: Task, *, only_scores: bool = False) -> bool:
    """Whether a title is known in a table of ratings: a rater, a dimension or, else, a role."""
    known, name = words(), fold(title)
    roles = ("rater", "score", "dimension") if only_scores else ("rater", "score", "dimension", "id", "stage")
    if any(name in known.roles[role] for role in roles) or names_rater(title):
        return True
    return (
        _is_part(task, title, False)
        or name in known.dimensions
        or (not only_scores and name in known.summary)
    )
