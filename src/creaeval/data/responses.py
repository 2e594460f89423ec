"""Read responses, from wherever they stand."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from creaeval.data.reader import read_data
from creaeval.data.tables.reader import RESPONSES

if TYPE_CHECKING:
    from creaeval.data.model import Response
    from creaeval.tasks import Task


def read_responses(sources: Any, task: Task, **reading: Any) -> list[Response]:
    """Read responses.

    Parameters
    ----------
    sources : path, DataFrame, list of dict, Response, or sequence of them
        As for :func:`creaeval.data.read_data`.
    task : Task
        The task that was answered.
    **reading
        How files are read: fields of :class:`creaeval.data.Reading`, such as ``columns={"text": "Idee"}``,
        ``split=";"``, ``missing=["-99"]`` or ``strict=True``.

    Returns
    -------
    list of Response
        In the order of the sources and of the responses in them. A step of which nothing is written is
        absent. What was found out about the files is said in UserWarnings.

    Raises
    ------
    DataError
        With every problem found in every file, among them two responses with one id.
    SettingError
        A setting that there is not, or that says nothing.
    """
    found = read_data(sources, task, want=(RESPONSES,), **reading)
    for note in found.notes:
        warnings.warn(note, stacklevel=2)
    return found.responses
