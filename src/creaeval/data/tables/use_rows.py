"""Uses of objects in the rows of a table, each a response of its own."""

from __future__ import annotations

import json
import unicodedata
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from creaeval.data.ids import check_text, clean_id, clean_name
from creaeval.data.items import tidy
from creaeval.data.model import Response, StepText
from creaeval.data.response_builder import Located
from creaeval.data.tables.lists import find_separator, split_uses
from creaeval.data.tables.text_layout import shows_objects
from creaeval.data.tables.use_ids import IdRule, find_id_rule, make_id, say_made
from creaeval.data.words import MISSING, words
from creaeval.errors import DataError
from creaeval.tasks import fold
from creaeval.wording import plural

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from creaeval.data.reading import Reading
    from creaeval.data.response_builder import ResponseSource
    from creaeval.data.tables.table import Row, Table
    from creaeval.data.tables.text_layout import TextLayout

#: Of the released uses, what the columns of ratings and predictions begin with.
_SCORES = ("human_mean", "pred_")


@dataclass
class Shared:
    """What the tables of one reading share: how objects are spelled, and which uses have been numbered.

    ``sheets`` is the number of tables in the file in hand.
    """

    spellings: dict[str, str] = field(default_factory=dict)
    seen: dict[str, str] = field(default_factory=dict)
    made: Counter[tuple[str, str]] = field(default_factory=Counter)
    sheets: int = 1
    people: int = 0  # those that were numbered, since nothing says who they are

    def spell(self, name: str) -> str:
        """Return an object as it was spelled at first."""
        if name not in self.seen:
            self.seen[name] = self.spellings.setdefault(" ".join(name.casefold().split()), name)
        return self.seen[name]


class _Use(NamedTuple):
    text: str
    object: str


def add_uses(
    table: Table, layout: TextLayout, source: ResponseSource, reading: Reading, shared: Shared
) -> dict[int, list[str]]:
    """Add the uses of a table, and return their ids by the number of their row.

    DataError if it cannot be told what object was shown, or what parts several uses in a cell.
    """
    return _Uses(table, layout, source, reading, shared).add()


