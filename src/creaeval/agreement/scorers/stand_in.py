"""May a judge stand in for a rater: the alternative annotator test for each judge and dimension."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    from creaeval.agreement.rating_data import RatingData

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


def stand_in(data: RatingData, epsilon: float = 0.2) -> pd.DataFrame:
    """Test for every judge and dimension whether it represents the raters as well as one of them would.

    ``epsilon`` is the allowance for the judge being cheaper, 0 to 1: 0.2 beside experts, 0.15 beside skilled
    raters, 0.1 beside a crowd.

    Returns
    -------
    pandas.DataFrame
        One row for each judge and dimension. ``decision`` is "passes", "fails" or "not decidable";
        ``winning_rate`` the share of raters that the judge wins against, missing where not decidable;
        ``advantage`` the average advantage probability, missing where no rater has enough responses.
        ``n_items`` counts the responses with the judge's points and those of two raters or more,
        ``n_annotators`` the raters who scored this dimension. ``reason`` says why it is not decidable, else
        what decided; ``warnings`` what a reader has to know.

    Notes
    -----
    Calderon, Reichart and Dror (2025), arXiv 2501.10970; see :mod:`creaeval.stats.alt_test`. The test leaves
    each rater out in turn, so it needs three raters with 30 responses each: two raters have no consensus.
    """
    import numpy as np
    import pandas as pd

    from creaeval.stats.alt_test import alternative_annotator_test

    table = []
    for judge in data.judges:
        for dimension in data.dimensions:
            ratings = data.take(dimension, data.raters)
            rated = np.flatnonzero((~np.isnan(ratings)).any(axis=0)).tolist()
            names = [data.raters[column].label for column in rated]
            own = data.take(dimension, [judge])[:, 0]
            test = alternative_annotator_test(own, ratings[:, rated], epsilon=epsilon, names=names)
            outcome = (test.decision, test.winning_rate, test.average_advantage_probability)
            counts = (test.n_items, len(names), test.reason, " ".join(test.warnings))
            table.append((data.label(judge), dimension, *outcome, *counts))
    return pd.DataFrame(table, columns=STAND_IN_COLUMNS)
