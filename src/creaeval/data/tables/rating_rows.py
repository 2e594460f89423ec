"""Ratings in the rows of a table, one score a row or many, by the layout of its header."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from creaeval.data.ids import MISSING, clean_id, clean_name
from creaeval.data.rating_builder import RatingSource
from creaeval.data.tables.layouts import Source, find_layout

if TYPE_CHECKING:
    from creaeval.data.rating_builder import RatingBuilder
    from creaeval.data.tables.layouts import Layout, RatingTable, ScoreColumn
    from creaeval.data.tables.table import Row
    from creaeval.errors import Problems

    #: By response, rater and stage.
    _Builders: TypeAlias = dict[tuple[str, str, str], RatingBuilder]


def read_table_ratings(ratings: RatingTable, problems: Problems | list[str]) -> list[RatingBuilder]:
    """Read the ratings of a table, one a response, rater and stage.

    The long layout has the columns ``response_id`` (or ``id``), ``rater``, ``dimension`` (identity or name),
    ``score`` and perhaps ``item`` and ``stage``; for the wide ones see :mod:`creaeval.data.tables.layouts`.
    An item's category and the reason why it is invalid are of the dimension ``step1.category`` and
    ``step1.invalid``. Other columns are carried. DataError if the layout cannot be told from the header.
    """
    layout, table = find_layout(ratings), ratings.table
    source = RatingSource(ratings.task, table.path)
    builders: _Builders = {}
    for row in table.rows:
        _RowReader(ratings, row, source).read(layout, builders)
    if not builders and not source.problems:
        source.problems.add(f"{table.where}: none of its {len(table.rows)} rows holds a score.")
    header = " Row 1 is the header." if table.sheet is None else ""
    problems.extend(f"{problem}{header}" for problem in source.problems)
    return source.builders


class _RowReader:
    """Reads the scores of one row, and says of each cell once what is wrong with it."""

    def __init__(self, ratings: RatingTable, row: Row, source: RatingSource) -> None:
        self._table, self._row, self._source = ratings.table, row, source
        self._ids: dict[Source, str | None] = {}
        self._texts: dict[tuple[str, str], str | None] = {}

    def read(self, layout: Layout, builders: _Builders) -> None:
        rated = [self._read_score(column, layout, builders) for column in layout.scores]
        carried = {title: clean_name(self._row.cells[title]) for title in layout.carried}
        for builder in dict.fromkeys(rated):
            if builder is not None:
                builder.carry(carried)

    def _read_score(self, column: ScoreColumn, layout: Layout, builders: _Builders) -> RatingBuilder | None:
        row, title = self._row, column.title
        if layout.wide and title not in row.odd and clean_name(row.cells[title]) in MISSING:
            return None
        score = self._text(title, "a score")
        response, rater = self._id(column.response, "an id"), self._id(column.rater, "a rater's name")
        dimension = column.dimension.text
        if column.dimension.title is not None:
            dimension = self._text(column.dimension.title, "a dimension") or ""
        item = self._text(layout.item, "an item's number") if layout.item is not None else None
        stage = self._stage(layout.stage) if layout.stage is not None else ""
        if response is None or rater is None or score is None or stage is None:
            return None
        if column.dimension.title in row.odd or layout.item in row.odd:
            return None
        key = response, rater, stage
        if key not in builders:
            builders[key] = self._source.add(response, rater, self._table.row_place(row), stage)
        where = str(self._table.cell_place(row, title))
        builders[key].set(dimension, score, where, item=item or None, row=row.number)
        return builders[key]

    def _stage(self, title: str) -> str | None:
        text = self._text(title, "a stage")
        return "" if text in MISSING else self._id(Source(title), "a stage")

    def _text(self, title: str, expected: str) -> str | None:
        if (title, expected) not in self._texts:
            text = self._table.read(self._row, title, expected, self._source.problems)
            self._texts[title, expected] = clean_name(text) if text is not None else None
        return self._texts[title, expected]

    def _id(self, source: Source, expected: str) -> str | None:
        if source not in self._ids:
            text = source.text if source.title is None else self._text(source.title, expected)
            self._ids[source] = self._clean_id(text) if text is not None else None
        return self._ids[source]

    def _clean_id(self, text: str) -> str | None:
        try:
            return clean_id(text)
        except ValueError as error:
            in_workbook = self._table.sheet is not None
            merged = (
                "" if text or not in_workbook else " Cells that are merged over several rows are not read."
            )
            self._source.problems.add(f"{self._table.row_place(self._row)}: {error}.{merged}")
            return None
