"""Ratings in a CSV file, one score a row: response_id, rater, dimension, score and perhaps item."""

from __future__ import annotations

from typing import TYPE_CHECKING

from creaeval.data.csv_table import read_table
from creaeval.data.draft import RatingDraft
from creaeval.data.ids import clean_id, clean_name
from creaeval.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path

    from creaeval.data.csv_table import Row
    from creaeval.tasks import Task


def read_csv_ratings(path: Path, task: Task, problems: list[str]) -> list[RatingDraft]:
    """Read the ratings of a CSV file.

    Parameters
    ----------
    path : Path
        With the columns ``response_id`` (or ``id``), ``rater``, ``dimension`` (identity or name), ``score``
        and perhaps ``item``. An item's category and the reason why it is invalid are rows too, of the
        dimension ``step1.category`` and ``step1.invalid``. Other columns are not used.
    task : Task
        The task that was rated.
    problems : list of str
        What is wrong is added here.

    Returns
    -------
    list of RatingDraft
        One a response and rater. A row that repeats another one is passed once.

    Raises
    ------
    DataError
        A column is missing.
    """
    table = read_table(path)
    columns = {name: table.column(name) for name in ("rater", "dimension", "score")}
    if missing := [name for name, title in columns.items() if title is None]:
        raise DataError(
            f"{path}: no column {' and no column '.join(map(repr, missing))}. Found the columns "
            f"{', '.join(table.header)}; expected response_id, rater, dimension, score and, for items, item."
        )
    item_column = table.column("item")
    drafts: dict[tuple[str, str], RatingDraft] = {}
    for row in table.rows:
        where = f"{path}, row {row.number}"
        cells = {name: _cell(row, title) for name, title in columns.items()}
        try:
            key = clean_id(row.cells[table.id_column]), clean_id(cells["rater"])
        except ValueError as error:
            problems.append(f"{where}: {error}. Row 1 is the header.")
            continue
        if key not in drafts:
            drafts[key] = RatingDraft(task, *key, str(path), where, problems)
        before = len(problems)
        item = _cell(row, item_column) or None
        drafts[key].put(cells["dimension"], cells["score"], f"{where}, column 'score'", item=item)
        problems[before:] = [f"{problem} Row 1 is the header." for problem in problems[before:]]
    return list(drafts.values())


def _cell(row: Row, title: str | None) -> str:
    return clean_name(row.cells[title]) if title is not None else ""
