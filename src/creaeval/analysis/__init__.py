"""Tables from runs and ratings."""

from creaeval.analysis.agree import AgreementReport, agree
from creaeval.analysis.agreement import MEASURES, PAPER, Agreement, measure_agreement
from creaeval.analysis.comparison import compare_methods
from creaeval.analysis.differences import differences
from creaeval.analysis.pair_values import Resampling
from creaeval.analysis.points import collect_points, compared_dimensions, scores_of

__all__ = [
    "MEASURES",
    "PAPER",
    "Agreement",
    "AgreementReport",
    "Resampling",
    "agree",
    "collect_points",
    "compare_methods",
    "compared_dimensions",
    "differences",
    "measure_agreement",
    "scores_of",
]
