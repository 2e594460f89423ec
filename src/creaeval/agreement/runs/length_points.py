"""Length and score of each response, as :mod:`creaeval.agreement.runs.verbosity` correlates them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from creaeval.agreement.long_table import without_means
from creaeval.agreement.runs.verbosity import RATERS, scorer_totals

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd

    from creaeval.agreement.options import AgreementOptions
    from creaeval.data import Rating, Scores
    from creaeval.tasks import Task

LENGTH_COLUMNS = ["response_id", "method", "judge", "words", "score", "human"]


def length_points(
    task: Task,
    scores: Sequence[Scores],
    ratings: Sequence[Rating],
    lengths: Mapping[str, int],
    *,
    dimension: str | None = None,
    options: AgreementOptions | None = None,
) -> pd.DataFrame:
    """List the lengths and scores behind the correlations of ``verbosity``.

    Parameters
    ----------
    task : Task
        The task.
    scores : sequence of Scores
        One for each method or run.
    ratings : sequence of Rating
        The raters', of one stage; may be empty.
    lengths : mapping of str to int
        Words by response id.
    dimension : str, optional
        The score to take; default: the Total.
    options : AgreementOptions, optional
        Which of a judge's values.

    Returns
    -------
    pandas.DataFrame
        One row for each method, judge and response that every method and judge scored in full and whose
        length is known: ``words``, ``score`` (in points) and ``human``, the mean of the raters' scores,
        missing where nobody rated the response in full. A judge without a whole sheet has no rows.
    """
    import pandas as pd

    kept, _ = without_means(ratings)
    totals = scorer_totals(task, scores, kept, dimension=dimension, options=options)
    human = totals.pop(("", RATERS), {})
    common = [
        one
        for one in sorted(lengths)
        if totals and all(one in of_judge for of_judge in totals.values() if of_judge)
    ]
    rows = [
        (one, method, judge, lengths[one], of_judge[one], human.get(one, math.nan))
        for (method, judge), of_judge in totals.items()
        for one in common
        if of_judge
    ]
    return pd.DataFrame(rows, columns=LENGTH_COLUMNS).astype({"words": int, "score": float, "human": float})
