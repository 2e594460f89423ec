from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from agreement.tables import row, table
from creaeval.agreement.options import AgreementOptions
from creaeval.agreement.rating_data import Scorer
from creaeval.agreement.scorers.severity import AVG, FAIR_COLUMNS, SEVERITY_COLUMNS, fair_means, severity

if TYPE_CHECKING:
    import pandas as pd

    from creaeval.agreement.rating_data import RatingData

SCALES = {"d1": (1.0, 9.0), "d2": (0.0, 4.0)}
# The judge scores R00 to R03, A R00 to R02, B R02 and R03.
DATA = table(
    {
        ("judge", "j", "d1"): [5, 6, 7, 8],
        ("rater", "A", "d1"): [3, 4, 4, None],
        ("rater", "B", "d1"): [None, None, 6, 9],
        ("judge", "j", "d2"): [1, 1, 3, 3],
        ("rater", "A", "d2"): [2, 2, 2, None],
    },
    SCALES,
)


TRUE = np.array([-3.0, -1.0, 1.0, 3.0])


def severity_of(data: RatingData, **settings: Any) -> pd.DataFrame:
    return severity(data, AgreementOptions(**settings))


QUALITY = np.random.default_rng(4).normal(10.5, 2, 300)


def chain() -> RatingData:
    """Responses by the pairs AB, BC and CD of raters with known severities, and a judge of all, 1.5 above."""
    rng = np.random.default_rng(5)
    points = np.full((len(QUALITY), 5), np.nan)
    for response, quality in enumerate(QUALITY):
        pair = [response % 3, response % 3 + 1]
        points[response, pair] = quality + TRUE[pair] + rng.normal(0, 1.2, 2)
    points[:, 4] = QUALITY + 1.5 + rng.normal(0, 1.2, len(QUALITY))
    points = np.clip(np.rint(points), 1, 20)
    scorers = [*(("rater", name, "d") for name in "ABCD"), ("judge", "j", "d")]
    columns = ([None if math.isnan(value) else value for value in column] for column in points.T.tolist())
    return table(dict(zip(scorers, columns, strict=True)), {"d": (1.0, 20.0)})


def test_level_and_spread_by_hand() -> None:
    found = severity_of(DATA)
    assert [*found.columns] == SEVERITY_COLUMNS
    judge = row(found, scorer="j", dimension="d1")
    assert (judge.n, judge["mean"], judge.lowest, judge.highest) == (4, 6.5, 5, 8)
    assert judge.sd == pytest.approx(math.sqrt(5 / 3))
    assert judge.range_use == pytest.approx(3 / 8)
    assert judge.n_compared == 4


def test_raters_have_the_severities_that_were_put_in() -> None:
    # Each beside the mean of the others on the same responses is up to 1.9 off: neighbours are severe, too.
    for raters in ("fixed", "random"):
        found = severity_of(chain(), raters=raters)
        for name, true in zip("ABCD", TRUE, strict=True):
            rater = row(found, scorer=name, dimension="d")
            assert rater.leniency == pytest.approx(true, abs=0.35)
            assert rater.low < true < rater.high
            assert (rater.island, rater.reason) == (0, "")
        # A judge is beside the average rater: what was put in, 1.5 above.
        judge = row(found, scorer="j", dimension="d")
        assert judge.leniency == pytest.approx(1.5, abs=0.35)
        assert judge.low < 1.5 < judge.high
    # Four raters of a variance near 6.7 leave their mean open by 1.3 points.
    fixed, random = (severity_of(chain(), raters=raters).iloc[0].se for raters in ("fixed", "random"))
    assert fixed < 0.3 < 1.1 < random


def test_crossed_scorers_differ_as_their_means_do() -> None:
    points = {("rater", "A", "d1"): [3, 4, 5, 6, 7], ("rater", "B", "d1"): [5, 5, 6, 9, 8]}
    found = severity_of(table(points | {("judge", "j", "d1"): [4, 4, 4, 6, 8]}, SCALES))
    # Means 5, 6.6 and 5.2; raters' average 5.8
    values = found[found["dimension"].eq("d1")].set_index("scorer")["leniency"]
    assert values.to_dict() == pytest.approx({"A": -0.8, "B": 0.8, "j": -0.6})
    # The difference of raters has the variance 2 e / 5, half of it a quarter: e from differences 2 1 1 3 1.
    error = np.var([2, 1, 1, 3, 1], ddof=1) / 2
    assert row(found, scorer="A", dimension="d1").se == pytest.approx(math.sqrt(error / 10))


def test_few_responses_have_differences_but_no_errors() -> None:
    found = severity_of(DATA)
    # A and B share R02, where A gave 4 and B 6: both are a point from their mean.
    a, b = row(found, scorer="A", dimension="d1"), row(found, scorer="B", dimension="d1")
    assert (a.leniency, b.leniency) == pytest.approx((-1, 1))
    assert a[["se", "low", "high"]].isna().all()
    assert a.reason == "leniency: 5 ratings of 4 responses by 2 raters are too few to tell raters from error"
    alone = row(found, scorer="A", dimension="d2")
    assert math.isnan(alone.leniency)
    assert (alone.n_compared, alone.reason) == (0, "leniency: no other rater scored these responses")
    # Three responses by the judge and a rater: -1 -1 1 differ by -1/3, with an error but no interval.
    judge = row(found, scorer="j", dimension="d2")
    assert judge.leniency == pytest.approx(-1 / 3)
    assert not math.isnan(judge.se)
    assert math.isnan(judge.low)
    assert judge.reason == "leniency: no interval: fewer than 5 responses or clusters"