class _Uses:
    """Reads one row after the other."""

    def __init__(
        self, table: Table, layout: TextLayout, source: ResponseSource, reading: Reading, shared: Shared
    ) -> None:
        self.table, self.layout, self.source, self.shared = table, layout, source, shared
        self.path, self.where = str(table.path), table.where
        self.missing = MISSING | set(reading.missing)
        self.constant = reading.object or self._shown_object()
        several = shared.sheets > 1 and not self.constant
        self.rule = find_id_rule(table, layout, source.notes, self._noun, several)
        self.asked = self._asked_objects()
        # The first rows of two tables are two people.
        self.before = shared.people
        shared.people += len(table.rows) if self.rule is IdRule.BY_ROW else 0
        self.separator = self._separator(reading.split)
        # Of a list that was found out, ids of cells with one use stay as they are.
        self.always_number = reading.split is not None and self.separator is not None
        taken = {"response", "id", "participant", "object"}
        #: What goes along: the name in the response, the column, and what its values mean.
        self.carried = [
            (f"input_{title}" if title in taken else title, title, table.labels.get(title, {}))
            for title in layout.carried
            if not title.startswith(_SCORES)
        ]
        #: Ids and objects by what was written, which is the same in many rows.
        self.read: dict[str, str] = {}
        #: Ids of what one rater's row said already, by what it is; and how often each rater named it.
        self.seen: dict[tuple[str, ...], str] = {}
        self.times: Counter[tuple[str, ...]] = Counter()

    @property
    def _noun(self) -> str:
        return self.source.task.noun

    def add(self) -> dict[int, list[str]]:
        """Add the uses of all rows; rows in which nothing is written are left out, and said."""
        found: dict[int, list[str]] = {}
        blank = 0
        for count, row in enumerate(self.table.rows, 1):
            uses = self._texts(row)
            if uses is None:
                continue
            if not uses or (self._has_no_object(row) and not any(use.text for use in uses)):
                blank += 1
            elif (names := self._names(row, count)) is not None:
                found[row.number] = [
                    self._add(row, names, use, str(number) if len(uses) > 1 or self.always_number else "")
                    for number, use in enumerate(uses, 1)
                ]
        if first := next(iter(found.values()), []):
            say_made(self.rule, first[0], self.table, self.layout, self.source)
        if blank:
            rows = plural(blank, "row")
            self.source.notes.leave_out(
                blank, f"{self.table.where}: left out {rows} in which no {self._noun} is written."
            )
        return found

    def _add(self, row: Row, names: Mapping[str, str], use: _Use, part: str) -> str:
        """Add a use, unless it is one that another rater's row held already; return its id."""
        its_object = self.shared.spell(names.get("object", "") or use.object)
        key: tuple[str, ...] = ()
        if self.layout.rater is not None:
            same = (names.get("id", ""), names.get("participant", ""), its_object, use.text)
            self.times[*same, row.cells[self.layout.rater]] += 1
            key = (*same, str(self.times[*same, row.cells[self.layout.rater]]))
            if key in self.seen:
                return self.seen[key]
        name = make_id(self.rule, {**names, "object": its_object}, part, self.shared.made)
        if key:
            self.seen[key] = name
        metadata = {"object": its_object} if its_object else {}
        if "participant" in names:
            metadata["participant"] = names["participant"]
        for title, column, meanings in self.carried:
            metadata[title] = meanings.get(row.cells[column], row.cells[column])
        metadata["response"] = use.text
        step = self.layout.columns[0].step
        text = "" if _says_nothing(use.text, self.missing) else use.text
        response = Response(
            id=name,
            scenario=its_object or self._scenario(row),
            steps={step: StepText(text=text)},
            metadata=metadata,
            source=self.path,
        )
        self.source.responses.append(Located(response, f"{self.where}, row {row.number}"))
        return name

    def _scenario(self, row: Row) -> str | None:
        title = self.layout.scenario
        return row.cells[title].strip() or None if title is not None else None

    def _texts(self, row: Row) -> list[_Use] | None:
        """Return the uses of a row; None, and a problem is noted, where a cell cannot be read."""
        found: list[_Use] = []
        problems, before = self.source.problems, len(self.source.problems)
        # An empty cell is none beside others, or where the use has no id that would be lost.
        optional = self.layout.wide or self.layout.id is None or self.rule is IdRule.PARTICIPANT
        for column in self.layout.columns:
            text = self.table.read_as(row, column.title, "a use", problems, check_text)
            if text is None or (optional and clean_name(text) in self.missing):
                continue
            text = self._unwrapped(text) if text.startswith('{"') else text
            parts = split_uses(text, self.separator) if self.separator else [tidy(text)]
            found += [_Use(part, column.object) for part in parts]
        return None if len(problems) > before else found

    def _unwrapped(self, text: str) -> str:
        """Return the texts in what an online experiment writes as ``{"Q0": "a doorstop"}``."""
        try:
            answers = json.loads(text)
        except ValueError:
            return text
        if not isinstance(answers, dict) or not all(isinstance(value, str) for value in answers.values()):
            return text
        self.source.notes.guess(f"{self.table.where}: texts were taken out of JSON such as {text!r:.40}.")
        return "\n".join(answers.values())

    def _has_no_object(self, row: Row) -> bool:
        title = self.layout.object
        return title is not None and clean_name(row.cells[title]) in self.missing

    def _names(self, row: Row, count: int) -> dict[str, str] | None:
        """Read the id, the object and the participant; None, and a problem is noted, where one is missing."""
        layout, before = self.layout, len(self.source.problems)
        names = self._participant(row, count)
        if layout.id is not None:
            names["id"] = self._name(row, layout.id, "an id")
            if self.rule is IdRule.PARTICIPANT:
                names.setdefault("participant", names["id"])
        if layout.object is not None:
            read = self._name(row, layout.object, "an object")
            read = self.table.labels.get(layout.object, {}).get(read, read)
            names["object"] = self.asked.get(read, read)
        elif self.constant:
            names["object"] = self.constant
        return None if len(self.source.problems) > before else names

    def _participant(self, row: Row, count: int) -> dict[str, str]:
        title = self.layout.participant
        if title is not None:
            blank = title not in row.issues and clean_name(row.cells[title]) in self.missing
            return {"participant": "" if blank else self._name(row, title, "an id")}
        if self.rule is IdRule.BY_ROW:
            return {"participant": f"P{self.before + count}"}
        return {"participant": self.table.sheet or ""} if self.rule is IdRule.BY_SHEET else {}

    def _name(self, row: Row, title: str, expected: str) -> str:
        """Read an id or an object; nothing, and a problem is noted, where there is none."""
        text = row.cells[title]
        if title in row.issues or text not in self.read:

            def read(text: str) -> str:
                if not clean_name(text) or (expected == "an object" and clean_name(text) in self.missing):
                    raise ValueError(f"is empty, expected {expected}")
                return clean_id(text)

            found = self.table.read_as(row, title, expected, self.source.problems, read)
            if found is None:
                return ""
            self.read[text] = found
        return self.read[text]

    def _asked_objects(self) -> dict[str, str]:
        """Return the object of each question, where a column holds the questions that were asked."""
        title = self.layout.object
        questions = {clean_name(row.cells[title]) for row in self.table.rows} if title else set()
        found = {question: words().find_object(question) for question in questions if question}
        return found if found and all(found.values()) else {}

    def _separator(self, split: str | None) -> str | None:
        """Return what parts uses in a cell: as it was said, else as the cells show."""
        if split is not None:
            return None if split == "none" else split
        table, columns = self.table, self.layout.columns
        texts = (row.cells[column.title] for row in table.rows for column in columns)
        cells = [text for text in texts if text and not _says_nothing(text, self.missing)]
        where = f"{table.where}, column {columns[0].title!r}" if len(columns) == 1 else table.where
        numbered = any(column.number is not None for column in columns)
        separator, told = find_separator(cells, where, self.layout.wide and not numbered)
        if told and separator is not None:
            self.source.notes.guess(told)
        elif told:
            self.source.notes.say(told)
        return separator

    def _shown_object(self) -> str:
        """Return the only object there is, by what was asked, or by the name of the sheet or file."""
        table, layout = self.table, self.layout
        needed = shows_objects(self.source.task)
        if not needed or layout.object is not None or any(column.object for column in layout.columns):
            return ""
        titles = [column.title for column in layout.columns]
        asked = [table.above, *(table.questions.get(title, "") for title in titles), *titles]
        found = next(filter(None, map(words().find_object, asked)), "")
        by_sheet = table.sheet if self.shared.sheets > 1 else None
        its_object = found.lower() if found.isupper() else found or by_sheet or name_in_file(table.path.stem)
        if not its_object:
            raise DataError(
                f"{table.where}: no column says which object was shown. Found the columns "
                f"{', '.join(table.header)[:300]}. Say --columns object=COLUMN, or --read object=NAME where "
                "all are of one."
            )
        why = "as was asked" if found else f"by the name of the {'sheet' if by_sheet else 'file'}"
        self.source.notes.guess(
            f"{table.where}: all {self._noun}s were read as those of {its_object!r}, {why}."
        )
        return its_object


def name_in_file(stem: str) -> str:
    """Return the object in a name such as ``aut_brick``: one that says the task and one word beside it."""
    parts = [part for part in stem.replace("-", "_").replace(" ", "_").split("_") if part]
    kept = [part for part in parts if fold(part) not in words().noise and not part.isdigit()]
    return kept[0] if len(kept) == 1 and len(parts) > 1 and kept[0].isalpha() else ""


def _says_nothing(text: str, missing: Collection[str]) -> bool:
    """Whether there is nothing but spaces and punctuation, such as a dash, or a mark of a missing value."""
    if text[:1].isalnum() and text not in missing:
        return False
    return text.strip() in missing or all(unicodedata.category(character)[0] in "PZC" for character in text)
