"""Ledgers and tasks of version 0.1, in which a batch of uses was the response, are read and paid once."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

import creaeval
from creaeval.errors import LedgerError
from creaeval.llm import Ledger
from creaeval.methods import StageFailure
from creaeval.runs import RunStore, export_run
from creaeval.runs.export import read_run_folder
from creaeval.runs.migrations import MIGRATIONS
from creaeval.tasks import identities, load_task, parse_task
from scripted import ScriptedModel

from .test_batching import TABLE

if TYPE_CHECKING:
    from conftest import CommandLine
    from creaeval.llm import ChatRequest
    from creaeval.runs import Run

KEPT = Path(__file__).parent / "cases" / "ledger_0_1.sql"
DIRECT, FULL, OFFLINE = "0f7f7823b5", "555e4baaeb", "419a48a717"


@pytest.fixture
def old_ledger(tmp_path: Path) -> Path:
    """A ledger as version 0.1 left it: five uses in three batches, by direct, creaeval and offline."""
    path = tmp_path / "l.db"
    with sqlite3.connect(path) as connection:
        connection.executescript(KEPT.read_text(encoding="utf-8"))
    connection.close()
    return path


def load(path: Path, run_id: str) -> Run:
    with Ledger.open(path) as ledger:
        run = RunStore(ledger).load(run_id)
        return type(run)(**{**vars(run), "outcomes": tuple(run.outcomes), "responses": dict(run.responses)})


def rows(run: Run) -> list[tuple[Any, ...]]:
    frame = run.scores.astype(object).where(run.scores.notna(), None)
    return list(frame[["response_id", "judge", "score", "invalid"]].itertuples(index=False, name=None))


def test_runs_of_batches_are_runs_of_uses_once_the_ledger_was_opened(old_ledger: Path) -> None:
    run = load(old_ledger, DIRECT)
    assert [outcome.response_id for outcome in run.outcomes] == ["u1", "u2", "u4", "u3", "u5"]
    # What 0.1 wrote for the same run: judges j and k gave 2 to the wall, 5 to the hat, 1 to the rest.
    assert sorted(rows(run)) == sorted(
        (use, judge, score, code)
        for judge in "jk"
        for use, score, code in (
            ("u1", 2, ""), ("u2", None, "dont_know"), ("u3", None, "blank"), ("u4", 5, ""), ("u5", 1, ""),
        )
    )  # fmt: skip
    assert run.metadata["u4"]["participant"] == "p1"
    assert run.response("u4").steps["uses"].text == "=a hat for a statue"
    assert (run.summary.scored, run.summary.failed, run.n_failed) == (3, 0, 0)
    # Two judges, two batches that somebody was asked about: four calls, each counted once.
    assert (len(run.calls), run.summary.tokens["all"].calls) == (4, 4)
    shared = {outcome.response_id: [c.shared_by for c in outcome.calls] for outcome in run.outcomes}
    assert shared == {"u1": [2, 2], "u2": [], "u4": [2, 2], "u3": [], "u5": [1, 1]}
    assert [entry["id"] for entry in run.manifest["responses"]] == ["u1", "u2", "u4", "u3", "u5"]
    assert "batches" not in run.manifest


def test_their_evidence_stands_with_each_use(old_ledger: Path) -> None:
    run = load(old_ledger, FULL)
    evidence = {outcome.response_id: outcome.evidence for outcome in run.outcomes}
    assert [use for use, own in evidence.items() if own is None] == ["u2", "u3"]
    own = evidence["u4"]
    assert own is not None
    assert (own.response_id, own.steps[0].items, list(own.steps[0].dimensions)) == (
        "u4",
        (),
        ["originality"],
    )
    assert {use: score for use, _, score, _ in rows(run)} == {
        "u1": 1, "u2": None, "u4": 4, "u3": None, "u5": 1,
    }  # fmt: skip


def test_their_confidence_is_read(old_ledger: Path) -> None:
    from creaeval.runs.confidence import confidences

    table = confidences(load(old_ledger, OFFLINE))
    assert list(table["response_id"]) == ["u1", "u4", "u5"]
    assert list(table["object"]) == ["brick", "brick", "rope"]


def test_a_run_brought_up_to_date_is_written_and_read_again(old_ledger: Path, tmp_path: Path) -> None:
    run = load(old_ledger, DIRECT)
    export_run(run, tmp_path / "out")
    again = read_run_folder(tmp_path / "out", load_task("aut"))
    assert again is not None
    assert rows(again) == rows(run)


def test_the_same_uses_are_scored_again_and_cost_nothing(old_ledger: Path, tmp_path: Path) -> None:
    (tmp_path / "uses.csv").write_text(TABLE, encoding="utf-8")

    def refuse(_: ChatRequest) -> str:
        raise AssertionError("a call that is in the ledger was made again")

    judges = [ScriptedModel("j", answer=refuse), ScriptedModel("k", answer=refuse)]
    run = creaeval.score(tmp_path / "uses.csv", task="aut", method="direct", judges=judges, ledger=old_ledger)
    assert sorted(rows(run)) == sorted(rows(load(old_ledger, DIRECT)))
    assert {call.from_ledger for call in run.calls} == {True}
    full = creaeval.score(
        tmp_path / "uses.csv",
        task="aut",
        method="creaeval",
        analyst=ScriptedModel("a", answer=refuse),
        judges=ScriptedModel("j", answer=refuse),
        ledger=old_ledger,
    )
    assert (full.summary.tokens["all"].calls, full.summary.tokens["all"].from_ledger) == (4, 4)


def test_a_ledger_is_brought_up_to_date_whole_or_not_at_all(old_ledger: Path) -> None:
    with sqlite3.connect(old_ledger) as connection:
        connection.execute("UPDATE outcomes SET carried = '[]' WHERE response_id = 'rope/p2/1'")
    connection.close()
    with Ledger.open(old_ledger) as ledger, pytest.raises(LedgerError, match="nothing was changed"):
        RunStore(ledger)
    engine = sa.create_engine(f"sqlite:///{old_ledger}")
    with engine.connect() as connection_:
        ids = connection_.execute(
            sa.text("SELECT response_id FROM outcomes WHERE run_id = :r"), {"r": DIRECT}
        )
        assert sorted(ids.scalars()) == ["brick/p1/1", "rope/p1/1", "rope/p2/1"]
    engine.dispose()


def test_a_folder_that_0_1_wrote_has_its_scores_alone(tmp_path: Path) -> None:
    (tmp_path / "responses").mkdir()
    (tmp_path / "responses" / "brick_p1_1.json").write_text("{}")
    record = {"run_id": "0123456789", "method": "direct", "task": "aut", "batches": 3}
    (tmp_path / "run.json").write_text(json.dumps(record))
    assert read_run_folder(tmp_path, load_task("aut")) is None


OLD_TASK = """
id: lids
name: Uses of lids
source: made for the tests
description: Uses.
needs_scenario: true
unit: item
steps:
  - id: uses
    name: Uses
    instruction: Name uses.
    items: {name: use, max: 100, invalid: {blank: Nothing., dont_know: No idea., off: Not a use.}}
    dimensions:
      - {id: originality, name: Originality, scope: item, description: How rare?, scale: 1-5}
      - {id: quality, name: Quality, scope: item, description: How good?, scale: 0-2}
