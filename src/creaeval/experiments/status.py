"""Where an experiment stands: what its runs came to so far, and what they cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from creaeval.experiments.planning import Planned, PlannedRun
    from creaeval.runs import Run, RunStore


@dataclass(frozen=True)
class RunStatus:
    """Where one run stands.

    Parameters
    ----------
    planned : PlannedRun
        The run.
    state : str
        ``not begun``, ``running`` (or killed), ``finished``, ``stopped``, ``failed``; ``not at hand`` where a
        template stands for the responses.
    wanted : int
        Responses that are to be scored.
    scored, failed : int
        Those with a score sheet, and those with a failure.
    cost_usd : float
        What its calls cost when they were made, as far as prices are known. Calls that several runs share
        count in each.
    unpriced : int
        Calls without a known price.
    """

    planned: PlannedRun
    state: str
    wanted: int
    scored: int = 0
    failed: int = 0
    cost_usd: float = 0.0
    unpriced: int = 0


@dataclass(frozen=True)
class Status:
    """Where an experiment stands.

    Parameters
    ----------
    runs : tuple of RunStatus
        Its runs, in the order in which they are made.
    cost_usd : float
        What all calls cost, one that several runs share counted once.
    unpriced : int
        Calls without a known price.
    """

    runs: tuple[RunStatus, ...]
    cost_usd: float
    unpriced: int


def find_status(planned: Planned, store: RunStore) -> Status:
    """Look up where an experiment's runs stand.

    Parameters
    ----------
    planned : Planned
        From :func:`creaeval.experiments.planning.plan_experiment`.
    store : RunStore
        The runs of a ledger.

    Returns
    -------
    Status
    """
    costs: dict[str, float | None] = {}
    lines: list[RunStatus] = []
    for planned_run, run in zip(planned.runs, stored_runs(planned.runs, store), strict=True):
        pretended, wanted = planned_run.pretended, len(planned_run.plan.responses)
        if pretended is not None:
            lines.append(RunStatus(planned_run, "not at hand", pretended))
        elif run is None:
            lines.append(RunStatus(planned_run, "not begun", wanted))
        else:
            own = {call.key: call.cost_usd for call in run.calls}
            costs |= own
            counts = (run.summary.scored, run.n_failed)
            lines.append(RunStatus(planned_run, run.state, wanted, *counts, *_total(own.values())))
    return Status(tuple(lines), *_total(costs.values()))


def stored_runs(planned: Sequence[PlannedRun], store: RunStore) -> list[Run | None]:
    """Load the runs that there are.

    Parameters
    ----------
    planned : sequence of PlannedRun
        The runs; one whose responses are pretended is no run.
    store : RunStore
        The runs of a ledger.

    Returns
    -------
    list of Run or None
        In their order.
    """
    known = {line.id for line in store.list()}
    return [
        store.load(run.plan.run_id) if run.pretended is None and run.plan.run_id in known else None
        for run in planned
    ]


def _total(costs: Collection[float | None]) -> tuple[float, int]:
    return sum(cost for cost in costs if cost is not None), sum(cost is None for cost in costs)
