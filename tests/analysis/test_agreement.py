from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pytest

from booklets import cgpst
from creaeval.analysis.agreement import AVG, HUMAN, agreement, protocol
from creaeval.analysis.points import COLUMNS, compared_dimensions
from creaeval.errors import SettingError
from creaeval.stats.icc import icc

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Given = Mapping[tuple[str, str, str], Sequence[float | None]]

# Eight responses; the judge is 2 points above A throughout (shared case S11).
A = [2, 3, 4, 5, 6, 4, 3, 5]
UP = [value + 2 for value in A]


def table(given: Given) -> pd.DataFrame:
    """Points by (kind, scorer, dimension), a value for each response."""
    rows = [
        (f"R{number}", scorer, kind, dimension, value)
        for (kind, scorer, dimension), values in given.items()
        for number, value in enumerate(values)
        if value is not None
    ]
    return pd.DataFrame(rows, columns=COLUMNS).astype({"points": float})


def cell(frame: pd.DataFrame, **where: str) -> pd.Series:
    chosen = frame
    for name, value in where.items():
        chosen = chosen[chosen[name] == value]
    assert len(chosen) == 1, where
    return chosen.iloc[0]


def test_the_papers_20_dimensions_are_compared_with_integrity_merged() -> None:
    names = compared_dimensions(cgpst())
    assert len(names) == 20
    assert "step2.integrity" in names
    assert not {"step2.stem_kvp", "step1.overall", "total"} & set(names)


def test_a_judge_that_is_lenient_throughout_agrees_in_order_and_not_in_level() -> None:  # S11
    points = table({("judge", "j", "d"): UP, ("rater", "A", "d"): A})
    cells = agreement(points, ["d"], measures=["pearson", "icc", "qwk", "bias", "exact"], n_resamples=200)
    values = {row.measure: row.value for row in cells.itertuples()}
    assert values["pearson"] == pytest.approx(1)
    # Population variance of A is 1.5, so QWK is 2 * 1.5 / (1.5 + 1.5 + 4).
    assert values["qwk"] == pytest.approx(3 / 7)
    assert values["icc"] == pytest.approx(icc(np.column_stack([UP, A]))["ICC(2,1)"].value)
    assert (values["bias"], values["exact"]) == (2, 0)
    assert set(cells["n"]) == {8}


def test_an_undefined_value_is_left_out_and_said_and_never_0() -> None:
    # Hand: in d1 the judge is constant, so r is undefined and QWK is 0; in d2 the judge repeats A.
    points = table(
        {
            ("judge", "j", "d1"): [3] * 8,
            ("rater", "A", "d1"): A,
            ("judge", "j", "d2"): A,
            ("rater", "A", "d2"): A,
        }
    )
    cells = agreement(points, ["d1", "d2"], measures=["pearson", "qwk"], n_resamples=0)
    undefined = cell(cells, dimension="d1", measure="pearson")
    assert math.isnan(undefined.value)
    assert undefined.why_undefined == "the first is constant"
    assert cell(cells, dimension="d1", measure="qwk").value == 0
    means = protocol(points, cells, ["d1", "d2"], n_resamples=0)
    r = cell(means, dimension=AVG, measure="pearson")
    assert (r.value, r.defined) == (pytest.approx(1), "1 of 2")
    assert cell(means, dimension=AVG, measure="qwk").value == pytest.approx(0.5)


def test_the_mean_is_of_the_agreements_with_each_rater_and_not_with_the_mean_rating() -> None:
    b = [7 - value for value in A]
    points = table({("judge", "j", "d"): A, ("rater", "A", "d"): A, ("rater", "B", "d"): b})
    cells = agreement(points, ["d"], measures=["pearson"], n_resamples=0)
    means = protocol(points, cells, ["d"], n_resamples=0)
    # r is 1 with A and -1 with B; with their mean, which is constant, there would be none.
    assert cell(means, scorer="j", dimension="d").value == pytest.approx(0)
    assert cell(means, scorer=HUMAN, dimension="d").value == pytest.approx(-1)
    assert cell(means, scorer=HUMAN, dimension="d").defined == "1 of 1"


def test_only_responses_that_both_scored_count_and_are_counted() -> None:
    some = [*A[:5], None, None, None]
    points = table({("judge", "j", "d"): UP, ("rater", "A", "d"): some})
    row = cell(agreement(points, ["d"], measures=["pearson"], n_resamples=0), measure="pearson")
    assert (row["n"], row["value"]) == (5, pytest.approx(1))
    one = table({("judge", "j", "d"): UP, ("rater", "A", "d"): [2, *[None] * 7]})
    row = cell(agreement(one, ["d"], measures=["qwk"], n_resamples=50), measure="qwk")
    assert math.isnan(row["value"])
    assert (row["n"], row["why_undefined"]) == (1, "scored by both: 1 responses")


def test_intervals_hold_the_value_and_repeat_with_the_seed() -> None:
    random = np.random.default_rng(3)
    truth = random.integers(1, 8, 60)
    given = {
        (kind, name, dimension): np.clip(truth + random.integers(-1, 2, 60), 1, 8).tolist()
        for kind, name in (("judge", "j"), ("rater", "A"), ("rater", "B"))
        for dimension in ("d1", "d2")
    }
    points = table(given)
    first = protocol(points, agreement(points, ["d1", "d2"]), ["d1", "d2"], seed=1)
    again = protocol(points, agreement(points, ["d1", "d2"]), ["d1", "d2"], seed=1)
    pd.testing.assert_frame_equal(first, again)
    shown = first[first["measure"] != "icc"]
    assert (shown["low"] <= shown["value"]).all()
    assert (shown["value"] <= shown["high"]).all()
    # Averaging two dimensions narrows the interval of one.
    qwk = first[(first["measure"] == "qwk") & (first["scorer"] == "j")].set_index("dimension")
    width = qwk["high"] - qwk["low"]
    assert width[AVG] < width[["d1", "d2"]].mean()


def test_whole_clusters_are_drawn() -> None:
    # In each of two clusters the judge is constant: drawn alone, either leaves r undefined.
    points = table({("judge", "j", "d"): [1, 1, 1, 5, 5, 5], ("rater", "A", "d"): [1, 2, 1, 5, 4, 5]})
    single = {f"R{number}": str(number) for number in range(6)}
    pairs = {f"R{number}": str(number // 3) for number in range(6)}
    plain, alone, whole = (
        cell(agreement(points, ["d"], measures=["pearson"], clusters=clusters), measure="pearson")
        for clusters in (None, single, pairs)
    )
    assert (alone["low"], alone["high"]) == (plain["low"], plain["high"])
    # Every resample that is defined holds each cluster once, so its r is that of the data.
    assert whole["low"] == pytest.approx(whole["value"]) == whole["high"]


def test_an_unknown_measure_and_missing_ratings_are_named() -> None:
    points = table({("judge", "j", "d"): A, ("rater", "A", "d"): A})
    with pytest.raises(SettingError, match="measure 'kappa': expected one of qwk, pearson, icc"):
        agreement(points, ["d"], measures=["kappa"])
    with pytest.raises(SettingError, match="no ratings of these responses"):
        agreement(table({("judge", "j", "d"): A}), ["d"])
