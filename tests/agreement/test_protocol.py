from __future__ import annotations

import math
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest

from agreement.tables import by_response, row, table
from creaeval.agreement.options import AgreementOptions, make_options
from creaeval.agreement.pairs import AVG, HUMAN
from creaeval.agreement.protocol import ALL_RATERS, SHARE, Agreement, measure_agreement
from creaeval.errors import SettingError
from creaeval.stats import measures
from creaeval.stats.icc import icc
from creaeval.stats.measures import Measure
from creaeval.stats.resample import bootstrap, pearson

if TYPE_CHECKING:
    from collections.abc import Sequence

    from creaeval.agreement.rating_data import RatingData

# Eight responses; the judge is 2 points above A throughout (shared case S11).
A = [2, 3, 4, 5, 6, 4, 3, 5]
UP = [value + 2 for value in A]


def measured(data: RatingData, keys: Sequence[str], resamples: int = 0, **settings: Any) -> Agreement:
    options = AgreementOptions(measures=tuple(keys), resamples=resamples, **settings)
    return measure_agreement(data, options)


def test_a_judge_that_is_lenient_throughout_agrees_in_order_and_not_in_level() -> None:  # S11
    points = table({("judge", "j", "d"): UP, ("rater", "A", "d"): A})
    cells = measured(points, ["pearson", "icc", "qwk", "bias", "exact", "rmse"], 200).cells
    values = {one.metric: one.value for one in cells.itertuples()}
    assert values["pearson"] == pytest.approx(1)
    # Population variance of A is 1.5, so QWK is 2 * 1.5 / (1.5 + 1.5 + 4).
    assert values["qwk"] == pytest.approx(3 / 7)
    assert values["icc"] == pytest.approx(icc(np.column_stack([UP, A]))["ICC(2,1)"].value)
    assert (values["bias"], values["exact"], values["rmse"]) == (2, 0, 2)
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
    found = measured(points, ["pearson", "qwk", "spearman"])
    for measure in ("pearson", "spearman"):
        undefined = row(found.cells, dimension="d1", metric=measure)
        assert math.isnan(undefined.value)
        assert undefined.reason == "j is constant"
    zero = row(found.cells, dimension="d1", metric="qwk")
    assert (zero.value, zero.reason) == (0, "0 since j is constant")
    r = row(found.means, dimension=AVG, metric="pearson")
    assert (r.value, r.defined, r.reason) == (pytest.approx(1), "1 of 2", "j is constant")
    assert row(found.means, dimension=AVG, metric="qwk").value == pytest.approx(0.5)


def test_the_mean_is_of_the_agreements_with_each_rater_and_not_with_the_mean_rating() -> None:
    b = [7 - value for value in A]
    points = table({("judge", "j", "d"): A, ("rater", "A", "d"): A, ("rater", "B", "d"): b})
    means = measured(points, ["pearson"]).means
    # r is 1 with A and -1 with B; with their mean, which is constant, there would be none.
    assert row(means, judge="j", dimension="d", metric="pearson").value == pytest.approx(0)
    human = row(means, judge=HUMAN, dimension="d", metric="pearson")
    assert (human.value, human.defined, human.rater) == (pytest.approx(-1), "1 of 1", ALL_RATERS)
    # People who contradict each other set no mark of which a share could be reached.
    share = row(means, judge="j", dimension=AVG, metric="pearson" + SHARE)
    assert math.isnan(share.value)
    assert share.reason == "people agree no better than by chance (-1.000)"


def test_the_share_of_human_agreement_reached_has_its_interval_from_the_same_resamples() -> None:
    # The judge is as far from A as B is, so the share is 1 in every resample.
    b = [value + 1 for value in A]
    points = table({("judge", "j", "d"): b, ("rater", "A", "d"): A, ("rater", "B", "d"): b})
    found = measured(points, ["qwk"], 200)
    # With A the judge agrees as B does (3 / 4 = 2 * 1.5 / (3 + 1)), with B perfectly: their mean over 3 / 4.
    share = row(found.means, judge="j", dimension="d", metric="qwk" + SHARE)
    assert share.value == pytest.approx((0.75 + 1) / 2 / 0.75)
    assert share.low <= share.value <= share.high


