"""``creaeval experiment``: a grid of runs from one file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from creaeval.cli.options import Budget, IncludeTraining, Keys, Ledger
from creaeval.cli.printing import print_paths, table_console

if TYPE_CHECKING:
    from rich.console import Console

    from creaeval.experiments import Planned, RunEnd
    from creaeval.llm.budget import Budget as Allowance

app = typer.Typer(
    help="Run a grid of methods, models and settings from one file, and see where it stands.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
File = Annotated[Path, typer.Argument(help="The experiment, a YAML file.", metavar="FILE")]
Only = Annotated[
    list[str] | None,
    typer.Option(metavar="BLOCK", help="Only this block of the grid; give it again for more."),
]

_WIDTH = 160  # of tables that go to a file or another program
_MOST_NOTES = 10


@app.command(
    "run",
    epilog="Example: creaeval experiment run experiments/small.yaml --dry-run. "
    "Exit codes: 0 all scored, 1 error or nothing scored, 3 some failed or were left out, 130 stopped.",
)
def run(
    file: File,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Say what it would take, in calls, tokens and money; send nothing."),
    ] = False,
    budget: Budget = None,
    only: Only = None,
    keys: Keys = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Write each run's files, as score does, to FOLDER/RUN."),
    ] = None,
    ledger: Ledger = ".creaeval/ledger.db",
) -> None:
    """Make the runs of an experiment that are not made yet; the same command goes on where it stopped."""
    from creaeval.errors import SettingError
    from creaeval.experiments import plan_experiment, read_experiment
    from creaeval.report.experiment_text import print_untrained

    experiment = read_experiment(file)
    planned = plan_experiment(experiment, only=only or (), keys=keys, to_run=not dry_run)
    if not planned.runs:
        print_untrained(_out(), planned.untrained)
        raise SettingError(
            f"experiment {experiment.name}: there is no run that could be made. `creaeval experiment report` "
            "shows scores made elsewhere."
        )
    if dry_run:
        _estimate(planned, ledger)
        return
    raise typer.Exit(_make(planned, experiment.name, ledger, budget, out))


@app.command("status", epilog="Example: creaeval experiment status experiments/small.yaml")
def status(file: File, only: Only = None, ledger: Ledger = ".creaeval/ledger.db") -> None:
    """Show where each run of an experiment stands: state, responses scored and failed, cost, id."""
    from creaeval.cli.stored import open_store
    from creaeval.experiments import find_status, plan_experiment, read_experiment
    from creaeval.report.experiment_text import print_status

    planned = plan_experiment(read_experiment(file), only=only or (), to_run=False, check=False)
    with open_store(ledger) as store:
        print_status(_out(), planned, find_status(planned, store))


@app.command("report", epilog="Example: creaeval experiment report experiments/small.yaml --out report")
def report(
    file: File,
    out: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Where to. [NAME-report]", file_okay=False)
    ] = None,
    include_training: IncludeTraining = False,
    ledger: Ledger = ".creaeval/ledger.db",
) -> None:
    """Write the tables and figures of an experiment, and one HTML page of them with the responses."""
    print_paths(write_report(file, out, ledger, include_training=include_training))


def write_report(file: Path, out: Path | None, ledger: str, *, include_training: bool = False) -> list[Path]:
    """Write the report of an experiment and return its pages and its workbook."""
    from contextlib import nullcontext

    from creaeval.cli.stored import is_there, open_store
    from creaeval.experiments import load_results, read_experiment
    from creaeval.report.experiment import write_experiment_report
    from creaeval.runs.file_names import file_names

    experiment = read_experiment(file)
    if include_training:
        measured = experiment.agreement.model_copy(update={"include_training": True})
        experiment = experiment.model_copy(update={"agreement": measured})
    # Scores made elsewhere are reported without any ledger.
    needed = bool(experiment.grid) or is_there(ledger)
    with open_store(ledger) if needed else nullcontext() as store:
        # The name may hold what a path may not.
        folder = out or Path(f"{file_names([experiment.name])[experiment.name]}-report")
        written = write_experiment_report(
            experiment,
            load_results(experiment, store),
            folder,
            said=lambda line: typer.echo(line, err=True),
        )
    return [path for path in written if path.parent == folder]


def _estimate(planned: Planned, ledger: str) -> None:
    from contextlib import nullcontext

    from creaeval.cli.stored import is_there, open_ledger
    from creaeval.experiments.estimate import estimate_cell, total
    from creaeval.report.experiment_text import print_estimate

    # A ledger that is there knows what is paid for already; looking must not create one.
    with open_ledger(ledger) if is_there(ledger) else nullcontext() as opened:
        estimates = [estimate_cell(run.plan, run.pretended, ledger=opened) for run in planned.runs]
    print_estimate(_out(), planned, estimates, total(estimates))


def _make(planned: Planned, name: str, ledger: str, usd: float | None, out: Path | None) -> int:
    from rich.console import Console
    from rich.markup import escape

    from creaeval.experiments import find_status, make_runs
    from creaeval.llm import Ledger
    from creaeval.llm.budget import Budget
    from creaeval.report.experiment_text import print_ends, print_untrained
    from creaeval.report.progress import show_experiment
    from creaeval.runs import RunStore, check_folder

    err = Console(stderr=True, highlight=False, emoji=False)
    budget = None if usd is None else Budget(usd)
    if out is not None:
        for run in planned.runs:
            check_folder(run.plan.run_id, out / run.plan.run_id)
    calls = sum(run.plan.n_calls for run in planned.runs)
    words = f"Experiment {name}: {len(planned.runs)} runs, {calls} calls, shared ones counted in each."
    err.print(escape(words))
    print_untrained(err, planned.untrained)
    _say_notes(planned, err)
    with Ledger.open(ledger) as opened:
        try:
            with show_experiment(planned, err) as watcher:
                ends = make_runs(planned, opened, watcher=watcher, budget=budget)
        except KeyboardInterrupt:
            states = [run.state for run in find_status(planned, RunStore(opened)).runs]
            err.print(
                f"Stopped with {states.count('finished')} of {len(states)} runs finished; every finished "
                f"call is kept. The same command goes on from there. {_spent(budget)}",
                soft_wrap=True,
            )
            return 130
        print_ends(_out(), ends, _spent(budget))
        if out is not None:
            _export(ends, out)
    return _exit_code(ends)


def _spent(budget: Allowance | None) -> str:
    from creaeval.report.progress import cost_text

    return "" if budget is None else f"Spent now: {cost_text(budget.spent, 0)} of ${budget.usd:g}."


def _exit_code(ends: tuple[RunEnd, ...]) -> int:
    if not any(end.scored for end in ends):
        return 1
    whole = all(end.state in ("kept", "finished") and not end.failed and not end.not_captured for end in ends)
    return 0 if whole else 3


def _export(ends: tuple[RunEnd, ...], out: Path) -> None:
    from creaeval.runs import export_run

    for end in ends:
        if end.run is not None and end.run.outcomes:
            folder = out / end.run.id
            export_run(end.run, folder)
            typer.echo(str(folder))


def _say_notes(planned: Planned, err: Console) -> None:
    from rich.markup import escape

    from creaeval.runs import unscored_items
    from creaeval.runs.plan import repeat_notes
    from creaeval.runs.trained import training_notes

    notes: dict[str, None] = {}
    for run in planned.runs:
        plan = run.plan
        notes |= dict.fromkeys(note for model, _ in plan.roles if (note := getattr(model, "warning", "")))
        notes |= dict.fromkeys([*repeat_notes(plan), *unscored_items(plan), *training_notes(plan)])
    lines = list(notes)
    for line in lines[:_MOST_NOTES]:
        err.print(escape(line), style="yellow")
    if len(lines) > _MOST_NOTES:
        err.print(f"… and {len(lines) - _MOST_NOTES} more notes of this kind.", style="yellow")


def _out() -> Console:
    return table_console(_WIDTH)
