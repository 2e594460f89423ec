"""``creaeval runs``: list, show and export what was run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from creaeval.cli.options import Ledger
from creaeval.cli.printing import print_paths

app = typer.Typer(help="List, show and export runs.", no_args_is_help=True, rich_markup_mode=None)
RunId = Annotated[str, typer.Argument(help="The run's id, or its beginning.", metavar="RUN")]


@app.command("list", epilog="Example: creaeval runs list")
def list_runs(ledger: Ledger = ".creaeval/ledger.db") -> None:
    """List the runs in a ledger, the latest first."""
    from creaeval.cli.stored import open_store

    with open_store(ledger) as store:
        lines = store.list()
    if not lines:
        typer.echo("No run yet.", err=True)
    for line in lines:
        failed = f", {line.n_failed} failed" if line.n_failed else ""
        typer.echo(
            f"{line.id}\t{line.updated}\t{line.state}\t{line.task}\t{line.method}\t"
            f"{line.judges}\t{line.n_outcomes} responses{failed}"
        )


@app.command("show", epilog="Example: creaeval runs show 3f9a12bc04")
def show(run: RunId, ledger: Ledger = ".creaeval/ledger.db") -> None:
    """Show a run's scores as they were shown when it ended."""
    from rich.console import Console

    from creaeval.cli.stored import open_store
    from creaeval.report.terminal import print_run

    with open_store(ledger) as store:
        print_run(Console(highlight=False, emoji=False), store.load(run))


@app.command("export", epilog="Example: creaeval runs export 3f9a12bc04 --out results")
def export(
    run: RunId,
    out: Annotated[Path, typer.Option(help="Folder for the files.")],
    ledger: Ledger = ".creaeval/ledger.db",
) -> None:
    """Write a run's tables and JSON to a folder."""
    from creaeval.cli.stored import open_store
    from creaeval.runs import export_run

    with open_store(ledger) as store:
        print_paths(export_run(store.load(run), out))
