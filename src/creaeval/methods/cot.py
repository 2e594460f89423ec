"""The method ``cot``: each judge goes through the steps in one conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from creaeval.methods.base import Outcome
from creaeval.methods.dialogue import Dialogue
from creaeval.methods.panel import score_by_all
from creaeval.methods.raw import conversation_system, response_shape, scorer_reply, steps_of, turn_text
from creaeval.methods.registry import register
from creaeval.sheets.read_replies import read_scores

if TYPE_CHECKING:
    from collections.abc import Callable

    from creaeval.llm import Ask
    from creaeval.methods.base import Case, Roles
    from creaeval.sheets import ScoreSheet


def calls_a_step(number: int) -> Callable[[Case, int, int, int], int]:
    """Make a count of so many calls for each step, judge and repeat."""

    def count(case: Case, judges: int, _: int, judge_repeats: int) -> int:
        return number * len(case.response.steps) * judges * judge_repeats

    return count


@register("cot", calls=calls_a_step(1), uses_analyst=False)
async def cot(case: Case, roles: Roles) -> Outcome:
    """Have each judge score step by step in one conversation, with its earlier scores before its eyes.

    Parameters
    ----------
    case : Case
        The response and its scenario. With a single step this is ``direct`` in other words, so such a task
        may be scored as well.
    roles : Roles
        The judges; no analyst is asked.

    Returns
    -------
    Outcome
        A sheet from each judge that answered for every step.
    """
    steps, system = steps_of(case), conversation_system(case, "turns")

    async def one(judge: Ask, repeat: int) -> ScoreSheet:
        dialogue = Dialogue(judge, system, case.response.id, repeat=repeat)
        replies = [
            await dialogue.say(turn_text(case, step), scorer_reply(case, [step]), step) for step in steps
        ]
        shape = response_shape(case, steps)
        return read_scores(case.task, case.response.id, shape, replies, judge.model.name)

    sheets, failures = await score_by_all(roles, one)
    return Outcome(response_id=case.response.id, sheets=tuple(sheets), failures=tuple(failures))
