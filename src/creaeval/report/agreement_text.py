"""Print agreement so that it can be read."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape

from creaeval.report.agreement_notes import agreement_notes
from creaeval.report.agreement_tables import agreement_tables
from creaeval.report.display.terminal import print_tables

if TYPE_CHECKING:
    from creaeval.agreement.agree import AgreementReport


def print_agreement(console: Console, report: AgreementReport) -> None:
    """Print the tables, then what must be known to read them."""
    print_tables(console, agreement_tables(report))
    for line in agreement_notes(report):
        console.print(escape(line), highlight=False)


def summary_text(report: AgreementReport, width: int = 120) -> str:
    """Write what `creaeval agree` prints, in lines of so many characters."""
    file = StringIO()
    print_agreement(Console(file=file, width=width, highlight=False, emoji=False), report)
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines()) + "\n"
