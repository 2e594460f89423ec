"""``creaeval tasks``: list, show, check and begin tasks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from creaeval.wording import plural

app = typer.Typer(
    help="List, show, check and begin tasks, and write their blank files.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
Name = Annotated[str, typer.Argument(help="A built-in task's name or a YAML file.", metavar="TASK")]


@app.command("list", epilog="Example: creaeval tasks list")
def list_tasks() -> None:
    """List the built-in tasks."""
    from creaeval.report.task_text import most_points
    from creaeval.tasks import builtin_tasks, load_task

    for name in builtin_tasks():
        task = load_task(name)
        typer.echo(f"{name}\t{task.name}\t{plural(len(task.steps), 'step')}, {most_points(task)}")


@app.command("show", epilog="Example: creaeval tasks show cgpst")
def show(task: Name) -> None:
    """Show a task's steps, dimensions and rubrics."""
    from creaeval.report.task_text import task_text
    from creaeval.tasks import load_task

    typer.echo(task_text(load_task(task)))


@app.command("check", epilog="Example: creaeval tasks check my_task.yaml")
def check(task: Name) -> None:
    """Check a task's YAML file and say what it holds, or what is wrong in which line."""
    from creaeval.report.task_text import most_points
    from creaeval.tasks import load_task

    loaded = load_task(task)
    dimensions = sum(len(step.dimensions) for step in loaded.steps)
    typer.echo(
        f"{task}: in order. Task {loaded.id} ({loaded.language}): {plural(len(loaded.steps), 'step')}, "
        f"{plural(dimensions, 'dimension')}, {most_points(loaded)}."
    )


@app.command("new", epilog="Example: creaeval tasks new my_task.yaml")
def new(
    file: Annotated[
        Path, typer.Argument(help="The YAML file to write; it must not be there.", metavar="FILE")
    ],
) -> None:
    """Write a task of your own to begin with: an essay's rubric with notes on every part."""
    from creaeval.tasks.new_task import write_new_task

    task = write_new_task(file)
    typer.echo(
        f"{file}: written. It is a whole task ({task.id}, "
        f"{plural(len(task.steps[0].dimensions), 'dimension')}): change its words, check it with "
        f"`creaeval tasks check {file}`, and score a table with the columns id and response with "
        f"`creaeval score essays.csv --task {file}`."
    )


@app.command("template", epilog="Example: creaeval tasks template cgpst --out templates")
def template(
    task: Name,
    out: Annotated[Path, typer.Option(metavar="DIR", help="The folder to write to.")] = Path(),
) -> None:
    """Write a blank booklet (of short texts a table) and a rater sheet, which are read when filled in."""
    from creaeval.cli.printing import print_paths
    from creaeval.data.templates import write_templates
    from creaeval.tasks import load_task

    print_paths(write_templates(load_task(task), out))
