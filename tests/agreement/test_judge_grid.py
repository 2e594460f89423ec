"""Single judges: behind which analyst, with which method, beside each other."""

from __future__ import annotations

import math

import pytest

from agreement.sheets_of_points import ADEQUACY, FOCUS, qwk, ratings, run, scores, sheets
from agreement.tables import row
from booklets import cgpst
from creaeval.agreement.methods.judge_grid import (
    ALL_JUDGES,
    analyst_judge_grid,
    judge_agreement,
    judge_pairs,
    judge_variance,
)
from creaeval.agreement.options import AgreementOptions
from creaeval.agreement.pairs import AVG
from creaeval.data import read_ratings, read_scores
from creaeval.errors import SettingError
from creaeval.tasks import load_task
from data_folder import shared_data

A = [1, 2, 3, 4, 5, 6]
B = [2, 2, 3, 5, 5, 6]
NEAR = [1, 2, 3, 4, 6, 6]
FAR = [3, 3, 3, 4, 4, 3]
QWK = AgreementOptions(measures=("qwk",), resamples=0)
RATED = ratings(sheets("A", {"focus": A, "adequacy": B}))


def test_the_grid_has_the_mean_of_each_analyst_and_judge() -> None:
    first = run(
        "1111111111",
        "creaeval",
        "gemini",
        sheets("gpt", {"focus": NEAR, "adequacy": A}),
        sheets("qwen", {"focus": FAR, "adequacy": B}),
    )
    second = run("2222222222", "creaeval", "deepseek", sheets("gpt", {"focus": A, "adequacy": FAR}))
    found = judge_agreement(cgpst(), [first, second], RATED, QWK)
    grid = analyst_judge_grid(found)
    cells = {(r.analyst, r.judge): r.value for r in grid.itertuples()}
    assert cells == {
        ("gemini", "gpt"): pytest.approx((qwk(NEAR, A) + qwk(A, B)) / 2),
        ("gemini", "qwen"): pytest.approx((qwk(FAR, A) + 1) / 2),
        ("deepseek", "gpt"): pytest.approx((1 + qwk(FAR, B)) / 2),
    }
    assert set(grid["n"]) == {6}
    focus = row(found, dimension=FOCUS, analyst="gemini", judge="gpt")
    assert focus["value"] == pytest.approx(qwk(NEAR, A))


def test_two_runs_of_one_cell_are_refused_by_name() -> None:
    runs = [run(name * 10, "creaeval", "gemini", sheets("gpt", {"focus": NEAR})) for name in "12"]
    found = judge_agreement(cgpst(), runs, RATED, QWK)
    expected = r"gemini with judge gpt: creaeval \(1111111111\) and creaeval \(2222222222\) both have it"
    with pytest.raises(SettingError, match=expected):
        analyst_judge_grid(found)


def test_repeats_of_a_judge_are_one_judge() -> None:
    given = scores("direct", sheets("gpt", {"focus": NEAR}), sheets("gpt", {"focus": FAR}, repeat=2))
    found = judge_agreement(cgpst(), [given], RATED, QWK)
    focus = row(found, dimension=FOCUS)
    assert focus["judge"] == "gpt"
    assert focus["value"] == pytest.approx((qwk(NEAR, A) + qwk(FAR, A)) / 2)
    assert focus["analyst"] == ""


def test_single_judges_of_several_methods_stand_on_the_same_responses() -> None:
    one = scores("one", sheets("gpt", {"focus": NEAR}), sheets("qwen", {"focus": A}))
    two = scores("two", sheets("gpt", {"focus": FAR[:5]}))
    found = judge_agreement(cgpst(), [one, two], RATED, QWK)
    of_focus = found[found["dimension"].eq(FOCUS)]
    assert of_focus[["method", "judge"]].to_numpy().tolist() == [
        ["one", "gpt"],
        ["one", "qwen"],
        ["two", "gpt"],
    ]
    assert of_focus["value"].tolist() == pytest.approx([qwk(x[:5], A[:5]) for x in (NEAR, A, FAR)])
    assert set(of_focus["n"]) == {5}


