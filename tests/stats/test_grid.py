"""Every measure of the grid equals its plain function on the pairs, and on the pairs of each resample."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from creaeval.errors import SettingError
from creaeval.stats.draws import interval, make_draws
from creaeval.stats.grid import grid, on_counts
from creaeval.stats.measures import Levels, list_measures
from creaeval.stats.resample import bootstrap, pearson

if TYPE_CHECKING:
    Floats = np.ndarray

SCALE = Levels(1, 7, 0.5)
PLAIN = {measure.key: measure for measure in list_measures() if measure.on_grid is not None}
MEASURES = tuple(PLAIN)

matrices = arrays.arrays(
    np.float64,
    st.tuples(st.integers(0, 9), st.just(3)),
    elements=st.sampled_from([1.0, 1.5, 2.0, 3.0, 7.0, math.nan]),
)
PAIRS = [(0, 1), (2, 1), (0, 0)]


@settings(max_examples=150)
@given(matrices)
def test_values_are_those_of_the_plain_functions(scores: Floats) -> None:
    found = grid(scores, PAIRS, MEASURES, levels=[SCALE] * 3)
    for position, (first, second) in enumerate(PAIRS):
        x, y = scores[:, first], scores[:, second]
        assert found.n[position] == (~np.isnan(x) & ~np.isnan(y)).sum()
        for name, plain in PLAIN.items():
            expected = plain.value(x, y, SCALE)
            assert found.values[name][position] == pytest.approx(expected, abs=1e-9, nan_ok=True), name


@settings(max_examples=60)
@given(matrices, st.integers(0, 99))
def test_resamples_are_those_of_repeated_rows(scores: Floats, seed: int) -> None:
    if not len(scores):
        return
    counts = np.random.default_rng(seed).integers(0, 3, (4, len(scores)))
    found = on_counts(counts.astype(float), scores, PAIRS, MEASURES, [SCALE] * 3)
    for row, times in enumerate(counts):
        repeated = np.repeat(scores, times, axis=0)
        for position, (first, second) in enumerate(PAIRS):
            for name, plain in PLAIN.items():
                expected = plain.value(repeated[:, first], repeated[:, second], SCALE)
                assert found[name][row, position] == pytest.approx(expected, abs=1e-9, nan_ok=True), name


def test_constant_raters_are_zero_or_undefined_even_with_thirds() -> None:
    third, other = np.full(7, 7 / 3), np.array([1 / 3, 2, 3, 4, 5, 6, 7])
    scores = np.column_stack([third, other, third, third + 1])
    values = on_counts(np.ones((1, 7)), scores, [(0, 1), (0, 2), (0, 3)], ["qwk", "pearson"])
    assert values["qwk"][0].tolist() == pytest.approx([0.0, math.nan, math.nan], nan_ok=True)
    assert np.isnan(values["pearson"]).all()
    only_the_first = np.array([[5.0, 0, 0, 0, 0, 0, 0]])
    assert np.isnan(on_counts(only_the_first, scores, [(1, 3)], ["pearson"])["pearson"])


def test_pairs_and_resamples_in_parts_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = np.random.default_rng(1).integers(1, 6, (20, 3)).astype(float)
    draws = make_draws(20, n_resamples=50, seed=4)
    whole = grid(scores, PAIRS, ["qwk"], draws)
    monkeypatch.setattr("creaeval.stats.grid.CELLS_AT_ONCE", 60)
    parts = grid(scores, PAIRS, ["qwk"], draws)
    assert parts.draws["qwk"].shape == (50, 3)
    np.testing.assert_allclose(parts.draws["qwk"], whole.draws["qwk"])


def test_a_pairs_interval_is_that_of_the_bootstrap_of_the_pair() -> None:
    random = np.random.default_rng(2)
    truth = random.integers(1, 8, 60)
    scores = np.column_stack([truth, np.clip(truth + random.integers(-1, 2, 60), 1, 8)]).astype(float)
    draws = make_draws(60, n_resamples=400, seed=5)
    found = grid(scores, [(0, 1)], ["pearson"], draws, leave_one_out=True)
    for method, jackknife in (("percentile", None), ("bca", found.leave_one_out["pearson"][:, 0])):
        alone = bootstrap(
            pearson,
            [*scores.T],
            n_resamples=400,
            seed=5,
            method=method,  # type: ignore[arg-type]
        )
        of_grid = interval(
            float(found.values["pearson"][0]), found.draws["pearson"][:, 0], n=60, leave_one_out=jackknife
        )
        assert (of_grid.low, of_grid.high) == pytest.approx((alone.low, alone.high))
        assert of_grid.method == method


def test_what_cannot_be_computed_is_refused() -> None:
    with pytest.raises(SettingError, match="measure 'alpha': expected one of qwk, pearson, "):
        grid(np.ones((3, 2)), [(0, 1)], ["alpha"])
    with pytest.raises(ValueError, match="'kendall' has no form on the grid"):
        grid(np.ones((3, 2)), [(0, 1)], ["kendall"])
    with pytest.raises(ValueError, match="1 scales were given for 2 pairs"):
        grid(np.ones((3, 2)), [(0, 1), (1, 0)], ["qwk"], levels=[SCALE])
    with pytest.raises(ValueError, match="do not fit"):
        on_counts(np.ones((1, 4)), np.ones((3, 2)), [(0, 1)], ["qwk"])
