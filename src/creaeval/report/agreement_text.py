"""Print agreement so that it can be read: dimensions down, judges and raters across."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from rich.markup import escape

from creaeval.agreement.agreement import SHARE
from creaeval.agreement.pair_values import AVG, HUMAN
from creaeval.report.formatting import fixed, span, titled_table, with_interval
from creaeval.stats.measures import PRIMARY, get_measure, measure_label
from creaeval.tasks import display_name
from creaeval.wording import first_few

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd
    from rich.console import Console
    from rich.table import Table

    from creaeval.agreement.agree import AgreementReport
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
        console.print(_self_preference(report.tables["self_preference"]))
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
    if len(values) and (smallest := int(values["n"].min())) < _FEW:
        lines.append(f"Only {smallest} responses in the smallest cell: nothing rests on so few.")
    negative = values[
        values["value"].lt(0) & values["metric"].map(lambda key: get_measure(str(key)).chance_is_zero)
    ]
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
            f"{judge}, {measure_label(str(metric))}, {names}: undefined ({reason}); "
            f"{defined} values are in its mean."
        )
    if len(lines) > _MOST_LINES:
        rest = len(lines) - _MOST_LINES
        lines[_MOST_LINES:] = [f"… and {rest} more such cases; `creaeval agree --out FOLDER` writes all."]
    return lines


def measure_rows(means: pd.DataFrame, measure: str) -> tuple[dict[str, pd.DataFrame], pd.DataFrame]:
    """Return a measure's means by dimension, and the shares of human-human; the rows are by judge."""
    rows = means[means["metric"].eq(measure)].set_index("judge")
    shares = means[means["metric"].eq(measure + SHARE) & means["dimension"].eq(AVG)].set_index("judge")
    return {str(dimension): cells for dimension, cells in rows.groupby("dimension", sort=False)}, shares


