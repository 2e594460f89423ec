"""Read ratings from files of any form we know."""

from __future__ import annotations

from typing import TYPE_CHECKING

from creaeval.data.files import list_files, read_documents, unknown_ending
from creaeval.data.formats.aut_release import USE_ID, is_aut_table, read_aut_means
from creaeval.data.formats.cgpst_release import is_released_form, read_released_ratings
from creaeval.data.formats.cgpst_workbook import rater_sheets, read_rater_sheets
from creaeval.data.formats.own_json import read_json_ratings
from creaeval.data.formats.ttcw_release import STORY_ID, is_verdict_table, read_verdicts
from creaeval.data.rating_builder import RatingSource, finish_ratings
from creaeval.data.tables.columns import RATING_COLUMNS, check_roles, check_table, find_roles, role_hint
from creaeval.data.tables.layouts import RatingTable, fits_ratings
from creaeval.data.tables.opening import TABLES, open_tables, split_sheet
from creaeval.data.tables.rating_rows import read_table_ratings
from creaeval.errors import Problems
from creaeval.tasks import fold

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from creaeval.data.model import Rating
    from creaeval.data.rating_builder import RatingBuilder
    from creaeval.data.tables.opening import TableFile
    from creaeval.tasks import Task

_ENDINGS = {".json", ".jsonl", *TABLES}
#: Without these there is no table of ratings.
_NEEDED = ("response_id", "rater", "dimension", "score")


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
        :mod:`creaeval.data.formats.cgpst_workbook`).
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
    problems = Problems()
    builders: list[RatingBuilder] = []
    for path in list_files(paths, _ENDINGS):
        source = RatingSource(task, path)
        with problems.collect():
            read_file(source, own_names, blank_is_no=blank_is_no)
        problems.extend(source.problems)
        builders += source.builders
    return finish_ratings(builders, problems)


def read_file(source: RatingSource, columns: Mapping[str, str], *, blank_is_no: bool = False) -> None:
    """Read a file of ratings; what is wrong with single values is added to the problems of ``source``."""
    match split_sheet(source.path)[0].suffix.lower():
        case ending if ending in TABLES:
            file = open_tables(source.path)
            if file.sheets and (sheets := rater_sheets(file, source.task, columns)):
                read_rater_sheets(sheets, file, source)
                return
            ratings = open_ratings(file, source.task, columns, RATING_COLUMNS)
            header = ratings.table.header
            if is_aut_table(header):
                read_aut_means(ratings.table, source)
            elif is_verdict_table(header) and "rater" in header:
                read_verdicts(ratings.table, source, scorer="rater", blank_is_no=blank_is_no)
            else:
                read_table_ratings(ratings, source)
        case ".json" | ".jsonl":
            for where, document in read_documents(source.path):
                read = read_released_ratings if is_released_form(document) else read_json_ratings
                read(document, where, source)
        case _:
            raise unknown_ending(source.path, _ENDINGS)


def open_ratings(
    file: TableFile, task: Task, columns: Mapping[str, str], standard: Mapping[str, tuple[str, ...]]
) -> RatingTable:
    """Read the table of ratings in a CSV file or an Excel workbook; DataError if there is none.

    ``columns`` are the file's own names by role, ``standard`` those each role has otherwise.
    """

    def fits(header: Sequence[str]) -> bool:
        if is_aut_table(header) or is_verdict_table(header):
            return True
        return fits_ratings(header, task, find_roles(header, columns, standard))

    def hint(header: Sequence[str], roles: Sequence[str] = _NEEDED) -> str:
        return role_hint(header, roles, columns, standard)

    keys = (*standard["response_id"], *standard["rater"], *columns.values(), USE_ID, STORY_ID)
    table = file.table(keys, fits, hint)
    named = check_table(table, columns, standard)
    return RatingTable(table, task, named, lambda roles: hint(table.header, roles))


def unmatched(ratings: Iterable[Rating], response_ids: Iterable[str]) -> list[str]:
    """Name every id that was rated and has no response.

    Parameters
    ----------
    ratings : iterable of Rating
        The ratings.
    response_ids : iterable of str
        Ids of the responses.

    Returns
    -------
    list of str
        A sentence for each such id, in the order of the ratings: ``rating id 11 has no response (by A, in
        ratings.xlsx).`` It names a response whose id is written nearly alike, which still is another one:
        ``007`` and ``7`` are two.
    """
    known = dict.fromkeys(response_ids)
    missing: dict[str, list[Rating]] = {}
    for rating in ratings:
        if rating.response_id not in known:
            missing.setdefault(rating.response_id, []).append(rating)
    if not missing:
        return []
    alike: dict[str, str] = {}
    for response_id in known:
        alike.setdefault(_bare(response_id), response_id)
    return [_sentence(name, own, alike.get(_bare(name))) for name, own in missing.items()]


def _sentence(response_id: str, ratings: Sequence[Rating], alike: str | None) -> str:
    raters = ", ".join(dict.fromkeys(rating.rater for rating in ratings))
    files = ", ".join(dict.fromkeys(rating.source for rating in ratings if rating.source))
    where = f" (by {raters}{f', in {files}' if files else ''})."
    hint = f" There is a response {alike!r}; make the ids the same if they are." if alike else ""
    return f"rating id {response_id} has no response{where}{hint}"


def _bare(identifier: str) -> str:
    return fold(identifier).lstrip("0")
