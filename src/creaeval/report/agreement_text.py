"""Print agreement so that it can be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.markup import escape

from creaeval.report.agreement_notes import agreement_notes
from creaeval.report.agreement_tables import agreement_tables
from creaeval.report.display.terminal import print_tables

if TYPE_CHECKING:
    from rich.console import Console

    from creaeval.agreement.agree import AgreementReport


def print_agreement(console: Console, report: AgreementReport) -> None:
    """Print the tables, then what must be known to read them."""
    print_tables(console, agreement_tables(report))
    for line in agreement_notes(report):
        console.print(escape(line), highlight=False)
