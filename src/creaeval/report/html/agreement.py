"""Agreement with ratings as tables for a page."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from creaeval.analysis.agreement import MEASURES, SHARE
from creaeval.analysis.pair_values import AVG, HUMAN
from creaeval.report.agreement_text import agreement_notes, span
from creaeval.report.html.data import Section, Table
from creaeval.tasks import display_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

    from creaeval.analysis.agree import AgreementReport


def agreement_section(report: AgreementReport) -> Section:
    """Lay a report of agreement out.

    Parameters
    ----------
    report : AgreementReport
        From :func:`creaeval.analysis.agree.agree`.

    Returns
    -------
    Section
        A table for each measure that is defined anywhere, judges and people side by side with intervals; the
        habits of judges and raters; the comparison of methods where there are several; what must be said.
    """
    parts = [*_tables(report), _habits(report)]
    if "comparison" in report.tables:
        parts.append(Table("Differences of agreement between methods", _comparison(report)))
    return Section("Agreement with the ratings", [*parts, *agreement_notes(report)])


def agreement_headline(report: AgreementReport) -> Iterator[tuple[str, str, str]]:
    """Yield the average of the first measure that is defined: of each method, then of people."""
    means = report.tables["means"]
    of = means[means["dimension"].eq(AVG) & means["metric"].isin(report.measures) & means["value"].notna()]
    if not len(of):
        return
    measure = of["metric"].iloc[0]
    # The last row of a method with several judges is their mean.
    last = of[of["metric"].eq(measure)].drop_duplicates("method", keep="last")
    for row in last.to_dict("records"):
        who = "people with each other" if row["judge"] == HUMAN else str(row["judge"])
        yield f"{MEASURES[measure]}, {who}", _value(row), f"mean of dimensions, n {int(row['n'])}"


def _tables(report: AgreementReport) -> Iterator[Table]:
    import pandas as pd

    means = report.tables["means"]
    steps = {step.id: str(number) for number, step in enumerate(report.task.steps, 1)}
    for measure in report.measures:
        of = means[means["metric"].eq(measure)]
        if not of["value"].notna().any():
            continue
        judges = list(dict.fromkeys(of["judge"]))
        rows = []
        for dimension in dict.fromkeys(of["dimension"]):
            cells = of[of["dimension"].eq(dimension)].set_index("judge")
            name = AVG if dimension == AVG else display_name(report.task, dimension)
            values = [_value(cells.loc[one]) if one in cells.index else "" for one in judges]
            rows.append([name, steps.get(dimension.partition(".")[0], ""), *values, span(cells["n"])])
        shares = means[means["metric"].eq(measure + SHARE) & means["dimension"].eq(AVG)].set_index("judge")
        if len(shares):
            values = [_value(shares.loc[one], 2) if one in shares.index else "" for one in judges]
            rows.append([f"share of {HUMAN}", "", *values, ""])
        frame = pd.DataFrame(rows, columns=["Dimension", "Step", *judges, "n"])
        if len(steps) == 1:
            frame = frame.drop(columns="Step")
        yield Table(MEASURES[measure], frame, foot=2 if len(shares) else 1)


def _habits(report: AgreementReport) -> Table:
    import pandas as pd

    severity = report.tables["severity"]
    halo = {(row["kind"], row["scorer"]): row["mean_r"] for row in _records(report.tables["halo_means"])}
    rows = [
        {
            "Scorer": row["scorer"],
            "": row["kind"],
            "Leniency": row["leniency"],
            "SD": row["sd"],
            "Range used": row["range_use"],
            "Halo (mean r)": halo.get((row["kind"], row["scorer"]), math.nan),
            "n": row["n"],
        }
        for row in _records(severity[severity["dimension"].eq(AVG)])
    ]
    note = (
        "Means over dimensions. Leniency is in points, against the other raters; the range used is a share."
    )
    return Table("Judges and raters", pd.DataFrame(rows), note, digits=2)


def _comparison(report: AgreementReport) -> pd.DataFrame:
    of = report.tables["comparison"]
    shown = of[of["metric"].eq("qwk") | of["dimension"].eq(AVG)].copy()
    shown["measure"] = shown["metric"].map(lambda one: MEASURES[one])
    columns = ["first", "second", "measure", "dimension", "first_value", "second_value", "difference"]
    shown = shown[[*columns, "low", "high", "p", "p_holm", "n"]]
    return shown.rename(columns=lambda name: str(name).replace("_", " "))


def _records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(key): value for key, value in row.items()} for row in frame.to_dict("records")]


def _value(row: Any, digits: int = 3) -> str:
    value, low, high = (float(row[key]) for key in ("value", "low", "high"))
    if math.isnan(value):
        return "undefined"
    return f"{value:.{digits}f}" if math.isnan(low) else f"{value:.{digits}f} [{low:.2f}, {high:.2f}]"
