"""Methods side by side: values, who is best, what is lost, what is undefined."""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING

import pandas as pd
import pytest

from agreement.sheets_of_points import ADEQUACY, FOCUS, qwk, ratings, scores, sheets
from agreement.tables import row
from booklets import cgpst
from creaeval.agreement.methods.method_table import method_table, rank_methods
from creaeval.agreement.options import AgreementOptions
from creaeval.agreement.pairs import AVG, HUMAN
from creaeval.data import Scores, read_ratings, read_scores
from creaeval.errors import SettingError
from creaeval.tasks import load_task
from data_folder import shared_data

if TYPE_CHECKING:
    from collections.abc import Sequence

A = [1, 2, 3, 4, 5, 6]
B = [2, 2, 3, 5, 5, 6]
NEAR = [1, 2, 3, 4, 6, 6]
FAR = [3, 3, 3, 4, 4, 3]
PLAIN = AgreementOptions(resamples=0)
QWK = PLAIN.change(measures="qwk")


def test_the_torrance_tests_recorded_judges_and_experts() -> None:
    # QWK of dimension counts with the experts, averaged, as recomputed from the public data; then their mean.
    folder = shared_data("ttcw/expert_ratings.csv").parent
    task = load_task("ttcw")
    (recorded,) = read_scores(folder / "judge_verdicts.csv", task, blank_is_no=True)
    experts = read_ratings(folder / "expert_ratings.csv", task)
    expected = {
        "claude3-opus": [0.072, 0.057, 0.587, 0.045, 0.190],
        "gpt4": [-0.041, 0.125, 0.154, -0.020, 0.054],
        "cgpt": [-0.279, -0.027, 0.092, -0.027, -0.060],
        HUMAN: [0.553, 0.572, 0.719, 0.545, 0.597],
    }
    methods = [
        Scores(name, tuple(one for one in recorded.sheets if one.scorer == name), {}, "verdicts.csv")
        for name in expected
        if name != HUMAN
    ]
    table = method_table(task, methods, experts, QWK, n_permutations=0)
    assert list(dict.fromkeys(table["method"])) == list(expected)
    for method, values in expected.items():
        found = table.loc[table["method"].eq(method), "value"].tolist()
        assert found == pytest.approx(values, abs=0.0006), method
        assert found[-1] == pytest.approx(sum(found[:4]) / 4)
    assert set(table["n"]) == {48}
    assert list(dict.fromkeys(table["name"])) == [
        "Story: Fluency",
        "Story: Flexibility",
        "Story: Originality",
        "Story: Elaboration",
        AVG,
    ]
    of_flexibility = table[table["dimension"].eq("story.flexibility") & table["method"].ne(HUMAN)]
    ranks = dict(zip(of_flexibility["method"], of_flexibility["rank"], strict=True))
    assert ranks == {"gpt4": 1, "claude3-opus": 2, "cgpt": 3}
    assert pd.isna(row(table, dimension=AVG, method=HUMAN)["rank"])


def test_a_method_of_several_judges_has_the_mean_of_their_agreements() -> None:
    two = scores("m", sheets("j1", {"focus": NEAR}), sheets("j2", {"focus": FAR}))
    table = method_table(cgpst(), [two], ratings(sheets("A", {"focus": A}), sheets("B", {"focus": B})), QWK)
    found = row(table, dimension=FOCUS, method="m")
    by_hand = [qwk(judge, rater) for judge in (NEAR, FAR) for rater in (A, B)]
    assert found["value"] == pytest.approx(sum(by_hand) / 4)
    assert found["defined"] == "4 of 4"
    assert row(table, dimension=FOCUS, method=HUMAN)["value"] == pytest.approx(qwk(A, B))


def test_methods_are_compared_on_the_responses_that_all_of_them_scored() -> None:
    one = scores("one", sheets("j", {"focus": [*NEAR, 1], "adequacy": [*A, 1]}))
    # The other method has nothing for R1, and for R6 focus alone.
    two = scores("two", sheets("j", {"focus": [3, None, 3, 4, 4, 3, 1], "adequacy": [1, None, 2, 4, 5, 5]}))
    rated = ratings(
        sheets("A", {"focus": [*A, 9], "adequacy": [*A, 9]}),
        sheets("B", {"focus": [*B, 9], "adequacy": [*B, 9]}),
    )
    table = method_table(cgpst(), [one, two], rated, QWK, n_permutations=0)
    keep = [0, 2, 3, 4, 5]
    assert list(table.groupby("dimension", sort=False)["n"].unique()) == [[6], [5], [5]]
    found = row(table, dimension=ADEQUACY, method="one")
    kept = [A[n] for n in keep]
    assert found["value"] == pytest.approx((qwk(kept, kept) + qwk(kept, [B[n] for n in keep])) / 2)
    lost = [row(table, dimension=name, method="one")["lost"] for name in (ADEQUACY, FOCUS, AVG)]
    assert lost == [2, 1, 2]
    assert row(table, dimension=FOCUS, method="two")["lost"] == 0
    people = row(table, dimension=ADEQUACY, method=HUMAN)
    assert people["value"] == pytest.approx(qwk(kept, [B[n] for n in keep]))
    assert pd.isna(people["lost"])
    (note,) = [line for line in table.attrs["notes"] if line.startswith("one")]
    assert note.startswith("one: of 7 responses 2 are left out")
    assert note.endswith("R1, R6.")


