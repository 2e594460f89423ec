"""Every response is accounted for, once: scored, failed, a non-answer by its code, or not reached."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from creaeval.llm.chat import AttemptError
from experiments.grids import Priced, block, write_experiment
from scripted import ScriptedModel, text_of

if TYPE_CHECKING:
    from conftest import CommandLine
    from creaeval.llm import ChatRequest

USES = """id,object,use,participant
u1,brick,build a wall,p1
u2,brick,I don't know,p1
u3,brick,,p1
u4,brick,a doorstop,p1
u5,brick,a drum,p1
u6,brick,an anchor,p1
"""
NOTHING = """id,object,use,participant
u1,brick,I don't know,p1
u2,brick,,p1
u3,rope,,p2
"""


def record(command: CommandLine) -> dict[str, Any]:
    written: dict[str, Any] = json.loads((command.folder / "out" / "run.json").read_text(encoding="utf-8"))
    return written


def total(account: dict[str, Any]) -> int:
    counts = [account["scored"], account["failed"], account["not_reached"], *account["non_answers"].values()]
    return sum(map(int, counts))


def refuses(word: str) -> Any:
    def fails(request: ChatRequest) -> AttemptError | None:
        return AttemptError("HTTP 500", kind="server", retry=False) if word in text_of(request) else None

    return fails


def score(command: CommandLine, *options: object) -> Any:
    return command(
        *("score", "uses.csv", "--task", "aut", "--method", "direct", "--uses-per-call", 1, "--out", "out"),
        *options,
    )


def test_what_is_scored_failed_unanswered_and_left_for_the_budget_adds_up(command: CommandLine) -> None:
    (command.folder / "uses.csv").write_text(USES)
    command.add(Priced("scripted:j", fails=refuses("doorstop"), concurrency=1))
    # Each reply costs a dollar and may cost 1.60: behind the second one, a third may be beyond 3.
    ended = score(command, "--judge", "scripted:j", "--set", "max_tokens=16", "--budget", 3)
    assert ended.code == 3, ended.err
    account = record(command)
    assert (account["scored"], account["failed"], account["not_reached"]) == (2, 1, 1)
    assert account["non_answers"] == {"dont_know": 1, "blank": 1}
    assert total(account) == 6
    said = "6 uses: 2 scored, 1 failed, 2 non-answers (1 dont_know, 1 blank), 1 not reached."
    assert said in ended.out
    # What was left is scored by the same command, and the account changes with it.
    again = score(command, "--judge", "scripted:j", "--set", "max_tokens=16", "--budget", 10)
    assert again.code == 3
    assert "6 uses: 3 scored, 1 failed, 2 non-answers (1 dont_know, 1 blank)." in again.out
    assert total(record(command)) == 6


def test_a_use_that_one_judge_of_two_scored_counts_once(command: CommandLine) -> None:
    (command.folder / "uses.csv").write_text(USES)
    command.add(ScriptedModel("scripted:j"), ScriptedModel("scripted:k", fails=refuses("doorstop")))
    ended = score(command, "--judge", "scripted:j", "--judge", "scripted:k")
    assert ended.code == 3
    account = record(command)
    assert (account["scored"], account["failed"], account["with_failures"]) == (4, 0, 1)
    assert total(account) == 6
    assert command("runs", "list").out.strip().endswith("6 responses, 1 failed")


@pytest.mark.parametrize("method", ["direct", "creaeval", "cot", "offline", None])
def test_a_file_of_non_answers_is_nothing_scored_by_any_method(
    command: CommandLine, method: str | None
) -> None:
    (command.folder / "uses.csv").write_text(NOTHING)
    command.add(ScriptedModel("scripted:j"))
    models = ("--analyst", "scripted:j") if method == "creaeval" else ()
    judge = () if method in (None, "offline") else ("--judge", "scripted:j")
    chosen = () if method is None else ("--method", method)
    ended = command("score", "uses.csv", "--task", "aut", *chosen, *models, *judge, "--out", "out")
    assert ended.code == 1
    assert "3 uses: 0 scored, 3 non-answers (1 dont_know, 2 blank)." in ended.out
    assert "Nothing was scored." in ended.err
    assert (record(command)["state"], total(record(command))) == ("failed", 3)
    assert command("runs", "list").out.split("\t")[2] == "failed"


def test_where_nothing_can_be_written_the_options_are_named(
    command: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    (command.folder / "uses.csv").write_text(USES)
    (command.folder / "closed").write_text("a file, so that no folder of this name can be made")
    command.add(model := ScriptedModel("scripted:j"))
    ended = score(command, "--judge", "scripted:j", "--ledger", "closed/ledger.db")
    assert ended.code == 1
    assert "closed/ledger.db: the ledger cannot be opened: " in ended.err
    assert "Choose a place where you may write with --ledger." in ended.err
    monkeypatch.setattr("creaeval.cli.running.os.access", lambda _, mode: mode != os.W_OK)
    ended = score(command, "--judge", "scripted:j")
    assert ended.code == 1
    assert "out: results cannot be written here; name a folder where you may write with --out" in ended.err
    assert not model.requests


def test_where_all_failed_the_account_says_so(command: CommandLine) -> None:
    (command.folder / "uses.csv").write_text(USES)
    command.add(ScriptedModel("scripted:j", fails=refuses("brick")))
    ended = score(command, "--judge", "scripted:j")
    assert ended.code == 1
    assert "6 uses: 0 scored, 4 failed, 2 non-answers (1 dont_know, 1 blank)." in ended.out
    assert record(command)["state"] == "failed"


def test_a_run_of_an_experiment_in_which_nothing_was_scored_has_failed(command: CommandLine) -> None:
    command.add(ScriptedModel("scripted:j", fails=refuses("First")))
    path = write_experiment(command.folder, grid=[block(method="direct")])
    ended = command("experiment", "run", path)
    assert ended.code == 1
    assert "failed. Nothing was scored; `creaeval runs show" in ended.out
    assert "failed" in command("experiment", "status", path).out
