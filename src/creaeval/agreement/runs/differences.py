"""Scores beside ratings, as plain differences: what a single response allows, which is no agreement."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from creaeval.tasks import identities

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from creaeval.data import Rating
    from creaeval.runs import Run

COLUMNS = ["response_id", "judge", "rater", "dimension", "score", "rating", "difference"]


def differences(run: Run, ratings: Sequence[Rating]) -> pd.DataFrame:
    """Put every final score beside every rater's, for the responses that have both.

    Parameters
    ----------
    run : Run
        The scores.
    ratings : sequence of Rating
        The ratings; those of other responses are left out.

    Returns
    -------
    pandas.DataFrame
        One row for each response, judge, rater and identity: ``score``, ``rating`` and ``difference``
        (score minus rating, in points; positive means the judge gave more). Missing where either is.
    """
    import pandas as pd

    of_response: defaultdict[str, list[Rating]] = defaultdict(list)
    for rating in ratings:
        of_response[rating.response_id].append(rating)
    rows = [
        (sheet.response_id, sheet.label, rating.rater, identity, score, rated, _minus(score, rated))
        for sheet in run.sheets
        for rating in of_response.get(sheet.response_id, ())
        for identity in identities(run.task)
        for score, rated in [(sheet.final(identity), rating.sheet.final(identity))]
    ]
    return pd.DataFrame(rows, columns=COLUMNS).astype(
        {"score": "Float64", "rating": "Float64", "difference": "Float64"}
    )


def _minus(score: float | None, rating: float | None) -> float | None:
    return None if score is None or rating is None else score - rating
