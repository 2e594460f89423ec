"""Show a run's progress on stderr: responses, calls, failures, tokens, time left."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from creaeval.llm import CallRecord
    from creaeval.methods import Outcome
    from creaeval.runs import Plan


_SECONDS_BETWEEN_LINES = 30.0
_LEAST_SHOWN = 0.0001


class ProgressWatcher:
    """Count what a run does and draw it as one line.

    Parameters
    ----------
    progress : rich.progress.Progress
        Where the line is drawn.
    plan : Plan
        Says how much there is to do.
    """

    def __init__(self, progress: Progress, plan: Plan) -> None:
        self._progress, self._plan = progress, plan
        self._done = self._failed = self._tokens = self._retries = self._replayed = 0
        self._calls: dict[str, int] = {}
        self._said = time.monotonic()
        self._per_case = {case.response.id: plan.calls_of(case) for case in plan.cases}
        self._cost = 0.0
        self._unpriced = 0
        self._stage = "starting"
        self._line = progress.add_task("", total=plan.n_calls, counts=self._counts(), stage=self._stage)

    def call_done(self, call: CallRecord) -> None:
        """Count a reply."""
        response_id = call.label["response_id"]
        self._replayed += call.from_ledger
        if not call.from_ledger:
            self._tokens += call.usage.input + call.usage.output
            self._cost += call.cost_usd or 0.0
            self._unpriced += call.cost_usd is None
        # A repaired reply is a call more than planned: the bar must not run past the response's share.
        calls = self._calls[response_id] = self._calls.get(response_id, 0) + 1
        advance = 1 if calls <= self._per_case.get(response_id, 0) else 0
        stage = call.label.get("step", call.role)
        self._stage = escape(f"{response_id} {stage}")
        self._draw(advance)

    def attempt_failed(self) -> None:
        """Count a failed attempt."""
        self._retries += 1
        self._draw(0)

    def response_done(self, outcome: Outcome) -> None:
        """Count a finished response."""
        self._done += 1
        self._failed += bool(outcome.failures)
        share = self._per_case.get(outcome.response_id, 0)
        missing = max(0, share - self._calls.pop(outcome.response_id, 0))
        self._draw(missing)

    def _draw(self, advance: int) -> None:
        self._progress.update(self._line, advance=advance, counts=self._counts(), stage=self._stage)
        # Where no bar can be drawn, in a log or a batch job, a line now and then says that work goes on.
        now = time.monotonic()
        if not self._progress.console.is_terminal and now - self._said >= _SECONDS_BETWEEN_LINES:
            self._said = now
            line = self._progress.tasks[self._line]
            self._progress.console.print(f"{line.completed:.0f}/{line.total:.0f} calls, {self._counts()}")

    def _counts(self) -> str:
        kind = "batches" if self._plan.task.unit == "item" else "responses"
        parts = [f"{self._done}/{len(self._plan.responses)} {kind}", f"{self._failed} failed"]
        if self._retries:
            parts.append(f"{self._retries} failed attempts")
        parts.append(f"{self._tokens / 1000:.1f}k tokens")
        if self._replayed:
            parts.append(f"{self._replayed} calls from the ledger")
        parts.append(cost_text(self._cost, self._unpriced))
        return ", ".join(parts)


def cost_text(usd: float, unpriced: int) -> str:
    """Write a cost so that what is not known is said.

    Parameters
    ----------
    usd : float
        US dollars of the calls with a price.
    unpriced : int
        Calls without one.

    Returns
    -------
    str
    """
    digits = 2 if usd >= 1 or usd == 0 else 4
    known = "$0" if usd == 0 else f"${usd:.{digits}f}"
    if 0 < usd < _LEAST_SHOWN:
        known = f"under ${_LEAST_SHOWN}"
    if not unpriced:
        return known
    calls = f"{unpriced} {'call' if unpriced == 1 else 'calls'} not priced"
    return f"{known} and {calls}" if usd else calls


@contextmanager
def show_progress(plan: Plan, console: Console) -> Iterator[ProgressWatcher]:
    """Draw progress while the block runs.

    Parameters
    ----------
    plan : Plan
        What is being done.
    console : rich.console.Console
        Standard error; on a pipe nothing is drawn.

    Yields
    ------
    ProgressWatcher
        To hand to the engine.
    """
    columns = (
        BarColumn(bar_width=24),
        TextColumn("{task.completed:.0f}/{task.total:.0f} calls"),
        TextColumn("{task.fields[counts]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        TextColumn("[dim]{task.fields[stage]}[/dim]"),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        yield ProgressWatcher(progress, plan)
