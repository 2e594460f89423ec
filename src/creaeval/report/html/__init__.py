"""A run, or several, as one HTML file that needs nothing else."""

from creaeval.report.html.agreement import agreement_section
from creaeval.report.html.data import Case, Figure, ReportData, RunPart, Section, Table
from creaeval.report.html.page import render_report, write_report
from creaeval.report.html.run_report import (
    find_shared,
    name_runs,
    run_facts,
    run_notes,
    run_report,
    run_sections,
)

__all__ = [
    "Case",
    "Figure",
    "ReportData",
    "RunPart",
    "Section",
    "Table",
    "agreement_section",
    "find_shared",
    "name_runs",
    "render_report",
    "run_facts",
    "run_notes",
    "run_report",
    "run_sections",
    "write_report",
]
