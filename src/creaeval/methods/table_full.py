"""The method ``table-full``: a judge designs a table, fills it in and verifies it, in one conversation.

The three modules of Table as Thought (arXiv 2501.02152), in our own words. Rows are what the sheet asks for;
the original repeats its verification until it passes, here there is one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from creaeval.methods.base import Outcome
from creaeval.methods.dialogue import Dialogue
from creaeval.methods.panel import Trail, score_by_all
from creaeval.methods.raw import opening_prompt, points_text, response_layout, scorer_reply, steps_of
from creaeval.methods.registry import register
from creaeval.methods.render import render
from creaeval.sheets.read_replies import read_scores
from creaeval.sheets.replies import Reply, Words

if TYPE_CHECKING:
    from creaeval.llm import Ask
    from creaeval.methods.base import Case, Roles
    from creaeval.sheets import ScoreSheet
    from creaeval.tasks import Task

#: The stage of all three calls: they are about the whole response.
_STAGE = "judge"


class Column(Reply):
    """A check that every row is put to, as far as it bears on it."""

    name: Annotated[str, Words(80)]
    question: Annotated[str, Words(300)]


class Schema(Reply):
    """The columns of a judge's table."""

    # As elsewhere, the most is for models that a grammar holds and that could run on.
    columns: Annotated[list[Column], Field(min_length=1, json_schema_extra={"maxItems": 12})]


def three_calls(_: Case, judges: int, __: int, judge_repeats: int) -> int:
    """Count three calls for each judge and repeat."""
    return 3 * judges * judge_repeats


@register("table-full", calls=three_calls, uses_analyst=False)
async def table_full(case: Case, roles: Roles) -> Outcome:
    """Have each judge choose the columns of a table, fill it in and verify it: the original Table as Thought.

    Parameters
    ----------
    case : Case
        The response and its scenario.
    roles : Roles
        The judges; no analyst is asked.

    Returns
    -------
    Outcome
        A sheet of the verified table from each judge that answered three times; ``trail`` says how many
        points the verification changed.
    """
    opening, layout = opening_prompt(case, "table"), response_layout(case, steps_of(case))
    form = scorer_reply(case, steps_of(case), analysis=True)
    trail = Trail(roles)

    async def score_once(judge: Ask, repeat: int) -> ScoreSheet:
        def read(table: Reply) -> ScoreSheet:
            return read_scores(
                case.task, case.response.id, layout, [table], judge.model.name, roles.repeats(repeat)
            )

        dialogue = Dialogue(judge, opening.system, case.response.id, repeat=repeat)
        await dialogue.say(opening.user, Schema, _STAGE, form="columns")
        filled = await dialogue.say(points_text(case, "table_rows", analysis=True), form, _STAGE)
        verified = await dialogue.say(render(case.task.language, "table_check"), form, _STAGE)
        before, after = read(filled), read(verified)
        trail.add(judge, repeat, f"{trail.who(judge, repeat)}: {_changes(case.task, before, after)}")
        return after

    sheets, failures = await score_by_all(roles, score_once)
    return Outcome(response_id=case.response.id, trail=trail.lines, sheets=sheets, failures=failures)


def _changes(task: Task, before: ScoreSheet, after: ScoreSheet) -> str:
    """Say how many points differ; sums and computed values are no points of their own."""
    first, last = _points(task, before), _points(task, after)
    places = first.keys() | last.keys()
    changed = sum(first.get(place) != last.get(place) for place in places)
    return f"verification changed {changed} of {len(places)} points"


def _points(task: Task, sheet: ScoreSheet) -> dict[tuple[str, int | None, str], float]:
    """Key the points a judge gave by step, item and dimension; an invalid item has none."""
    points: dict[tuple[str, int | None, str], float] = {}
    for scores in sheet.steps:
        whole = {dimension.id for dimension in task.step(scores.step).step_dimensions}
        points |= {
            (scores.step, None, name): value for name, value in scores.written.items() if name in whole
        }
        for item in scores.items:
            if item.invalid != "blank":
                points |= {(scores.step, item.item, name): value for name, value in item.scores.items()}
    return points
