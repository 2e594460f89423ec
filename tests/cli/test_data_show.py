"""What ``creaeval data show`` prints, and what other commands do with the files of people."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from creaeval.data.grids import csv_file

if TYPE_CHECKING:
    from conftest import CommandLine

FILES = Path(__file__).parents[1] / "data" / "cases" / "files"
CASES = json.loads((FILES / "expected.json").read_text(encoding="utf-8"))
EXPECTED = {case["file"]: case for case in CASES}
EXPORT = """StartDate,Email,ResponseId,Age,brick_1,brick_2,rope_1
Start Date,Recipient Email,Response ID,Age?,Uses for a BRICK - 1,Uses for a BRICK - 2,Uses for a ROPE - 1
"{""ImportId"":""a""}","{""ImportId"":""b""}","{""ImportId"":""c""}","{""ImportId"":""d""}","{""ImportId"":""e""}","{""ImportId"":""f""}","{""ImportId"":""g""}"
2026-10-05,a@example.org,R_1,24,a doorstop,a bed warmer,a cat's lead
2026-10-05,b@example.org,R_2,31,paperweight,,
"""


def write(command: CommandLine, name: str, text: str) -> None:
    (command.folder / name).write_text(text, encoding="utf-8")


def shown(command: CommandLine, *words: object) -> Any:
    ended = command("data", "show", *words, "--json")
    assert ended.code == 0, ended.err
    return json.loads(ended.out)


def test_people_see_what_would_be_read_and_what_not(command: CommandLine) -> None:
    write(command, "export.csv", EXPORT)
    ended = command("data", "show", "export.csv", "--task", "aut")
    assert ended.code == 0
    assert ended.out.splitlines()[:4] == [
        "Found 4 uses.",
        "Objects: brick, rope.",
        "Participants: 2.",
        "  R_1-brick-1 · brick: a doorstop",
    ]
    assert "left out as personal data: 'StartDate' (date), 'Email' (e-mail address)" in ended.out
    assert "a@example.org" not in ended.out


def test_json_has_responses_with_what_they_carry_and_personal_data_on_request_only(
    command: CommandLine,
) -> None:
    write(command, "export.csv", EXPORT)
    (first, *others) = shown(command, "export.csv", "--task", "aut")["responses"]
    assert first == {
        "id": "R_1-brick-1",
        "steps": {"uses": "a doorstop"},
        "metadata": {"object": "brick", "participant": "R_1", "Age": "24", "response": "a doorstop"},
    }
    assert [other["steps"]["uses"] for other in others] == ["a bed warmer", "a cat's lead", "paperweight"]
    kept = shown(command, "export.csv", "--task", "aut", "--keep", "Email")["responses"][0]["metadata"]
    assert kept["Email"] == "a@example.org"


@pytest.mark.parametrize(
    "name", ["Blue Whales.docx", "team Owls.docx", "six_tables.docx", "two_columns.docx"]
)
def test_booklets_and_the_scenario_beside_them(command: CommandLine, name: str) -> None:
    found = shown(
        command, FILES / name, "--task", "cgpst", "--scenario", FILES / EXPECTED["scenario.txt"]["file"]
    )
    (response,) = found["responses"]
    (expected,) = EXPECTED[name]["responses"]
    assert response["id"] == expected["id"]
    assert {step: text.split("\n") for step, text in response["steps"].items()} == expected["steps"]
    assert found["scenario"]["text"] == EXPECTED["scenario.txt"]["scenario"]
    assert found["ratings"] == []


def test_a_folder_of_stories(command: CommandLine) -> None:
    found = shown(command, FILES / "stories", "--task", "ttcw")
    expected = {response["id"]: response["steps"] for response in EXPECTED["stories"]["responses"]}
    assert {
        r["id"]: {step: text.split("\n") for step, text in r["steps"].items()} for r in found["responses"]
    } == expected


def test_a_plain_matrix_gives_the_six_iccs_of_shrout_and_fleiss(command: CommandLine) -> None:
    """Their table 4 (1979): .17 .29 .71 .44 .62 .91."""
    ended = command("raters", FILES / "plain_matrix.csv", "--scale", "1-10", "--resamples", "0", "--out", "o")
    assert ended.code == 0, ended.err
    rows = (command.folder / "o" / "raters.csv").read_text(encoding="utf-8").splitlines()
    values = [float(row.split('",')[1].split(",")[0]) for row in rows if '"ICC(' in row]
    assert [round(value, 2) for value in values] == [0.17, 0.29, 0.71, 0.44, 0.62, 0.91]
    assert "ICC(3,k)" in ended.out


@pytest.mark.parametrize(
    ("scale", "points"),
    [("0 to 4", ["0", "4"]), ("1.0-5.0", ["1", "5"]), ("low/medium/high", ["low", "high"])],
)
def test_scales_as_people_write_them(command: CommandLine, scale: str, points: list[str]) -> None:
    low, high = points
    write(command, "m.csv", f"essay,J1,J2\nt1,{low},{high}\nt2,{high},{high}\n")
    found = shown(command, "m.csv", "--scale", scale)
    numbers = {"low": 1, "high": 3}
    assert [row["score"] for row in found["ratings"]] == [
        numbers.get(point, float(point) if point.isdigit() else 0) for point in (low, high, high, high)
    ]
    assert {row["dimension"] for row in found["ratings"]} == {"response.score"}


def test_without_a_task_the_dimensions_are_those_of_the_file(command: CommandLine) -> None:
    write(command, "m.csv", "story,Plot_R1,Plot_R2,Style_R1,Style_R2\na,1,2,3,4\nb,2,3,4,5\n")
    found = shown(command, "m.csv", "--scale", "1-5")
    assert {(row["dimension"], row["rater"], row["score"]) for row in found["ratings"][:4]} == {
        ("response.plot", "R1", 1), ("response.style", "R1", 3), ("response.plot", "R2", 2),
        ("response.style", "R2", 4),
    }  # fmt: skip


def test_strict_refuses_what_was_not_said(command: CommandLine) -> None:
    write(command, "r.csv", "id,Anna,Ben\nu1,3,4\nu2,2,5\n")
    assert command("data", "show", "r.csv", "--task", "aut").code == 0
    ended = command("data", "show", "r.csv", "--task", "aut", "--strict")
    assert ended.code == 1
    assert "'Anna', 'Ben'" in ended.err
    assert "--strict refuses" in ended.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--task", "aut", "--scale", "1-5"), "--task and --scale: name one"),
        (("--scale", "5-1"), "expected the lower end first"),
        (("--scale", "many"), "expected points such as 1-10"),
        (("--task", "aut", "--read", "row=3"), "expected sheet=, header=, object=, rater= or dimension="),
        (("--task", "aut", "--read", "header=x"), "expected the number of a row, or none"),
        (("--task", "aut", "--columns", "judge=R1"), "there is no role 'judge'"),
        ((), "Name the task with --task"),
    ],
)
def test_options_that_say_nothing_are_explained(
    command: CommandLine, words: tuple[str, ...], message: str
) -> None:
    write(command, "r.csv", "id,R1\nu1,3\n")
    ended = command("data", "show", "r.csv", *words)
    assert ended.code in (1, 2)
    assert message in ended.err


def test_a_file_that_is_not_read_is_named_everywhere(command: CommandLine) -> None:
    (command.folder / "in").mkdir()
    write(command, "in/uses.csv", "id,object,response\nu1,brick,a doorstop\n")
    write(command, "in/photo.jpg", "x")
    ended = command("score", "in", "--task", "aut", "--out", "o")
    assert ended.code == 0
    assert "in: not read: photo.jpg" in ended.err
    record = json.loads((command.folder / "o" / "run.json").read_text(encoding="utf-8"))
    assert [note.split(";")[0] for note in record["not_read"]] == ["in: not read: photo.jpg"]
    failures = (command.folder / "o" / "failures.csv").read_text(encoding="utf-8").splitlines()
    assert failures[1].startswith(',reading,,"in: not read: photo.jpg')


def test_what_reading_found_out_is_in_the_record(command: CommandLine) -> None:
    write(command, "rated.csv", "VP-Nr.;Gegenstand;Antwort;R1\n01;Ziegelstein;Türstopper;2,5\n")
    ended = command("score", "rated.csv", "--task", "aut", "--ratings", "rated.csv", "--out", "o")
    assert ended.code == 0, ended.err
    record = json.loads((command.folder / "o" / "run.json").read_text(encoding="utf-8"))
    assert record["notes"][0].startswith("rated.csv: no column holds an id for each use; ids are made")
    differences = (command.folder / "o" / "differences.csv").read_text(encoding="utf-8")
    assert "01-Ziegelstein-1,offline,R1,uses.originality" in differences


def test_a_file_that_is_too_large_is_refused_unread(
    command: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_file, "_MAX_BYTES", 1_000_000)
    with (command.folder / "big.csv").open("wb") as file:
        file.truncate(2_000_000)
    ended = command("data", "show", "big.csv", "--task", "aut")
    assert ended.code == 1
    assert "big.csv: has 2.0 MB, expected at most 1. Split it" in ended.err


def test_a_table_without_a_header_is_read_when_that_is_said(command: CommandLine) -> None:
    write(command, "plain.csv", "u1,brick,a hat\nu2,brick,a step\n")
    said = ("--read", "header=none", "--columns", "id=A,object=B,text=C")
    found = shown(command, "plain.csv", "--task", "aut", *said)
    assert [(r["id"], r["steps"]["uses"]) for r in found["responses"]] == [("u1", "a hat"), ("u2", "a step")]


def test_columns_that_only_seem_to_be_raters_are_not_spoken_of(command: CommandLine) -> None:
    write(command, "a.csv", "participant,brick_1,brick_2,Q3,Q4\np1,a hat,a step,1,4\np2,a vase,a lamp,3,2\n")
    found = shown(command, "a.csv", "--task", "aut")
    assert (len(found["responses"]), found["ratings"]) == (4, [])
    assert not [note for note in found["notes"] if "rater" in note]


def test_texts_beside_ratings_that_cannot_be_read_are_named(command: CommandLine) -> None:
    write(command, "a.csv", "id,Step-6 Criteria,text\nb1,4,What we would do about all the fog\n")
    ended = command("data", "show", "a.csv", "--task", "cgpst")
    assert "b1 by a: step6.criteria 4" in ended.out
    assert "Texts beside the ratings are not read: a.csv: no column holds a step" in ended.out


def test_strict_refuses_raters_by_their_numbers_beside_texts(command: CommandLine) -> None:
    write(command, "a.csv", "id,object,response,Anna,Ben\nu1,brick,a hat,4,3\nu2,brick,a step,2,3\n")
    ended = command("data", "show", "a.csv", "--task", "aut", "--strict")
    assert ended.code == 1
    assert "the columns 'Anna', 'Ben' hold points" in ended.err
    assert "--strict refuses" in ended.err
