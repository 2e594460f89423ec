"""Write agreement for papers: tables in Markdown and LaTeX, and an R script that repeats them."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from creaeval.agreement.agreement import MEASURES
from creaeval.agreement.pair_values import AVG, HUMAN
from creaeval.report.agreement_text import measure_rows
from creaeval.report.formatting import span, value_texts
from creaeval.report.markup import escape_latex, latex_grid, markdown_grid, write_text
from creaeval.runs import write_table
from creaeval.tasks import display_name

if TYPE_CHECKING:
    from pathlib import Path

    from creaeval.agreement.agree import AgreementReport


def write_agreement(report: AgreementReport, folder: Path) -> list[Path]:
    """Write all tables of a report."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, table in report.tables.items():
        if name != "means":  # they are part of agreement.csv
            with_task = table.copy()
            with_task.insert(0, "task", report.task.id)
            written.append(write_table(with_task, folder / f"{name}.csv"))
    scripts = [files("creaeval.report") / name for name in ("agreement.R", "rasch.R")]
    return [
        *written,
        write_table(report.points, folder / "long.csv"),
        write_text(folder / "agreement.md", markdown(report)),
        write_text(folder / "agreement.tex", latex(report)),
        *(write_text(folder / script.name, script.read_text(encoding="utf-8")) for script in scripts),
    ]


def markdown(report: AgreementReport) -> str:
    """Lay the means out in Markdown, one table a measure."""
    parts = []
    for measure in _measures(report):
        parts.append(f"**{MEASURES[measure]}**\n\n{markdown_grid(*_paper_table(report, measure))}\n")
    return "\n".join([*parts, *(f"- {note}" for note in report.notes)]).rstrip() + "\n"


def latex(report: AgreementReport) -> str:
    """Lay the means out in LaTeX (package booktabs), one table a measure."""
    parts = []
    for measure in _measures(report):
        header, rows = _paper_table(report, measure)
        cells = [[escape_latex(cell) for cell in row] for row in rows]
        ruled = [number for number, row in enumerate(rows) if row[0] == AVG]
        caption = escape_latex(f"{MEASURES[measure]}, task {report.task.id}")
        parts.append(latex_grid([escape_latex(cell) for cell in header], cells, caption, ruled))
    notes = [f"% {line}" for note in report.notes for line in note.splitlines()]
    return "\n\n".join([*parts, "\n".join(notes)]).rstrip() + "\n"


def _measures(report: AgreementReport) -> list[str]:
    """List the measures that have means: bias has none between people."""
    metrics = report.tables["means"]["metric"]
    return [measure for measure in report.measures if metrics.eq(measure).any()]


def _paper_table(report: AgreementReport, measure: str) -> tuple[list[str], list[list[str]]]:
    means = report.tables["means"]
    judges = list(dict.fromkeys(means.loc[means["metric"].eq(measure), "judge"]))
    by_dimension, shares = measure_rows(means, measure)
    rows = []
    for dimension, cells in by_dimension.items():
        rows.append([_name(report, dimension), *value_texts(cells, judges), span(cells["n"])])
    if len(shares):
        rows.append([f"share of {HUMAN}", *value_texts(shares, judges), ""])
    return ["", *judges, "n"], rows


def _name(report: AgreementReport, dimension: str) -> str:
    if dimension == AVG:
        return AVG
    step = report.task.step(dimension.partition(".")[0])
    return f"{step.name}: {display_name(report.task, dimension)}"
