"""What finding columns of texts has in common: the text by its title or its length, who wrote it, its id."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from creaeval.data.tables.text_layout import TextLayout
from creaeval.data.words import words
from creaeval.tasks import fold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from creaeval.data.notes import Notes
    from creaeval.data.tables.columns import Columns
    from creaeval.data.tables.text_layout import TextColumn
    from creaeval.tasks import Task

#: How much longer the cells of one column must be for it to be the text beyond doubt.
MUCH_LONGER = 3
#: The most different values by which a column can say which object was shown.
_MOST_OBJECTS = 30


class TextFinder:
    """Takes the columns of a table one after the other.

    ``rated``: there are columns that only a table of ratings has; ``rater`` is the one that names them.
    """

    def __init__(self, columns: Columns, task: Task, notes: Notes, *, rated: bool, rater: str | None) -> None:
        self.columns, self.task, self.notes = columns, task, notes
        self.rated, self.rater = rated, rater
        self.table = columns.table

    def text_by_word(self) -> str | None:
        """Return the column that is called like a text; DataError if others may as well be it."""
        called = self.columns.by_words("text")
        found = [title for title in called if self._may_be_text(title)]
        if not found:
            return next((title for title in called if not self.columns.profile(title).filled), None)
        first = found[0]
        if alike := [title for title in found[1:] if fold(title) == fold(first)]:
            raise self.columns.ambiguous("text", [first, *alike])
        standard = words().roles["text"].get(fold(first), 99) < 2
        others = [t for t in self.columns.free if t != first and self._is_like(t, first, found)]
        if not others or (standard and not any(fold(t.rpartition(".")[0]) == fold(first) for t in others)):
            return first
        return self.longest([first, *others], f"{self.task.noun}'s text")

    def _may_be_text(self, title: str) -> bool:
        """Whether a column called like a text is one: numbers are only where the title leaves no doubt."""
        profile = self.columns.profile(title)
        return profile.filled > 0 and (
            profile.numeric < 0.5 or words().roles["text"].get(fold(title), 99) < 2
        )

    def _is_like(self, title: str, first: str, found: Sequence[str]) -> bool:
        """Whether another column may as well hold the texts: by its title, or one that shares its words."""
        tokens = {fold(token) for token in re.split(r"[\W_\d]+", title)} - {""}
        shared = bool(tokens & {fold(token) for token in re.split(r"[\W_\d]+", first)})
        one, other = self.columns.profile(first), self.columns.profile(title)
        alike = other.texts and other.length * MUCH_LONGER > one.length and other.distinct * 2 > one.distinct
        return (title in found or shared) and title not in self.columns.personal and alike

    def free_texts(self) -> list[str]:
        """Return the columns that may hold texts: not taken, no personal data, no remarks, no numbers."""
        known = words()
        return [
            title
            for title in self.columns.free
            if title not in self.columns.personal
            and fold(title) not in known.aside
            and fold(re.split(r"[\W_]+", title)[-1]) not in known.comment
            and (self.columns.profile(title).texts or not self.columns.profile(title).filled)
        ]

    def may_be_object(self, title: str) -> bool:
        """Whether few short values stand in many rows each."""
        profile, rows = self.columns.profile(title), len(self.table.rows)
        few = 1 < profile.distinct <= min(_MOST_OBJECTS, max(2, rows / 3))
        named = profile.texts or bool(self.table.labels.get(title))
        return named and few and profile.words <= 3 and profile.filled >= rows * 0.9

    def longest(self, titles: Sequence[str], role: str) -> str:
        """Return the column whose cells are much longer than all others'; DataError if there is none."""
        if not titles:
            raise self.columns.none_found("text", "what people wrote")
        ranked = sorted(titles, key=lambda title: -self.columns.profile(title).length)
        if len(ranked) > 1 and not self._much_more(ranked[0], ranked[1]):
            raise self.columns.ambiguous("text", ranked, f" ({role})")
        if len(titles) > 1 or not self.columns.by_words("text"):
            self.notes.guess(f"{self.table.where}: the column {ranked[0]!r} was read as the {role}.")
        self.columns.put(ranked[0], "text")
        return ranked[0]

    def _much_more(self, first: str, second: str) -> bool:
        one, other = self.columns.profile(first), self.columns.profile(second)
        return one.length >= MUCH_LONGER * other.length or (
            one.length > other.length and one.distinct >= MUCH_LONGER * other.distinct
        )

    def identity(self) -> tuple[str | None, str | None]:
        """Take the columns of the response's id and of who wrote it."""
        id_column = self.columns.take("id")
        if id_column is None:
            id_column = self._id_by_content()
        said = self.columns.said("participant")
        if said:
            self.columns.put(said[0], "participant")
            return (None if id_column == said[0] else id_column), said[0]
        found = self.columns.by_words("participant")
        participant = next((t for t in found if t not in self.columns.personal), found[0] if found else None)
        if participant is None and id_column is None:
            participant = self._participant_by_content()
        if participant is not None:
            self.columns.put(participant, "participant")
        return id_column, participant

    def _participant_by_content(self) -> str | None:
        """Return a column of short values that stand in several rows each, one after the other."""
        rows = self.table.rows
        known = words().aside
        for title in self.columns.free:
            profile = self.columns.profile(title)
            short = profile.filled == len(rows) and profile.words < 2 and profile.length < 20
            if not short or not 1 < profile.distinct < len(rows) or fold(title) in known:
                continue
            cells = [row.cells[title] for row in rows]
            blocks = 1 + sum(one != other for one, other in pairwise(cells))
            if blocks == profile.distinct and title not in self.columns.personal and blocks * 2 <= len(rows):
                if self.may_be_object(title) and not profile.numeric:
                    continue
                self.notes.guess(f"{self.table.where}: the column {title!r} was read as the participant.")
                return title
        return None

    def _id_by_content(self) -> str | None:
        """Return the first column as the id, where it holds another short value in every row."""
        first = self.table.header[0]
        if self.columns.by_words("participant") or self.columns.said("participant"):
            return None
        free = first in self.columns.free and first not in self.columns.personal
        cells = [row.cells[first] for row in self.table.rows]
        codes = sum(any(map(str.isdigit, cell)) for cell in cells) * 2 >= len(cells)
        profile = self.columns.profile(first)
        short = profile.words <= (5 if codes or self.task.batching is None else 1)
        if free and profile.unique and short:
            self.notes.guess(f"{self.table.where}: the column {first!r} was read as the id.")
            self.columns.put(first, "id")
            return first
        return None

    def layout(
        self,
        texts: Sequence[TextColumn],
        id_column: str | None,
        participant: str | None,
        *,
        object_column: str | None = None,
        scenario: str | None = None,
        step: str | None = None,
        wide: bool = False,
    ) -> TextLayout:
        """Return the layout; people's names are left out where something else tells who wrote what."""
        personal = {t: kind for t, kind in self.columns.personal.items() if t not in self.columns.taken}
        names = [title for title, kind in personal.items() if kind == "name"]
        if names and id_column is None and participant is None:
            participant = names[0]
            self.notes.guess(f"{self.table.where}: who wrote what is told by the names in {names[0]!r}.")
            del personal[names[0]]
        elif participant is not None and participant in self.columns.personal:
            self.notes.say(
                f"{self.table.where}: the column {participant!r} holds people's {self._kind(participant)}s, "
                "which go into every table."
            )
        used = {text.title for text in texts} | {id_column, participant, object_column, scenario, step}
        carried = [t for t in self.table.header if t not in used and t not in personal]
        return TextLayout(
            tuple(texts),
            id_column,
            participant,
            object_column,
            scenario,
            step,
            self.rater,
            wide,
            tuple(carried),
            personal,
        )

    def _kind(self, title: str) -> str:
        return self.columns.personal[title]
