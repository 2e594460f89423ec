from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

from rich.console import Console

import creaeval
from booklets import booklet, cgpst, scenarios, variant, without
from creaeval.llm import Settings
from creaeval.report.progress import show_progress
from creaeval.runs import make_plan
from scripted import ScriptedModel, stage_of

if TYPE_CHECKING:
    from pathlib import Path


def test_progress_counts_calls_responses_failures_and_tokens_and_ends_full(tmp_path: Path) -> None:
    # One reply has to be asked for again, which is a call more than planned.
    model = ScriptedModel(invalid=lambda request: 1 if stage_of(request) == "step2" else 0)
    responses = [variant("[red]a"), without(booklet(), "step1")]
    plan = make_plan(
        task=cgpst(),
        responses=responses,
        scenarios=scenarios(),
        analyst=model,
        judges=[model],
        settings=Settings(),
    )
    console = Console(file=StringIO(), force_terminal=True, width=200)
    with show_progress(plan, console) as watcher:
        creaeval.score(
            responses,
            scenarios=scenarios(),
            analyst=model,
            judges=model,
            ledger=tmp_path / "l.db",
            watcher=watcher,
        )
        (line,) = watcher._progress.tasks
    assert (line.completed, line.total) == (7, 7)
    # Eight replies of 110 tokens.
    assert line.fields["counts"] == "2/2 responses, 1 failed, 0.9k tokens, $0"


def test_nothing_is_drawn_where_no_terminal_is(tmp_path: Path) -> None:
    model = ScriptedModel()
    plan = make_plan(
        task=cgpst(),
        responses=[booklet()],
        scenarios=scenarios(),
        analyst=model,
        judges=[model],
        settings=Settings(),
    )
    console = Console(file=StringIO())
    with show_progress(plan, console):
        pass
    assert isinstance(console.file, StringIO)
    assert console.file.getvalue().strip() == ""
