"""The tables of agreement as people read them, the same in every medium.

Each entry of :data:`TABLES` makes one of a report's long tables readable, which is then shown; the others are
files only.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from creaeval.report.display import Cell, DisplayTable, cross_table, list_table
from creaeval.report.display.build import Column, listed_cell, records_of
from creaeval.report.display.labels import (
    AVG,
    SHARE,
    SHARE_OF_HUMAN,
    line_of,
    measure_label,
)
from creaeval.stats.measures import PRIMARY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import pandas as pd

    from creaeval.agreement.agree import AgreementReport
    from creaeval.tasks import Task


def agreement_tables(report: AgreementReport) -> list[DisplayTable]:
    """Make the tables of a report that are shown: the means by measure, then what else was asked for."""
    judged = report.tables["means"]["method"].ne("").any()
    tables = list(measure_tables(report))
    for name, make in TABLES.items():
        if name in report.tables and not (name == "raters" and judged):
            tables += make(report.tables[name], report.task)
    return [*tables, scorers_table(report)]


def measure_tables(report: AgreementReport) -> Iterator[DisplayTable]:
    """Lay out the means of each measure: judges down, dimensions across."""
    means = report.tables["means"]
    for measure in dict.fromkeys(means.loc[~means["metric"].str.endswith(SHARE), "metric"].astype(str)):
        rows = means[means["metric"].eq(measure)]
        shares = means[means["metric"].eq(measure + SHARE) & means["dimension"].eq(AVG)]
        frame = _concat([rows, shares.assign(dimension=SHARE_OF_HUMAN)])
        yield cross_table(frame, "judge", "dimension", measure_label(measure), task=report.task)


def scorers_table(report: AgreementReport) -> DisplayTable:
    """Lay the habits of judges and raters side by side."""
    scorer = ["kind", "scorer"]
    severity = report.tables["severity"]
    frame = severity[severity["dimension"].eq(AVG)]
    frame = frame.merge(report.tables["halo_means"][[*scorer, "mean_r"]], "left", scorer)
    columns: dict[str, Column] = {
        "Leniency": ("leniency", "+,.2f"),
        "SD": ("sd", ",.2f"),
        "Range used": ("range_use", ".0%"),
        "Halo (mean r)": ("mean_r", ",.2f"),
    }
    if (totals := report.tables.get("total_reliability")) is not None:
        frame = frame.merge(totals[[*scorer, "stratified_alpha"]], "left", scorer)
        columns["Reliability of Total"] = ("stratified_alpha", ",.2f")
    frame = frame.assign(Scorer=frame["scorer"] + " (" + frame["kind"] + ")")
    note = (
        "Means over dimensions. Leniency is in points, against the other raters; the range used is a share."
    )
    return list_table(frame, "Scorer", columns | {"n": ("n", ",.0f")}, "Judges and raters", notes=[note])


def _raters(frame: pd.DataFrame, task: Task) -> list[DisplayTable]:
    """All raters together: of each dimension the reliability of one rating and of the mean of all.

    Where there is one dimension, there is room for all six forms of Shrout and Fleiss (1979).
    """
    crossed = frame.loc[frame["coefficient"].str.startswith("ICC(A,1)"), "value"].notna().any()
    forms = ["ICC(1) = ICC(1,1)", "ICC(A,1) = ICC(2,1)", "ICC(C,1) = ICC(3,1)"]
    forms += [form.replace("(1)", "(k)").replace(",1)", ",k)") for form in forms]
    chosen = [forms[1], forms[4]] if crossed else [forms[0], forms[3]]
    alone = crossed and frame.loc[frame["dimension"].ne(AVG), "dimension"].nunique() == 1
    names = [*(forms if alone else chosen), "Krippendorff's alpha (interval)"]
    rows = frame[frame["coefficient"].isin(names) & frame["dimension"].ne(AVG)]
    if not rows["value"].notna().any():
        return []
    order = {name: place for place, name in enumerate(names)}
    rows = rows.sort_values("coefficient", key=lambda column: column.map(order), kind="stable")
    return [cross_table(rows, "coefficient", "dimension", "All raters together", task=task)]


def comparison_table(
    frame: pd.DataFrame, task: Task, title: str, names: Sequence[str] = ("first", "second", "difference")
) -> DisplayTable:
    """Lay differences between methods out: QWK by dimension, and the averages of all measures."""
    shown = frame[frame["metric"].eq(PRIMARY) | frame["dimension"].eq(AVG)]
    pairs = shown["first"] + " – " + shown["second"]
    averages = f"{AVG} of " + shown["metric"].map(measure_label)
    dimensions = shown["dimension"].map(lambda identity: line_of("dimension", identity, task).full_name)
    primary = Cell(math.nan, words="primary")
    holm: Any = [
        primary if row["contrast"] == "primary" else listed_cell(row, "p_holm", "p")
        for row in records_of(shown)
    ]
    laid = shown.assign(
        pair=pairs if pairs.nunique() > 1 else "",
        name=averages.where(shown["dimension"].eq(AVG), dimensions),
        holm=holm,
    )
    columns: dict[str, Column] = {
        names[0]: ("first_value", ",.3f"),
        names[1]: ("second_value", ",.3f"),
        names[2]: ("difference", "+,.3f", True),
        "p": ("p", "p"),
        "p (Holm)": ("holm",),
        "detectable": ("detectable", ",.3f"),
        "n": ("n", ",.0f"),
    }
    return list_table(laid, "name", columns, title, group="pair")


def _comparison(frame: pd.DataFrame, task: Task) -> list[DisplayTable]:
    pairs = (frame["first"] + " – " + frame["second"]).unique()
    of = f" of {pairs[0]}" if len(pairs) == 1 else ""
    title = f"Differences of agreement{of}: {measure_label(PRIMARY)} by dimension, averages of all measures"
    return [comparison_table(frame, task, f"{title} (p by permutation)")]


def _by_column(frame: pd.DataFrame, task: Task) -> list[DisplayTable]:
    shown = frame[frame["dimension"].eq(AVG) & ~frame["metric"].str.endswith(SHARE)]
    # A blank value is a group, too.
    shown = shown.assign(group=shown["group"].astype(str).replace("", "(none)"))
    return [
        cross_table(rows, "judge", "metric", f"{AVG} by {column}", task=task, row_group="group")
        for column, rows in shown.groupby("column", sort=False)
    ]


def _within(frame: pd.DataFrame, task: Task) -> list[DisplayTable]:
    columns: dict[str, Column] = {
        "rater": ("rater",),
        "dimension": ("dimension",),
        "r within": ("value", ",.3f", True),
        "r overall": ("overall", ",.3f"),
        "groups": ("groups", ",.0f"),
        "n": ("n", ",.0f"),
    }
    return [list_table(frame, "judge", columns, "Pearson r within groups", task=task)]


def _self_preference(frame: pd.DataFrame, task: Task) -> list[DisplayTable]:
    """Show each judge's mean bias on its own family's work, other models' and people's."""
    columns: dict[str, Column] = {
        "family": ("family",),
        "own": ("bias_own", "+,.2f"),
        "other models": ("bias_other", "+,.2f"),
        "people": ("bias_people", "+,.2f"),
        "own – other": ("value", "+,.2f", True),
        **{f"n {name}": (f"n_{name}", ",.0f") for name in ("own", "other", "people")},
    }
    shown = frame[frame["dimension"].eq(AVG)].assign(value=frame["self_preference"])
    title = f"Self-preference: bias on the own family's work less that on other models' ({AVG}, in points)"
    return [list_table(shown, "judge", columns, title, task=task)]


#: By the name of a report's table what makes it readable.
TABLES: Mapping[str, Callable[[pd.DataFrame, Task], list[DisplayTable]]] = {
    "raters": _raters,
    "comparison": _comparison,
    "by_column": _by_column,
    "within": _within,
    "self_preference": _self_preference,
}


def _concat(frames: list[pd.DataFrame]) -> pd.DataFrame:
    import pandas as pd

    return pd.concat([frame for frame in frames if len(frame)], ignore_index=True)
