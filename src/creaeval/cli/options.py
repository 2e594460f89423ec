"""Options that several commands share."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

Task = Annotated[str, typer.Option(help="A built-in task's name or a YAML file.")]
Ledger = Annotated[
    str, typer.Option(metavar="FILE|URL", help="Where calls and runs are kept: a file or an SQLAlchemy URL.")
]
MissingStep = Annotated[
    Literal["refuse", "skip"],
    typer.Option(help="What to do with a response that lacks a step: refuse it, or score the steps it has."),
]
