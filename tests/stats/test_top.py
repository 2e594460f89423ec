"""Mean of the best ideas, by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from creaeval.stats.top import top_mean

POINTS = [1.0, 4.0, 2.5, 4.0, 3.0]


@pytest.mark.parametrize(("k", "expected"), [(1, 4), (2, 4), (3, 11 / 3), (4, 13.5 / 4), (5, 14.5 / 5)])
def test_the_highest_points_are_averaged(k: int, expected: float) -> None:
    assert top_mean(POINTS, k) == pytest.approx(expected)
    assert top_mean(np.array(POINTS[::-1]), k) == pytest.approx(expected)


def test_of_fewer_ideas_than_asked_for_there_is_no_value() -> None:
    assert math.isnan(top_mean(POINTS, 6))
    assert math.isnan(top_mean([], 1))


@pytest.mark.parametrize(("points", "k"), [(POINTS, 0), ([1.0, math.nan], 1), ([POINTS], 1)])
def test_what_is_no_list_of_points_is_refused(points: list[float], k: int) -> None:
    with pytest.raises(ValueError, match="a list of points without missing values"):
        top_mean(points, k)
