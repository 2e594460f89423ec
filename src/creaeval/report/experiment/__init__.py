"""An experiment as tables and figures for a paper, and as one HTML file."""

from creaeval.report.experiment.compared import Compared, compare_runs, compared_of
from creaeval.report.experiment.exhibits import Exhibits, PaperFigure, PaperTable, make_exhibits
from creaeval.report.experiment.write import write_experiment_report

__all__ = [
    "Compared",
    "Exhibits",
    "PaperFigure",
    "PaperTable",
    "compare_runs",
    "compared_of",
    "make_exhibits",
    "write_experiment_report",
]
