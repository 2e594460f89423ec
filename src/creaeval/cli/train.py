"""``creaeval train``: models that learn to score from people's ratings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import typer

from creaeval.cli.options import (
    Columns,
    Ledger,
    MixParticipants,
    Patience,
    RaterStage,
    SplitBy,
    Task,
    TrainRatings,
    TrainScenario,
    read_options,
)
from creaeval.cli.printing import say_unmatched

if TYPE_CHECKING:
    from creaeval.data import Rating, Response
    from creaeval.tasks import Scenario
    from creaeval.tasks import Task as LoadedTask
    from creaeval.training import Card, Epoch
    from creaeval.training.pairs import Pairs

app = typer.Typer(
    help="Train models to score as a rater does; scoring with them is free and offline.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
_MOST_REASONS = 10
Batch = Annotated[int, typer.Option(min=1, help="Pairs in one step.")]


@app.command(
    "samer",
    epilog="Example: creaeval train samer booklets/ --scenario scenario.yaml --ratings ratings.csv --rater A "
    "--model models/base --out models/samer. Exit codes: 0 trained, 1 error, 130 stopped (the best epoch so "
    "far is kept).",
)
def samer(
    files: Annotated[list[Path], typer.Argument(help="Files or folders of responses.", metavar="FILES")],
    ratings: TrainRatings,
    rater: Annotated[str, typer.Option(help="Whose points say which response is better.", metavar="NAME")],
    model: Annotated[
        Path,
        typer.Option(
            help="The language model to put heads on, which stays as it is: a folder as transformers saves "
            "it.",
            metavar="DIR",
        ),
    ],
    out: Annotated[Path, typer.Option(help="Folder for the heads, new or empty.", metavar="DIR")],
    task: Task = "cgpst",
    scenario: TrainScenario = None,
    stage: RaterStage = None,
    columns: Columns = None,
    split_by: SplitBy = "response",
    pairs: Annotated[
        int, typer.Option(min=1, help="Pairs of responses at most, drawn by the seed where there are more.")
    ] = 20_000,
    epochs: Annotated[int, typer.Option(min=1, help="Passes over the pairs at most.")] = 10,
    rate: Annotated[float, typer.Option(min=1e-9, max=1, help="Learning rate.", metavar="X")] = 5e-5,
    batch: Batch = 32,
    width: Annotated[int, typer.Option(min=1, help="Of the heads' inner layers.")] = 1024,
    seed: Annotated[int, typer.Option(min=0, help="Of the split, the pairs and the training.")] = 0,
    patience: Patience = 2,
) -> None:
    """Train SaMer: three heads on a frozen language model, from pairs made of one rater's points."""
    from creaeval.training.samer_fit import SamerSettings
    from creaeval.training.samer_train import train_samer

    inputs = _read(files, ratings, task, scenario, columns)
    own = [rating for rating in inputs.ratings if rating.rater == rater]
    say_unmatched(own, [response.id for response in inputs.responses])
    card = train_samer(
        inputs.responses,
        inputs.ratings,
        task=inputs.task,
        scenarios=inputs.scenarios,
        rater=rater,
        stage=stage or "",
        backbone=model,
        out=out,
        split_by=split_by,
        settings=SamerSettings(epochs, patience, rate, batch, pairs, width, seed),
        files=inputs.hashes,
        tell=lambda line: typer.echo(line, err=True),
    )
    _say_card(card, out, f"--method samer --model {out}")


@app.command(
    "sft",
    epilog="Example: creaeval train sft booklets/ --scenario scenario.yaml --ratings ratings.csv --rater A "
    "--model models/base --out models/sft. Exit codes: 0 trained, 1 error, 130 stopped (the best epoch so "
    "far is kept).",
)
def sft(
    ratings: TrainRatings,
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
    columns: Columns = None,
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
    batch: Batch = 8,
    seed: Annotated[int, typer.Option(min=0, help="Of the split and of the training.")] = 0,
    patience: Patience = 2,
    ledger: Ledger = ".creaeval/ledger.db",
) -> None:
    """Fine-tune a causal language model on responses, or their evidence, and the sheets of a rater."""
    from creaeval.errors import SettingError
    from creaeval.training.sft import SftSettings, check_base, check_out, train_sft

    check_base(model)
    check_out(out)
    if on == "evidence":
        if columns or mix_participants:
            raise SettingError("--columns and --mix-participants are for files; --on evidence reads a run.")
        if run is None:
            raise SettingError("--on evidence needs --run: the run that gathered it (creaeval runs list).")
        if files or scenario is not None:
            raise SettingError("--on evidence takes responses and scenarios from the run; name neither.")
        pairs, origin = _evidence(run, ledger, ratings, rater, stage)
    else:
        if not files:
            raise SettingError("Expected files of responses, or --on evidence with --run.")
        if run is not None:
            raise SettingError("--run goes with --on evidence.")
        inputs = _read(files, ratings, task, scenario, columns)
        pairs, origin = _responses(inputs, rater, stage, mix_participants), inputs.hashes
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
        tell=_say_epoch,
    )
    _say_card(card, out, f"--method {card.kind} --model {out}")


class _Inputs(NamedTuple):
    """What files hold to train on, with their hashes by name."""

    task: LoadedTask
    responses: list[Response]
    ratings: list[Rating]
    scenarios: dict[str, Scenario]
    hashes: dict[str, str]


def _read(
    files: list[Path], ratings: list[Path], task: str, scenario: Path | None, columns: list[str] | None
) -> _Inputs:
    from creaeval.data import read_ratings, read_responses, read_scenarios
    from creaeval.tasks import load_task
    from creaeval.training.card import hash_files

    loaded = load_task(task)
    return _Inputs(
        loaded,
        read_responses(files, loaded, **read_options(columns)),
        read_ratings(ratings, loaded),
        {} if scenario is None else read_scenarios(scenario),
        hash_files([*files, *ratings, *([] if scenario is None else [scenario])]),
    )


def _responses(inputs: _Inputs, rater: str, stage: str | None, mix_participants: bool) -> Pairs:
    from creaeval.runs.defaults import choose_batching
    from creaeval.training.pairs import choose_rater, response_pairs

    task, responses = inputs.task, inputs.responses
    rated = choose_rater(inputs.ratings, rater, stage or "")
    say_unmatched(list(rated.values()), [response.id for response in responses])
    batching = choose_batching(task, "sft", mix_participants=mix_participants)
    return response_pairs(task, responses, inputs.scenarios, rater, rated, batching)


def _evidence(
    run_id: str, ledger: str, ratings: list[Path], rater: str, stage: str | None
) -> tuple[Pairs, dict[str, str]]:
    from creaeval.cli.stored import open_store
    from creaeval.data import read_ratings
    from creaeval.training.card import hash_files
    from creaeval.training.pairs import choose_rater, evidence_pairs

    with open_store(ledger) as store:
        run = store.load(run_id)
        rated = choose_rater(read_ratings(ratings, run.task), rater, stage or "")
        return evidence_pairs(run, rater, rated), hash_files(ratings)


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


def _say_card(card: Card, out: Path, use: str) -> None:
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
