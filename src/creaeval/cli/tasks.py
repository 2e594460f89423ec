"""``creaeval tasks``: list, show and check tasks."""

from __future__ import annotations

from typing import Annotated

import typer

app = typer.Typer(help="List, show and check tasks.", no_args_is_help=True, rich_markup_mode=None)
Name = Annotated[str, typer.Argument(help="A built-in task's name or a YAML file.", metavar="TASK")]


@app.command("list", epilog="Example: creaeval tasks list")
def list_tasks() -> None:
    """List the built-in tasks."""
    from creaeval.tasks import builtin_tasks, load_task

    for name in builtin_tasks():
        task = load_task(name)
        typer.echo(f"{name}\t{task.name}\t{len(task.steps)} steps, at most {task.max} points")


@app.command("show", epilog="Example: creaeval tasks show cgpst")
def show(task: Name) -> None:
    """Show a task's steps, dimensions and rubrics."""
    from creaeval.report.task_text import task_text
    from creaeval.tasks import load_task

    typer.echo(task_text(load_task(task)))


@app.command("check", epilog="Example: creaeval tasks check my_task.yaml")
def check(task: Name) -> None:
    """Check a task's YAML file and say what it holds, or what is wrong in which line."""
    from creaeval.tasks import load_task

    loaded = load_task(task)
    dimensions = sum(len(step.dimensions) for step in loaded.steps)
    typer.echo(
        f"{task}: in order. Task {loaded.id} ({loaded.language}): {len(loaded.steps)} steps, "
        f"{dimensions} dimensions, at most {loaded.max} points."
    )
