"""What each method takes for a task, before there is a response."""

from __future__ import annotations

from typing import TYPE_CHECKING

from creaeval.data import Response, StepText
from creaeval.errors import SettingError
from creaeval.methods.base import Case, Method
from creaeval.methods.registry import list_methods
from creaeval.tasks import Scenario

if TYPE_CHECKING:
    from creaeval.tasks import Task


def method_calls(task: Task) -> list[tuple[Method, int | None]]:
    """Count the calls that one whole response takes with one judge, by each method.

    Parameters
    ----------
    task : Task
        The task.

    Returns
    -------
    list of tuple of (Method, int or None)
        None where the method is not for this task.
    """
    steps = {step.id: StepText(text="Some words.") for step in task.steps}
    plot = Scenario(id="plot", text="Some words.", reference="Other words.")
    case = Case(task, Response(id="response", steps=steps), plot)
    return [(method, _calls(method, case)) for method in list_methods()]


def _calls(method: Method, case: Case) -> int | None:
    if method.several_steps and len(case.task.steps) == 1:
        return None
    try:
        return method.calls(case, 1, 1, 1)
    except SettingError:
        return None
