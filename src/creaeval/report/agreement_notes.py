"""What must be known to read the tables of agreement: rules, not layout."""

from __future__ import annotations

from typing import TYPE_CHECKING

from creaeval.report.display.labels import AVG, HUMAN, SHARE
from creaeval.report.display.numbers import span
from creaeval.stats.measures import get_measure
from creaeval.wording import plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

    from creaeval.agreement.agree import AgreementReport

_FEW = 30


def agreement_notes(report: AgreementReport) -> list[str]:
    """Say what must be known to read the tables."""
    means = report.tables["means"]
    values = means[~means["metric"].str.endswith(SHARE)]
    lines = [
        f"Values are means of the agreements with each rater, {AVG} their unweighted mean over dimensions.",
        *report.notes,
    ]
    if len(values) and (smallest := int(values["n"].min())) < _FEW:
        lines.append(f"Only {plural(smallest, 'response')} in the smallest cell: nothing rests on so few.")
    lines += [*_below_chance(values), *_stand_in(report), *_needed(report)]
    if HUMAN in set(means["judge"]):
        lines.append("Agreement between people is no upper bound: a judge near the true score can exceed it.")
    return lines


def _below_chance(values: pd.DataFrame) -> Iterator[str]:
    """Name values that are surely worse than chance: whose whole interval lies below 0."""
    by_chance = values["metric"].map(lambda key: get_measure(str(key)).chance_is_zero)
    negative = values[values["high"].lt(0) & by_chance]
    if names := ", ".join(dict.fromkeys(negative["judge"])):
        verb = "lies" if len(negative) == 1 else "lie"
        yield (
            f"{plural(len(negative), 'value')} ({names}) {verb} below 0 with the whole interval: worse than "
            "chance. Is a scale reversed somewhere?"
        )


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
        outcome = f"of {plural(len(rows), 'dimension')} {decisions}{reason}"
        outcomes.setdefault(outcome, []).append(str(judge))
    for outcome, judges in outcomes.items():
        yield f"Alternative annotator test, {', '.join(judges)}: {outcome}."


def _needed(report: AgreementReport) -> Iterator[str]:
    """Say how many raters and judges a reliable ranking takes, and a reliable level."""
    studies = report.tables["d_study"].drop_duplicates(["method", "kind", "dimension"])
    for (method, _, scorers, objects), rows in studies.groupby(
        ["method", "kind", "of", "objects"], sort=False
    ):
        who = f"{scorers} of {method}" if method else str(scorers)
        ranking, level = (_how_many(rows, f"needed_for_{what}", who) for what in ("ranking", "level"))
        yield (
            f"For a reliability of {rows['target'].iloc[0]:g} in ranking {objects}s: {ranking}; for their "
            f"level: {level} (reliability.csv of `creaeval agree --out FOLDER` has intervals)."
        )


def _how_many(rows: pd.DataFrame, column: str, who: str) -> str:
    numbers = rows[column].dropna()
    undefined = int(rows["dependability"].isna().sum())
    never = len(rows) - undefined - len(numbers)
    parts = []
    if len(numbers):
        parts.append(f"{span(numbers)} {who} in {plural(len(numbers), 'dimension')}")
    if never:
        parts.append(f"no number of {who} in {never}")
    if undefined:
        parts.append(f"not to be told for {who} in {undefined}")
    return "; ".join(parts)
