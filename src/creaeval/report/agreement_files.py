"""Write agreement as files: tables for programs and for papers, and R scripts that repeat them."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from creaeval.report.agreement_notes import agreement_notes
from creaeval.report.agreement_tables import agreement_tables
from creaeval.report.display.latex import latex_tables
from creaeval.report.display.markdown import markdown_tables
from creaeval.report.display.sheets import write_sheets
from creaeval.runs import write_table

if TYPE_CHECKING:
    from pathlib import Path

    from creaeval.agreement.agree import AgreementReport

R_SCRIPTS = ("agreement.R", "components.R", "rasch.R")


def write_agreement(report: AgreementReport, folder: Path) -> list[Path]:
    """Write all tables of a report: each as CSV, those that are shown as Markdown, LaTeX and a workbook."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, table in report.tables.items():
        if name != "means":  # they are part of agreement.csv
            with_task = table.copy()
            with_task.insert(0, "task", report.task.id)
            written.append(write_table(with_task, folder / f"{name}.csv"))
    tables, notes = agreement_tables(report), agreement_notes(report)
    scripts = [files("creaeval.report") / name for name in R_SCRIPTS]
    return [
        *written,
        write_table(report.data.table(), folder / "long.csv"),
        write_text(folder / "agreement.md", markdown_tables(tables, notes=notes)),
        write_text(folder / "agreement.tex", latex_tables(tables, f"Task {report.task.id}", notes)),
        write_sheets(tables, folder / "agreement.xlsx"),
        *(write_text(folder / script.name, script.read_text(encoding="utf-8")) for script in scripts),
    ]


def write_text(path: Path, text: str) -> Path:
    """Write a text file, the same on every system."""
    path.write_text(text, encoding="utf-8", newline="\n")
    return path
