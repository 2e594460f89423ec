"""What a data set has beside its responses: scores made elsewhere and people's ratings."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from creaeval.data import read_ratings, read_scores
from creaeval.errors import DataError
from creaeval.methods import canonical_name

if TYPE_CHECKING:
    from creaeval.data import Rating, Scores
    from creaeval.experiments.file import DataSet
    from creaeval.tasks import Task


def read_recorded(name: str, given: DataSet, task: Task) -> tuple[tuple[Scores, ...], list[Rating]]:
    """Read a data set's scores made elsewhere, and its ratings of the stage that it names.

    Parameters
    ----------
    name : str
        The data set's name.
    given : DataSet
        The data set.
    task : Task
        Its task.

    Returns
    -------
    tuple of (tuple of Scores, list of Rating)
        Of all responses, whatever ``only`` says.

    Raises
    ------
    InputError
        A file is wrong or not there, or no rating is of the stage.
    """
    scores = tuple(
        replace(each, method=canonical_name(each.method))
        for path in given.scores
        for each in read_scores(path, task, blank_is_no=given.blank_is_no)
    )
    if not given.ratings:
        return scores, []
    ratings = read_ratings(given.ratings, task, columns=given.columns, blank_is_no=given.blank_is_no)
    if given.rating_stage is None:
        return scores, ratings
    kept = [rating for rating in ratings if rating.stage == given.rating_stage]
    if ratings and not kept:
        stages = ", ".join(sorted({rating.stage or "(none)" for rating in ratings}))
        raise DataError(
            f"data set {name!r}, rating_stage: no rating is of the stage {given.rating_stage!r}; "
            f"found {stages}."
        )
    return scores, kept
