"""How well judges agree with people, and people with each other: one type, one module a topic."""

from creaeval.agreement.agree import AgreementReport, agree
from creaeval.agreement.long_table import compared_dimensions, long_table, scores_of
from creaeval.agreement.methods.common import find_common
from creaeval.agreement.methods.comparison import compare_methods
from creaeval.agreement.options import AgreementOptions
from creaeval.agreement.protocol import Agreement, measure_agreement
from creaeval.agreement.rating_data import RatingData, Scorer, Unit
from creaeval.agreement.runs.differences import differences
from creaeval.agreement.sources import raters

__all__ = [
    "Agreement",
    "AgreementOptions",
    "AgreementReport",
    "RatingData",
    "Scorer",
    "Unit",
    "agree",
    "compare_methods",
    "compared_dimensions",
    "differences",
    "find_common",
    "long_table",
    "measure_agreement",
    "raters",
    "scores_of",
]
