from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import isotonic_regression

from agreement.tables import row, table
from creaeval.agreement.options import AgreementOptions
from creaeval.agreement.scorers.calibration import CALIBRATION_COLUMNS, calibration, correct
from creaeval.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agreement.tables import Given
    from creaeval.agreement.rating_data import RatingData

POINTS = table(
    {
        ("judge", "j", "d"): [3, 3, 4.5, 5, None],
        ("rater", "A", "d"): [2, 4, 4, None, 1],
        ("rater", "B", "d"): [1, None, 5, None, 1],
    }
)
BY_CLUSTER = AgreementOptions(cluster=("cluster",))


def noisy(n: int = 40, clusters: Mapping[str, str] | None = None, more: Given | None = None) -> RatingData:
    generator = np.random.default_rng(2)
    truth = generator.integers(1, 8, n)
    given: Given = {
        (kind, name, "d"): (truth + shift + generator.integers(-1, 2, n)).tolist()
        for kind, name, shift in (("judge", "j", 2), ("judge", "k", 0), ("rater", "A", 0), ("rater", "B", 0))
    }
    return table({**given, **(more or {})}, carried={"cluster": clusters or {}})


def test_levels_by_hand() -> None:
    found = calibration(POINTS)
    assert [*found.columns] == CALIBRATION_COLUMNS
    # At 3: A's 2 and 4 and B's 1. At 4.5: 4 and 5. At 5 nobody rated.
    assert found["level"].tolist()[:3] == [3, 4.5, 5]
    assert found["n"].tolist() == [3, 2, 0, 5]
    assert found["mean_human"].tolist()[:2] == pytest.approx([7 / 3, 4.5])
    assert found["bias"].tolist()[:2] == pytest.approx([3 - 7 / 3, 0])
    assert math.isnan(found["mean_human"].iloc[2])
    assert found["reason"].tolist() == ["", "", "no rater scored these responses", ""]


def test_the_row_without_a_level_is_over_all_pairs() -> None:
    whole = calibration(POINTS).iloc[-1]
    assert math.isnan(whole.level)
    assert (whole.n, whole.mean_human, whole.bias) == (
        5,
        pytest.approx(16 / 5),
        pytest.approx(18 / 5 - 16 / 5),
    )


def test_without_pairs_all_is_undefined_with_its_reason() -> None:
    judge_alone = POINTS.select(scorers=lambda scorer: scorer.kind == "judge")
    alone = calibration(replace(judge_alone, dimensions=("d", "other")))
    assert alone["bias"].isna().all()
    assert (alone["n"] == 0).all()
    assert all(alone["reason"])
    assert len(alone[alone["dimension"] == "other"]) == 1


def test_a_response_is_corrected_by_what_was_fitted_on_all_other_folds() -> None:
    # As many folds as responses, so each is corrected by an isotonic regression on all others.
    points = noisy(n=12)
    fixed, _ = correct(points, n_folds=12)
    wide = points.table().pivot(index="response_id", columns=["kind", "scorer"], values="points")
    for judge in ("j", "k"):
        x = wide["judge", judge]
        for response in wide.index:
            others = wide.index != response
            level = np.tile(x[others].to_numpy(), 2)
            human = np.concatenate([wide["rater", name][others] for name in ("A", "B")])
            knots, index, counts = np.unique(level, return_inverse=True, return_counts=True)
            means = np.bincount(index, human) / counts
            fitted = isotonic_regression(means, weights=counts).x
            got = row(fixed.table(), scorer=f"{judge} (corrected)", response_id=response).points
            assert got == pytest.approx(np.interp(x[response], knots, fitted))


def test_a_cluster_s_ratings_never_reach_its_own_corrected_values() -> None:
    points = noisy(clusters={f"R{n:02}": f"C{n // 4}" for n in range(40)})
    values = points.matrix.values.copy()
    inside = np.array(points.column("cluster")) == "C3"
    of_judges = [scorer.kind == "judge" for _, scorer in points.matrix.columns]
    values[np.ix_(inside, ~np.array(of_judges))] = 100.0
    before, after = (
        correct(data, BY_CLUSTER)[0].matrix.values[:, of_judges]
        for data in (points, points.with_values(values))
    )
    assert before[inside].tolist() == after[inside].tolist()
    # It does reach those of other folds, so the test can tell.
    assert before[~inside].tolist() != after[~inside].tolist()


def test_a_response_s_own_rating_makes_no_difference_to_it() -> None:
    points = noisy()
    rows = points.table()
    fewer = points.keep((rows["kind"].ne("rater") | rows["response_id"].ne("R05")).to_numpy())
    before, after = (correct(data)[0].table() for data in (points, fewer))
    for judge in ("j (corrected)", "k (corrected)"):
        where = {"scorer": judge, "response_id": "R05"}
        assert row(before, **where).points == row(after, **where).points


def test_all_judges_are_corrected_and_named_so_and_raters_are_left_alone() -> None:
    points = noisy(clusters={"R00": "x"})
    fixed, notes = correct(points, AgreementOptions(seed=4))
    assert [scorer.label for scorer in fixed.judges] == ["j (corrected)", "k (corrected)"]
    assert (fixed.carried, fixed.units, fixed.raters) == (points.carried, points.units, points.raters)
    assert np.array_equal(fixed.take("d", fixed.raters), points.take("d", points.raters))
    assert len(fixed.long) == len(points.long)
    assert len(notes) == 1
    assert "40 responses in 5 folds" in notes[0]
    # The judge that is 2 points too lenient no longer is.
    bias = calibration(fixed)
    assert abs(bias[bias["level"].isna() & bias["scorer"].eq("j (corrected)")]["bias"].iloc[0]) < 0.3


def test_neither_the_order_of_rows_nor_a_second_run_matters() -> None:
    points = noisy()
    shuffled = replace(points, long=points.long.sample(frac=1, random_state=1))
    one, other = (correct(data)[0].table() for data in (points, shuffled))
    keys = ["response_id", "scorer"]
    pd.testing.assert_frame_equal(
        one.sort_values(keys, ignore_index=True), other.sort_values(keys, ignore_index=True)
    )


def test_what_could_not_be_corrected_is_left_out_and_said() -> None:
    points = noisy(n=6, more={("judge", "k", "unrated"): [1, 2]})
    fixed, notes = correct(points)
    assert set(fixed.table()["dimension"]) == {"d"}
    assert notes[1:] == [
        "k: 2 of 8 values are left out, since the other folds hold no pair of this judge with a rater: "
        "unrated.",
    ]
    together, notes = correct(noisy(n=6, clusters={f"R{n:02}": "one" for n in range(6)}), BY_CLUSTER)
    assert not together.judges
    assert together.raters
    assert "1 clusters in 1 folds" in notes[0]
    assert len(notes) == 3


def test_responses_without_a_label_are_clusters_of_their_own() -> None:
    _, notes = correct(noisy(n=6, clusters={"R00": "a", "R01": "a", "R02": "R03"}), BY_CLUSTER)
    assert "5 clusters (3 of them responses without a label) in 5 folds" in notes[0]
    with pytest.raises(SettingError, match="folds"):
        correct(noisy(), n_folds=1)
