"""``creaeval score``: score responses from files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from creaeval.cli.options import Keys, Ledger, MissingStep, Models, Set, Task, read_set

HELP = "Score responses: an analyst gathers evidence step by step, judges score the evidence."
EXAMPLE = (
    "Example: creaeval score booklets/ --scenario scenario.yaml --out results. "
    "Exit codes: 0 all scored, 1 error or nothing scored, 3 some failed, 130 stopped."
)


def score(
    files: Annotated[
        list[Path],
        typer.Argument(
            help="Files or folders of responses: json, jsonl, csv, xlsx or docx.", metavar="FILES"
        ),
    ],
    task: Task = "cgpst",
    scenario: Annotated[
        Path | None, typer.Option(help="File with the scenario the responses answer: yaml, json, txt or md.")
    ] = None,
    analyst: Annotated[
        str, typer.Option(metavar="MODEL", help="Who gathers evidence, such as openai:NAME.")
    ] = "local",
    judge: Annotated[
        list[str] | None,
        typer.Option(metavar="MODEL", help="Who scores the evidence; give it again for more. [local]"),
    ] = None,
    settings: Set = None,
    models: Models = None,
    keys: Keys = None,
    method: Annotated[str, typer.Option(help="How to score.")] = "creaeval",
    ratings: Annotated[
        list[Path] | None, typer.Option(help="People's scores of the same responses, to show beside.")
    ] = None,
    missing_step: MissingStep = "refuse",
    out: Annotated[Path | None, typer.Option(help="Folder for the results. [creaeval-results/RUN]")] = None,
    ledger: Ledger = ".creaeval/ledger.db",
) -> None:
    """Score responses and write the results to a folder."""
    from creaeval.cli.running import run_and_report
    from creaeval.data import read_ratings, unmatched
    from creaeval.runs import prepare
    from creaeval.tasks import load_task

    the_task = load_task(task)
    rated = read_ratings(ratings, the_task) if ratings else []
    plan = prepare(
        files,
        task=the_task,
        scenarios=scenario,
        analyst=analyst,
        judges=judge or ["local"],
        method=method,
        settings=read_set(settings),
        models=models,
        keys=keys,
        missing_step=missing_step,
    )
    for line in unmatched(rated, [response.id for response in plan.responses]):
        typer.echo(line, err=True)
    raise typer.Exit(run_and_report(plan, ledger, out, rated))
