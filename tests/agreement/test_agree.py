"""The whole report: items, clusters, corrected judges, persons by scenarios, from typed objects."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

import creaeval
from booklets import cgpst
from creaeval.agreement.agree import agree
from creaeval.data import Rating, Scores
from creaeval.errors import DataError, SettingError
from creaeval.sheets import ItemScores, ScoreSheet, StepScores

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from creaeval.agreement.agree import AgreementReport


def focus(response_id: str, scorer: str, points: float) -> ScoreSheet:
    step = StepScores(step="step2", written={"focus": points})
    return ScoreSheet(response_id=response_id, scorer=scorer, steps=(step,))


def challenges(response_id: str, scorer: str, elaboration: Sequence[int | None]) -> ScoreSheet:
    """A sheet of step 1: points for elaboration by item, None for an invalid one."""
    step = cgpst().step("step1")
    items = [
        ItemScores.build(step, n, invalid="perhaps")
        if points is None
        else ItemScores.build(step, n, {"elaboration": points}, category="Technology")
        for n, points in enumerate(elaboration, 1)
    ]
    return ScoreSheet.build(cgpst(), response_id, scorer, [StepScores.build(cgpst(), step, items=items)])


def rating(sheet: ScoreSheet, **extra: str) -> Rating:
    return Rating(response_id=sheet.response_id, rater=sheet.scorer, sheet=sheet, metadata=extra)


def report_of(
    ratings: Sequence[Rating], sheets: Sequence[ScoreSheet] = (), **options: object
) -> AgreementReport:
    scores = [Scores("m", tuple(sheets), {}, "file.csv")] if sheets else []
    return agree(cgpst(), scores, ratings, **{"resamples": 0, **options})  # type: ignore[arg-type]


def value(report: AgreementReport, judge: str, dimension: str, metric: str) -> pd.Series:
    means = report.tables["means"]
    chosen = means[means["judge"].eq(judge) & means["dimension"].eq(dimension) & means["metric"].eq(metric)]
    assert len(chosen) == 1
    return chosen.iloc[0]


A: list[list[int | None]] = [[2, 2, 1], [1, None, 0], [0, 0, 0], [2, None, None]]
B: list[list[int | None]] = [[2, 1, 1], [1, 1, 0], [1, 0, 0], [2, None, None]]


def test_items_are_compared_as_sums_as_means_per_valid_item_and_each() -> None:
    ratings = [
        rating(challenges(f"R{n}", name, given))
        for name, of in (("A", A), ("B", B))
        for n, given in enumerate(of)
    ]
    # Elaboration: sums 5 1 0 2 and 4 2 1 2, means 5/3 1/2 0 2 and 4/3 2/3 1/3 2.
    sums = report_of(ratings, measures=["rmse"])
    assert value(sums, "human-human", "step1.elaboration", "rmse").value == pytest.approx(math.sqrt(3 / 4))
    means = report_of(ratings, measures=["rmse"], items="mean")
    expected = math.sqrt(((1 / 3) ** 2 + (1 / 6) ** 2 + (1 / 3) ** 2 + 0) / 4)
    assert value(means, "human-human", "step1.elaboration", "rmse").value == pytest.approx(expected)
    # Counting valid items has no mean per valid item, and a validity of its own item by item.
    assert means.dimensions == ("step1.elaboration",)
    each = report_of(ratings, measures=["exact"], items="each")
    assert each.dimensions == ("step1.fluency", "step1.elaboration")
    # Twelve items; one that A alone holds invalid. Of the nine that both score, seven are equal.
    fluency = value(each, "human-human", "step1.fluency", "exact")
    assert (fluency.value, fluency.n) == (pytest.approx(11 / 12), 12)
    elaboration = value(each, "human-human", "step1.elaboration", "exact")
    assert (elaboration.value, elaboration.n) == (pytest.approx(7 / 9), 9)
    severity = each.tables["severity"]
    fluent = severity[severity["dimension"].eq("step1.fluency") & severity["scorer"].eq("B")].iloc[0]
    assert fluent["range_use"] == 1


def test_items_of_a_response_are_resampled_together() -> None:
    ratings = [
        rating(challenges(f"R{n}", name, given))
        for name, of in (("A", A), ("B", B))
        for n, given in enumerate(of)
    ]
    report = report_of(ratings, measures=["exact"], items="each", resamples=50)
    assert "Only 4 clusters: intervals from fewer than 30 clusters are too narrow." in report.notes


def crossed(persons: int, scenarios: int) -> list[Rating]:
    """Participants by scenarios by two raters; B is a point above A, persons differ by 1."""
    return [
        rating(focus(f"P{p}_S{s}", name, 2 + p + more), participant=f"P{p}", scenario=f"S{s}", language="de")
        for name, more in (("A", 0), ("B", 1))
        for p in range(persons)
        for s in range(scenarios)
    ]


def test_persons_crossed_with_scenarios_have_their_own_variance() -> None:
    report = report_of(crossed(4, 3), persons="participant", facet="scenario")
    variance = report.tables["variance"]
    estimates = {row.effect: row.estimate for row in variance.itertuples()}
    # Points are 2 + person + 0 or 1: the variance of 0 1 2 3, and of two raters a point apart.
    assert estimates["participant"] == pytest.approx(5 / 3)
    assert estimates["rater"] == pytest.approx(0.5)
    others = [value for effect, value in estimates.items() if effect not in ("participant", "rater")]
    assert others == pytest.approx([0] * 5)
    with pytest.raises(SettingError, match="go together"):
        report_of(crossed(4, 3), persons="participant")


def test_two_columns_of_clusters_are_drawn_both_and_columns_of_ratings_group() -> None:
    report = report_of(crossed(4, 3), cluster=["participant", "scenario"], groups=["scenario"], resamples=100)
    assert report.notes[:2] == (
        "Nobody rated 19 dimensions: "
        + ", ".join(one for one in creaeval.agreement.compared_dimensions(cgpst()) if one != "step2.focus")
        + ".",
        "Only 4 clusters: intervals from fewer than 30 clusters are too narrow.",
    )
    by = report.tables["by_column"]
    assert list(dict.fromkeys(zip(by["column"], by["group"], strict=True))) == [
        ("scenario", f"S{n}") for n in range(3)
    ]
    with pytest.raises(SettingError, match="3 columns of clusters: expected one, or two that are crossed"):
        report_of(crossed(4, 3), cluster=["participant", "scenario", "language"])
    with pytest.raises(
        SettingError, match="plot: the responses carry no such column; they carry participant"
    ):
        report_of(crossed(4, 3), groups=["plot"])


def test_corrected_judges_say_so_and_lose_their_leniency() -> None:
    people = [rating(focus(f"R{n:02}", "A", 1 + n % 6)) for n in range(60)]
    judge = [focus(f"R{n:02}", "j", 4 + n % 6) for n in range(60)]
    plain = report_of(people, judge, measures=["bias"])
    assert value(plain, "j", "step2.focus", "bias").value == 3
    corrected = report_of(people, judge, measures=["bias"], correct=True)
    assert value(corrected, "j (corrected)", "step2.focus", "bias").value == pytest.approx(0)
    assert any("corrected by a rising curve fitted" in note for note in corrected.notes)


def test_raters_who_are_not_crossed_fill_slots_and_keep_their_names_beside() -> None:
    people = [
        rating(focus(f"R{n}", name, points))
        for n, given in enumerate(
            ({"9": 1, "10": 2}, {"9": 3, "11": 4}, {"10": 5, "11": 5}, {"9": 6, "10": 8})
        )
        for name, points in given.items()
    ]
    report = report_of(people, measures=["bias"])
    cells = report.tables["agreement"]
    row = cells[cells["rater"].eq("slot 2")].iloc[0]
    # Slot 1 holds 1 3 5 6, slot 2 holds 2 4 5 8.
    assert (row["judge"], row["value"], row["n"]) == ("slot 1", pytest.approx(-1), 4)
    by_rater = report.tables["by_rater"]
    of_two = by_rater[by_rater["judge"].eq("9") & by_rater["rater"].eq("10")].iloc[0]
    assert (of_two["value"], of_two["n"]) == (pytest.approx(-1.5), 2)
    assert set(report.data.people) == {"9", "10", "11"}
    raters = report.tables["raters"].set_index("coefficient")
    assert raters.loc["ICC(A,1) = ICC(2,1)", "reason"] == (
        "0 of 4 responses were rated by all: see reliability"
    )
    reliability = report.tables["reliability"].set_index("coefficient")
    # Two ratings of each response by raters who differ by half a point: little else differs.
    assert 0.8 < float(reliability.loc["single absolute", "value"]) < 1  # type: ignore[arg-type]


def test_scores_of_one_method_twice_are_told_apart() -> None:
    people = [rating(focus(f"R{n}", "A", 1 + n)) for n in range(5)]
    scores = [
        Scores("m", tuple(focus(f"R{n}", "j", 1 + n + more) for n in range(5)), {}, source)
        for source, more in (("one", 0), ("two", 1))
    ]
    report = agree(cgpst(), scores, people, measures=["qwk"], resamples=0)
    assert list(dict.fromkeys(report.tables["comparison"]["first"])) == ["m (one)"]
    judges = list(dict.fromkeys(report.tables["means"]["judge"]))
    assert judges == ["m (one): j", "m (two): j"]


def test_columns_that_ratings_contradict_each_other_in_are_not_used() -> None:
    people = [
        rating(focus(f"R{n}", name, 1 + n), plot="p1" if n < 3 else f"p{name}")
        for name in ("A", "B")
        for n in range(5)
    ]
    report = report_of(people, groups=["plot"], measures=["exact"])
    assert set(report.tables["by_column"]["group"]) == {"", "p1"}


def test_a_few_responses_that_all_rated_make_no_crossed_design() -> None:
    # Eight responses with two of four raters each, and two that all four rated for training.
    names = ["A", "B", "C", "D"]
    people = [
        rating(focus(f"R{n}", name, 1 + n + (name > "B")))
        for n in range(8)
        for name in (names[n % 4], names[(n + 1) % 4])
    ]
    people += [rating(focus(f"T{n}", name, 3 + n)) for n in range(2) for name in names]
    report = report_of(people)
    raters = report.tables["raters"].set_index("coefficient")
    assert "2 of 10 responses were rated by all" in str(raters.loc["ICC(A,1) = ICC(2,1)", "reason"])
    assert report.tables["design"].iloc[0]["design"] == "incomplete"
    variance = report.tables["variance"]
    assert set(variance["estimator"]) == {"reml"}
    assert set(variance["n"]) == {10}
    # Two slots, as most responses have two raters; the training ones keep their first two.
    assert {scorer.label for scorer in report.data.raters} == {"slot 1", "slot 2"}


def test_two_people_without_a_response_in_common_are_no_slot() -> None:
    people = [rating(focus(f"R{n}", "A" if n < 3 else "B", 1 + n)) for n in range(6)]
    report = report_of(people)
    cells = report.tables["agreement"]
    first = cells[cells["metric"].eq("qwk")].iloc[0]
    assert (first["judge"], first["rater"], first["n"], first["reason"]) == ("A", "B", 0, "scored by both: 0")


def test_the_same_measure_twice_and_the_same_scores_twice() -> None:
    people = [rating(focus(f"R{n}", "A", 1 + n)) for n in range(5)]
    scores = [Scores("m", tuple(focus(f"R{n}", "j", 1 + n) for n in range(5)), {}, "f.csv")] * 2
    report = agree(cgpst(), scores, people, measures=["qwk", "qwk"], resamples=0)
    assert report.options.measures == ("qwk",)
    assert list(dict.fromkeys(report.tables["comparison"]["second"])) == ["m (f.csv) 2"]


def test_repeats_of_a_judge_are_told_apart_and_averaged() -> None:
    people = [rating(focus(f"R{n}", "A", 1 + n)) for n in range(5)]
    judged = [
        focus(f"R{n}", "j", 1 + n + repeat).model_copy(update={"judge_repeat": repeat + 1})
        for n in range(5)
        for repeat in range(3)
    ]
    report = report_of(people, judged, measures=["bias"])
    means = report.tables["means"]
    found = means[means["dimension"].eq("step2.focus")].set_index("judge")["value"].to_dict()
    assert found == {"j": 0, "j#2": 1, "j#3": 2, "mean of 3 repeats": 1}
    # One judge's repeats have a variance of their own: 0 1 2 for every response.
    variance = report.tables["variance"]
    of_judge = variance[variance["kind"].eq("judge")].set_index("effect")
    assert of_judge.loc["repeat", "estimate"] == pytest.approx(1)


def test_judges_whose_names_look_like_repeats_are_judges_of_their_own() -> None:
    people = [rating(focus(f"R{n} item {n}", "A", 1 + n), plot=f"p{n % 2}") for n in range(6)]
    judged = [
        focus(f"R{n} item {n}", name, 1 + n + more)
        for name, more in (("vertex:text-bison@001", 0), ("vertex:text-bison@002", 2))
        for n in range(6)
    ]
    report = report_of(people, judged, measures=["bias"], groups=["plot"])
    means = report.tables["means"]
    found = means[means["dimension"].eq("step2.focus")].set_index("judge")["value"].to_dict()
    assert found == {"vertex:text-bison@001": 0, "vertex:text-bison@002": 2, "mean of 2 judges": 1}
    variance = report.tables["variance"]
    assert "repeat" not in set(variance["effect"])
    # An id that holds " item " is an id, and keeps its columns.
    assert set(report.tables["by_column"]["group"]) == {"p0", "p1"}
    assert set(report.data.table()["plot"]) == {"p0", "p1"}


def test_a_scorers_two_values_of_a_response_are_refused_with_both_files() -> None:
    people = [
        rating(focus("R0", "A", points)).model_copy(update={"source": source})
        for points, source in ((1, "first.csv"), (4, "second.csv"))
    ]
    expected = r"rater A, response R0, step2.focus: 1 and 4 \(first.csv, second.csv\)"
    with pytest.raises(DataError, match=expected):
        report_of(people)


def test_settings_that_do_not_exist_are_refused_by_name() -> None:
    with pytest.raises(SettingError, match=r"resample: there is no such setting\..*resamples"):
        report_of([], resample=3)


def test_a_dimension_that_no_judge_scored_has_no_values_and_leaves_the_others_theirs() -> None:
    people = [
        rating(
            ScoreSheet(
                response_id=f"R{n}",
                scorer="A",
                steps=(StepScores(step="step2", written={"focus": 1 + n, "adequacy": 1 + n}),),
            )
        )
        for n in range(5)
    ]
    scores = [
        Scores(name, tuple(focus(f"R{n}", "j", points) for n, points in enumerate(given)), {}, name)
        for name, given in (("one", [1, 2, 3, 4, 5]), ("two", [1, 2, 3, 5, 4]))
    ]
    compared = agree(cgpst(), scores, people, measures=["exact"], resamples=0).tables["comparison"]
    assert compared["dimension"].tolist() == ["step2.focus", "step2.adequacy", "AVG"]
    assert compared["difference"].tolist() == pytest.approx([0.4, math.nan, 0.4], nan_ok=True)
    assert compared["p"].notna().tolist() == [True, False, True]
