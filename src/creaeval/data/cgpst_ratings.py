"""Ratings in the released form of CGPST data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from creaeval.data.cgpst_json import read_records, step_entries
from creaeval.data.draft import RatingDraft
from creaeval.data.ids import clean_id, clean_name
from creaeval.data.item_words import INVALID
from creaeval.tasks import fold

if TYPE_CHECKING:
    from pathlib import Path

    from creaeval.data.cgpst_json import StepEntries
    from creaeval.tasks import Task


def read_released_ratings(
    document: list[Any], path: Path, task: Task, problems: list[str]
) -> list[RatingDraft]:
    """Read the ratings of a released file.

    Parameters
    ----------
    document : list
        The parsed file.
    path : Path
        Its name.
    task : Task
        The task that was rated.
    problems : list of str
        What is wrong is added here.

    Returns
    -------
    list of RatingDraft
        One a rater and record.
    """
    drafts = []
    for record in read_records(document, path, problems):
        for rater, sheet in zip(record.raters, record.sheets, strict=True):
            where = f"{record.where}, rater {rater[:60]}"
            try:
                names = clean_id(record.id), clean_id(rater)
            except ValueError as error:
                problems.append(f"{where}: {error}.")
                continue
            draft = RatingDraft(task, *names, str(path), where, problems)
            if isinstance(record.scenario, str):
                draft.carry({"scenario": clean_name(record.scenario)})
            for entries in step_entries(sheet, task, where, problems):
                _put_step(draft, entries, problems)
            for name, value in sheet.items():
                if fold(name) in {"total", "totalscore"}:
                    draft.put("total", value, f"{where}, {name}")
            drafts.append(draft)
    return drafts


def _put_step(draft: RatingDraft, entries: StepEntries, problems: list[str]) -> None:
    step, where = entries.step, f"{draft.where}, {entries.name}"
    if step.items is not None:
        for number, entry in enumerate(entries.entries, 1):
            written = {name: value for name, value in entry.items() if name != "Content"}
            if not written:
                problems.append(f"{where}, item {number}: found neither points nor {INVALID!r}.")
            for name, value in written.items():
                draft.put(name, value, f"{where}, item {number}, {name}", step, number)
    for name, value in entries.values.items():
        draft.put(name, value, f"{where}, {name}", step)
