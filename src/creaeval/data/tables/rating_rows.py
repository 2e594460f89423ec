"""Ratings in the rows of a table, one score a row or many, by the layout of its header."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from creaeval.data.grids.grid import Place
from creaeval.data.ids import attempt, clean_id, clean_ids, clean_name
from creaeval.data.tables.layouts import Origin
from creaeval.data.words import MISSING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from creaeval.data.rating_builder import RatingBuilder, RatingSource
    from creaeval.data.tables.layouts import Layout, ScoreColumn
    from creaeval.data.tables.table import Row, Table

_NONE: Mapping[int, Sequence[str]] = MappingProxyType({})
#: What is an id where it is expected.
_IDS = {"an id", "a rater's name", "a stage"}


def read_table_ratings(
    table: Table, layout: Layout, source: RatingSource, ids: Mapping[int, Sequence[str]] = _NONE
) -> None:
    """Read the ratings of a table, one a response, rater and stage.

    ``ids`` are those of the responses that stand in the same rows; a row without has no rating. A cell that
    holds nothing, or a mark such as ``NA``, is no rating. An item's category and the reason why it is invalid
    are of the dimension ``step1.category`` and ``step1.invalid``. Columns of no meaning are metadata.
    """
    texts = [{title: clean_name(text) for title, text in row.cells.items()} for row in table.rows]
    reader = _RowReader(table, layout, source, texts)
    for row, row_texts in zip(table.rows, texts, strict=True):
        responses = ids.get(row.number, ())
        if not ids or len(responses) == 1:
            reader.read(row, row_texts, responses[0] if responses else "")
        elif len(responses) > 1 and any(row_texts[c.title] not in source.missing for c in layout.scores):
            source.problems.add(
                f"{table.row_place(row)}: holds {len(responses)} {source.task.noun}s and one score. Write "
                "each in a row of its own."
            )
    if not source.builders and not source.problems:
        source.problems.add(f"{table.where}: none of its {len(table.rows)} rows holds a score.")
    if table.sheet is None and len(source.problems):
        source.advise(f"Row {table.header_row} is the header.")


class _RowReader:
    """Reads the scores of one row after the other, and says of each cell once what is wrong with it."""

    def __init__(
        self, table: Table, layout: Layout, source: RatingSource, texts: Sequence[Mapping[str, str]]
    ) -> None:
        self._table, self._layout, self._source = table, layout, source
        self._where = table.where
        self._columns = {title: number for number, title in enumerate(table.header, 1)}
        #: By response, rater and stage.
        self._builders: dict[tuple[str, str, str], RatingBuilder] = {}
        origins = {origin for column in layout.scores for origin in (column.response, column.rater)}
        origins.add(Origin(layout.stage))
        #: By what was written; the same few ids stand in many rows.
        self._ids = clean_ids({_text(origin, row) for row in texts for origin in origins})
        #: What the row in hand holds, by where and what is expected there; None if it cannot be read.
        self._cells: dict[tuple[Origin, str], str | None] = {}

    def read(self, row: Row, texts: Mapping[str, str], response: str = "") -> None:
        """Read a row; ``texts`` are its cells without what nobody can see, ``response`` its response's id."""
        self._row, self._texts, self._response = row, texts, response
        self._cells.clear()
        rated = [self._read_score(column) for column in self._layout.scores]
        metadata = {title: self._texts[title] for title in self._layout.metadata}
        for builder in dict.fromkeys(rated):
            if builder is not None:
                builder.set_metadata(metadata)

    def _read_score(self, column: ScoreColumn) -> RatingBuilder | None:
        layout, row, title = self._layout, self._row, column.title
        if title not in row.issues and self._texts[title] in self._source.missing:
            return None
        cells = [
            self._read_cell(Origin(title), "a score"),
            self._response or self._cell(column.response, "an id"),
            self._cell(column.rater, "a rater's name"),
            self._cell(column.dimension, "a dimension"),
            self._cell(Origin(layout.item), "an item's number"),
            self._cell(Origin(layout.stage), "a stage"),
        ]
        texts = [cell for cell in cells if cell is not None]
        if len(texts) < len(cells):
            return None
        score, response, rater, dimension, item, stage = texts
        builder = self._builders.get((response, rater, stage))
        if builder is None:
            builder = self._source.add(response, rater, f"{self._where}, row {row.number}", stage)
            self._builders[response, rater, stage] = builder
        place = Place(self._table.path, self._table.sheet, row.number, self._columns[title], title)
        builder.set(dimension, score, place, item=item or None, row=row.number)
        return builder

    def _cell(self, origin: Origin, expected: str) -> str | None:
        """Return what the row in hand holds, read once: an id where one is expected, else the text."""
        if (origin, expected) not in self._cells:
            self._cells[origin, expected] = self._read_cell(origin, expected)
        return self._cells[origin, expected]

    def _read_cell(self, origin: Origin, expected: str) -> str | None:
        title, text, problems = origin.title, _text(origin, self._texts), self._source.problems
        if title in self._row.issues and self._table.read(self._row, title, expected, problems) is None:
            return None
        if expected == "a stage" and text in MISSING:
            return ""
        if expected == "a rater's name" and title is not None:
            text = self._table.labels.get(title, {}).get(text, text)
        if expected not in _IDS:
            return text
        if text in self._ids:
            return self._ids[text]
        note = f". See column {title!r}" if title is not None else ". It is read in the header"
        if self._table.sheet is not None and not text:
            note = ". Cells that are merged over several rows are not read"
        place = f"{self._where}, row {self._row.number}"
        return attempt(problems, place, clean_id, text, note)


def _text(origin: Origin, texts: Mapping[str, str]) -> str:
    return origin.text if origin.title is None else texts[origin.title]
