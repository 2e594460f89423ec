"""`creaeval score` and `creaeval runs`: files in, results and exit codes out."""

from __future__ import annotations

import csv
import json
import sqlite3
from typing import TYPE_CHECKING, Any

import docx
import pytest

from booklets import marked, variant, without, write_inputs
from creaeval.errors import PermanentCallError
from creaeval.llm.chat import AttemptError
from scripted import ScriptedModel, echo, stage_of, text_of

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import CommandLine, Ended
    from creaeval.data import Response
    from creaeval.llm import ChatRequest


def score(command: CommandLine, *responses: Response, options: tuple[object, ...] = ()) -> Ended:
    write_inputs(command.folder, *responses)
    return score_files(command, "booklets.json", options=options)


def score_files(command: CommandLine, *files: object, options: tuple[object, ...] = ()) -> Ended:
    if not command.models:
        command.add(ScriptedModel())
    models = () if "--analyst" in options else ("--analyst", "scripted:one", "--judge", "scripted:one")
    return command("score", *files, "--scenario", "scenario.yaml", *models, *options)


def table(folder: Path, name: str) -> list[dict[str, str]]:
    with (folder / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def results(command: CommandLine) -> Path:
    (folder,) = (command.folder / "creaeval-results").iterdir()
    return folder


def asked(command: CommandLine) -> int:
    return sum(len(model.requests) for model in command.models.values())


def test_all_scored_is_code_0_and_results_go_to_a_folder_named_by_the_run(command: CommandLine) -> None:
    ended = score(command, variant("a"))
    assert ended.code == 0
    assert f"Files are in creaeval-results/{results(command).name}" in ended.out
    assert (command.folder / ".creaeval" / "ledger.db").is_file()
    assert json.loads((results(command) / "run.json").read_text())["run_id"] == results(command).name


def test_a_method_may_be_named_as_in_the_paper_and_its_own_name_is_kept(command: CommandLine) -> None:
    ended = score(command, variant("a"), options=("--method", "w/o Memory"))
    assert ended.code == 0, ended.err
    assert {row["method"] for row in table(results(command), "scores.csv")} == {"no-memory"}
    assert json.loads((results(command) / "run.json").read_text())["method"] == "no-memory"
    assert command("runs", "list").out.split("\t")[4] == "no-memory"
    # By its own name it is the same run, so nothing is asked again.
    made = asked(command)
    assert score(command, variant("a"), options=("--method", "no-memory")).code == 0
    assert asked(command) == made


def test_some_failed_is_code_3_and_the_others_have_their_scores(command: CommandLine) -> None:
    ended = score(command, variant("a"), without(variant("b"), "step6"))
    assert ended.code == 3
    assert {row["response_id"] for row in table(results(command), "scores.csv")} == {"a"}
    (failure,) = table(results(command), "failures.csv")
    assert (failure["response_id"], failure["stage"]) == ("b", "input")
    assert "step6 (Develop an Action Plan)" in failure["reason"]
    assert "--missing-step skip" in ended.out


def test_nothing_scored_is_code_1(command: CommandLine) -> None:
    ended = score(command, without(variant("b"), "step6"))
    assert ended.code == 1
    assert asked(command) == 0
    assert table(results(command), "scores.csv") == []
    assert len(table(results(command), "failures.csv")) == 1


def test_one_judge_of_two_failing_is_code_3(command: CommandLine) -> None:
    broken = ScriptedModel("scripted:broken", fails=lambda _: AttemptError("no", retry=False))
    command.add(ScriptedModel(), broken)
    options = ("--analyst", "scripted:one", "--judge", "scripted:one", "--judge", "scripted:broken")
    assert score(command, variant("a"), options=options).code == 3
    assert {row["judge"] for row in table(results(command), "scores.csv")} == {"scripted:one"}


def test_two_judges_are_both_in_scores_csv(command: CommandLine) -> None:
    command.add(ScriptedModel(), ScriptedModel("scripted:two"))
    options = ("--analyst", "scripted:one", "--judge", "scripted:one", "--judge", "scripted:two")
    assert score(command, variant("a"), options=options).code == 0
    judges = [row["judge"] for row in table(results(command), "scores_wide.csv")]
    assert judges == ["scripted:one", "scripted:two"]
    panel = {row["dimension"]: row for row in table(results(command), "scores_panel.csv")}
    assert [panel["step2.focus"][name] for name in ("n_sheets", "mean", "spread")] == ["2", "1.0", "0.0"]
    assert [model.requests[-1] for model in command.models.values()] == [
        command.models["two"].requests[0]
    ] * 2


def test_a_skipped_step_leaves_the_total_empty(command: CommandLine) -> None:
    ended = score(command, without(variant("a"), "step6"), options=("--missing-step", "skip"))
    assert ended.code == 0
    (row,) = table(results(command), "scores_wide.csv")
    assert (row["total"], row["step6_overall"], row["step1_overall"]) == ("", "", "7.0")
    totals = [row for row in table(results(command), "scores.csv") if row["dimension"] == "total"]
    assert [(row["score"], row["model_score"]) for row in totals] == [("", "")]


def test_items_that_are_not_scored_are_named(command: CommandLine) -> None:
    ended = score(command, variant("a", {"step1": [f"Challenge {n} there" for n in "abcdefghi"]}))
    assert ended.code == 0
    assert "a, step1: challenge 9 not scored (the first 8 count)" in ended.err


def test_ratings_are_shown_beside_and_their_differences_written(command: CommandLine) -> None:
    rating = {"response_id": "a", "rater": "H01", "scores": {"step2.focus": 7}}
    (command.folder / "ratings.json").write_text(json.dumps(rating))
    ended = score(command, variant("a"), options=("--ratings", "ratings.json"))
    assert "H01" in ended.out
    assert "-6" in ended.out
    (row,) = [r for r in table(results(command), "differences.csv") if r["dimension"] == "step2.focus"]
    # The script gives the lowest number, 1.
    assert (row["rater"], float(row["rating"]), float(row["difference"])) == ("H01", 7, -6)


def test_an_error_that_stops_the_run_is_code_1_and_what_is_done_is_written(command: CommandLine) -> None:
    def fails(request: ChatRequest) -> Exception | None:
        broken = stage_of(request) == "step2" and "bravo" in text_of(request)
        return PermanentCallError("the key is wrong") if broken else None

    command.add(ScriptedModel(answer=echo("alfa|bravo"), fails=fails, concurrency=1))
    ended = score(command, marked("alfa", "alfa"), marked("bravo", "bravo"))
    assert ended.code == 1
    assert "Error: the key is wrong" in ended.err
    assert {row["response_id"] for row in table(results(command), "scores.csv")} == {"alfa"}
    assert json.loads((results(command) / "run.json").read_text())["state"] == "failed"


def text_table(path: Path) -> None:
    document = docx.Document()
    document.add_table(rows=3, cols=2).rows[0].cells[0].text = "another layout"
    document.save(str(path))


WRONG: dict[str, tuple[str, Any, str]] = {
    "a file that is not there": ("none.json", lambda _: None, "there is no such file"),
    "a file that is not what its name says": ("booklet.json", text_table, "looks like a Word document"),
    "a docx with another layout": (
        "booklet.docx",
        text_table,
        "found no headings of steps (lines set as headings: 'another layout')",
    ),
    "an empty file": ("empty.csv", lambda path: path.write_text(""), "is empty"),
    "an unknown ending": (
        "photo.jpg",
        lambda path: path.write_bytes(b"\xff\xd8\xff"),
        "ends in '.jpg' and looks like a picture, expected one of",
    ),
    "broken json": ("broken.json", lambda path: path.write_text('{"id": '), "broken.json"),
    "a step nobody knows": (
        "odd.json",
        lambda path: path.write_text('{"id": "a", "steps": {"step9": "x"}}'),
        "has no step 'step9'",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_input_that_cannot_be_read_is_code_1_with_the_file_named_and_no_traceback(
    command: CommandLine, what: str
) -> None:
    name, make, message = WRONG[what]
    write_inputs(command.folder, variant("a"))
    make(command.folder / name)
    ended = score_files(command, "booklets.json", name)
    assert ended.code == 1
    assert ended.err.startswith("Error: ")
    assert name in ended.err
    assert message in ended.err
    assert "Traceback" not in ended.err + ended.out
    assert asked(command) == 0
    assert not (command.folder / ".creaeval").exists()


def test_two_responses_with_one_id_are_an_error_that_names_both_places(command: CommandLine) -> None:
    ended = score(command, variant("a"), variant("b"), variant("a"))
    assert ended.code == 1
    assert (
        "booklets.json, entry 3, response a: the id 'a' is already taken by booklets.json, entry 1"
        in ended.err
    )


def test_one_id_in_two_files_is_an_error(command: CommandLine) -> None:
    write_inputs(command.folder, variant("a"))
    (command.folder / "again.json").write_bytes((command.folder / "booklets.json").read_bytes())
    ended = score_files(command, "booklets.json", "again.json")
    assert ended.code == 1
    assert "again.json" in ended.err
    assert "booklets.json" in ended.err


def test_a_scenario_that_does_not_exist_is_an_error(command: CommandLine) -> None:
    ended = score(command, variant("a").model_copy(update={"scenario": "FS77"}))
    assert ended.code == 1
    assert "there is no scenario 'FS77'; known are fog_water. Give it with --scenario FILE." in ended.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--judge", "opnai:x"), "Did you mean 'openai'?"),
        (("--method", "creaval"), "Did you mean 'creaeval'?"),
        (("--task", "cgpts"), "Did you mean 'cgpst'?"),
    ],
)
def test_a_misspelt_name_is_an_error_with_the_nearest_and_nothing_is_begun(
    command: CommandLine, options: tuple[str, ...], message: str
) -> None:
    ended = score(command, variant("a"), options=options)
    assert ended.code == 1
    assert message in ended.err
    assert not (command.folder / "creaeval-results").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ("score",),
        ("score", "x.json", "--colour", "red"),
        ("score", "x.json", "--missing-step", "zero"),
        ("scor", "x"),
    ],
)
def test_wrong_usage_is_code_2(command: CommandLine, arguments: tuple[str, ...]) -> None:
    ended = command(*arguments)
    assert ended.code == 2
    assert "Traceback" not in ended.err


