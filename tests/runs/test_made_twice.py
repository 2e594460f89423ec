"""The same run made by two processes at once, or made again: nothing gets in the way, nothing is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from booklets import scenarios, variant
from creaeval.errors import PermanentCallError
from creaeval.llm import Ledger
from creaeval.runs import RunStore, prepare, run_plan
from scripted import ScriptedModel, text_of

if TYPE_CHECKING:
    from pathlib import Path

    from creaeval.llm import CallRecord, ChatModel
    from creaeval.methods import Outcome
    from creaeval.runs import Plan
    from creaeval.sheets import StepEvidence


def plan(model: ChatModel) -> Plan:
    return prepare(
        [variant(f"r{k}", {"step1": [f"Idea number {k}"]}) for k in range(1, 4)],
        task="cgpst",
        scenarios=scenarios(),
        analyst=model,
        judges=model,
        method="direct",
    )


class MakesItToo:
    """Makes the whole run elsewhere, as another process would, when the first response is done."""

    def __init__(self, ledger: str) -> None:
        self._ledger = ledger
        self._done = False

    def call_done(self, call: CallRecord) -> None: ...
    def attempt_failed(self) -> None: ...

    def evidence_found(self, response_id: str, evidence: StepEvidence) -> None: ...

    def response_done(self, outcome: Outcome) -> None:
        if not self._done:
            self._done = True
            with Ledger.open(self._ledger) as other:
                assert run_plan(plan(ScriptedModel()), other).summary.scored == 3


def test_a_run_that_another_process_makes_too_is_finished_by_both(database: str) -> None:
    with Ledger.open(database) as ledger:
        run = run_plan(plan(ScriptedModel(concurrency=1)), ledger, MakesItToo(database))
        assert (run.state, run.summary.scored, run.manifest["not_reached"]) == ("finished", 3, 0)
        loaded = RunStore(ledger).load(run.id)
        assert [outcome.response_id for outcome in loaded.outcomes] == ["r1", "r2", "r3"]
        assert (loaded.state, loaded.manifest["scored"]) == ("finished", 3)


def test_an_attempt_that_cannot_go_on_takes_away_no_earlier_outcome(tmp_path: Path) -> None:
    def third(text: str) -> bool:
        return "Idea number 3" in text

    unusable = ScriptedModel(invalid=lambda request: 99 if third(text_of(request)) else 0, concurrency=1)
    refused = ScriptedModel(
        fails=lambda request: PermanentCallError("no credit") if third(text_of(request)) else None,
        concurrency=1,
    )
    with Ledger.open(tmp_path / "l.db") as ledger:
        run = run_plan(plan(unusable), ledger)
        assert (run.state, run.summary.scored, run.summary.failed) == ("finished", 2, 1)
        with pytest.raises(PermanentCallError):
            run_plan(plan(refused), ledger)
        loaded = RunStore(ledger).load(run.id)
        assert (loaded.state, loaded.summary.scored, loaded.summary.failed) == ("failed", 2, 1)
        again = run_plan(plan(ScriptedModel()), ledger)
        assert (again.state, again.summary.scored, again.summary.failed) == ("finished", 3, 0)
