"""Read responses and ratings from the tables of a file, whatever its columns are called."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from creaeval.data.formats.aut_release import is_aut_table, read_aut_means
from creaeval.data.formats.cgpst_workbook import rater_sheets, read_rater_sheets
from creaeval.data.formats.ttcw_release import is_verdict_table, read_verdicts
from creaeval.data.ids import clean_name
from creaeval.data.notes import GuessRefusedError, Notes
from creaeval.data.rating_builder import RatingSource
from creaeval.data.response_builder import ResponseSource
from creaeval.data.tables.columns import TwoReadingsError
from creaeval.data.tables.header import find_table
from creaeval.data.tables.layouts import find_layout
from creaeval.data.tables.rating_rows import read_table_ratings
from creaeval.data.tables.rating_titles import is_rating_title
from creaeval.data.tables.response_rows import add_responses
from creaeval.data.tables.step_sheets import add_step_sheets, find_step_sheets
from creaeval.data.tables.text_layout import TextLayout, is_text_title
from creaeval.data.tables.texts import find_texts
from creaeval.data.tables.use_rows import Shared
from creaeval.data.words import tokens_of, words
from creaeval.errors import DataError, InputError, Problems
from creaeval.tasks import fold
from creaeval.wording import first_few

if TYPE_CHECKING:
    from collections.abc import Sequence

    from creaeval.data.grids.grid import Grid
    from creaeval.data.rating_builder import RatingBuilder
    from creaeval.data.reading import Reading
    from creaeval.data.response_builder import Located
    from creaeval.data.tables.layouts import Layout
    from creaeval.data.tables.table import Table
    from creaeval.tasks import Scenario, Task

RESPONSES, RATINGS = "responses", "ratings"
_FIRST_ROWS = 10  # among which a sheet's titles are looked for
_LONGEST_TITLE = 1000  # of characters; a longer cell is a text
_A_NAME = 4  # words of a cell from which on it is a text


@dataclass
class Kept:
    """What was read so far, what is wrong with it, and the scenarios that booklets bring, by response id."""

    problems: Problems = field(default_factory=Problems)
    located: list[Located] = field(default_factory=list)
    builders: list[RatingBuilder] = field(default_factory=list)
    scenarios: dict[str, Scenario] = field(default_factory=dict)

    def add(self, source: ResponseSource | RatingSource) -> None:
        """Take what a file or a sheet held."""
        self.problems.extend(source.problems)
        if isinstance(source, ResponseSource):
            self.located += source.responses
            self.scenarios |= source.scenarios
        else:
            self.builders += source.builders


class TableReader:
    """Reads the tables of one file after the other.

    ``want`` has ``"responses"``, ``"ratings"`` or both; ``kept`` takes what was found of either.
    """

    def __init__(self, task: Task, reading: Reading, want: Sequence[str], notes: Notes, kept: Kept) -> None:
        self.task, self.reading, self.want = task, reading, want
        self.notes, self.kept = notes, kept
        self.shared = Shared()
        self._known: dict[str, bool] = {}

    def read(self, grids: Sequence[Grid]) -> None:
        """Read the sheets of a file: those that hold what is looked for. DataError with what is wrong."""
        in_book = grids[0].sheet is not None and RATINGS in self.want
        if in_book and (sheets := rater_sheets(grids, self.task, self._is_table_of_ratings)):
            source = RatingSource(self.task, grids[0].path, self.reading)
            read_rater_sheets(sheets, source)
            self.kept.add(source)
            return
        shown, hidden = self._shown(grids)
        if RESPONSES in self.want and (steps := find_step_sheets(shown, self.task)):
            if others := [grid.sheet or "" for grid in shown if grid not in steps]:
                self.notes.skip(
                    f"{grids[0].path}: not read, since the others are steps: {first_few(others)}."
                )
            booklets = ResponseSource(self.task, grids[0].path, self.notes)
            tables = [find_table(grid, self.is_known, self.reading, self.notes) for grid in steps]
            add_step_sheets(tables, booklets, self.reading)
            self.kept.add(booklets)
            return
        self.shared.sheets = len(shown)
        failed = self._read_each(shown)
        if len(failed) == len(shown):
            problems = [problem for error in failed.values() for problem in error.problems]
            if hidden:
                name = f"{grids[0].path.name}#{hidden[0]}"
                problems.append(f"{grids[0].path}: its hidden sheets were not read; name one as {name}.")
            raise DataError(problems[0], problems[1:])
        for sheet, error in failed.items():
            self.notes.skip(f"{grids[0].path}: the sheet {sheet!r} is not read: {error.problems[0]}")

    def _shown(self, grids: Sequence[Grid]) -> tuple[list[Grid], list[str]]:
        """Return the sheets that can be seen, and the names of the others; DataError if there are none."""
        path = grids[0].path
        shown = [grid for grid in grids if not grid.hidden or len(grids) == 1]
        if not shown:
            raise DataError(
                f"{path}: all sheets are hidden, of {', '.join(map(str, grids))}. Show one, or name it as "
                f"{path.name}#{grids[0].sheet}."
            )
        hidden = [grid.sheet or "" for grid in grids if grid not in shown]
        if hidden:
            self.notes.skip(f"{path}: hidden sheets are not read: {first_few(hidden)}.")
        beside = [grid for grid in shown if fold(grid.sheet or "") in words().beside]
        if beside and len(beside) < len(shown):
            names = first_few([grid.sheet or "" for grid in beside])
            self.notes.skip(f"{path}: sheets that tell of the data are not read: {names}.")
            shown = [grid for grid in shown if grid not in beside]
        return shown, hidden

    def _read_each(self, shown: Sequence[Grid]) -> dict[str, InputError]:
        """Read the sheets one by one, and return why some could not be; notes about data are passed over."""
        failed: dict[str, InputError] = {}
        known = {grid.sheet: self.knows(grid) if len(shown) > 1 else 0 for grid in shown}
        for grid in shown:
            if known[grid.sheet] * 2 < max(known.values()):
                self.notes.skip(f"{grid.where}: not read, since its titles are not those of such a table.")
                continue
            try:
                self._read_grid(grid)
            except InputError as error:
                failed[grid.sheet or ""] = error
        return failed

    def knows(self, grid: Grid) -> int:
        """Count the titles of a sheet that mean something, in the row that has most of them."""
        rows = [grid.rows[number - 1] for number in grid.filled()[:_FIRST_ROWS]]
        return max((sum(self.is_known(clean_name(text)) for text in row) for row in rows), default=0)

    def _is_table_of_ratings(self, grid: Grid) -> bool:
        try:
            table = find_table(grid, self.is_known, self.reading, Notes())
            find_layout(table, self.task, self.reading, Notes())
        except InputError:
            return False
        return True

    def is_known(self, title: str) -> bool:
        """Whether a title means something in a table of responses or ratings, or was named."""
        if title not in self._known:
            said = {name for titles in self.reading.columns.values() for name in titles}
            short = len(title) <= _LONGEST_TITLE
            called = short and (is_text_title(title, self.task) or is_rating_title(title, self.task))
            self._known[title] = title in said or called
        return self._known[title]

    def _read_grid(self, grid: Grid) -> None:
        table = find_table(grid, self.is_known, self.reading, self.notes)
        if is_aut_table(table.header):
            self._read_released(table, read_aut_means)
            return
        if is_verdict_table(table.header) and "rater" in table.header:
            source = RatingSource(self.task, table.path, self.reading)
            read_verdicts(table, source, scorer="rater", blank_is_no=self.reading.blank_is_no)
            self.kept.add(source)
            return
        self._read_table(table)

    def _read_released(self, table: Table, read_means: Any) -> None:
        """Read the table of released uses, in which mean ratings and predictions stand."""
        if RESPONSES in self.want:
            responses = ResponseSource(self.task, table.path, self.notes)
            layout = find_texts(table, self.task, self.reading, self.notes)
            add_responses(table, layout, responses, self.reading, self.shared)
            self.kept.add(responses)
        if RATINGS in self.want:
            ratings = RatingSource(self.task, table.path, self.reading)
            read_means(table, ratings)
            self.kept.add(ratings)

    def _read_table(self, table: Table) -> None:
        """Read responses, ratings or both from a table; DataError if it holds neither."""
        texts, no_texts = self._find_texts(table)
        if texts is not None and self.want == (RATINGS,) and self._are_raters(texts):
            texts = None
        found = Notes(strict=self.notes.strict and RATINGS in self.want)
        layout, no_layout = self._find_layout(table, [] if texts is None else texts.used, found)
        if (texts is None or RESPONSES not in self.want) and (layout is None or RATINGS not in self.want):
            raise self._neither(table, no_texts, no_layout)
        one_text = texts is not None and len(texts.columns) == 1
        if isinstance(no_layout, GuessRefusedError) and RATINGS in self.want and one_text:
            raise no_layout
        if no_layout is not None and RATINGS in self.want and one_text and self._seems_rated(table):
            self.notes.say(f"Ratings beside the texts are not read: {no_layout.problems[0]}")
        if no_texts is not None and RESPONSES in self.want and self._seems_written(table):
            self.notes.say(f"Texts beside the ratings are not read: {no_texts.problems[0]}")
        ids: dict[int, list[str]] = {}
        if texts is not None:
            source = ResponseSource(self.task, table.path, self.notes if RESPONSES in self.want else Notes())
            ids = add_responses(table, _without(texts, layout), source, self.reading, self.shared)
            if RESPONSES in self.want:
                self.kept.add(source)
        if layout is not None and RATINGS not in self.want:
            people = list(dict.fromkeys(c.rater.text or c.rater.title or "" for c in layout.scores))
            self.notes.say(
                f"{table.where}: ratings stand in it, too ({first_few(people)}); --ratings with this file "
                "shows them beside the scores."
            )
        if layout is not None and RATINGS in self.want:
            ratings = RatingSource(self.task, table.path, self.reading)
            read_table_ratings(table, layout, ratings, ids)
            if ratings.builders or texts is None or RESPONSES not in self.want:
                self.kept.add(ratings)
                self.notes.add(found)

    def _seems_rated(self, table: Table) -> bool:
        """Whether titles are those of raters or scores, or a part of them is, as in ``originality_R1``."""
        titles = [title for title in table.header if len(title) <= _LONGEST_TITLE]
        return any(is_rating_title(title, self.task, only_scores=True) for title in table.header) or any(
            words().dimensions & tokens_of(title) for title in titles if re.search(r"[\W_]", title)
        )

    def _seems_written(self, table: Table) -> bool:
        """Whether a column that is called like a text holds one."""
        titles = [title for title in table.header if fold(title) in words().roles["text"]]
        return any(len(row.cells[title].split()) > _A_NAME for title in titles for row in table.rows)

    def _are_raters(self, texts: TextLayout) -> bool:
        """Whether what seems to be texts are words that raters wrote for points."""
        return all(is_rating_title(column.title, self.task, only_scores=True) for column in texts.columns)

    def _find_texts(self, table: Table) -> tuple[TextLayout | None, InputError | None]:
        notes = self.notes if RESPONSES in self.want else Notes()
        try:
            return find_texts(table, self.task, self.reading, notes), None
        except InputError as error:
            return None, error

    def _find_layout(
        self, table: Table, used: Sequence[str], notes: Notes
    ) -> tuple[Layout | None, InputError | None]:
        try:
            return find_layout(table, self.task, self.reading, notes, used=used), None
        except InputError as error:
            return None, error

    def _neither(self, table: Table, no_texts: InputError | None, no_layout: InputError | None) -> InputError:
        refused = [error for error in (no_texts, no_layout) if isinstance(error, GuessRefusedError)]
        if refused:
            return refused[0]
        rated = self._seems_rated(table)
        if self.want == (RESPONSES,) or (RATINGS not in self.want) or (no_layout is None):
            return no_texts or DataError(f"{table.where}: holds ratings, expected responses.")
        two_readings = isinstance(no_texts, TwoReadingsError)
        if self.want == (RATINGS,) or (rated and not two_readings) or no_texts is None:
            return no_layout
        return no_texts


def _without(texts: TextLayout, layout: Layout | None) -> TextLayout:
    """Take the columns of ratings out of what responses carry."""
    if layout is None:
        return texts
    scores = {column.title for column in layout.scores}
    named = {c.rater.title for c in layout.scores} | {c.dimension.title for c in layout.scores}
    gone = scores | named | {layout.stage, layout.item}
    return replace(texts, carried=tuple(title for title in texts.carried if title not in gone))
