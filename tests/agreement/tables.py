"""Data about agreement for tests."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING, Any

from rich.console import Console

from booklets import cgpst
from creaeval.agreement.rating_data import RatingData, Scorer, Unit
from creaeval.report.agreement_text import print_agreement

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pandas as pd

    from creaeval.agreement import AgreementReport
    from creaeval.tasks import Task

    Given = Mapping[Any, Sequence[float | None]]


def judge(name: str, method: str = "m", evidence: int = 1, repeat: int = 1) -> Scorer:
    return Scorer(name, "judge", method, evidence, repeat)


def table(
    given: Given,
    scales: Mapping[str, tuple[float, float]] | None = None,
    carried: Mapping[str, Mapping[str, str]] | None = None,
    task: Task | None = None,
) -> RatingData:
    """Points by (kind or scorer, name, dimension), a value for each of R00, R01 ...; None has no row.

    A judge that is named by its kind is of the method ``m``.
    """
    dimensions: dict[str, int] = {}
    scorers: dict[Scorer, int] = {}
    rows = []
    for (kind, name, dimension), values in given.items():
        scorer = kind if isinstance(kind, Scorer) else judge(name) if kind == "judge" else Scorer(name)
        who = scorers.setdefault(scorer, len(scorers))
        what = dimensions.setdefault(dimension, len(dimensions))
        rows += [
            (Unit(f"R{number:02}"), who, what, float(value))
            for number, value in enumerate(values)
            if value is not None
        ]
    return RatingData.build(task or cgpst(), list(dimensions), list(scorers), rows, scales, carried)


def by_response(values: Iterable[str]) -> dict[str, str]:
    """Values of a carried column, one for each of R00, R01 ..."""
    return {f"R{number:02}": value for number, value in enumerate(values)}


def row(frame: pd.DataFrame, **where: str) -> pd.Series:
    """The one row with these values."""
    chosen = frame
    for name, value in where.items():
        chosen = chosen[chosen[name] == value]
    assert len(chosen) == 1, where
    return chosen.iloc[0]


def summary_text(report: AgreementReport, width: int = 120) -> str:
    """What `creaeval agree` prints, in lines of so many characters."""
    file = StringIO()
    print_agreement(Console(file=file, width=width, highlight=False, emoji=False), report)
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines()) + "\n"
