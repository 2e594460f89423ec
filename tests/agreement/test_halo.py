from __future__ import annotations

import math

import numpy as np
import pytest

from agreement.tables import row, table
from creaeval.agreement.scorers.halo import HALO_COLUMNS, HALO_MEANS_COLUMNS, halo, halo_means

# r of [1, 2, 3] with itself 1, with [3, 2, 1] -1, with [1, 3, 2] 0.5
POINTS = table(
    {
        ("judge", "j", "a"): [1, 2, 3],
        ("judge", "j", "b"): [1, 2, 3],
        ("judge", "j", "c"): [1, 3, 2],
        ("rater", "A", "a"): [1, 2, 3],
        ("rater", "A", "b"): [3, 2, 1],
        ("rater", "A", "c"): [4, 4, 4],
        ("rater", "B", "a"): [1, 2, 3],
        ("rater", "B", "b"): [1, 3, 2],
        ("rater", "B", "c"): [2, None, None],
    }
)


def test_correlations_by_hand() -> None:
    found = halo(POINTS)
    assert [*found.columns] == HALO_COLUMNS
    of_judge = found[found["scorer"] == "j"]
    assert [*zip(of_judge["dimension"], of_judge["other"], strict=True)] == [
        ("a", "b"),
        ("a", "c"),
        ("b", "c"),
    ]
    assert of_judge["r"].tolist() == pytest.approx([1, 0.5, 0.5])
    assert set(of_judge["n"]) == {3}


def test_what_is_undefined_has_its_reason_and_is_not_averaged() -> None:
    found = halo(POINTS)
    constant = row(found, scorer="A", dimension="a", other="c")
    assert math.isnan(constant.r)
    assert constant.reason == "c is constant"
    single = row(found, scorer="B", dimension="a", other="c")
    assert math.isnan(single.r)
    assert (single.n, single.reason) == (1, "fewer than 2 responses with both")
    means = halo_means(found)
    assert [*means.columns] == HALO_MEANS_COLUMNS
    a = row(means, scorer="A")
    assert (a.mean_r, a.defined, a.n, a.reason) == (pytest.approx(-1), "1 of 3", 3, "c is constant")
    assert math.isnan(a.above_raters)


def test_judges_stand_beside_the_mean_of_the_raters_means() -> None:
    judge = row(halo_means(halo(POINTS)), scorer="j")
    # Raters' means are -1 and 0.5, so -0.25 together; the judge's is 2/3.
    assert judge.mean_r == pytest.approx(2 / 3)
    assert judge.above_raters == pytest.approx(2 / 3 + 0.25)
    assert (judge.defined, judge.reason) == ("3 of 3", "")


def test_without_raters_there_is_nothing_to_lie_above() -> None:
    alone = POINTS.select(dimensions=["a", "b"], scorers=lambda scorer: scorer.kind == "judge")
    means = halo_means(halo(alone))
    assert math.isnan(means["above_raters"].iloc[0])
    assert means["reason"].iloc[0] == "above_raters: no rater has a correlation"
    assert halo_means(halo(POINTS.select(dimensions=["a", "b"], units=[]))).empty
    assert halo_means(halo(POINTS.select(dimensions=["a"]))).empty


def test_it_is_pearsons_r_over_shared_responses() -> None:
    generator = np.random.default_rng(1)
    x, y = generator.normal(size=20), generator.normal(size=20)
    gaps = [None if number % 4 == 0 else float(value) for number, value in enumerate(y)]
    found = halo(table({("judge", "j", "a"): x.tolist(), ("judge", "j", "b"): gaps}))
    keep = np.arange(20) % 4 != 0
    assert found["r"].iloc[0] == pytest.approx(np.corrcoef(x[keep], y[keep])[0, 1])
    assert found["n"].iloc[0] == 15
