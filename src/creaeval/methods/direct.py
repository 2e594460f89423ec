"""The methods ``direct`` and ``table``: each judge reads the whole response and scores it in one call.

The paper's ablations without evidence and without decoupling are these, so both have a second name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from creaeval.methods.base import Outcome
from creaeval.methods.panel import score_by_all
from creaeval.methods.raw import response_layout, scorer_prompt, scorer_reply, steps_of
from creaeval.methods.registry import register
from creaeval.sheets.read_replies import read_scores

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from creaeval.llm import Ask
    from creaeval.llm.ask import Asked
    from creaeval.methods.base import Case, Roles
    from creaeval.sheets import ScoreSheet
    from creaeval.sheets.replies import Reply


def one_call(_: Case, judges: int, __: int, judge_repeats: int) -> int:
    """Count one call for each judge and repeat."""
    return judges * judge_repeats


@register("no-evidence", calls=one_call, uses_analyst=False, aliases=("w/o Evidence",))
@register("direct", calls=one_call, uses_analyst=False, examples=True, aliases=("Direct Score",))
async def direct(case: Case, roles: Roles) -> Outcome:
    """Have each judge score the whole response in one call: also the ablation without evidence.

    Parameters
    ----------
    case : Case
        The response and its scenario.
    roles : Roles
        The judges; no analyst is asked.

    Returns
    -------
    Outcome
        A sheet from each judge that succeeded.
    """
    return await _score(case, roles, analysis=False)


@register("no-decoupling", calls=one_call, uses_analyst=False, aliases=("w/o Decoupled",))
@register("table", calls=one_call, uses_analyst=False, aliases=("TaT", "Table as Thought"))
async def table(case: Case, roles: Roles) -> Outcome:
    """Have each judge write analysis and points in one call: also the ablation without decoupling."""
    return await _score(case, roles, analysis=True)


async def _score(case: Case, roles: Roles, *, analysis: bool) -> Outcome:
    ask = whole_question(case, roles, analysis=analysis)

    async def score_once(judge: Ask, repeat: int) -> ScoreSheet:
        return (await ask(judge, repeat))[1]

    sheets, failures = await score_by_all(roles, score_once)
    return Outcome(response_id=case.response.id, sheets=sheets, failures=failures)


def whole_question(
    case: Case, roles: Roles, *, analysis: bool = False
) -> Callable[[Ask, int], Awaitable[tuple[Asked[Reply], ScoreSheet]]]:
    """Prepare the question that has the whole response scored at once.

    Parameters
    ----------
    case : Case
        The response and its scenario.
    roles : Roles
        Say how often each judge scores.
    analysis : bool
        Whether words are asked for before the points of each dimension.

    Returns
    -------
    callable
        Asks a judge, given the number of the repeat, from 0: the answer, and the sheet as it was written.
    """
    steps = steps_of(case)
    prompt = scorer_prompt(case, steps, analysis=analysis)
    reply_type = scorer_reply(case, steps, analysis=analysis)
    layout = response_layout(case, steps)

    async def ask(judge: Ask, repeat: int) -> tuple[Asked[Reply], ScoreSheet]:
        asked = await judge(
            prompt,
            reply_type,
            schema_name=f"{case.task.id}_scores",
            label={"response_id": case.response.id, "step": "judge"},
            repeat=repeat,
        )
        return asked, read_scores(
            case.task, case.response.id, layout, [asked.value], judge.model.name, roles.repeats(repeat)
        )

    return ask
