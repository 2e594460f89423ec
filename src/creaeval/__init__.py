"""Score creative work with language models the way trained raters do: evidence first, then judgement.

>>> import creaeval
>>> run = creaeval.score("booklets/", scenarios="scenario.yaml")  # doctest: +SKIP
>>> run.scores_wide  # doctest: +SKIP
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from creaeval.agreement import agree, differences
    from creaeval.agreement.sources import raters
    from creaeval.data import (
        Rating,
        Response,
        read_data,
        read_ratings,
        read_responses,
        read_scenarios,
        read_scores,
    )
    from creaeval.errors import CreaEvalError
    from creaeval.llm import Settings
    from creaeval.runs import Run, export_run, score
    from creaeval.tasks import Task, load_task

_HOMES = {
    "CreaEvalError": "creaeval.errors",
    "Rating": "creaeval.data",
    "Response": "creaeval.data",
    "Run": "creaeval.runs",
    "Settings": "creaeval.llm",
    "Task": "creaeval.tasks",
    "agree": "creaeval.agreement",
    "differences": "creaeval.agreement",
    "export_run": "creaeval.runs",
    "load_task": "creaeval.tasks",
    "raters": "creaeval.agreement.sources",
    "read_data": "creaeval.data",
    "read_ratings": "creaeval.data",
    "read_responses": "creaeval.data",
    "read_scenarios": "creaeval.data",
    "read_scores": "creaeval.data",
    "score": "creaeval.runs",
}

__all__ = [
    "CreaEvalError",
    "Rating",
    "Response",
    "Run",
    "Settings",
    "Task",
    "agree",
    "differences",
    "export_run",
    "load_task",
    "raters",
    "read_data",
    "read_ratings",
    "read_responses",
    "read_scenarios",
    "read_scores",
    "score",
]


def __getattr__(name: str) -> Any:
    # Imported when first used: the command line must start in a blink.
    if name not in _HOMES:
        raise AttributeError(f"module 'creaeval' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
