"""What several commands print the same way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from rich.console import Console

    from creaeval.data import Rating

_MOST_LINES = 10


def table_console(width: int = 120) -> Console:
    """Return standard output for tables; in a file or another program they are as wide as told."""
    from rich.console import Console

    console = Console(highlight=False, emoji=False)
    if not console.is_terminal:
        console.width = width
    return console


def print_paths(paths: Iterable[Path]) -> None:
    """Print where files were written, one a line."""
    for path in paths:
        typer.echo(str(path))


def say_unmatched(ratings: Sequence[Rating], known: Sequence[str] | Mapping[str, object]) -> None:
    """Name on standard error the first rated ids that no response has, and say how many more there are."""
    from creaeval.data import unmatched

    lines = unmatched(ratings, known)
    for line in lines[:_MOST_LINES]:
        typer.echo(line, err=True)
    if len(lines) > _MOST_LINES:
        typer.echo(f"… and {len(lines) - _MOST_LINES} more rated ids without a response.", err=True)
