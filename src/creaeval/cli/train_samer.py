"""``creaeval train samer``: heads on a frozen language model learn from pairs which response is better."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from creaeval.cli.options import Patience, RaterStage, SplitBy, Task, TrainScenario, UseColumns
from creaeval.cli.printing import say_unmatched

EXAMPLE = (
    "Example: creaeval train samer booklets/ --scenario scenario.yaml --ratings ratings.csv --rater A "
    "--model models/base --out models/samer. Exit codes: 0 trained, 1 error, 130 stopped (the best epoch so "
    "far is kept)."
)


def samer(
    files: Annotated[list[Path], typer.Argument(help="Files or folders of responses.", metavar="FILES")],
    ratings: Annotated[
        list[Path], typer.Option(help="People's scores; give it again for more.", metavar="FILE")
    ],
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
    columns: UseColumns = None,
    split_by: SplitBy = "response",
    pairs: Annotated[
        int, typer.Option(min=1, help="Pairs of responses at most, drawn by the seed where there are more.")
    ] = 20_000,
    epochs: Annotated[int, typer.Option(min=1, help="Passes over the pairs at most.")] = 10,
    rate: Annotated[float, typer.Option(min=1e-9, max=1, help="Learning rate.", metavar="X")] = 5e-5,
    batch: Annotated[int, typer.Option(min=1, help="Pairs in one step.")] = 32,
    width: Annotated[int, typer.Option(min=1, help="Of the heads' inner layers.")] = 1024,
    seed: Annotated[int, typer.Option(min=0, help="Of the split, the pairs and the training.")] = 0,
    patience: Patience = 2,
) -> None:
    """Train SaMer: three heads on a frozen language model, from pairs made of one rater's points."""
    from creaeval.cli.train import say_card
    from creaeval.data import USE_ROLES, read_columns, read_ratings, read_responses, read_scenarios
    from creaeval.tasks import load_task
    from creaeval.training.card import hash_files
    from creaeval.training.samer_fit import SamerSettings
    from creaeval.training.samer_train import train_samer

    loaded = load_task(task)
    responses = read_responses(files, loaded, columns=read_columns(columns or [], USE_ROLES))
    rated = read_ratings(ratings, loaded)
    own = [rating for rating in rated if rating.rater == rater]
    say_unmatched(own, [response.id for response in responses])
    card = train_samer(
        responses,
        rated,
        task=loaded,
        scenarios={} if scenario is None else read_scenarios(scenario),
        rater=rater,
        stage=stage or "",
        backbone=model,
        out=out,
        split_by=split_by,
        settings=SamerSettings(epochs, patience, rate, batch, pairs, width, seed),
        files=hash_files([*files, *ratings, *([] if scenario is None else [scenario])]),
        tell=lambda line: typer.echo(line, err=True),
    )
    say_card(card, out, f"--method samer --model {out}")
