"""What several sheets of one response come to together: mean, median, majority, spread."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from statistics import fmean, median
from typing import TYPE_CHECKING

from creaeval.tasks import identities

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from creaeval.sheets.score_sheet import ScoreSheet
    from creaeval.tasks import Task


@dataclass(frozen=True)
class PanelRow:
    """One statistic over the sheets of one response.

    Parameters
    ----------
    response_id : str
        Whose sheets.
    judge : str
        Which statistic, one of ``PANEL_JUDGES``: it stands where a judge's name stands in tables.
    n_sheets : int
        How many sheets there are.
    values : mapping of str to float or None
        By identity; None where fewer than two sheets have a value there, and where there is no majority.
    n : mapping of str to int
        How many sheets have a value, by identity.
    """

    response_id: str
    judge: str
    n_sheets: int
    values: Mapping[str, float | None]
    n: Mapping[str, int]


#: The column that says of how many sheets a panel's value comes; empty in the rows of judges.
N_SHEETS = "n_sheets"


def _majority(values: Sequence[float]) -> float | None:
    value, times = Counter(values).most_common(1)[0]
    return value if 2 * times > len(values) else None


def _spread(values: Sequence[float]) -> float:
    return max(values) - min(values)


_STATISTICS: dict[str, Callable[[Sequence[float]], float | None]] = {
    "panel mean": fmean,
    "panel median": median,
    "panel majority": _majority,
    "panel spread": _spread,
}
#: Names that stand for a judge's in rows of a panel.
PANEL_JUDGES = tuple(_STATISTICS)


def is_panel_judge(name: str) -> bool:
    """Whether a judge's name in a table is that of a panel's statistic, in any spelling of case."""
    return " ".join(name.casefold().split()) in PANEL_JUDGES


def panel_rows(task: Task, sheets: Iterable[ScoreSheet]) -> list[PanelRow]:
    """Put the sheets of each response together, those of all judges and of all repeats alike.

    Parameters
    ----------
    task : Task
        The sheets' task.
    sheets : iterable of ScoreSheet
        Of any responses; where items are units of their own, a sheet for each (``Run.sheets`` has them so).

    Returns
    -------
    list of PanelRow
        For each response with two or more sheets, in the order of their first ones, a row for each of
        ``PANEL_JUDGES``: of the final values of dimensions, groups, Overalls and the Total. Every sheet
        counts the same, so a judge with more repeats than another counts more. The statistics of sums are of
        the sheets' sums: a median Total need not be the sum of median Overalls.
    """
    by_response: defaultdict[str, list[ScoreSheet]] = defaultdict(list)
    for sheet in sheets:
        by_response[sheet.response_id].append(sheet)
    return [
        row
        for response_id, found in by_response.items()
        if len(found) > 1
        for row in _rows(task, response_id, found)
    ]


def _rows(task: Task, response_id: str, sheets: Sequence[ScoreSheet]) -> list[PanelRow]:
    values = {
        identity: [value for sheet in sheets if (value := sheet.final(identity)) is not None]
        for identity in identities(task)
    }
    n = {identity: len(found) for identity, found in values.items()}
    return [
        PanelRow(
            response_id,
            judge,
            len(sheets),
            {name: statistic(found) if len(found) > 1 else None for name, found in values.items()},
            n,
        )
        for judge, statistic in _STATISTICS.items()
    ]
