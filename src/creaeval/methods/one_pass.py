"""The method ``one-pass``: evidence for all steps in one call. The paper's ablation without steps."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pydantic import create_model

from creaeval.errors import CallError, PermanentCallError, ReplyError
from creaeval.methods.base import Analysis, failure
from creaeval.methods.creaeval import gather_then_judge
from creaeval.methods.forms import evidence_form
from creaeval.methods.panel import stage_name
from creaeval.methods.raw import categories_of, grid_columns, response_text, step_texts, steps_of
from creaeval.methods.registry import register
from creaeval.methods.render import render_prompt
from creaeval.sheets import Evidence
from creaeval.sheets.read_replies import read_evidence
from creaeval.sheets.replies import Reply, evidence_reply, item_key, observed

if TYPE_CHECKING:
    from creaeval.llm import Ask, Prompt
    from creaeval.methods.base import Case, Outcome, Roles, StageFailure
    from creaeval.tasks import Step

#: The stage of the analyst's only call, where others have the step's id.
ALL_STEPS = "all steps"


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
    evidence, failures = Evidence(response_id=case.response.id, steps=()), []
    try:
        evidence = await _gather(case, analyst, number - 1)
    except PermanentCallError:
        raise
    except (ReplyError, CallError) as error:
        failures.append(failure(stage_name(ALL_STEPS, roles, number), analyst, error))
    return Analysis(repeat=number, evidence=evidence), failures


async def _gather(case: Case, analyst: Ask, repeat: int) -> Evidence:
    steps = steps_of(case)
    asked = await analyst(
        one_pass_prompt(case),
        _reply(case.task.id, case.task.categories, tuple((step, _given(case, step)) for step in steps)),
        schema_name=f"{case.task.id}_evidence",
        label={"response_id": case.response.id, "step": ALL_STEPS},
        repeat=repeat,
    )
    found = []
    for step in steps:
        written = case.response.steps[step.id]
        blanks = {item.number: item.blank for item in written.items}
        part = getattr(asked.value, step.id)
        texts = step_texts(case, step)
        found.append(read_evidence(step, part, texts, blanks, grid_columns(case, step))[0])
    return Evidence(response_id=case.response.id, steps=tuple(found))


def one_pass_prompt(case: Case) -> Prompt:
    """Write the prompt that has all steps analysed at once, with their descriptions, without rubrics."""
    steps = steps_of(case)
    return render_prompt(
        case.task.language,
        "analyst_all",
        scenario=case.scenario,
        categories=categories_of(case, steps),
        parts=[
            {
                "step": step,
                "dimensions": observed(step.step_dimensions),
                "form": evidence_form(step, memory=False),
                "text": response_text(case, step),
                "given": [item_key(number) for number in _given(case, step)],
            }
            for step in steps
        ],
    )


def _given(case: Case, step: Step) -> tuple[int, ...]:
    return tuple(item.number for item in case.response.steps[step.id].given)


@lru_cache(maxsize=256)
def _reply(
    task_id: str, categories: tuple[str, ...], parts: tuple[tuple[Step, tuple[int, ...]], ...]
) -> type[Reply]:
    fields: dict[str, Any] = {
        step.id: (evidence_reply(task_id, step, categories, items, memory=False), ...)
        for step, items in parts
    }
    # create_model's overloads cannot follow fields that come as a mapping.
    made: type[Reply] = create_model(f"{task_id}_evidence", __base__=Reply, **fields)
    return made
