"""The HTML page of an experiment: its tables and figures, then the responses of one run for each data set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from creaeval.agreement.pair_values import AVG, HUMAN
from creaeval.report.experiment.exhibits import FULL
from creaeval.report.tables import BEST, lay_out_tables, paper_number
from creaeval.stats.measures import measure_label

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pandas as pd

    from creaeval.experiments.file import Experiment
    from creaeval.experiments.results import DataResults
    from creaeval.report.experiment.compared import Compared
    from creaeval.report.experiment.exhibits import Exhibits, PaperTable
    from creaeval.report.html import Case, ReportData, RunPart, Section, Table
    from creaeval.report.tables import Cell
    from creaeval.runs import Run

_MARKS = {"best": "¹", "second": "²", "": ""}


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
    """Name the best method of each comparison by its first measure."""
    for exhibits in all_exhibits:
        methods = next((table.frame for table in exhibits.tables if table.name.endswith("_methods")), None)
        if methods is None:
            continue
        measure = methods["measure"].iloc[0]
        averages = methods[methods["dimension"].eq(AVG) & methods["value"].notna()]
        rows = averages[averages["measure"].eq(measure)]
        for _, row in rows[rows["rank"].eq(1) | rows["method"].eq(HUMAN)].head(2).iterrows():
            who = "people with each other" if row["method"] == HUMAN else f"best: {row['method']}"
            title = exhibits.compared.title
            yield (
                f"{measure_label(measure)}, {title}",
                _plain(paper_number(float(row["value"]))),
                f"{who}, n {row['n']}",
            )


def _section(exhibits: Exhibits) -> Section:
    from creaeval.report.html import Figure, Section

    tables = [part for table in exhibits.tables if table.shown for part in _tables(table)]
    figures = [Figure(figure.caption, figure.svg) for figure in exhibits.figures]
    return Section(exhibits.compared.title, [*tables, *figures, *dict.fromkeys(exhibits.notes)])


def _tables(table: PaperTable) -> Iterator[Table]:
    """Lay a table out as text, so that the page shows what the files do."""
    import pandas as pd

    from creaeval.report.html import Table

    tables = lay_out_tables(table.page)
    last_notes = list(map(str, table.frame.attrs.get("notes", ())))
    for wide in tables:
        frame: pd.DataFrame = pd.DataFrame(
            [[_text(cell) for cell in row] for row in wide.rows],
            columns=pd.Index([wide.header[0] or "dimension", *wide.header[1:]]),
            dtype=object,
        )
        notes = [note.replace(BEST, "¹ best, ² second best.") for note in wide.notes]
        if wide is tables[-1]:
            notes += last_notes
        caption = f"{table.caption}: {wide.title}" if wide.title else table.caption
        foot = len(wide.rows) - min(wide.ruled, default=len(wide.rows))
        yield Table(caption, frame, " ".join(notes), foot=foot)


def _text(cell: Cell) -> str:
    star = "*" if cell.star else ""
    return " ".join(filter(None, (f"{_plain(cell.text)}{_MARKS[cell.mark]}{star}", _plain(cell.interval))))


def _plain(text: str) -> str:
    # With this minus, the page's own sorting knows a number.
    return text.replace("−", "-")
