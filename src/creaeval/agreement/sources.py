"""Take scores and ratings in any form people hold them in: runs, our objects, files, DataFrames, lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from creaeval.data import Rating, Scores, read_ratings, read_scores
from creaeval.data.grids.memory import is_frame, is_records
from creaeval.data.scales import find_task
from creaeval.errors import DataError
from creaeval.runs.run import Run
from creaeval.tasks import Task, load_task

if TYPE_CHECKING:
    from creaeval.agreement.agree import AgreementReport
    from creaeval.agreement.options import AgreementOptions

#: A file, a DataFrame, a list of dicts, an object of ours, or a sequence of them.
Source: TypeAlias = Any


def as_scores(sources: Source, task: Task) -> list[Scores | Run]:
    """Read judges' scores from all of the sources; DataError names the place of what is none."""
    single = isinstance(sources, str | Path | Scores | Run) or is_frame(sources) or is_records(sources)
    found: list[Scores | Run] = []
    for number, source in enumerate([sources] if single else sources, 1):
        if isinstance(source, Scores | Run):
            found.append(source)
        elif isinstance(source, str | Path) or is_frame(source) or is_records(source):
            found += read_scores(source, task)
        else:
            raise DataError(
                f"Scores, entry {number}: found {source!r:.80} ({type(source).__name__}), expected a run, "
                "Scores, a path, a DataFrame or a list of dicts."
            )
    return found


def as_ratings(sources: Source, task: Task, reading: Mapping[str, Any] | None = None) -> list[Rating]:
    """Read people's ratings from all of the sources; objects of ours are taken as they are."""
    if isinstance(sources, Sequence) and all(isinstance(source, Rating) for source in sources):
        return list(sources)
    return read_ratings(sources, task, **(reading or {}))


def raters(
    ratings: Source,
    task: str | Path | Task | None = None,
    options: AgreementOptions | None = None,
    *,
    scale: str | None = None,
    reading: Mapping[str, Any] | None = None,
    **settings: Any,
) -> AgreementReport:
    """Measure how well raters agree with each other.

    Parameters
    ----------
    ratings : path, DataFrame, list of dict, Rating, or sequence of them
        People's scores.
    task : str, Path or Task, optional
        What was rated; without it ``scale`` is needed.
    options : AgreementOptions, optional
        How agreement is measured.
    scale : str, optional
        The points of the ratings, such as ``"1-10"``, ``"0 to 4"`` or ``"low/medium/high"``; the dimensions
        are those of the ratings.
    reading : mapping of str to object, optional
        How ratings are read: fields of :class:`creaeval.data.Reading`, such as ``{"missing": ["-99"]}``.
    **settings
        Single settings as for :func:`agree`, such as ``resamples=0``.

    Returns
    -------
    AgreementReport

    Raises
    ------
    DataError, SettingError
        The ratings cannot be read, or there is nothing to compare.
    """
    from creaeval.agreement.agree import agree

    how = dict(reading or {})
    if not isinstance(task, Task):
        if task is None or scale is not None:
            task, how = find_task(ratings, None if task is None else str(task), scale, how)
        else:
            task = load_task(task)
    return agree(task, (), as_ratings(ratings, task, how), options, **settings)
