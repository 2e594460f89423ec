"""The view of a whole experiment: runs, responses, failures, tokens and money over all runs."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from creaeval.errors import PermanentCallError
from creaeval.experiments import make_runs, plan_experiment
from creaeval.llm import Ledger
from creaeval.report.progress import show_experiment
from experiments.grids import NAMES, Priced, block, experiment
from scripted import ScriptedModel

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("terminal", [True, False])
def test_the_whole_is_counted_over_all_runs(
    tmp_path: Path, models: dict[str, ScriptedModel], terminal: bool
) -> None:
    models |= {name: Priced(f"scripted:{name}", answer=NAMES) for name in "aj"}
    models["k"] = ScriptedModel(
        "scripted:k", fails=lambda _: PermanentCallError("[red]no key"), concurrency=1
    )
    grid = [block("one"), block("two", method="direct"), block("bad", method="direct", judges="scripted:k")]
    planned = plan_experiment(experiment(tmp_path, grid=grid))
    out = StringIO()
    console = Console(file=out, force_terminal=terminal, width=200, highlight=False)
    with Ledger.open(tmp_path / "l.db") as ledger, show_experiment(planned, console) as watcher:
        make_runs(planned, ledger, watcher=watcher)
        (line,) = watcher._progress.tasks
    # Two responses: four calls of the analyst, two and two of the judge; the third run gets no reply, so that
    # its two calls are not done.
    assert (line.completed, line.total) == (8, 10)
    counts = line.fields["counts"]
    assert counts == "3/3 runs, 4 responses, 0 failed, 1 failed attempts, 0.9k tokens, $8.00"
    words = out.getvalue()
    assert "Run 2 of 3: two: all, direct, judge scripted:j" in words
    assert "bad: all, direct, judge scripted:k: failed. [red]no key" in words
