"""The analyst's part: evidence for one step from what the respondent wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING

from creaeval.methods.forms import evidence_form
from creaeval.methods.render import oneline, render_prompt
from creaeval.sheets.read_replies import read_evidence
from creaeval.sheets.replies import evidence_reply, item_key, observed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from creaeval.llm import Ask, Prompt
    from creaeval.methods.base import Case
    from creaeval.sheets import StepEvidence
    from creaeval.tasks import Step


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
    given = [item for item in written.items if not item.blank]
    shown = "\n".join(f"{item_key(i.number)}: {oneline(i.text)}" for i in given) if given else written.text
    return render_prompt(
        task.language,
        "analyst",
        scenario=case.scenario,
        step=step,
        dimensions=observed(step.step_dimensions),
        categories=task.categories,
        form=evidence_form(step),
        response=shown,
        items=[item_key(item.number) for item in given],
        memories=[
            {"step": earlier.name, "text": memories[earlier.id]}
            for earlier in task.earlier_steps(step)
            if earlier.id in memories
        ],
    )


async def analyse_step(
    case: Case, step: Step, memories: Mapping[str, str], analyst: Ask
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

    Returns
    -------
    tuple of (StepEvidence, str)
        The evidence, each quote looked up in the step's text, and the memory of the step.

    Raises
    ------
    ReplyError, CallError
        The analyst gave no usable answer.
    """
    task, written = case.task, case.response.steps[step.id]
    given = tuple(item.number for item in written.items if not item.blank)
    reply_type = evidence_reply(task.id, step, task.categories, given)
    asked = await analyst(
        analyst_prompt(case, step, memories),
        reply_type,
        schema_name=f"{step.id}_evidence",
        label={"response_id": case.response.id, "step": step.id},
    )
    blanks = {item.number: item.blank for item in written.items}
    return read_evidence(step, asked.value, written.text, blanks, _grid_columns(case, step))


def _grid_columns(case: Case, step: Step) -> int | None:
    """Columns of a step's ranking grid: the criteria, that is the items of the step just before it."""
    index = case.task.steps.index(step)
    before = case.task.steps[index - 1] if index else None
    if before is None or before.items is None or before.id not in case.response.steps:
        return None
    written = case.response.steps[before.id]
    return len(written.items) + len(written.unscored)
