"""``creaeval ledger``: look a ledger over, carry its calls elsewhere, rid it of what is not used."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from creaeval.cli.options import Ledger

if TYPE_CHECKING:
    from collections.abc import Iterator

    from creaeval.llm import Ledger as LedgerFile
    from creaeval.llm.records import Checked, Totals

app = typer.Typer(
    help="Check, sum up, export, import and prune a ledger of calls.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command("info", epilog="Example: creaeval ledger info")
def info(ledger: Ledger = ".creaeval/ledger.db") -> None:
    """Look for damage, then say what a ledger holds and what it cost."""
    from creaeval.cli.stored import open_ledger

    with open_ledger(ledger) as opened:
        checked = opened.check()
        for line in (*_facts(opened, checked), *map(_paid, opened.totals())):
            typer.echo("\t".join(line))
        for failed in opened.failed_attempts():
            times = (f"{failed.attempts} attempts", f"{failed.seconds:,.0f} s")
            typer.echo("\t".join(("failed", failed.role, failed.model, failed.kind, *times)))


@app.command("export", epilog="Example: creaeval ledger export calls.jsonl")
def export(
    file: Annotated[Path, typer.Argument(help="The file to write, one call a line.", metavar="FILE")],
    run: Annotated[
        str | None, typer.Option(help="Only the calls of this run: its id, or the beginning.")
    ] = None,
    ledger: Ledger = ".creaeval/ledger.db",
) -> None:
    """Write the calls with a usable reply to a JSON Lines file, prompts and replies included."""
    from creaeval.cli.stored import open_ledger
    from creaeval.runs import RunStore

    with open_ledger(ledger) as opened:
        keys = None if run is None else {call.key for call in RunStore(opened).load(run).calls}
        written = opened.export_calls(file, keys, live_only=True)
    typer.echo(f"{file}\t{written} calls")
    if keys is not None and (left_out := len(keys) - written):
        typer.echo(f"{left_out} calls of the run have no usable reply and were left out.", err=True)


@app.command("import", epilog="Example: creaeval ledger import calls.jsonl")
def import_calls(
    file: Annotated[Path, typer.Argument(help="A file that `ledger export` wrote.", metavar="FILE")],
    skip_broken: Annotated[
        bool,
        typer.Option(
            "--skip-broken", help="Take the readable lines of a damaged file; code 3 if any was skipped."
        ),
    ] = False,
    ledger: Ledger = ".creaeval/ledger.db",
) -> None:
    """Take in calls that another ledger exported, so that they need not be asked again."""
    from creaeval.llm import Ledger as LedgerFile

    with LedgerFile.open(ledger) as opened:
        imported = opened.import_calls(file, skip_broken=skip_broken)
    typer.echo(f"{ledger}\t{imported.new} new calls\t{imported.known} known before")
    for line in imported.broken:
        typer.echo(f"Skipped {line}", err=True)
    raise typer.Exit(3 if imported.broken else 0)


@app.command("prune", epilog="Example: creaeval ledger prune --days 90 --yes")
def prune(
    days: Annotated[float, typer.Option(min=0, help="Only what is older than this.")] = 30,
    yes: Annotated[
        bool, typer.Option("--yes", help="Remove it; without this, only say what would go.")
    ] = False,
    ledger: Ledger = ".creaeval/ledger.db",
) -> None:
    """Remove the texts of abandoned calls and the records of failed attempts; replies in use always stay."""
    from creaeval.cli.stored import open_ledger

    with open_ledger(ledger) as opened:
        before = opened.overview().size
        gone = opened.prune(days, dry=not yes)
        after = opened.overview().size
    typer.echo(f"abandoned calls that lose their texts, not their accounts\t{gone.calls}")
    typer.echo(f"records of failed attempts that are removed\t{gone.failures}")
    if yes:
        typer.echo(f"size\t{_bytes(before)} before, {_bytes(after)} now")
    else:
        typer.echo("Nothing was removed. The same command with --yes does it.", err=True)


def _facts(ledger: LedgerFile, checked: Checked) -> Iterator[tuple[str, ...]]:
    from creaeval.runs import RunStore

    seen = ledger.overview()
    yield "ledger", ledger.where
    yield "tables", ", ".join(f"{part} version {number}" for part, number in seen.versions.items())
    yield "size", _bytes(seen.size)
    yield "check", _verdict(checked)
    states = ", ".join(f"{n} {state}" for state, n in seen.states.items())
    imported = f"; {seen.imported} imported" if seen.imported else ""
    yield "calls", f"{sum(seen.states.values())}" + (f": {states}{imported}" if states else "")
    yield "runs", str(len(RunStore(ledger).list()) if "runs" in seen.versions else 0)
    if seen.first:
        yield "first call", seen.first
        yield "last call", seen.last


def _verdict(checked: Checked) -> str:
    notes = []
    if checked.missing:
        notes.append(f"{checked.missing} calls that were written are not here any more")
    if checked.unchecked:
        notes.append(f"{checked.unchecked} calls are of an earlier version, whose texts cannot be checked")
    return "; ".join(notes) or "in order"


def _paid(total: Totals) -> tuple[str, ...]:
    used = total.usage
    cost = f"${total.cost_usd:,.4f}" if total.unpriced < total.calls else ""
    unpriced = f"{total.unpriced} calls not priced" if total.unpriced else ""
    return (
        "paid",
        total.role,
        f"{total.provider}:{total.model}",
        f"{total.calls} calls",
        f"{total.rejected} unusable",
        f"{used.input:,} tokens in",
        f"{used.cached:,} cached",
        f"{used.output:,} out",
        f"{used.reasoning:,} reasoning",
        f"{total.seconds:,.0f} s",
        ", ".join(filter(None, (cost, unpriced))),
    )


def _bytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB" if size >= 1e5 else f"{size:,} bytes"
