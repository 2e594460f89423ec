"""The analyst's part: evidence for one step from what the respondent wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING

from creaeval.methods.forms import evidence_form
from creaeval.methods.raw import grid_columns, response_text, step_texts
from creaeval.methods.render import render_prompt
from creaeval.sheets.read_replies import read_evidence
from creaeval.sheets.replies import evidence_reply, item_key, observed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from creaeval.llm import Ask, Prompt
    from creaeval.methods.base import Case
    from creaeval.sheets import StepEvidence
    from creaeval.tasks import Step, Task


def analyst_prompt(case: Case, step: Step, memories: Mapping[str, str]) -> Prompt:
    """Write the analyst's prompt for one step; what other calls share comes first.

    Parameters
    ----------
    case : Case
        The response and its scenario.
    step : Step
        The step to analyse.
    memories : mapping of str to str
        By step id; only those the task hands to this step are shown, in order.

    Returns
    -------
    Prompt
        With dimension descriptions, without rubrics.
    """
    task, written = case.task, case.response.steps[step.id]
    return render_prompt(
        task.language,
        "analyst",
        scenario=case.scenario,
        step=step,
        dimensions=observed(step.step_dimensions),
        categories=task.categories,
        form=evidence_form(step, memory=wants_memory(task)),
        memory=wants_memory(task),
        response=response_text(case, step),
        items=[item_key(item.number) for item in written.given],
        memories=[
            {"step": earlier.name, "text": memories[earlier.id]}
            for earlier in task.earlier_steps(step)
            if earlier.id in memories
        ],
    )


def wants_memory(task: Task) -> bool:
    """Whether the analyst notes memories: not for a single step, where no later one would read them."""
    return len(task.steps) > 1


async def analyse_step(
    case: Case, step: Step, memories: Mapping[str, str], analyst: Ask, *, repeat: int = 0
) -> tuple[StepEvidence, str]:
    """Have the analyst turn one step into evidence.

    Parameters
    ----------
    case : Case
        The response and its scenario.
    step : Step
        A step the response has.
    memories : mapping of str to str
        What the analyst noted of earlier steps, by step id.
    analyst : Ask
        The analyst.
    repeat : int
        For which time, from 0.

    Returns
    -------
    tuple of (StepEvidence, str)
        The evidence, each quote looked up in the response, and the memory of the step, empty in a task
        that has no other step.

    Raises
    ------
    ReplyError, CallError
        The analyst gave no usable answer.
    """
    task, written = case.task, case.response.steps[step.id]
    given = tuple(item.number for item in written.given)
    reply_type = evidence_reply(task.id, step, task.categories, given, memory=wants_memory(task))
    asked = await analyst(
        analyst_prompt(case, step, memories),
        reply_type,
        schema_name=f"{step.id}_evidence",
        label={"response_id": case.response.id, "step": step.id},
        repeat=repeat,
    )
    blanks = {item.number: item.blank for item in written.items}
    return read_evidence(step, asked.value, step_texts(case, step), blanks, grid_columns(case, step))
