"""Bootstrap: against scipy, against formulas, and how often intervals hold the truth."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from creaeval.stats.alpha import interval_alpha, krippendorff_alpha
from creaeval.stats.draws import cluster_codes, interval, wilson_interval
from creaeval.stats.resample import bootstrap, mean, pearson

scores = arrays.arrays(np.float64, st.integers(2, 12), elements=st.sampled_from([1.0, 1.5, 2.0, 3.0, 5.0]))


def skewed(n: int = 60, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).exponential(2.0, n)


def test_ready_made_statistics_on_the_data_and_on_a_resample() -> None:
    x, y = np.array([1.0, 2.0, 3.0, 4.0]), np.array([2.0, 2.0, 3.0, 5.0])
    every, twice_the_first = np.ones((1, 4)), np.array([[2.0, 1.0, 0.0, 1.0]])
    assert mean(every, x) == pytest.approx([2.5])
    assert mean(twice_the_first, x) == pytest.approx([2.0])
    # cov = 5/4, var x = 5/4, var y = 6/4
    assert pearson(every, x, y) == pytest.approx([1.25 / math.sqrt(1.25 * 1.5)])
    again = np.array([0, 0, 1, 3])
    assert pearson(twice_the_first, x, y) == pytest.approx([np.corrcoef(x[again], y[again])[0, 1]])


def test_an_empty_resample_has_no_mean() -> None:
    assert np.isnan(mean(np.zeros((1, 4)), np.arange(4.0)))


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_intervals_of_a_mean_agree_with_scipy(method: str) -> None:
    x = skewed()
    theirs = scipy.stats.bootstrap((x,), np.mean, n_resamples=20_000, method=method, rng=5)
    ours = bootstrap(mean, [x], n_resamples=20_000, method=method, seed=6)  # type: ignore[arg-type]
    error = theirs.standard_error
    assert ours.method == method
    assert ours.value == pytest.approx(x.mean())
    assert ours.low == pytest.approx(theirs.confidence_interval.low, abs=0.05 * error)
    assert ours.high == pytest.approx(theirs.confidence_interval.high, abs=0.05 * error)
    assert ours.standard_error == pytest.approx(x.std() / math.sqrt(len(x)), rel=0.03)


def test_bca_of_a_correlation_agrees_with_scipy() -> None:
    x = skewed(50)
    y = x + np.random.default_rng(2).normal(0, 2, 50)
    theirs = scipy.stats.bootstrap(
        (x, y),
        lambda a, b: scipy.stats.pearsonr(a, b).statistic,
        paired=True,
        vectorized=False,
        n_resamples=2000,
        method="BCa",
        rng=3,
    )
    ours = bootstrap(pearson, [x, y], n_resamples=20_000, method="bca", seed=4)
    assert ours.low == pytest.approx(theirs.confidence_interval.low, abs=0.2 * theirs.standard_error)
    assert ours.high == pytest.approx(theirs.confidence_interval.high, abs=0.2 * theirs.standard_error)


def test_percentile_interval_covers_about_as_often_as_it_says() -> None:
    generator = np.random.default_rng(11)
    hits = 0
    for seed in range(400):
        estimate = bootstrap(mean, [generator.normal(3.0, 1.0, 50)], n_resamples=400, seed=seed)
        hits += estimate.low <= 3.0 <= estimate.high
    # Expected 0.94: the interval is short by sqrt((n - 1) / n) and the t quantile; 3 errors are 0.036
    assert 0.90 <= hits / 400 <= 0.975


def test_same_seed_same_interval() -> None:
    x = skewed()
    assert bootstrap(mean, [x], seed=1) == bootstrap(mean, [x], seed=1)
    assert bootstrap(mean, [x], seed=1) == bootstrap(mean, [x], seed=np.random.default_rng(1))
    assert bootstrap(mean, [x], seed=1).low != bootstrap(mean, [x], seed=2).low


@given(scores, st.sampled_from(["percentile", "bca"]), st.floats(0.5, 0.99))
@settings(max_examples=40)
def test_low_is_never_above_high(x: np.ndarray, method: str, confidence: float) -> None:
    estimate = bootstrap(
        pearson,
        [x, np.roll(x, 1)],
        n_resamples=100,
        method=method,  # type: ignore[arg-type]
        confidence=confidence,
    )
    assert math.isnan(estimate.low) == math.isnan(estimate.high)
    if math.isnan(estimate.low):
        assert math.isnan(estimate.value) or estimate.note.startswith("no interval: ")
    else:
        assert estimate.n >= 5
        assert -1.0 <= estimate.low <= estimate.high <= 1.0


@given(scores)
@settings(max_examples=20)
def test_clusters_of_one_are_the_plain_bootstrap(x: np.ndarray) -> None:
    plain = bootstrap(mean, [x], n_resamples=50, method="bca")
    single = bootstrap(mean, [x], n_resamples=50, method="bca", groups=[f"r{9 - i}" for i in range(len(x))])
    assert (plain.low, plain.high, plain.standard_error) == (single.low, single.high, single.standard_error)


def test_whole_clusters_are_drawn() -> None:
    # Within a cluster values are equal: what varies is the mean of 40 values, not of 200.
    of_cluster = np.random.default_rng(3).normal(size=40)
    x, groups = np.repeat(of_cluster, 5), np.repeat(np.arange(40), 5)
    estimate = bootstrap(mean, [x], groups=groups, n_resamples=4000)
    assert estimate.n == 200
    assert not estimate.warnings
    assert estimate.standard_error == pytest.approx(of_cluster.std() / math.sqrt(40), rel=0.05)


def test_two_crossed_factors_add_their_variances() -> None:
    # Owen (2007): for x = a + b, complete crossing, the mean of a resample is mean(a drawn) + mean(b drawn).
    generator = np.random.default_rng(4)
    a, b = generator.normal(size=50), generator.normal(size=35)
    x = (a[:, None] + b).ravel()
    rows, columns = np.repeat(np.arange(50), 35), np.tile(np.arange(35), 50)
    estimate = bootstrap(mean, [x], groups=rows, second_groups=columns, n_resamples=4000)
    assert estimate.standard_error == pytest.approx(math.sqrt(a.var() / 50 + b.var() / 35), rel=0.05)
    by_bca = bootstrap(mean, [x], groups=rows, second_groups=columns, method="bca", n_resamples=100)
    assert by_bca.method == "percentile"
    assert any("crossed" in warning for warning in by_bca.warnings)


def test_few_clusters_are_said_with_their_number() -> None:
    estimate = bootstrap(mean, [np.arange(36.0)], groups=np.arange(36) % 12, n_resamples=100)
    assert any("12 clusters" in warning and "too narrow" in warning for warning in estimate.warnings)


def test_undefined_resamples_are_left_out_counted_and_said() -> None:
    x = np.array([1.0, 1, 1, 1, 1, 2])
    estimate = bootstrap(pearson, [x, np.arange(6.0)], n_resamples=4000)
    # constant if the last is never drawn, or drawn six times: (5/6)**6 + (1/6)**6
    assert estimate.n_undefined / 4000 == pytest.approx(0.3349, abs=0.03)
    assert "% of the resamples, which the interval leaves out" in estimate.note
    assert estimate.low <= estimate.high


def test_equal_resamples_give_no_interval_and_say_so() -> None:
    # [4.0, 4.0] would be certain of what thirty equal values cannot tell.
    estimate = bootstrap(mean, [np.full(30, 4.0)], method="bca", n_resamples=100)
    assert math.isnan(estimate.low)
    assert math.isnan(estimate.high)
    assert (estimate.standard_error, estimate.note) == (0.0, "no interval: all resamples are equal")


def test_bca_that_is_undefined_gives_the_percentile_interval_and_says_so() -> None:
    # Four of five resamples hold the outlier or not; without any unit but it the mean is the same.
    value, draws = 1.0, np.array([1.0, 2.0, 3.0, 4.0])
    found = interval(value, draws, n=5, leave_one_out=np.full(5, 1.0))
    assert (found.method, found.note) == ("percentile", "BCa is undefined here: percentile interval")
    assert found.low < found.high


def test_no_end_of_an_interval_leaves_the_range_of_its_statistic() -> None:
    draws = np.array([1.0 + 2e-16 * step for step in range(50)] * 2 + [0.5] * 50)
    found = interval(1.0, draws, n=9, bounds=(-1.0, 1.0))
    assert (found.low, found.high) == (0.5, 1.0)


def test_fewer_than_five_have_no_interval_by_any_method() -> None:
    for found in (interval(0.5, np.array([0.0, 1.0]), n=4), wilson_interval(0.5, 4)):
        assert math.isnan(found.low)
        assert found.note == "no interval: fewer than 5 responses or clusters"
    assert not math.isnan(interval(0.5, np.array([0.0, 1.0]), n=5).low)


@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
def test_wilson_intervals_are_those_of_statsmodels(confidence: float) -> None:
    from statsmodels.stats.proportion import proportion_confint

    for n in (5, 12, 40, 300):
        for successes in {0, 1, n // 3, n - 1, n}:
            found = wilson_interval(successes / n, n, confidence=confidence)
            ends = proportion_confint(successes, n, alpha=1 - confidence, method="wilson")
            assert (found.low, found.high) == pytest.approx(ends, abs=1e-12)


def test_wilson_has_a_width_where_all_agree() -> None:
    # Newcombe (1998): with z = 1.96 all of n gives n / (n + z²); 40 / 43.84 = .9124.
    found = wilson_interval(1.0, 40)
    assert (round(found.low, 4), found.high) == (0.9124, 1.0)
    # His Table I: 81 of 263 gives .2553 to .3662, 0 of 20 gives 0 to .1611.
    for share, n, ends in ((81 / 263, 263, (0.2553, 0.3662)), (0.0, 20, (0.0, 0.1611))):
        found = wilson_interval(share, n)
        assert (round(found.low, 4), round(found.high, 4)) == ends


@pytest.mark.parametrize(
    ("x", "groups", "words"),
    [
        ([2.0, 2.0, 2.0], None, "undefined"),
        ([np.nan] * 3, None, "No observation"),
        ([1, 2, 3], "aaa", "fewer than 5 responses or clusters"),
    ],
)
def test_what_cannot_be_resampled_has_no_interval(x: list[float], groups: str | None, words: str) -> None:
    estimate = bootstrap(pearson, [x, [1, 2, 4]], groups=None if groups is None else list(groups))
    assert math.isnan(estimate.low)
    assert math.isnan(estimate.high)
    assert math.isnan(estimate.standard_error)
    assert any(words in text for text in (*estimate.warnings, estimate.note))


def test_missing_values_are_left_out_and_counted() -> None:
    x = np.array([1.0, np.nan, 3, 4, 5])
    y = np.array([1.0, 2, 2, np.nan, 5])
    estimate = bootstrap(pearson, [x, y], groups=list("abcde"), n_resamples=50)
    assert (estimate.n, estimate.n_missing) == (3, 2)
    # x is 1, 3, 5 and y 1, 2, 5: 8 / sqrt(8 x 26/3)
    assert estimate.value == pytest.approx(8 / math.sqrt(8 * 26 / 3))


def test_many_observations_are_resampled_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    x = skewed(100)
    monkeypatch.setattr("creaeval.stats.draws.CELLS_AT_ONCE", 1000)
    in_parts = bootstrap(mean, [x], n_resamples=501, method="bca")
    assert in_parts.standard_error == pytest.approx(x.std() / 10.0, rel=0.15)


def test_clusters_are_numbered_as_they_come() -> None:
    assert cluster_codes(["b", "a", "b", "c"], 4).tolist() == [0, 1, 0, 2]
    assert cluster_codes([("s", 1), ("s", 2), ("s", 1)], 3).tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"arrays": [[1, 2, 3], [1, 2]]}, "same number"),
        ({"arrays": []}, "At least one"),
        ({"arrays": [[1, 2, np.inf]]}, "infinite"),
        ({"arrays": [np.ones((2, 2, 2))]}, "one or two dimensions"),
        ({"confidence": 1.0}, "confidence"),
        ({"n_resamples": 1}, "n_resamples"),
        ({"method": "t"}, "method"),
        ({"groups": ["a"]}, "one label"),
        ({"groups": ["a", None, "b"]}, "missing label"),
        ({"groups": [1.0, math.nan, 2.0]}, "missing label"),
        ({"second_groups": ["a", "b", "c"]}, "without groups"),
        ({"arrays": [[1, 2, 3], [1, 2, 3]]}, "takes 1"),
    ],
)
def test_what_makes_no_sense_is_refused_in_words(change: dict[str, object], words: str) -> None:
    given_ = {"arrays": [[1.0, 2.0, 3.0]], **change}
    with pytest.raises(ValueError, match=words):
        bootstrap(mean, **given_)  # type: ignore[arg-type]


@settings(max_examples=60)
@given(
    arrays.arrays(
        np.float64,
        st.tuples(st.integers(1, 7), st.just(3)),
        elements=st.sampled_from([1.0, 2.0, 5.0, np.nan]),
    ),
    st.integers(0, 99),
)
def test_alpha_equals_the_plain_function_on_every_resample(ratings: np.ndarray, seed: int) -> None:
    times = np.random.default_rng(seed).integers(0, 3, (3, len(ratings)))
    found = interval_alpha(times.astype(float), ratings)
    for value, row in zip(found, times, strict=True):
        expected = krippendorff_alpha(np.repeat(ratings, row, axis=0), "interval")
        assert value == pytest.approx(expected, abs=1e-9, nan_ok=True)
