"""The columns of a table of responses, and which titles are known in one."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from creaeval.data.formats.blocks import PLAIN
from creaeval.data.formats.headings import titles_of
from creaeval.data.words import words
from creaeval.tasks import find_part, find_step, fold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from creaeval.tasks import Task


class TextColumn(NamedTuple):
    """A column of texts: of a step, of an object where its title says so, one of several by ``number``."""

    title: str
    step: str
    object: str = ""
    number: int | None = None


@dataclass(frozen=True)
class TextLayout:
    """The columns of a table of responses.

    ``wide``: a row is all that one person wrote, so the texts are apart. ``step`` is a column that names the
    step of each row; ``carried`` are those that go along.
    """

    columns: tuple[TextColumn, ...]
    id: str | None = None
    participant: str | None = None
    object: str | None = None
    scenario: str | None = None
    step: str | None = None
    rater: str | None = None
    wide: bool = False
    carried: tuple[str, ...] = ()
    personal: dict[str, str] = field(default_factory=dict)

    @property
    def used(self) -> list[str]:
        """The columns that tell what was written, by whom and about what."""
        roles = (self.id, self.participant, self.object, self.scenario, self.step)
        return [*(column.title for column in self.columns), *(title for title in roles if title)]


def shows_objects(task: Task) -> bool:
    """Whether the responses to a task are short texts about an object that is named beside each."""
    return task.batching is not None and task.needs_scenario and not task.scenarios


def step_called(task: Task, title: str, *, numbers: bool = False) -> str:
    """Return the id of the step that a title names, in any usual wording; nothing if it names none.

    With ``numbers`` a bare number is one of a step.
    """
    if numbers and title.strip().isdigit():
        return titles_of(task).numbers.get(int(title), "")
    if (step := find_step(task, title)) is not None:
        return step.id
    if len(task.steps) == 1:
        return ""
    # The number decides, whatever words follow it, unless they name what is scored.
    numbered = titles_of(task).read(re.split(r"[:：.–—(-]\s", title, maxsplit=1)[0], PLAIN)
    for heading in (titles_of(task).read(title, PLAIN), numbered):
        steps = {step.id: step for step in task.steps}
        if heading is not None and heading.step in steps and not heading.loose and heading.exact:
            scored = find_part(steps[heading.step], re.split(r"[\s:：]+", title)[-1])
            return "" if scored is not None and heading is numbered else heading.step
    return ""


def is_text_title(title: str, task: Task) -> bool:
    """Whether a title is known in a table of responses: a role, a step, an object, or personal data."""
    known, name = words(), fold(title)
    if any(name in titles for titles in known.roles.values()) or step_called(task, title):
        return True
    counted = fold(re.sub(r"\d+", "", title))
    return (
        name in known.personal
        or name in known.carried
        or bool(known.find_object(title))
        or (counted != name and (counted in known.numbered or counted in known.roles["text"]))
    )


def names_columns(titles: Sequence[str], task: Task) -> bool:
    """Whether the first row of a table in a document names an id or a person, and texts or steps."""
    known, names = words().roles, [fold(title) for title in titles]
    who = any(name in known[role] for role in ("id", "participant") for name in names)
    text = any(name in known["text"] for name in names)
    return len(titles) > 1 and who and (text or any(step_called(task, title) for title in titles))