def test_the_torrance_tests_judges_have_their_published_means() -> None:
    folder = shared_data("ttcw/expert_ratings.csv").parent
    task = load_task("ttcw")
    recorded = read_scores(folder / "judge_verdicts.csv", task, blank_is_no=True)
    experts = read_ratings(folder / "expert_ratings.csv", task)
    grid = analyst_judge_grid(judge_agreement(task, recorded, experts, QWK))
    expected = {"cgpt": -0.060, "gpt4": 0.054, "gemini-pro": -0.054, "claudev13": 0.050} | {
        "claudev2": -0.043,
        "claudev21": -0.011,
        "claude3-opus": 0.190,
    }
    assert dict(zip(grid["judge"], grid["value"], strict=True)) == pytest.approx(expected, abs=0.0006)


def test_judges_agree_with_each_other_pair_by_pair_and_on_the_whole() -> None:
    given = scores(
        "m",
        sheets("a", {"focus": A, "adequacy": A}),
        sheets("b", {"focus": B, "adequacy": NEAR}),
        sheets("c", {"focus": FAR, "adequacy": FAR}),
    )
    found = judge_pairs(cgpst(), [given], QWK)
    pairs = {("a", "b"): (A, B), ("a", "c"): (A, FAR), ("b", "c"): (B, FAR)}
    for (first, second), (x, y) in pairs.items():
        cell = row(found, dimension=FOCUS, first=first, second=second)
        assert cell["value"] == pytest.approx(qwk(x, y))
        assert cell["n"] == 6
    mean = row(found, dimension=FOCUS, first=ALL_JUDGES)
    assert mean["value"] == pytest.approx(sum(qwk(x, y) for x, y in pairs.values()) / 3)
    both = row(found, dimension=AVG, first="a", second="b")
    assert both["value"] == pytest.approx((qwk(A, B) + qwk(A, NEAR)) / 2)
    assert both["defined"] == "2 of 2"


def test_repeats_pair_with_other_judges_and_never_with_each_other() -> None:
    given = scores(
        "m", sheets("a", {"focus": A}), sheets("a", {"focus": FAR}, repeat=2), sheets("b", {"focus": B})
    )
    found = judge_pairs(cgpst(), [given], QWK)
    of_focus = found[found["dimension"].eq(FOCUS)]
    assert of_focus[["first", "second"]].to_numpy().tolist() == [["a", "b"]]
    assert of_focus["value"].iloc[0] == pytest.approx((qwk(A, B) + qwk(FAR, B)) / 2)


def test_an_undefined_pair_has_its_reason_and_a_single_judge_no_pairs() -> None:
    given = scores("m", sheets("a", {"focus": A}), sheets("b", {"focus": [4] * 6}))
    found = row(judge_pairs(cgpst(), [given], QWK.change(measures="pearson", resamples=50)), dimension=FOCUS)
    assert math.isnan(found["value"])
    assert (found["defined"], found["reason"]) == ("0 of 1", "b is constant")
    alone = judge_pairs(cgpst(), [scores("m", sheets("a", {"focus": A}))], QWK)
    assert len(alone) == 0
    with pytest.raises(SettingError, match="measure 'kappo'"):
        judge_pairs(cgpst(), [given], QWK.change(measures="kappo"))


def test_variance_between_judges_by_response_and_dimension() -> None:
    # Focus of R0: 2, 4 and 6 of three judges, so variance 4. The first judge's is the mean of 1 and 3.
    three = scores(
        "three",
        sheets("a", {"focus": [1, 5], "adequacy": [2, 2]}),
        sheets("a", {"focus": [3, 5], "adequacy": [2, 2]}, repeat=2),
        sheets("b", {"focus": [4, 5], "adequacy": [2, 3]}),
        sheets("c", {"focus": [6, 5], "adequacy": [2, 4]}),
    )
    single = scores("single", sheets("a", {"focus": [7, 7], "adequacy": [1, 1]}))
    found = judge_variance(cgpst(), [three, single])
    of_three = {
        (r.response_id, r.dimension): r.variance for r in found[found["method"] == "three"].itertuples()
    }
    assert of_three == {
        ("R0", FOCUS): pytest.approx(4),
        ("R1", FOCUS): 0,
        ("R0", ADEQUACY): 0,
        ("R1", ADEQUACY): pytest.approx(1),
    }
    assert set(found.loc[found["method"] == "three", "n_judges"]) == {3}
    alone = found[found["method"] == "single"]
    assert alone["variance"].isna().all()
    assert set(alone["reason"]) == {"a single judge"}
