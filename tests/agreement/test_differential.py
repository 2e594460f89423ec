"""Whether a judge favours a group, beyond what people gave."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import ttest_ind

from agreement.tables import row, table
from creaeval.agreement import AgreementOptions
from creaeval.agreement.differential import OTHERS, differential
from creaeval.stats.compare import holm

GENERATOR = np.random.default_rng(5)
GROUPS = [*["de"] * 12, *["en"] * 15, *["fr"] * 9]
HUMAN = GENERATOR.integers(1, 8, 36)
SHIFT = np.array([{"de": 1.0, "en": 0.0, "fr": 0.0}[name] for name in GROUPS])
CARRIED = {"language": {f"R{number:02}": name for number, name in enumerate(GROUPS)}}
OPTIONS = AgreementOptions()


def data(judge: np.ndarray, carried: dict[str, dict[str, str]] = CARRIED):  # type: ignore[no-untyped-def]
    return table({("judge", "j", "d"): judge.tolist(), ("rater", "A", "d"): HUMAN.tolist()}, carried=carried)


def test_each_group_is_held_against_all_others_by_welchs_test() -> None:
    judge = HUMAN + SHIFT + GENERATOR.normal(0, 1, 36)
    found = differential(data(judge), "language", OPTIONS)
    of_dimension = found[found["dimension"] == "d"]
    bias = judge - HUMAN
    names = np.array(GROUPS)
    p_values = []
    for name in ("de", "en", "fr"):
        test = ttest_ind(bias[names == name], bias[names != name], equal_var=False)
        line = row(of_dimension, group=name)
        assert line.against == OTHERS
        assert line.difference == pytest.approx(bias[names == name].mean() - bias[names != name].mean())
        assert (line.t, line.df, line.p) == pytest.approx((test.statistic, test.df, test.pvalue))
        assert (line.low, line.high) == pytest.approx(tuple(test.confidence_interval(0.95)))
        p_values.append(test.pvalue)
    assert of_dimension["p_holm"].tolist() == pytest.approx(holm(p_values).tolist())


def test_of_two_groups_there_is_one_contrast() -> None:
    carried = {"grade": {f"R{number:02}": "4" if number < 16 else "7" for number in range(36)}}
    judge = HUMAN + GENERATOR.normal(0, 1, 36)
    found = differential(data(judge, carried), "grade", OPTIONS)
    line = row(found, dimension="d")
    test = ttest_ind((judge - HUMAN)[:16], (judge - HUMAN)[16:], equal_var=False)
    assert (line.group, line.against, line.n, line.n_against) == ("4", "7", 16, 20)
    assert (line.p, line.p_holm) == pytest.approx((test.pvalue, test.pvalue))


def test_with_clusters_their_means_are_what_is_tested() -> None:
    schools = {f"R{number:02}": f"S{number // 3}" for number in range(36)}
    carried = {
        "grade": {f"R{number:02}": "4" if number < 18 else "7" for number in range(36)},
        "school": schools,
    }
    judge = HUMAN + GENERATOR.normal(0, 1, 36)
    found = differential(data(judge, carried), "grade", AgreementOptions(cluster=("school",)))
    means = (judge - HUMAN).reshape(12, 3).mean(axis=1)
    test = ttest_ind(means[:6], means[6:], equal_var=False)
    line = row(found, dimension="d")
    assert (line.n, line.n_against, line.p) == (6, 6, pytest.approx(test.pvalue))


def test_small_groups_and_constant_differences_have_no_test_and_say_why() -> None:
    carried = {"language": {f"R{number:02}": "de" if number < 3 else "en" for number in range(36)}}
    few = row(
        differential(data(HUMAN + GENERATOR.normal(size=36), carried), "language", OPTIONS), dimension="d"
    )
    assert math.isnan(few.p)
    assert few.reason == "no test: 3 responses in a group, fewer than 5"
    assert not math.isnan(few.difference)
    same = row(differential(data(HUMAN + 1.0), "language", OPTIONS), dimension="d", group="de")
    assert (same.difference, same.reason) == (0, "no test: the differences do not vary")


def test_more_groups_than_responses_allow_no_test() -> None:
    carried = {"school": {f"R{number:02}": f"S{number}" for number in range(36)}}
    found = differential(data(HUMAN + GENERATOR.normal(size=36), carried), "school", OPTIONS)
    assert found["p"].isna().all()
    assert found["reason"].ne("").all()
