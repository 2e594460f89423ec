"""Tables of what was paid through a ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from creaeval.llm.ledger import FailedAttempts, Totals


def accounts_table(totals: Sequence[Totals]) -> Table:
    """Lay out tokens, time and costs.

    Parameters
    ----------
    totals : sequence of Totals
        One line each.

    Returns
    -------
    rich.table.Table
    """
    table = _table("Paid through this ledger", ("Role", "Model"), (
        "calls", "unusable", "tokens in", "cached", "tokens out", "reasoning", "seconds", "cost",
    ))  # fmt: skip
    for one in totals:
        used = one.usage
        counts = (one.calls, one.rejected, used.input, used.cached, used.output, used.reasoning)
        table.add_row(
            escape(one.role),
            escape(f"{one.provider}:{one.model}"),
            *(f"{count:,}" for count in counts),
            f"{one.seconds:,.0f}",
            _cost(one),
        )
    return table


def failed_attempts_table(failed: Sequence[FailedAttempts]) -> Table:
    """Lay out how often requests brought no reply.

    Parameters
    ----------
    failed : sequence of FailedAttempts
        One line each.

    Returns
    -------
    rich.table.Table
    """
    table = _table("Attempts without a reply", ("Role", "Model", "Failure"), ("attempts", "seconds"))
    for one in failed:
        names = (escape(name) for name in (one.role, one.model, one.kind))
        table.add_row(*names, f"{one.attempts:,}", f"{one.seconds:,.0f}")
    return table


def _table(title: str, names: Sequence[str], numbers: Sequence[str]) -> Table:
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    for name in names:
        table.add_column(name, overflow="fold")
    for number in numbers:
        table.add_column(number, justify="right")
    return table


def _cost(total: Totals) -> str:
    if total.unpriced == total.calls:
        return "not priced"
    cost = f"${total.cost_usd:,.4f}"
    return f"{cost}, {total.unpriced} calls not priced" if total.unpriced else cost
