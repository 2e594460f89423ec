"""Runs: plan, carry out, keep, resume, export."""

from creaeval.runs.csv_file import write_table
from creaeval.runs.defaults import DEFAULT_MODEL
from creaeval.runs.engine import Watcher
from creaeval.runs.export import check_folder, export_run
from creaeval.runs.plan import Plan, make_plan, unscored_items
from creaeval.runs.run import Run
from creaeval.runs.score import DEFAULT_LEDGER, prepare, run_plan, score
from creaeval.runs.store import RunLine, RunStore
from creaeval.runs.summary import Summary, Tokens

__all__ = [
    "DEFAULT_LEDGER",
    "DEFAULT_MODEL",
    "Plan",
    "Run",
    "RunLine",
    "RunStore",
    "Summary",
    "Tokens",
    "Watcher",
    "check_folder",
    "export_run",
    "make_plan",
    "prepare",
    "run_plan",
    "score",
    "unscored_items",
    "write_table",
]
