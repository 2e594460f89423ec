"""``creaeval models``: list what can be asked, and check one model."""

from __future__ import annotations

from typing import Annotated

import typer

from creaeval.cli.options import Keys, Models, Set, read_set

app = typer.Typer(help="List models and check them.", no_args_is_help=True, rich_markup_mode=None)
Name = Annotated[str, typer.Argument(help="Such as openai:NAME, local, or a preset's name.", metavar="MODEL")]


@app.command("list", epilog="Example: creaeval models list")
def list_models(models: Models = None, keys: Keys = None) -> None:
    """List providers with the variables they read, presets, prices and settings."""
    from creaeval.llm.providers.book import open_book
    from creaeval.report.model_text import models_text

    typer.echo(models_text(open_book(models, keys)))


@app.command("check", epilog="Example: creaeval models check openai:gpt-5.4")
def check(model: Name, settings: Set = None, models: Models = None, keys: Keys = None) -> None:
    """Make one tiny call and say what works: key, structured output, settings, and what it cost."""
    import asyncio

    from creaeval.llm.checkup import check_model
    from creaeval.llm.providers.book import open_book
    from creaeval.llm.providers.registry import open_model
    from creaeval.report.model_text import checkup_text

    checkup = asyncio.run(check_model(open_model(model, open_book(models, keys)), read_set(settings)))
    typer.echo(checkup_text(checkup))
    raise typer.Exit(0 if checkup.works else 1)
