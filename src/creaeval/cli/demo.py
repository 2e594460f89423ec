"""``creaeval demo``: score the example booklet."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from creaeval.cli.options import Ledger, Results

HELP = "Score the example booklet with the local model and show it beside two made-up ratings."
EXAMPLE = "Example: creaeval demo --replay"


def demo(
    replay: Annotated[
        bool, typer.Option("--replay", help="Show a recorded real run in seconds; needs no model.")
    ] = False,
    long: Annotated[
        bool, typer.Option("--long", help="Take the long booklet: twice as many items and longer texts.")
    ] = False,
    out: Results = None,
    ledger: Ledger = ".creaeval/ledger.db",
) -> None:
    """Score the example that the package brings."""
    from creaeval.cli.running import run_and_report
    from creaeval.data import read_ratings, read_scenarios
    from creaeval.demo import LONG, RATING_NOTE, SHORT, demo_file
    from creaeval.demo.recorded import RecordedModel
    from creaeval.llm import Ledger as LedgerFile
    from creaeval.llm import open_model
    from creaeval.runs import prepare
    from creaeval.tasks import load_task

    with ExitStack() as stack:
        scenario, booklet, ratings, recording = (
            stack.enter_context(demo_file(name)) for name in ("scenario.yaml", *(LONG if long else SHORT))
        )
        model = open_model("local")
        if replay:
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            ledger = str(Path(folder) / "recording.db")
            with LedgerFile.open(ledger) as opened:
                opened.import_calls(recording)
            model = RecordedModel(model)
        plan = prepare(
            [booklet],
            task="cgpst",
            scenarios=read_scenarios(scenario),
            analyst=model,
            judges=model,
            method="creaeval",
        )
        rated = read_ratings([ratings], load_task("cgpst"))
        code = run_and_report(plan, ledger, out, rated, rating_note=RATING_NOTE, show_evidence=not replay)
    raise typer.Exit(code)
