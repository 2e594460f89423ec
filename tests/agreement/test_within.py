"""Correlation within groups of responses."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf

from agreement.tables import by_response, row, table
from creaeval.agreement.options import AgreementOptions
from creaeval.agreement.within import agreement_within
from creaeval.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Sequence

    Points = Sequence[float | None]


def within(judge: Points, rater: Points, resamples: int = 0, **columns: Sequence[str]) -> pd.Series:
    """The correlation of one judge and rater within groups by these columns."""
    data = table(
        {("judge", "j", "d"): judge, ("rater", "h", "d"): rater},
        carried={name: by_response(values) for name, values in columns.items()},
    )
    return row(agreement_within(data, AgreementOptions(within=tuple(columns), resamples=resamples)))


def test_by_hand_the_groups_means_are_taken_away() -> None:
    # Group a: judge 1 2 3, rater 1 3 2; group b: judge 11 12 13, rater 12 11 13; a third alone says nothing.
    found = within([1, 2, 3, 11, 12, 13, 99], [1, 3, 2, 12, 11, 13, 0], group="aaabbbc")
    # Centred: (-1 -1) (0 1) (1 0) and (-1 0) (0 -1) (1 1): sum of products 2, of squares 4 and 4.
    assert found["value"] == pytest.approx(0.5)
    assert (found["n"], found["groups"]) == (6, 2)
    assert found["overall"] > 0.98


def test_columns_go_together_and_a_response_without_a_value_is_left_out() -> None:
    # The same as above: a and b are told apart by two columns, and the last two lack one of them.
    judge, rater = [1, 2, 3, 11, 12, 13, 99, 50], [1, 3, 2, 12, 11, 13, 0, 70]
    found = within(judge, rater, study=["1"] * 7 + [""], object=["x"] * 3 + ["y"] * 3 + ["", "x"])
    assert found["value"] == pytest.approx(0.5)
    assert (found["n"], found["groups"]) == (6, 2)
    data = table({("judge", "j", "d"): judge, ("rater", "h", "d"): rater})
    with pytest.raises(SettingError, match="plot: the responses carry no such column"):
        agreement_within(data, AgreementOptions(within=("plot",)))


def test_a_judge_that_only_knows_the_groups_has_no_correlation_within_them() -> None:
    found = within([1, 1, 5, 5], [1, 2, 4, 5], group="xxyy")
    assert math.isnan(found["value"])
    assert "constant" in found["reason"]
    assert found["overall"] > 0.9


def test_it_is_the_partial_correlation_given_the_groups_which_are_drawn_whole() -> None:
    random = np.random.default_rng(7)
    group = random.integers(12, size=120)
    base, noise = random.normal(size=(2, 120))
    judge, rater = base + group, base + noise - group
    frame = pd.DataFrame({"j": judge, "h": rater, "g": group})
    x, y = (smf.ols(f"{name} ~ C(g)", frame).fit().resid.to_numpy() for name in ("j", "h"))
    found = within(judge.tolist(), rater.tolist(), 2000, group=list(map(str, group)))
    assert found["value"] == pytest.approx(np.corrcoef(x, y)[0, 1])
    assert (found["n"], found["groups"]) == (120, 12)
    members = [np.flatnonzero(group == number) for number in range(12)]
    drawn = [np.concatenate([members[n] for n in random.integers(12, size=12)]) for _ in range(2000)]
    ends = np.quantile([np.corrcoef(x[rows], y[rows])[0, 1] for rows in drawn], [0.025, 0.975])
    assert (found["low"], found["high"]) == pytest.approx(tuple(ends), abs=0.02)


def test_fewer_than_five_groups_have_no_interval() -> None:
    points, rater = np.random.default_rng(2).normal(size=(2, 20)).tolist()
    four = within(points, rater, 100, group="abcd" * 5)
    assert four[["low", "high"]].isna().all()
    assert four["reason"].endswith("no interval: fewer than 5 responses or clusters")
    five = within(points, rater, 100, group="abcde" * 4)
    assert five["low"] < five["value"] < five["high"]


@pytest.mark.parametrize("missing", [[1], [1, 2, 3]])
def test_means_are_those_of_the_pairs_and_n_counts_them(missing: Sequence[int]) -> None:
    judge: Points = [None if n in missing else float(n % 4) for n in range(9)]
    rater: Points = [float(n % 3) for n in range(9)]
    found = within(judge, rater, group="g" * 9)
    pairs = [(x, y) for x, y in zip(judge, rater, strict=True) if x is not None]
    assert found["value"] == pytest.approx(np.corrcoef(np.array(pairs, dtype=float).T)[0, 1])
    assert found["n"] == 9 - len(missing)


def test_where_no_two_share_a_group_nothing_is_said() -> None:
    found = within([1, 2], [1, 2], group="12")
    assert math.isnan(found["value"])
    assert found["n"] == 0
    assert found["reason"]