def test_several_judges_are_the_mean_of_their_own_agreements() -> None:
    # One judge repeats A, the other turns the scale round: the mean of r is 0; the mean judge is constant.
    points = table(
        {
            ("judge", "one", "d"): A,
            ("judge", "two", "d"): [7 - value for value in A],
            ("rater", "A", "d"): A,
        }
    )
    means = measured(points, ["pearson"], 100).means
    panel = row(means, judge="mean of 2 judges", dimension="d")
    assert (panel.value, panel.reason) == (pytest.approx(0), "no interval: all resamples are equal")
    assert math.isnan(panel.low)
    assert (panel.method, panel.defined, panel.n) == ("m", "2 of 2", 8)
    assert row(means, judge="two", dimension="d").value == pytest.approx(-1)


def test_only_responses_that_both_scored_count_and_are_counted() -> None:
    some = [*A[:5], None, None, None]
    of = row(measured(table({("judge", "j", "d"): UP, ("rater", "A", "d"): some}), ["pearson"]).cells)
    assert (of["n"], of["value"]) == (5, pytest.approx(1))
    one = table({("judge", "j", "d"): UP, ("rater", "A", "d"): [2, *[None] * 7]})
    of = row(measured(one, ["qwk"], 50).cells)
    assert math.isnan(of["value"])
    assert (of["n"], of["reason"]) == (1, "scored by both: 1")


def test_intervals_hold_the_value_and_repeat_with_the_seed() -> None:
    random = np.random.default_rng(3)
    truth = random.integers(1, 8, 60)
    given = {
        (kind, name, dimension): np.clip(truth + random.integers(-1, 2, 60), 1, 8).tolist()
        for kind, name in (("judge", "j"), ("rater", "A"), ("rater", "B"))
        for dimension in ("d1", "d2")
    }
    points = table(given)
    measures = ["qwk", "pearson", "icc", "icc1", "linear", "kappa", "exact", "adjacent", "bias", "rmse"]
    for interval in ("percentile", "bca"):
        first, again = (measured(points, measures, 500, seed=1, interval=interval) for _ in range(2))
        pd.testing.assert_frame_equal(first.means, again.means)
        for shown in (first.means, first.cells):
            assert (shown["low"] <= shown["value"]).all()
            assert (shown["value"] <= shown["high"]).all()
        # Averaging two dimensions narrows the interval of one.
        of_judge = first.means[(first.means["metric"] == "qwk") & (first.means["judge"] == "j")]
        by_dimension = of_judge.set_index("dimension")
        width = by_dimension["high"] - by_dimension["low"]
        assert width[AVG] < width[["d1", "d2"]].mean()


