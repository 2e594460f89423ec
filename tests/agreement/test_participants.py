"""Agreement with the raters' mean, and of participants' means."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest

from agreement.sheets_of_points import ADEQUACY, FOCUS, ratings, scores, sheets
from agreement.tables import row, summary_text, table
from booklets import cgpst
from creaeval.agreement import AgreementOptions, RatingData, agree
from creaeval.agreement.participants import mean_rater, participant_means
from creaeval.agreement.protocol import measure_agreement

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

PLAIN = AgreementOptions(resamples=0)
# Five responses, the last by a participant who wrote no other.
JUDGE = [1, 3, 4, 4, 3]
A = [1, 2, 3, 5, 4]
B = [3, 2, 5, 5, 4]
WRITERS = ["p", "p", "q", "q", "s"]


def data(writers: Sequence[str] | None = WRITERS, **of_raters: Sequence[float | None]) -> RatingData:
    given: dict[Any, Sequence[float | None]] = {("judge", "j", FOCUS): JUDGE}
    for name, points in (of_raters or {"A": A, "B": B}).items():
        given["rater", name, FOCUS] = points
    carried = {"participant": {f"R{n:02}": name for n, name in enumerate(writers)}} if writers else {}
    return table(given, carried=carried)


def held_against_mean(of: RatingData, options: AgreementOptions = PLAIN) -> pd.DataFrame:
    return mean_rater(of, options, measure_agreement(of, options).means)


def test_the_correlation_with_the_raters_mean_stands_beside_the_mean_of_single_ones() -> None:
    # The raters' means are 2, 2, 4, 5, 4: r = 5.0 / sqrt(6.0 * 7.2).
    # Single ones: 6 / sqrt(6 * 10) with A and 4 / sqrt(6 * 6.8) with B.
    cell = row(held_against_mean(data()), dimension=FOCUS, metric="pearson")
    assert cell["value"] == pytest.approx(5 / math.sqrt(43.2))
    assert cell["single"] == pytest.approx((6 / math.sqrt(60) + 4 / math.sqrt(40.8)) / 2)
    assert cell["n"] == 5
    # In points: 3 minus 3.4.
    frame = held_against_mean(data(), PLAIN.change(measures=("bias",)))
    assert row(frame, dimension=FOCUS, metric="bias")["value"] == pytest.approx(-0.4)
    assert math.isnan(row(frame, dimension=FOCUS, metric="pearson")["single"])


def test_a_response_has_the_mean_of_those_who_rated_it_and_counts_once_anybody_did() -> None:
    # B did not rate the first, nobody the last: the means are 1, 2, 4, 5.
    some = data(A=[*A[:4], None], B=[None, *B[1:4], None])
    cell = row(held_against_mean(some), dimension=FOCUS, metric="pearson")
    # Judge 1, 3, 4, 4 (mean 3) and raters 1, 2, 4, 5 (mean 3): 7 / sqrt(6 * 10).
    assert cell["value"] == pytest.approx(7 / math.sqrt(60))
    assert cell["n"] == 4


def test_its_interval_is_that_of_a_rater_who_gave_everybodys_mean() -> None:
    options = AgreementOptions(resamples=300, measures=("qwk", "pearson"))
    means = measure_agreement(data(mean=[2, 2, 4, 5, 4]), options).means
    frame = held_against_mean(data(), options)
    for measure in options.measures:
        cell, expected = (row(of, dimension=FOCUS, metric=measure) for of in (frame, means))
        assert list(cell[["value", "low", "high"]]) == pytest.approx(list(expected[["value", "low", "high"]]))


def test_a_single_rater_has_no_mean_and_people_alone_no_judge_to_hold_against_it() -> None:
    assert held_against_mean(data(A=A)).empty
    assert mean_rater(table({("rater", "A", FOCUS): A, ("rater", "B", FOCUS): B}), PLAIN, None).empty  # type: ignore[arg-type]


def test_participants_means_of_judge_and_raters_are_compared() -> None:
    frame = participant_means(data(), PLAIN)
    # Judge 2, 4, 3 and raters 2, 4.5, 4: r = 2.5 / sqrt(2 * 3.5), bias 3 - 3.5.
    # Mean squares: participants 2.625, judge and raters .375, rest .125:
    # ICC(A,1) = 2.5 / (2.625 + .125 + 2/3 * .25) = 6/7.
    expected = {"pearson": 2.5 / math.sqrt(7), "bias": -0.5, "icc": 6 / 7}
    for measure, value in expected.items():
        cell = row(frame, dimension=FOCUS, metric=measure)
        assert cell["value"] == pytest.approx(value)
        assert (cell["n"], cell["responses"]) == (3, 5)
        assert row(frame, dimension="AVG", metric=measure)["value"] == pytest.approx(value)


def test_both_means_are_over_the_responses_that_judge_and_people_scored() -> None:
    some = data(A=[1, None, 3, 5, 4], B=[3, None, 5, 5, None])
    cell = row(participant_means(some, PLAIN), dimension=FOCUS, metric="bias")
    # p: 1 and 2; q: 4 and 4.5; s: 3 and 4.
    assert cell["value"] == pytest.approx((1 + 4 + 3) / 3 - (2 + 4.5 + 4) / 3)
    assert (cell["n"], cell["responses"]) == (3, 4)


def test_intervals_come_from_drawing_participants() -> None:
    given: dict[Any, list[float | None]] = {
        ("judge", "j", FOCUS): [1, 2, 2, 4, 3, 3, 5, 4, 1, 2, 4, 5],
        ("rater", "A", FOCUS): [1, 3, 2, 3, 3, 4, 4, 4, 2, 2, 3, 5],
    }
    of_six = table(given, carried={"participant": {f"R{n:02}": f"p{n // 2}" for n in range(12)}})
    options = AgreementOptions(resamples=300, measures=("pearson", "icc", "bias"), cluster=())
    halves = {
        key: [(first + second) / 2 for first, second in zip(of[::2], of[1::2], strict=True)]  # type: ignore[operator]
        for key, of in given.items()
    }
    expected = measure_agreement(table(halves), options).means
    frame = participant_means(of_six, options.change(cluster=("participant",)))
    for measure in options.measures:
        cell, like = (row(of, dimension=FOCUS, metric=measure) for of in (frame, expected))
        assert list(cell[["value", "low", "high"]]) == pytest.approx(list(like[["value", "low", "high"]]))


def test_without_participants_or_where_each_wrote_one_response_there_is_no_such_table() -> None:
    assert participant_means(data(None), PLAIN).empty
    assert participant_means(data(["p", "q", "s", "t", "u"]), PLAIN).empty
    assert participant_means(data(["p", "", "", "", "s"]), PLAIN).empty
    # Two responses of one participant are enough for a table, and one participant for no correlation.
    frame = participant_means(data(["p", "p", "", "", ""]), PLAIN)
    cell = row(frame, dimension=FOCUS, metric="pearson")
    assert math.isnan(cell["value"])
    assert (cell["n"], cell["responses"]) == (1, 2)
    assert cell["reason"]


def test_the_report_has_both_for_each_judge_and_shows_them() -> None:
    people = [
        rating.model_copy(update={"metadata": {"participant": f"p{int(rating.response_id[1]) // 2}"}})
        for rating in ratings(
            *(sheets(name, {"focus": of, "adequacy": B}) for name, of in (("A", A), ("B", B)))
        )
    ]
    given = [
        scores("m", sheets("j", {"focus": JUDGE, "adequacy": A}), sheets("k", {"focus": B, "adequacy": A})),
        scores("other", sheets("j", {"focus": A, "adequacy": JUDGE})),
    ]
    report = agree(cgpst(), given, people, PLAIN)
    frame = report.tables["mean_rater"]
    judges = ["m: j", "m: k", "m: mean of 2 judges", "other: j"]
    assert list(dict.fromkeys(frame["judge"])) == judges
    assert not frame["single"].isna().any()
    mean = frame[frame["metric"].eq("pearson") & frame["judge"].eq("m: j")].set_index("dimension")["value"]
    assert mean["AVG"] == pytest.approx((mean[FOCUS] + mean[ADEQUACY]) / 2)
    assert list(dict.fromkeys(report.tables["participants"]["judge"])) == ["m: j", "m: k", "other: j"]
    text = summary_text(report)
    assert "Agreement with the raters' mean" in text
    assert "Agreement of participant means" in " ".join(text.split())
    assert "Another quantity than the agreement with each rater" in " ".join(text.split())
