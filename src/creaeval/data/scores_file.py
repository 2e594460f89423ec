"""Read judges' scores from files: those a run wrote, and tables in any form of ratings."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from creaeval.data.formats.aut_release import RECORDED, is_aut_table, read_aut_predictions
from creaeval.data.formats.cgpst_workbook import rater_sheets
from creaeval.data.formats.ttcw_release import is_verdict_table, read_verdicts
from creaeval.data.ids import clean_name
from creaeval.data.ratings import finish_ratings as finish_drafts
from creaeval.data.ratings import open_ratings
from creaeval.data.ratings import read_file as read_drafts
from creaeval.data.score_table import (
    N_SHEETS,
    REPEAT_MARKS,
    Scores,
    is_score_table,
    read_score_table,
    repeat_mark,
)
from creaeval.data.tables.columns import RATING_COLUMNS, check_roles
from creaeval.data.tables.opening import TABLES, split_sheet
from creaeval.data.tables.rating_rows import read_table_ratings
from creaeval.errors import DataError
from creaeval.sheets.panel import is_panel_judge

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from creaeval.data.response import Rating
    from creaeval.data.tables.layouts import RatingTable as Header
    from creaeval.data.tables.table import Row
    from creaeval.tasks import Task

#: A judge is a rater of another name, and what tells its sheets of one response apart is the method.
_JUDGE_COLUMNS: Mapping[str, tuple[str, ...]] = {
    **RATING_COLUMNS,
    "rater": ("rater", "judge", "model"),
    "stage": ("method",),
}


def read_scores(
    path: str | Path,
    task: Task,
    *,
    columns: Mapping[str, str] | None = None,
    blank_is_no: bool = False,
) -> list[Scores]:
    """Read judges' scores.

    Parameters
    ----------
    path : str or Path
        A run's ``scores.csv``, the folder it is in, or a file of any form that
        :func:`~creaeval.data.read_ratings` reads, where the column ``rater`` may also be called ``judge`` or
        ``model``, and a column ``method`` tells methods apart. Rows that sum up a panel of judges are left
        out; of a run's ``scores_wide.csv`` repeats are told apart as in the long form.
    task : Task
        The task that was judged.
    columns : mapping of str to str, optional
        As for :func:`~creaeval.data.read_ratings`; ``stage`` is not used, since judges have none, nor is any
        for a ``scores.csv`` of our own.
    blank_is_no : bool
        Whether a blank verdict in a table of verdicts on stories (TTCW) counts as No; else it is missing.

    Returns
    -------
    list of Scores
        One a method, in the order of the file. Of a ``scores.csv`` the values are those of the file: nothing
        is computed anew, and sums that a judge wrote may lie outside their range. A judge's repeats are
        judges of their own: ``judge#2`` is the second judgement, ``judge@2`` the one of the second evidence,
        ``judge@2#3`` both.

    Raises
    ------
    DataError
        With every problem found.
    """
    own_names = {role: title for role, title in check_roles(columns).items() if role != "stage"}
    file = Path(path)
    if file.is_dir():
        file = file / "scores.csv"
        if not file.exists():
            raise DataError(
                f"{path}: holds no scores.csv, expected the folder that `creaeval score --out DIR` wrote, or "
                "a file of scores."
            )
    problems: list[str] = []
    ending = split_sheet(file)[0].suffix.lower()
    if ending in TABLES and not rater_sheets(file, task, own_names):
        header = _without_panel(open_ratings(file, task, own_names, _JUDGE_COLUMNS))
        if is_score_table(header.table.header):
            return read_score_table(header.table, task, str(path))
        if is_aut_table(header.table.header):
            return read_aut_predictions(header.table, task)
        if is_verdict_table(header.table.header):
            scorer = "judge" if "judge" in header.table.header else "rater"
            drafts = read_verdicts(
                header.table, task, problems, scorer=scorer, stage=RECORDED, blank_is_no=blank_is_no
            )
        else:
            drafts = read_table_ratings(_without_repeats(header, problems), problems)
    else:
        drafts = read_drafts(file, task, problems, own_names)
    ratings = finish_drafts(drafts, problems)
    methods = dict.fromkeys(rating.stage for rating in ratings)
    return [_of_method(method, [r for r in ratings if r.stage == method], str(path)) for method in methods]


def _without_panel(header: Header) -> Header:
    """Leave out the rows that sum up a panel of judges, who stand in the table themselves."""
    title = header.named["rater"]
    if title is None:
        return header
    rows = tuple(row for row in header.table.rows if not is_panel_judge(row.cells[title]))
    return replace(header, table=replace(header.table, rows=rows))


def _without_repeats(header: Header, problems: list[str]) -> Header:
    """Put the numbers of repeats into the judges' names; how many sheets a panel has is of no use here."""
    table, judge = header.table, header.named["rater"]
    own = {name: name for name in (*REPEAT_MARKS, N_SHEETS) if name in table.header}
    if judge is None or not own:
        return header

    def marked(row: Row) -> Row:
        mark = repeat_mark({name: row.cells[name] for name in own if name in REPEAT_MARKS}, name_problem(row))
        return replace(row, cells={**row.cells, judge: clean_name(row.cells[judge]) + mark})

    def name_problem(row: Row) -> Callable[[str, str], None]:
        return lambda name, problem: problems.append(f"{table.cell_place(row, name)}: {problem}.")

    # With a role of their own the columns are neither dimensions nor carried.
    rows = tuple(marked(row) if judge not in row.odd else row for row in table.rows)
    return replace(header, table=replace(table, rows=rows), named={**header.named, **own})


def _of_method(method: str, ratings: Sequence[Rating], source: str) -> Scores:
    carried: dict[str, dict[str, str]] = {}
    for rating in ratings:
        shared = carried.setdefault(rating.response_id, rating.extra)
        carried[rating.response_id] = {
            name: text for name, text in shared.items() if rating.extra.get(name) == text
        }
    return Scores(method, tuple(rating.sheet for rating in ratings), carried, source)
