"""Make the runs of an experiment one after another, each concurrent within itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from creaeval.errors import BudgetReachedError, CreaEvalError, LedgerError
from creaeval.experiments.planning import plan_experiment
from creaeval.runs import RunStore, run_plan
from creaeval.runs.run import failures_on_record

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from creaeval.experiments.file import Experiment
    from creaeval.experiments.planning import Planned, PlannedRun
    from creaeval.llm import Ledger
    from creaeval.llm.budget import Budget
    from creaeval.runs import Run, Watcher

#: ``kept`` was finished before, without a failure; ``failed`` and ``stopped`` ended early or scored nothing.
EndState = Literal["kept", "finished", "failed", "stopped", "not reached"]


@dataclass(frozen=True)
class RunEnd:
    """How one run of an experiment ended.

    Parameters
    ----------
    planned : PlannedRun
        What was to be done.
    state : {"kept", "finished", "failed", "stopped", "not reached"}
        How it ended.
    run : Run or None
        The run as far as it got; None where it was not reached.
    error : str
        Why it failed or was stopped.
    """

    planned: PlannedRun
    state: EndState
    run: Run | None = None
    error: str = ""

    @property
    def scored(self) -> int:
        """Responses with a score sheet."""
        return 0 if self.run is None else int(self.run.manifest.get("scored", 0))

    @property
    def failed(self) -> int:
        """Responses with a failure."""
        return 0 if self.run is None else failures_on_record(self.run.manifest)

    @property
    def not_captured(self) -> int:
        """Expected scores that could not be taken; asking again would bring the same replies."""
        return 0 if self.run is None else int(self.run.manifest.get("not_captured", 0))


class GridWatcher(Protocol):
    """Whoever wants to see an experiment's progress."""

    def run_begins(self, planned: PlannedRun) -> Watcher | None:
        """Handle the begin of a run; what is returned sees its progress."""
        ...

    def run_ends(self, end: RunEnd) -> None:
        """Handle the end of a run, also of one that was finished before."""
        ...


def run_experiment(
    experiment: Experiment,
    ledger: Ledger,
    *,
    watcher: GridWatcher | None = None,
    budget: Budget | None = None,
    only: Sequence[str] = (),
    keys: str | Path | None = None,
) -> tuple[RunEnd, ...]:
    """Plan an experiment and make its runs; see :func:`make_runs`.

    Parameters
    ----------
    experiment : Experiment
        From :func:`creaeval.experiments.file.read_experiment`.
    ledger : Ledger
        Where calls and runs are kept. A finished call in it is not made again, whatever run it was made for.
    watcher : GridWatcher, optional
        Sees the progress.
    budget : Budget, optional
        What may be spent on all runs together.
    only : sequence of str
        Names of blocks; all if empty.
    keys : path, optional
        A file with API keys, which else come from the environment.

    Returns
    -------
    tuple of RunEnd

    Raises
    ------
    SettingError, DataError
        With the problems of all cells, before the first call.
    LedgerError, KeyboardInterrupt
        As in :func:`make_runs`.
    """
    planned = plan_experiment(experiment, only=only, keys=keys)
    return make_runs(planned, ledger, watcher=watcher, budget=budget)


def make_runs(
    planned: Planned,
    ledger: Ledger,
    *,
    watcher: GridWatcher | None = None,
    budget: Budget | None = None,
) -> tuple[RunEnd, ...]:
    """Make planned runs one after another.

    A run that was finished before without a failure is kept as it is. One that cannot go on, say for a bad
    key, is recorded as failed, and the others go on. When the budget is reached, nothing further is begun.

    Parameters
    ----------
    planned : Planned
        From :func:`creaeval.experiments.planning.plan_experiment`.
    ledger, watcher, budget
        As in :func:`run_experiment`.

    Returns
    -------
    tuple of RunEnd
        How each run ended, in the order of the plan.

    Raises
    ------
    SettingError
        There is a budget, and a model's price is not known.
    LedgerError, KeyboardInterrupt
        Nothing can go on, or the user wants it so. What was finished is in the ledger.
    """
    if budget is not None:
        budget.check(model for run in planned.runs for model, _ in run.plan.roles)
    store = RunStore(ledger)
    known = {line.id for line in store.list()}
    ends: list[RunEnd] = []
    for planned_run in planned.runs:
        run_id = planned_run.plan.run_id
        if (run := _finished(store, run_id, known)) is not None:
            end = RunEnd(planned_run, "kept", run)
        elif budget is not None and budget.reached:
            end = RunEnd(planned_run, "not reached")
        else:
            end = _make(planned_run, ledger, store, watcher, budget)
            known.add(run_id)
        ends.append(end)
        if watcher is not None:
            watcher.run_ends(end)
    return tuple(ends)


def _finished(store: RunStore, run_id: str, known: set[str]) -> Run | None:
    run = store.load(run_id) if run_id in known else None
    if run is None or run.state != "finished" or failures_on_record(run.manifest):
        return None
    return run


def _make(
    planned: PlannedRun,
    ledger: Ledger,
    store: RunStore,
    watcher: GridWatcher | None,
    budget: Budget | None,
) -> RunEnd:
    plan = planned.plan
    seen = None if watcher is None else watcher.run_begins(planned)
    try:
        run = run_plan(plan, ledger, seen, budget=budget)
        if run.state == "failed":
            why = f"Nothing was scored; `creaeval runs show {run.id}` says why."
            return RunEnd(planned, "failed", run, why)
        return RunEnd(planned, "finished", run)
    except LedgerError:
        raise
    except BudgetReachedError as error:
        return RunEnd(planned, "stopped", store.load(plan.run_id), str(error))
    except CreaEvalError as error:
        return RunEnd(planned, "failed", store.load(plan.run_id), str(error))
