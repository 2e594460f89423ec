"""Show a run's progress on stderr: responses, calls, failures, tokens, time left."""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from operator import add
from typing import TYPE_CHECKING

from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.console import Console

    from creaeval.experiments.planning import Planned, PlannedRun
    from creaeval.experiments.run import RunEnd
    from creaeval.llm import CallRecord
    from creaeval.methods import Outcome
    from creaeval.runs import Plan
    from creaeval.sheets import StepEvidence
    from creaeval.tasks import Task


_SECONDS_BETWEEN_LINES = 30.0
_LEAST_SHOWN = 0.0001


@dataclass
class Counts:
    """What was done: responses, failures, attempts, tokens, calls from the ledger, money."""

    done: int = 0
    failed: int = 0
    retries: int = 0
    tokens: int = 0
    replayed: int = 0
    cost: float = 0.0
    unpriced: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(*map(add, astuple(self), astuple(other)))

    def add(self, call: CallRecord) -> None:
        """Count a reply."""
        self.replayed += call.from_ledger
        if not call.from_ledger:
            self.tokens += call.usage.input + call.usage.output
            self.cost += call.cost_usd or 0.0
            self.unpriced += call.cost_usd is None

    def words(self, done: str) -> str:
        """Write the counts out after what says how much is done."""
        parts = [done, f"{self.failed} failed"]
        if self.retries:
            parts.append(f"{self.retries} failed attempts")
        parts.append(f"{self.tokens / 1000:.1f}k tokens")
        if self.replayed:
            parts.append(f"{self.replayed} calls from the ledger")
        parts.append(cost_text(self.cost, self.unpriced))
        return ", ".join(parts)


class ProgressWatcher:
    """Count what a run does and draw it as one line."""

    def __init__(
        self,
        progress: Progress,
        plan: Plan,
        on_change: Callable[[], None] | None = None,
        *,
        show_evidence: bool = False,
    ) -> None:
        self._progress, self._plan, self._on_change = progress, plan, on_change
        self._show_evidence = show_evidence
        self.counts = Counts()
        self._calls: dict[str, int] = {}
        self._last_line = time.monotonic()
        # By what calls are labelled with: a response, or several that share a call.
        self._planned = {batch.case.response.id: plan.calls_of(batch) for batch in plan.batches}
        self._open = {batch.case.response.id: len(batch.asked) for batch in plan.batches}
        self._labels = {
            batch.cases[number - 1].response.id: batch.case.response.id
            for batch in plan.batches
            for number in batch.asked
        }
        self._stage = "starting"
        self._line = progress.add_task("", total=plan.n_calls, counts=self._words(), stage=self._stage)

    @property
    def completed(self) -> float:
        """How many of the planned calls are done."""
        return next(task.completed for task in self._progress.tasks if task.id == self._line)

    def remove(self) -> None:
        """Take the line away."""
        self._progress.remove_task(self._line)

    def call_done(self, call: CallRecord) -> None:
        """Count a reply."""
        label = call.label["response_id"]
        self.counts.add(call)
        # A repaired reply is a call more than planned: the bar must not run past the response's share.
        calls = self._calls[label] = self._calls.get(label, 0) + 1
        advance = 1 if calls <= self._planned.get(label, 0) else 0
        stage = call.label.get("step", call.role)
        self._stage = escape(f"{label} {stage}")
        self._draw(advance)

    def attempt_failed(self) -> None:
        """Count a failed attempt."""
        self.counts.retries += 1
        self._draw(0)

    def evidence_found(self, response_id: str, evidence: StepEvidence) -> None:
        """Print a step's evidence, if it is to be shown."""
        if self._show_evidence:
            self._stage = escape(f"{response_id} {evidence.step}")
            for line in evidence_lines(self._plan.task, evidence):
                self._progress.console.print(escape(line), soft_wrap=True)

    def response_done(self, outcome: Outcome) -> None:
        """Count a finished response."""
        self.counts.done += 1
        self.counts.failed += bool(outcome.failures)
        missing = 0
        if (label := self._labels.get(outcome.response_id)) is not None:
            self._open[label] -= 1
            if not self._open[label]:
                missing = max(0, self._planned[label] - self._calls.pop(label, 0))
        self._draw(missing)

    def _draw(self, advance: int) -> None:
        self._progress.update(self._line, advance=advance, counts=self._words(), stage=self._stage)
        if self._on_change is not None:
            self._on_change()
        # Where no bar can be drawn, in a log or a batch job, a line now and then says that work goes on.
        now = time.monotonic()
        if not self._progress.console.is_terminal and now - self._last_line >= _SECONDS_BETWEEN_LINES:
            self._last_line = now
            self._progress.console.print(f"{self.completed:.0f}/{self._plan.n_calls} calls, {self._words()}")

    def _words(self) -> str:
        noun = self._plan.task.noun
        return self.counts.words(f"{self.counts.done}/{len(self._plan.responses)} {noun}s")


