"""Read ratings from files of any form we know."""

from __future__ import annotations

from typing import TYPE_CHECKING

from creaeval.data.cgpst_json import is_released_form
from creaeval.data.cgpst_ratings import read_released_ratings
from creaeval.data.columns import RATING_COLUMNS, check_roles
from creaeval.data.files import list_files, read_text, unknown_ending
from creaeval.data.json_text import parse_json, parse_json_lines
from creaeval.data.published import is_aut_table, is_verdict_table, read_aut_means, read_verdicts
from creaeval.data.rater_workbook import rater_sheets, read_rater_sheets
from creaeval.data.ratings_json import read_json_ratings
from creaeval.data.ratings_table import open_ratings, read_table_ratings
from creaeval.data.tables import TABLES, split_sheet
from creaeval.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from creaeval.data.draft import RatingDraft
    from creaeval.data.response import Rating
    from creaeval.tasks import Task

_ENDINGS = {".json", ".jsonl", *TABLES}


def read_ratings(
    paths: str | Path | Sequence[str | Path],
    task: Task,
    *,
    columns: Mapping[str, str] | None = None,
    blank_is_no: bool = False,
) -> list[Rating]:
    """Read ratings.

    Parameters
    ----------
    paths : path or sequence of paths
        Files, or folders whose files are read: .json (released CGPST data or our own form), .jsonl, .csv,
        .tsv, .xlsx or .xlsm (``FILE.xlsx#SHEET`` names a sheet; also the workbooks of
        :mod:`creaeval.data.rater_workbook`).
    task : Task
        The task that was rated.
    columns : mapping of str to str, optional
        The tables' own names of columns by role (``response_id``, ``rater``, ``dimension``, ``score``,
        ``item``, ``stage``), such as ``{"rater": "Judge"}``. A table without that column may have the
        standard one.
    blank_is_no : bool
        Whether a blank verdict in a table of verdicts on stories (TTCW) counts as No; else it is missing.

    Returns
    -------
    list of Rating
        One a response, rater and stage, with the computed values on its sheet.

    Raises
    ------
    DataError
        With every problem found in every file, among them a value outside its scale, two ratings of one
        response by one rater at one stage, and a column that is not there.
    """
    own_names = check_roles(columns)
    problems: list[str] = []
    drafts: list[RatingDraft] = []
    for path in list_files(paths, _ENDINGS):
        try:
            drafts += read_drafts(path, task, problems, own_names, blank_is_no=blank_is_no)
        except DataError as error:
            problems += error.problems
    return finish_drafts(drafts, problems)


def finish_drafts(drafts: Sequence[RatingDraft], problems: list[str]) -> list[Rating]:
    """Make the ratings; DataError with all problems if there is one, or if a rating is there twice."""
    ratings = [draft.finish() for draft in drafts]
    problems += _repeated(drafts)
    if problems:
        raise DataError(problems[0], problems[1:])
    return ratings


def read_drafts(
    path: Path,
    task: Task,
    problems: list[str],
    columns: Mapping[str, str],
    *,
    blank_is_no: bool = False,
) -> list[RatingDraft]:
    """Read one file of ratings; what is wrong with single values is added to ``problems``."""
    match split_sheet(path)[0].suffix.lower():
        case ending if ending in TABLES:
            if sheets := rater_sheets(path, task, columns):
                return read_rater_sheets(sheets, path, task, problems)
            header = open_ratings(path, task, columns, RATING_COLUMNS)
            titles = header.table.header
            if is_aut_table(titles):
                return read_aut_means(header.table, task, problems)
            if is_verdict_table(titles) and "rater" in titles:
                return read_verdicts(header.table, task, problems, scorer="rater", blank_is_no=blank_is_no)
            return read_table_ratings(header, problems)
        case ".jsonl":
            lines = parse_json_lines(read_text(path, "JSON Lines"), str(path))
            return [
                draft
                for number, document in lines
                for draft in read_json_ratings(document, path, task, problems, f"{path}, line {number}")
            ]
        case ".json":
            document = parse_json(read_text(path, "JSON"), str(path))
            if is_released_form(document):
                return read_released_ratings(document, path, task, problems)
            return read_json_ratings(document, path, task, problems, str(path))
        case _:
            raise unknown_ending(path, _ENDINGS)


def _repeated(drafts: Sequence[RatingDraft]) -> list[str]:
    first: dict[tuple[str, str, str], str] = {}
    problems = []
    for draft in drafts:
        key = draft.response_id, draft.rater, draft.stage
        if key in first:
            stage = f" at stage {draft.stage!r}" if draft.stage else ""
            problems.append(
                f"{draft.where}: response {draft.response_id!r} was already rated by {draft.rater!r}{stage} "
                f"in {first[key]}. Keep one of the two."
            )
        first.setdefault(key, draft.where)
    return problems
