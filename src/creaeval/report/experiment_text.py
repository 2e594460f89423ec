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
    labels = _labels(console, planned.runs, [planned.feeds_of(one.cells) for one in planned.runs])
    for label, one, estimate in zip(labels, planned.runs, estimates, strict=True):
        table.add_row(label, _amount(one), *_estimate_cells(estimate))
    table.add_section()
    sums = ("All, shared calls once", "") if _is_wide(console) else ("All", "shared calls once")
    table.add_row(*sums, *_estimate_cells(together))
    console.print(table)
    if together.unpriced:
        names = ", ".join(together.unpriced)
        console.print(
            escape(f"No price is known for {names}, so the sums leave {_it(together.unpriced)} out.")
        )
    for note in together.notes:
        console.print(escape(note), soft_wrap=True)
    console.print(
        "Tokens are estimated from characters and replies of ordinary length, without prefix caches; replies "
        "that must be asked for again are not foreseen. Nothing was sent.",
        soft_wrap=True,
    )
    for cell in planned.untrained:
        feeds = f" It feeds {', '.join(what)}." if (what := planned.feeds_of([cell])) else ""
        console.print(escape(f"{cell.label}: {UNTRAINED}.{feeds}"), soft_wrap=True)


def print_status(console: Console, planned: Planned, status: Status) -> None:
    """Print where an experiment's runs stand."""
    table = _table("Run", "State", "To score", "Scored", "Failed", "Cost", "Id", numbers=range(2, 6))
    labels = _labels(console, [one.planned for one in status.runs])
    for label, one in zip(labels, status.runs, strict=True):
        table.add_row(
            label,
            one.state,
            str(one.wanted),
            str(one.scored),
            str(one.failed),
            cost_text(one.cost_usd, one.unpriced),
            "" if one.planned.pretended is not None else one.planned.plan.run_id,
        )
    console.print(table)
    finished = sum(one.state == "finished" for one in status.runs)
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
        if end.error:
            console.print(escape(f"{end.planned.label}: {end.state}. {end.error}"), soft_wrap=True)
        elif end.failed:
            words = (
                f"{end.planned.label}: {end.failed} failed; `creaeval runs show {end.planned.plan.run_id}` "
                "says why, and the same command asks again for them."
            )
            console.print(escape(words), soft_wrap=True)
        if end.not_captured:
            words = (
                f"{end.planned.label}: {end.not_captured} expected scores could not be taken; "
                f"`creaeval runs show {end.planned.plan.run_id}` says why."
            )
            console.print(escape(words), soft_wrap=True)
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
        "\n→ ".join([one.label, *([", ".join(what)] if what else [])])
        for one, what in zip(runs, feeds or [()] * len(runs), strict=True)
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


def _amount(planned: PlannedRun) -> str:
    if planned.pretended is None:
        return describe_size(planned.plan)
    return f"{planned.pretended} by template"


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


def _it(several: Sequence[str]) -> str:
    return "it" if len(several) == 1 else "them"
