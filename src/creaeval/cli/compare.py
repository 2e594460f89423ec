"""``creaeval compare``: two models or prompts on the same responses, and whether the second is worse."""

from __future__ import annotations

import re
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from creaeval.cli.options import Columns, Ledger, Stage
from creaeval.cli.printing import say_unmatched, table_console

if TYPE_CHECKING:
    from creaeval.data import Scores
    from creaeval.runs import Run
    from creaeval.tasks import Task as LoadedTask

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
    ratings: Annotated[
        list[Path] | None,
        typer.Option(help="People's scores of the same responses; give it again for more.", metavar="FILE"),
    ] = None,
    fail_if: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CONDITION",
            help="End with code 3 where B is worse than A: 'MEASURE [surely] drops|rises AMOUNT[%]', as in "
            "'qwk drops 0.05' or 'cost rises 20%'; give it again for more.",
        ),
    ] = None,
    task: Annotated[
        str | None, typer.Option(help="Task of folders and files. [that of a run, else cgpst]")
    ] = None,
    stage: Stage = None,
    columns: Columns = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Resample whole groups of responses by a column they carry (scenario, plot).",
        ),
    ] = None,
    resamples: Annotated[int, typer.Option(min=0, help="Bootstrap resamples; 0 for no intervals.")] = 2000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the resampling.")] = 0,
    out: Annotated[
        Path | None, typer.Option(help="Folder for the tables.", file_okay=False, metavar="FOLDER")
    ] = None,
    ledger: Ledger = ".creaeval/ledger.db",
) -> None:
    """Compare two runs and check conditions."""
    from creaeval.analysis.compare_runs import compare_runs
    from creaeval.analysis.conditions import read_conditions
    from creaeval.data import read_columns, read_ratings
    from creaeval.errors import SettingError
    from creaeval.report.compare_text import failed_conditions, print_comparison, write_comparison

    try:
        conditions = read_conditions(fail_if or [], with_ratings=bool(ratings))
    except SettingError as error:
        raise typer.BadParameter(str(error), param_hint="--fail-if") from None
    names = read_columns(columns or [])
    # Outcomes are read from the ledger as they are needed, so it stays open.
    with ExitStack() as opened:
        first, loaded = _read(run_a, task, None, ledger, opened)
        second, _ = _read(run_b, task, loaded, ledger, opened)
        rated = read_ratings(ratings, loaded, columns=names) if ratings else []
        known = {one: None for of in (first, second) for one in of.metadata}
        known |= {sheet.response_id: None for of in (first, second) for sheet in of.sheets}
        say_unmatched(rated, known)
        found = compare_runs(
            loaded,
            first,
            second,
            rated,
            conditions=conditions,
            stage=stage,
            cluster=cluster,
            n_resamples=resamples,
            seed=seed,
        )
    print_comparison(table_console(), found)
    if out is not None:
        for path in write_comparison(found, out):
            typer.echo(str(path))
    if conditions and (failed := failed_conditions(found.tables["conditions"])):
        for line in failed:
            typer.echo(line, err=True)
        raise typer.Exit(REGRESSION)


def _read(
    given: str, name: str | None, before: LoadedTask | None, ledger: str, opened: ExitStack
) -> tuple[Run | Scores, LoadedTask]:
    """Read a run from the ledger or a folder, or the scores of a file, and find out its task."""
    from creaeval.cli.stored import open_store
    from creaeval.data import read_scores
    from creaeval.data.tables.opening import split_sheet
    from creaeval.errors import SettingError
    from creaeval.runs.export import read_run_folder
    from creaeval.tasks import load_task

    file = split_sheet(Path(given))[0]
    if not file.exists() and re.fullmatch("[0-9a-f]+", given):
        run = opened.enter_context(open_store(ledger)).load(given)
        if before is not None and before.id != run.task.id:
            raise SettingError(f"{given}: this run is of task {run.task.id}, not of {before.id}.")
        return run, run.task
    if not file.exists():
        raise SettingError(
            f"{given}: there is no such file or folder, and it is no run's id either. "
            "`creaeval runs list` shows the runs."
        )
    task = load_task(name or "cgpst") if before is None else before
    if file.is_dir() and (exported := read_run_folder(file, task)) is not None:
        return exported, task
    found = read_scores(given, task)
    if len(found) != 1:
        methods = ", ".join(one.method or "(none)" for one in found) or "none"
        raise SettingError(f"{given}: expected the scores of one method, found {methods}; part the file.")
    return found[0], task
