"""What became of a run's quotes, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from creaeval.runs.summary import Summary


def quotes_line(summary: Summary) -> str:
    """Count a run's quotes by outcome in a sentence without its full stop, for terminals and pages.

    Parameters
    ----------
    summary : Summary
        The run's counts, with at least one quote.

    Returns
    -------
    str
    """
    share = summary.quotes_exact / summary.quotes
    return (
        f"Quotes: {summary.quotes_exact} of {summary.quotes} ({share:.0%}) stand in their own item or step "
        f"word for word, {summary.quotes_nearly} nearly, {summary.quotes_elsewhere} elsewhere in the "
        f"response, {summary.quotes_not_found} nowhere"
    )
