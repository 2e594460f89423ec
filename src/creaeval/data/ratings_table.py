"""Ratings in a table, one score a row or many."""

from __future__ import annotations

from typing import TYPE_CHECKING

from creaeval.data.draft import RatingDraft
from creaeval.data.ids import clean_id, clean_name
from creaeval.data.rating_forms import find_form, fits_ratings
from creaeval.data.table import ID_COLUMNS
from creaeval.data.tables import read_table

if TYPE_CHECKING:
    from pathlib import Path

    from creaeval.data.draft import Names
    from creaeval.data.rating_forms import Entry, Form, Source
    from creaeval.data.table import Row, Table
    from creaeval.tasks import Task

#: How R writes a value that is missing.
_MISSING = {"", "NA"}


def read_table_ratings(path: Path, task: Task, problems: list[str]) -> list[RatingDraft]:
    """Read the ratings of a CSV file or an Excel workbook.

    Parameters
    ----------
    path : Path
        In long form with the columns ``response_id`` (or ``id``), ``rater``, ``dimension`` (identity or
        name), ``score`` and perhaps ``item``, or in a wide form: see :mod:`creaeval.data.rating_forms`. An
        item's category and the reason why it is invalid are of the dimension ``step1.category`` and
        ``step1.invalid``. Other columns of the long form are not used.
    task : Task
        The task that was rated.
    problems : list of str
        What is wrong is added here.

    Returns
    -------
    list of RatingDraft
        One a response and rater. A score that repeats another one is passed once.

    Raises
    ------
    DataError
        The form cannot be told from the header.
    """
    table = read_table(path, (*ID_COLUMNS, "rater"), lambda header: fits_ratings(header, task))
    form = find_form(table, task)
    drafts: dict[tuple[str, str], RatingDraft] = {}
    names: Names = {}
    before = len(problems)
    for row in table.rows:
        _RowReader(table, row, task, problems, names).read(form, drafts)
    if not drafts and len(problems) == before:
        problems.append(f"{table.where}: none of its {len(table.rows)} rows holds a score.")
    if table.sheet is None:
        problems[before:] = [f"{problem} Row 1 is the header." for problem in problems[before:]]
    return list(drafts.values())


class _RowReader:
    """Reads the scores of one row, and says of each cell once what is wrong with it."""

    def __init__(self, table: Table, row: Row, task: Task, problems: list[str], names: Names) -> None:
        self._names = names
        self._table, self._row, self._task, self._problems = table, row, task, problems
        self._ids: dict[Source, str | None] = {}
        self._texts: dict[tuple[str, str], str | None] = {}

    def read(self, form: Form, drafts: dict[tuple[str, str], RatingDraft]) -> None:
        for entry in form.entries:
            self._read_entry(entry, form, drafts)

    def _read_entry(self, entry: Entry, form: Form, drafts: dict[tuple[str, str], RatingDraft]) -> None:
        if (
            form.wide
            and entry.score not in self._row.odd
            and clean_name(self._row.cells[entry.score]) in _MISSING
        ):
            return
        score = self._text(entry.score, "a score")
        response, rater = self._id(entry.response, "an id"), self._id(entry.rater, "a rater's name")
        name = entry.dimension.text
        if entry.dimension.title is not None:
            name = self._text(entry.dimension.title, "a dimension") or ""
        item = self._text(form.item, "an item's number") if form.item is not None else None
        if response is None or rater is None or score is None:
            return
        if entry.dimension.title in self._row.odd or form.item in self._row.odd:
            return
        key = response, rater
        if key not in drafts:
            drafts[key] = RatingDraft(
                self._task,
                *key,
                str(self._table.path),
                self._table.row_place(self._row),
                self._problems,
                self._names,
            )
        where = self._table.cell_place(self._row, entry.score)
        drafts[key].put(name, score, where, item=item or None, row=self._row.number)

    def _text(self, title: str, due: str) -> str | None:
        if (title, due) not in self._texts:
            text = self._table.read(self._row, title, due, self._problems)
            self._texts[title, due] = clean_name(text) if text is not None else None
        return self._texts[title, due]

    def _id(self, source: Source, due: str) -> str | None:
        if source not in self._ids:
            text = source.text if source.title is None else self._text(source.title, due)
            self._ids[source] = None
            if text is not None:
                try:
                    self._ids[source] = clean_id(text)
                except ValueError as error:
                    merged = (
                        " Cells that are merged over several rows are not read."
                        if self._table.sheet is not None and not text
                        else ""
                    )
                    self._problems.append(f"{self._table.row_place(self._row)}: {error}.{merged}")
        return self._ids[source]
