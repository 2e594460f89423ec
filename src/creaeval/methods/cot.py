"""The method ``cot``: each judge reasons or goes through the steps in one conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from creaeval.methods.base import Outcome
from creaeval.methods.dialogue import Dialogue
from creaeval.methods.panel import score_by_all
from creaeval.methods.raw import (
    conversation_system,
    opening_prompt,
    points_text,
    response_layout,
    scorer_reply,
    steps_of,
    turn_text,
)
from creaeval.methods.registry import register
from creaeval.sheets.read_replies import read_scores
from creaeval.sheets.replies import Reply, Words

if TYPE_CHECKING:
    from collections.abc import Callable

    from creaeval.llm import Ask
    from creaeval.methods.base import Case, Roles
    from creaeval.sheets import ScoreSheet


class Reasoning(Reply):
    """What a scorer says of the work before it gives points."""

    reasoning: Annotated[str, Words(8000)]


def calls_a_step(number: int) -> Callable[[Case, int, int, int], int]:
    """Make a count of so many calls for each step, judge and repeat."""

    def count(case: Case, judges: int, _: int, judge_repeats: int) -> int:
        return number * len(case.response.steps) * judges * judge_repeats

    return count


def _turns(case: Case, judges: int, _: int, judge_repeats: int) -> int:
    """Count a call for each step; in a task of one step, one for the reasoning and one for the points."""
    turns = 2 if _has_one_step(case) else len(case.response.steps)
    return turns * judges * judge_repeats


@register("cot", calls=_turns, uses_analyst=False, aliases=("CoT", "Chain of Thought"))
async def cot(case: Case, roles: Roles) -> Outcome:
    """Have each judge score step by step in one conversation, or reason about a single step before it scores.

    Parameters
    ----------
    case : Case
        The response and its scenario. In a task of several steps a judge has its earlier scores before its
        eyes, as in the paper; in a task of one step, its reasoning about that step.
    roles : Roles
        The judges; no analyst is asked.

    Returns
    -------
    Outcome
        A sheet from each judge that answered in every turn.
    """
    steps = steps_of(case)
    converse = _reason_then_score if _has_one_step(case) else _step_by_step

    async def score_once(judge: Ask, repeat: int) -> ScoreSheet:
        replies = await converse(case, judge, repeat)
        layout = response_layout(case, steps)
        return read_scores(
            case.task, case.response.id, layout, replies, judge.model.name, roles.repeats(repeat)
        )

    sheets, failures = await score_by_all(roles, score_once)
    return Outcome(response_id=case.response.id, sheets=sheets, failures=failures)


def _has_one_step(case: Case) -> bool:
    # Of the task: all responses of a run are scored in one way, also those that lack steps.
    return len(case.task.steps) == 1


async def _step_by_step(case: Case, judge: Ask, repeat: int) -> list[Reply]:
    dialogue = Dialogue(judge, conversation_system(case, "turns"), case.response.id, repeat=repeat)
    return [
        await dialogue.say(turn_text(case, step), scorer_reply(case, [step]), step.id)
        for step in steps_of(case)
    ]


async def _reason_then_score(case: Case, judge: Ask, repeat: int) -> list[Reply]:
    opening, (step,) = opening_prompt(case, "reasoning"), steps_of(case)
    dialogue = Dialogue(judge, opening.system, case.response.id, repeat=repeat)
    await dialogue.say(opening.user, Reasoning, step.id, form="reasoning")
    return [await dialogue.say(points_text(case, "points"), scorer_reply(case, [step]), step.id)]
