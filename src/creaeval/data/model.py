"""Responses, ratings and scores: what a respondent wrote, and what people and judges gave it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pydantic import AliasChoices, Field

from creaeval.sheets.evidence import Record
from creaeval.sheets.score_sheet import ScoreSheet

if TYPE_CHECKING:
    from collections.abc import Mapping

    from creaeval.tasks import Task


class Item(Record):
    """One entry of an item step; an empty ``text`` is a blank item, not an error.

    ``invalid`` is a code that the program gives by what is written (``dont_know``).
    """

    number: int
    text: str
    invalid: str = ""

    @property
    def blank(self) -> bool:
        """Whether there is nothing to score, so that no model sees it."""
        return bool(self.invalid) or not self.text.strip()


class StepText(Record):
    """What was written for one step.

    ``items`` are those that are scored, numbered from 1 without gaps; ``unscored`` those beyond the step's
    maximum. Both are empty in a step without items.
    """

    text: str
    items: tuple[Item, ...] = ()
    unscored: tuple[Item, ...] = ()

    @property
    def given(self) -> tuple[Item, ...]:
        """The items that are not blank, those a model is shown."""
        return tuple(item for item in self.items if not item.blank)

    @property
    def empty(self) -> bool:
        """Whether nothing is written in the whole step."""
        return not self.text.strip()


class Response(Record):
    """One respondent's whole answer, or one of several short ones: what gets its own row of scores.

    ``metadata`` holds columns that are carried through to every table, such as participant and object;
    ``source`` names the file it came from.
    """

    id: str
    scenario: str | None = None
    steps: dict[str, StepText]
    # Ledgers of version 0.1 say extra.
    metadata: dict[str, str] = Field(default_factory=dict, validation_alias=AliasChoices("metadata", "extra"))
    source: str = ""

    def missing_steps(self, task: Task) -> list[str]:
        """List the ids of the task's steps that are absent or empty."""
        return [s.id for s in task.steps if s.id not in self.steps or self.steps[s.id].empty]


class Rating(Record):
    """The scores one person gave one response.

    ``stage`` tells apart what one rater gave one response at several times, such as ``blind`` and
    ``calibrated``; ``metadata`` holds the file's other columns, ``source`` names the file.
    """

    response_id: str
    rater: str
    sheet: ScoreSheet
    source: str = ""
    stage: str = ""
    metadata: dict[str, str] = Field(default_factory=dict)


@dataclass(frozen=True)
class Scores:
    """The scores of one method in one file.

    Parameters
    ----------
    method : str
        Its name; empty where the file names none.
    sheets : tuple of ScoreSheet
        One a response, judge and repeat.
    metadata : dict of str to dict
        By response id, the file's other columns, where they are the same for the whole response.
    source : str
        The file.
    analyst : str
        Who gathered the evidence; empty where nobody did or a file does not say.
    trained_on : mapping of str to frozenset of str
        By judge, the ids of the responses it was trained on; no entry for one of which nothing tells it.
    """

    method: str
    sheets: tuple[ScoreSheet, ...]
    metadata: dict[str, dict[str, str]]
    source: str
    analyst: str = ""
    trained_on: Mapping[str, frozenset[str]] = field(default_factory=dict)
