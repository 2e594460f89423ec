"""Agreement statistics: pure functions of arrays that return plain numbers.

An undefined value is nan, never 0, 1 or an exception; `why_undefined` and its kin say why. A missing score is
nan and leaves out its pair, or its target. Nothing is rounded, clipped or indexed anew to the values that
occur.
"""

from creaeval.stats.alpha import cronbach_alpha, krippendorff_alpha, stratified_alpha, why_alpha_undefined
from creaeval.stats.correlation import kendall_tau_b, pairs, pearson, spearman, why_undefined
from creaeval.stats.differences import (
    adjacent_agreement,
    exact_agreement,
    mean_absolute_error,
    mean_difference,
    range_use,
    rmse,
    standard_deviation,
)
from creaeval.stats.icc import IccForm, IccTable, icc
from creaeval.stats.kappa import cohen_kappa, fleiss_kappa, linear_weighted_kappa, quadratic_weighted_kappa

__all__ = [
    "IccForm",
    "IccTable",
    "adjacent_agreement",
    "cohen_kappa",
    "cronbach_alpha",
    "exact_agreement",
    "fleiss_kappa",
    "icc",
    "kendall_tau_b",
    "krippendorff_alpha",
    "linear_weighted_kappa",
    "mean_absolute_error",
    "mean_difference",
    "pairs",
    "pearson",
    "quadratic_weighted_kappa",
    "range_use",
    "rmse",
    "spearman",
    "standard_deviation",
    "stratified_alpha",
    "why_alpha_undefined",
    "why_undefined",
]
