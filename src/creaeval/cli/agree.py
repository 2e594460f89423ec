"""``creaeval agree``: how well a run's scores agree with people's."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from creaeval.cli.options import Ledger

HELP = "Measure the agreement of a run's judges with raters, and of the raters with each other."
EXAMPLE = "Example: creaeval agree 3f9a12bc04 --ratings ratings.csv --out agreement"


def agree(
    run: Annotated[str, typer.Argument(help="The run's id, or its beginning.", metavar="RUN")],
    ratings: Annotated[list[Path], typer.Option(help="People's scores of the same responses.")],
    measure: Annotated[
        list[str] | None,
        typer.Option(
            help="qwk, pearson, icc, spearman, kendall, exact, adjacent, bias or rmse; give it again "
            "for more. [qwk, pearson, icc]"
        ),
    ] = None,
    values: Annotated[
        Literal["model", "final"],
        typer.Option(help="The judge's own values, as methods are compared, or the final ones."),
    ] = "model",
    resamples: Annotated[int, typer.Option(min=0, help="Bootstrap resamples; 0 for no intervals.")] = 2000,
    seed: Annotated[int, typer.Option(help="Seed of the resampling.")] = 0,
    out: Annotated[
        Path | None, typer.Option(help="Folder for agreement.csv and agreement_means.csv.")
    ] = None,
    ledger: Ledger = ".creaeval/ledger.db",
) -> None:
    """Compare a run with ratings."""
    from rich.console import Console

    from creaeval.analysis import PAPER, agreement, collect_points, compared_dimensions, protocol
    from creaeval.cli.stored import open_store
    from creaeval.data import read_ratings
    from creaeval.report.agreement_text import print_agreement
    from creaeval.runs import write_table

    with open_store(ledger) as store:
        loaded = store.load(run)
        points = collect_points(loaded, read_ratings(ratings, loaded.task), values=values)
    rated = set(points.loc[points["kind"].eq("rater"), "dimension"])
    compared = compared_dimensions(loaded.task)
    dimensions = [dimension for dimension in compared if dimension in rated]
    if len(dimensions) < len(compared):
        left = ", ".join(dimension for dimension in compared if dimension not in rated)
        typer.echo(f"Nobody rated {len(compared) - len(dimensions)} dimensions: {left}.", err=True)
    cells = agreement(points, dimensions, measures=measure or PAPER, n_resamples=resamples, seed=seed)
    means = protocol(points, cells, dimensions, n_resamples=resamples, seed=seed)
    print_agreement(Console(highlight=False, emoji=False), loaded.task, means)
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        for name, table in (("agreement.csv", cells), ("agreement_means.csv", means)):
            typer.echo(str(write_table(table, out / name)))
