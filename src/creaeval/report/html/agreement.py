"""Agreement with ratings as tables for a page."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from creaeval.agreement.pair_values import AVG, HUMAN
from creaeval.report.agreement_text import agreement_notes, measure_rows
from creaeval.report.formatting import span, value_texts, with_interval
from creaeval.report.html.data import Section, Table
from creaeval.stats.measures import PRIMARY, measure_label
from creaeval.tasks import display_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

    from creaeval.agreement.agree import AgreementReport


def agreement_section(report: AgreementReport) -> Section:
    """Lay a report of agreement out."""
    parts = [*_tables(report), _habits(report)]
    if "comparison" in report.tables:
        parts.append(Table("Differences of agreement between methods", _comparison(report)))
    return Section("Agreement with the ratings", [*parts, *agreement_notes(report)])


def agreement_headline(report: AgreementReport) -> Iterator[tuple[str, str, str]]:
    """Yield the average of the first measure that is defined: of each method, then of people."""
    means = report.tables["means"]
    rows = means[means["dimension"].eq(AVG) & means["metric"].isin(report.measures) & means["value"].notna()]
    if not len(rows):
        return
    measure = rows["metric"].iloc[0]
    # The last row of a method with several judges is their mean.
    last = rows[rows["metric"].eq(measure)].drop_duplicates("method", keep="last")
    for row in last.to_dict("records"):
        who = "people with each other" if row["judge"] == HUMAN else str(row["judge"])
        value = with_interval(f"{row['value']:.3f}", row)
        yield f"{measure_label(measure)}, {who}", value, f"mean of dimensions, n {int(row['n'])}"


def _tables(report: AgreementReport) -> Iterator[Table]:
    import pandas as pd

    means = report.tables["means"]
    steps = {step.id: str(number) for number, step in enumerate(report.task.steps, 1)}
    for measure in report.measures:
        of_measure = means[means["metric"].eq(measure)]
        if not of_measure["value"].notna().any():
            continue
        judges = list(dict.fromkeys(of_measure["judge"]))
        by_dimension, shares = measure_rows(means, measure)
        rows = []
        for dimension, cells in by_dimension.items():
            name = AVG if dimension == AVG else display_name(report.task, dimension)
            step = steps.get(dimension.partition(".")[0], "")
            rows.append([name, step, *value_texts(cells, judges), span(cells["n"])])
        if len(shares):
            rows.append([f"share of {HUMAN}", "", *value_texts(shares, judges, 2), ""])
        frame = pd.DataFrame(rows, columns=["Dimension", "Step", *judges, "n"])
        if len(steps) == 1:
            frame = frame.drop(columns="Step")
        yield Table(measure_label(measure), frame, foot=2 if len(shares) else 1)


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
    comparison = report.tables["comparison"]
    shown = comparison[comparison["metric"].eq(PRIMARY) | comparison["dimension"].eq(AVG)].copy()
    shown["measure"] = shown["metric"].map(measure_label)
    columns = ["first", "second", "measure", "dimension", "first_value", "second_value", "difference"]
    shown = shown[[*columns, "low", "high", "p", "p_holm", "n"]]
    return shown.rename(columns=lambda name: str(name).replace("_", " "))


def _records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(key): value for key, value in row.items()} for row in frame.to_dict("records")]