def test_whole_clusters_are_drawn_and_few_are_warned_of() -> None:
    random = np.random.default_rng(4)
    truth = random.integers(1, 8, 30)
    given = np.clip(truth + random.integers(-2, 3, 30), 1, 8)
    labels = [str(number // 5) for number in range(30)]
    points = table(
        {("judge", "j", "d"): given.tolist(), ("rater", "A", "d"): truth.tolist()},
        carried={"plot": by_response(labels)},
    )
    found = measured(points, ["pearson"], 300, seed=2, cluster=("plot",))
    alone = bootstrap(
        pearson, [given.astype(float), truth.astype(float)], groups=labels, n_resamples=300, seed=2
    )
    of = row(found.cells)
    assert (of["low"], of["high"]) == pytest.approx((alone.low, alone.high))
    assert found.warnings == ("Only 6 clusters: intervals from fewer than 30 clusters are too narrow.",)


def test_few_responses_or_clusters_have_no_interval() -> None:
    points = table(
        {("judge", "j", "d"): A, ("rater", "A", "d"): [*A[:3], *UP[3:]]},
        carried={"pair": by_response(str(number // 2) for number in range(8))},
    )
    four = points.select(units=points.units[:4])
    assert math.isnan(row(measured(four, ["qwk"], 100).cells)["low"])
    assert not math.isnan(row(measured(points, ["qwk"], 100).cells)["low"])
    assert math.isnan(row(measured(points, ["qwk"], 100, cluster=("pair",)).cells)["low"])


def test_resamples_that_are_undefined_are_told() -> None:
    # The judge differs once: a resample without that response leaves it constant, which 34% of them do.
    points = table({("judge", "j", "d"): [3] * 7 + [4], ("rater", "A", "d"): A})
    of = row(measured(points, ["pearson"], 2000).cells)
    share = int(of["reason"].removeprefix("undefined in ").partition("%")[0])
    assert share == pytest.approx(100 * (7 / 8) ** 8, abs=4)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"resamples": 1}, "1 resamples: expected 0"),
        ({"resamples": -5}, "-5 resamples: expected 0"),
        ({"seed": -1}, "seed -1: expected 0"),
        ({"confidence": 95}, "confidence 95: expected a share"),
        ({"target": 1}, "target 1: expected a reliability"),
        ({"epsilon": -0.1}, "epsilon: expected 0 to 1"),
        ({"margin": 0}, "margin 0: expected more than 0"),
        ({"cluster": ["a", "b", "c"]}, "3 columns of clusters: expected one, or two that are crossed"),
        (
            {"interval": "bca", "cluster": ["a", "b"]},
            "BCa intervals are not defined for two crossed factors",
        ),
        ({"persons": "participant"}, "go together: name both"),
        ({"resample": 0}, r"resample: there is no such setting\. .*resamples"),
    ],
)
def test_how_agreement_is_measured_is_checked(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        make_options(None, settings)


def test_settings_are_lists_without_doubles_and_keep_the_others() -> None:
    options = make_options(AgreementOptions(seed=3), {"measures": ["qwk", "icc", "qwk"], "cluster": "plot"})
    assert (options.measures, options.cluster, options.seed) == (("qwk", "icc"), ("plot",), 3)


def test_two_crossed_factors_are_drawn_both() -> None:
    random = np.random.default_rng(5)
    truth = random.integers(1, 8, 36)
    points = table(
        {("judge", "j", "d"): truth.tolist(), ("rater", "A", "d"): (truth % 5).tolist()},
        carried={
            "person": by_response(str(number // 6) for number in range(36)),
            "scenario": by_response(str(number % 6) for number in range(36)),
        },
    )
    narrow, wide = (
        row(measured(points, ["qwk"], 500, cluster=cluster).cells)
        for cluster in (("person",), ("person", "scenario"))
    )
    assert wide["value"] == narrow["value"]
    assert wide["high"] - wide["low"] > narrow["high"] - narrow["low"]


def test_an_unknown_measure_and_missing_ratings_are_named() -> None:
    points = table({("judge", "j", "d"): A, ("rater", "A", "d"): A})
    with pytest.raises(SettingError, match="measure 'kapa': expected one of qwk, pearson, icc"):
        measured(points, ["kapa"])
    with pytest.raises(SettingError, match="no ratings of these responses"):
        measured(table({("judge", "j", "d"): A}), ["qwk"])
    with pytest.raises(SettingError, match="a single rater and no judge"):
        measured(table({("rater", "A", "d"): A}), ["qwk"])


def test_a_measure_of_another_package_is_measured_like_any_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measures, "_measures", dict(measures._measures))
    largest = Measure(
        "largest",
        "largest distance",
        lambda x, y: float(np.nanmax(np.abs(np.subtract(x, y)))),
        in_points=True,
        comparable=False,
        better="lower",
        bounds=(0, math.inf),
        needs="a pair",
    )
    entry = SimpleNamespace(name="largest", value="their_package:largest", load=lambda: largest)
    monkeypatch.setattr(
        "importlib.metadata.entry_points", lambda group: [entry] if group == measures.GROUP else []
    )
    measures._plug_ins.cache_clear()
    data = table({("judge", "j", "d"): UP, ("rater", "A", "d"): A, ("rater", "B", "d"): [*A[:-1], None]})
    means = measured(data, ["qwk", "largest"], 50).means
    measures._plug_ins.cache_clear()
    assert row(means, judge="j", dimension="d", metric="largest").value == 2
    # It is in points, so no share of people's is reached, and without a form on the grid it has no interval.
    assert set(means["metric"]) == {"qwk", "qwk" + SHARE, "largest"}
    assert means.loc[means["metric"].eq("largest"), "low"].isna().all()
