"""``creaeval methods``: list methods."""

from __future__ import annotations

import typer

from creaeval.cli import options
from creaeval.wording import plural

app = typer.Typer(help="List methods.", no_args_is_help=True, rich_markup_mode=None)


@app.command("list", epilog="Example: creaeval methods list --task cgpst")
def list_methods(task: options.Task = "cgpst") -> None:
    """List methods: calls that one whole response takes with one judge, other names, what it does."""
    from creaeval.methods.overview import method_calls
    from creaeval.tasks import load_task

    for method, calls in method_calls(load_task(task)):
        number = "not for this task" if calls is None else plural(calls, "call")
        aliases = f"also {', '.join(method.aliases)}" if method.aliases else "-"
        typer.echo(f"{method.name}\t{number}\t{aliases}\t{method.summary}")
