"""Which columns of a table hold what respondents wrote: long or wide, a step or an object a column."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from creaeval.data.response_builder import unknown_step
from creaeval.data.tables.columns import Columns, quote
from creaeval.data.tables.text_finder import MUCH_LONGER, TextFinder
from creaeval.data.tables.text_layout import TextColumn, shows_objects, step_called
from creaeval.data.tables.use_columns import UseFinder
from creaeval.data.words import words
from creaeval.errors import DataError, Problems
from creaeval.tasks import find_step, fold
from creaeval.wording import nearest

if TYPE_CHECKING:
    from creaeval.data.notes import Notes
    from creaeval.data.reading import Reading
    from creaeval.data.tables.table import Table
    from creaeval.data.tables.text_layout import TextLayout
    from creaeval.tasks import Step, Task

#: Words in a cell from which on it is a text rather than a name.
_PROSE = 4


def find_texts(table: Table, task: Task, reading: Reading, notes: Notes) -> TextLayout:
    """Find the columns of responses.

    Parameters
    ----------
    table : Table
        The table.
    task : Task
        What was answered.
    reading : Reading
        What somebody said of the columns.
    notes : Notes
        Takes what was found out.

    Returns
    -------
    TextLayout

    Raises
    ------
    DataError
        No column holds texts, or several could; a step's name that is not the task's.
    """
    columns = Columns(table, reading)
    problems = Problems()
    problems.extend(columns.missing())
    problems.stop()
    for title in columns.said("carry"):
        columns.put(title, "carry")
    rater = next(iter(columns.by_words("rater")), None) or next(iter(columns.said("rater")), None)
    rated = [title for role in ("rater", "dimension", "stage") for title in columns.by_words(role)[:1]]
    rated += [title for title in columns.by_words("score") if columns.profile(title).numeric > 0.5]
    for title in rated:
        if title not in columns.by_words("text") + columns.by_words("object"):
            columns.put(title, "carry")
    if shows_objects(task):
        return UseFinder(columns, task, notes, rated=bool(rated), rater=rater).find()
    finder = _WholeFinder(columns, task, notes, rated=bool(rated), rater=rater)
    return finder.steps() if len(task.steps) > 1 else finder.single()


class _WholeFinder(TextFinder):
    """Finds the columns of whole responses: of the steps of one, or of a task of one step."""

    def steps(self) -> TextLayout:
        """Find a column for each step, or for each item of one; or a column that names the step."""
        texts = self._step_columns()
        for text in texts:
            self._check_header(text.title)
            self.columns.put(text.title, "text")
        if not texts and (layout := self._step_by_row()) is not None:
            return layout
        if not texts:
            expected = ", ".join(step.id for step in self.task.steps)
            raise DataError(
                f"{self.table.where}: no column holds a step of task {self.task.id}. {self.columns.listed()} "
                f"Expected {expected}, or their names."
            )
        problems = Problems()
        problems.extend(self._misspelt())
        whole = [(text.step, text.title) for text in texts if text.number is None]
        problems.extend(
            f"{self.table.where}: {one} is there twice, as {earlier!r} and {title!r}. Say --columns "
            f"carry={quote(title)} if it is none."
            for position, (one, title) in enumerate(whole)
            for step, earlier in whole[:position]
            if step == one
        )
        problems.stop()
        id_column, participant = self.identity()
        return self.layout(texts, id_column, participant, scenario=self.columns.take("scenario"))

    def _check_header(self, title: str) -> None:
        """Refuse a column that names one step after the other, its title among them: that is no header."""
        steps = [
            step_called(self.task, cell) for cell in (title, *(row.cells[title] for row in self.table.rows))
        ]
        if len(steps) > 1 and all(steps) and len(set(steps)) == len(steps):
            raise DataError(
                f"{self.table.where}, row {self.table.header_row}: {title!r} names a step as the rows below "
                "do, so that this row is no header. Write the names of the columns above it, or say --read "
                "header=none."
            )

    def _step_columns(self) -> list[TextColumn]:
        found: list[TextColumn] = []
        for title in self.table.header:
            profile = self.columns.profile(title)
            numbers = profile.filled and profile.numeric >= 0.5 and find_step(self.task, title) is None
            if title in self.columns.said("carry") or numbers:
                continue  # numbers are what somebody gave a step
            step = step_called(self.task, title)
            if step:
                found.append(TextColumn(title, step))
            elif (item := self._item_of(title)) is not None:
                found.append(TextColumn(title, item[0].id, number=item[1]))
        return found

    def _item_of(self, title: str) -> tuple[Step, int] | None:
        """Read ``Challenge 3`` or ``Step 1 - 3`` as an item of a step."""
        match = re.fullmatch(r"(.*?)[\W_]*(\d{1,2})\W*", title)
        if match is None or not match[1]:
            return None
        for step in self.task.steps:
            if step.items is None:
                continue
            names = {fold(step.id), fold(step.name), fold(step.items.name), fold(f"{step.items.name}s")}
            names |= {fold(f"{step.id}{step.items.name}"), fold(f"{step.id} item")}
            if fold(match[1]) in names:
                return step, int(match[2])
        return None

    def _step_by_row(self) -> TextLayout | None:
        """Return the layout of a table with a row for each step."""
        called = self.columns.said("step") or [title for title in self.columns.free if fold(title) == "step"]
        for title in dict.fromkeys([*called, *([] if self.columns.said("step") else self.columns.free)]):
            cells = [row.cells[title] for row in self.table.rows if row.cells[title].strip()]
            if cells and all(step_called(self.task, cell, numbers=title in called) for cell in cells):
                self.columns.put(title, "step")
                id_column, participant = self.identity()
                scenario = self.columns.take("scenario")
                text = self.text_by_word() or self.longest(self.free_texts(), "text")
                return self.layout(
                    [TextColumn(text, "")], id_column, participant, scenario=scenario, step=title
                )
        return None

    def _misspelt(self) -> list[str]:
        """Name the columns that can only be meant as steps: carried along, their texts would be lost."""
        spellings = [fold(spelling) for step in self.task.steps for spelling in (step.id, step.name)]
        long = [spelling for spelling in spellings if len(spelling) > 8]
        problems = []
        for title in self.columns.free:
            if re.fullmatch(r"step\d+", fold(title)) or nearest(title, long, cutoff=0.85, key=fold):
                problems.append(
                    f"{self.table.where}, column {title!r}: {unknown_step(self.task, title)} If it is none, "
                    f"say --columns carry={quote(title)}."
                )
        return problems

    def single(self) -> TextLayout:
        """Find the only column of texts, such as stories."""
        step = self.task.steps[0]
        own = [title for title in self.table.header if find_step(self.task, title) is not None]
        said = self.columns.said("text")
        if said:
            text = said[0]
        elif own and self._is_text(own[0]):
            text = own[0]
            others = [title for title in (*own[1:], *self.columns.by_words("text")) if title != text]
            if others := [t for t in dict.fromkeys(others) if t in self.columns.free and self._is_text(t)]:
                raise self.columns.ambiguous("text", [text, *others])
        else:
            text = self.text_by_word() or ""
        if text:
            self.columns.put(text, "text")
        id_column, participant = self.identity()
        scenario = self.columns.take("scenario")
        if not text:
            prose = [title for title in self.free_texts() if self.columns.profile(title).words >= _PROSE]
            text = self.longest(prose, f"{self.task.noun}'s text")
        return self.layout([TextColumn(text, step.id)], id_column, participant, scenario=scenario)

    def _is_text(self, title: str) -> bool:
        """Whether a column called like the step holds texts, rather than ids of what was rated."""
        profile = self.columns.profile(title)
        longest = max(self.columns.profile(other).length for other in self.table.header)
        also_id = fold(title) in words().roles["id"] and profile.words < 2 and len(self.table.header) > 2
        return profile.length >= longest / MUCH_LONGER and not (also_id or (self.rated and profile.words < 2))
