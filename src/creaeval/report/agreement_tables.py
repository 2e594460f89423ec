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
    tables = list(measure_tables(report))
    if not report.tables["means"]["method"].ne("").any():
        tables += raters_table(report)
    for name, make in TABLES.items():
        if name in report.tables and name != "reliability":
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
        "Means over dimensions. Leniency is in points, against the average rater; the range used is a share."
    )
    return list_table(frame, "Scorer", columns | {"n": ("n", ",.0f")}, "Judges and raters", notes=[note])


def raters_table(report: AgreementReport) -> list[DisplayTable]:
    """Lay out how reliable raters are, Krippendorff's alpha beside it.

    Where there is one dimension, there is room for all six forms of Shrout and Fleiss (1979).
    """
    raters = report.tables["raters"]
    alpha = raters[raters["coefficient"].eq("Krippendorff's alpha (interval)")]
    frame = _concat([report.tables["reliability"], alpha.assign(kind="rater")])
    tables = _reliability(frame, report.task)
    forms = raters[raters["coefficient"].str.startswith("ICC") & raters["value"].notna()]
    if len(report.dimensions) == 1 and len(forms) > 1:
        tables.append(cross_table(forms, "coefficient", "dimension", "All raters together", task=report.task))
    return tables


def _reliability(frame: pd.DataFrame, task: Task) -> list[DisplayTable]:
    """Lay out the reliability of one rater and of the mean of as many as responses have, by dimension."""
    rows = frame[frame["kind"].eq("rater")]
    if not rows["value"].notna().any():
        return []
    names = {
        f"{number} {kind}": f"{'One rater' if number == 'single' else 'Mean of raters'}, {kind}"
        for number in ("single", "mean")
        for kind in ("absolute", "consistent")
    }
    rows = rows.assign(coefficient=rows["coefficient"].replace(names))
    means = frame.loc[frame["coefficient"].eq("mean absolute") & frame["kind"].eq("rater"), "raters"].dropna()
    notes = ["Absolute: for levels; consistent: for rankings by the same raters, or by fair means."]
    if len(means):
        notes.append(f"The mean is of {_range(means)} raters, as many as responses have (harmonic mean).")
    return [cross_table(rows, "coefficient", "dimension", "Reliability of raters", task=task, notes=notes)]


def _range(numbers: pd.Series[float]) -> str:
    low, high = (f"{end:.3g}" for end in (numbers.min(), numbers.max()))
    return low if low == high else f"{low} to {high}"


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


def _mean_rater(frame: pd.DataFrame, task: Task) -> list[DisplayTable]:
    """Show Pearson's r with the raters' mean beside the mean of single r's."""
    columns: dict[str, Column] = {
        "dimension": ("dimension",),
        "r with the raters' mean": ("value", ",.3f", True),
        "mean of single r": ("single", ",.3f"),
        "n": ("n", ",.0f"),
    }
    note = (
        "Another quantity than the agreement with each rater above, and mostly higher, since a mean of "
        "raters holds less error; mean_rater.csv of `creaeval agree --out FOLDER` has all dimensions and "
        "measures."
    )
    shown = frame[frame["metric"].eq("pearson") & _averages_or_only(frame)]
    return [list_table(shown, "judge", columns, "Agreement with the raters' mean", task=task, notes=[note])]


def _participants(frame: pd.DataFrame, task: Task) -> list[DisplayTable]:
    """Show the agreement of participants' means."""
    shown = frame[_averages_or_only(frame)]
    title = "Agreement of participant means"
    note = "n counts participants, who are resampled for the intervals."
    return [cross_table(shown, "judge", "metric", title, task=task, notes=[note])]


def _averages_or_only(frame: pd.DataFrame) -> pd.Series[bool]:
    """Choose the average over dimensions, or the dimension where there is one."""
    alone = frame.loc[frame["dimension"].ne(AVG), "dimension"].nunique() == 1
    is_average = frame["dimension"].eq(AVG)
    return ~is_average if alone else is_average


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


def _differential(frame: pd.DataFrame, task: Task) -> list[DisplayTable]:
    """Show which groups a judge favours: the averages, and of dimensions what is significant."""
    shown = frame[frame["dimension"].eq(AVG) | frame["p_holm"].lt(0.05)]
    shown = shown.assign(contrast=shown["group"] + " – " + shown["against"], value=shown["difference"])
    columns: dict[str, Column] = {
        "": ("contrast",),
        "dimension": ("dimension",),
        "bias": ("bias", "+,.2f"),
        "of the others": ("bias_against", "+,.2f"),
        "difference": ("difference", "+,.2f", True),
        "p": ("p", "p"),
        "p (Holm)": ("p_holm", "p"),
        "n": ("n", ",.0f"),
        "n others": ("n_against", ",.0f"),
    }
    return [
        list_table(rows, "judge", columns, f"Favoured by {column}: judge less raters, in points", task=task)
        for column, rows in shown.groupby("column", sort=False)
    ]


def _equivalence(frame: pd.DataFrame, task: Task) -> list[DisplayTable]:
    """Show the two one-sided tests of the averages."""
    shown = frame[frame["dimension"].eq(AVG)]
    shown = shown.assign(
        name=shown["first"] + " – " + shown["second"],
        measure=shown["metric"].map(measure_label),
        value=shown["difference"],
    )
    columns: dict[str, Column] = {
        "measure": ("measure",),
        "first": ("first_value", ",.3f"),
        "second": ("second_value", ",.3f"),
        "difference": ("difference", "+,.3f", True),
        "p equal": ("p_equivalence", "p"),
        "p not worse": ("p_noninferior", "p"),
        "n": ("n", ",.0f"),
    }
    margin = "" if shown.empty else f"{float(shown['margin'].iloc[0]):g}".removeprefix("0")
    title = f"Equal within {margin}: {AVG}, two one-sided tests"
    return [list_table(shown, "name", columns, title, task=task)]


#: By the name of a report's table what makes it readable.
TABLES: Mapping[str, Callable[[pd.DataFrame, Task], list[DisplayTable]]] = {
    "reliability": _reliability,
    "comparison": _comparison,
    "by_column": _by_column,
    "differential": _differential,
    "equivalence": _equivalence,
    "within": _within,
    "mean_rater": _mean_rater,
    "participants": _participants,
    "self_preference": _self_preference,
}


def _concat(frames: list[pd.DataFrame]) -> pd.DataFrame:
    import pandas as pd

    return pd.concat([frame for frame in frames if len(frame)], ignore_index=True)
