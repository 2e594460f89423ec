"""``creaeval report``: a run as one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from creaeval.cli.experiment import write_report
from creaeval.cli.options import (
    BlankIsNo,
    Columns,
    IncludeTraining,
    Ledger,
    Levels,
    Missing,
    RatingFiles,
    Stage,
    read_options,
)
from creaeval.cli.printing import print_paths, say_unmatched

if TYPE_CHECKING:
    from collections.abc import Sequence

    from creaeval.agreement.agree import AgreementReport
    from creaeval.data import Rating
    from creaeval.experiments.file import Agreement
    from creaeval.report.html.data import Part
    from creaeval.runs import Run

HELP = "Write a run, or an experiment, as one HTML file: scores, agreement, figures, cost, every response."
EXAMPLE = "Example: creaeval report 3f9a12bc04 --ratings ratings.csv --out report.html"


def report(
    run: Annotated[
        str,
        typer.Argument(
            help="A run's id or its beginning, or a folder of results; or an experiment's YAML file, as for "
            "`experiment report`.",
            metavar="RUN|FILE",
        ),
    ],
    ratings: RatingFiles = None,
    against: Annotated[
        str | None,
        typer.Option(metavar="RUN", help="Another run: one response is shown under both, side by side."),
    ] = None,
    response: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Which response. [the one on which the two runs differ most]"),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The file; of an experiment the folder. [report.html]"),
    ] = None,
    task: Annotated[
        str | None, typer.Option(help="Task of a folder of results, if it is your own. [that of the run]")
    ] = None,
    stage: Stage = None,
    columns: Columns = None,
    missing: Missing = None,
    levels: Levels = None,
    blank_is_no: BlankIsNo = False,
    include_training: IncludeTraining = False,
    resamples: Annotated[
        int, typer.Option(min=0, help="Bootstrap resamples for intervals; 0 for none.")
    ] = 2000,
    ledger: Ledger = ".creaeval/ledger.db",
) -> None:
    """Read a run and write its page."""
    from creaeval.agreement.long_table import of_stage
    from creaeval.cli.inputs import Inputs
    from creaeval.errors import SettingError
    from creaeval.experiments.file import Agreement
    from creaeval.report.html import find_shared, run_report
    from creaeval.report.html.page import check_target, write_page

    if run.endswith((".yaml", ".yml")):
        if any((ratings, against, response, task, stage, columns, missing, levels, blank_is_no)):
            raise SettingError(f"{run}: an experiment's ratings and runs are named in its file, not here.")
        print_paths(write_report(Path(run), out, ledger, include_training=include_training))
        return
    out = out or Path("report.html")
    check_target(out)
    reading = {**read_options(columns, None, missing, levels), "blank_is_no": blank_is_no}
    with Inputs(ledger, task) as inputs:
        loaded = inputs.find_run(run)
        other = inputs.find_run(against) if against is not None else None
        if other is not None:
            response = find_shared(loaded, other, response)
        rated = inputs.read_ratings(ratings, reading) if ratings else []
        say_unmatched(rated, loaded.metadata)
        runs = [loaded] if other is None else [loaded, other]
        chosen = of_stage(rated, stage) if rated else []
        measured = Agreement(resamples=resamples, include_training=include_training)
        agreement, notes = _agreement(runs, chosen, measured) if chosen else (None, [])
        for note in notes:
            typer.echo(note, err=True)
        data = run_report(
            loaded,
            chosen,
            agreement=agreement,
            against=other,
            response_id=response,
            figures=_figures(runs, chosen, measured, known=() if agreement is None else agreement.notes),
            notes=notes,
        )
        write_page(data, out)
    typer.echo(str(out))


def _agreement(
    runs: Sequence[Run], ratings: Sequence[Rating], measured: Agreement
) -> tuple[AgreementReport | None, list[str]]:
    """Measure agreement; where there is nothing to measure, the report goes on and says why."""
    from creaeval.agreement import agree
    from creaeval.errors import SettingError

    try:
        how = {name: getattr(measured, name) for name in ("resamples", "include_training")}
        return agree(runs[0].task, runs, ratings, **how), []
    except SettingError as error:
        return None, [f"There is no agreement with the ratings. {error}"]


def _figures(
    runs: Sequence[Run], ratings: Sequence[Rating], measured: Agreement, known: Sequence[str]
) -> list[Part]:
    """Draw what the runs allow, and say what could not be drawn unless that is known already."""
    from creaeval.report.experiment import compare_runs, make_exhibits
    from creaeval.report.html import Figure, name_runs

    exhibits = make_exhibits(compare_runs(name_runs(runs), ratings), measured)
    notes = dict.fromkeys(note for note in exhibits.notes if note not in known)
    return [*(Figure(figure.caption, figure.svg) for figure in exhibits.figures), *notes]
