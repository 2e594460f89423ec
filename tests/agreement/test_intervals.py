"""Which values have an interval, of what kind, and what is said where there is none."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest

from agreement.tables import row, table
from creaeval.agreement.options import AgreementOptions
from creaeval.agreement.pairs import HUMAN
from creaeval.agreement.protocol import SHARE, measure_agreement
from creaeval.agreement.scorers.raters import rater_coefficients

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

EQUAL = "no interval: all resamples are equal"
FEW = "no interval: fewer than 5 responses or clusters"
FORTY = [1.0 + number % 7 for number in range(40)]
ONE_OFF = [FORTY[0] + 1, *FORTY[1:]]


def cells(given: dict[str, Sequence[float]], measures: list[str], **how: Any) -> pd.DataFrame:
    carried = {"plot": {f"R{number:02}": str(number % 8) for number in range(40)}}
    points = table(
        {("judge" if name == "j" else "rater", name, "d"): of for name, of in given.items()}, carried=carried
    )
    found = measure_agreement(points, AgreementOptions(resamples=200, measures=tuple(measures), **how))
    return found.cells if len(given) == 2 else found.means


def test_perfect_agreement_of_forty_responses_has_wilsons_interval() -> None:
    for measure in ("exact", "adjacent"):
        value = row(cells({"j": FORTY, "A": FORTY}, [measure]), metric=measure)
        # 40 / (40 + 1.96²)
        assert (value["value"], round(value["low"], 4), value["high"]) == (1.0, 0.9124, 1.0)
        assert value["reason"] == ""


def test_the_mean_over_a_single_pair_has_wilsons_interval_too() -> None:
    points = table({("judge", "j", "d"): FORTY, ("rater", "A", "d"): ONE_OFF})
    means = measure_agreement(points, AgreementOptions(measures=("exact",), resamples=200)).means
    for dimension in ("d", "AVG"):
        value = row(means, dimension=dimension)
        # Wilson, 39 of 40, by (2np + z² ± z sqrt(z² + 4np(1 - p))) / 2(n + z²)
        assert (round(value["low"], 4), round(value["high"], 4)) == (0.8712, 0.9956)


def test_a_share_at_another_confidence_is_wider() -> None:
    ninety = row(cells({"j": FORTY, "A": ONE_OFF}, ["exact"], confidence=0.9), metric="exact")
    assert 0.8712 < ninety["low"] < ninety["value"] < ninety["high"] < 0.9956


@pytest.mark.parametrize("measure", ["qwk", "pearson", "icc", "icc1", "linear", "kappa", "rmse", "bias"])
def test_a_value_that_all_resamples_share_has_no_interval_and_says_so(measure: str) -> None:
    value = row(cells({"j": FORTY, "A": FORTY}, [measure]), metric=measure)
    assert math.isnan(value["low"])
    assert math.isnan(value["high"])
    assert value["reason"] == EQUAL


def test_the_mean_share_over_raters_is_bootstrapped_and_has_no_interval_where_all_agree() -> None:
    means = cells({"j": FORTY, "A": FORTY, "B": FORTY}, ["exact"])
    assert set(means.loc[means["metric"].eq("exact") & means["judge"].eq("j"), "reason"]) == {EQUAL}
    # People are a single pair.
    assert round(row(means, judge=HUMAN, metric="exact", dimension="d")["low"], 4) == 0.9124
    varied = row(
        cells({"j": FORTY, "A": FORTY, "B": ONE_OFF}, ["exact"]), judge="j", metric="exact", dimension="d"
    )
    assert varied["low"] < varied["value"] == 79 / 80
    assert varied["high"] == 1.0


def test_shares_of_whole_clusters_are_bootstrapped() -> None:
    perfect = row(cells({"j": FORTY, "A": FORTY}, ["exact"], cluster=("plot",)), metric="exact")
    assert (math.isnan(perfect["low"]), perfect["reason"]) == (True, EQUAL)
    nearly = row(cells({"j": FORTY, "A": ONE_OFF}, ["exact"], cluster=("plot",)), metric="exact")
    assert nearly["low"] < 39 / 40
    assert nearly["high"] == 1.0


def test_nothing_has_an_interval_from_fewer_than_five_responses() -> None:
    four = [1.0, 2.0, 4.0, 3.0]
    means = cells({"j": four, "A": [1.0, 2.0, 4.0, 4.0], "B": [2.0, 2.0, 4.0, 3.0]}, ["qwk", "exact"])
    assert means["low"].isna().all()
    assert set(means.loc[~means["metric"].str.endswith(SHARE), "reason"]) == {FEW}


@pytest.mark.parametrize("n", [2, 4, 5])
def test_coefficients_of_all_raters_have_no_interval_from_fewer_than_five_responses(n: int) -> None:
    ratings = {("rater", "A", "d"): [1.0, 3, 2, 5, 4][:n], ("rater", "B", "d"): [2.0, 3, 2, 4, 5][:n]}
    found = rater_coefficients(table(ratings), AgreementOptions(resamples=200)).set_index("coefficient")
    for name in ("ICC(A,1) = ICC(2,1)", "Krippendorff's alpha (interval)"):
        assert bool(found["low"].isna()[name]) == (n < 5)
        assert (found.loc[name, "reason"] == FEW) == (n < 5)


def test_raters_who_agree_in_full_have_coefficients_of_1_without_an_interval() -> None:
    same = [1.0, 3, 2, 5, 4, 4]
    found = rater_coefficients(
        table({("rater", "A", "d"): same, ("rater", "B", "d"): same}), AgreementOptions(resamples=200)
    )
    defined = found[found["value"].notna() & ~found["coefficient"].str.contains("ordinal|nominal|Fleiss")]
    assert len(defined) == 7
    assert (defined["value"] == 1).all()
    assert defined["low"].isna().all()
    assert defined["reason"].str.startswith("no interval: ").all()


def test_no_limit_of_a_mean_of_raters_is_without_bound() -> None:
    # The lower limit of ICC(A,1) is below -1 / (k - 1), so that of two raters' mean is at minus infinity.
    ratings = {("rater", "A", "d"): [1.0, 2, 4, 5, 3], ("rater", "B", "d"): [3.0] * 5}
    found = rater_coefficients(table(ratings), AgreementOptions(resamples=50)).set_index("coefficient")
    of = row(found.reset_index(), coefficient="ICC(A,k) = ICC(2,k)")
    assert math.isnan(of["low"])
    assert math.isnan(of["high"])
    assert "no interval: the data set it no lower limit" in of["reason"]
