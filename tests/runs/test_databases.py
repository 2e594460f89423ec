"""Runs in SQLite and in PostgreSQL."""

from __future__ import annotations

import creaeval
from booklets import scenarios, variant
from creaeval.llm import Ledger
from creaeval.runs import RunStore
from scripted import ScriptedModel


def test_a_run_is_kept_and_taken_up_again_in_each_database(database: str) -> None:
    model = ScriptedModel()
    booklets = [variant("a", group="x\x00"), variant("b", group="ü")]

    def score() -> creaeval.Run:
        return creaeval.score(booklets, scenarios=scenarios(), analyst=model, judges=model, ledger=database)

    first = score()
    assert len(first.sheets) == 2
    asked = len(model.requests)
    again = score()
    assert len(model.requests) == asked
    assert again.scores.equals(first.scores)
    with Ledger.open(database) as ledger:
        store = RunStore(ledger)
        (line,) = store.list()
        assert (line.id, line.state, line.n_outcomes) == (first.id, "finished", 2)
        assert store.load(first.id[:5]).metadata == {"a": {"group": "x\x00"}, "b": {"group": "ü"}}
        assert ledger.overview().states == {"accepted": asked}
        ledger.check()
