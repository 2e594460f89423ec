"""The method ``creaeval``: evidence step by step with memory, then judgement of the evidence alone.

Decoupled Analysis-Judging, arXiv 2609.03432.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from creaeval.errors import CallError, PermanentCallError, ReplyError
from creaeval.methods.analyse import analyse_step
from creaeval.methods.base import Outcome, StageFailure, failure
from creaeval.methods.judge import judge_evidence
from creaeval.methods.registry import register
from creaeval.sheets import Evidence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from creaeval.llm import Ask
    from creaeval.methods.base import Case, Roles
    from creaeval.sheets import ScoreSheet, StepEvidence
    from creaeval.tasks import Scenario, Task


@register("creaeval")
async def creaeval(case: Case, roles: Roles) -> Outcome:
    """Analyse every step in order, then have all judges score the same evidence.

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
    return await _analyse_then_judge(case, roles, quotes=False)


@register("judge-sees-quotes")
async def judge_sees_quotes(case: Case, roles: Roles) -> Outcome:
    """Do the same with the analyst's quotes shown to the judges, so that they see some of the raw words."""
    return await _analyse_then_judge(case, roles, quotes=True)


async def _analyse_then_judge(case: Case, roles: Roles, *, quotes: bool) -> Outcome:
    found: list[StepEvidence] = []
    memories: dict[str, str] = {}
    failures: list[StageFailure] = []
    sheets: list[ScoreSheet] = []
    for step in case.task.steps:
        if step.id not in case.response.steps:
            continue
        try:
            evidence, memories[step.id] = await analyse_step(case, step, memories, roles.analyst)
        except PermanentCallError:
            raise
        except (ReplyError, CallError) as error:
            failures.append(failure(step.id, roles.analyst, error))
            break
        found.append(evidence)
    whole = Evidence(response_id=case.response.id, steps=tuple(found))
    if not failures:
        sheets, failures = await _judge_all(case.task, case.scenario, whole, roles.judges, quotes=quotes)
    return Outcome(
        response_id=case.response.id,
        evidence=whole,
        memories=memories,
        sheets=tuple(sheets),
        failures=tuple(failures),
    )


async def _judge_all(
    task: Task, scenario: Scenario | None, evidence: Evidence, judges: Sequence[Ask], *, quotes: bool
) -> tuple[list[ScoreSheet], list[StageFailure]]:
    answers = await asyncio.gather(
        *(judge_evidence(task, scenario, evidence, judge, quotes=quotes) for judge in judges),
        return_exceptions=True,
    )
    sheets: list[ScoreSheet] = []
    failures: list[StageFailure] = []
    for judge, answer in zip(judges, answers, strict=True):
        if isinstance(answer, PermanentCallError):
            raise answer
        if isinstance(answer, ReplyError | CallError):
            failures.append(failure("judge", judge, answer))
        elif isinstance(answer, BaseException):
            raise answer
        else:
            sheets.append(answer)
    return sheets, failures
