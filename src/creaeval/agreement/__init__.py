"""Tables from runs and ratings."""

from creaeval.agreement.agree import AgreementReport, agree
from creaeval.agreement.agreement import Agreement, measure_agreement
from creaeval.agreement.comparison import compare_methods
from creaeval.agreement.differences import differences
from creaeval.agreement.pair_values import Resampling
from creaeval.agreement.points import collect_points, compared_dimensions, scores_of

__all__ = [
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
