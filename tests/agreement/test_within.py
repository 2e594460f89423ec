"""Correlation within groups of responses."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf

from creaeval.agreement.pair_values import Resampling
from creaeval.agreement.within import agreement_within

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def table(judge: Mapping[str, float], rater: Mapping[str, float]) -> pd.DataFrame:
    rows = [
        (unit, name, kind, "m" if kind == "judge" else "", "d", value)
        for name, kind, values in (("j", "judge", judge), ("h", "rater", rater))
        for unit, value in values.items()
    ]
    return pd.DataFrame(rows, columns=["response_id", "scorer", "kind", "method", "dimension", "points"])


def only(frame: pd.DataFrame) -> pd.Series:
    assert len(frame) == 1
    return frame.iloc[0]


def test_by_hand_the_groups_means_are_taken_away() -> None:
    # Group a: judge 1 2 3, rater 1 3 2; group b: judge 11 12 13, rater 12 11 13; a third alone says nothing.
    judge = dict(zip("abcdefg", [1, 2, 3, 11, 12, 13, 99], strict=True))
    rater = dict(zip("abcdefg", [1, 3, 2, 12, 11, 13, 0], strict=True))
    groups = dict(zip("abcdefg", ["a", "a", "a", "b", "b", "b", "c"], strict=True))
    found = only(agreement_within(table(judge, rater), ["d"], groups, Resampling(n_resamples=0)))
    # Centred: (-1 -1) (0 1) (1 0) and (-1 0) (0 -1) (1 1): sum of products 2, of squares 4 and 4.
    assert found["value"] == pytest.approx(0.5)
    assert (found["n"], found["groups"]) == (6, 2)
    assert found["overall"] > 0.98


def test_a_judge_that_only_knows_the_groups_has_no_correlation_within_them() -> None:
    judge = dict(zip("abcd", [1, 1, 5, 5], strict=True))
    rater = dict(zip("abcd", [1, 2, 4, 5], strict=True))
    groups = dict(zip("abcd", "xxyy", strict=True))
    found = only(agreement_within(table(judge, rater), ["d"], groups, Resampling(n_resamples=0)))
    assert math.isnan(found["value"])
    assert "constant" in found["reason"]
    assert found["overall"] > 0.9


def test_it_is_the_partial_correlation_given_the_groups() -> None:
    draw = np.random.default_rng(7)
    groups = {f"r{n}": str(draw.integers(6)) for n in range(120)}
    base = {unit: float(draw.normal()) for unit in groups}
    judge = {unit: base[unit] + int(group) for unit, group in groups.items()}
    rater = {unit: base[unit] + float(draw.normal()) - int(group) for unit, group in groups.items()}
    frame = pd.DataFrame({"j": judge, "h": rater, "g": groups})
    residuals = [smf.ols(f"{name} ~ C(g)", frame).fit().resid for name in ("j", "h")]
    found = only(agreement_within(table(judge, rater), ["d"], groups, Resampling(n_resamples=200)))
    assert found["value"] == pytest.approx(np.corrcoef(*residuals)[0, 1])
    assert found["low"] < found["value"] < found["high"]


@pytest.mark.parametrize("missing", [["r1"], ["r1", "r2", "r3"]])
def test_means_are_those_of_the_pairs_and_n_counts_them(missing: Sequence[str]) -> None:
    judge = {f"r{n}": float(n % 4) for n in range(9)}
    rater = {f"r{n}": float(n % 3) for n in range(9)}
    groups = dict.fromkeys(judge, "g")
    fewer = {unit: value for unit, value in judge.items() if unit not in missing}
    found = only(agreement_within(table(fewer, rater), ["d"], groups, Resampling(n_resamples=0)))
    kept = list(fewer)
    right = np.corrcoef([fewer[unit] for unit in kept], [rater[unit] for unit in kept])[0, 1]
    assert found["value"] == pytest.approx(right)
    assert found["n"] == 9 - len(missing)


def test_where_no_two_share_a_group_nothing_is_said() -> None:
    points = table({"a": 1, "b": 2}, {"a": 1, "b": 2})
    found = only(agreement_within(points, ["d"], {"a": "1", "b": "2"}, Resampling(n_resamples=0)))
    assert math.isnan(found["value"])
    assert found["n"] == 0
    assert found["reason"]
