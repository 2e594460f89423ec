"""``creaeval train``: models that learn to score from people's ratings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from creaeval.cli import train_samer
from creaeval.cli.options import (
    Ledger,
    MixParticipants,
    Patience,
    RaterStage,
    SplitBy,
    Task,
    TrainScenario,
    UseColumns,
)
from creaeval.cli.printing import say_unmatched

if TYPE_CHECKING:
    from collections.abc import Mapping

    from creaeval.training import Card, Epoch
    from creaeval.training.pairs import Pairs

app = typer.Typer(
    help="Train models to score as a rater does; scoring with them is free and offline.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
_MOST_REASONS = 10
app.command("samer", epilog=train_samer.EXAMPLE)(train_samer.samer)


@app.command(
    "sft",
    epilog="Example: creaeval train sft booklets/ --scenario scenario.yaml --ratings ratings.csv --rater A "
    "--model models/base --out models/sft. Exit codes: 0 trained, 1 error, 130 stopped (the best epoch so "
    "far is kept).",
)
def sft(
    ratings: Annotated[
        list[Path], typer.Option(help="People's scores; give it again for more.", metavar="FILE")
    ],
    rater: Annotated[str, typer.Option(help="Whose sheets the model learns to write.", metavar="NAME")],
    model: Annotated[
        Path,
        typer.Option(
            help="The model to begin with: a folder as transformers saves it, or a GGUF file.", metavar="DIR"
        ),
    ],
    out: Annotated[Path, typer.Option(help="Folder for the trained model, new or empty.", metavar="DIR")],
    files: Annotated[
        list[Path] | None,
        typer.Argument(help="Files or folders of responses; none with --on evidence.", metavar="[FILES]"),
    ] = None,
    task: Task = "cgpst",
    scenario: TrainScenario = None,
    on: Annotated[
        Literal["responses", "evidence"],
        typer.Option(help="What the model reads: responses, or the evidence that a run gathered."),
    ] = "responses",
    run: Annotated[
        str | None,
        typer.Option(help="With --on evidence: the run's id or its beginning.", metavar="RUN"),
    ] = None,
    stage: RaterStage = None,
    columns: UseColumns = None,
    mix_participants: MixParticipants = False,
    split_by: SplitBy = "response",
    tune: Annotated[
        Literal["lora", "full"],
        typer.Option(help="Train small adapters beside the model's weights, or all its weights."),
    ] = "lora",
    epochs: Annotated[int, typer.Option(min=1, help="Passes over the training side at most.")] = 5,
    rate: Annotated[
        float | None,
        typer.Option(min=1e-9, max=1, help="Learning rate. [1e-4 for lora, 1e-5 for full]", metavar="X"),
    ] = None,
    batch: Annotated[int, typer.Option(min=1, help="Pairs in one step.")] = 8,
    seed: Annotated[int, typer.Option(min=0, help="Of the split and of the training.")] = 0,
    patience: Patience = 2,
    ledger: Ledger = ".creaeval/ledger.db",
) -> None:
    """Fine-tune a causal language model on responses, or their evidence, and the sheets of a rater."""
    from creaeval.data import USE_ROLES, read_columns
    from creaeval.errors import SettingError
    from creaeval.training.sft import SftSettings, check_base, check_out, train_sft

    check_base(model)
    check_out(out)
    reading = {"columns": read_columns(columns or [], USE_ROLES)}
    if on == "evidence":
        if columns or mix_participants:
            raise SettingError("--columns and --mix-participants are for files; --on evidence reads a run.")
        pairs, origin = _evidence(files, scenario, run, ledger, ratings, rater, stage)
    else:
        pairs, origin = _responses(
            files, scenario, run, task, ratings, rater, stage, reading, mix_participants
        )
    _say_pairs(pairs)
    card = train_sft(
        pairs,
        base=model,
        out=out,
        split_by=split_by,
        settings=SftSettings(tune, epochs, rate, batch, seed, patience),
        files=origin,
        run=run or "",
        stage=stage or "",
        told=_say_epoch,
    )
    say_card(card, out, f"--method {card.kind} --model {out}")


def _responses(
    files: list[Path] | None,
    scenario: Path | None,
    run: str | None,
    task: str,
    ratings: list[Path],
    rater: str,
    stage: str | None,
    reading: Mapping[str, Any],
    mix_participants: bool,
) -> tuple[Pairs, dict[str, str]]:
    from creaeval.data import read_ratings, read_responses, read_scenarios
    from creaeval.errors import SettingError
    from creaeval.runs.defaults import choose_batching
    from creaeval.tasks import load_task
    from creaeval.training.card import hash_files
    from creaeval.training.pairs import choose_rater, response_pairs

    if not files:
        raise SettingError("Expected files of responses, or --on evidence with --run.")
    if run is not None:
        raise SettingError("--run goes with --on evidence.")
    the_task = load_task(task)
    responses = read_responses(files, the_task, **reading)
    rated = choose_rater(read_ratings(ratings, the_task), rater, stage or "")
    say_unmatched(list(rated.values()), [response.id for response in responses])
    scenarios = {} if scenario is None else read_scenarios(scenario)
    given = [*files, *ratings, *([] if scenario is None else [scenario])]
    batching = choose_batching(the_task, "sft", mix_participants=mix_participants)
    return response_pairs(the_task, responses, scenarios, rater, rated, batching), hash_files(given)


def _evidence(
    files: list[Path] | None,
    scenario: Path | None,
    run: str | None,
    ledger: str,
    ratings: list[Path],
    rater: str,
    stage: str | None,
) -> tuple[Pairs, dict[str, str]]:
    from creaeval.cli.stored import open_store
    from creaeval.data import read_ratings
    from creaeval.errors import SettingError
    from creaeval.training.card import hash_files
    from creaeval.training.pairs import choose_rater, evidence_pairs

    if run is None:
        raise SettingError("--on evidence needs --run: the run that gathered it (creaeval runs list).")
    if files or scenario is not None:
        raise SettingError("--on evidence takes responses and scenarios from the run; name neither.")
    with open_store(ledger) as store:
        found = store.load(run)
        rated = choose_rater(read_ratings(ratings, found.task), rater, stage or "")
        return evidence_pairs(found, rater, rated), hash_files(ratings)


def _say_pairs(pairs: Pairs) -> None:
    typer.echo(f"{len(pairs.pairs)} pairs of prompt and sheet by {pairs.rater}.", err=True)
    for reason, number in list(pairs.left_out.items())[:_MOST_REASONS]:
        typer.echo(f"{number} responses left out: {reason}.", err=True)
    if pairs.rounded:
        typer.echo(f"{pairs.rounded} points were rounded to whole ones, halves up.", err=True)


def _say_epoch(epoch: Epoch) -> None:
    parts = [f"{name} {loss:.4f}" for name, loss in epoch.train.items()]
    parts += [f"held out: {name} {loss:.4f}" for name, loss in epoch.held_out.items()]
    typer.echo(f"epoch {epoch.number}: {', '.join(parts)}", err=True)


def say_card(card: Card, out: Path, use: str) -> None:
    """Say what was trained and how to score with it; 130 where the user stopped it."""
    split = card.split
    typer.echo(
        f"{card.kind} in {out}: epoch {card.best_epoch} of {len(card.epochs)} kept ({card.ended}), "
        f"trained on {len(split.train)} responses, {len(split.test)} for the test, by {split.by}, "
        f"seed {split.seed}. {card.seconds:.0f} s on {card.hardware}."
    )
    typer.echo(f"card.json there has all of it. Score with: creaeval score FILES {use}")
    if card.ended == "stopped by the user":
        raise typer.Exit(130)
