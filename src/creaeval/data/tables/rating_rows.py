"""Ratings in the rows of a table, one score a row or many, by the layout of its header."""

from __future__ import annotations

from typing import TYPE_CHECKING

from creaeval.data.ids import MISSING, clean_id, clean_name
from creaeval.data.rating_builder import RatingSource
from creaeval.data.tables.layouts import Origin, find_layout
from creaeval.data.tables.table import Place

if TYPE_CHECKING:
    from creaeval.data.rating_builder import RatingBuilder
    from creaeval.data.tables.layouts import Layout, RatingTable, ScoreColumn
    from creaeval.data.tables.table import Row, Table
    from creaeval.errors import Problems


def read_table_ratings(ratings: RatingTable, problems: Problems) -> list[RatingBuilder]:
    """Read the ratings of a table, one a response, rater and stage.

    The long layout has the columns ``response_id`` (or ``id``), ``rater``, ``dimension`` (identity or name),
    ``score`` and perhaps ``item`` and ``stage``; for the wide ones see :mod:`creaeval.data.tables.layouts`.
    An item's category and the reason why it is invalid are of the dimension ``step1.category`` and
    ``step1.invalid``. Other columns are carried. DataError if the layout cannot be told from the header.
    """
    layout, table = find_layout(ratings), ratings.table
    source = RatingSource(ratings.task, table.path)
    reader = _RowReader(table, layout, source)
    names = [{title: clean_name(text) for title, text in row.cells.items()} for row in table.rows]
    for row, texts in zip(table.rows, names, strict=True):
        reader.read(row, texts)
    if not source.builders and not source.problems:
        source.problems.add(f"{table.where}: none of its {len(table.rows)} rows holds a score.")
    header = " Row 1 is the header." if table.sheet is None else ""
    problems.extend(f"{problem}{header}" for problem in source.problems)
    return source.builders


class _RowReader:
    """Reads the scores of one row after the other, and says of each cell once what is wrong with it."""

    def __init__(self, table: Table, layout: Layout, source: RatingSource) -> None:
        self._table, self._layout, self._source = table, layout, source
        self._columns = {title: number for number, title in enumerate(table.header, 1)}
        #: By response, rater and stage.
        self._builders: dict[tuple[str, str, str], RatingBuilder] = {}
        #: By what was written; the same few ids stand in many rows.
        self._ids: dict[str, str] = {}
        #: What could not be read in the row in hand, and what was expected there.
        self._refused: set[tuple[Origin, str]] = set()

    def read(self, row: Row, texts: dict[str, str]) -> None:
        """Read a row; ``texts`` are its cells without what nobody can see."""
        self._row, self._texts = row, texts
        self._refused.clear()
        rated = [self._read_score(column) for column in self._layout.scores]
        carried = {title: texts[title] for title in self._layout.carried}
        for builder in dict.fromkeys(rated):
            if builder is not None:
                builder.set_metadata(carried)

    def _read_score(self, column: ScoreColumn) -> RatingBuilder | None:
        layout, row, title = self._layout, self._row, column.title
        if layout.wide and title not in row.odd and self._texts[title] in MISSING:
            return None
        score = self._text(Origin(title), "a score")
        response = self._id(column.response, "an id")
        rater = self._id(column.rater, "a rater's name")
        dimension = self._text(column.dimension, "a dimension")
        item = self._text(Origin(layout.item), "an item's number")
        stage = self._text(Origin(layout.stage), "a stage")
        if stage is not None:
            stage = "" if stage in MISSING else self._id(Origin(layout.stage), "a stage")
        if response is None or rater is None or stage is None:
            return None
        if score is None or dimension is None or item is None:
            return None
        builder = self._builders.get((response, rater, stage))
        if builder is None:
            builder = self._source.add(response, rater, self._table.row_place(row), stage)
            self._builders[response, rater, stage] = builder
        place = Place(self._table.path, self._table.sheet, row.number, self._columns[title], title)
        builder.set(dimension, score, place, item=item or None, row=row.number)
        return builder

    def _text(self, origin: Origin, expected: str) -> str | None:
        title = origin.title
        if title is None:
            return origin.text
        if title in self._row.odd:
            if (origin, expected) in self._refused:
                return None
            if self._table.read(self._row, title, expected, self._source.problems) is None:
                self._refused.add((origin, expected))
                return None
        return self._texts[title]

    def _id(self, origin: Origin, expected: str) -> str | None:
        text = self._text(origin, expected)
        if text is None:
            return None
        if text not in self._ids and (origin, expected) not in self._refused:
            try:
                self._ids[text] = clean_id(text)
            except ValueError as error:
                self._refused.add((origin, expected))
                merged = " Cells that are merged over several rows are not read."
                advice = merged if self._table.sheet is not None and not text else ""
                self._source.problems.add(f"{self._table.row_place(self._row)}: {error}.{advice}")
        return self._ids.get(text)