def test_the_average_is_unweighted_over_the_dimensions_where_it_is_defined() -> None:
    found = severity_of(DATA)
    judge = row(found, scorer="j", dimension=AVG)
    d1, d2 = (row(found, scorer="j", dimension=name).leniency for name in ("d1", "d2"))
    assert judge.leniency == pytest.approx((d1 + d2) / 2)
    assert (judge["mean"], judge.defined, judge.n, judge.n_compared) == (4.25, "2 of 2", 4, 3)
    assert judge.range_use == pytest.approx((3 / 8 + 2 / 4) / 2)
    assert judge[["se", "low", "high"]].isna().all()
    a = row(found, scorer="A", dimension=AVG)
    assert (a.leniency, a.defined) == (pytest.approx(-1), "1 of 2")
    assert "no other rater" in a.reason
    b = row(found, scorer="B", dimension="d2")
    assert (b.n, b.reason) == (0, "no points")
    assert b[["mean", "sd", "lowest", "highest", "range_use", "leniency"]].isna().all()


def test_a_judge_of_the_same_name_is_no_rater() -> None:
    found = severity_of(table({("judge", "A", "d1"): [5, 5], ("rater", "A", "d1"): [3, 4]}, SCALES))
    assert row(found, kind="judge", dimension="d1").leniency == 1.5
    assert math.isnan(row(found, kind="rater", dimension="d1").leniency)


def test_islands_are_compared_within_themselves() -> None:
    rng = np.random.default_rng(1)
    points = np.full((20, 5), np.nan)
    points[:10, :2] = rng.normal(5, 1, (10, 1)) + rng.normal(0, 0.3, (10, 2)) + [0, 1]
    points[10:, 2:4] = rng.normal(5, 1, (10, 1)) + rng.normal(0, 0.3, (10, 2)) + [0, 2]
    points[:, 4] = rng.normal(5, 1, 20)
    columns = ([None if math.isnan(value) else value for value in column] for column in points.T.tolist())
    scorers = [*(("rater", name, "d1") for name in "ABCD"), ("judge", "j", "d1")]
    data = table(dict(zip(scorers, columns, strict=True)), SCALES)
    found = severity_of(data)
    leniency = {name: row(found, scorer=name, dimension="d1").leniency for name in "ABCD"}
    assert leniency["A"] + leniency["B"] == pytest.approx(0)
    assert leniency["D"] == pytest.approx(1, abs=0.3)
    assert [row(found, scorer=name, dimension="d1").island for name in "ABCD"] == [0, 0, 1, 1]
    fair = fair_means(data, AgreementOptions())
    assert fair["island"].tolist() == [0] * 10 + [1] * 10
    assert sorted(fair["rank"]) == sorted([*range(1, 11)] * 2)


def test_fair_means_are_nearer_the_truth_than_means() -> None:
    fair = fair_means(chain(), AgreementOptions())
    assert [*fair.columns] == FAIR_COLUMNS
    assert len(fair) == len(QUALITY)
    assert set(fair["kind"]) == {"rater"}
    assert fair["item"].isna().all()
    quality = QUALITY[[int(name[1:]) for name in fair["response_id"]]]
    raw, adjusted = (float(np.square(fair[name] - quality).mean()) for name in ("mean", "fair_mean"))
    assert adjusted < 0.4 * raw
    assert np.mean((fair["low"] <= quality) & (quality <= fair["high"])) > 0.9
    assert ((fair["rank_low"] <= fair["rank"]) & (fair["rank"] <= fair["rank_high"])).all()
    assert (fair["n_raters"] == 2).all()
    assert fair.equals(fair_means(chain(), AgreementOptions()))


def test_fair_means_without_raters_or_with_one() -> None:
    judges = DATA.select(scorers=lambda scorer: scorer.kind == "judge")
    assert len(fair_means(judges, AgreementOptions())) == 0
    alone = fair_means(DATA.select(scorers=lambda scorer: scorer == Scorer("A")), AgreementOptions())
    assert alone["fair_mean"].isna().all()
    assert set(alone["reason"]) == {"there is a single rater"}
    assert alone["mean"].tolist() == [3, 4, 4, 2, 2, 2]


def test_what_is_undefined_has_its_reason() -> None:
    found = severity_of(table({("judge", "j", "d1"): [5], ("judge", "k", "d1"): [5, 12]}, SCALES))
    one = row(found, scorer="j", dimension="d1")
    assert math.isnan(one.sd)
    assert math.isnan(one.range_use)
    assert one.reason == (
        "sd and range_use: fewer than 2 responses; leniency: no rater scored these responses"
    )
    off = row(found, scorer="k", dimension="d1")
    assert math.isnan(off.range_use)
    assert "1 of 2 scores are off the scale" in off.reason
    assert off["mean"] == 8.5
    flat = severity_of(table({("judge", "j", "d2"): [3, 3]}, {"d2": (3.0, 3.0)})).iloc[0]
    assert math.isnan(flat.range_use)
    assert flat.reason.startswith("range_use: a scale runs from a lower to a higher value")


def test_nobody_makes_an_empty_table() -> None:
    nobody = severity_of(DATA.keep(np.zeros(len(DATA.long), dtype=bool)))
    assert ([*nobody.columns], len(nobody)) == (SEVERITY_COLUMNS, 0)
