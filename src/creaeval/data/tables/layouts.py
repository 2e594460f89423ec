"""The layouts a table of ratings can have: long, or a column a rater, a dimension or both, or a response."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from creaeval.data.tables.columns import Columns, named, quote
from creaeval.data.tables.rating_titles import LAYOUTS, MOST, ScoreTitles, names_rater, to_number
from creaeval.data.words import MISSING, tokens_of, words
from creaeval.errors import DataError, Problems
from creaeval.tasks import fold

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from creaeval.data.notes import Notes
    from creaeval.data.reading import Reading
    from creaeval.data.tables.table import Table
    from creaeval.tasks import Task

#: What the means of raters are called, which are read where their own scores are not there.
_MEANS = frozenset({"mean", "humanmean", "meanrating", "humanmeanrating"})


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
    """The scores each row holds.

    ``item`` and ``stage`` are columns; ``metadata`` those that belong to the rating as a whole.
    """

    scores: tuple[ScoreColumn, ...]
    item: str | None
    stage: str | None
    metadata: tuple[str, ...] = ()


def find_layout(
    table: Table,
    task: Task,
    reading: Reading,
    notes: Notes,
    *,
    used: Iterable[str] = (),
    rater_names: Sequence[str] = (),
    stage: str = "stage",
) -> Layout:
    """Find out how ratings stand in a table.

    Parameters
    ----------
    table : Table
        The table.
    task : Task
        What was rated.
    reading : Reading
        What somebody said of the columns.
    notes : Notes
        Takes what was found out.
    used : iterable of str
        Columns that are known to hold what was rated, such as the texts.
    rater_names : sequence of str
        What else the column of raters may be called, such as ``judge``, before all others.
    stage : str
        What the column is called that tells apart what one rater gave one response at several times.

    Returns
    -------
    Layout

    Raises
    ------
    DataError
        No column holds scores; it cannot be told whose they are or of which dimension; a column may hold
        scores that would be lost.
    """
    columns = Columns(table, reading)
    problems = Problems()
    problems.extend(columns.missing())
    problems.stop()
    return _Finder(columns, task, notes, used, rater_names, stage).find()


class _Finder(ScoreTitles):
    """Takes the columns of a table one after the other."""

    def __init__(
        self,
        columns: Columns,
        task: Task,
        notes: Notes,
        used: Iterable[str],
        rater_names: Sequence[str],
        stage: str,
    ) -> None:
        super().__init__(columns, task, notes, has_texts=bool(tuple(used)))
        for title in (*used, *columns.said("carry"), *columns.said("text")):
            if title in self.table.header:
                columns.put(title, "carry")
        self.rater = self._named(rater_names, "rater") or columns.take("rater")
        self.dimension = self._take_dimension()
        self.stage = self._named([stage], "stage") or (columns.take("stage") if stage == "stage" else None)
        self.item = self._take_item()
        said = columns.said("score")
        self.said_scores = said if len(said) > 1 else []
        self.score = None if self.said_scores else self._take_score()
        self.id = self._take_id(self.has_texts)

    def _named(self, names: Sequence[str], role: str) -> str | None:
        if self.columns.said(role):
            return None
        for name in names:
            for title in self.columns.free:
                if fold(title) == fold(name):
                    self.columns.put(title, role)
                    return title
        return None

    def _take_dimension(self) -> str | None:
        """Take the column of dimensions; one that names none of the task's, such as scale, is none."""
        if self.columns.said("dimension"):
            return self.columns.take("dimension")
        ranks = words().roles["dimension"]
        for title in self.columns.by_words("dimension"):
            cells = {row.cells[title].strip() for row in self.table.rows} - {""}
            if ranks.get(fold(title), 99) < 2 or any(map(self.is_part, cells)):
                self.columns.put(title, "dimension")
                return title
        return None

    def _take_item(self) -> str | None:
        """Take the column of items' numbers; one of another meaning, such as an object, has no numbers."""
        titles = self.columns.said("item") or [t for t in self.columns.free if fold(t) == "item"]
        if titles and (self.columns.said("item") or self.columns.profile(titles[0]).numeric > 0.5):
            self.columns.put(titles[0], "item")
            return titles[0]
        return None

    def _take_score(self) -> str | None:
        if self.columns.said("score"):
            return self.columns.take("score")
        # What is called like a dimension is of that dimension.
        found = [title for title in self.columns.by_words("score") if not self.is_part(title)]
        found = [title for title in found if not self.is_remark(title)]
        if not found:
            return None
        self.columns.put(found[0], "score")
        return found[0]

    def _take_id(self, has_texts: bool) -> str | None:
        """Take the column that says what was rated: an id, a team or another name; by content the first."""
        for role in ("id", "participant"):
            found = self.columns.said(role) or [
                title for title in self.columns.by_words(role) if not names_rater(title)
            ]
            if found and (role == "id" or self._tells_apart(found[0])):
                self.columns.put(found[0], "id")
                return found[0]
        first = self.table.header[0]
        if has_texts or first not in self.columns.free or self.rater == first or self.is_part(first):
            return None
        profile = self.columns.profile(first)
        repeats = self.rater is not None or self.dimension is not None
        if profile.filled == len(self.table.rows) and (profile.unique or repeats) and not names_rater(first):
            self._check_orientation(first)
            self.notes.guess(f"{self.table.where}: the column {first!r} was read as what was rated.")
            self.columns.put(first, "id")
            return first
        return None

    def _tells_apart(self, title: str) -> bool:
        """Whether a column of participants says which response is meant: long or one row each."""
        return self.columns.profile(title).unique or self.rater is not None or self.dimension is not None

    def _check_orientation(self, first: str) -> None:
        """Refuse a matrix whose rows could be raters as well as responses."""
        columns = [title for title in self.table.header if title != first]
        alike = [title for title in columns if names_rater(title)]
        if self.rater is None and len(columns) > len(self.table.rows) and len(alike) == len(columns):
            raise DataError(
                f"{self.table.where}: the rows could be responses and the columns {named(columns)} raters, "
                f"or the other way round. Call the first column id where rows are responses, rater where "
                f"they are raters, or say --columns id={quote(first)} or --columns rater={quote(first)}."
            )

    def find(self) -> Layout:
        """Return the layout."""
        if self.id is None and self.rater is not None and self.score is None and self._other_numbers():
            return self._raters_in_rows()
        if self.id is None and not self.has_texts:
            for title in filter(self.is_part, self.columns.free):
                self.columns.put(title, "score")
            raise self.columns.none_found("id", "what was rated")
        response = Origin(self.id)
        if self.score is not None and not self._score_columns():
            return self._long(response)
        if self.score is not None and self.rater is None and self.only:
            # Beside columns of raters it is one that sums them up, or a rater's.
            del self.columns.taken[self.score]
            self.score = None
        if self.dimension is not None and not self.score:
            return self._raters_in_columns(response)
        by_parts = self._dimensions_in_columns(response)
        return by_parts or self._one_dimension(response)

    def _score_columns(self) -> list[str]:
        """Return the columns called like a dimension, or a rater of one, beside one called like a score."""
        free = [title for title in self.columns.free if title not in self.known]
        return [t for t in free if self.is_part(t) or self.split(t) or (self.only and names_rater(t))]

    def _long(self, response: Origin) -> Layout:
        if self.dimension is None and not self.only:
            raise DataError(
                f"{self.table.where}: no column 'dimension', and task {self.task.id} has several. "
                f"{self.columns.listed()} Say --columns dimension=COLUMN, or --read dimension=NAME where all "
                f"are of one. {LAYOUTS}"
            )
        dimension = Origin(self.dimension) if self.dimension is not None else Origin(None, self.only)
        column = ScoreColumn(response, self._rater_origin(), dimension, self.score or "")
        return self._layout([column])

    def _rater_origin(self) -> Origin:
        """Return where the rater is named: in a column, by somebody, or by the name of the sheet or file."""
        if self.rater is not None:
            return Origin(self.rater)
        if self.reading.rater:
            return Origin(None, self.reading.rater)
        if near := self.misspelt_rater():
            self.notes.guess(f"{self.table.where}: the column {near!r} was read as the rater.")
            self.columns.put(near, "rater")
            self.rater = near
            return Origin(near)
        name = self.table.sheet or self.table.path.stem
        kind = "file" if self.table.sheet is None else "sheet"
        self.notes.guess(
            f"{self.table.where}: no column names the rater, so the rater is {name!r}, as the {kind}; "
            "--columns rater=COLUMN or --read rater=NAME says otherwise."
        )
        return Origin(None, name)

    def _raters_in_columns(self, response: Origin) -> Layout:
        """Return the layout with a dimension a row and a column a rater."""
        titles = self.said_scores or [title for title in self.columns.free if title not in self.known]
        if not self.said_scores:
            titles = [t for t in titles if self.holds_numbers(t) and not self.sums_up(t, t)]
        if self.rater is not None or not titles:
            raise DataError(
                f"{self.table.where}: no column 'score'. {self.columns.listed()} Say --columns score=COLUMN. "
                f"{LAYOUTS}"
            )
        columns = [ScoreColumn(response, Origin(None, t), Origin(self.dimension), t) for t in titles]
        return self._layout(columns)

    def _raters_in_rows(self) -> Layout:
        dimension = Origin(self.dimension) if self.dimension else Origin(None, self.only)
        titles = self._other_numbers()
        if not dimension.title and not dimension.text:
            raise DataError(
                f"{self.table.where}: no column 'id'. The rows seem to be raters and the columns "
                f"{', '.join(titles)[:200]} responses, but no column says which dimension of task "
                f"{self.task.id} was rated. Add a column 'dimension', or say --read dimension=NAME."
            )
        return self._layout(
            [ScoreColumn(Origin(None, title), Origin(self.rater), dimension, title) for title in titles]
        )

    def _other_numbers(self) -> list[str]:
        """Return the columns of numbers that have no meaning of their own, such as a response each."""
        free = [title for title in self.columns.free if title not in self.known]
        if any(self.is_part(title) or self.is_ambiguous(title) for title in free):
            return []
        return [title for title in free if self.holds_numbers(title)]

    def _dimensions_in_columns(self, response: Origin) -> Layout | None:
        """Return the layout with a column a dimension, for each rater or all; None if none is called so."""
        problems = Problems()
        columns: list[ScoreColumn] = []
        whole: list[str] = []
        for title in self.said_scores or self.columns.free:
            if self.is_part(title):
                whole += self._part_of_all(title)
            elif title not in self.columns.personal and self.rater is None:
                columns += self._part_by_rater(title, response, problems)
        if whole and not (columns and self.only):
            rater = self._rater_origin()
            columns += [ScoreColumn(response, rater, Origin(None, self.part_name(t)), t) for t in whole]
        if columns:
            read = {column.title for column in columns} | self.known
            for title in [title for title in self.columns.free if title not in read]:
                where = f"{self.table.where}, column {title!r}"
                problems.extend(f"{where}: {problem}" for problem in self.check_unused(title))
        problems.stop()
        return self._layout(columns) if columns else None

    def _part_of_all(self, title: str) -> list[str]:
        """Return the column, unless it holds sums in a task that has none."""
        if fold(title) not in words().summary:
            return [title]
        self.say_total(title)
        return [title] if self.task.total != "none" else []

    def _part_by_rater(self, title: str, response: Origin, problems: Problems) -> list[ScoreColumn]:
        """Return a column such as ``Focus_A`` with dimension and rater; none where it is no such column."""
        where, readings = f"{self.table.where}, column {title!r}", self.split(title)
        if len(readings) > 1:
            ways = " or ".join(f"{name} by {person!r}" for name, person in readings)
            problems.add(f"{where}: could be {ways}. Give the ratings one a row. {LAYOUTS}")
        if len(readings) != 1 or self.sums_up(title, readings[0][1]):
            return []
        name, person = readings[0]
        problems.extend(f"{where}: {problem}" for problem in self.check_rater(name, person))
        self.say_alias(title, name)
        return [ScoreColumn(response, Origin(None, person), Origin(None, name), title)]

    def _counts_rows(self, title: str) -> bool:
        """Whether the numbers of a column go up from row to row, as those of rows do."""
        cells = [row.cells[title].strip() for row in self.table.rows]
        numbers = [to_number(cell) for cell in cells if cell not in MISSING]
        return len(numbers) > 2 and all(one < other for one, other in pairwise(numbers))

    def _may_be_person(self, title: str) -> bool:
        """Whether a title is like a person's name, or one that was there twice (pandas writes R1.1)."""
        again = title.rpartition(".")[0] in self.table.header
        return again or (title.istitle() and title.isalpha())

    def _one_dimension(self, response: Origin) -> Layout:
        """Return the layout with a column for each rater, of a task with one dimension to rate."""
        if not self.only or self.rater is not None:
            raise self._no_scores()
        raters = self._rater_columns()
        if not raters:
            raise self._no_scores()
        dimension = Origin(None, self.only)
        return self._layout([ScoreColumn(response, Origin(None, t), dimension, t) for t in raters])

    def _rater_columns(self) -> list[str]:
        """Return the columns of raters: those that are called so, else all of numbers on the scale."""
        if self.said_scores:
            return self.said_scores
        free = [title for title in self.columns.free if title not in self.known and not self.is_part(title)]
        called = [t for t in free if names_rater(t) and (self.holds_numbers(t) or self.may_be_words(t))]
        free = [t for t in free if t in called or not words().aside & tokens_of(t)]
        others = [title for title in free if title not in called and self.fits_scale(title)]
        if called or others:
            # A slip is no reason to lose all that a rater gave; numbers that count rows are no points.
            slips = [t for t in free if self.fits_scale(t, share=MOST) and not self._counts_rows(t)]
            slips = [t for t in slips if not self.has_texts or self._may_be_person(t)]
            others = [title for title in free if title in others or (title in slips and title not in called)]
        if self.has_texts and not called and len(others) < 2:
            others = []  # one number beside a text may be anything
        if called and (others := [title for title in others if self._may_be_person(title)]):
            raise DataError(
                f"{self.table.where}: the columns {named(called)} hold scores by their names; "
                f"{named(others)} could be a rater's, too, or something else. Say --columns "
                f"{','.join(f'score={quote(t)}' for t in [*called, *others][:3])} … if it is a rater's, or "
                f"--columns carry={quote(others[0])} if not."
            )
        if called:
            return called
        if others:
            self.notes.guess(
                f"{self.table.where}: the columns {named(others)} hold points, so they were read as raters "
                "of these names."
            )
            return others
        means = {"humanmean", "humanmeanrating"} if self.has_texts else _MEANS
        summed = [title for title in self.columns.free if fold(title) in means and self.holds_numbers(title)]
        if summed:
            self.notes.guess(
                f"{self.table.where}: {summed[0]!r} was read as scores, of a rater of this name."
            )
        return summed[:1]

    def _no_scores(self) -> DataError:
        ambiguous = [title for title in self.columns.free if self.is_ambiguous(title)]
        if ambiguous:
            return DataError(
                f"{self.table.where}, column {ambiguous[0]!r}: several steps have a dimension of this name; "
                "write it with the step, as in step1.originality."
            )
        raters = [t for t in self.columns.free if names_rater(t) and self.holds_numbers(t)]
        if raters and not self.only and self.dimension is None:
            return DataError(
                f"{self.table.where}: the columns {named(raters)} seem to be raters, but no column says "
                f"which dimension of task {self.task.id} was rated. Say --columns dimension=COLUMN, or "
                f"--read dimension=NAME where all are of one. {LAYOUTS}"
            )
        problems = Problems()
        for title in self.columns.free:
            if title not in self.known:
                where = f"{self.table.where}, column {title!r}"
                problems.extend(f"{where}: {problem}" for problem in self.check_unused(title))
        if problems:
            first, *others = problems
            return DataError(first, others)
        if self.sums:
            return DataError(
                f"{self.table.where}: {named(self.sums)} sums up scores of raters, and no column holds "
                f"those. If it is a rater's, say --columns score={quote(self.sums[0])}. {LAYOUTS}"
            )
        return DataError(
            f"{self.table.where}: no column holds scores: none is called score, like a dimension of task "
            f"{self.task.id} or like a rater. {self.columns.listed()} Say --columns score=COLUMN, with "
            f"several columns score=ONE,score=OTHER. {LAYOUTS}"
        )

    def _layout(self, columns: Sequence[ScoreColumn]) -> Layout:
        read = {column.title for column in columns}
        roles = {title for titles in words().roles.values() for title in titles} | words().summary
        numbers = [t for t in self.columns.free if t not in read and fold(t) not in roles]
        numbers = [t for t in numbers if t not in self.columns.personal and self.holds_numbers(t)]
        if numbers and not self.has_texts:
            self.notes.say(f"{self.table.where}: carried along, not read as scores: {named(numbers)}.")
        own = {self.id, self.rater, self.dimension, self.item, self.stage}
        left = [
            title
            for title in self.columns.free
            if fold(title) in words().summary and title not in read and self.holds_numbers(title)
        ]
        if left:
            self.notes.guess(f"{self.table.where}: {named(left)} sums up others and is no rater.")
        personal = self.columns.personal
        metadata = [
            title
            for title in self.table.header
            if title not in read | own and title not in left and title not in personal
        ]
        return Layout(tuple(columns), self.item, self.stage, tuple(metadata))
