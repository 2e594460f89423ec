"""Agreement with ratings as a section of a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from creaeval.report.agreement_notes import agreement_notes
from creaeval.report.agreement_tables import agreement_tables
from creaeval.report.display.build import value_cell
from creaeval.report.display.labels import AVG, HUMAN, measure_label
from creaeval.report.html.data import Section

if TYPE_CHECKING:
    from collections.abc import Iterator

    from creaeval.agreement.agree import AgreementReport


def agreement_section(report: AgreementReport) -> Section:
    """Lay a report of agreement out."""
    return Section("Agreement with the ratings", [*agreement_tables(report), *agreement_notes(report)])


def agreement_headline(report: AgreementReport) -> Iterator[tuple[str, str, str]]:
    """Yield the average of the first measure that is defined: of each method, then of people."""
    means = report.tables["means"]
    averages = means["dimension"].eq(AVG) & means["metric"].isin(report.options.measures)
    rows = means[averages & means["value"].notna()]
    if not len(rows):
        return
    measure = rows["metric"].iloc[0]
    # The last row of a method with several judges is their mean.
    last = rows[rows["metric"].eq(measure)].drop_duplicates("method", keep="last")
    for row in last.to_dict("records"):
        who = "people with each other" if row["judge"] == HUMAN else str(row["judge"])
        cell = value_cell({str(key): value for key, value in row.items()})
        value = f"{cell.text} {cell.interval}".strip()
        yield f"{measure_label(measure)}, {who}", value, f"mean of dimensions, n {int(row['n'])}"
