from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any

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
            update={"extra": {"language": "de" if number % 2 else "en"}}
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
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def test_agreement_is_shown_with_people_and_between_them_and_written(
    command: CommandLine, scored: str
) -> None:
    ended = command("agree", scored, "--ratings", "ratings.csv", "--out", "out", "--measure", "qwk")
    assert ended.code == 0, ended.err
    # Population variance of 1..6 is 35/12; one point of difference throughout takes 1 from the ratio.
    shifted = 2 * (35 / 12) / (2 * (35 / 12) + 1)
    cells = {(row["scorer"], row["rater"]): row for row in table(command.folder / "out" / "agreement.csv")}
    assert float(cells["scripted:one", "A"]["value"]) == pytest.approx(1)
    assert float(cells["scripted:one", "B"]["value"]) == pytest.approx(shifted)
    assert float(cells["A", "B"]["value"]) == pytest.approx(shifted)
    assert {row["n"] for row in cells.values()} == {"6"}
    means = {
        (row["scorer"], row["dimension"]): row
        for row in table(command.folder / "out" / "agreement_means.csv")
    }
    assert float(means["scripted:one", "AVG"]["value"]) == pytest.approx((1 + shifted) / 2)
    assert means["scripted:one", "step2.focus"]["defined"] == "2 of 2"
    assert float(means["human-human", "AVG"]["value"]) == pytest.approx(shifted)
    assert "Focus" in ended.out
    assert "human-human" in ended.out
    assert "Only 6 responses in the smallest cell" in ended.out
    assert "Nobody rated 19 dimensions" in ended.err


def test_a_rating_without_a_response_is_named(command: CommandLine, scored: str) -> None:  # F07
    with (command.folder / "ratings.csv").open("a", newline="") as file:
        csv.writer(file).writerow(("R11", "A", "Focus", 4))
    ended = command("agree", scored, "--ratings", "ratings.csv", "--resamples", "0")
    assert ended.code == 0
    assert "rating id R11 has no response (by A, in" in ended.err


def test_a_constant_rater_is_undefined_and_never_0(command: CommandLine, scored: str) -> None:
    rows = [("R" + str(number), "A", "Focus", 4) for number in range(6)]
    with (command.folder / "flat.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("response_id", "rater", "dimension", "score"), *rows])
    ended = command("agree", scored, "--ratings", "flat.csv", "--measure", "pearson", "--resamples", "0")
    assert ended.code == 0
    assert "undefined (the second is constant)" in ended.out


def test_agreement_is_told_for_each_value_of_a_carried_column(command: CommandLine, scored: str) -> None:
    ended = command(
        "agree", scored, "--ratings", "ratings.csv", "--by", "language", "--out", "out", "--measure", "bias"
    )
    assert ended.code == 0, ended.err
    rows = table(command.folder / "out" / "agreement_by.csv")
    # The judge gives what A gives, and a point less than B, whatever the language.
    of_judge = [row for row in rows if row["scorer"] == "scripted:one" and row["dimension"] == "AVG"]
    assert [(row["language"], float(row["value"]), row["n"]) for row in of_judge] == [
        ("de", -0.5, "3"),
        ("en", -0.5, "3"),
    ]


def test_clusters_are_resampled_whole_and_few_of_them_are_warned_of(
    command: CommandLine, scored: str
) -> None:
    ended = command("agree", scored, "--ratings", "ratings.csv", "--cluster", "language", "--measure", "qwk")
    assert ended.code == 0, ended.err
    assert "Only 2 clusters: intervals from fewer than 30 are too narrow." in ended.out
    ended = command("agree", scored, "--ratings", "ratings.csv", "--cluster", "plot")
    assert (
        ended.code,
        "--cluster plot: the responses carry no such column; they carry language." in ended.err,
    ) == (
        1,
        True,
    )


def test_what_is_wrong_is_said(command: CommandLine, scored: str) -> None:
    ended = command("agree", scored, "--ratings", "ratings.csv", "--measure", "kappa")
    assert (ended.code, "measure 'kappa': expected one of qwk" in ended.err) == (1, True)
    ended = command("agree", "ffff", "--ratings", "ratings.csv")
    assert (ended.code, "There is no run 'ffff'" in ended.err) == (1, True)
