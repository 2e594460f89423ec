"""Made-up ratings of ten designs, the same on every machine, to hold against R's lme4."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable


class Cells(NamedTuple):
    """Ratings in long form."""

    response: np.ndarray
    rater: np.ndarray
    third: np.ndarray
    value: np.ndarray


class Numbers:
    """Nearly normal numbers from a congruential generator (glibc's), as the sum of 12 uniform ones less 6."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def uniform(self) -> float:
        self.state = (1103515245 * self.state + 12345) % 2**31
        return self.state / 2**31

    def normal(self, sd: float, *shape: int) -> np.ndarray:
        size = int(np.prod(shape))
        return np.array([sd * (sum(self.uniform() for _ in range(12)) - 6) for _ in range(size)]).reshape(
            shape
        )


def two_way(
    seed: int, cells: Iterable[tuple[int, int]], sds: tuple[float, float, float], clusters: int = 0
) -> Cells:
    """Ratings in whole points around 10; `sds` of response, rater and residual, and 1.5 of clusters."""
    places = np.array(sorted(set(cells)))
    response, rater = places.T
    numbers = Numbers(seed)
    of_response = numbers.normal(sds[0], int(response.max()) + 1)
    of_rater = numbers.normal(sds[1], int(rater.max()) + 1)
    value = 10 + of_response[response] + of_rater[rater] + numbers.normal(sds[2], len(places))
    cluster = response % max(clusters, 1)
    if clusters:
        value = value + numbers.normal(1.5, clusters)[cluster]
    return Cells(response, rater, cluster, np.round(value))


def gaps(seed: int, n: int, k: int, share: float) -> list[tuple[int, int]]:
    numbers = Numbers(seed)
    return [cell for cell in product(range(n), range(k)) if numbers.uniform() > share]


def planned(n: int, k: int) -> list[tuple[int, int]]:
    """Each response by 2 of k raters, all pairs in turn."""
    pairs = [(a, b) for a in range(k) for b in range(a)]
    return [(row, rater) for row in range(n) for rater in pairs[row % len(pairs)]]


def three_way(seed: int, n: int, k: int, levels: int, share: float) -> Cells:
    """Ratings of participants by raters at levels of a facet, some missing."""
    numbers = Numbers(seed)
    person, rater, level = (numbers.normal(sd, size) for sd, size in ((2, n), (1, k), (0.7, levels)))
    crossed = numbers.normal(0.8, n, k), numbers.normal(1.0, n, levels), numbers.normal(0.6, k, levels)
    rows = []
    for p, r, f in product(range(n), range(k), range(levels)):
        error, missing = numbers.normal(1.2, 1)[0], numbers.uniform() < share
        if not missing:
            mean = (
                10 + person[p] + rater[r] + level[f] + crossed[0][p, r] + crossed[1][p, f] + crossed[2][r, f]
            )
            rows.append((p, r, f, round(mean + error)))
    response, who, third, value = np.array(rows).T
    return Cells(response, who, third, value.astype(float))


PAIRS = [(row, rater) for row in range(60) for rater in ((0, 1), (1, 2), (2, 3))[row % 3]]
UNEQUAL = [(row, (row + shift) % 7) for row in range(45) for shift in range(1 + row % 5)]

DESIGNS = {
    "missing at random": two_way(1, gaps(11, 50, 4, 0.25), (2, 1, 1.5)),
    "chain of pairs": two_way(2, PAIRS, (2, 1.5, 1.2)),
    "2 of 6 planned": two_way(3, planned(75, 6), (1.5, 1, 2)),
    "nested": two_way(
        4, [(row, 3 * row + rater) for row in range(40) for rater in range(1 + row % 3)], (2, 1, 1)
    ),
    "unequal numbers": two_way(5, UNEQUAL, (2, 1, 1)),
    "rater with one rating": two_way(6, [*gaps(16, 40, 3, 0.2), (7, 3)], (2, 1, 1)),
    "big residual": two_way(7, gaps(17, 60, 5, 0.4), (1, 0.5, 6)),
    "no rater variance": two_way(8, gaps(18, 50, 5, 0.3), (2, 0, 1.5)),
    "responses in clusters": two_way(9, gaps(19, 80, 4, 0.3), (1.5, 1, 1.2), clusters=16),
    "islands": two_way(
        10, [(row, 2 * (row % 2) + rater) for row in range(50) for rater in range(2)], (2, 1, 1)
    ),
}
FACET = three_way(12, 30, 4, 3, 0.2)