class ExperimentProgress:
    """Draw the runs of an experiment as two lines: the whole, and the run that is being made."""

    def __init__(self, progress: Progress, planned: Planned) -> None:
        self._progress, self._n_runs = progress, len(planned.runs)
        self._counts = Counts()
        self._ended, self._calls = 0, 0.0
        self._run: ProgressWatcher | None = None
        total = sum(run.plan.n_calls for run in planned.runs)
        self._line = progress.add_task("", total=total, counts=self._words(), stage="whole experiment")

    def run_begins(self, planned: PlannedRun) -> ProgressWatcher:
        """Draw a line for a run."""
        label = f"Run {self._ended + 1} of {self._n_runs}: {planned.label}"
        self._progress.console.print(escape(label), soft_wrap=True)
        self._run = ProgressWatcher(self._progress, planned.plan, self._draw)
        return self._run

    def run_ends(self, end: RunEnd) -> None:
        """Count a run that ended and say how."""
        done = 0.0
        if self._run is not None:
            done = self._run.completed
            self._counts += self._run.counts
            self._run.remove()
            self._run = None
        self._ended += 1
        self._calls += end.planned.plan.n_calls if end.state in ("kept", "finished") else done
        self._draw()
        if end.state != "finished":
            words = f"{end.planned.label}: {end.state}" + (f". {end.error}" if end.error else "")
            self._progress.console.print(escape(words), soft_wrap=True)

    def _draw(self) -> None:
        done = self._calls + (0 if self._run is None else self._run.completed)
        self._progress.update(self._line, completed=done, counts=self._words())

    def _words(self) -> str:
        counts = self._counts if self._run is None else self._counts + self._run.counts
        return counts.words(f"{self._ended}/{self._n_runs} runs, {counts.done} responses")


def evidence_lines(task: Task, evidence: StepEvidence) -> list[str]:
    """Write a step's evidence for somebody who waits."""
    step = task.step(evidence.step)
    lines = ["", f"Evidence for {step.name}:"]
    for item in evidence.given_items:
        kind = step.items.name if step.items is not None else "item"
        same = " and ".join(map(str, item.same_as))
        notes = "; ".join(filter(None, [item.category, same and f"says the same as {same}"]))
        lines.append(f"  {kind} {item.item}" + (f" ({notes})" if notes else ""))
        lines += [
            f"    {step.dimension(name).name}: {finding.observation}"
            for name, finding in item.dimensions.items()
        ]
    lines += [
        f"  {step.dimension(name).name}: {finding.observation}"
        for name, finding in evidence.dimensions.items()
        if step.dimension(name).derive != "distinct_categories"
    ]
    return lines


def cost_text(usd: float, unpriced: int) -> str:
    """Write a cost so that what is not known is said."""
    digits = 2 if usd >= 1 or usd == 0 else 4
    known = "$0" if usd == 0 else f"${usd:.{digits}f}"
    if 0 < usd < _LEAST_SHOWN:
        known = f"under ${_LEAST_SHOWN}"
    if not unpriced:
        return known
    calls = f"{unpriced} {'call' if unpriced == 1 else 'calls'} not priced"
    return f"{known} and {calls}" if usd else calls


@contextmanager
def show_progress(plan: Plan, console: Console, *, show_evidence: bool = False) -> Iterator[ProgressWatcher]:
    """Draw progress while the block runs."""
    with _drawn(console) as progress:
        yield ProgressWatcher(progress, plan, show_evidence=show_evidence)


@contextmanager
def show_experiment(planned: Planned, console: Console) -> Iterator[ExperimentProgress]:
    """Draw the progress of an experiment while the block runs."""
    with _drawn(console) as progress:
        yield ExperimentProgress(progress, planned)


@contextmanager
def _drawn(console: Console) -> Iterator[Progress]:
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
        yield progress
