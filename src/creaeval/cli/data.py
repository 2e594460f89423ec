"""``creaeval data``: fetch public data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from creaeval.data.fetch.download import Progress

app = typer.Typer(help="Fetch public data.", no_args_is_help=True, rich_markup_mode=None)


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