def test_responses_that_nobody_rated_are_not_lost() -> None:
    one = scores("one", sheets("j", {"focus": [*A, 3, 3]}))
    two = scores("two", sheets("j", {"focus": FAR}))
    table = method_table(cgpst(), [one, two], ratings(sheets("A", {"focus": A})), QWK)
    assert row(table, dimension=FOCUS, method="one")["lost"] == 0
    assert not [line for line in table.attrs["notes"] if line.startswith("one")]


def test_equal_methods_share_a_rank_and_have_no_test() -> None:
    methods = [scores(name, sheets("j", {"focus": NEAR})) for name in ("a", "b")]
    methods.append(scores("c", sheets("j", {"focus": FAR})))
    table = method_table(cgpst(), methods, ratings(sheets("A", {"focus": A})), QWK)
    of_focus = table[table["dimension"].eq(FOCUS)]
    assert of_focus["rank"].tolist() == [1, 1, 3]
    assert of_focus["p"].isna().all()
    assert of_focus["significant"].isna().all()


def test_ranks_follow_what_is_better() -> None:
    values = {"a": 0.5, "b": -0.1, "c": math.nan}
    assert rank_methods("qwk", values) == {"a": 1, "b": 2}
    assert rank_methods("rmse", {"a": 0.5, "b": 1.5}) == {"a": 1, "b": 2}
    # A bias of -0.1 points is nearer to none than one of 0.5.
    assert rank_methods("bias", values) == {"b": 1, "a": 2}


def test_an_undefined_value_is_missing_with_its_reason_and_its_mean_is_not_ranked() -> None:
    flat = scores("flat", sheets("j", {"focus": [4] * 6, "adequacy": A}))
    other = scores("other", sheets("j", {"focus": NEAR, "adequacy": FAR}))
    table = method_table(
        cgpst(),
        [flat, other],
        ratings(sheets("A", {"focus": A, "adequacy": A})),
        PLAIN.change(measures="pearson"),
    )
    found = row(table, dimension=FOCUS, method="flat")
    assert math.isnan(found["value"])
    assert pd.isna(found["rank"])
    assert (found["defined"], found["n"]) == ("0 of 1", 6)
    assert found["reason"] == "flat: j is constant"
    mean = row(table, dimension=AVG, method="flat")
    # Over adequacy alone, where it is perfect: no fair rival to a mean over both.
    assert (mean["value"], mean["defined"]) == (pytest.approx(1), "1 of 2")
    assert pd.isna(mean["rank"])
    assert "not ranked: another method's mean is over more dimensions" in mean["reason"]
    assert row(table, dimension=AVG, method="other")["rank"] == 1
    assert math.isnan(row(table, dimension=AVG, method="other")["p"])


def permuted_p(one: Sequence[float], two: Sequence[float], rater: Sequence[float]) -> float:
    """All ways of swapping two methods' points, by an independent kappa."""
    seen = abs(qwk(one, rater) - qwk(two, rater))
    far = 0
    for swaps in product([False, True], repeat=len(one)):
        first = [b if swap else a for a, b, swap in zip(one, two, swaps, strict=True)]
        second = [a if swap else b for a, b, swap in zip(one, two, swaps, strict=True)]
        far += int(abs(qwk(first, rater) - qwk(second, rater)) >= seen - 1e-12)
    return far / math.pow(2, len(one))