"""


def test_a_task_that_says_unit_is_read_with_a_note_and_scored(command: CommandLine) -> None:
    with pytest.warns(UserWarning, match=r"lids\.yaml: unit is a word of an earlier version and still read"):
        task = parse_task(OLD_TASK, "lids.yaml")
    assert identities(task) == ["uses.originality", "uses.quality"]
    (command.folder / "lids.yaml").write_text(OLD_TASK, encoding="utf-8")
    (command.folder / "uses.csv").write_text("id,object,use,participant\nu1,lid,a hat,p\nu2,lid,a sled,p\n")

    def answer(request: ChatRequest) -> str:
        assert "off = Not a use." in json.dumps(request.messages[-1].text)
        items = {"item_1": {"valid": "off"}, "item_2": {"valid": "yes", "originality": 4, "quality": 1}}
        return json.dumps({"uses": {"items": items}})

    command.add(ScriptedModel("scripted:j", answer=answer))
    ended = command(
        *("score", "uses.csv", "--task", "lids.yaml", "--method", "direct", "--judge", "scripted:j"),
        *("--out", "out"),
    )
    assert ended.code == 0, ended.err
    assert "Note: lids.yaml: unit is a word of an earlier version" in ended.err
    lines = (command.folder / "out" / "scores_wide.csv").read_text(encoding="utf-8").splitlines()
    assert [line.split(",")[:6] for line in lines[1:]] == [
        ["u1", "direct", "scripted:j", "", "", "off"],
        ["u2", "direct", "scripted:j", "4.0", "1.0", ""],
    ]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("unit: item", "unit: page"), "unit: found 'page'; a task of this version has batching instead"),
        (("scope: item, description: How good", "scope: step, description: How good"), "scope item"),
        (("    items: {name", "    #items: {name"), "single step whose dimensions all have scope item"),
    ],
)
def test_a_unit_that_0_1_would_have_refused_is_refused(change: tuple[str, str], said: str) -> None:
    from creaeval.errors import TaskError

    with pytest.warns(UserWarning, match="earlier version"), pytest.raises(TaskError, match=said):
        parse_task(OLD_TASK.replace(*change), "lids.yaml")


def test_a_ledger_in_either_database_is_brought_up_to_date(database: str) -> None:
    memory = sqlite3.connect(":memory:")
    memory.executescript(KEPT.read_text(encoding="utf-8"))
    kept = {name: memory.execute(f"SELECT * FROM {name}") for name in ("runs", "outcomes")}  # noqa: S608
    with Ledger.open(database) as ledger:
        ledger.migrate("runs", MIGRATIONS[:2], ())
        with ledger.engine.begin() as connection:
            for name, found in kept.items():
                columns = [column[0] for column in found.description]
                values = ", ".join(f":{column}" for column in columns)
                statement = sa.text(f"INSERT INTO {name} ({', '.join(columns)}) VALUES ({values})")  # noqa: S608
                connection.execute(statement, [dict(zip(columns, row, strict=True)) for row in found])
        run = RunStore(ledger).load(DIRECT)
        assert [outcome.response_id for outcome in run.outcomes] == ["u1", "u2", "u4", "u3", "u5"]
        assert run.response("u4").metadata["participant"] == "p1"
        assert (run.summary.scored, run.task.noun) == (3, "use")


@pytest.mark.parametrize(
    ("stage", "read"),
    [
        ("judge", ("judge", None, None)),
        ("text, evidence 1", ("text", 1, None)),
        ("judge, evidence 2, repeat 13", ("judge", 2, 13)),
        ("all steps, evidence 3", ("all steps", 3, None)),
        ("input", ("input", None, None)),
    ],
)
def test_the_stage_of_a_failure_is_read_into_fields(
    stage: str, read: tuple[str, int | None, int | None]
) -> None:
    failure = StageFailure.model_validate({"stage": stage, "model": "j", "reason": "no reply"})
    assert (failure.stage, failure.evidence_repeat, failure.judge_repeat) == read
    assert failure.where == stage
    assert StageFailure.model_validate(failure.model_dump(mode="json")) == failure
