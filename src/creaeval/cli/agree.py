"""``creaeval agree``: how well a run's scores agree with people's."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from creaeval.cli.options import Ledger

if TYPE_CHECKING:
    from creaeval.runs import Run

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
    by: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Also for each value of a column that the responses carry."),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Resample whole groups of responses by a column they carry."),
    ] = None,
    resamples: Annotated[int, typer.Option(min=0, help="Bootstrap resamples; 0 for no intervals.")] = 2000,
    seed: Annotated[int, typer.Option(help="Seed of the resampling.")] = 0,
    out: Annotated[
        Path | None, typer.Option(help="Folder for agreement.csv and agreement_means.csv.")
    ] = None,
    ledger: Ledger = ".creaeval/ledger.db",
) -> None:
    """Compare a run with ratings."""
    import pandas as pd
    from rich.console import Console

    from creaeval.analysis import PAPER, agreement, collect_points, compared_dimensions, protocol
    from creaeval.cli.stored import open_store
    from creaeval.data import read_ratings, unmatched
    from creaeval.report.agreement_text import print_agreement
    from creaeval.runs import write_table
    from creaeval.stats.resample import FEW_CLUSTERS

    with open_store(ledger) as store:
        loaded = store.load(run)
        rated_by_people = read_ratings(ratings, loaded.task)
        points = collect_points(loaded, rated_by_people, values=values)
    for line in unmatched(rated_by_people, loaded.carried):
        typer.echo(line, err=True)
    rated = set(points.loc[points["kind"].eq("rater"), "dimension"])
    compared = compared_dimensions(loaded.task)
    dimensions = [dimension for dimension in compared if dimension in rated]
    if len(dimensions) < len(compared):
        left = ", ".join(dimension for dimension in compared if dimension not in rated)
        typer.echo(f"Nobody rated {len(compared) - len(dimensions)} dimensions: {left}.", err=True)
    clusters = _column(loaded, cluster, "--cluster") if cluster else None

    def measured(chosen: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
        cells = agreement(
            chosen,
            dimensions,
            measures=measure or PAPER,
            n_resamples=resamples,
            clusters=clusters,
            seed=seed,
        )
        means = protocol(chosen, cells, dimensions, n_resamples=resamples, clusters=clusters, seed=seed)
        return cells, means

    cells, means = measured(points)
    console = Console(highlight=False, emoji=False)
    print_agreement(console, loaded.task, means)
    if clusters is not None:
        number = len({clusters.get(one, one) for one in points["response_id"]})
        if number < FEW_CLUSTERS:
            console.print(f"Only {number} clusters: intervals from fewer than {FEW_CLUSTERS} are too narrow.")
    tables = {"agreement.csv": cells, "agreement_means.csv": means}
    if by:
        groups = points["response_id"].map(_column(loaded, by, "--by"))
        parts = []
        for value, chosen in points.groupby(groups, sort=True):
            parts.append(measured(chosen)[1].assign(**{by: value}))
            console.print(f"\n{by}: {value}", markup=False)
            print_agreement(console, loaded.task, parts[-1])
        tables["agreement_by.csv"] = pd.concat(parts)
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        for name, table in tables.items():
            typer.echo(str(write_table(table, out / name)))


def _column(run: Run, name: str, option: str) -> dict[str, str]:
    """Return a carried column by response id."""
    from creaeval.errors import SettingError

    columns = dict.fromkeys(column for extra in run.carried.values() for column in extra)
    if name not in columns:
        known = ", ".join(columns) or "none"
        raise SettingError(f"{option} {name}: the responses carry no such column; they carry {known}.")
    return {response_id: extra.get(name, "") for response_id, extra in run.carried.items()}
