"""Read judges' scores from files: those a run wrote, and tables in any form of ratings."""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from creaeval.data.formats.aut_release import RECORDED, is_aut_table, read_aut_predictions
from creaeval.data.formats.ttcw_release import is_verdict_table, read_verdicts
from creaeval.data.grids.memory import is_frame, is_records, read_frame, read_records
from creaeval.data.grids.opening import TABLES, open_grids, split_sheet
from creaeval.data.ids import clean_name
from creaeval.data.in_training import TrainingColumn, is_training_title
from creaeval.data.model import Scores
from creaeval.data.notes import Notes
from creaeval.data.rating_builder import RatingSource, finish_ratings
from creaeval.data.reader import read_data
from creaeval.data.reading import Reading
from creaeval.data.tables.header import find_only_table
from creaeval.data.tables.layouts import Layout, Origin, ScoreColumn, find_layout
from creaeval.data.tables.rating_rows import read_table_ratings
from creaeval.data.tables.rating_titles import is_rating_title
from creaeval.data.tables.reader import RATINGS
from creaeval.data.tables.score_rows import (
    is_score_table,
    keep_shared,
    read_repeats,
    read_score_table,
    unescape,
)
from creaeval.data.tables.table import find_column
from creaeval.data.words import MISSING
from creaeval.errors import DataError, Problems
from creaeval.sheets.panel import N_SHEETS, is_panel_judge
from creaeval.sheets.score_sheet import REPEATS
from creaeval.sheets.variables import wide_names
from creaeval.tasks import fold, identities

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from creaeval.data.grids.grid import Grid
    from creaeval.data.model import Rating
    from creaeval.data.tables.table import Row, Table
    from creaeval.sheets import ScoreSheet
    from creaeval.tasks import Task

    Repeats = tuple[int, int]

#: A run's wide table begins so.
_RUN_COLUMNS = ("response_id", "method", "judge")
#: What the column of judges is called.
_JUDGES = ("judge", "rater", "model")
#: What else tells a header of scores.
_OWN_TITLES = frozenset({"responseid", "judge", "model", "method", "modelscore", "computedscore"})


def read_scores(source: Any, task: Task, **reading: Any) -> list[Scores]:
    """Read judges' scores.

    Parameters
    ----------
    source : path, DataFrame or list of dict
        A run's ``scores.csv``, the folder it is in, or a file of any form that
        :func:`~creaeval.data.read_ratings` reads, where the column ``rater`` may also be called ``judge`` or
        ``model``, and a column ``method`` tells methods apart. Rows that sum up a panel of judges are left
        out, also of a run's ``scores_wide.csv``.
    task : Task
        The task that was judged.
    **reading
        As for :func:`~creaeval.data.read_ratings`; of ``columns``, ``stage`` is not used, since judges have
        none, nor is any for a ``scores.csv`` of our own.

    Returns
    -------
    list of Scores
        One a method, in the order of the file. Of a ``scores.csv`` the values are those of the file: nothing
        is computed anew, and sums that a judge wrote may lie outside their range. A judge has a sheet for
        each repeat of evidence and of judging, as in a run. A column ``in_training`` (yes or no) says which
        responses a judge was trained on.

    Raises
    ------
    DataError
        With every problem found.
    """
    grids = _grids(source, reading.get("sheet", ""))
    if grids is None:
        found = read_data(source, task, want=(RATINGS,), **reading)
        return _by_method({(1, 1): found.ratings}, str(source))
    chosen = Reading.of(**reading)
    columns = {role: titles for role, titles in chosen.columns.items() if role != "stage"}
    chosen = chosen.model_copy(update={"columns": columns})
    table = _without_panel(_open(grids, task, chosen), task)
    path = str(source) if isinstance(source, str | Path) else str(grids[0].path)
    if is_score_table(table.header):
        return read_score_table(table, task, path)
    if is_aut_table(table.header):
        return read_aut_predictions(table, task)
    if is_verdict_table(table.header):
        verdicts = RatingSource(task, table.path, chosen)
        scorer = "judge" if "judge" in table.header else "rater"
        read_verdicts(table, verdicts, scorer=scorer, stage=RECORDED, blank_is_no=chosen.blank_is_no)
        return _by_method({(1, 1): finish_ratings(verdicts.builders, verdicts.problems)}, path)
    return _by_method(_read_rows(table, task, chosen), path)


def _grids(source: Any, sheet: str) -> list[Grid] | None:
    """Open the tables of a source; None where it is a file of another form."""
    if is_frame(source):
        return [read_frame(source, "DataFrame")]
    if is_records(source):
        return [read_records(source, "list")]
    file = Path(source)
    if file.is_dir():
        file = file / "scores.csv"
        if not file.exists():
            raise DataError(
                f"{source}: holds no scores.csv, expected the folder that `creaeval score --out DIR` wrote, "
                "or a file of scores."
            )
    return open_grids(file, sheet) if split_sheet(file)[0].suffix.lower() in TABLES else None


def _read_rows(table: Table, task: Task, reading: Reading) -> dict[Repeats, list[Rating]]:
    """Read judges as raters of a table in any form of ratings, for each repeat of evidence and judging."""
    own = {name: name for name in (*REPEATS, N_SHEETS) if name in table.header}
    notes = Notes(reading.strict)
    layout = _run_layout(table, task) or find_layout(
        table, task, reading, notes, used=tuple(own), rater_names=_JUDGES, stage="method"
    )
    for note in notes.said:
        warnings.warn(note, stacklevel=3)
    problems = Problems()
    ratings: dict[Repeats, list[Rating]] = {}
    for repeats, part in _by_repeat(table, layout, own, problems).items():
        source = RatingSource(task, table.path, reading)
        read_table_ratings(part, layout, source)
        with problems.collect():
            ratings[repeats] = finish_ratings(source.builders, source.problems)
    problems.stop()
    return ratings


