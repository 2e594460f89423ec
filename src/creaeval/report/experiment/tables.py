"""The tables of an experiment as people read them; those about agreement in general are made elsewhere."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from creaeval.report.agreement_tables import TABLES
from creaeval.report.display import Cell, DisplayTable, Line, cross_table, plain_table, table_of
from creaeval.report.display.build import is_true, records_of, undefined_notes, value_cell, with_n
from creaeval.report.display.labels import measure_form, measure_label
from creaeval.report.display.numbers import number

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pandas as pd

    from creaeval.tasks import Task

Row = dict[str, Any]


def readable(
    part: str, frame: pd.DataFrame, task: Task | None = None, caption: str = ""
) -> list[DisplayTable]:
    """Make one of an experiment's long tables readable, with its notes below the last.

    Parameters
    ----------
    part : str
        Which one: ``methods``, ``cost``, or the name of a table of an agreement report.
    frame : pandas.DataFrame
        Its rows; notes are those of ``frame.attrs["notes"]``.
    task : Task, optional
        Whose dimensions are named.
    caption : str
        What stands above all of them, so that none needs to say it again.

    Returns
    -------
    list of DisplayTable
        One that is not known is shown as it is.
    """
    make = {**TABLES, **_TABLES}.get(part)
    tables = [plain_table(frame)] if make is None or frame.empty else make(frame, task)
    tables = [replace(table, title="" if table.title == caption else table.title) for table in tables]
    if tables:
        notes = (*tables[-1].notes, *map(str, frame.attrs.get("notes", ())))
        tables[-1] = replace(tables[-1], notes=notes)
    return tables


def _by_measure(rows: str, columns: str) -> Callable[[pd.DataFrame, Task | None], list[DisplayTable]]:
    """Lay out one table a measure."""

    def tables(frame: pd.DataFrame, task: Task | None) -> list[DisplayTable]:
        return [
            cross_table(part, rows, columns, measure_label(str(measure)), task=task)
            for measure, part in frame.assign(scorer=_scorers(frame)).groupby("measure", sort=False)
        ]

    return tables


def _scorers(frame: pd.DataFrame) -> pd.Series[str]:
    """Name rows by their methods, their judges, or pairs of these."""
    methods = frame["method"].astype(str)
    if "first" in frame:
        second = frame["second"].astype(str)
        judges = frame["first"].astype(str) + second.where(second.eq(""), " and " + second)
    elif "judge" in frame:
        judges = frame["judge"].astype(str)
    else:
        return methods
    return judges if methods.nunique() == 1 else methods + ": " + judges


def _ablations(frame: pd.DataFrame, _: Task | None) -> list[DisplayTable]:
    """Lay methods down; across, of each measure, the value and its change."""
    measures = list(dict.fromkeys(frame["measure"].astype(str)))
    columns = [Line(name, measure_label(measure)) for measure in measures for name in ("value", "change")]
    rows: list[tuple[str, list[Cell]]] = []
    counts: list[list[int | None]] = []
    for method, group in frame.groupby("method", sort=False):
        of_measure = {str(row["measure"]): row for row in records_of(group)}
        cells: list[Cell] = []
        for measure in measures:
            row = of_measure.get(measure)
            # The full method, which comes first, has nothing it differs from.
            cells += (
                [Cell(), Cell()]
                if row is None
                else [
                    value_cell(row | {"significant": False}),
                    _change(row) if rows else Cell(),
                ]
            )
        rows.append((str(method), cells))
        counts.append(list(group["n"]))
    records = records_of(frame)
    stars = any(is_true(row.get("significant")) for row in records)
    notes = ["* p < .05 against the full method."] if stars else []
    notes += undefined_notes(records, "method", "measure")
    return [with_n(table_of("", columns, rows, notes=notes), counts)]


def _change(row: Row) -> Cell:
    percent = float(row.get("change_percent", math.nan))
    return Cell(
        float(row["difference"]),
        float(row.get("difference_low", math.nan)),
        float(row.get("difference_high", math.nan)),
        measure_form(str(row["measure"])),
        star=is_true(row.get("significant")),
        note="" if math.isnan(percent) else f"({number(percent, '+.0f')}%)",
    )


def _cost(frame: pd.DataFrame, _: Task | None) -> list[DisplayTable]:
    """Show median and 95th percentile of each measure; of failed attempts, their number."""
    measures = list(dict.fromkeys(frame["measure"].astype(str)))
    rows = []
    for (method, judge, per, n, failed), group in frame.groupby(
        ["method", "judge", "per", "n", "failed"], sort=False, dropna=False
    ):
        of_measure = {str(row["measure"]): row for row in records_of(group)}
        cells = [_spent(measure, of_measure.get(measure)) for measure in measures]
        rows.append((str(method), [Cell(str(judge)), Cell(str(per)), *_counts(n, failed), *cells]))
    headings = [measure.replace("_", " ") for measure in measures]
    table = table_of("", ["judge", "per", "n", "failed", *headings], rows, corner="method")
    return [_without_empty(table)]


def _spent(measure: str, row: Row | None) -> Cell:
    if row is None:
        return Cell()
    if measure == "failed_attempts":
        return Cell(float(row["total"]), form=",.0f")
    median, high = float(row["p50"]), float(row["p95"])
    digits = 4 if measure == "cost_usd" else 1 if measure == "seconds" and high < 10 else 0
    form = f",.{digits}f"
    return Cell(median, form=form, note="" if math.isnan(median) else f"/ {number(high, form)}")


def _length(frame: pd.DataFrame, _: Task | None) -> list[DisplayTable]:
    names = {
        "pearson": "Pearson r",
        "spearman": "Spearman rho",
        "partial_pearson": "r given the human score",
        "partial_spearman": "rho given the human score",
    }
    rows = []
    for (method, judge, n), group in frame.groupby(["method", "judge", "n"], sort=False, dropna=False):
        of_measure = {str(row["measure"]): row for row in records_of(group)}
        cells = [value_cell(of_measure[name]) if name in of_measure else Cell() for name in names]
        change = float(of_measure["pearson"]["change"]) if "pearson" in of_measure else math.nan
        last = Cell() if math.isnan(change) else Cell(change, form="+.1%")
        rows.append((str(method), [Cell(str(judge)), *_counts(n), *cells, last]))
    columns = ["judge", "n", *names.values(), "change of r against direct"]
    return [_without_empty(table_of("", columns, rows, corner="method"))]


def _repeats(*who: str) -> Callable[[pd.DataFrame, Task | None], list[DisplayTable]]:
    """Lay dimensions across; n is that of the responses, from the fewest of a dimension to the most."""

    def tables(frame: pd.DataFrame, task: Task | None) -> list[DisplayTable]:
        n = frame["n_responses" if "n_responses" in frame else "n"]
        heads = ["method", *who, "temperature", "n_repeats"]
        names = frame[heads].astype(str).agg(_joined, axis=1) if len(frame) else frame["method"]
        shown = frame.assign(scorer=names, n=n, metric="").drop(columns="measure", errors="ignore")
        parts = frame.groupby("measure", sort=False).groups if "measure" in frame else {"": frame.index}
        return [
            cross_table(shown.loc[index], "scorer", "dimension", str(name).replace("_", " "), task=task)
            for name, index in parts.items()
        ]

    return tables


def _joined(values: Sequence[str]) -> str:
    *who, temperature, repeats = values
    at = [] if temperature in ("nan", "None", "<NA>") else [f"at {number(float(temperature), 'g')}"]
    return ", ".join([*who, *at, f"{repeats} times"])


_TABLES: Mapping[str, Callable[[Any, Any], list[DisplayTable]]] = {
    "methods": _by_measure("scorer", "dimension"),
    "judges": _by_measure("scorer", "dimension"),
    "judge_pairs": _by_measure("scorer", "dimension"),
    "grid": _by_measure("analyst", "judge"),
    "ablations": _ablations,
    "cost": _cost,
    "length": _length,
    "evidence_stability": _repeats("model"),
    "judge_stability": _repeats("judge"),
}


def _counts(*numbers: Any) -> list[Cell]:
    return [Cell(math.nan) if number != number else Cell(int(number), form=",d") for number in numbers]


def _without_empty(table: DisplayTable) -> DisplayTable:
    """Leave out columns in which nothing stands."""
    kept = [
        place for place in range(len(table.columns)) if any(c.order is not None for c in table.column(place))
    ]
    return table.select(kept)
