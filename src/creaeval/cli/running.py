"""Run a plan for the command line: progress, results, files, exit code."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from creaeval.errors import BudgetReachedError, CreaEvalError, SettingError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from creaeval.data import Rating
    from creaeval.runs import Plan, Run


def run_and_report(
    plan: Plan,
    ledger: str,
    out: Path | None,
    ratings: Sequence[Rating] = (),
    *,
    rating_note: str = "",
    budget: float | None = None,
    show_evidence: bool = False,
) -> int:
    """Carry a plan out, show it, write its files.

    Parameters
    ----------
    plan : Plan
        What to do.
    ledger : str
        File or URL.
    out : Path or None
        Folder for the results; ``creaeval-results/RUN`` if None.
    ratings : sequence of Rating
        Shown beside the scores.
    rating_note : str
        Said of the ratings.
    budget : float, optional
        US dollars that may be spent.
    show_evidence : bool
        Whether evidence is shown as it is found.

    Returns
    -------
    int
        The exit code: 0 all scored, 1 nothing scored, 3 some failed or were left out for the budget,
        130 stopped by the user.

    Raises
    ------
    CreaEvalError
        The run could not be finished; what it has was written first.
    """
    from rich.console import Console
    from rich.markup import escape

    from creaeval.llm import Ledger
    from creaeval.llm.budget import Budget
    from creaeval.report.progress import show_progress
    from creaeval.runs import RunStore, check_folder, run_plan
    from creaeval.runs.notes import plan_notes
    from creaeval.runs.plan import describe_size

    err = Console(stderr=True, highlight=False, emoji=False)
    allowed = None if budget is None else Budget(budget)
    folder = out or Path("creaeval-results") / plan.run_id
    # Now, not after hours of work.
    check_folder(plan.run_id, folder)
    _check_writable(folder)
    judges = ", ".join(judge.name for judge in plan.judges)
    err.print(
        escape(
            f"Run {plan.run_id}: {describe_size(plan)}, task {plan.task.id}, method {plan.method}, "
            f"{_analyst(plan)}judges {judges}"
            f"{_repeats(plan)}."
        )
    )
    said = plan_notes(plan)
    for line in (line for line in said if line not in plan.notes):
        err.print(escape(line), style="yellow")
    show = partial(_report, folder=folder, ratings=ratings, rating_note=rating_note, said=said)
    with Ledger.open(ledger) as opened:
        store = RunStore(opened)
        try:
            with show_progress(plan, err, show_evidence=show_evidence) as watcher:
                run = run_plan(plan, opened, watcher, budget=allowed)
        except KeyboardInterrupt:
            run = store.load(plan.run_id)
            show(run)
            err.print(
                escape(
                    f"Stopped with {len(run.outcomes)} of {len(plan.responses)} {plan.task.noun}s done; "
                    "every finished call is kept. The same command goes on from there."
                )
            )
            return 130
        except BudgetReachedError as reached:
            run = store.load(plan.run_id)
            if run.outcomes:
                show(run)
            err.print(
                escape(f"{len(run.outcomes)} of {len(plan.responses)} {plan.task.noun}s done. {reached}")
            )
            return 3 if run.summary.scored else 1
        except CreaEvalError:
            run = store.load(plan.run_id)
            if run.outcomes:
                show(run)
            raise
    show(run)
    if not run.summary.scored:
        err.print("Nothing was scored.", style="yellow")
        return 1
    return 3 if run.n_failed or run.summary.not_captured else 0


def _check_writable(folder: Path) -> None:
    """Check that a folder can be made or written to; SettingError if not."""
    there = next(place for place in (folder, *folder.parents) if place.exists())
    if not os.access(there, os.W_OK):
        raise SettingError(
            f"{folder}: results cannot be written here; name a folder where you may write with --out, and "
            "such a file with --ledger if need be."
        )


def _report(
    run: Run, *, folder: Path, ratings: Sequence[Rating], rating_note: str, said: Sequence[str]
) -> None:
    from rich.console import Console

    from creaeval.agreement import differences
    from creaeval.report.terminal import print_run
    from creaeval.runs import export_run, write_table

    console = Console(highlight=False, emoji=False)
    print_run(console, run, ratings, rating_note=rating_note, said=said)
    written = [path for path in export_run(run, folder) if path.parent == folder]
    if ratings:
        written.append(write_table(differences(run, ratings), folder / "differences.csv"))
    _say_where(console, folder, written)


def _say_where(console: Console, folder: Path, files: Sequence[Path]) -> None:
    names = [*(path.name for path in files), *(["responses/"] if (folder / "responses").is_dir() else [])]
    console.print(
        f"Files are in {folder}: {', '.join(names)}",
        markup=False,
        soft_wrap=True,
    )


def _analyst(plan: Plan) -> str:
    return "" if plan.analyst is None else f"analyst {plan.analyst.name} ({plan.options.depth} evidence), "


def _repeats(plan: Plan) -> str:
    counts = (("evidence", plan.evidence_repeats), ("judging", plan.judge_repeats))
    return "".join(f", {what} {times} times" for what, times in counts if times > 1)