def _open(grids: Sequence[Grid], task: Task, reading: Reading) -> Table:
    """Return the table of scores in a file, as it was before its cells were made safe for spreadsheets."""

    @cache
    def known(title: str) -> bool:
        said = {name for titles in reading.columns.values() for name in titles}
        return title in said or fold(title) in _OWN_TITLES or is_rating_title(title, task)

    def fits(header: Sequence[str]) -> bool:
        return is_score_table(header) or sum(map(known, header)) >= min(2, len(header))

    table = find_only_table(grids, fits, known, reading)

    def plain(row: Row) -> Row:
        if not any(text.startswith("'") for text in row.cells.values()):
            return row
        return replace(row, cells={title: unescape(text) for title, text in row.cells.items()})

    return replace(table, rows=tuple(map(plain, table.rows)))


def _without_panel(table: Table, task: Task) -> Table:
    """Leave out the rows that sum up a panel of judges, who stand in the table themselves.

    Tables of version 0.1 have such rows; today's have none, and a judge may be called like a statistic. Such
    rows say how many sheets they sum up or, in a table of repeats, of which repeat they are not. In other
    tables the name tells, unless there is no other judge to be summed up.
    """
    title = find_column(table.header, *_JUDGES)
    if title is None or _run_names(table.header, [wide_names(task)]) is not None:
        return table
    summed = [row for row in table.rows if is_panel_judge(row.cells[title])]
    if N_SHEETS in table.header:
        summed = [row for row in summed if clean_name(row.cells[N_SHEETS])]
    elif REPEATS[0] in table.header:
        summed = [row for row in summed if not clean_name(row.cells[REPEATS[0]])]
    elif len(summed) == len(table.rows):
        return table
    numbers = {row.number for row in summed}
    return replace(table, rows=tuple(row for row in table.rows if row.number not in numbers))


def _run_names(header: Sequence[str], known: Sequence[Mapping[str, str]]) -> Mapping[str, str] | None:
    """Return the columns of the identities in a run's wide table, by one of the known ways to name them."""
    if header[:3] != _RUN_COLUMNS:
        return None
    return next((names for names in known if set(names.values()) <= set(header)), None)


def _run_layout(table: Table, task: Task) -> Layout | None:
    """Return the layout of a run's ``scores_wide.csv``, where a column is what it is called and nothing else.

    What responses carried may be called like a dimension, a rater or a score. In version 0.1 the columns were
    called as the identities are.
    """
    header, parts = table.header, identities(task)
    names = _run_names(header, [wide_names(task), dict(zip(parts, parts, strict=True))])
    if names is None:
        return None
    response, method, judge = map(Origin, _RUN_COLUMNS)
    own = {*_RUN_COLUMNS, *names.values(), *REPEATS, N_SHEETS}
    return Layout(
        tuple(ScoreColumn(response, judge, Origin(None, part), title) for part, title in names.items()),
        item=None,
        stage=method.title,
        metadata=tuple(title for title in header if title not in own),
    )


def _by_repeat(
    table: Table, layout: Layout, own: Mapping[str, str], problems: Problems
) -> dict[Repeats, Table]:
    """Split a table by the repeats of evidence and judging, of which each is a table of ratings."""
    if not own:
        return {(1, 1): table}
    rows: dict[Repeats, list[Row]] = {}
    for row in table.rows:
        # A repeat without any score is no mistake where others have some.
        cells = {clean_name(row.cells[column.title]) for column in layout.scores}
        if row.issues or cells - MISSING:
            rows.setdefault(read_repeats(table, row, own, problems), []).append(row)
    return {repeats: replace(table, rows=tuple(part)) for repeats, part in rows.items()} or {(1, 1): table}


def _by_method(ratings: Mapping[Repeats, Sequence[Rating]], path: str) -> list[Scores]:
    """Make scores of what was written at each repeat, one of each method."""
    sheets: dict[str, list[ScoreSheet]] = {}
    metadata: dict[str, dict[str, dict[str, str]]] = {}
    training, problems = TrainingColumn(), Problems()
    for repeats, repeat in ratings.items():
        numbers = dict(zip(REPEATS, repeats, strict=True))
        for rating in repeat:
            sheets.setdefault(rating.stage, []).append(rating.sheet.model_copy(update=numbers))
            columns = {unescape(name): text for name, text in rating.metadata.items()}
            for name in filter(is_training_title, list(columns)):
                try:
                    training.add(rating.stage, rating.rater, rating.response_id, columns.pop(name))
                except ValueError as error:
                    problems.add(f"{path}: response {rating.response_id!r}, column {name!r}: {error}.")
            keep_shared(metadata.setdefault(rating.stage, {}), rating.response_id, columns)
    problems.stop()
    if len(ratings) > 1:
        sheets = {method: _in_order(method_sheets) for method, method_sheets in sheets.items()}
    return [
        Scores(method, tuple(sheets[method]), metadata[method], path, trained_on=training.of(method))
        for method in sheets
    ]


def _in_order(sheets: Sequence[ScoreSheet]) -> list[ScoreSheet]:
    """Sort sheets as a run has them: by response, evidence, judge and repeat."""
    responses = {sheet.response_id: number for number, sheet in reversed([*enumerate(sheets)])}
    judges = {sheet.scorer: number for number, sheet in reversed([*enumerate(sheets)])}

    def place(sheet: ScoreSheet) -> tuple[int, int, int, int]:
        response, judge = responses[sheet.response_id], judges[sheet.scorer]
        return response, sheet.evidence_repeat, judge, sheet.judge_repeat

    return sorted(sheets, key=place)
