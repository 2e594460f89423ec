"""Print agreement so that it can be read: dimensions down, judges and raters across."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from creaeval.analysis.agreement import MEASURES, SHARE
from creaeval.analysis.pair_values import AVG, HUMAN
from creaeval.report.self_preference_text import self_preference_table
from creaeval.tasks import display_name
from creaeval.wording import first_few

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd
    from rich.console import Console

    from creaeval.analysis.agree import AgreementReport
    from creaeval.tasks import Task

_FEW = 30
_MOST_LINES = 10
_MOST_NAMES = 4
_MOST_WITH_INTERVALS = 3
#: Widths of columns, in characters: names, cells with and without intervals, n, and what lies between.
_FIRST_COLUMN, _CELL, _BARE_CELL, _LAST_COLUMN, _GAP = 24, 18, 12, 5, 3


def print_agreement(console: Console, report: AgreementReport) -> None:
    """Print the main tables, then what else was found."""
    means = report.tables["means"]
    for measure in dict.fromkeys(means.loc[~means["metric"].str.endswith(SHARE), "metric"]):
        if means.loc[means["metric"].eq(measure), "value"].notna().any():
            for table in _tables(report.task, means, str(measure), console.width):
                console.print(table)
    if not means["method"].ne("").any() and report.tables["raters"]["value"].notna().any():
        console.print(_coefficients(report))
    console.print(_scorers(report))
    if "comparison" in report.tables:
        console.print(_comparison(report))
    if "by_column" in report.tables:
        for column in dict.fromkeys(report.tables["by_column"]["column"]):
            console.print(_by_value(report, column))
    if "within" in report.tables:
        console.print(_within(report))
    if "self_preference" in report.tables:
        console.print(self_preference_table(report.tables["self_preference"]))
    for line in agreement_notes(report):
        console.print(escape(line), highlight=False)


def agreement_notes(report: AgreementReport) -> list[str]:
    """Say what must be known to read the tables."""
    means = report.tables["means"]
    values = means[~means["metric"].str.endswith(SHARE)]
    lines = [
        "Values are means of the agreements with each rater, AVG their unweighted mean over dimensions.",
        *report.notes,
    ]
    lines += _undefined(values)
    if len(values) and (few := int(values["n"].min())) < _FEW:
        lines.append(f"Only {few} responses in the smallest cell: nothing rests on so few.")
    negative = values[values["value"].lt(0) & values["metric"].isin(["qwk", "pearson", "icc", "icc1"])]
    if names := ", ".join(dict.fromkeys(negative["judge"])):
        lines.append(
            f"{len(negative)} values are below 0 ({names}): worse than chance. Is a scale reversed somewhere?"
        )
    lines += [*_stand_in(report), *_needed(report)]
    if HUMAN in set(means["judge"]):
        lines.append("Agreement between people is no upper bound: a judge near the true score can exceed it.")
    return lines


def _undefined(values: pd.DataFrame) -> list[str]:
    """Say what is undefined and why, the dimensions of one reason together."""
    some = values["defined"].map(lambda share: len(set(str(share).split(" of "))) > 1)
    chosen = values[some & values["dimension"].ne(AVG)]
    lines = []
    for (judge, metric, defined, reason), rows in chosen.groupby(
        ["judge", "metric", "defined", "reason"], sort=False
    ):
        names = first_few(list(map(str, rows["dimension"])), _MOST_NAMES)
        lines.append(
            f"{judge}, {MEASURES[str(metric)]}, {names}: undefined ({reason}); "
            f"{defined} values are in its mean."
        )
    if len(lines) > _MOST_LINES:
        rest = len(lines) - _MOST_LINES
        lines[_MOST_LINES:] = [f"… and {rest} more such cases; `creaeval agree --out FOLDER` writes all."]
    return lines


def _tables(task: Task, means: pd.DataFrame, measure: str, width: int) -> Iterator[Table]:
    """Lay one measure out, in as many tables as the terminal's width asks for."""
    of_measure = means[means["metric"].eq(measure)]
    shares = means[means["metric"].eq(measure + SHARE) & means["dimension"].eq(AVG)].set_index("judge")
    scorers = list(dict.fromkeys(of_measure["judge"]))
    # Many columns leave no room for intervals but that of the average; the files have them all.
    bare = len(scorers) > _MOST_WITH_INTERVALS
    cell = _BARE_CELL if bare else _CELL
    last = max(_LAST_COLUMN, 2 * len(str(of_measure["n"].max())) + 1)
    room = max(2, (width - _FIRST_COLUMN - last - _GAP) // (cell + _GAP))
    # People stand beside the judges of every part.
    people = [one for one in scorers if one == HUMAN]
    judges = [one for one in scorers if one != HUMAN]
    at_once = room if len(scorers) <= room else room - len(people)
    for start in range(0, max(len(judges), 1), at_once):
        shown = [*judges[start : start + at_once], *people]
        end = min(start + at_once, len(judges))
        more = f" (judges {start + 1} to {end} of {len(judges)})" if len(judges) > at_once else ""
        table = Table(title=MEASURES[measure] + more, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
        table.add_column("", min_width=_FIRST_COLUMN, overflow="fold")
        for scorer in shown:
            table.add_column(escape(scorer), justify="right", overflow="fold", min_width=cell)
        table.add_column("n", justify="right", style="dim", min_width=last)
        chosen = of_measure[of_measure["judge"].isin(shown)]
        for dimension, name in _rows(task, list(dict.fromkeys(chosen["dimension"])), table):
            rows = chosen[chosen["dimension"].eq(dimension)].set_index("judge")
            short = bare and dimension != AVG
            cells = [_shown(rows.loc[one], bare=short) if one in rows.index else "" for one in shown]
            table.add_row(name, *cells, span(rows["n"]), style="bold" if dimension == AVG else "")
        if len(shares) and any(one in shares.index for one in shown):
            cells = [_shown(shares.loc[one], 2) if one in shares.index else "" for one in shown]
            table.add_row(f"share of {HUMAN}", *cells, "", style="dim")
        yield table


def span(numbers: pd.Series[int]) -> str:
    """Show numbers that may be the same: ``40``, or ``19–40``."""
    low, high = int(numbers.min()), int(numbers.max())
    return str(low) if low == high else f"{low}–{high}"


def _rows(task: Task, dimensions: list[str], table: Table) -> Iterator[tuple[str, str]]:
    """Yield each dimension with its name, after the step it is in."""
    step_before = ""
    for dimension in dimensions:
        step = dimension.partition(".")[0]
        if dimension == AVG:
            table.add_section()
        elif step != step_before:
            table.add_row(escape(task.step(step).name), style="bold")
            step_before = step
        yield dimension, AVG if dimension == AVG else f"  {escape(display_name(task, dimension))}"


def _coefficients(report: AgreementReport) -> Table:
    """All raters together: of each dimension the reliability of one rating and of the mean of all."""
    of = report.tables["raters"]
    crossed = of.loc[of["coefficient"].str.startswith("ICC(A,1)"), "value"].notna().any()
    wanted = (
        ["ICC(A,1) = ICC(2,1)", "ICC(A,k) = ICC(2,k)"]
        if crossed
        else ["ICC(1) = ICC(1,1)", "ICC(k) = ICC(1,k)"]
    )
    wanted.append("Krippendorff's alpha (interval)")
    table = Table(title="All raters together", title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("")
    for name in (*wanted, "n"):
        table.add_column(name, justify="right")
    for dimension, name in _rows(report.task, list(report.dimensions), table):
        rows = of[of["dimension"].eq(dimension)].set_index("coefficient")
        cells = [_shown(rows.loc[one]) if one in rows.index else "undefined" for one in wanted]
        table.add_row(name, *cells, span(rows.loc[[one for one in wanted if one in rows.index], "n"]))
    return table


def _scorers(report: AgreementReport) -> Table:
    """Set the habits of judges and raters side by side."""
    severity = report.tables["severity"]
    averages = severity[severity["dimension"].eq(AVG)]
    halo = _by_scorer(report.tables["halo_means"], "mean_r")
    totals = _by_scorer(report.tables["total_reliability"], "stratified_alpha")
    table = Table(title="Judges and raters", title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("")
    for name in ("leniency", "SD", "range used", "halo (mean r)", "reliability of Total"):
        table.add_column(name, justify="right")
    for row in averages.to_dict("records"):
        key = (str(row["kind"]), str(row["scorer"]))
        used = float(row["range_use"])
        table.add_row(
            f"{escape(key[1])} ({key[0]})",
            _number(row["leniency"], 2, sign=True),
            _number(row["sd"], 2),
            "" if math.isnan(used) else f"{used:.0%}",
            _number(halo.get(key, math.nan), 2),
            _number(totals.get(key, math.nan), 2),
        )
    return table


def _by_scorer(table: pd.DataFrame, column: str) -> dict[tuple[str, str], float]:
    return {(str(row["kind"]), str(row["scorer"])): float(row[column]) for row in table.to_dict("records")}


def _comparison(report: AgreementReport) -> Table:
    of = report.tables["comparison"]
    table = Table(
        title="Differences of agreement: QWK by dimension, averages of all measures (p by permutation)",
        title_justify="left",
        box=SIMPLE_HEAD,
        pad_edge=False,
    )
    table.add_column("", min_width=20, overflow="fold")
    for name in ("first", "second", "difference", "p", "p (Holm)", "detectable"):
        table.add_column(name, justify="right", overflow="fold", min_width=5)
    shown = of[of["metric"].eq("qwk") | of["dimension"].eq(AVG)]
    for pair, rows in shown.groupby(["first", "second"], sort=False):
        table.add_row(escape(f"{pair[0]} – {pair[1]}"), style="bold")
        for dimension, name in _rows(report.task, list(dict.fromkeys(rows["dimension"])), table):
            for row in rows[rows["dimension"].eq(dimension)].to_dict("records"):
                table.add_row(
                    f"{AVG} of {MEASURES[row['metric']]}" if dimension == AVG else name,
                    *(_number(row[key], 3) for key in ("first_value", "second_value")),
                    _shown({**row, "value": row["difference"]}, sign=True),
                    _p(row["p"]),
                    "primary" if row["contrast"] == "primary" else _p(row["p_holm"]),
                    _number(row["detectable"], 3),
                    style="bold" if row["contrast"] == "primary" else "",
                )
    return table


def _by_value(report: AgreementReport, column: str) -> Table:
    of = report.tables["by_column"]
    averages = of[of["column"].eq(column) & of["dimension"].eq(AVG) & ~of["metric"].str.endswith(SHARE)]
    table = Table(title=f"AVG by {column}", title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    table.add_column(escape(column), overflow="fold")
    metrics = list(dict.fromkeys(averages["metric"]))
    for name in ("", *(MEASURES[metric] for metric in metrics), "n"):
        table.add_column(name, justify="left" if not name else "right", overflow="fold")
    for (value, judge), rows in averages.groupby(["group", "judge"], sort=False):
        cells = rows.set_index("metric")
        table.add_row(
            escape(str(value)) or "(none)",
            escape(str(judge)),
            *(_shown(cells.loc[metric]) if metric in cells.index else "" for metric in metrics),
            str(int(rows["n"].min())),
        )
    return table


def _within(report: AgreementReport) -> Table:
    table = Table(title="Pearson r within groups", title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    for name in ("", "rater", "dimension"):
        table.add_column(name, overflow="fold")
    for name in ("within", "overall", "groups", "n"):
        table.add_column(name, justify="right", overflow="fold")
    for row in report.tables["within"].to_dict("records"):
        table.add_row(
            *(escape(str(row[key])) for key in ("judge", "rater")),
            escape(display_name(report.task, str(row["dimension"]))),
            _shown(row),
            _number(row["overall"], 3),
            str(row["groups"]),
            str(row["n"]),
        )
    return table


def _stand_in(report: AgreementReport) -> Iterator[str]:
    """Sum up the alternative annotator test, judges of one outcome together."""
    if "stand_in" not in report.tables:
        return
    outcomes: dict[str, list[str]] = {}
    for judge, rows in report.tables["stand_in"].groupby("scorer", sort=False):
        counts = rows["decision"].value_counts()
        told = ", ".join(f"{decision} in {count}" for decision, count in counts.items())
        open_ones = rows.loc[rows["decision"].eq("not decidable"), "reason"]
        why = f" ({open_ones.iloc[0].rstrip('.')})" if len(open_ones) else ""
        outcomes.setdefault(f"of {len(rows)} dimensions {told}{why}", []).append(str(judge))
    for told, judges in outcomes.items():
        yield f"Alternative annotator test, {', '.join(judges)}: {told}."


def _needed(report: AgreementReport) -> Iterator[str]:
    """Say how many raters and judges a reliable ranking takes."""
    studies = report.tables["d_study"].drop_duplicates(["method", "kind", "dimension"])
    for (method, _, of), rows in studies.groupby(["method", "kind", "of"], sort=False):
        numbers = rows["needed_for_ranking"].dropna()
        undefined = int(rows["generalizability"].isna().sum())
        never = len(rows) - undefined - len(numbers)
        who = f"{of} of {method}" if method else str(of)
        told = []
        if len(numbers):
            told.append(f"{span(numbers)} {who} in {len(numbers)} dimensions")
        if never:
            told.append(f"no number of {who} in {never}")
        if undefined:
            told.append(f"not to be told for {who} in {undefined}")
        design = str(rows["design"].iloc[0])
        objects = "response" if " within " in design else design.partition(" x ")[0]
        yield (
            f"For a reliability of {rows['target'].iloc[0]:g} in ranking {objects}s: {'; '.join(told)} "
            "(d_study.csv of `creaeval agree --out FOLDER`)."
        )


def _shown(row: Any, digits: int = 3, *, sign: bool = False, bare: bool = False) -> str:
    value, low, high = (float(row[key]) for key in ("value", "low", "high"))
    if math.isnan(value):
        return "undefined"
    shown = _number(value, digits, sign=sign)
    return shown if bare or math.isnan(low) else f"{shown} [{low:.2f}, {high:.2f}]".replace("[", "\\[")


def _number(value: Any, digits: int, *, sign: bool = False) -> str:
    number = float(value)
    if math.isnan(number):
        return ""
    shown = f"{number:{'+' if sign else ''}.{digits}f}"
    return shown if float(shown) else f"{0:.{digits}f}"


def _p(value: Any) -> str:
    number = float(value)
    return "" if math.isnan(number) else "<.001" if number < 0.001 else f"{number:.3f}".removeprefix("0")