def test_a_folder_with_other_files_is_refused_before_the_first_call(command: CommandLine) -> None:
    (command.folder / "thesis").mkdir()
    (command.folder / "thesis" / "chapter.txt").write_text("one")
    ended = score(command, variant("a"), options=("--out", "thesis"))
    assert ended.code == 1
    assert "thesis: this folder holds other files, not run" in ended.err
    assert "name another one with --out" in ended.err
    assert all(not model.requests for model in command.models.values())
    assert not (command.folder / ".creaeval").exists()


def test_a_file_named_with_its_folder_is_kept_without_it(command: CommandLine) -> None:
    write_inputs(command.folder, variant("a"), without(variant("b"), "step1"))
    assert score_files(command, command.folder / "booklets.json").code == 3
    here = str(command.folder).encode()
    for path in [*(command.folder / ".creaeval").iterdir(), *results(command).rglob("*.*")]:
        assert here not in path.read_bytes(), path


def test_runs_are_listed_shown_and_exported(command: CommandLine) -> None:
    score(command, variant("a", group="x"))
    run_id = results(command).name
    listed = command("runs", "list")
    assert listed.code == 0
    (line,) = listed.out.splitlines()
    assert line.startswith(f"{run_id}\t")
    assert line.endswith("\tfinished\tcgpst\tcreaeval\tscripted:one\t1 responses")
    shown = command("runs", "show", run_id[:4])
    assert shown.code == 0
    assert "Score sheet of a" in shown.out
    exported = command("runs", "export", run_id, "--out", "again")
    assert exported.code == 0
    first, again = results(command), command.folder / "again"
    names = {str(path.relative_to(first)) for path in first.rglob("*.*")}
    assert names == {str(path.relative_to(again)) for path in again.rglob("*.*")}
    assert all((first / name).read_bytes() == (again / name).read_bytes() for name in names)
    assert set(exported.out.split()) == {f"again/{name}" for name in names}


