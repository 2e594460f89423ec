"""``creaeval compare``: two models or prompts on the same responses, and whether the second is worse."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from creaeval.cli.options import (
    Columns,
    Ledger,
    Levels,
    Missing,
    RatingFiles,
    Resamples,
    Seed,
    Stage,
    Tables,
    read_options,
)
from creaeval.cli.printing import print_paths, say_unmatched, table_console

if TYPE_CHECKING:
    from creaeval.cli.inputs import Inputs
    from creaeval.data import Scores
    from creaeval.runs import Run

HELP = "Compare two runs over the same responses: scores, agreement with raters, cost, and where they part."
EXAMPLE = 'Example: creaeval compare 3f9a12bc04 81c07de5aa --ratings ratings.csv --fail-if "qwk drops 0.05"'
#: A condition of --fail-if is met: the second run is worse by as much.
REGRESSION = 3

RunArgument = typer.Argument(
    help="A run's id or its beginning, a folder of results, or a file of scores.", show_default=False
)


def compare(
    run_a: Annotated[str, RunArgument],
    run_b: Annotated[str, RunArgument],
    ratings: RatingFiles = None,
    fail_if: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CONDITION",
            help="End with code 3 where B is worse than A: 'MEASURE [surely] drops|rises AMOUNT[%]', as in "
            "'qwk drops 0.05' or 'cost rises 20%'; give it again for more.",
        ),
    ] = None,
    task: Annotated[
        str | None, typer.Option(help="Task of folders and files. [that of a run or its folder, else cgpst]")
    ] = None,
    stage: Stage = None,
    columns: Columns = None,
    missing: Missing = None,
    levels: Levels = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Resample whole groups of responses by a column they carry (scenario, plot).",
        ),
    ] = None,
    resamples: Resamples = 2000,
    seed: Seed = 0,
    out: Tables = None,
    ledger: Ledger = ".creaeval/ledger.db",
) -> None:
    """Compare two runs and check conditions."""
    from creaeval.agreement import AgreementOptions
    from creaeval.agreement.runs.compare_runs import compare_runs
    from creaeval.agreement.runs.conditions import read_conditions
    from creaeval.cli.inputs import Inputs
    from creaeval.errors import SettingError
    from creaeval.report.compare_text import failed_conditions, print_comparison, write_comparison

    try:
        conditions = read_conditions(fail_if or [], with_ratings=bool(ratings))
    except SettingError as error:
        raise typer.BadParameter(str(error), param_hint="--fail-if") from None
    reading = read_options(columns, None, missing, levels)
    options = AgreementOptions(
        stage=stage, cluster=(cluster,) if cluster else (), resamples=resamples, seed=seed
    )
    # Outcomes are read from the ledger as they are needed, so it stays open.
    with Inputs(ledger, task) as inputs:
        first, second = _read(inputs, run_a), _read(inputs, run_b)
        rated = inputs.read_ratings(ratings, reading) if ratings else []
        known = dict.fromkeys([*first.metadata, *second.metadata])
        known |= dict.fromkeys(sheet.response_id for sheet in (*first.sheets, *second.sheets))
        say_unmatched(rated, known)
        comparison = compare_runs(
            inputs.task,
            first,
            second,
            rated,
            options,
            conditions=conditions,
        )
    print_comparison(table_console(), comparison)
    if out is not None:
        print_paths(write_comparison(comparison, out))
    if conditions and (failed := failed_conditions(comparison.tables["conditions"])):
        for line in failed:
            typer.echo(line, err=True)
        raise typer.Exit(REGRESSION)


def _read(inputs: Inputs, name: str) -> Run | Scores:
    """Read a run, or the scores of a file."""
    from creaeval.errors import SettingError

    if (run := inputs.read_run(name)) is not None:
        return run
    methods = inputs.read_scores(name)
    if len(methods) != 1:
        names = ", ".join(scores.method or "(none)" for scores in methods) or "none"
        raise SettingError(f"{name}: expected the scores of one method, found {names}; part the file.")
    return methods[0]
