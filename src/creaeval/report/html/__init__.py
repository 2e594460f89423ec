"""A run, or several, as one HTML file that needs nothing else."""

from creaeval.report.display import DisplayTable, plain_table
from creaeval.report.html.data import Case, Figure, ReportData, RunPart, Section
from creaeval.report.html.page import render_report, write_report
from creaeval.report.html.run_report import find_shared, name_runs, run_report

__all__ = [
    "Case",
    "DisplayTable",
    "Figure",
    "ReportData",
    "RunPart",
    "Section",
    "find_shared",
    "name_runs",
    "plain_table",
    "render_report",
    "run_report",
    "write_report",
]
