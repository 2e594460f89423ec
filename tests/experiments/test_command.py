"""`creaeval experiment`: the shipped example, estimates, states, exit codes, and what untrusted names do."""

from __future__ import annotations

import json
import shutil
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from creaeval.errors import PermanentCallError
from creaeval.llm.providers import registry
from creaeval.runs.tables import long_table
from experiments.grids import NAMES, Priced, block, write_experiment
from scripted import ScriptedModel, fill

if TYPE_CHECKING:
    import pandas as pd

    from conftest import CommandLine
    from creaeval.llm import ChatRequest
    from creaeval.runs import Run

REPOSITORY = Path(__file__).parents[2]


def offer(command: CommandLine, **models: ScriptedModel) -> None:
    command.add(*(models.get(name) or ScriptedModel(f"scripted:{name}", answer=NAMES) for name in "aj"))


def test_the_small_example_runs_to_its_end_and_shares_evidence(
    command: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = count()

    def answer(request: ChatRequest) -> str:
        # No two answers are the same, as with a real model.
        seen = f"Seen {next(asked)}."
        return json.dumps(fill(request.schema, request.schema_name, write=lambda _: seen))

    local = ScriptedModel("local", answer=answer)
    monkeypatch.setitem(registry._FACTORIES, "local", lambda _: local)
    path = REPOSITORY / "experiments" / "small.yaml"
    ended = command("experiment", "run", path)
    assert ended.code == 0, ended.err
    # Five answers to two steps: direct 1 each (no-evidence is the same), cot 2, table 1 (no-decoupling),
    # creaeval 2 + 1; no-memory 1 + 1, since there is no memory at the first step anyway; one-pass 1 + 1.
    methods = 5 * (1 + 2 + 1 + 3 + 2 + 2)
    # The judge once more at 0.2, twice at 0.8. Two answers: evidence and judge once more at 0.2, twice at
    # 0.8. Uses of two objects: direct 1 each, creaeval 2.
    calls = methods + 5 * 3 + 2 * (3 + 6) + 2 * 3
    assert len(local.requests) == calls == 94
    ended = command("experiment", "status", path)
    assert "14 of 14 runs finished" in ended.out
    assert command("experiment", "run", path).out.count("finished before") == 14
    assert len(local.requests) == calls


def test_a_dry_run_shows_what_it_would_take_and_makes_no_ledger(command: CommandLine) -> None:
    offer(command, a=Priced("scripted:a"), j=(judge := Priced("scripted:j")))
    grid = [block("first"), block("second", judges=["scripted:j", "scripted:a"]), block("sft", method="sft")]
    path = write_experiment(command.folder, grid=grid)
    ended = command("experiment", "run", path, "--dry-run")
    assert ended.code == 0, ended.err
    rows = {
        line.split(":")[0].strip(): line.split() for line in ended.out.splitlines() if "responses" in line
    }
    # Two responses: two steps each and a judge, or two.
    assert "6" in rows["first"]
    assert "8" in rows["second"]
    (all_of_them,) = (line.split() for line in ended.out.splitlines() if "All, shared calls once" in line)
    assert "8" in all_of_them
    assert "Nothing was sent." in ended.out
    assert "needs a trained model (creaeval train) as its judge" in ended.out
    assert judge.requests == []
    assert not (command.folder / ".creaeval").exists()


def test_a_dry_run_says_what_each_run_feeds(command: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    offer(command)
    grid = [
        block("first", feeds=["Table 2", "Figure [b]5"]),
        block("again", feeds=["Figure 4", "Table 2"]),
        block("other", method="direct"),
        block("sft", method="sft", feeds="Table 8"),
    ]
    path = write_experiment(command.folder, grid=grid)
    ended = command("experiment", "run", path, "--dry-run")
    lines = [line.strip() for line in ended.out.splitlines()]
    # One run for both blocks, so it feeds what either of them names, each thing once.
    assert [line for line in lines if line.startswith("→")] == ["→ Table 2, Figure [b]5, Figure 4"]
    assert any(line.startswith("sft: ") and line.endswith("It feeds Table 8.") for line in lines)
    monkeypatch.setattr("creaeval.cli.experiment._WIDTH", 80)
    ended = command("experiment", "run", path, "--dry-run")
    assert "(also again)\n→ Table 2, Figure [b]5, Figure 4\n2  other: " in ended.out
    # Where something else is to be read, the names stand alone.
    assert "→" not in command("experiment", "run", path).out


def test_a_dry_run_knows_what_is_paid_for_already(command: CommandLine) -> None:
    offer(command, a=Priced("scripted:a", answer=NAMES), j=Priced("scripted:j", answer=NAMES))
    path = write_experiment(command.folder, grid=[block()])
    assert command("experiment", "run", path).code == 0
    ended = command("experiment", "run", path, "--dry-run")
    (row,) = (line.split() for line in ended.out.splitlines() if "All, shared calls once" in line)
    assert row[-5:] == ["6", "6", "0", "0", "0.00"]


def test_a_cell_that_cannot_go_on_is_code_3_and_named_at_the_end(command: CommandLine) -> None:
    bad = ScriptedModel("scripted:bad", fails=lambda _: PermanentCallError("the key [red]was[/red] refused."))
    offer(command)
    command.add(bad)
    path = write_experiment(command.folder, grid=[block("good"), block("[b]x", judges="scripted:bad")])
    ended = command("experiment", "run", path, "--out", "files")
    assert ended.code == 3
    assert (
        "[b]x: all, creaeval, analyst scripted:a, judge scripted:bad: failed. the key [red]was[/red]"
        in ended.out
    )
    assert len(list((command.folder / "files").iterdir())) == 1
    assert (next((command.folder / "files").iterdir()) / "scores.csv").is_file()
    ended = command("experiment", "status", path)
    assert ("failed" in ended.out, "1 of 2 runs finished" in ended.out) == (True, True)
    path = write_experiment(command.folder, grid=[block("bad", judges="scripted:bad")])
    assert command("experiment", "run", path).code == 1


def test_stopping_keeps_what_is_done_and_says_how_to_go_on(command: CommandLine) -> None:
    stop = [True]

    def interrupt(_: object) -> None:
        if stop[0] and len(judge.requests) == 3:
            raise KeyboardInterrupt

    offer(command, j=(judge := ScriptedModel("scripted:j", answer=NAMES, fails=interrupt, concurrency=1)))
    path = write_experiment(command.folder, grid=[block("one", method="direct"), block("two")])
    ended = command("experiment", "run", path, "--budget", "5")
    assert ended.code == 130
    assert "Spent now: $0 of $5." in ended.err
    assert (
        "Stopped with 1 of 2 runs finished; every finished call is kept. The same command goes on"
        in ended.err
    )
    stop[0] = False
    assert command("experiment", "run", path).code == 0


@pytest.mark.parametrize("options", [[], ["--dry-run"]])
def test_an_experiment_without_a_run_is_an_error_also_in_a_dry_run(
    command: CommandLine, options: list[str]
) -> None:
    offer(command)
    path = write_experiment(command.folder, grid=[])
    ended = command("experiment", "run", path, *options)
    assert ended.code == 1
    assert "there is no run that could be made" in ended.err
    assert not (command.folder / ".creaeval").exists()


def test_a_narrow_terminal_has_the_names_of_runs_before_the_table(
    command: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    offer(command)
    path = write_experiment(command.folder, grid=[block("first"), block("second", method="direct")])
    monkeypatch.setattr("creaeval.cli.experiment._WIDTH", 80)
    for line in (["run", path, "--dry-run"], ["run", path], ["status", path]):
        ended = command("experiment", *line)
        assert (
            "1  first: all, creaeval, analyst scripted:a, judge scripted:j\n2  second: all, direct"
            in ended.out
        )
        rows = [row.split()[0] for row in ended.out.splitlines() if row.startswith("  ") and row.strip()]
        assert {"1", "2"} <= set(rows)
        assert "first" not in rows
        assert all(len(row) <= 80 for row in ended.out.splitlines() if row.startswith("  "))


def test_files_whose_writing_was_interrupted_are_written_by_the_same_command(
    command: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop = [True]

    def interrupt(run: Run) -> pd.DataFrame:
        if stop and stop.pop():
            raise KeyboardInterrupt
        return long_table(run)

    offer(command)
    path = write_experiment(command.folder, grid=[block()])
    monkeypatch.setattr("creaeval.runs.export.long_table", interrupt)
    assert command("experiment", "run", path, "--out", "files").code == 130
    assert command("experiment", "run", path, "--out", "files").code == 0
    (folder,) = (command.folder / "files").iterdir()
    assert "r2" in (folder / "scores.csv").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["run", "status"])
def test_what_is_wrong_is_code_1_without_a_traceback(command: CommandLine, name: str) -> None:
    offer(command)
    path = write_experiment(command.folder, grid=[block(judges="scripto:x")])
    ended = command("experiment", name, path)
    assert ended.code == 1
    assert "found no provider 'scripto'" in ended.err
    assert "Traceback" not in ended.err
    assert command("experiment", name, "none.yaml").code == 1


def test_there_is_no_status_without_a_ledger(command: CommandLine) -> None:
    offer(command)
    path = write_experiment(command.folder, grid=[block()])
    ended = command("experiment", "status", path)
    assert (ended.code, "there is no ledger here" in ended.err) == (1, True)
    shutil.rmtree(command.folder / ".creaeval", ignore_errors=True)
