"""Which columns hold uses of objects: one a row, one a column, or lists."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from creaeval.data.tables.columns import named, quote
from creaeval.data.tables.text_finder import TextFinder
from creaeval.data.tables.text_layout import TextColumn
from creaeval.data.words import tokens_of, words
from creaeval.tasks import fold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from creaeval.data.tables.text_layout import TextLayout

_CODE = re.compile(r"[a-z]{0,3}\d*", re.IGNORECASE)


class UseFinder(TextFinder):
    """Finds the columns of uses and of the objects they are about."""

    def find(self) -> TextLayout:
        """Find texts about objects: one a row, one a column, or lists."""
        step = self.task.steps[0].id
        its_object = self.columns.take("object")
        if its_object is not None and self.columns.said("object") == []:
            self._check_object(its_object)
        if (said := self.columns.said("text")) and len(said) == 1:
            texts = [TextColumn(said[0], step)]
        else:
            texts = self._said_texts(said) or self._long_text(its_object) or self._wide_texts(its_object)
        for text in texts:
            self.columns.put(text.title, "text")
        id_column, participant = self.identity()
        if not texts:
            texts = self._texts_by_content(its_object)
        if its_object is None and not any(text.object for text in texts):
            its_object = self._object_by_content()
        wide = len(texts) > 1 or bool(texts[0].object)
        if wide and its_object is not None and any(text.object for text in texts):
            its_object = None
        return self.layout(texts, id_column, participant, object_column=its_object, wide=wide)

    def _check_object(self, title: str) -> None:
        """Refuse a second column that could be the object, of which each has several values."""
        ranks = words().roles["object"]
        others = [other for other in self.columns.by_words("object") if self._distinct(other) > 1]
        if ranks.get(fold(title), 9) < 2 or not others or self._distinct(title) < 2:
            return
        raise self.columns.ambiguous("object", [title, *others])

    def _distinct(self, title: str) -> int:
        return self.columns.profile(title).distinct

    def _said_texts(self, said: Sequence[str]) -> list[TextColumn]:
        step = self.task.steps[0].id
        groups = self._groups(said)
        return [groups.get(title) or TextColumn(title, step, self._object_of(title)) for title in said]

    def _long_text(self, its_object: str | None) -> list[TextColumn]:
        """Return the only column that is called like a text; none where there are several of a kind."""
        step = self.task.steps[0].id
        text = self.text_by_word()
        if text is None:
            return []
        groups = self._groups(self.free_texts())
        if its_object is None and any(column.object for column in groups.values()):
            return []
        return [TextColumn(text, step)]

    def _wide_texts(self, its_object: str | None) -> list[TextColumn]:
        """Return numbered columns, and those whose title or question names an object."""
        step = self.task.steps[0].id
        candidates = self.free_texts()
        groups = self._groups(candidates)
        found: list[TextColumn] = []
        for title in candidates:
            if title in groups:
                found.append(groups[title])
            elif self._asks(title) or (groups and self._is_of_one(title)):
                found.append(TextColumn(title, step, self._object_of(title)))
        asked = [column for column in found if self._asks(column.title)]
        if its_object is not None:
            return found
        if asked and all(column.object for column in asked):
            return asked
        nameless = [column.title for column in found if not column.object]
        if any(column.object for column in found):
            return [column for column in found if column.object]
        filled = [title for title in nameless if self.columns.profile(title).filled]
        return found if filled else []

    def _is_of_one(self, title: str) -> bool:
        """Whether a column beside numbered ones is the only one of its object: ``rope_1``, or ``rope``."""
        name = _name_in(title)
        if not name or re.search(r"\d", title):
            return bool(name)
        profile = self.columns.profile(title)
        cells = [row.cells[title] for row in self.table.rows if row.cells[title].strip()]
        coded = any(any(map(str.isdigit, cell)) for cell in cells)
        if coded or profile.distinct * 2 < profile.filled or len(name.split()) > 1:
            return False
        if profile.words < 1.5:
            self.notes.say(
                f"{self.table.where}: carried along, not read as uses: {title!r}. If it holds some, "
                f"call it {quote(f'{title}_1')}."
            )
            return False
        self.notes.guess(
            f"{self.table.where}: the column {title!r} was read as what people wrote about {name!r}; "
            f"--columns carry={quote(title)} says otherwise."
        )
        return True

    def _asks(self, title: str) -> bool:
        known = words()
        if re.search(r"\d", title) and "aut" in map(str.casefold, re.split(r"[\W_\d]+", title)):
            return True
        return bool(known.find_object(title) or known.find_object(self.table.questions.get(title, "")))

    def _groups(self, titles: Sequence[str]) -> dict[str, TextColumn]:
        """Return the columns that are numbered, by title: those that differ in one number only."""
        step = self.task.steps[0].id
        by_key: dict[tuple[int, str], list[tuple[str, int]]] = {}
        for title in titles:
            numbers = list(re.finditer(r"\d{1,3}", title))
            if len(numbers) > 1:
                key = re.sub(r"\d{1,3}", "#", title)
                by_key.setdefault((2, key), []).append((title, int(numbers[-1][0])))
            for match in numbers:
                key = f"{title[: match.start()]}#{title[match.end() :]}"
                by_key.setdefault((int(match is not numbers[-1]), key), []).append((title, int(match[0])))
        found: dict[str, TextColumn] = {}
        # The last number is theirs rather than one before it, and one that tells more columns apart.
        for (_, key), members in sorted(by_key.items(), key=lambda item: (item[0][0], -len(item[1]))):
            fresh = [(title, number) for title, number in members if title not in found]
            titles_of_group = [title for title, _ in fresh]
            if (
                len(fresh) < 2
                or not self._is_series(key, titles_of_group)
                or self._is_coded(key, titles_of_group)
            ):
                continue
            asked = {words().find_object(self.table.questions.get(title, "")) for title, _ in fresh}
            if len(asked) > 1:
                continue  # each asks for another object
            its_object = self._object_of(fresh[0][0], key.replace("#", " "))
            found |= {title: TextColumn(title, step, its_object, number) for title, number in fresh}
        return found

    def _is_coded(self, key: str, titles: Sequence[str]) -> bool:
        """Whether numbered columns hold codes of uses, or answers that were ticked."""
        behind = tokens_of(key.rpartition("#")[2])
        known = words()
        if behind & (known.aside | {"code", "codes", "score", "rating"}):
            return True
        cells = [row.cells[title].strip() for row in self.table.rows for title in titles]
        given = [cell for cell in cells if cell]
        return len(given) >= 8 and len(set(given)) <= min(7, len(given) / 3) and not self._asks(titles[0])

    def _is_series(self, key: str, titles: Sequence[str]) -> bool:
        """Whether numbered columns hold the same kind of thing; ``V1 V2 V3`` may be anything."""
        tokens = [token for token in re.split(r"[\W_\d]+", key) if token]
        said = any(len(t) > 3 or not t.isascii() or fold(t) in words().roles["text"] for t in tokens)
        if said or self._asks(titles[0]):
            return True
        return not any(self.may_be_object(title) for title in titles) and len(titles) > 2

    def _object_of(self, title: str, stem: str = "") -> str:
        """Return the object that a title names, or that the question below it asks about."""
        known = words()
        question = known.find_object(self.table.questions.get(title, ""))
        its_object = known.find_object(stem or title) or question or _name_in(stem or title)
        return its_object.lower() if its_object.isupper() and len(its_object) > 1 else its_object

    def _texts_by_content(self, its_object: str | None) -> list[TextColumn]:
        """Return the column of texts by its cells; or several, each called like the object it is about."""
        step = self.task.steps[0].id
        texts = [title for title in self.free_texts() if self.columns.profile(title).filled]
        if not texts or (self.rated and its_object is None):
            raise self.columns.none_found("text", "what people wrote")
        rows = len(self.table.rows)
        objects = [] if self._row_a_person() else [t for t in texts if self.may_be_object(t)]
        others = [title for title in texts if title not in objects]
        if its_object is not None or (len(objects) == 1 and others):
            text = self.longest(others or texts, "text")
            return [self._guessed(text, step)]
        spread = [t for t in texts if self.columns.profile(t).distinct > rows / 3]
        if len(spread) == 1 and objects:
            return [self._guessed(spread[0], step)]
        if objects and others:
            raise self.columns.ambiguous("object", objects)
        if not spread:
            raise self.columns.none_found("text", "what people wrote")
        chosen = spread
        if left := [title for title in texts if title not in [*spread, *objects]]:
            self.notes.say(f"{self.table.where}: carried along, not read as uses: {named(left)}.")
        wide = [TextColumn(title, step, _name_in(title)) for title in chosen]
        if not all(column.object for column in wide):
            return [self._guessed(self.longest(chosen, "text"), step)]
        self.notes.guess(
            f"{self.table.where}: each of the columns {named(chosen)} was read as what people wrote about "
            "the object of that name."
        )
        return wide

    def _row_a_person(self) -> bool:
        """Whether no id or participant stands in two rows, so that a row is all that one person wrote."""
        who = [title for title, role in self.columns.taken.items() if role in {"id", "participant"}]
        return bool(who) and all(self.columns.profile(title).unique for title in who)

    def _guessed(self, title: str, step: str) -> TextColumn:
        self.notes.guess(f"{self.table.where}: the column {title!r} was read as the {self.task.noun}s.")
        self.columns.put(title, "text")
        return TextColumn(title, step)

    def _object_by_content(self) -> str | None:
        """Return the column of objects by its cells; none where all is about one."""
        known, reading = words(), self.columns.reading
        if reading.object:
            return None
        skipped = known.aside
        found = [
            title
            for title in self.columns.free
            if title not in self.columns.personal and fold(title) not in skipped and self.may_be_object(title)
        ]
        if len(found) > 1:
            raise self.columns.ambiguous("object", found)
        if found:
            self.notes.guess(f"{self.table.where}: the column {found[0]!r} was read as the object.")
            self.columns.put(found[0], "object")
        return found[0] if found else None


def _name_in(title: str) -> str:
    """Return what a title says beyond words such as use, task and numbers: ``brick`` of ``AUT_brick``."""
    title = re.sub(r"\[[A-Z]*\s*\]", " ", title)  # codes of answers in surveys
    tokens = [token for token in re.split(r"[\W\d_]+", title) if token]
    kept = [token for token in tokens if fold(token) not in words().noise]
    text = " ".join(kept)
    return "" if _CODE.fullmatch(re.sub(r"[\W_]+", "", title)) and len(text) < 3 else text
