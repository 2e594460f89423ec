"""The tables of agreement as people read them, the same in every medium.

Each entry of :data:`TABLES` makes one of a report's long tables readable; a table without an entry is shown
as it is.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from creaeval.report.display import Cell, DisplayTable, Line, cross_table, plain_table, table_of
from creaeval.report.display.build import records_of, undefined_notes, value_cell
from creaeval.report.display.labels import (
    AVG,
    SHARE,
    SHARE_OF_HUMAN,
    line_of,
    measure_form,
    measure_label,
)
from creaeval.report.display.numbers import p_value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import pandas as pd

    from creaeval.agreement.agree import AgreementReport
    from creaeval.tasks import Task

Row = dict[str, Any]


def agreement_tables(report: AgreementReport) -> list[DisplayTable]:
    """Make the tables of a report that are shown: the means by measure, then what else was asked for."""
    tables = list(measure_tables(report))
    shown = ["comparison", "by_column", "within", "self_preference"]
    if not report.tables["means"]["method"].ne("").any():
        shown.insert(0, "raters")
    for name in shown[: shown.index("comparison")]:
        tables += display_tables(name, report.tables[name], report.task)
    tables.append(scorers_table(report))
    for name in shown[shown.index("comparison") :]:
        if name in report.tables:
            tables += display_tables(name, report.tables[name], report.task)
    return tables


def display_tables(name: str, frame: pd.DataFrame, task: Task) -> list[DisplayTable]:
    """Make one of the long tables readable, in several where it holds several."""
    return TABLES[name](frame, task) if name in TABLES else [plain_table(frame)]


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
    severity = report.tables["severity"]
    known = {"Halo (mean r)": _by_scorer(report.tables["halo_means"], "mean_r")}
    if (totals := report.tables.get("total_reliability")) is not None:
        known["Reliability of Total"] = _by_scorer(totals, "stratified_alpha")
    rows = [
        (
            f"{row['scorer']} ({row['kind']})",
            [
                Cell(float(row["leniency"]), form="+,.2f"),
                Cell(float(row["sd"]), form=",.2f"),
                Cell(float(row["range_use"]), form=".0%"),
                *(Cell(of.get((row["kind"], row["scorer"]), math.nan), form=",.2f") for of in known.values()),
                Cell(int(row["n"]), form=",d"),
            ],
        )
        for row in records_of(severity[severity["dimension"].eq(AVG)])
    ]
    note = (
        "Means over dimensions. Leniency is in points, against the other raters; the range used is a share."
    )
    columns = ["Leniency", "SD", "Range used", *known, "n"]
    return table_of("Judges and raters", columns, rows, corner="Scorer", notes=[note])


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
    shown = frame[frame["metric"].eq("qwk") | frame["dimension"].eq(AVG)]
    several = len(shown[["first", "second"]].drop_duplicates()) > 1
    rows = []
    for row in records_of(shown):
        dimension = line_of("dimension", row["dimension"], task)
        name = f"{AVG} of {measure_label(row['metric'])}" if dimension.name == AVG else dimension.full_name
        group = f"{row['first']} – {row['second']}" if several else ""
        rows.append((Line(name, group), _difference(row)))
    return table_of(title, [*names, "p", "p (Holm)", "detectable", "n"], rows)


def _comparison(frame: pd.DataFrame, task: Task) -> list[DisplayTable]:
    pairs = (frame["first"] + " – " + frame["second"]).unique()
    of = f" of {pairs[0]}" if len(pairs) == 1 else ""
    title = f"Differences of agreement{of}: QWK by dimension, averages of all measures (p by permutation)"
    return [comparison_table(frame, task, title)]


def _difference(row: Row) -> list[Cell]:
    form = measure_form(row["metric"])
    holm = Cell(math.nan, words="primary") if row["contrast"] == "primary" else p_cell(row["p_holm"])
    return [
        *(Cell(float(row[name]), form=form) for name in ("first_value", "second_value")),
        value_cell(row, "difference", f"+{form}"),
        p_cell(row["p"]),
        holm,
        Cell(float(row["detectable"]), form=form),
        Cell(int(row["n"]), form=",d"),
    ]


def p_cell(p: float) -> Cell:
    """Make the cell of a p value; it is empty where there was no test."""
    return Cell() if math.isnan(p) else Cell(float(p), words=p_value(p))


def _by_column(frame: pd.DataFrame, task: Task) -> list[DisplayTable]:
    shown = frame[frame["dimension"].eq(AVG) & ~frame["metric"].str.endswith(SHARE)]
    # A blank value is a group, too.
    shown = shown.assign(group=shown["group"].astype(str).replace("", "(none)"))
    return [
        cross_table(rows, "judge", "metric", f"{AVG} by {column}", task=task, row_group="group")
        for column, rows in shown.groupby("column", sort=False)
    ]


def _within(frame: pd.DataFrame, task: Task) -> list[DisplayTable]:
    rows = [
        (
            str(row["judge"]),
            [
                Cell(str(row["rater"])),
                Cell(line_of("dimension", row["dimension"], task).full_name),
                value_cell(row),
                Cell(float(row["overall"])),
                Cell(int(row["groups"]), form=",d"),
                Cell(int(row["n"]), form=",d"),
            ],
        )
        for row in records_of(frame)
    ]
    columns = ["rater", "dimension", "r within", "r overall", "groups", "n"]
    notes = undefined_notes(records_of(frame), "judge", "dimension", task)
    return [table_of("Pearson r within groups", columns, rows, corner="judge", notes=notes)]


def _self_preference(frame: pd.DataFrame, task: Task) -> list[DisplayTable]:
    """Show each judge's mean bias on its own family's work, other models' and people's."""
    shown = records_of(frame[frame["dimension"].eq(AVG)].assign(value=frame["self_preference"]))
    names = ("own", "other", "people")
    rows = [
        (
            str(row["judge"]),
            [
                Cell(str(row["family"])),
                *(Cell(float(row[f"bias_{name}"]), form="+,.2f") for name in names),
                value_cell(row, form="+,.2f"),
                *(Cell(int(row[f"n_{name}"]), form=",d") for name in names),
            ],
        )
        for row in shown
    ]
    columns = ["family", "own", "other models", "people", "own – other", "n own", "n other", "n people"]
    title = f"Self-preference: bias on the own family's work less that on other models' ({AVG}, in points)"
    notes = undefined_notes(shown, "judge", "dimension", task)
    return [table_of(title, columns, rows, corner="judge", notes=notes)]


#: By the name of a report's table what makes it readable.
TABLES: Mapping[str, Callable[[pd.DataFrame, Task], list[DisplayTable]]] = {
    "raters": _raters,
    "comparison": _comparison,
    "by_column": _by_column,
    "within": _within,
    "self_preference": _self_preference,
}


def _by_scorer(table: pd.DataFrame, column: str) -> dict[tuple[str, str], float]:
    return {(str(row["kind"]), str(row["scorer"])): float(row[column]) for row in records_of(table)}


def _concat(frames: list[pd.DataFrame]) -> pd.DataFrame:
    import pandas as pd

    return pd.concat([frame for frame in frames if len(frame)], ignore_index=True)
