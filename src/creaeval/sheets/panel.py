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
    """A statistic over the sheets of a response.

    ``judge`` is the statistic's name, which stands in tables where a judge's does. ``values`` are by
    identity, None where fewer than two sheets have a value or there is no majority; ``n`` says how many do.
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
    """Put the sheets of each response together: a row for each of ``PANEL_JUDGES`` where there are several.

    They are of the final values of dimensions, groups, Overalls and the Total. Every sheet counts the same,
    so a judge with more repeats than another counts more. The statistics of sums are of the sheets' sums: a
    median Total need not be the sum of median Overalls.
    """
    by_response: defaultdict[str, list[ScoreSheet]] = defaultdict(list)
    for sheet in sheets:
        by_response[sheet.response_id].append(sheet)
    rows: list[PanelRow] = []
    for response_id, panel in by_response.items():
        if len(panel) < 2:
            continue
        finals = {name: [sheet.final(name) for sheet in panel] for name in identities(task)}
        known = {name: [value for value in values if value is not None] for name, values in finals.items()}
        n = {name: len(values) for name, values in known.items()}
        for judge, statistic in _STATISTICS.items():
            values = {name: statistic(values) if n[name] > 1 else None for name, values in known.items()}
            rows.append(PanelRow(response_id, judge, len(panel), values, n))
    return rows
