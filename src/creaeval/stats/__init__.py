"""Agreement statistics: pure functions of arrays that return plain numbers.

An undefined value is nan, never 0, 1 or an exception; the reason comes from the measure's record
(:mod:`creaeval.stats.measures`). A missing score is nan and leaves out its pair, or its target. Nothing is
rounded, clipped or indexed anew to the values that occur. The six forms of the ICC are
:func:`creaeval.stats.icc.icc`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from creaeval.stats.alpha import (
        cronbach_alpha,
        krippendorff_alpha,
        stratified_alpha,
        why_alpha_undefined,
    )
    from creaeval.stats.correlation import kendall_tau_b, pairs, pearson, spearman
    from creaeval.stats.differences import (
        adjacent_agreement,
        exact_agreement,
        mean_absolute_error,
        mean_difference,
        range_use,
        rmse,
        standard_deviation,
    )
    from creaeval.stats.icc import IccForm, IccTable
    from creaeval.stats.kappa import (
        cohen_kappa,
        fleiss_kappa,
        linear_weighted_kappa,
        quadratic_weighted_kappa,
    )
    from creaeval.stats.measures import Levels, Measure, get_measure, list_measures, register_measure

_HOMES = {
    "IccForm": "icc",
    "IccTable": "icc",
    "Levels": "measures",
    "Measure": "measures",
    "adjacent_agreement": "differences",
    "cohen_kappa": "kappa",
    "cronbach_alpha": "alpha",
    "exact_agreement": "differences",
    "fleiss_kappa": "kappa",
    "get_measure": "measures",
    "kendall_tau_b": "correlation",
    "krippendorff_alpha": "alpha",
    "linear_weighted_kappa": "kappa",
    "list_measures": "measures",
    "mean_absolute_error": "differences",
    "mean_difference": "differences",
    "pairs": "correlation",
    "pearson": "correlation",
    "quadratic_weighted_kappa": "kappa",
    "range_use": "differences",
    "register_measure": "measures",
    "rmse": "differences",
    "spearman": "correlation",
    "standard_deviation": "differences",
    "stratified_alpha": "alpha",
    "why_alpha_undefined": "alpha",
}

__all__ = [
    "IccForm",
    "IccTable",
    "Levels",
    "Measure",
    "adjacent_agreement",
    "cohen_kappa",
    "cronbach_alpha",
    "exact_agreement",
    "fleiss_kappa",
    "get_measure",
    "kendall_tau_b",
    "krippendorff_alpha",
    "linear_weighted_kappa",
    "list_measures",
    "mean_absolute_error",
    "mean_difference",
    "pairs",
    "pearson",
    "quadratic_weighted_kappa",
    "range_use",
    "register_measure",
    "rmse",
    "spearman",
    "standard_deviation",
    "stratified_alpha",
    "why_alpha_undefined",
]


def __getattr__(name: str) -> Any:
    # Imported when first used: the command line reads the measures' records, and numpy loads slowly.
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
