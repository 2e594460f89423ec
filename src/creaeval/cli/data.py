"""``creaeval data``: show what would be read of files, and fetch public data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from creaeval.cli.options import (
    Columns,
    Keep,
    Levels,
    Missing,
    Read,
    ScaleOption,
    Split,
    Strict,
    read_options,
)

if TYPE_CHECKING:
    from creaeval.data.fetch.download import Progress

app = typer.Typer(
    help="Show what is read of files, and fetch public data.", no_args_is_help=True, rich_markup_mode=None
)


@app.command(
    "show",
    epilog="Example: creaeval data show export.csv --task aut. Nothing is scored and nothing is written.",
)
def show(
    files: Annotated[
        list[Path], typer.Argument(help="Files or folders of responses, ratings or both.", metavar="FILES")
    ],
    task: Annotated[str | None, typer.Option(help="A built-in task's name or a YAML file.")] = None,
    scale: ScaleOption = None,
    scenario: Annotated[
        Path | None, typer.Option(help="File with the scenario the responses answer.", metavar="FILE")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print all of it as JSON.")] = False,
    columns: Columns = None,
    split: Split = None,
    missing: Missing = None,
    levels: Levels = None,
    read: Read = None,
    keep: Keep = None,
    strict: Strict = False,
) -> None:
    """Show what would be read: responses, ratings, what was left out and why."""
    import json

    from creaeval.data.overview import describe, overview
    from creaeval.data.scales import find_task

    options = read_options(columns, split, missing, levels, read, keep, strict)
    the_task, options = find_task(files, task, scale, options)
    found = overview(files, the_task, scenario, options)
    if as_json:
        typer.echo(json.dumps(found.as_json(the_task), ensure_ascii=False, indent=2))
    else:
        typer.echo(describe(found, the_task))


@app.command("fetch", epilog="Example: creaeval data fetch ttcw --out creaeval-data")
def fetch(
    name: Annotated[
        Literal["ttcw", "aut", "cgpst-sample"],
        typer.Argument(
            help="ttcw (stories), aut (uses of objects) or cgpst-sample (a booklet).", metavar="NAME"
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder for all public data; each set gets its own in it. "
            "[the one CREAEVAL_DATA names, else creaeval-data]"
        ),
    ] = None,
) -> None:
    """Download public data, or verify them where they are."""
    from creaeval.data.fetch import fetch as fetch_data

    fetched = fetch_data(name, out, progress=_show)
    how = "downloaded and verified" if fetched.downloaded else "already there and in order"
    typer.echo(f"{name}: {how}, in {fetched.folder}")
    typer.echo(f"Verified: {', '.join(fetched.files)}.", err=True)
    if fetched.downloaded:
        typer.echo(f"Read {fetched.folder / 'SOURCE.md'} for source and terms.", err=True)


def _show(progress: Progress) -> None:
    """Rewrite one line on a terminal; elsewhere write one line for each file."""
    import sys

    terminal = sys.stderr.isatty()
    if not (terminal or progress.done):
        return
    total = f" of {progress.total:,}" if progress.total is not None and not progress.done else ""
    line = f"{progress.name}: {progress.received:,}{total} bytes"
    typer.echo(f"\r{line:<79}" if terminal else line, err=True, nl=progress.done)
