"""`creaeval ledger`: what it says, what it writes, how it ends."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from booklets import variant, write_inputs
from creaeval.llm.ledger import Ledger
from creaeval.llm.records import Failure
from llm.calls import call
from scripted import ScriptedModel

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import CommandLine


@pytest.fixture
def ledger(command: CommandLine) -> Path:
    """A ledger in the usual place: three calls paid, one of them abandoned, and a failed attempt."""
    path = command.folder / ".creaeval" / "ledger.db"
    with Ledger.open(path) as opened:
        opened.put(call("one", user="1", cost_usd=0.25))
        opened.put(call("two", user="2"))
        opened.put(call("three", user="3", role="analyst"))
        opened.mark(call(user="1").key, "accepted")
        opened.abandon([call(user="2").key])
        opened.put_failure(Failure("k", "openai:m1", "judge", {"id": "R1"}, 1, "rate_limit", "slow", 2.0))
    return path


def test_info_says_what_there_is_what_it_cost_and_that_it_is_in_order(
    command: CommandLine, ledger: Path
) -> None:
    ended = command("ledger", "info")
    assert (ended.code, ended.err) == (0, "")
    lines = [line.split("\t") for line in ended.out.splitlines()]
    facts = {line[0]: line[1] for line in lines if len(line) == 2}
    assert facts["ledger"] == ".creaeval/ledger.db"
    assert facts["tables"] == "ledger version 3"
    assert facts["check"] == "in order"
    assert facts["calls"] == "3: 1 abandoned, 1 accepted, 1 replied"
    assert facts["runs"] == "0"
    assert facts["first call"] <= facts["last call"]
    used = ["100 tokens in", "80 cached", "20 out", "5 reasoning", "2 s"]
    assert lines[-3] == ["paid", "analyst", "openai:m1", "1 calls", "0 unusable", *used, "1 calls not priced"]
    used = ["200 tokens in", "160 cached", "40 out", "10 reasoning", "3 s"]
    cost = "$0.2500, 1 calls not priced"
    assert lines[-2] == ["paid", "judge", "openai:m1", "2 calls", "1 unusable", *used, cost]
    assert lines[-1] == ["failed", "judge", "openai:m1", "rate_limit", "1 attempts", "2 s"]


def test_info_leaves_the_ledger_as_it_is(command: CommandLine, ledger: Path) -> None:
    before = ledger.read_bytes()
    command("ledger", "info")
    assert ledger.read_bytes() == before


def test_info_on_a_damaged_ledger_is_code_1_and_says_what_to_do(command: CommandLine, ledger: Path) -> None:
    content = ledger.read_bytes()
    at = content.index(b"three")
    damaged = content[:at] + b"THREE" + content[at + 5 :]
    ledger.write_bytes(damaged)
    ended = command("ledger", "info")
    assert ended.code == 1
    assert ended.err.startswith(
        "Error: .creaeval/ledger.db: this ledger file is damaged (call 3 is not as it"
    )
    assert ".recover" in ended.err
    assert ledger.read_bytes() == damaged


def test_a_ledger_that_is_not_there_is_code_1_and_is_not_made(command: CommandLine) -> None:
    for arguments in (("info",), ("export", "calls.jsonl"), ("prune",)):
        ended = command("ledger", *arguments, "--ledger", "none.db")
        assert ended.code == 1
        assert "none.db: there is no ledger here" in ended.err
    assert list(command.folder.iterdir()) == []


def test_calls_are_exported_and_imported(command: CommandLine, ledger: Path) -> None:
    ended = command("ledger", "export", "calls.jsonl")
    assert (ended.code, ended.out, ended.err) == (0, "calls.jsonl\t2 calls\n", "")
    assert len((command.folder / "calls.jsonl").read_text().splitlines()) == 2
    ended = command("ledger", "import", "calls.jsonl", "--ledger", "new.db")
    assert (ended.code, ended.out) == (0, "new.db\t2 new calls\t0 known before\n")
    with Ledger.open(command.folder / "new.db") as opened:
        stored = opened.find(call(user="1").key)
    assert stored is not None
    assert stored.text == "one"


def test_the_calls_of_one_run_are_exported(command: CommandLine, ledger: Path) -> None:
    command.add(ScriptedModel())
    write_inputs(command.folder, variant("a"))
    models = ("--analyst", "scripted:one", "--judge", "scripted:one")
    assert command("score", "booklets.json", "--scenario", "scenario.yaml", *models).code == 0
    run_id = command("runs", "list").out.split("\t")[0]
    ended = command("ledger", "export", "calls.jsonl", "--run", run_id[:6])
    # six steps and a judge
    assert (ended.code, ended.out, ended.err) == (0, "calls.jsonl\t7 calls\n", "")
    lines = [json.loads(line) for line in (command.folder / "calls.jsonl").read_text().splitlines()]
    assert {line["label"]["response_id"] for line in lines} == {"a"}
    assert command("ledger", "info").out.count("runs\t1\n") == 1
    ended = command("ledger", "export", "calls.jsonl", "--run", "nothing")
    assert ended.code == 1
    assert f"There is no run 'nothing'; known are {run_id}" in ended.err


def test_a_torn_file_is_imported_only_as_far_as_it_is_whole_and_only_if_asked_to(
    command: CommandLine, ledger: Path
) -> None:
    command("ledger", "export", "calls.jsonl")
    file = command.folder / "calls.jsonl"
    first, second = file.read_text().splitlines()
    file.write_text(f"{first}\n{second[:100]}\n{second[100:]}\n")
    ended = command("ledger", "import", "calls.jsonl", "--ledger", "new.db")
    assert (ended.code, ended.out) == (1, "")
    assert "calls.jsonl, line 2: found a torn or malformed line" in ended.err
    assert "Nothing was imported. With --skip-broken" in ended.err
    ended = command("ledger", "import", "calls.jsonl", "--ledger", "new.db", "--skip-broken")
    assert (ended.code, ended.out) == (3, "new.db\t1 new calls\t0 known before\n")
    assert [line[:34] for line in ended.err.splitlines()] == [
        "Skipped calls.jsonl, line 2: found",
        "Skipped calls.jsonl, line 3: found",
    ]


def test_pruning_says_what_would_go_and_removes_it_when_told_to(command: CommandLine, ledger: Path) -> None:
    def left() -> tuple[str, int]:
        with Ledger.open(ledger) as opened:
            return opened.totals()[1].model, opened.prune(-1, dry=True).calls

    ended = command("ledger", "prune", "--days", "0")
    assert ended.code == 0
    assert ended.out.splitlines() == [
        "abandoned calls that lose their texts, not their accounts\t1",
        "records of failed attempts that are removed\t1",
    ]
    assert "Nothing was removed." in ended.err
    assert left() == ("m1", 1)
    assert "texts, not their accounts\t0\n" in command("ledger", "prune", "--yes").out  # not 30 days old
    ended = command("ledger", "prune", "--days", "0", "--yes")
    assert (ended.code, ended.err) == (0, "")
    assert "MB" in ended.out or "bytes" in ended.out
    assert left() == ("m1", 0)


def test_the_newest_ledger_is_not_pruned_by_a_negative_number_of_days(
    command: CommandLine, ledger: Path
) -> None:
    assert command("ledger", "prune", "--days", "-1", "--yes").code == 2
