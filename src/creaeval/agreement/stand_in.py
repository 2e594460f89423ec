"""May a judge stand in for a rater: the alternative annotator test for each judge and dimension."""

from __future__ import annotations

from typing import TYPE_CHECKING

from creaeval.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

STAND_IN_COLUMNS = [
    "scorer",
    "dimension",
    "decision",
    "winning_rate",
    "advantage",
    "n_items",
    "n_annotators",
    "reason",
    "warnings",
]


def stand_in(
    points: pd.DataFrame,
    dimensions: Sequence[str],
    *,
    epsilon: float = 0.2,
) -> pd.DataFrame:
    """Test for every judge and dimension whether it represents the raters as well as one of them would.

    Parameters
    ----------
    points : pandas.DataFrame
        Columns ``response_id``, ``scorer``, ``kind`` (judge or rater), ``dimension`` and ``points``, one row
        a value.
    dimensions : sequence of str
        Identities, in the order wanted.
    epsilon : float
        Allowance for the judge being cheaper, 0 to 1: 0.2 beside experts, 0.15 beside skilled raters, 0.1
        beside a crowd.

    Returns
    -------
    pandas.DataFrame
        One row for each judge and dimension. ``decision`` is "passes", "fails" or "not decidable";
        ``winning_rate`` the share of raters that the judge wins against, missing where not decidable;
        ``advantage`` the average advantage probability, missing where no rater has enough responses.
        ``n_items`` counts the responses with the judge's points and those of two raters or more,
        ``n_annotators`` the raters who scored this dimension. ``reason`` says why it is not decidable, else
        what decided; ``warnings`` what a reader has to know.

    Raises
    ------
    SettingError
        epsilon makes no sense.

    Notes
    -----
    Calderon, Reichart and Dror (2025), arXiv 2501.10970; see :mod:`creaeval.stats.alt_test`. The test leaves
    each rater out in turn, so it needs three raters with 30 responses each: two raters have no consensus.
    """
    import numpy as np
    import pandas as pd

    from creaeval.agreement.matrix import matrix, responses, scorers
    from creaeval.stats.alt_test import alternative_annotator_test

    if not 0 <= epsilon <= 1:
        raise SettingError(f"epsilon: expected 0 to 1, not {epsilon}.")
    judges, raters, rows = scorers(points, "judge"), scorers(points, "rater"), responses(points)
    of_judges = {dimension: matrix(points, dimension, judges, rows) for dimension in dimensions}
    of_raters = {dimension: matrix(points, dimension, raters, rows) for dimension in dimensions}
    table = []
    for number, (_, judge) in enumerate(judges):
        for dimension in dimensions:
            ratings = of_raters[dimension]
            rated = np.flatnonzero((~np.isnan(ratings)).any(axis=0)).tolist()
            names = [raters[column][1] for column in rated]
            own = of_judges[dimension][:, number]
            found = alternative_annotator_test(own, ratings[:, rated], epsilon=epsilon, names=names)
            outcome = (found.decision, found.winning_rate, found.average_advantage_probability)
            warnings = " ".join(found.warnings)
            table.append((judge, dimension, *outcome, found.n_items, len(names), found.reason, warnings))
    return pd.DataFrame(table, columns=STAND_IN_COLUMNS)