@pytest.mark.parametrize("arguments", [("list",), ("show", "abc"), ("export", "abc", "--out", "x")])
def test_a_ledger_that_is_not_there_is_an_error_and_is_not_made(
    command: CommandLine, arguments: tuple[str, ...]
) -> None:
    for ledger in ((), ("--ledger", "other.db"), ("--ledger", "sqlite:///third.db")):
        ended = command("runs", *arguments, *ledger)
        assert ended.code == 1
        assert "there is no ledger here" in ended.err
    assert list(command.folder.iterdir()) == []


def test_a_run_nobody_made_is_an_error_that_lists_those_there_are(command: CommandLine) -> None:
    score(command, variant("a"))
    ended = command("runs", "show", "zzz")
    assert ended.code == 1
    assert f"There is no run 'zzz'; known are {results(command).name}." in ended.err


def test_a_ledger_without_a_run_says_so(command: CommandLine) -> None:
    sqlite3.connect("empty.db").close()
    ended = command("runs", "list", "--ledger", "empty.db")
    assert (ended.code, ended.out) == (0, "")
    assert "No run yet." in ended.err


def test_an_id_that_looks_like_an_emoji_or_a_style_is_printed_as_it_is(command: CommandLine) -> None:
    ended = score(command, variant(":warning:"), without(variant("[red]b[/red]"), "step1"))
    assert ended.code == 3
    assert "Score sheet of :warning:" in ended.out
    assert "[red]b[/red]" in ended.out
    assert "Score sheet of :warning:" in command("runs", "show", results(command).name).out


def test_files_of_a_folder_that_are_not_read_are_named(command: CommandLine) -> None:
    write_inputs(command.folder, variant("a"))
    (command.folder / "team").mkdir()
    (command.folder / "booklets.json").rename(command.folder / "team" / "booklets.json")
    (command.folder / "team" / "scan.pdf").write_bytes(b"%PDF")
    ended = score_files(command, "team")
    assert ended.code == 0, ended.err
    assert "Note: team: not read: scan.pdf; expected .csv, " in ended.err
