"""Figures for print and for the report: each a function from a data frame to a matplotlib figure."""

from creaeval.report.figures.calibration import calibration_curves
from creaeval.report.figures.forest import agreement_forest
from creaeval.report.figures.heat import heat_maps
from creaeval.report.figures.length import length_scatter
from creaeval.report.figures.matrices import value_matrix
from creaeval.report.figures.quotes import quotes_found
from creaeval.report.figures.style import save, to_svg
from creaeval.report.figures.variance import variance_violins

__all__ = [
    "agreement_forest",
    "calibration_curves",
    "heat_maps",
    "length_scatter",
    "quotes_found",
    "save",
    "to_svg",
    "value_matrix",
    "variance_violins",
]
