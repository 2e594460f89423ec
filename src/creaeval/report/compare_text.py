"""Print and write the comparison of two runs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rich.markup import escape

from creaeval.report.agreement_tables import comparison_table
from creaeval.report.display import Cell, DisplayTable, list_table, plain_table, table_of
from creaeval.report.display.build import Column, listed_cell, records_of
from creaeval.report.display.labels import line_of
from creaeval.report.display.numbers import UNDEFINED, interval, number, one_line
from creaeval.report.display.terminal import print_tables
from creaeval.runs import write_table

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pandas as pd
    from rich.console import Console

    from creaeval.agreement.runs.compare_runs import RunComparison
    from creaeval.tasks import Task

_MOST_ROWS = 10
_MOST_WORDS = 300  # characters of evidence that are shown


def write_comparison(comparison: RunComparison, folder: Path) -> list[Path]:
    """Write every table of a comparison as CSV."""
    folder.mkdir(parents=True, exist_ok=True)
    return [write_table(table, folder / f"{name}.csv") for name, table in comparison.tables.items()]


def print_comparison(console: Console, comparison: RunComparison) -> None:
    """Print what differs between two runs: settings, scores, agreement, what they took, where they part."""
    tables = comparison.tables
    for run, name in zip("AB", comparison.names, strict=True):
        console.print(f"{run}: {escape(name)}", highlight=False)
    if not len(tables["settings"]):
        console.print("The runs do not differ in any setting that is known of both.")
    print_tables(console, _tables(comparison))
    for line in [*_largest(comparison.task, tables["largest"]), *comparison.notes]:
        console.print(escape(line), highlight=False)
    if "conditions" in tables:
        print_tables(console, [_conditions(tables["conditions"])])


def failed_conditions(conditions: pd.DataFrame) -> list[str]:
    """Say which conditions failed, one line each."""
    lines = []
    for row in records_of(conditions[conditions["failed"].astype(bool)]):
        values = f"A {_value(row['a'])}, B {_value(row['b'])}"
        if not math.isnan(row["change"]):
            values += f", change {number(row['change'], '+.4f')}"
        values += " " * (not math.isnan(row["low"])) + interval(row["low"], row["high"], 4)
        reason = f"; {row['reason']}" if row["reason"] else ""
        lines.append(f"failed: {row['condition']} ({values}, n {row['n']}{reason})")
    return lines


def _value(value: float) -> str:
    return "undefined" if math.isnan(value) else number(value, ".4f")


def _tables(comparison: RunComparison) -> Iterator[DisplayTable]:
    tables = comparison.tables
    if len(tables["settings"]):
        yield plain_table(_cut_texts(tables["settings"]), "What differs")
    yield _scores(comparison.task, tables["differences"])
    if "agreement" in tables:
        title = "Agreement with raters, A – B (the judges' own values; p by permutation)"
        names = ("A", "B", "A – B")
        yield comparison_table(tables["agreement"], comparison.task, title, names)
    yield _usage(tables["usage"])
    if number_of := len(tables["failures"]):
        more = f" (the first {_MOST_ROWS} of {number_of})" if number_of > _MOST_ROWS else ""
        yield plain_table(_cut_texts(tables["failures"].head(_MOST_ROWS)), f"Failures{more}")


def _cut_texts(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.map(lambda value: _cut(str(value), _MOST_WORDS) or UNDEFINED)


def _scores(task: Task, differences: pd.DataFrame) -> DisplayTable:
    columns: dict[str, Column] = {
        "A": ("mean_a", ",.2f"),
        "B": ("mean_b", ",.2f"),
        "A – B": ("difference", "+,.2f", True),
        "standardized": ("standardized", "+,.2f"),
        "equal": ("equal", ".0%"),
        "n": ("n", ",.0f"),
    }
    return list_table(differences, "dimension", columns, "Scores, A – B (final values)", task=task)


def _usage(usage: pd.DataFrame) -> DisplayTable:
    rows = [
        (
            f"{row['measure']} ({row['unit']})",
            [
                *(listed_cell(row, name, _significant(row[name])) for name in ("a", "b", "b_over_a")),
                *(listed_cell(row, name, ",.0f") for name in ("n_a", "n_b")),
                Cell(str(row["reason"])),
            ],
        )
        for row in records_of(usage)
    ]
    return table_of("What they took", ["A", "B", "B / A", "n A", "n B", ""], rows)


def _significant(value: float) -> str:
    return ",.0f" if abs(value) >= 1000 else ".4g"


def _largest(task: Task, largest: pd.DataFrame) -> list[str]:
    if not len(largest):
        return ["No response has different scores in any dimension."]
    lines = ["Where they differ most, as shares of the scale:"]
    for row in records_of(largest.head(_MOST_ROWS)):
        name = line_of("dimension", str(row["dimension"]), task).full_name
        people = f"; people {row['ratings']}" if row["ratings"] else ""
        line = f"{row['response_id']}, {name}: A {row['a']:g}, B {row['b']:g}{people}"
        lines.append(f"  {_cut(line, _MOST_WORDS)}")
        for run in "ab":
            if evidence := str(row[f"evidence_{run}"]):
                lines.append(f"    evidence of {run.upper()}: {_cut(evidence, _MOST_WORDS)}")
    return lines


def _conditions(conditions: pd.DataFrame) -> DisplayTable:
    columns: dict[str, Column] = {
        "A": ("a", ".4f"),
        "B": ("b", ".4f"),
        "change": ("change", "+.4f", True),
        "limit": ("limit", ".4f"),
        "n": ("n", ",.0f"),
        "": ("outcome",),
    }
    outcomes = conditions["failed"].map(lambda failed: "failed" if failed else "held")
    return list_table(conditions.assign(outcome=outcomes), "condition", columns, "Conditions, B against A")


def _cut(text: str, most: int) -> str:
    flat = " ".join(one_line(text).split())
    return flat if len(flat) <= most else f"{flat[: most - 1]}…"
