"""The HTML page of an experiment: its tables and figures, then the responses of one run for each data set."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from creaeval.report.display.labels import AVG, HUMAN, measure_form, measure_label
from creaeval.report.display.numbers import number
from creaeval.report.experiment.exhibits import FULL

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from creaeval.experiments.file import Experiment
    from creaeval.experiments.results import DataResults
    from creaeval.report.display import DisplayTable
    from creaeval.report.experiment.compared import Compared
    from creaeval.report.experiment.exhibits import Exhibits, PaperTable
    from creaeval.report.html import Case, ReportData, RunPart, Section
    from creaeval.runs import Run


def experiment_page(
    experiment: Experiment, results: Mapping[str, DataResults], all_exhibits: Sequence[Exhibits]
) -> ReportData:
    """Make the HTML page of an experiment."""
    from creaeval.report.html import ReportData

    runs: list[RunPart] = []
    cases: list[Case] = []
    comparisons = [exhibits.compared for exhibits in all_exhibits]
    for name in results:
        blocks = [compared for compared in comparisons if compared.runs and compared.data == name]
        _add_pages(blocks, runs, cases)
    missing = [cell.label for of_data in results.values() for cell in of_data.missing]
    notes = [f"Not run yet, or not finished: {label}." for label in missing]
    return ReportData(
        title=experiment.name,
        about=experiment.about,
        facts=[
            (f"{compared.title}, {name}", f"run {run.id}")
            for compared in comparisons
            for name, run in compared.runs
        ],
        headline=list(_headline(all_exhibits)),
        sections=list(map(_section, all_exhibits)),
        runs=runs,
        cases=cases,
        notes=notes,
    )


def _add_pages(blocks: Sequence[Compared], runs: list[RunPart], cases: list[Case]) -> None:
    from creaeval.report.html import Case, RunPart
    from creaeval.report.html.run_report import most_different

    chosen: tuple[str, Run] | None = None
    for block in blocks:
        first = next((named for named in block.runs if named[1].manifest["method"] == FULL), block.runs[0])
        if chosen is None or (first[1].manifest["method"] == FULL != chosen[1].manifest["method"]):
            chosen = first
    if chosen is None:
        return
    block = next(block for block in blocks if chosen in block.runs)
    left = len(runs)
    runs.append(RunPart(chosen[1], block.ratings, chosen[0]))
    beside = next((named for named in block.runs if named[1].id != chosen[1].id), None)
    if beside is not None and (response := most_different(chosen[1], beside[1])) is not None:
        runs.append(RunPart(beside[1], block.ratings, beside[0]))
        cases.append(Case(response, left, left + 1))


def _headline(all_exhibits: Sequence[Exhibits]) -> Iterator[tuple[str, str, str]]:
    """Name the best method of each data set, or of each of its parts, by the first measure."""
    whole = {exhibits.compared.data for exhibits in all_exhibits if exhibits.compared.is_whole}
    for exhibits in all_exhibits:
        methods = next((table.frame for table in exhibits.tables if table.name.endswith("_methods")), None)
        if methods is None or (exhibits.compared.data in whole and not exhibits.compared.is_whole):
            continue
        measure = methods["measure"].iloc[0]
        averages = methods[methods["dimension"].eq(AVG) & methods["value"].notna()]
        rows = averages[averages["measure"].eq(measure)]
        for _, row in rows[rows["rank"].eq(1) | rows["method"].eq(HUMAN)].head(2).iterrows():
            who = "people with each other" if row["method"] == HUMAN else f"best: {row['method']}"
            title = exhibits.compared.title
            yield (
                f"{measure_label(measure)}, {title}",
                number(float(row["value"]), measure_form(measure)),
                f"{who}, n {row['n']}",
            )


def _section(exhibits: Exhibits) -> Section:
    from creaeval.report.html import Figure, Section

    tables = [titled for table in exhibits.tables if table.shown for titled in titled_tables(table)]
    figures = [Figure(figure.caption, figure.svg) for figure in exhibits.figures]
    return Section(exhibits.compared.title, [*tables, *figures, *dict.fromkeys(exhibits.notes)])


def titled_tables(table: PaperTable) -> list[DisplayTable]:
    """Return what is read of a table, each under the table's caption."""
    return [
        replace(part, title=": ".join(filter(None, (table.caption, part.title)))) for part in table.tables
    ]
