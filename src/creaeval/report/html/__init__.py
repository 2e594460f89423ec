"""A run, or several, as one HTML file that needs nothing else."""

from creaeval.report.html.data import Case, Figure, ReportData, RunPart, Section, Table
from creaeval.report.html.page import render_report, write_report
from creaeval.report.html.run_report import find_shared, name_runs, run_report

__all__ = [
    "Case",
    "Figure",
    "ReportData",
    "RunPart",
    "Section",
    "Table",
    "find_shared",
    "name_runs",
    "render_report",
    "run_report",
    "write_report",
]
