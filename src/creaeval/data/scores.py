"""Read judges' scores from files: those a run wrote, and tables in any form of ratings."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from creaeval.data.formats.aut_release import RECORDED, is_aut_table, read_aut_predictions
from creaeval.data.formats.cgpst_workbook import rater_sheets, read_rater_sheets
from creaeval.data.formats.ttcw_release import is_verdict_table, read_verdicts
from creaeval.data.ids import MISSING, clean_name
from creaeval.data.model import Scores
from creaeval.data.ratings import finish_ratings, open_ratings, read_file
from creaeval.data.tables.columns import RATING_COLUMNS, check_roles
from creaeval.data.tables.layouts import find_layout
from creaeval.data.tables.opening import TABLES, open_tables, split_sheet
from creaeval.data.tables.rating_rows import read_table_ratings
from creaeval.data.tables.score_rows import (
    is_score_table,
    keep_shared,
    read_repeats,
    read_score_table,
    unescape,
)
from creaeval.errors import DataError, Problems
from creaeval.sheets.panel import N_SHEETS, is_panel_judge
from creaeval.sheets.score_sheet import REPEATS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from creaeval.data.rating_builder import RatingBuilder
    from creaeval.data.tables.layouts import RatingTable
    from creaeval.data.tables.table import Row
    from creaeval.sheets import ScoreSheet
    from creaeval.tasks import Task

    Repeats = tuple[int, int]

#: A judge is a rater of another name, and what tells its sheets of one response apart is the method.
_JUDGE_COLUMNS: Mapping[str, tuple[str, ...]] = {
    **RATING_COLUMNS,
    "rater": ("judge", "rater", "model"),
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
        out, also of a run's ``scores_wide.csv``.
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
        is computed anew, and sums that a judge wrote may lie outside their range. A judge has a sheet for
        each repeat of evidence and of judging, as in a run.

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
    problems = Problems()
    if split_sheet(file)[0].suffix.lower() not in TABLES:
        return _by_method({(1, 1): read_file(file, task, problems, own_names)}, problems, str(path))
    opened = open_tables(file)
    if sheets := rater_sheets(opened, task, own_names):
        builders = read_rater_sheets(sheets, opened, task, problems)
        return _by_method({(1, 1): builders}, problems, str(path))
    scores = _without_panel(_unescaped(open_ratings(opened, task, own_names, _JUDGE_COLUMNS)))
    header = scores.table.header
    if is_score_table(header):
        return read_score_table(scores.table, task, str(path))
    if is_aut_table(header):
        return read_aut_predictions(scores.table, task)
    if is_verdict_table(header):
        scorer = "judge" if "judge" in header else "rater"
        verdicts = read_verdicts(
            scores.table, task, problems, scorer=scorer, stage=RECORDED, blank_is_no=blank_is_no
        )
        return _by_method({(1, 1): verdicts}, problems, str(path))
    parts = _by_repeat(scores, problems)
    by_repeat = {repeats: read_table_ratings(part, problems) for repeats, part in parts.items()}
    return _by_method(by_repeat, problems, str(path))


def _unescaped(scores: RatingTable) -> RatingTable:
    def plain(row: Row) -> Row:
        if not any(text.startswith("'") for text in row.cells.values()):
            return row
        return replace(row, cells={title: unescape(text) for title, text in row.cells.items()})

    return replace(scores, table=replace(scores.table, rows=tuple(map(plain, scores.table.rows))))


def _without_panel(scores: RatingTable) -> RatingTable:
    """Leave out the rows that sum up a panel of judges, who stand in the table themselves.

    They say how many sheets they sum up, which tells them from a judge who is called like a statistic. In a
    table without that column the name tells, unless there is no other judge to be summed up.
    """
    table, title = scores.table, scores.named["rater"]
    if title is None:
        return scores
    summed = [row for row in table.rows if is_panel_judge(row.cells[title])]
    if N_SHEETS in table.header:
        summed = [row for row in summed if clean_name(row.cells[N_SHEETS])]
    elif len(summed) == len(table.rows):
        return scores
    numbers = {row.number for row in summed}
    rows = tuple(row for row in table.rows if row.number not in numbers)
    return replace(scores, table=replace(table, rows=rows))


def _by_repeat(scores: RatingTable, problems: Problems) -> dict[Repeats, RatingTable]:
    """Split a table by the repeats of evidence and judging, of which each is a table of ratings."""
    table = scores.table
    own = {name: name for name in (*REPEATS, N_SHEETS) if name in table.header}
    if not own:
        return {(1, 1): scores}
    # With a role of their own the columns are neither dimensions nor carried.
    scores = replace(scores, named={**scores.named, **own})
    layout = find_layout(scores)
    rows: dict[Repeats, list[Row]] = {}
    for row in table.rows:
        # A repeat without any score is no mistake where others have some.
        cells = {clean_name(row.cells[column.title]) for column in layout.scores}
        if not layout.wide or row.odd or cells - MISSING:
            rows.setdefault(read_repeats(table, row, own, problems), []).append(row)
    return {
        repeats: replace(scores, table=replace(table, rows=tuple(of_repeat)))
        for repeats, of_repeat in rows.items()
    } or {(1, 1): scores}


def _by_method(
    builders: Mapping[Repeats, Sequence[RatingBuilder]], problems: Problems, source: str
) -> list[Scores]:
    """Make scores of what was written at each repeat, one of each method."""
    sheets: dict[str, list[ScoreSheet]] = {}
    carried: dict[str, dict[str, dict[str, str]]] = {}
    for (evidence, judging), of_repeat in builders.items():
        numbers = dict(zip(REPEATS, (evidence, judging), strict=True))
        for rating in finish_ratings(of_repeat, problems):
            sheets.setdefault(rating.stage, []).append(rating.sheet.model_copy(update=numbers))
            columns = {unescape(name): text for name, text in rating.metadata.items()}
            keep_shared(carried.setdefault(rating.stage, {}), rating.response_id, columns)
    if len(builders) > 1:
        for method in sheets:
            sheets[method] = _in_order(sheets[method])
    return [Scores(method, tuple(sheets[method]), carried[method], source) for method in sheets]


def _in_order(sheets: Sequence[ScoreSheet]) -> list[ScoreSheet]:
    """Sort sheets as a run has them: by response, evidence, judge and repeat."""
    responses: dict[str, int] = {}
    judges: dict[str, int] = {}
    places = [
        (
            responses.setdefault(sheet.response_id, len(responses)),
            sheet.evidence_repeat,
            judges.setdefault(sheet.scorer, len(judges)),
            sheet.judge_repeat,
        )
        for sheet in sheets
    ]
    return [sheet for _, sheet in sorted(zip(places, sheets, strict=True), key=lambda pair: pair[0])]