def test_the_best_is_tested_against_the_second_and_corrected_over_dimensions() -> None:
    best = scores("best", sheets("j", {"focus": A, "adequacy": NEAR}))
    worst = scores("worst", sheets("j", {"focus": [6, 6, 1, 1, 1, 1], "adequacy": [6, 6, 1, 1, 1, 1]}))
    second = scores("second", sheets("j", {"focus": FAR, "adequacy": [2, 2, 3, 4, 6, 6]}))
    table = method_table(
        cgpst(),
        [worst, second, best],
        ratings(sheets("A", {"focus": A, "adequacy": A})),
        QWK,
    )
    p = {FOCUS: permuted_p(A, FAR, A), ADEQUACY: permuted_p(NEAR, [2, 2, 3, 4, 6, 6], A)}
    assert p[FOCUS] < p[ADEQUACY]
    holm = {FOCUS: 2 * p[FOCUS], ADEQUACY: max(2 * p[FOCUS], p[ADEQUACY])}
    for dimension in p:
        found = row(table, dimension=dimension, method="best")
        assert (found["rank"], found["against"]) == (1, "second")
        assert (found["p"], found["p_holm"]) == pytest.approx((p[dimension], min(1, holm[dimension])))
        assert found["significant"] == (holm[dimension] < 0.05)
    average = row(table, dimension=AVG, method="best")
    assert math.isnan(average["p_holm"])
    assert average["significant"] == (average["p"] < 0.05)
    others = table[table["method"].ne("best")]
    assert others["p"].isna().all()
    assert set(others["against"]) == {""}


def test_a_panel_is_tested_with_the_judges_that_both_methods_have() -> None:
    one = scores("one", sheets("j1", {"focus": A}), sheets("j2", {"focus": NEAR}))
    two = scores("two", sheets("j1", {"focus": FAR}))
    table = method_table(cgpst(), [one, two], ratings(sheets("A", {"focus": A})), QWK)
    found = row(table, dimension=FOCUS, method="one")
    assert (found["rank"], found["against"]) == (1, "two")
    assert found["p"] == pytest.approx(permuted_p(A, FAR, A))
    assert (
        "Test of one against two: without one: j2, since the other method has no such judge."
        in table.attrs["notes"]
    )


def test_panels_without_a_common_judge_are_ranked_but_not_tested() -> None:
    one = scores("one", sheets("j1", {"focus": A}), sheets("j2", {"focus": NEAR}))
    two = scores("two", sheets("j3", {"focus": FAR}))
    table = method_table(cgpst(), [one, two], ratings(sheets("A", {"focus": A})), QWK)
    found = row(table, dimension=FOCUS, method="one")
    assert (found["rank"], found["against"]) == (1, "two")
    assert math.isnan(found["p"])
    assert pd.isna(found["significant"])
    assert table.attrs["notes"][-1] == (
        "Test of one against two: not compared: a panel is compared with a panel of the same judges only."
    )


def test_a_method_without_rated_scores_stays_in_the_table() -> None:
    one = scores("one", sheets("j", {"focus": A}))
    none = scores("none", sheets("j", {"adequacy": A}))
    table = method_table(cgpst(), [one, none], ratings(sheets("A", {"focus": A})), QWK)
    found = row(table, dimension=FOCUS, method="none")
    assert math.isnan(found["value"])
    assert (found["n"], found["reason"]) == (0, "no scores that were rated")
    assert row(table, dimension=FOCUS, method="one")["value"] == pytest.approx(1)
    assert "none: scored nothing that was rated." in table.attrs["notes"]


def test_intervals_hold_the_value_and_repeat_with_the_seed() -> None:
    given = [scores("m", sheets("j", {"focus": NEAR}))]
    rated = ratings(sheets("A", {"focus": A}))
    first, second = (method_table(cgpst(), given, rated, QWK.change(resamples=200, seed=3)) for _ in "12")
    found = row(first, dimension=FOCUS, method="m")
    assert found["low"] <= found["value"] <= found["high"]
    pd.testing.assert_frame_equal(first, second)
    assert any(note.startswith("Intervals: 95% percentile bootstrap") for note in first.attrs["notes"])


def test_what_cannot_be_compared_is_said() -> None:
    rated = ratings(sheets("A", {"focus": A}))
    with pytest.raises(SettingError, match="no scores to compare"):
        method_table(cgpst(), [], rated)
    given = [scores("m", sheets("j", {"focus": NEAR}))]
    with pytest.raises(SettingError, match="--stage late: no rating is of this stage"):
        method_table(cgpst(), given, rated, PLAIN.change(stage="late"))
    with pytest.raises(SettingError, match="plot: the responses carry no such column"):
        method_table(cgpst(), given, rated, PLAIN.change(cluster="plot", resamples=9))
    with pytest.raises(SettingError, match="measure 'qvk': expected one of"):
        method_table(cgpst(), given, rated, PLAIN.change(measures="qvk"))
    other = [scores("m", sheets("j", {"adequacy": NEAR}))]
    with pytest.raises(SettingError, match="m: scored nothing that was rated"):
        method_table(cgpst(), other, rated)
    with pytest.raises(SettingError, match="There are no ratings"):
        method_table(cgpst(), given, [])
