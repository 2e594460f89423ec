"""Write an experiment's report: tables and figures as files, one workbook, a Markdown and an HTML page."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from creaeval.errors import SettingError
from creaeval.report.agreement_files import write_text
from creaeval.report.display.latex import latex_tables
from creaeval.report.display.markdown import escape_markdown, markdown_tables
from creaeval.report.experiment.compared import compared_of
from creaeval.report.experiment.exhibits import make_exhibits
from creaeval.report.experiment.page import experiment_page
from creaeval.runs import write_table
from creaeval.runs.workbook import write_workbook

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from pathlib import Path

    from creaeval.experiments.file import Experiment
    from creaeval.experiments.results import DataResults
    from creaeval.report.experiment.exhibits import Exhibits
    from creaeval.runs import Run


def write_experiment_report(
    experiment: Experiment,
    results: Mapping[str, DataResults],
    folder: Path,
    *,
    said: Callable[[str], None] = lambda _: None,
) -> list[Path]:
    """Write everything that an experiment's runs and scores show.

    Parameters
    ----------
    experiment : Experiment
        The experiment.
    results : mapping of str to DataResults
        From :func:`creaeval.experiments.load_results`; the ledger must be open.
    folder : Path
        Created if need be.
    said : callable
        Called with what is being worked on.

    Returns
    -------
    list of Path
        ``report.html``; ``report.md``; ``tables.xlsx``; in ``tables`` each table as CSV, Markdown and LaTeX;
        in ``figures`` each figure as PDF, SVG and its data.

    Raises
    ------
    SettingError
        There is nothing to report yet, or the folder cannot be written to.
    """
    from creaeval.report.html.page import check_target, write_page

    html = folder / "report.html"
    check_target(html)
    all_exhibits: list[Exhibits] = []
    for of_data in results.values():
        for compared in compared_of(experiment, of_data):
            said(f"{compared.title}: tables and figures")
            name = unused_name(compared.name, {others.compared.name for others in all_exhibits})
            exhibits = make_exhibits(
                replace(compared, name=name), experiment.agreement, experiment.similarity
            )
            exhibits.notes += _failures(compared.runs)
            all_exhibits.append(exhibits)
    if not all_exhibits:
        raise SettingError(
            f"{experiment.name}: no run of it is finished and it names no scores, so there is nothing to "
            "report. `creaeval experiment run` makes the runs."
        )
    page = folder / "report.md"
    try:
        written = _write_exhibits(all_exhibits, folder)
        write_text(page, markdown_report(experiment, all_exhibits))
    except OSError as error:
        raise SettingError(
            f"{error.filename or folder}: cannot be written ({error.strerror}); name another folder with "
            "--out."
        ) from error
    said("report.html")
    write_page(experiment_page(experiment, results, all_exhibits), html)
    return [html, page, *written]


def _write_exhibits(all_exhibits: Sequence[Exhibits], folder: Path) -> list[Path]:
    from creaeval.report.figures import save

    written: list[Path] = []
    tables, figures = folder / "tables", folder / "figures"
    for subfolder in (tables, figures):
        subfolder.mkdir(parents=True, exist_ok=True)
    for exhibits in all_exhibits:
        title = exhibits.compared.title
        for table in exhibits.tables:
            caption = f"{table.caption} ({title})"
            written += [
                write_table(table.frame, tables / f"{table.name}.csv"),
                write_text(tables / f"{table.name}.md", markdown_tables(table.tables, caption)),
                write_text(tables / f"{table.name}.tex", latex_tables(table.tables, caption)),
            ]
        for figure in exhibits.figures:
            written += save(figure.figure, figure.data, figures / figure.name, drawn=figure.svg)
    frames = {table.name: table.frame for exhibits in all_exhibits for table in exhibits.tables}
    if frames:
        written.append(write_workbook(frames, folder / "tables.xlsx"))
    return written


def _failures(runs: Sequence[tuple[str, Run]]) -> list[str]:
    """Say how many responses of each run have a failure; the report of a run has the reasons."""
    return [
        f"{name}: {run.n_failed} of {len(run.outcomes)} responses have a failure "
        f"and may lack scores; `creaeval report {run.id}` has the reasons."
        for name, run in runs
        if run.n_failed
    ]


def unused_name(name: str, taken: Collection[str]) -> str:
    """Add a number to a name that others have, so that no file is written over."""
    number, shown = 1, name
    while shown in taken:
        number += 1
        shown = f"{name}_{number}"
    return shown


def markdown_report(experiment: Experiment, all_exhibits: Sequence[Exhibits]) -> str:
    """Write the tables of a report and its notes as one Markdown page."""
    parts = [f"# {escape_markdown(experiment.name)}"]
    if experiment.about:
        parts.append(escape_markdown(experiment.about))
    for exhibits in all_exhibits:
        parts.append(f"## {escape_markdown(exhibits.compared.title)}")
        for table in exhibits.tables:
            if table.shown:
                parts.append(markdown_tables(table.tables, table.caption).rstrip())
        parts += [
            f"![{escape_markdown(figure.caption)}](figures/{figure.name}.svg)" for figure in exhibits.figures
        ]
        notes = list(dict.fromkeys(exhibits.notes))
        if notes:
            parts.append("\n".join(f"- {escape_markdown(note)}" for note in notes))
    return "\n\n".join(parts) + "\n"
