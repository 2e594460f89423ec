"""The method ``creaeval``: evidence step by step with memory, then judgement of the evidence alone.

Decoupled Analysis-Judging, arXiv 2609.03432.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from creaeval.errors import CallError, PermanentCallError, ReplyError
from creaeval.methods.analyse import analyse
from creaeval.methods.base import Analysis, Outcome, failure
from creaeval.methods.judge import judge_evidence
from creaeval.methods.panel import score_by_all
from creaeval.methods.raw import steps_of
from creaeval.methods.registry import register
from creaeval.sheets import Evidence

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from creaeval.llm import Ask
    from creaeval.methods.base import Case, Roles, StageFailure
    from creaeval.sheets import ScoreSheet, StepEvidence


def steps_and_judges(case: Case, judges: int, evidence_repeats: int, judge_repeats: int) -> int:
    """Count a call for each step, then one for each judge."""
    return evidence_repeats * (len(case.response.steps) + judges * judge_repeats)


@register("creaeval", calls=steps_and_judges, aliases=("CreaEval",))
async def creaeval(case: Case, roles: Roles) -> Outcome:
    """Have an analyst gather evidence step by step with memory, and judges score the evidence alone.

    Parameters
    ----------
    case : Case
        The response and its scenario.
    roles : Roles
        One analyst, any number of judges.

    Returns
    -------
    Outcome
        With evidence and memories as far as the analyst got, and a sheet from each judge that succeeded.
    """
    return await gather_then_judge(case, roles, _step_by_step)


@register("judge-sees-quotes", calls=steps_and_judges)
async def judge_sees_quotes(case: Case, roles: Roles) -> Outcome:
    """Do as creaeval does, with the analyst's quotes shown to the judges, who so see some raw words."""
    return await gather_then_judge(case, roles, _step_by_step, quotes=True)


@register("no-memory", calls=steps_and_judges, aliases=("w/o Memory",))
async def no_memory(case: Case, roles: Roles) -> Outcome:
    """Do as creaeval does, but show no analyst the memories of earlier steps: an ablation."""
    return await gather_then_judge(case, roles, partial(_step_by_step, hand_on=False))


async def gather_then_judge(
    case: Case,
    roles: Roles,
    gather: Callable[[Case, Roles, Ask, int], Awaitable[tuple[Analysis, list[StageFailure]]]],
    *,
    quotes: bool = False,
) -> Outcome:
    """Gather evidence as often as asked for, and have all judges score each.

    Parameters
    ----------
    case : Case
        The response and its scenario.
    roles : Roles
        One analyst, any number of judges.
    gather : callable
        Gathers evidence once, given the analyst and the number of the repeat, from 1: the evidence as far as
        it got, and what failed. Evidence of which something failed is not judged.
    quotes : bool
        Whether judges are shown the analyst's quotes.

    Returns
    -------
    Outcome
        With all evidence and memories, and a sheet from each judge that succeeded.
    """
    analyst = roles.analyst
    assert analyst is not None  # noqa: S101 - methods that gather evidence are registered as asking one
    analyses: list[Analysis] = []
    failures: list[StageFailure] = []
    sheets: list[ScoreSheet] = []
    for number in range(1, roles.evidence_repeats + 1):
        failed: list[StageFailure] = []
        if case.gathered:
            analysis = case.gathered[number - 1]
        else:
            analysis, failed = await gather(case, roles, analyst, number)
        analyses.append(analysis)
        failures += failed
        if not failed:
            scored, unscored = await _judge(case, roles, analysis, quotes)
            sheets += scored
            failures += unscored
    first, *further = analyses
    return Outcome(
        response_id=case.response.id,
        evidence=first.evidence,
        memories=first.memories,
        further=tuple(further),
        sheets=tuple(sheets),
        failures=tuple(failures),
    )


async def _step_by_step(
    case: Case, roles: Roles, analyst: Ask, number: int, *, hand_on: bool = True
) -> tuple[Analysis, list[StageFailure]]:
    steps: list[StepEvidence] = []
    memories: dict[str, str] = {}
    failures: list[StageFailure] = []
    for step in steps_of(case):
        try:
            (evidence,), memory = await analyse(
                case, [step], memories if hand_on else {}, analyst, repeat=number - 1
            )
        except PermanentCallError:
            raise
        except (ReplyError, CallError) as error:
            failures.append(failure(step.id, analyst, error, roles, number))
            break
        steps.append(evidence)
        roles.tell(case.response.id, evidence)
        if memory:
            memories[step.id] = memory
    whole = Evidence(response_id=case.response.id, steps=tuple(steps))
    return Analysis(repeat=number, evidence=whole, memories=memories), failures


async def _judge(
    case: Case, roles: Roles, analysis: Analysis, quotes: bool
) -> tuple[tuple[ScoreSheet, ...], tuple[StageFailure, ...]]:
    async def score_once(judge: Ask, repeat: int) -> ScoreSheet:
        return await judge_evidence(
            case.task,
            case.scenario,
            analysis.evidence,
            judge,
            quotes=quotes,
            repeat=repeat,
            repeats=roles.repeats(repeat),
        )

    return await score_by_all(roles, score_once, evidence_repeat=analysis.repeat)
