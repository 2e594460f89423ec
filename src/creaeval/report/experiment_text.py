"""Experiments in the terminal: what one will take, where it stands, how its runs ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from creaeval.experiments.grid import UNTRAINED
from creaeval.report.progress import cost_text
from creaeval.runs.plan import describe_size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from creaeval.experiments.estimate import CellEstimate
    from creaeval.experiments.grid import Cell
    from creaeval.experiments.planning import Planned, PlannedRun
    from creaeval.experiments.run import RunEnd
    from creaeval.experiments.status import Status

# A table that is narrower than this leaves no room for the names of runs.
_WIDE_ENOUGH = 120
# Columns that are not broken; the others are where there is no room.
_WHOLE = ("Calls", "Tokens in", "Tokens out", "Scored", "Failed", "Id")


def print_estimate(
    console: Console, planned: Planned, estimates: Sequence[CellEstimate], together: CellEstimate
) -> None:
    """Print what an experiment will take."""
    table = _table("Run", "Responses", "Calls", "In the ledger", "Tokens in", "Tokens out", "US dollars")
    labels = _labels(console, planned.runs, [planned.feeds_of(run.cells) for run in planned.runs])
    for label, run, estimate in zip(labels, planned.runs, estimates, strict=True):
        table.add_row(label, _size(run), *_estimate_cells(estimate))
    table.add_section()
    sums = ("All, shared calls once", "") if _is_wide(console) else ("All", "shared calls once")
    table.add_row(*sums, *_estimate_cells(together))
    console.print(table)
    if together.unpriced:
        names, pronoun = ", ".join(together.unpriced), "it" if len(together.unpriced) == 1 else "them"
        console.print(escape(f"No price is known for {names}, so the sums leave {pronoun} out."))
    for note in together.notes:
        console.print(escape(note), soft_wrap=True)
    console.print(
        "Tokens are estimated from characters and replies of ordinary length, without prefix caches; replies "
        "that must be asked for again are not foreseen. Nothing was sent.",
        soft_wrap=True,
    )
    for cell in planned.untrained:
        feeds = f" It feeds {', '.join(tables)}." if (tables := planned.feeds_of([cell])) else ""
        console.print(escape(f"{cell.label}: {UNTRAINED}.{feeds}"), soft_wrap=True)


def print_status(console: Console, planned: Planned, status: Status) -> None:
    """Print where an experiment's runs stand."""
    table = _table("Run", "State", "To score", "Scored", "Failed", "Cost", "Id", numbers=range(2, 6))
    labels = _labels(console, [run.planned for run in status.runs])
    for label, run in zip(labels, status.runs, strict=True):
        table.add_row(
            label,
            run.state,
            *map(str, (run.wanted, run.scored, run.failed)),
            cost_text(run.cost_usd, run.unpriced),
            "" if run.planned.pretended is not None else run.planned.plan.run_id,
        )
    console.print(table)
    finished = sum(run.state == "finished" for run in status.runs)
    console.print(
        f"{finished} of {len(status.runs)} runs finished. All their calls together, shared ones once: "
        f"{cost_text(status.cost_usd, status.unpriced)}."
    )
    print_untrained(console, planned.untrained)


def print_ends(console: Console, ends: Sequence[RunEnd], spent: str) -> None:
    """Print how the runs ended, and name those that did not go as they should."""
    table = _table("Run", "Ended", "Scored", "Failed", "Id", numbers=(2, 3))
    labels = _labels(console, [end.planned for end in ends])
    for label, end in zip(labels, ends, strict=True):
        state = "finished before" if end.state == "kept" else end.state
        table.add_row(label, state, str(end.scored), str(end.failed), end.planned.plan.run_id)
    console.print(table)
    for end in ends:
        show = f"`creaeval runs show {end.planned.plan.run_id}` says why"
        lines = []
        if end.error:
            lines.append(f"{end.state}. {end.error}")
        elif end.failed:
            lines.append(f"{end.failed} failed; {show}, and the same command asks again for them.")
        if end.not_captured:
            lines.append(f"{end.not_captured} expected scores could not be taken; {show}.")
        for line in lines:
            console.print(escape(f"{end.planned.label}: {line}"), soft_wrap=True)
    if spent:
        console.print(spent)


def print_untrained(console: Console, untrained: Sequence[Cell]) -> None:
    """Name the cells that cannot be run for want of a trained model."""
    for cell in untrained:
        console.print(escape(f"{cell.label}: {UNTRAINED}."), soft_wrap=True)


def _is_wide(console: Console) -> bool:
    return console.width >= _WIDE_ENOUGH


def _labels(
    console: Console, runs: Sequence[PlannedRun], feeds: Sequence[Sequence[str]] | None = None
) -> list[str]:
    """Name runs for the first column; where it would be too narrow for names, list them by number first."""
    lines = [
        f"{run.label}\n→ {', '.join(tables)}" if tables else run.label
        for run, tables in zip(runs, feeds or [()] * len(runs), strict=True)
    ]
    if _is_wide(console):
        return [escape(line) for line in lines]
    for number, line in enumerate(lines, 1):
        console.print(escape(f"{number}  {line}"), soft_wrap=True)
    return [str(number) for number in range(1, len(runs) + 1)]


def _table(first: str, *others: str, numbers: Sequence[int] | range | None = None) -> Table:
    table = Table(box=SIMPLE_HEAD)
    table.add_column(first, overflow="fold")
    for place, name in enumerate(others, 1):
        right = numbers is None or place in numbers
        table.add_column(name, justify="right" if right else "left", no_wrap=name in _WHOLE)
    return table


def _size(planned: PlannedRun) -> str:
    count = planned.pretended
    return describe_size(planned.plan) if count is None else f"{count} by template"


def _estimate_cells(estimate: CellEstimate) -> tuple[str, ...]:
    unpriced = estimate.unpriced
    money = f"{estimate.priced_usd:,.2f}" if estimate.priced_usd or not unpriced else ""
    return (
        f"{estimate.n_calls:,}",
        f"{estimate.n_made:,}" if estimate.n_made else "",
        f"{estimate.input_tokens:,}",
        f"{estimate.output_tokens:,}",
        f"{money} + not priced".removeprefix(" + ") if unpriced else money,
    )