def _tables(task: Task, means: pd.DataFrame, measure: str, width: int) -> Iterator[Table]:
    """Lay one measure out, in as many tables as the terminal's width asks for."""
    of_measure = means[means["metric"].eq(measure)]
    scorers = list(dict.fromkeys(of_measure["judge"]))
    # Many columns leave no room for intervals but that of the average; the files have them all.
    bare = len(scorers) > _MOST_WITH_INTERVALS
    cell = _BARE_CELL if bare else _CELL
    last = max(_LAST_COLUMN, 2 * len(str(of_measure["n"].max())) + 1)
    room = max(2, (width - _FIRST_COLUMN - last - _GAP) // (cell + _GAP))
    # People stand beside the judges of every part.
    people = [scorer for scorer in scorers if scorer == HUMAN]
    judges = [scorer for scorer in scorers if scorer != HUMAN]
    at_once = room if len(scorers) <= room else room - len(people)
    for start in range(0, max(len(judges), 1), at_once):
        shown = [*judges[start : start + at_once], *people]
        end = min(start + at_once, len(judges))
        more = f" (judges {start + 1} to {end} of {len(judges)})" if len(judges) > at_once else ""
        table = titled_table(measure_label(measure) + more)
        table.add_column("", min_width=_FIRST_COLUMN, overflow="fold")
        for scorer in shown:
            table.add_column(escape(scorer), justify="right", overflow="fold", min_width=cell)
        table.add_column("n", justify="right", style="dim", min_width=last)
        by_dimension, shares = measure_rows(means[means["judge"].isin(shown)], measure)
        for dimension, name in _rows(task, list(by_dimension), table):
            rows = by_dimension[dimension]
            cells = _cells(rows, shown, bare=bare and dimension != AVG)
            table.add_row(name, *cells, span(rows["n"]), style="bold" if dimension == AVG else "")
        if len(shares):
            table.add_row(f"share of {HUMAN}", *_cells(shares, shown, 2), "", style="dim")
        yield table


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
    """All raters together: of each dimension the reliability of one rating and of the mean of all.

    Where there is one dimension, there is room for all six forms of Shrout and Fleiss (1979).
    """
    raters = report.tables["raters"]
    crossed = raters.loc[raters["coefficient"].str.startswith("ICC(A,1)"), "value"].notna().any()
    forms = ["ICC(1) = ICC(1,1)", "ICC(A,1) = ICC(2,1)", "ICC(C,1) = ICC(3,1)"]
    forms += [form.replace("(1)", "(k)").replace(",1)", ",k)") for form in forms]
    chosen = (forms[1], forms[4]) if crossed else (forms[0], forms[3])
    alone = crossed and sum(dimension != AVG for dimension in report.dimensions) == 1
    names = [*(forms if alone else chosen)]
    names.append("Krippendorff's alpha (interval)")
    table = titled_table("All raters together")
    table.add_column("")
    for heading in (*names, "n"):
        table.add_column(heading, justify="right")
    for dimension, name in _rows(report.task, list(report.dimensions), table):
        rows = raters[raters["dimension"].eq(dimension)].set_index("coefficient")
        known = [coefficient for coefficient in names if coefficient in rows.index]
        table.add_row(name, *_cells(rows, names, missing="undefined"), span(rows.loc[known, "n"]))
    return table


def _scorers(report: AgreementReport) -> Table:
    """Lay the habits of judges and raters side by side."""
    severity = report.tables["severity"]
    halo = _by_scorer(report.tables["halo_means"], "mean_r")
    known = {"halo (mean r)": halo}
    if (totals := report.tables.get("total_reliability")) is not None:
        known["reliability of Total"] = _by_scorer(totals, "stratified_alpha")
    table = titled_table("Judges and raters")
    table.add_column("")
    for name in ("leniency", "SD", "range used", *known):
        table.add_column(name, justify="right")
    for row in severity[severity["dimension"].eq(AVG)].to_dict("records"):
        kind, scorer = str(row["kind"]), str(row["scorer"])
        range_used = float(row["range_use"])
        table.add_row(
            f"{escape(scorer)} ({kind})",
            fixed(row["leniency"], 2, sign=True),
            fixed(row["sd"], 2),
            "" if math.isnan(range_used) else f"{range_used:.0%}",
            *(fixed(values.get((kind, scorer), math.nan), 2) for values in known.values()),
        )
    return table


def _by_scorer(table: pd.DataFrame, column: str) -> dict[tuple[str, str], float]:
    return {(str(row["kind"]), str(row["scorer"])): float(row[column]) for row in table.to_dict("records")}


def _comparison(report: AgreementReport) -> Table:
    comparison = report.tables["comparison"]
    table = titled_table(
        f"Differences of agreement: {measure_label(PRIMARY)} by dimension, averages of all measures "
        "(p by permutation)"
    )
    table.add_column("", min_width=20, overflow="fold")
    for name in ("first", "second", "difference", "p", "p (Holm)", "detectable"):
        table.add_column(name, justify="right", overflow="fold", min_width=5)
    shown = comparison[comparison["metric"].eq(PRIMARY) | comparison["dimension"].eq(AVG)]
    for pair, rows in shown.groupby(["first", "second"], sort=False):
        table.add_row(escape(f"{pair[0]} – {pair[1]}"), style="bold")
        for dimension, name in _rows(report.task, list(dict.fromkeys(rows["dimension"])), table):
            for row in rows[rows["dimension"].eq(dimension)].to_dict("records"):
                primary = row["contrast"] == "primary"
                table.add_row(
                    f"{AVG} of {measure_label(row['metric'])}" if dimension == AVG else name,
                    *(fixed(row[key], 3) for key in ("first_value", "second_value")),
                    _cell(row | {"value": row["difference"]}, sign=True),
                    _p(row["p"]),
                    "primary" if primary else _p(row["p_holm"]),
                    fixed(row["detectable"], 3),
                    style="bold" if primary else "",
                )
    return table


def _by_value(report: AgreementReport, column: str) -> Table:
    rows = report.tables["by_column"]
    averages = rows[
        rows["column"].eq(column) & rows["dimension"].eq(AVG) & ~rows["metric"].str.endswith(SHARE)
    ]
    table = titled_table(f"AVG by {column}")
    table.add_column(escape(column), overflow="fold")
    metrics = list(dict.fromkeys(averages["metric"]))
    for name in ("", *(get_measure(metric).short_label for metric in metrics), "n"):
        table.add_column(name, justify="left" if not name else "right", overflow="fold")
    for (value, judge), group in averages.groupby(["group", "judge"], sort=False):
        cells = _cells(group.set_index("metric"), metrics)
        table.add_row(escape(str(value)) or "(none)", escape(str(judge)), *cells, str(int(group["n"].min())))
    return table


def _within(report: AgreementReport) -> Table:
    table = titled_table("Pearson r within groups")
    for name in ("", "rater", "dimension"):
        table.add_column(name, overflow="fold")
    for name in ("within", "overall", "groups", "n"):
        table.add_column(name, justify="right", overflow="fold")
    for row in report.tables["within"].to_dict("records"):
        table.add_row(
            *(escape(str(row[key])) for key in ("judge", "rater")),
            escape(display_name(report.task, str(row["dimension"]))),
            _cell(row),
            fixed(row["overall"], 3),
            str(row["groups"]),
            str(row["n"]),
        )
    return table


def _self_preference(rows: pd.DataFrame) -> Table:
    """Show each judge's mean bias on its own family's work, other models' and people's."""
    table = titled_table(
        f"Self-preference: bias on the own family's work less that on other models' ({AVG}, in points)"
    )
    for name in ("", "family"):
        table.add_column(name, overflow="fold")
    for name in ("own", "other models", "people", "own – other", "n own", "n other", "n people"):
        table.add_column(name, justify="right", overflow="fold")
    table.add_column("", overflow="fold")
    for row in rows[rows["dimension"].eq(AVG)].to_dict("records"):
        biases = (float(row[name]) for name in ("bias_own", "bias_other", "bias_people"))
        difference = float(row["self_preference"])
        shown = "undefined" if math.isnan(difference) else f"{difference:+.2f}"
        table.add_row(
            *(escape(str(row[name])) for name in ("judge", "family")),
            *("–" if math.isnan(bias) else f"{bias:+.2f}" for bias in biases),
            escape(with_interval(shown, row)),
            *(str(row[name]) for name in ("n_own", "n_other", "n_people")),
            escape(str(row["reason"])),
        )
    return table


def _stand_in(report: AgreementReport) -> Iterator[str]:
    """Sum up the alternative annotator test, judges of one outcome together."""
    if "stand_in" not in report.tables:
        return
    outcomes: dict[str, list[str]] = {}
    for judge, rows in report.tables["stand_in"].groupby("scorer", sort=False):
        counts = rows["decision"].value_counts()
        decisions = ", ".join(f"{decision} in {count}" for decision, count in counts.items())
        reasons = rows.loc[rows["decision"].eq("not decidable"), "reason"]
        reason = f" ({reasons.iloc[0].rstrip('.')})" if len(reasons) else ""
        outcomes.setdefault(f"of {len(rows)} dimensions {decisions}{reason}", []).append(str(judge))
    for outcome, judges in outcomes.items():
        yield f"Alternative annotator test, {', '.join(judges)}: {outcome}."


def _needed(report: AgreementReport) -> Iterator[str]:
    """Say how many raters and judges a reliable ranking takes."""
    studies = report.tables["d_study"].drop_duplicates(["method", "kind", "dimension"])
    for (method, _, facet), rows in studies.groupby(["method", "kind", "of"], sort=False):
        numbers = rows["needed_for_ranking"].dropna()
        undefined = int(rows["generalizability"].isna().sum())
        never = len(rows) - undefined - len(numbers)
        who = f"{facet} of {method}" if method else str(facet)
        parts = []
        if len(numbers):
            parts.append(f"{span(numbers)} {who} in {len(numbers)} dimensions")
        if never:
            parts.append(f"no number of {who} in {never}")
        if undefined:
            parts.append(f"not to be told for {who} in {undefined}")
        design = str(rows["design"].iloc[0])
        objects = "response" if " within " in design else design.partition(" x ")[0]
        yield (
            f"For a reliability of {rows['target'].iloc[0]:g} in ranking {objects}s: {'; '.join(parts)} "
            "(d_study.csv of `creaeval agree --out FOLDER`)."
        )


def _cells(
    rows: pd.DataFrame, names: list[str], digits: int = 3, *, bare: bool = False, missing: str = ""
) -> list[str]:
    return [_cell(rows.loc[name], digits, bare=bare) if name in rows.index else missing for name in names]


def _cell(row: Any, digits: int = 3, *, sign: bool = False, bare: bool = False) -> str:
    text = fixed(row["value"], digits, sign=sign, missing="undefined")
    return text if bare or text == "undefined" else escape(with_interval(text, row))


def _p(value: Any) -> str:
    number = float(value)
    return "" if math.isnan(number) else "<.001" if number < 0.001 else f"{number:.3f}".removeprefix("0")
