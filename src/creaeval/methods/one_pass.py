"""The method ``one-pass``: evidence for all steps in one call. The paper's ablation without steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from creaeval.errors import CallError, PermanentCallError, ReplyError
from creaeval.methods.analyse import ALL_STEPS, analyse
from creaeval.methods.base import Analysis, failure
from creaeval.methods.creaeval import gather_then_judge
from creaeval.methods.raw import steps_of
from creaeval.methods.registry import register
from creaeval.sheets import Evidence

if TYPE_CHECKING:
    from creaeval.llm import Ask
    from creaeval.methods.base import Case, Outcome, Roles, StageFailure
    from creaeval.sheets import StepEvidence


def one_and_judges(_: Case, judges: int, evidence_repeats: int, judge_repeats: int) -> int:
    """Count a call for the evidence, then one for each judge."""
    return evidence_repeats * (1 + judges * judge_repeats)


@register("one-pass", calls=one_and_judges, aliases=("w/o Step-wise",))
async def one_pass(case: Case, roles: Roles) -> Outcome:
    """Have an analyst gather the evidence of all steps in one call, and judges score it: an ablation.

    Parameters
    ----------
    case : Case
        The response and its scenario.
    roles : Roles
        One analyst, any number of judges.

    Returns
    -------
    Outcome
        With the evidence, and a sheet from each judge that succeeded. Judges see this response's evidence
        alone.
    """
    return await gather_then_judge(case, roles, _at_once)


async def _at_once(
    case: Case, roles: Roles, analyst: Ask, number: int
) -> tuple[Analysis, list[StageFailure]]:
    steps: tuple[StepEvidence, ...] = ()
    failures: list[StageFailure] = []
    try:
        steps, _ = await analyse(case, steps_of(case), {}, analyst, repeat=number - 1)
    except PermanentCallError:
        raise
    except (ReplyError, CallError) as error:
        failures.append(failure(ALL_STEPS, analyst, error, roles, number))
    for evidence in steps:
        roles.tell(case.response.id, evidence)
    return Analysis(repeat=number, evidence=Evidence(response_id=case.response.id, steps=steps)), failures
