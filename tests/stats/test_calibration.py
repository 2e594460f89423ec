"""Calibration by hand, and that no correction was fitted on what it corrects."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from creaeval.stats.calibration import calibration_curve, monotone_correction

rows = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 9), st.integers(0, 4)), min_size=2, max_size=25)


def test_curve_by_hand() -> None:
    judge = [1, 1, 2, 2.5, 3, np.nan, 3]
    human = [2, 3, 2, 4, 1, 5, np.nan]
    curve = calibration_curve(judge, human, [1, 2, 3, 4])
    assert [(p.level, p.n) for p in curve.points] == [(1, 2), (2, 1), (3, 1), (4, 0)]
    assert [p.mean_human for p in curve.points[:3]] == [2.5, 2.0, 1.0]
    assert [p.bias for p in curve.points[:3]] == [-1.5, 0.0, 2.0]
    assert math.isnan(curve.points[3].mean_human)
    assert math.isnan(curve.points[3].bias)
    assert (curve.n, curve.n_missing) == (5, 2)
    assert curve.bias == pytest.approx((-1 - 2 + 0 - 1.5 + 2) / 5)


def test_a_curve_without_pairs_is_undefined() -> None:
    curve = calibration_curve([np.nan], [1], [1, 2])
    assert math.isnan(curve.bias)
    assert curve.n == 0


def test_correction_by_hand() -> None:
    # Fitted on cluster a: 1 -> 2, 2 -> 4, 3 -> 3 violates the order, so the last two are pooled at 3.5.
    judge = [1, 2, 3, 1, 1.5, 2.5, 9, 0]
    human = [2, 4, 3, 7, 7, 7, 7, 7]
    result = monotone_correction(judge, human, list("aaabbbbb"), n_folds=2)
    assert result.corrected == pytest.approx([7, 7, 7, 2, 2.75, 3.5, 3.5, 2])
    assert (result.n_folds, result.n_clusters, result.n_undefined) == (2, 2, 0)


def test_pooling_weighs_levels_by_their_pairs() -> None:
    # Three pairs at 1 with mean 4, one at 2 with 2: pooled (3 x 4 + 2) / 4 = 3.5
    result = monotone_correction([1, 1, 1, 2, 1], [3, 4, 5, 2, 0], list("aaaab"), n_folds=2)
    assert result.corrected[4] == pytest.approx(3.5)


def test_a_shifted_judge_is_put_right() -> None:
    generator = np.random.default_rng(5)
    human = generator.integers(1, 8, 200).astype(float)
    judge = human + 2
    result = monotone_correction(judge, human, np.arange(200) // 4)
    assert result.corrected == pytest.approx(human)
    assert (result.n_folds, result.n_clusters) == (5, 50)
    assert np.bincount(result.folds).tolist() == [40] * 5


@given(rows, st.integers(2, 5), st.integers(0, 5))
@settings(max_examples=60)
def test_what_is_corrected_was_never_seen(data: list[tuple[int, int, int]], n_folds: int, seed: int) -> None:
    judge, human, groups = np.array(data, dtype=float).T
    before = monotone_correction(judge, human, groups, n_folds=n_folds, seed=seed)
    for cluster in np.unique(groups):
        own = groups == cluster
        assert len(np.unique(before.folds[own])) == 1
        after = monotone_correction(judge, np.where(own, 100.0, human), groups, n_folds=n_folds, seed=seed)
        np.testing.assert_array_equal(after.corrected[own], before.corrected[own])


@given(rows)
@settings(max_examples=40)
def test_the_correction_rises_within_a_fold_and_stays_in_range(data: list[tuple[int, int, int]]) -> None:
    judge, human, groups = np.array(data, dtype=float).T
    result = monotone_correction(judge, human, groups)
    for fold in range(result.n_folds):
        own = result.folds == fold
        corrected = result.corrected[own][np.argsort(judge[own], kind="stable")]
        if not np.isnan(corrected).any():
            assert (np.diff(corrected) >= -1e-9).all()
            assert corrected.min() >= human.min() - 1e-9
            assert corrected.max() <= human.max() + 1e-9


def test_nothing_to_fit_on_is_undefined() -> None:
    single = monotone_correction([1, 2, 3], [1, 2, 3], ["a"] * 3)
    assert np.isnan(single.corrected).all()
    assert single.n_undefined == 3
    others_unrated = monotone_correction([1, 2], [5, np.nan], n_folds=2)
    assert math.isnan(others_unrated.corrected[0])
    assert others_unrated.corrected[1] == 5.0
    assert len(monotone_correction([], []).corrected) == 0


def test_missing_judges_stay_missing_and_missing_humans_are_corrected() -> None:
    result = monotone_correction([1, np.nan, 2, 1], [3, 4, 5, np.nan], n_folds=4)
    assert np.isnan(result.corrected).tolist() == [False, True, False, False]
    assert result.corrected[3] == 3.0
    assert result.n_undefined == 0


def test_same_seed_same_folds() -> None:
    x = np.arange(40.0)
    first = monotone_correction(x, x, seed=1)
    assert (first.folds == monotone_correction(x, x, seed=1).folds).all()
    assert (first.folds != monotone_correction(x, x, seed=2).folds).any()


def test_what_makes_no_sense_is_refused_in_words() -> None:
    with pytest.raises(ValueError, match="same number"):
        calibration_curve([1, 2], [1], [1])
    with pytest.raises(ValueError, match="one-dimensional"):
        calibration_curve(np.ones((2, 2)), np.ones((2, 2)), [1])
    with pytest.raises(ValueError, match="each given once"):
        calibration_curve([1], [1], [1, 1])
    with pytest.raises(ValueError, match="n_folds"):
        monotone_correction([1], [1], n_folds=1)
    with pytest.raises(ValueError, match="one label"):
        monotone_correction([1, 2], [1, 2], ["a"])
