"""Tables as a page shows them: intervals beside their values, measures across, what is empty left out."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from creaeval.agreement.pair_values import AVG
from creaeval.report.formatting import span
from creaeval.report.tables import UNDEFINED, paper_number
from creaeval.stats.measures import measure_label
from creaeval.tasks import display_name

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pandas as pd

    from creaeval.tasks import Task


def shorten(part: str, frame: pd.DataFrame, task: Task) -> pd.DataFrame | None:
    """Make what a page shows of a table; the files keep all of it."""
    make = _SHORT.get(part)
    if make is None:
        return None
    named = frame
    if "dimension" in frame:
        dimensions = frame["dimension"].unique()
        names = {name: name if name == AVG else display_name(task, name) for name in dimensions}
        named = frame.assign(dimension=frame["dimension"].map(names))
    return _without_empty(make(named))


def _raters(frame: pd.DataFrame) -> pd.DataFrame:
    return _with_intervals(frame[frame["value"].notna()])[
        ["dimension", "coefficient", "value", "n", "raters", "reason"]
    ]


def _self_preference(frame: pd.DataFrame) -> pd.DataFrame:
    judges = [
        judge.removeprefix(f"{method}: ")
        for method, judge in zip(frame["method"].astype(str), frame["judge"].astype(str), strict=True)
    ]
    shown = frame.assign(judge=judges, value=frame["self_preference"])
    shown = _with_intervals(shown[shown["dimension"].eq(AVG)])
    counts = shown[["n_own", "n_other", "n_people"]].astype(int).astype(str)
    shown["own, other models, people"] = counts.agg(", ".join, axis=1) if len(counts) else ""
    names = {"value": "own – other", "bias_own": "own", "bias_other": "other models", "bias_people": "people"}
    columns = ["judge", "family", "bias_own", "bias_other", "bias_people", "value"]
    return shown[[*columns, "own, other models, people", "reason"]].rename(columns=names)


def _within(frame: pd.DataFrame) -> pd.DataFrame:
    columns = ["judge", "rater", "dimension", "value", "overall", "groups", "n", "reason"]
    return _with_intervals(frame)[columns].rename(columns={"value": "r within", "overall": "r overall"})


def _by_column(frame: pd.DataFrame) -> pd.DataFrame:
    shown = _with_intervals(frame).assign(metric=frame["metric"].map(measure_label))
    return _across(shown, ["column", "group", "judge", "n"], "metric")


def _cost(frame: pd.DataFrame) -> pd.DataFrame:
    """Write median and 95th percentile of each measure; of failed attempts, their number."""
    import pandas as pd

    columns = ["method", "judge", "per", "n", "failed"]
    rows: dict[tuple[object, ...], dict[str, object]] = {}
    for row in frame.to_dict("records"):
        cells = rows.setdefault(tuple(row[name] for name in columns), {name: row[name] for name in columns})
        measure = str(row["measure"])
        if measure == "failed_attempts":
            cells["failed attempts"] = UNDEFINED if _is_nan(row["total"]) else f"{row['total']:,.0f}"
        else:
            cells[measure.replace("_", " ")] = _middle_and_high(measure, float(row["p50"]), float(row["p95"]))
    return pd.DataFrame(rows.values())


def _length(frame: pd.DataFrame) -> pd.DataFrame:
    names = {
        "pearson": "Pearson r",
        "spearman": "Spearman rho",
        "partial_pearson": "r given the human score",
        "partial_spearman": "rho given the human score",
    }
    change = frame[frame["measure"].eq("pearson")].set_index(["method", "judge"])["change"]
    named = _with_intervals(frame).assign(measure=frame["measure"].map(names))
    wide = _across(named, ["method", "judge", "n"], "measure")
    wide["change of r against direct"] = [
        "" if _is_nan(value) else f"{value:+.1%}"
        for value in (change.get(key, math.nan) for key in zip(wide["method"], wide["judge"], strict=True))
    ]
    return wide


def _evidence(frame: pd.DataFrame) -> pd.DataFrame:
    return _repeats(frame.assign(n=frame["n_responses"]), ["measure", "method", "model"])


def _judges(frame: pd.DataFrame) -> pd.DataFrame:
    return _repeats(frame, ["method", "judge"])


def _repeats(frame: pd.DataFrame, who: Sequence[str]) -> pd.DataFrame:
    """Lay dimensions across; n is that of the responses, from the fewest of a dimension to the most."""
    down = [*who, "temperature", "n_repeats"]
    n = frame.groupby(down, dropna=False)["n"].transform(span)
    return _across(frame.assign(value=frame["value"].map(paper_number), n=n), [*down, "n"], "dimension")


_SHORT: Mapping[str, Callable[[pd.DataFrame], pd.DataFrame]] = {
    "raters": _raters,
    "self_preference": _self_preference,
    "within": _within,
    "by_column": _by_column,
    "cost": _cost,
    "length": _length,
    "evidence_stability": _evidence,
    "judge_stability": _judges,
}


def _with_intervals(frame: pd.DataFrame) -> pd.DataFrame:
    """Write values with their intervals behind them."""
    texts = []
    for value, low, high in zip(frame["value"], frame["low"], frame["high"], strict=True):
        ends = "" if _is_nan(low) else f" [{paper_number(low, 2)}, {paper_number(high, 2)}]"
        texts.append(paper_number(float(value)) + ends)
    return frame.assign(value=texts)


def _across(frame: pd.DataFrame, down: Sequence[str], across: str) -> pd.DataFrame:
    """Lay the values of one column across; everything in its first order."""
    import pandas as pd

    rows: dict[tuple[object, ...], dict[str, object]] = {}
    for row in frame.to_dict("records"):
        # Missing numbers are not equal to themselves, and must not make a row each.
        key = tuple(UNDEFINED if _is_nan(row[name]) else row[name] for name in down)
        rows.setdefault(key, dict(zip(down, key, strict=True)))[str(row[across])] = row["value"]
    return pd.DataFrame(rows.values()).fillna("")


def _without_empty(frame: pd.DataFrame) -> pd.DataFrame:
    """Leave out columns in which nothing stands."""
    empty = frame.map(lambda value: value == "" or _is_nan(value)).all()
    return frame.loc[:, ~empty].reset_index(drop=True)


def _middle_and_high(measure: str, middle: float, high: float) -> str:
    if math.isnan(middle):
        return UNDEFINED
    digits = 4 if measure == "cost_usd" else 1 if measure == "seconds" and high < 10 else 0
    return f"{middle:,.{digits}f} / {high:,.{digits}f}"


def _is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)
