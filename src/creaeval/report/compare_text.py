"""Print and write the comparison of two runs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from rich.markup import escape

from creaeval.agreement.pair_values import AVG
from creaeval.report.formatting import fixed, titled_table, with_interval
from creaeval.runs import write_table
from creaeval.stats.measures import PRIMARY, measure_label
from creaeval.tasks import display_name

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd
    from rich.console import Console
    from rich.table import Table

    from creaeval.agreement.compare_runs import RunComparison
    from creaeval.tasks import Task

_MOST_ROWS = 10
_MOST_WORDS = 300  # characters of evidence that are shown
_MOST_VALUE = 60


def write_comparison(comparison: RunComparison, folder: Path) -> list[Path]:
    """Write every table of a comparison as CSV."""
    folder.mkdir(parents=True, exist_ok=True)
    return [write_table(table, folder / f"{name}.csv") for name, table in comparison.tables.items()]


def print_comparison(console: Console, comparison: RunComparison) -> None:
    """Print what differs between two runs: settings, scores, agreement, what they took, where they part."""
    tables = comparison.tables
    for run, name in zip("AB", comparison.names, strict=True):
        console.print(f"{run}: {escape(name)}", highlight=False)
    console.print(_settings(tables["settings"]))
    console.print(_scores(comparison.task, tables["differences"]))
    if "agreement" in tables:
        console.print(_agreement(comparison.task, tables["agreement"]))
    console.print(_usage(tables["usage"]))
    if len(tables["failures"]):
        console.print(_failures(tables["failures"]))
    for line in _largest(comparison.task, tables["largest"]):
        console.print(escape(line), highlight=False)
    for note in comparison.notes:
        console.print(escape(note), highlight=False)
    if "conditions" in tables:
        console.print(_conditions(tables["conditions"]))


def failed_conditions(conditions: pd.DataFrame) -> list[str]:
    """Say which conditions failed, one line each."""
    lines = []
    for row in conditions[conditions["failed"].astype(bool)].to_dict("records"):
        values = f"A {_number(row['a'])}, B {_number(row['b'])}"
        if change := fixed(row["change"], 4, sign=True):
            values += f", change {change}"
        if not math.isnan(row["low"]):
            values += f" [{_number(row['low'])}, {_number(row['high'])}]"
        reason = f"; {row['reason']}" if row["reason"] else ""
        lines.append(f"failed: {row['condition']} ({values}, n {row['n']}{reason})")
    return lines


def _settings(settings: pd.DataFrame) -> Table | str:
    if not len(settings):
        return "The runs do not differ in any setting that is known of both."
    table = _table("What differs", "", "A", "B")
    for row in settings.to_dict("records"):
        table.add_row(*(escape(_cut(str(row[name]), _MOST_VALUE)) or "–" for name in ("setting", "a", "b")))
    return table


def _scores(task: Task, differences: pd.DataFrame) -> Table:
    table = _table("Scores, A – B (final values)", "", "A", "B", "A – B", "standardized", "equal", "n")
    step_before = ""
    for row in differences.to_dict("records"):
        identity = str(row["dimension"])
        step = identity.partition(".")[0] if "." in identity else ""
        if not step:
            table.add_section()
        elif step != step_before:
            table.add_row(escape(task.step(step).name), style="bold")
        step_before = step
        name = f"{AVG} over dimensions" if identity == AVG else escape(display_name(task, identity))
        equal = row["equal"]
        table.add_row(
            f"  {name}" if step else name,
            *(_number(row[name], 2) for name in ("mean_a", "mean_b")),
            _with_interval(row, "difference", 2),
            fixed(row["standardized"], 2, sign=True),
            "" if math.isnan(equal) else f"{equal:.0%}",
            str(row["n"]),
        )
    return table


def _agreement(task: Task, agreement: pd.DataFrame) -> Table:
    table = _table(
        "Agreement with raters, A – B (the judges' own values; p by permutation)",
        *("", "A", "B", "A – B", "p", "p (Holm)", "n"),
    )
    shown = agreement[agreement["dimension"].eq(AVG) | agreement["metric"].eq(PRIMARY)]
    for row in shown.to_dict("records"):
        identity = str(row["dimension"])
        metric = measure_label(str(row["metric"]))
        average = identity == AVG
        step = "" if average else f"{task.step(identity.partition('.')[0]).name}: "
        table.add_row(
            f"{AVG} of {metric}" if average else escape(f"{step}{display_name(task, identity)}"),
            *(_number(row[name], 3) for name in ("first_value", "second_value")),
            _with_interval(row, "difference", 3),
            _number(row["p"], 3),
            "primary" if row["contrast"] == "primary" else _number(row["p_holm"], 3),
            str(row["n"]),
            style="bold" if average else "",
        )
    return table


def _usage(usage: pd.DataFrame) -> Table:
    table = _table("What they took", "", "A", "B", "B / A", "n A", "n B", "")
    for row in usage.to_dict("records"):
        table.add_row(
            escape(f"{row['measure']} ({row['unit']})"),
            *(_significant(row[name]) for name in ("a", "b", "b_over_a")),
            str(row["n_a"]),
            str(row["n_b"]),
            escape(str(row["reason"])),
        )
    return table


def _failures(failures: pd.DataFrame) -> Table:
    shown = f" (the first {_MOST_ROWS} of {len(failures)})" if len(failures) > _MOST_ROWS else ""
    table = _table(f"Failures{shown}", "", "Response", "Stage", "Model", "Reason", right=False)
    for row in failures.head(_MOST_ROWS).to_dict("records"):
        table.add_row(*(escape(_cut(str(row[name]), _MOST_WORDS)) for name in failures.columns))
    return table


def _largest(task: Task, largest: pd.DataFrame) -> list[str]:
    if not len(largest):
        return ["No response has different scores in any dimension."]
    lines = ["Where they differ most, as shares of the scale:"]
    for row in largest.head(_MOST_ROWS).to_dict("records"):
        identity = str(row["dimension"])
        name = f"{task.step(identity.partition('.')[0]).name}: {display_name(task, identity)}"
        people = f"; people {row['ratings']}" if row["ratings"] else ""
        line = f"{row['response_id']}, {name}: A {row['a']:g}, B {row['b']:g}{people}"
        lines.append(f"  {_cut(line, _MOST_WORDS)}")
        for run in "ab":
            if evidence := str(row[f"evidence_{run}"]):
                lines.append(f"    evidence of {run.upper()}: {_cut(evidence, _MOST_WORDS)}")
    return lines


def _conditions(conditions: pd.DataFrame) -> Table:
    table = _table("Conditions, B against A", "", "A", "B", "change", "limit", "n", "")
    for row in conditions.to_dict("records"):
        table.add_row(
            escape(str(row["condition"])),
            *(_number(row[name], 4) for name in ("a", "b")),
            _with_interval(row, "change", 4),
            _number(row["limit"], 4),
            str(row["n"]),
            "[red]failed[/red]" if row["failed"] else "held",
        )
    return table


def _table(title: str, *columns: str, right: bool = True) -> Table:
    table = titled_table(title)
    for place, name in enumerate(columns):
        table.add_column(name, justify="right" if right and place else "left", overflow="fold")
    return table


def _with_interval(row: dict[Any, Any], name: str, digits: int) -> str:
    text = fixed(row[name], digits, sign=True, missing="undefined")
    return text if text == "undefined" else escape(with_interval(text, row, digits))


def _number(value: Any, digits: int = 4) -> str:
    return fixed(value, digits, missing="undefined")


def _significant(value: Any) -> str:
    number = float(value)
    if math.isnan(number):
        return "–"
    return f"{number:,.0f}" if abs(number) >= 1000 else f"{number:.4g}"


def _cut(text: str, most: int) -> str:
    # Control characters could reach the terminal as commands.
    flat = " ".join("".join(character if character.isprintable() else " " for character in text).split())
    return flat if len(flat) <= most else f"{flat[: most - 1]}…"
