"""Ratings in a table, one score a row or many."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from creaeval.data.columns import column_problems, find_roles, nearest_hint
from creaeval.data.draft import RatingDraft
from creaeval.data.ids import MISSING, clean_id, clean_name
from creaeval.data.published import PUBLISHED_IDS, is_published
from creaeval.data.rating_forms import Header, Source, find_form, fits_ratings
from creaeval.data.tables import read_table
from creaeval.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from creaeval.data.draft import Names
    from creaeval.data.rating_forms import Entry, Form
    from creaeval.data.table import Row, Table
    from creaeval.tasks import Task

#: Response, rater and stage.
_Key: TypeAlias = "tuple[str, str, str]"
#: Without these there is no table of ratings.
_NEEDED = ("response_id", "rater", "dimension", "score")


def open_ratings(
    path: Path, task: Task, columns: Mapping[str, str], standard: Mapping[str, tuple[str, ...]]
) -> Header:
    """Read a CSV file or an Excel workbook that holds ratings.

    Parameters
    ----------
    path : Path
        The file; see :func:`read_table_ratings`.
    task : Task
        The task that was rated.
    columns : mapping of str to str
        The file's own names by role.
    standard : mapping of str to tuple of str
        The names each role has otherwise.

    Returns
    -------
    Header
        The table, with its column of each role.

    Raises
    ------
    DataError
        It is no table, or lacks a column of ``columns``.
    """

    def fits(header: Sequence[str]) -> bool:
        return is_published(header) or fits_ratings(header, task, find_roles(header, columns, standard))

    def hint(header: Sequence[str], roles: Sequence[str] = _NEEDED) -> str:
        missing = column_problems(header, columns, standard)
        return " " + " ".join(missing) if missing else nearest_hint(header, roles, columns, standard)

    keys = (*standard["response_id"], *standard["rater"], *columns.values(), *PUBLISHED_IDS)
    table = read_table(path, keys, fits, hint)
    if problems := [f"{table.where}: {p}" for p in column_problems(table.header, columns, standard)]:
        raise DataError(problems[0], problems[1:])
    return Header(
        table, task, find_roles(table.header, columns, standard), lambda roles: hint(table.header, roles)
    )


def read_table_ratings(header: Header, problems: list[str]) -> list[RatingDraft]:
    """Read the ratings of a table.

    Parameters
    ----------
    header : Header
        A table in long form with the columns ``response_id`` (or ``id``), ``rater``, ``dimension`` (identity
        or name), ``score`` and perhaps ``item`` and ``stage``, or in a wide form: see
        :mod:`creaeval.data.rating_forms`. An item's category and the reason why it is invalid are of the
        dimension ``step1.category`` and ``step1.invalid``. Other columns are carried.
    problems : list of str
        What is wrong is added here.

    Returns
    -------
    list of RatingDraft
        One a response, rater and stage. A score that repeats another one is passed once.

    Raises
    ------
    DataError
        The form cannot be told from the header.
    """
    form, table = find_form(header), header.table
    drafts: dict[_Key, RatingDraft] = {}
    names: Names = {}
    before = len(problems)
    for row in table.rows:
        _RowReader(table, row, header.task, problems, names).read(form, drafts)
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

    def read(self, form: Form, drafts: dict[_Key, RatingDraft]) -> None:
        rated = {key for entry in form.entries if (key := self._read_entry(entry, form, drafts))}
        carried = {title: clean_name(self._row.cells[title]) for title in form.carried}
        for key in rated:
            drafts[key].carry(carried)

    def _read_entry(self, entry: Entry, form: Form, drafts: dict[_Key, RatingDraft]) -> _Key | None:
        if (
            form.wide
            and entry.score not in self._row.odd
            and clean_name(self._row.cells[entry.score]) in MISSING
        ):
            return None
        score = self._text(entry.score, "a score")
        response, rater = self._id(entry.response, "an id"), self._id(entry.rater, "a rater's name")
        name = entry.dimension.text
        if entry.dimension.title is not None:
            name = self._text(entry.dimension.title, "a dimension") or ""
        item = self._text(form.item, "an item's number") if form.item is not None else None
        stage = self._stage(form.stage) if form.stage is not None else ""
        if response is None or rater is None or score is None or stage is None:
            return None
        if entry.dimension.title in self._row.odd or form.item in self._row.odd:
            return None
        key = response, rater, stage
        if key not in drafts:
            drafts[key] = RatingDraft(
                self._task,
                response,
                rater,
                str(self._table.path),
                self._table.row_place(self._row),
                self._problems,
                self._names,
                stage,
            )
        where = self._table.cell_place(self._row, entry.score)
        drafts[key].put(name, score, where, item=item or None, row=self._row.number)
        return key

    def _stage(self, title: str) -> str | None:
        text = self._text(title, "a stage")
        return "" if text in MISSING else self._id(Source(title), "a stage")

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
