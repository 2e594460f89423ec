"""What a scorer has in front of it: the steps and items that a sheet is filled in for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from creaeval.sheets.evidence import Evidence
    from creaeval.tasks import Step, Task


@dataclass(frozen=True)
class StepShape:
    """The part of a sheet for one step.

    Attributes
    ----------
    step : Step
        The step.
    items : mapping of int to bool
        The numbers of all items that count, and whether each is blank.
    categories : mapping of int to str or None, optional
        The analyst's category of each item; None where the scorer sorts the items itself.
    grid_score : int or None
        The computed value of a ranking grid, None where there is none.
    """

    step: Step
    items: Mapping[int, bool] = field(default_factory=dict)
    categories: Mapping[int, str | None] | None = None
    grid_score: int | None = None

    @property
    def given(self) -> tuple[int, ...]:
        """The numbers of the items that are not blank, those a scorer scores."""
        return tuple(number for number, blank in self.items.items() if not blank)


def evidence_shape(task: Task, evidence: Evidence) -> tuple[StepShape, ...]:
    """Return the shape of a sheet for evidence, whose items the analyst has sorted."""
    return tuple(
        StepShape(
            task.step(found.step),
            {item.item: item.blank for item in found.items},
            {item.item: item.category for item in found.items},
            found.grid_score,
        )
        for found in evidence.steps
    )
