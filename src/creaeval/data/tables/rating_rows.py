"""Ratings in the rows of a table, one score a row or many, by the layout of its header."""

from __future__ import annotations

from typing import TYPE_CHECKING

from creaeval.data.ids import MISSING, clean_id
from creaeval.data.rating_builder import RatingSource
from creaeval.data.tables.layouts import Source, find_layout

if TYPE_CHECKING:
    from creaeval.data.rating_builder import RatingBuilder
    from creaeval.data.tables.layouts import Layout, RatingTable, ScoreColumn
    from creaeval.data.tables.table import Row, Table
    from creaeval.errors import Problems


def read_table_ratings(ratings: RatingTable, problems: Problems | list[str]) -> list[RatingBuilder]:
    """Read the ratings of a table, one a response, rater and stage.

    The long layout has the columns ``response_id`` (or ``id``), ``rater``, ``dimension`` (identity or name),
    ``score`` and perhaps ``item`` and ``stage``; for the wide ones see :mod:`creaeval.data.tables.layouts`.
    An item's category and the reason why it is invalid are of the dimension ``step1.category`` and
    ``step1.invalid``. Other columns are carried. DataError if the layout cannot be told from the header.
    """
    layout, table = find_layout(ratings), ratings.table
    source = RatingSource(ratings.task, table.path)
    reader = _RowReader(table, layout, source)
    for row in table.rows:
        reader.read(row)
    if not source.builders and not source.problems:
        source.problems.add(f"{table.where}: none of its {len(table.rows)} rows holds a score.")
    header = " Row 1 is the header." if table.sheet is None else ""
    problems.extend(f"{problem}{header}" for problem in source.problems)
    return source.builders


class _RowReader:
    """Reads the scores of one row after the other, and says of each cell once what is wrong with it."""

    def __init__(self, table: Table, layout: Layout, source: RatingSource) -> None:
        self._table, self._layout, self._source = table, layout, source
        #: By response, rater and stage.
        self._builders: dict[tuple[str, str, str], RatingBuilder] = {}
        #: By what was written; the same few ids stand in many rows.
        self._ids: dict[str, str] = {}
        #: What could not be read in the row in hand, and what was expected there.
        self._refused: set[tuple[Source, str]] = set()

    def read(self, row: Row) -> None:
        self._refused.clear()
        rated = [self._read_score(row, column) for column in self._layout.scores]
        carried = {title: row.names[title] for title in self._layout.carried}
        for builder in dict.fromkeys(rated):
            if builder is not None:
                builder.carry(carried)

    def _read_score(self, row: Row, column: ScoreColumn) -> RatingBuilder | None:
        layout = self._layout
        if layout.wide and column.title not in row.odd and row.names[column.title] in MISSING:
            return None
        score = self._text(row, Source(column.title), "a score")
        response = self._id(row, column.response, "an id")
        rater = self._id(row, column.rater, "a rater's name")
        dimension = self._text(row, column.dimension, "a dimension")
        item = self._text(row, Source(layout.item), "an item's number")
        stage = self._text(row, Source(layout.stage), "a stage")
        if stage is not None:
            stage = "" if stage in MISSING else self._id(row, Source(layout.stage), "a stage")
        if response is None or rater is None or stage is None:
            return None
        if score is None or dimension is None or item is None:
            return None
        builder = self._builders.get((response, rater, stage))
        if builder is None:
            builder = self._source.add(response, rater, self._table.row_place(row), stage)
            self._builders[response, rater, stage] = builder
        place = self._table.cell_place(row, column.title)
        builder.set(dimension, score, place, item=item or None, row=row.number)
        return builder

    def _text(self, row: Row, source: Source, expected: str) -> str | None:
        title = source.title
        if title is None:
            return source.text
        if title in row.odd:
            if (source, expected) in self._refused:
                return None
            if self._table.read(row, title, expected, self._source.problems) is None:
                self._refused.add((source, expected))
                return None
        return row.names[title]

    def _id(self, row: Row, source: Source, expected: str) -> str | None:
        text = self._text(row, source, expected)
        if text is None or text in self._ids:
            return self._ids.get(text or "")
        if (source, expected) not in self._refused:
            try:
                self._ids[text] = clean_id(text)
            except ValueError as error:
                self._refused.add((source, expected))
                in_workbook = self._table.sheet is not None
                advice = " Cells that are merged over several rows are not read."
                self._source.problems.add(
                    f"{self._table.row_place(row)}: {error}.{advice if in_workbook and not text else ''}"
                )
        return self._ids.get(text)
