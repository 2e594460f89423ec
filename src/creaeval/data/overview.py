"""What would be read of files, before anything is scored: for people, and as JSON."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from creaeval.data.reader import Found, read_data
from creaeval.data.scenarios import read_scenarios
from creaeval.data.tables.reader import RATINGS, RESPONSES
from creaeval.wording import first_few, plural

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from creaeval.data.model import Response, StepText
    from creaeval.tasks import Scenario, Task

_SHOWN = 5
_WIDTH = 76


@dataclass(frozen=True)
class Overview:
    """What was found in files, and the scenario beside them."""

    found: Found
    scenarios: dict[str, Scenario] = field(default_factory=dict)

    def as_json(self, task: Task) -> dict[str, Any]:
        """Return it as JSON: responses with the lines of each step, ratings one a score, scenario, notes."""
        given = {f"{step.id}.{dimension.id}" for step in task.steps for dimension in step.dimensions}
        document: dict[str, Any] = {
            "responses": [
                {
                    "id": response.id,
                    "steps": {step: lines(text) for step, text in response.steps.items()},
                    "metadata": response.metadata,
                }
                for response in self.found.responses
            ],
            "ratings": [
                {
                    "response_id": rating.response_id,
                    "rater": rating.rater,
                    "dimension": row.dimension,
                    "score": row.model_score,
                    **({"item": row.item} if row.item is not None else {}),
                    **({"stage": rating.stage} if rating.stage else {}),
                }
                for rating in self.found.ratings
                for row in rating.sheet.rows()
                if row.model_score is not None and row.dimension in given
            ],
        }
        scenarios = self.scenarios or self.found.scenarios
        if scenarios:
            first = next(iter(scenarios.values()))
            document["scenario"] = {"title": first.title, "text": first.text}
        return {**document, "notes": self.found.notes}


def lines(text: StepText) -> str:
    """Return a step's text, one item or paragraph a line."""
    if text.items:
        items = (*text.items, *text.unscored)
        return "\n".join(" ".join(item.text.split()) for item in items if item.text.strip())
    return "\n".join(line for line in text.text.splitlines() if line.strip())


def overview(
    files: Sequence[Path], task: Task, scenario: Path | None, reading: Mapping[str, Any]
) -> Overview:
    """Read files as they would be read to be scored or compared; DataError with every problem."""
    scenarios = {} if scenario is None else read_scenarios(scenario)
    want = (RATINGS,) if task.id == RATINGS else (RESPONSES, RATINGS)
    found = read_data(files, task, want=want, **reading)
    return Overview(replace(found, notes=[*found.notes, *_lacking(found.responses, task)]), scenarios)


def _lacking(responses: Sequence[Response], task: Task) -> list[str]:
    """Say which responses lack a step; whoever scores them decides what becomes of them."""
    lacking = [(r.id, missing) for r in responses if (missing := r.missing_steps(task))]
    named = [f"Response {name!r} has no text for {', '.join(missing)}." for name, missing in lacking[:_SHOWN]]
    more = len(lacking) - _SHOWN
    return [*named, f"{plural(more, 'more response')} lack a step."] if more > 0 else named


def describe(shown: Overview, task: Task) -> str:
    """Say in a few lines what was found: counts, the first rows, what was left out and why."""
    found = shown.found
    parts = [plural(len(found.responses), task.noun)] if found.responses else []
    raters = list(dict.fromkeys(rating.rater for rating in found.ratings))
    if raters:
        rated = len({rating.response_id for rating in found.ratings})
        parts.append(f"{plural(len(found.ratings), 'rating')} of {rated:,} by {first_few(raters)}")
    left = f" {plural(found.left_out, 'row')} left out, as said below." if found.left_out else ""
    text = [f"Found {' and '.join(parts) or 'nothing'}.{left}"]
    if found.responses:
        text += _first_responses(found.responses)
    if found.ratings:
        text += _first_ratings(found)
    if shown.scenarios:
        text.append(f"Scenario: {next(iter(shown.scenarios.values())).text[:_WIDTH]}")
    if found.notes:
        text += ["", "How it was read:", *(f"- {note}" for note in found.notes)]
    return "\n".join(text)


def _first_responses(responses: Sequence[Response]) -> list[str]:
    objects = list(dict.fromkeys(filter(None, (r.metadata.get("object") for r in responses))))
    people = {r.metadata["participant"] for r in responses if r.metadata.get("participant")}
    told = []
    if objects:
        told.append(f"Objects: {first_few(objects)}.")
    if people:
        told.append(f"Participants: {len(people):,}.")
    rows = []
    for response in responses[:_SHOWN]:
        what = " · ".join(filter(None, (response.id, response.metadata.get("object"))))
        text = " / ".join(lines(step).replace("\n", " / ") for step in response.steps.values())
        rows.append(f"  {what}: {text[: _WIDTH - len(what)]}")
    return [*told, *rows, *_more(len(responses))]


def _first_ratings(found: Found) -> list[str]:
    rows = []
    for rating in found.ratings[:_SHOWN]:
        given = [
            (row.dimension, row.model_score) for row in rating.sheet.rows() if row.model_score is not None
        ]
        scores = ", ".join(f"{dimension} {score:g}" for dimension, score in given[:4])
        rows.append(f"  {rating.response_id} by {rating.rater}: {scores}{' …' if given[4:] else ''}")
    return [*rows, *_more(len(found.ratings))]


def _more(count: int) -> list[str]:
    return [f"  … and {count - _SHOWN:,} more"] if count > _SHOWN else []
