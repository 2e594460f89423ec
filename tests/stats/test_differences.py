"""Shares, differences in points and the use of a scale, by hand."""

from __future__ import annotations

import math

import pytest

from creaeval import stats

JUDGE = [3, 5, 5, 8, math.nan]
HUMAN = [3, 4, 7, 4, 9]


def test_shares_and_differences_by_hand() -> None:
    # Differences 0, 1, -2, 4; the last pair is incomplete.
    assert stats.exact_agreement(JUDGE, HUMAN) == 1 / 4
    assert stats.adjacent_agreement(JUDGE, HUMAN) == 2 / 4
    assert stats.adjacent_agreement(JUDGE, HUMAN, within=2) == 3 / 4
    assert stats.mean_difference(JUDGE, HUMAN) == 3 / 4
    assert stats.mean_absolute_error(JUDGE, HUMAN) == 7 / 4
    assert stats.rmse(JUDGE, HUMAN) == pytest.approx(math.sqrt(21 / 4))


def test_adjacent_allows_for_binary_fractions() -> None:
    assert stats.adjacent_agreement([5.3, 5.3], [4.3, 4.29]) == 1 / 2


def test_a_lenient_judge_has_a_positive_difference() -> None:
    assert stats.mean_difference([4, 5], [2, 3]) == 2


def test_use_of_the_scale_by_hand() -> None:
    assert stats.range_use([2, 5, 4, math.nan], 0, 10) == 3 / 10
    assert stats.range_use([5, 5], 0, 10) == 0
    assert stats.range_use([1, 10], 1, 10) == 1
    # Deviations -2 0 2: 8 / 2.
    assert stats.standard_deviation([2, 4, 6, math.nan]) == 2
    for empty in ([], [math.nan], [3]):
        assert math.isnan(stats.range_use(empty, 0, 10))
        assert math.isnan(stats.standard_deviation(empty))


def test_what_is_off_the_scale_or_no_scale_is_refused() -> None:
    with pytest.raises(ValueError, match=r"1 of 2 scores are off the scale from 1 to 10, such as 11$"):
        stats.range_use([2, 11], 1, 10)
    with pytest.raises(ValueError, match="from a lower to a higher value"):
        stats.range_use([2, 3], 5, 5)
    with pytest.raises(ValueError, match="within 0 or more points, not within -1"):
        stats.adjacent_agreement([1], [1], within=-1)
    with pytest.raises(ValueError, match="within nan"):
        stats.adjacent_agreement([1], [1], within=math.nan)
