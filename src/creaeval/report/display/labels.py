"""What measures, dimensions and scorers are called in tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from creaeval.agreement.pairs import AVG, HUMAN
from creaeval.agreement.protocol import SHARE
from creaeval.report.display.table import Line
from creaeval.stats.measures import list_measures, measure_label
from creaeval.tasks import display_name

if TYPE_CHECKING:
    from creaeval.tasks import Task

__all__ = ["AVG", "HUMAN", "SHARE", "SHARE_OF_HUMAN", "line_of", "measure_form", "measure_label"]

SHARE_OF_HUMAN = f"share of {HUMAN}"


def measure_form(measure: str) -> str:
    """Return how values of a measure are written: with three decimals, points and shares with two."""
    in_points = any(record.key == measure and record.in_points for record in list_measures())
    return ",.2f" if in_points or measure.endswith(SHARE) else ",.3f"


def line_of(field: str, key: str, task: Task | None = None) -> Line:
    """Make the row or column of a key in one of a long table's columns."""
    if field == "dimension":
        return _dimension(key, task)
    if field in ("metric", "measure"):
        return Line(measure_label(key))
    return Line(key, every=key == HUMAN)


def _dimension(identity: str, task: Task | None) -> Line:
    if identity in (AVG, SHARE_OF_HUMAN):
        return Line(identity, summary=True)
    step, dot, _ = identity.partition(".")
    if task is None or not dot:
        return Line(identity if task is None else display_name(task, identity))
    # Where there is one step, its name tells nothing apart.
    group = task.step(step).name if len(task.steps) > 1 else ""
    return Line(display_name(task, identity), group)
