"""Data of textbooks, and matrices as long ratings."""

from __future__ import annotations

import numpy as np

from creaeval.stats.variance.design import Ratings, make_ratings

# Brennan (2001), Generalizability Theory, synthetic data set 1 (persons x items), Table 2.2.
BRENNAN_1 = [
    [1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    [1, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0],
    [1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0],
    [1, 1, 0, 1, 1, 0, 0, 1, 0, 0, 0, 0],
    [1, 1, 1, 1, 1, 0, 1, 0, 0, 0, 0, 0],
    [1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 0, 0],
    [1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0],
    [1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 0, 0],
    [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0],
    [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
]
# Synthetic data set 3 (persons x items x occasions): occasions, items, persons.
BRENNAN_3 = np.array(
    [
        [
            [2, 4, 5, 5, 4, 4, 2, 3, 0, 6],
            [6, 5, 5, 9, 3, 4, 6, 4, 5, 8],
            [7, 6, 4, 8, 5, 4, 6, 4, 4, 7],
            [5, 7, 6, 6, 6, 7, 5, 5, 5, 6],
        ],
        [
            [2, 6, 5, 5, 4, 6, 2, 6, 5, 6],
            [5, 7, 4, 7, 5, 4, 7, 6, 5, 8],
            [5, 5, 5, 7, 6, 7, 7, 6, 5, 8],
            [5, 7, 5, 6, 4, 8, 5, 4, 3, 6],
        ],
    ]
).transpose(2, 1, 0)
# Shrout and Fleiss (1979), Table 2: six targets, four judges.
SHROUT_FLEISS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]


def long(scores: object, *, nested: bool = False) -> Ratings:
    """Ratings of a matrix of responses and raters (and levels of a facet); nan is no rating."""
    data = np.asarray(scores, dtype=float)
    places = np.indices(data.shape).reshape(data.ndim, -1)
    rater = places[0] * data.shape[1] + places[1] if nested else places[1]
    return make_ratings(places[0], rater, data.ravel(), facet=places[2] if data.ndim == 3 else None)
