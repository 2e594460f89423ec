"""Tables from runs and ratings."""

from creaeval.analysis.agreement import MEASURES, PAPER, agreement, protocol
from creaeval.analysis.differences import differences
from creaeval.analysis.points import collect_points, compared_dimensions

__all__ = [
    "MEASURES",
    "PAPER",
    "agreement",
    "collect_points",
    "compared_dimensions",
    "differences",
    "protocol",
]
