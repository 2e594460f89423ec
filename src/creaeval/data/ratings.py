"""Read ratings, from wherever they stand."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from creaeval.data.reader import read_data
from creaeval.data.tables.reader import RATINGS

if TYPE_CHECKING:
    from creaeval.data.model import Rating
    from creaeval.tasks import Task


def read_ratings(sources: Any, task: Task, **reading: Any) -> list[Rating]:
    """Read ratings.

    Parameters
    ----------
    sources : path, DataFrame, list of dict, Rating, or sequence of them
        As for :func:`creaeval.data.read_data`.
    task : Task
        The task that was rated.
    **reading
        How files are read: fields of :class:`creaeval.data.Reading`, such as ``columns={"rater": "Judge"}``,
        ``missing=["-99"]``, ``levels=["low", "high"]`` or ``blank_is_no=True``.

    Returns
    -------
    list of Rating
        One a response, rater and stage, with the computed values on its sheet. What was found out about the
        files is said in UserWarnings.

    Raises
    ------
    DataError
        With every problem found in every file, among them a value outside its scale, two ratings of one
        response by one rater at one stage, and a column that is not there.
    SettingError
        A setting that there is not, or that says nothing.
    """
    found = read_data(sources, task, want=(RATINGS,), **reading)
    for note in found.notes:
        warnings.warn(note, stacklevel=2)
    return found.ratings
