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
from creaeval.data.rating_builder import RatingSource, finish_ratings
from creaeval.data.ratings import open_ratings, read_file
from creaeval.data.tables.columns import RATING_COLUMNS, check_roles
from creaeval.data.tables.layouts import Layout, Origin, ScoreColumn, find_layout
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
from creaeval.sheets.variables import wide_names
from creaeval.tasks import identities

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from creaeval.data.tables.layouts import RatingTable
    from creaeval.data.tables.table import Row
    from creaeval.sheets import ScoreSheet
    from creaeval.tasks import Task

    Repeats = tuple[int, int]

#: A run's wide table begins so.
_RUN_COLUMNS = ("response_id", "method", "judge")
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
    source = RatingSource(task, file)
    if split_sheet(file)[0].suffix.lower() not in TABLES:
        read_file(source, own_names)
        return _by_method({(1, 1): source}, str(path))
    opened = open_tables(file)
    if sheets := rater_sheets(opened, task, own_names):
        read_rater_sheets(sheets, opened, source)
        return _by_method({(1, 1): source}, str(path))
    scores = _without_panel(_unescaped(open_ratings(opened, task, own_names, _JUDGE_COLUMNS)))
    header = scores.table.header
    if is_score_table(header):
        return read_score_table(scores.table, task, str(path))
    if is_aut_table(header):
        return read_aut_predictions(scores.table, task)
    if is_verdict_table(header):
        scorer = "judge" if "judge" in header else "rater"
        read_verdicts(scores.table, source, scorer=scorer, stage=RECORDED, blank_is_no=blank_is_no)
        return _by_method({(1, 1): source}, str(path))
    problems = Problems()
    sources: dict[Repeats, RatingSource] = {}
    own = {name: name for name in (*REPEATS, N_SHEETS) if name in header}
    # With a role of their own the columns are neither dimensions nor metadata.
    scores = replace(scores, named={**scores.named, **own})
    layout = _run_layout(scores) or find_layout(scores)
    for repeats, part in _by_repeat(scores, layout, own, problems).items():
        sources[repeats] = RatingSource(task, scores.table.path)
        read_table_ratings(part, sources[repeats], layout)
    return _by_method(sources, str(path), problems)


def _unescaped(scores: RatingTable) -> RatingTable:
    def plain(row: Row) -> Row:
        if not any(text.startswith("'") for text in row.cells.values()):
            return row
        return replace(row, cells={title: unescape(text) for title, text in row.cells.items()})

    return replace(scores, table=replace(scores.table, rows=tuple(map(plain, scores.table.rows))))


def _without_panel(scores: RatingTable) -> RatingTable:
    """Leave out the rows that sum up a panel of judges, who stand in the table themselves.

    Tables of version 0.1 have such rows; today's have none, and a judge may be called like a statistic. Such
    rows say how many sheets they sum up or, in a table of repeats, of which repeat they are not. In other
    tables the name tells, unless there is no other judge to be summed up.
    """
    table, title = scores.table, scores.named["rater"]
    if title is None or _run_names(table.header, [wide_names(scores.task)]) is not None:
        return scores
    summed = [row for row in table.rows if is_panel_judge(row.cells[title])]
    if N_SHEETS in table.header:
        summed = [row for row in summed if clean_name(row.cells[N_SHEETS])]
    elif REPEATS[0] in table.header:
        summed = [row for row in summed if not clean_name(row.cells[REPEATS[0]])]
    elif len(summed) == len(table.rows):
        return scores
    numbers = {row.number for row in summed}
    rows = tuple(row for row in table.rows if row.number not in numbers)
    return replace(scores, table=replace(table, rows=rows))


def _run_names(header: Sequence[str], known: Sequence[Mapping[str, str]]) -> Mapping[str, str] | None:
    """Return the columns of the identities in a run's wide table, by one of the known ways to name them."""
    if header[:3] != _RUN_COLUMNS:
        return None
    return next((names for names in known if set(names.values()) <= set(header)), None)


def _run_layout(scores: RatingTable) -> Layout | None:
    """Return the layout of a run's ``scores_wide.csv``, where a column is what it is called and nothing else.

    What responses carried may be called like a dimension, a rater or a score. In version 0.1 the columns were
    called as the identities are.
    """
    header, parts = scores.table.header, identities(scores.task)
    names = _run_names(header, [wide_names(scores.task), dict(zip(parts, parts, strict=True))])
    if names is None:
        return None
    response, method, judge = map(Origin, _RUN_COLUMNS)
    own = {*_RUN_COLUMNS, *names.values(), *REPEATS, N_SHEETS}
    return Layout(
        tuple(ScoreColumn(response, judge, Origin(None, part), title) for part, title in names.items()),
        item=None,
        stage=method.title,
        wide=True,
        metadata=tuple(title for title in header if title not in own),
    )


def _by_repeat(
    scores: RatingTable, layout: Layout, own: Mapping[str, str], problems: Problems
) -> dict[Repeats, RatingTable]:
    """Split a table by the repeats of evidence and judging, of which each is a table of ratings."""
    table = scores.table
    if not own:
        return {(1, 1): scores}
    rows: dict[Repeats, list[Row]] = {}
    for row in table.rows:
        # A repeat without any score is no mistake where others have some.
        cells = {clean_name(row.cells[column.title]) for column in layout.scores}
        if not layout.wide or row.issues or cells - MISSING:
            rows.setdefault(read_repeats(table, row, own, problems), []).append(row)
    parts = {repeats: replace(table, rows=tuple(part)) for repeats, part in rows.items()}
    return {repeats: replace(scores, table=part) for repeats, part in parts.items()} or {(1, 1): scores}


def _by_method(
    sources: Mapping[Repeats, RatingSource], path: str, problems: Iterable[str] = ()
) -> list[Scores]:
    """Make scores of what was written at each repeat, one of each method."""
    sheets: dict[str, list[ScoreSheet]] = {}
    metadata: dict[str, dict[str, dict[str, str]]] = {}
    problems = [*problems, *(problem for source in sources.values() for problem in source.problems)]
    for repeats, source in sources.items():
        numbers = dict(zip(REPEATS, repeats, strict=True))
        for rating in finish_ratings(source.builders, problems):
            sheets.setdefault(rating.stage, []).append(rating.sheet.model_copy(update=numbers))
            columns = {unescape(name): text for name, text in rating.metadata.items()}
            keep_shared(metadata.setdefault(rating.stage, {}), rating.response_id, columns)
    if len(sources) > 1:
        sheets = {method: _in_order(method_sheets) for method, method_sheets in sheets.items()}
    return [Scores(method, tuple(sheets[method]), metadata[method], path) for method in sheets]


def _in_order(sheets: Sequence[ScoreSheet]) -> list[ScoreSheet]:
    """Sort sheets as a run has them: by response, evidence, judge and repeat."""
    responses = {sheet.response_id: number for number, sheet in reversed([*enumerate(sheets)])}
    judges = {sheet.scorer: number for number, sheet in reversed([*enumerate(sheets)])}

    def place(sheet: ScoreSheet) -> tuple[int, int, int, int]:
        response, judge = responses[sheet.response_id], judges[sheet.scorer]
        return response, sheet.evidence_repeat, judge, sheet.judge_repeat

    return sorted(sheets, key=place)
