"""``creaeval score``: score responses from files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from creaeval.cli.options import (
    Budget,
    Columns,
    Copied,
    Evidence,
    Keep,
    Keys,
    Ledger,
    Levels,
    Missing,
    MissingStep,
    MixParticipants,
    Models,
    Read,
    Results,
    Set,
    Split,
    Strict,
    Task,
    UsesPerCall,
    read_options,
    read_set,
)

HELP = "Score responses: an analyst gathers evidence step by step, judges score the evidence."
EXAMPLE = (
    "Example: creaeval score booklets/ --scenario scenario.yaml --out results. "
    "Exit codes: 0 all scored, 1 error or nothing scored, 3 some failed, 130 stopped."
)


def score(
    files: Annotated[
        list[Path],
        typer.Argument(
            help="Files or folders of responses: csv, xlsx, docx, txt, pdf, json and others.",
            metavar="FILES",
        ),
    ],
    task: Task = "cgpst",
    scenario: Annotated[
        Path | None,
        typer.Option(help="File with the scenario the responses answer: txt, md, docx, yaml or json."),
    ] = None,
    analyst: Annotated[
        str | None, typer.Option(metavar="MODEL", help="Who gathers evidence, such as openai:NAME. [local]")
    ] = None,
    judge: Annotated[
        list[str] | None,
        typer.Option(metavar="MODEL", help="Who scores the evidence; give it again for more. [local]"),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            help="With --method sft, sft-evidence or samer: the folder of the trained model, as a judge.",
        ),
    ] = None,
    settings: Set = None,
    models: Models = None,
    keys: Keys = None,
    evidence: Evidence = None,
    copied: Copied = "report",
    method: Annotated[
        str | None,
        typer.Option(help="How to score. [creaeval; for task aut with no model named: offline]"),
    ] = None,
    expected: Annotated[
        bool,
        typer.Option(
            "--expected",
            help="With --method direct: expected scores from the probabilities of the judge's tokens "
            "(the method direct-expected).",
        ),
    ] = False,
    examples: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Scored work to show the judges first (csv, xlsx or json), for the methods direct and "
            "direct-expected.",
        ),
    ] = None,
    reference_cutoff: Annotated[
        float,
        typer.Option(
            min=-2,
            max=2,
            metavar="X",
            help="With --method reference: the average of both orders from which on a test is passed; 0 is "
            "as good as the reference.",
        ),
    ] = 0.0,
    ratings: Annotated[
        list[Path] | None, typer.Option(help="People's scores of the same responses, to show beside.")
    ] = None,
    missing_step: MissingStep = "refuse",
    columns: Columns = None,
    uses_per_call: UsesPerCall = None,
    split: Split = None,
    missing: Missing = None,
    levels: Levels = None,
    read: Read = None,
    keep: Keep = None,
    strict: Strict = False,
    mix_participants: MixParticipants = False,
    evidence_repeats: Annotated[
        int, typer.Option(min=1, metavar="N", help="How often evidence is gathered.")
    ] = 1,
    judge_repeats: Annotated[
        int, typer.Option(min=1, metavar="N", help="How often each judge scores it.")
    ] = 1,
    out: Results = None,
    ledger: Ledger = ".creaeval/ledger.db",
    budget: Budget = None,
) -> None:
    """Score responses and write the results to a folder."""
    from creaeval.cli.running import run_and_report
    from creaeval.data import read_ratings, unmatched
    from creaeval.data.examples import read_examples
    from creaeval.errors import SettingError
    from creaeval.methods import Options, get_method
    from creaeval.runs import prepare
    from creaeval.runs.defaults import DEFAULT_MODEL, choose_batching, default_method
    from creaeval.tasks import load_task

    the_task = load_task(task)
    if method is None:
        method = default_method(the_task, [name for name in (analyst, model, *(judge or [])) if name])
    method = get_method(method).name
    if expected and method not in ("direct", "direct-expected"):
        raise SettingError(f"--expected goes with --method direct, not with {method}.")
    judges = _judges(judge or [], model, method)
    batching = choose_batching(the_task, method, uses_per_call, mix_participants=mix_participants)
    reading = read_options(columns, split, missing, levels, read, keep, strict)
    rated = read_ratings(ratings, the_task, **reading) if ratings else []
    plan = prepare(
        files,
        task=the_task,
        scenarios=scenario,
        analyst=analyst or DEFAULT_MODEL,
        judges=judges,
        method="direct-expected" if expected else method,
        settings=read_set(settings),
        models=models,
        keys=keys,
        missing_step=missing_step,
        evidence_repeats=evidence_repeats,
        judge_repeats=judge_repeats,
        options=Options(evidence, copied, read_examples(examples, the_task), reference_cutoff, batching),
        reading=reading,
    )
    notes = unmatched(rated, [response.id for response in plan.responses])
    for line in notes:
        typer.echo(line, err=True)
    raise typer.Exit(run_and_report(plan.noting(notes), ledger, out, rated, budget=budget))


def _judges(judges: list[str], model: str | None, method: str) -> list[str]:
    """Name the judges: a trained model is one, and its method needs no other."""
    from creaeval.errors import SettingError
    from creaeval.methods import get_method
    from creaeval.runs.defaults import OFFLINE, default_judge

    provider = get_method(method).provider
    if model is None:
        if provider not in ("", OFFLINE) and not judges:
            raise SettingError(
                f"--method {method} scores with a model that was trained for it: name its folder with "
                f"--model (or --judge {provider}:DIR)."
            )
        return judges or [default_judge(method)]
    if provider in ("", OFFLINE):
        raise SettingError(f"--model goes with methods of trained models, not with {method}; use --judge.")
    return [f"{provider}:{model}", *judges]
