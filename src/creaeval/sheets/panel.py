"""What several sheets of one response come to together: mean, median, majority, spread."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from statistics import fmean, median
from typing import TYPE_CHECKING

from creaeval.tasks import identities

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from creaeval.sheets.score_sheet import ScoreSheet
    from creaeval.tasks import Task


@dataclass(frozen=True)
class PanelRow:
    """What the sheets of a response come to in one dimension, group, Overall or the Total.

    ``n_sheets`` says how many of them have a value. With fewer than two there is no statistic; ``majority``
    is the value of more than half of them, None without one; ``spread`` is the highest less the lowest.
    """

    response_id: str
    dimension: str
    n_sheets: int
    mean: float | None = None
    median: float | None = None
    majority: float | None = None
    spread: float | None = None


#: The columns of the table of a panel that say what the sheets come to.
STATISTICS = ("mean", "median", "majority", "spread")
#: In tables of version 0.1: of how many sheets a panel's row comes, empty in the rows of judges.
N_SHEETS = "n_sheets"
#: In tables of version 0.1: names that stood for a judge's in rows of a panel.
PANEL_JUDGES = tuple(f"panel {statistic}" for statistic in STATISTICS)


def is_panel_judge(name: str) -> bool:
    """Whether a judge's name in a table is that of a panel's statistic, in any spelling of case."""
    return " ".join(name.casefold().split()) in PANEL_JUDGES


def panel_rows(task: Task, sheets: Iterable[ScoreSheet]) -> list[PanelRow]:
    """Put the sheets of each response together where there are several.

    They are put together by final values of dimensions, groups, Overalls and the Total. Every sheet counts
    the same, so a judge with more repeats than another counts more. The statistics of sums are of the sheets'
    sums: a median Total need not be the sum of median Overalls.
    """
    by_response: defaultdict[str, list[ScoreSheet]] = defaultdict(list)
    for sheet in sheets:
        by_response[sheet.response_id].append(sheet)
    rows: list[PanelRow] = []
    for response_id, panel in by_response.items():
        for name in identities(task) if len(panel) > 1 else ():
            finals = [sheet.final(name) for sheet in panel]
            values = [value for value in finals if value is not None]
            known = (fmean(values), median(values), _majority(values), _spread(values)) if values[1:] else ()
            rows.append(PanelRow(response_id, name, len(values), *known))
    return rows


def _majority(values: Sequence[float]) -> float | None:
    value, times = Counter(values).most_common(1)[0]
    return value if 2 * times > len(values) else None


def _spread(values: Sequence[float]) -> float:
    return max(values) - min(values)
