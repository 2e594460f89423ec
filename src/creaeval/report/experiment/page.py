"""The HTML page of an experiment: its tables and figures, then the responses of one run for each data set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from creaeval.analysis.agreement import MEASURES
from creaeval.analysis.pair_values import AVG, HUMAN
from creaeval.report.experiment.exhibits import FULL
from creaeval.report.tables import lay_out_tables, paper_number

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
    experiment: Experiment, results: Mapping[str, DataResults], found: Sequence[Exhibits]
) -> ReportData:
    """Put the HTML page of an experiment together."""
    from creaeval.report.html import ReportData

    runs: list[RunPart] = []
    cases: list[Case] = []
    for name in results:
        blocks = [one.compared for one in found if one.compared.runs and one.compared.data == name]
        _add_pages(blocks, runs, cases)
    missing = [cell.label for one in results.values() for cell in one.missing]
    notes = [f"Not run yet, or not finished: {label}." for label in missing]
    return ReportData(
        title=experiment.name,
        about=experiment.about,
        facts=[
            (f"{one.compared.title}, {name}", f"run {run.id}")
            for one in found
            for name, run in one.compared.runs
        ],
        headline=list(_headline(found)),
        sections=[_section(one) for one in found],
        runs=runs,
        cases=cases,
        notes=notes,
    )


def _add_pages(blocks: Sequence[Compared], runs: list[RunPart], cases: list[Case]) -> None:
    from creaeval.report.html import Case, RunPart
    from creaeval.report.html.run_report import most_different

    chosen: tuple[str, Run] | None = None
    for block in blocks:
        first = next((one for one in block.runs if one[1].manifest["method"] == FULL), block.runs[0])
        if chosen is None or (first[1].manifest["method"] == FULL != chosen[1].manifest["method"]):
            chosen = first
    if chosen is None:
        return
    block = next(one for one in blocks if chosen in one.runs)
    left = len(runs)
    runs.append(RunPart(chosen[1], block.ratings, chosen[0]))
    beside = next((one for one in block.runs if one[1].id != chosen[1].id), None)
    if beside is not None and (response := most_different(chosen[1], beside[1])) is not None:
        runs.append(RunPart(beside[1], block.ratings, beside[0]))
        cases.append(Case(response, left, left + 1))


def _headline(found: Sequence[Exhibits]) -> Iterator[tuple[str, str, str]]:
    """Name the best method of each comparison by its first measure."""
    for exhibits in found:
        table = next((one.frame for one in exhibits.tables if one.name.endswith("_methods")), None)
        if table is None:
            continue
        measure = table["measure"].iloc[0]
        rows = table[table["measure"].eq(measure) & table["dimension"].eq(AVG) & table["value"].notna()]
        for _, row in rows[rows["rank"].eq(1) | rows["method"].eq(HUMAN)].head(2).iterrows():
            who = "people with each other" if row["method"] == HUMAN else f"best: {row['method']}"
            title = exhibits.compared.title
            yield (
                f"{MEASURES[measure]}, {title}",
                _plain(paper_number(float(row["value"]))),
                f"{who}, n {row['n']}",
            )


def _section(exhibits: Exhibits) -> Section:
    from creaeval.report.html import Figure, Section

    tables = [part for table in exhibits.tables if table.shown for part in _tables(table)]
    figures = [Figure(one.caption, one.svg) for one in exhibits.figures]
    return Section(exhibits.compared.title, [*tables, *figures, *dict.fromkeys(exhibits.notes)])


def _tables(table: PaperTable) -> Iterator[Table]:
    """Lay a table out as text, so that the page shows what the files do."""
    import pandas as pd

    from creaeval.report.html import Table

    wide = lay_out_tables(table.page)
    said = list(map(str, table.frame.attrs.get("notes", ())))
    for number, one in enumerate(wide):
        frame: pd.DataFrame = pd.DataFrame(
            [[_text(cell) for cell in row] for row in one.rows],
            columns=pd.Index([one.header[0] or "dimension", *one.header[1:]]),
            dtype=object,
        )
        notes = [
            note.replace("Best in bold, second best in italics or underlined.", "¹ best, ² second best.")
            for note in one.notes
        ]
        if number == len(wide) - 1:
            notes += said
        caption = f"{table.caption}: {one.title}" if one.title else table.caption
        yield Table(
            caption, frame, " ".join(notes), foot=len(one.rows) - min(one.ruled, default=len(one.rows))
        )


def _text(cell: Cell) -> str:
    star = "*" if cell.star else ""
    return " ".join(filter(None, (f"{_plain(cell.text)}{_MARKS[cell.mark]}{star}", _plain(cell.interval))))


def _plain(text: str) -> str:
    # With this minus, the page's own sorting knows a number.
    return text.replace("−", "-")
