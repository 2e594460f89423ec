"""`creaeval demo`: the example adds up, and its recording shows what the prompts of today ask."""

from __future__ import annotations

import csv
import json
from contextlib import nullcontext
from typing import TYPE_CHECKING

import pytest

from booklets import booklet, cgpst, scenarios
from creaeval import demo
from creaeval.data import Response, read_ratings, read_responses
from creaeval.llm import Ledger, open_model
from creaeval.runs import prepare, run_plan
from creaeval.sheets import check_grid, disagreements
from creaeval.tasks import identities
from scripted import ScriptedModel

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

    from conftest import CommandLine, Ended
    from creaeval.data import Rating


def ratings() -> list[Rating]:
    with demo.demo_file("ratings.json") as path:
        return read_ratings([path], cgpst())


def test_both_made_up_ratings_add_up() -> None:
    sheets = [rating.sheet for rating in ratings()]
    # 18 + 26 + 20 + 11 + 4 + 29 and 18 + 25 + 20 + 12 + 4 + 26.
    assert [sheet.total for sheet in sheets] == [108, 105]
    assert [sheet.written_total for sheet in sheets] == [108, 105]
    assert [disagreements(sheet) for sheet in sheets] == [[], []]


def test_the_examples_grid_gives_4() -> None:
    # Columns: 564312, 634521, 524651 (5 twice, no 3), 346215, 645321.
    check = check_grid(booklet().steps["step5"].text, n_criteria=5)
    assert (check.score, check.faulty_columns) == (4, (3,))
    assert [rating.sheet.final("step5.correctly_used") for rating in ratings()] == [4, 4]


def test_the_example_is_whole_and_has_a_blank_item_and_a_scenario() -> None:
    response = booklet()
    assert response.missing_steps(cgpst()) == []
    assert [item.blank for item in response.steps["step1"].items] == [False] * 6 + [True]
    assert response.scenario in scenarios()
    assert {rating.response_id for rating in ratings()} == {response.id}


def check_replay(ended: Ended, folder: Path) -> None:
    assert ended.code == 0, ended.err
    assert "This is a recording" in ended.err
    assert "analyst local (recorded) (brief evidence), judges local (recorded)" in ended.err
    assert "Example A" in ended.out
    assert "Example B" in ended.out
    assert "Example A and Example B are made-up ratings" in ended.out
    run = json.loads((folder / "run.json").read_text())
    assert (run["state"], run["scored"], run["failed"]) == ("finished", 1, 0)
    calls = run["tokens_by_stage"]["all"]
    # Not one reply was asked for now.
    assert calls["calls"] == calls["from_ledger"] >= 7
    assert f"{calls['calls']} calls, {calls['calls']} of them from the ledger" in ended.out
    with (folder / "scores.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if not row["item"]]
    assert [row["response_id"] for row in rows] == ["demo"] * 31
    assert {row["dimension"] for row in rows} == set(identities(cgpst()))
    assert all(row["score"] for row in rows)


def short_booklet() -> Response:
    with demo.demo_file("short_booklet.json") as path:
        return read_responses(path, cgpst())[0]


def test_the_short_example_is_whole_and_its_made_up_ratings_add_up() -> None:
    response = short_booklet()
    assert response.missing_steps(cgpst()) == []
    assert response.scenario in scenarios()
    with demo.demo_file("short_ratings.json") as path:
        sheets = [rating.sheet for rating in read_ratings([path], cgpst())]
    # 2 + 2 + 3 + 1, 25, 1 + 1 + 2 + 1, 1 + 3, 4, 22 and 2 + 2 + 2 + 1, 22, 1 + 1 + 1, 1 + 4, 4, 20.
    assert [sheet.total for sheet in sheets] == [68, 61]
    assert [sheet.written_total for sheet in sheets] == [68, 61]
    assert [disagreements(sheet) for sheet in sheets] == [[], []]
    # Columns: 21, and 22, which has 2 twice and no 1.
    check = check_grid(response.steps["step5"].text, n_criteria=2)
    assert (check.score, check.faulty_columns) == (4, (2,))


@pytest.fixture
def made_recording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A recording of a scripted model that goes by the local model's identity, in place of the real one."""
    model = ScriptedModel(identity=open_model("local").identity)
    model.bounds_decoding = True  # type: ignore[attr-defined]
    plan = prepare(
        [short_booklet()],
        task=cgpst(),
        scenarios=scenarios(),
        analyst=model,
        judges=model,
        method="creaeval",
        settings=None,
        missing_step="refuse",
    )
    recording = tmp_path / "made.jsonl"
    with Ledger.open(tmp_path / "made.db") as ledger:
        run_plan(plan, ledger)
        ledger.export_calls(recording)
    real = demo.demo_file

    def demo_file(name: str) -> AbstractContextManager[Path]:
        return nullcontext(recording) if name == "short_recording.jsonl" else real(name)

    monkeypatch.setattr(demo, "demo_file", demo_file)
    return recording


def test_a_replay_shows_a_whole_sheet_without_asking_any_model(
    command: CommandLine, made_recording: Path
) -> None:
    check_replay(command("demo", "--replay", "--out", "shown"), command.folder / "shown")


def test_a_replay_leaves_no_ledger_behind(command: CommandLine, made_recording: Path) -> None:
    assert command("demo", "--replay", "--out", "shown").code == 0
    assert not (command.folder / ".creaeval").exists()


def test_a_recording_that_is_out_of_step_with_the_prompts_says_so(
    command: CommandLine, made_recording: Path
) -> None:
    lines = made_recording.read_text().splitlines(keepends=True)
    made_recording.write_text("".join(lines[:-1]))
    ended = command("demo", "--replay")
    assert ended.code == 1
    assert "The recording has no reply to this prompt (cgpst_scores)" in ended.err
    assert "make record-demo" in ended.err
    assert "Traceback" not in ended.err


def recording(*, long: bool) -> list[str]:
    """The lines of a recording that the package brings."""
    with demo.demo_file((demo.LONG if long else demo.SHORT)[2]) as path:
        return path.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("options", [[], ["--long"]], ids=["short", "long"])
def test_a_recording_replays_in_full_and_holds_nothing_else(command: CommandLine, options: list[str]) -> None:
    ended = command("demo", "--replay", *options, "--out", "shown")
    check_replay(ended, command.folder / "shown")
    assert "analyst local (recorded) (brief evidence)" in ended.err
    (path,) = (command.folder / "shown" / "responses").iterdir()
    used = {call["key"] for call in json.loads(path.read_text())["calls"]}
    assert {json.loads(line)["key"] for line in recording(long=bool(options))} == used


@pytest.mark.parametrize("long", [False, True])
def test_a_recording_holds_no_folder_and_no_key(long: bool) -> None:
    for line in recording(long=long):
        call = json.loads(line)
        assert call["provider"] == "local"
        assert call["base_url"] == ""
        assert "/home/" not in line
        assert ".cache" not in line
        assert "/tmp/" not in line  # noqa: S108 - not a file of ours
