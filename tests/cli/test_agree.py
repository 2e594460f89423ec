from __future__ import annotations

import csv
import json
import re
from typing import TYPE_CHECKING, Any

import openpyxl  # type: ignore[import-untyped,unused-ignore]
import pytest

from booklets import marked, write_inputs
from scripted import ScriptedModel, fill

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import CommandLine
    from creaeval.llm import ChatRequest

# What the judge gives for step2.focus to the booklets R0 to R5, and what two people gave.
JUDGE = [2, 3, 4, 5, 6, 7]
A = [2, 3, 4, 5, 6, 7]
B = [3, 4, 5, 6, 7, 8]


def judge(request: ChatRequest) -> str:
    reply: dict[str, Any] = fill(request.schema, request.schema_name, write=lambda _: _seen(request))
    if request.schema_name == "cgpst_scores":
        reply["step2"]["focus"] = JUDGE[int(_seen(request)[-1])]
    return json.dumps(reply)


def _seen(request: ChatRequest) -> str:
    text = "\n".join(message.text for message in request.messages)
    return next(f"token{number}" for number in range(6) if f"token{number}" in text)


@pytest.fixture
def scored(command: CommandLine) -> str:
    """A run over six booklets; its id."""
    command.add(ScriptedModel(answer=judge))
    booklets = [
        marked(f"R{number}", f"token{number}").model_copy(
            update={"metadata": {"language": "de" if number % 2 else "en"}}
        )
        for number in range(6)
    ]
    write_inputs(command.folder, *booklets)
    models = ("--analyst", "scripted:one", "--judge", "scripted:one")
    assert command("score", "booklets.json", "--scenario", "scenario.yaml", *models).code == 0
    rows = [
        ("R" + str(number), rater, "Focus", points)
        for rater, given in (("A", A), ("B", B))
        for number, points in enumerate(given)
    ]
    with (command.folder / "ratings.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("response_id", "rater", "dimension", "score"), *rows])
    return command("runs", "list").out.split("\t")[0]


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_agreement_is_shown_with_people_and_between_them_and_written(
    command: CommandLine, scored: str
) -> None:
    ended = command("agree", scored, "ratings.csv", "--out", "out", "--measure", "qwk")
    assert ended.code == 0, ended.err
    # Population variance of 1..6 is 35/12; one point of difference throughout takes 1 from the ratio.
    shifted = 2 * (35 / 12) / (2 * (35 / 12) + 1)
    rows = table(command.folder / "out" / "agreement.csv")
    assert list(rows[0]) == [
        *("task", "method", "judge", "rater", "dimension", "metric", "value", "low", "high", "n", "defined"),
        "reason",
    ]
    cells = {(row["judge"], row["rater"], row["dimension"], row["metric"]): row for row in rows}
    focus = "step2.focus"
    assert float(cells["scripted:one", "A", focus, "qwk"]["value"]) == pytest.approx(1)
    assert float(cells["scripted:one", "B", focus, "qwk"]["value"]) == pytest.approx(shifted)
    assert float(cells["A", "B", focus, "qwk"]["value"]) == pytest.approx(shifted)
    assert {row["n"] for row in rows} == {"6"}
    assert {row["task"] for row in rows} == {"cgpst"}
    mean = cells["scripted:one", "all raters", "AVG", "qwk"]
    assert float(mean["value"]) == pytest.approx((1 + shifted) / 2)
    assert cells["scripted:one", "all raters", focus, "qwk"]["defined"] == "2 of 2"
    assert float(cells["human-human", "all raters", "AVG", "qwk"]["value"]) == pytest.approx(shifted)
    share = cells["scripted:one", "all raters", "AVG", "qwk_share"]
    assert float(share["value"]) == pytest.approx((1 + shifted) / 2 / shifted)
    assert "Focus" in ended.out
    assert "human-human" in ended.out
    assert "Only 6 responses in the smallest cell" in ended.out
    assert "Nobody rated 19 dimensions" in ended.out
    # Two raters are one fewer than the test needs.
    said = " ".join(ended.out.split())
    assert "Alternative annotator test, scripted:one: of 1 dimension not decidable in 1 (The test" in said


def test_everything_else_is_written_beside(command: CommandLine, scored: str) -> None:
    ended = command("agree", scored, "ratings.csv", "--out", "out", "--resamples", "100")
    assert ended.code == 0, ended.err
    out = command.folder / "out"
    assert sorted(path.name for path in out.iterdir()) == [
        *("agreement.R", "agreement.csv", "agreement.md", "agreement.tex", "agreement.xlsx"),
        *("calibration.csv", "components.R", "d_study.csv", "design.csv", "fair_means.csv", "halo.csv"),
        *("halo_means.csv", "long.csv", "mean_rater.csv", "rasch.R", "raters.csv", "reliability.csv"),
        *("severity.csv", "stand_in.csv", "total_reliability.csv", "variance.csv"),
    ]
    # The judge gives what A gives and a point less than B: half a point severe beside their mean.
    severity = {row["scorer"]: row for row in table(out / "severity.csv") if row["dimension"] == "AVG"}
    assert float(severity["scripted:one"]["leniency"]) == pytest.approx(-0.5)
    assert float(severity["A"]["leniency"]) == pytest.approx(-0.5)
    # Where the judge gave 5, A gave 5 and B gave 6.
    level = next(row for row in table(out / "calibration.csv") if row["level"] == "5.0")
    assert (level["n"], float(level["mean_human"]), float(level["bias"])) == ("2", 5.5, -0.5)
    # All A and B differ by is one point throughout: no interaction, and one rater ranks without error.
    study = table(out / "d_study.csv")
    assert {row["needed_for_ranking"] for row in study if row["kind"] == "rater"} == {"1"}
    long = table(out / "long.csv")
    assert len(long) == 18
    assert long[0]["person"] == long[0]["scorer"]
    markdown = (out / "agreement.md").read_text()
    assert "**Select an Underlying Problem**\n\n|  | Focus | AVG | share of human-human |" in markdown
    latex = (out / "agreement.tex").read_text()
    assert re.findall(r"caption{Task cgpst: ([^}]*)}", latex) == [
        *("QWK", "Pearson r", "ICC(A,1)", "Agreement with the raters' mean", "Judges and raters")
    ]
    # The value, the ends of its interval, then n: a sheet for each table that is shown.
    book = openpyxl.load_workbook(out / "agreement.xlsx", read_only=True)
    assert book.sheetnames == [
        *("QWK", "Pearson r", "ICC(A,1)", "Agreement with the raters' mean", "Judges and raters")
    ]
    heading, first = list(book["QWK"].values)[:2]
    focus = heading.index("Select an Underlying Problem: Focus")
    assert heading[focus + 1].endswith(", low")
    assert first[0] == "scripted:one"
    assert first[focus] == pytest.approx((1 + 35 / 6 / (35 / 6 + 1)) / 2)


def test_raters_alone(command: CommandLine, scored: str) -> None:
    ended = command("raters", "ratings.csv", "--out", "out")
    assert ended.code == 0, ended.err
    rows = {row["coefficient"]: row for row in table(command.folder / "out" / "raters.csv")}
    # Shrout and Fleiss: BMS = 2 * 3.5, JMS = 3, EMS = 0 for 1..6 and 2..7; ICC(2,1) = 7 / (7 + 2 * 3 / 6).
    assert float(rows["ICC(A,1) = ICC(2,1)"]["value"]) == pytest.approx(7 / 8)
    assert float(rows["ICC(C,1) = ICC(3,1)"]["value"]) == pytest.approx(1)
    assert (rows["Fleiss' kappa"]["n"], rows["Fleiss' kappa"]["raters"]) == ("6", "2")
    assert "Reliability of raters" in ended.out
    assert not (command.folder / "out" / "stand_in.csv").exists()


def test_a_folder_of_scores_may_have_a_number_sign_in_its_name(command: CommandLine, scored: str) -> None:
    assert command("runs", "export", scored, "--out", "study#2").code == 0
    for path in ("study#2", "study#2/scores.csv", "study#2/scores_wide.csv"):
        ended = command("agree", path, "ratings.csv", "--resamples", "0")
        assert ended.code == 0, ended.err
    ended = command("agree", "study#3", "ratings.csv")
    assert "study#3: there is no such file or folder, and it is no run's id either." in ended.err


def test_a_rating_without_a_response_is_named(command: CommandLine, scored: str) -> None:  # F07
    with (command.folder / "ratings.csv").open("a", newline="") as file:
        csv.writer(file).writerow(("R11", "A", "Focus", 4))
    ended = command("agree", scored, "ratings.csv", "--resamples", "0")
    assert ended.code == 0
    assert "rating id R11 has no response (by A, in" in ended.err


def test_a_constant_rater_is_undefined_and_never_0(command: CommandLine, scored: str) -> None:
    rows = [("R" + str(number), "A", "Focus", 4) for number in range(6)]
    with (command.folder / "flat.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("response_id", "rater", "dimension", "score"), *rows])
    ended = command("agree", scored, "flat.csv", "--measure", "pearson", "--resamples", "0")
    assert ended.code == 0, ended.err
    assert "undefined (A is constant)" in ended.out


def test_agreement_is_told_for_each_value_of_a_carried_column(command: CommandLine, scored: str) -> None:
    ended = command("agree", scored, "ratings.csv", "--by", "language", "--out", "out", "--measure", "qwk")
    assert ended.code == 0, ended.err
    rows = table(command.folder / "out" / "by_column.csv")
    # The judge gives what A gives, and a point less than B, whatever the language.
    of_judge = [
        row
        for row in rows
        if (row["judge"], row["dimension"], row["metric"]) == ("scripted:one", "AVG", "bias")
    ]
    assert [(row["column"], row["group"], float(row["value"]), row["n"]) for row in of_judge] == [
        ("language", "de", -0.5, "3"),
        ("language", "en", -0.5, "3"),
    ]
    # Of two people nobody is the first, so they have no bias.
    assert not any(row["judge"] == "human-human" and row["metric"] == "bias" for row in rows)


def test_the_correlation_within_the_groups_of_a_column_is_told(command: CommandLine, scored: str) -> None:
    ended = command("agree", scored, "ratings.csv", "--within", "language", "--out", "out")
    assert ended.code == 0, ended.err
    assert "Pearson r within groups" in ended.out
    rows = table(command.folder / "out" / "within.csv")
    # The judge gives what A gives, and a point less than B, whatever the language.
    assert {(row["judge"], row["rater"], row["groups"], row["n"]) for row in rows} == {
        ("scripted:one", "A", "2", "6"),
        ("scripted:one", "B", "2", "6"),
    }
    assert [float(row["value"]) for row in rows] == pytest.approx([1] * len(rows))
    wrong = command("agree", scored, "ratings.csv", "--within", "object")
    assert (wrong.code, "object: the responses carry no such column" in wrong.err) == (1, True)


def test_clusters_are_resampled_whole_and_few_of_them_are_warned_of(
    command: CommandLine, scored: str
) -> None:
    ended = command("agree", scored, "ratings.csv", "--cluster", "language", "--measure", "qwk")
    assert ended.code == 0, ended.err
    assert "Only 2 clusters: intervals from fewer than 30 clusters are too narrow." in ended.out
    # The scenario is known of every response of a run.
    ended = command("agree", scored, "ratings.csv", "--cluster", "scenario", "--measure", "qwk")
    assert "Only 1 clusters" in ended.out
    ended = command("agree", scored, "ratings.csv", "--cluster", "plot")
    assert ended.code == 1
    assert "plot: the responses carry no such column; they carry scenario, language." in ended.err


def test_scores_of_a_file_agree_as_those_of_the_run(command: CommandLine, scored: str) -> None:
    assert command("runs", "export", scored, "--out", "results").code == 0
    for given, out in ((scored, "of_run"), ("results", "of_folder"), ("results/scores.csv", "of_file")):
        ended = command("agree", given, "ratings.csv", "--resamples", "0", "--out", out)
        assert ended.code == 0, ended.err
    assert table(command.folder / "of_run" / "agreement.csv") == table(
        command.folder / "of_file" / "agreement.csv"
    )
    of_run, of_folder = (table(command.folder / name / "long.csv") for name in ("of_run", "of_folder"))
    # Scenarios are known of a run alone.
    assert of_folder == [{name: row[name] for name in row if name != "scenario"} for row in of_run]


def test_two_methods_are_compared(command: CommandLine, scored: str) -> None:
    rows = [(f"R{number}", "other", "Focus", points) for number, points in enumerate([9, 1, 9, 1, 9, 1])]
    with (command.folder / "other.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("response_id", "judge", "dimension", "score"), *rows])
    ended = command("agree", scored, "ratings.csv", "--against", "other.csv", "--out", "out")
    assert ended.code == 0, ended.err
    found = table(command.folder / "out" / "comparison.csv")
    primary = [row for row in found if row["contrast"] == "primary"]
    assert [(row["dimension"], row["metric"]) for row in primary] == [("AVG", "qwk")]
    assert float(primary[0]["difference"]) > 0.5
    assert primary[0]["p_holm"] == ""
    assert "Differences of agreement" in ended.out


def test_columns_of_other_names_stages_and_items(command: CommandLine, scored: str) -> None:
    rows = [
        (f"R{number}", who, stage, "Focus", points + (stage == "blind"))
        for stage in ("blind", "calibrated")
        for who, given in (("A", A), ("B", B))
        for number, points in enumerate(given)
    ]
    with (command.folder / "stages.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("Subj", "Judge", "stage", "dimension", "score"), *rows])
    names = ("--columns", "rater=Judge,response_id=Subj")
    ended = command("agree", scored, "stages.csv", *names)
    assert ended.code == 1
    assert "of several stages: blind, calibrated. Choose one with --stage" in ended.err
    ended = command("raters", "stages.csv", *names, "--stage", "calibrated", "--measure", "bias")
    assert ended.code == 0, ended.err
    ended = command("raters", "stages.csv", *names, "--stage", "sober")
    assert "--stage sober: no rating is of this stage. Known stages: blind, calibrated." in ended.err
    ended = command("agree", scored, "ratings.csv", "--items", "each")
    assert ended.code == 1
    assert "None of the ratings is of a dimension that is compared" in ended.err


def test_a_mean_alone_is_compared_and_said(command: CommandLine, scored: str) -> None:
    rows = [("R" + str(number), "mean", "Focus", points) for number, points in enumerate(A)]
    with (command.folder / "mean.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("response_id", "rater", "dimension", "score"), *rows])
    ended = command("agree", scored, "mean.csv", "--resamples", "0")
    assert ended.code == 0, ended.err
    assert "There is only mean of the raters and no single one" in ended.out
    ended = command("agree", scored, "ratings.csv", "mean.csv", "--resamples", "0")
    assert "Left out: mean, which is no single rater." in ended.out


def test_what_is_wrong_is_said(command: CommandLine, scored: str) -> None:
    ended = command("agree", scored, "ratings.csv", "--measure", "kapa")
    assert (ended.code, "measure 'kapa': expected one of qwk" in ended.err) == (1, True)
    ended = command("agree", "ffff", "ratings.csv")
    assert (ended.code, "There is no run 'ffff'" in ended.err) == (1, True)
    ended = command("agree", "scors.csv", "ratings.csv")
    assert (ended.code, "scors.csv: there is no such file or folder" in ended.err) == (1, True)
    ended = command("agree", scored, "ratings.csv", "--out", "ratings.csv")
    assert (ended.code, "'ratings.csv' is a file" in ended.err) == (2, True)
    ended = command("agree", scored, "ratings.csv", "--resamples", "1")
    assert (ended.code, "1 resamples: expected 0 for no intervals, or 2" in ended.err) == (1, True)
    ended = command("agree", scored, "ratings.csv", "--persons", "language")
    assert (ended.code, "go together" in ended.err) == (1, True)


def test_many_judges_stand_below_each_other(command: CommandLine, scored: str) -> None:
    rows = [
        (f"R{number}", f"judge{name}", "Focus", points)
        for name in range(9)
        for number, points in enumerate([9, 1, 9, 1, 9, name + 1])
    ]
    with (command.folder / "nine.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("response_id", "judge", "dimension", "score"), *rows])
    ended = command("agree", "nine.csv", "ratings.csv", "--measure", "qwk")
    assert ended.code == 0, ended.err
    # Of one dimension each judge has a row with its interval, and no line is longer than the width.
    lines = ended.out.splitlines()
    assert all(any(f"judge{name} " in line and "[" in line for line in lines) for name in range(9))
    assert max(map(len, ended.out.splitlines())) <= 120


def test_scores_whose_method_is_named_as_in_the_paper_are_those_of_the_method(
    command: CommandLine, scored: str
) -> None:
    with (command.folder / "theirs.csv").open("w", newline="") as file:
        rows = [(f"R{n}", "theirs", "w/o memory", "Focus", points) for n, points in enumerate(B)]
        csv.writer(file).writerows([("response_id", "model", "method", "dimension", "score"), *rows])
    arguments = ("--against", "theirs.csv", "--measure", "qwk", "--resamples", "0", "--out", "out")
    ended = command("agree", scored, "ratings.csv", *arguments)
    assert ended.code == 0, ended.err
    methods = {row["method"] for row in table(command.folder / "out" / "agreement.csv")}
    assert methods == {"creaeval", "no-memory", ""}


HEAD = "response_id,judge,uses.originality,in_training"
USES = [("u1", 1, "yes"), ("u2", 2, "yes"), ("u3", 3, ""), ("u4", 5, ""), ("u5", 4, "no"), ("u6", 2, "no")]


@pytest.fixture
def trained(command: CommandLine) -> CommandLine:
    """Scores of a judge that was trained on two of six uses, and what two people gave."""
    lines = [f"{use},samer:j,{points},{known or 'no'}" for use, points, known in USES]
    (command.folder / "judge.csv").write_text("\n".join([HEAD, *lines]))
    lines = [f"{use},{rater},{max(points - n, 1)}" for use, points, _ in USES for n, rater in enumerate("AB")]
    (command.folder / "people.csv").write_text("\n".join(["response_id,rater,uses.originality", *lines]))
    return command


def test_what_a_judge_was_trained_on_is_left_out_and_shown_apart_where_it_is_asked_for(
    trained: CommandLine,
) -> None:
    given = ("agree", "judge.csv", "people.csv", "--task", "aut", "--resamples", 0)
    plain = trained(*given, "--out", "plain")
    assert plain.code == 0, plain.err
    said = " ".join(plain.out.split())
    assert "samer:j: 2 of 6 uses are of its training data and left out of its agreement (4 are left)." in said
    apart = trained(*given, "--include-training", "--out", "apart")
    assert "samer:j (with training data)" in " ".join(apart.out.split())
    numbers = {
        (row["judge"], row["rater"]): row["n"]
        for row in table(trained.folder / "apart" / "agreement.csv")
        if row["metric"] == "qwk" and row["dimension"] != "AVG" and row["rater"] != "all raters"
    }
    marked = "samer:j (with training data)"
    assert numbers == {
        ("samer:j", "A"): "4",
        ("samer:j", "B"): "4",
        (marked, "A"): "6",
        (marked, "B"): "6",
        ("A", "B"): "6",
    }
    judges = {row["judge"] for row in table(trained.folder / "plain" / "agreement.csv")}
    assert judges == {"samer:j", "A", "human-human"}


def test_judges_of_a_run_are_compared_without_what_they_were_trained_on(command: CommandLine) -> None:
    """The offline scorer was trained on the first use, and is alone."""
    rows = [("u1", "doorstop"), ("u2", "teach it to sing like a violin"), ("u3", "spin it on a kite string")]
    lines = ["id,object,response", *(f"{use},brick,{text}" for use, text in rows)]
    (command.folder / "uses.csv").write_text("\n".join(lines))
    assert command("score", "uses.csv", "--task", "aut", "--out", "out").code == 0
    said = " ".join(command("raters", "out").err.split())
    assert "offline: 1 of 3 uses are of its training data and left out of its agreement (2 are left)." in said
    (command.folder / "uses.csv").write_text("id,object,response\nu1,brick,doorstop\n")
    assert command("score", "uses.csv", "--task", "aut", "--out", "known").code == 0
    ended = command("raters", "known")
    assert ended.code == 1
    said = " ".join(ended.err.split())
    assert "offline: all 1 use are of its training data" in said
    assert "known: there is no score to compare." in said


def test_the_page_of_a_run_shows_trained_judges_apart_where_it_is_asked_for(command: CommandLine) -> None:
    rows = [("u1", "doorstop"), ("u2", "teach it to sing"), ("u3", "spin it on a string"), ("u4", "lift it")]
    lines = ["id,object,response", *(f"{use},brick,{text}" for use, text in rows)]
    (command.folder / "uses.csv").write_text("\n".join(lines))
    lines = ["id,rater,originality", *(f"u{n},{rater},{n}" for n in range(1, 5) for rater in "AB")]
    (command.folder / "people.csv").write_text("\n".join(lines))
    assert command("score", "uses.csv", "--task", "aut", "--out", "out").code == 0
    given = ("report", "out", "--ratings", "people.csv", "--resamples", 0, "--out")
    for name, more in (("plain", ()), ("apart", ("--include-training",))):
        assert command(*given, f"{name}.html", *more).code == 0
    plain, apart = ((command.folder / f"{name}.html").read_text() for name in ("plain", "apart"))
    assert "offline: 1 of 4 uses are of its training data" in plain
    assert "offline (with training data)" not in plain
    assert "offline (with training data)" in apart


def test_every_table_of_an_experiment_is_without_what_judges_were_trained_on(trained: CommandLine) -> None:
    others = [f"{use},plain,{6 - points}," for use, points, _ in USES]
    scores = trained.folder / "judge.csv"
    scores.write_text("\n".join([scores.read_text(), *others]))
    file = trained.folder / "recorded.yaml"
    settings = {"task": "aut", "scores": "judge.csv", "ratings": "people.csv", "judges_apart": True}
    file.write_text(json.dumps({"name": "e", "data": {"d": settings}, "agreement": {"resamples": 0}}))
    for name, more in (("plain", ()), ("apart", ("--include-training",))):
        assert trained("experiment", "report", "recorded.yaml", "--out", name, *more).code == 0
    files = {name: next((trained.folder / name).rglob("*_methods.csv")) for name in ("plain", "apart")}
    plain, apart = (
        {
            row["method"]: row["n"]
            for row in table(file)
            if row["measure"] == "qwk" and row["dimension"] != "AVG"
        }
        for file in files.values()
    )
    # Methods are compared on the four uses that no judge was trained on; people with each other, too.
    assert plain == {"samer:j": "4", "plain": "4", "human-human": "4"}
    assert apart == plain | {"samer:j (with training data)": "6"}
    page = next((trained.folder / "plain").rglob("*.html")).read_text()
    assert "2 of 6 uses are of its training data" in page
