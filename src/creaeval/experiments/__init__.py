"""Experiments: a grid of runs from one file, checked whole before the first call, and its results."""

from creaeval.experiments.file import Experiment, read_experiment
from creaeval.experiments.grid import UNTRAINED, Cell, cells
from creaeval.experiments.planning import Planned, PlannedRun, plan_experiment
from creaeval.experiments.results import DataResults, load_results
from creaeval.experiments.run import GridWatcher, RunEnd, make_runs, run_experiment
from creaeval.experiments.status import RunStatus, Status, find_status

__all__ = [
    "UNTRAINED",
    "Cell",
    "DataResults",
    "Experiment",
    "GridWatcher",
    "Planned",
    "PlannedRun",
    "RunEnd",
    "RunStatus",
    "Status",
    "cells",
    "find_status",
    "load_results",
    "make_runs",
    "plan_experiment",
    "read_experiment",
    "run_experiment",
]
