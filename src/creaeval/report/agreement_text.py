"""Print agreement so that it can be read: dimensions down, judges and raters across."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from creaeval.analysis.agreement import AVG, HUMAN, MEASURES
from creaeval.tasks import display_name

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console

    from creaeval.tasks import Task

_FEW = 30
_MOST_LINES = 10


def print_agreement(console: Console, task: Task, means: pd.DataFrame) -> None:
    """Print one table a measure.

    Parameters
    ----------
    console : rich.console.Console
        Standard output.
    task : Task
        Names the dimensions.
    means : pandas.DataFrame
        From :func:`creaeval.analysis.agreement.protocol`.
    """
    for measure in dict.fromkeys(means["measure"]):
        console.print(_table(task, means[means["measure"].eq(measure)], measure))
    for line in agreement_notes(means):
        console.print(escape(line), highlight=False)


def agreement_notes(means: pd.DataFrame) -> list[str]:
    """Say what must be known to read the tables.

    Parameters
    ----------
    means : pandas.DataFrame
        As for :func:`print_agreement`.

    Returns
    -------
    list of str
    """
    lines = [
        "Each value is the mean of the agreements with each rater, AVG their unweighted mean over "
        "dimensions; in brackets the interval from resampling responses."
    ]
    undefined = means[means["why_undefined"].ne("") & means["dimension"].ne(AVG)]
    shown = list(undefined.itertuples())
    lines += [
        f"{row.scorer}, {row.dimension}, {MEASURES[str(row.measure)]}: undefined ({row.why_undefined}); "
        f"{row.defined} values are in its mean."
        for row in shown[:_MOST_LINES]
    ]
    if len(shown) > _MOST_LINES:
        lines.append(f"… and {len(shown) - _MOST_LINES} more; agreement_means.csv has all (--out).")
    if (few := int(means["n"].min())) < _FEW:
        lines.append(f"Only {few} responses in the smallest cell: the intervals are rough.")
    if HUMAN in set(means["scorer"]):
        lines.append("Agreement between people is no upper bound: a judge near the true score can exceed it.")
    return lines


def _table(task: Task, means: pd.DataFrame, measure: str) -> Table:
    table = Table(title=MEASURES[measure], title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("")
    scorers = list(dict.fromkeys(means["scorer"]))
    for scorer in scorers:
        table.add_column(escape(scorer), justify="right", overflow="fold")
    table.add_column("n", justify="right", style="dim")
    step_before = ""
    for dimension in dict.fromkeys(means["dimension"]):
        rows = means[means["dimension"].eq(dimension)].set_index("scorer")
        step = dimension.partition(".")[0]
        if dimension == AVG:
            table.add_section()
        elif step != step_before:
            table.add_row(escape(task.step(step).name), style="bold")
            step_before = step
        name = AVG if dimension == AVG else f"  {escape(display_name(task, dimension))}"
        cells = [_shown(rows.loc[scorer]) if scorer in rows.index else "" for scorer in scorers]
        table.add_row(name, *cells, str(int(rows["n"].min())), style="bold" if dimension == AVG else "")
    return table


def _shown(row: pd.Series) -> str:
    if math.isnan(row["value"]):
        return "undefined"
    shown = f"{row['value'] + 0.0:.3f}".replace("-0.000", "0.000")
    return (
        shown
        if math.isnan(row["low"])
        else f"{shown} [{row['low']:.2f}, {row['high']:.2f}]".replace("[", "\\[")
    )
