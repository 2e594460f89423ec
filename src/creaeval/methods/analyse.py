"""The analyst's part: evidence for one step, or for all of them at once, from what the respondent wrote."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from creaeval.methods.forms import evidence_form
from creaeval.methods.raw import grid_columns, response_text, step_texts
from creaeval.methods.render import render_prompt
from creaeval.methods.reword import Reading, reword
from creaeval.sheets.read_replies import read_evidence
from creaeval.sheets.replies import Reply, compares, evidence_reply, item_key, make_reply, observed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from creaeval.llm import Ask, Prompt
    from creaeval.methods.base import Case
    from creaeval.sheets import Depth, StepEvidence
    from creaeval.tasks import Step

#: The stage of the only call of an analyst who reads all steps at once, where others have the step's id.
ALL_STEPS = "all steps"


def analyst_prompt(case: Case, steps: Sequence[Step], memories: Mapping[str, str]) -> Prompt:
    """Write the analyst's prompt; what other calls share comes first.

    Parameters
    ----------
    case : Case
        The response and its scenario.
    steps : sequence of Step
        The step to analyse, or all of them at once.
    memories : mapping of str to str
        By step id; only those the task hands to a single step are shown, in order.

    Returns
    -------
    Prompt
        With dimension descriptions and requirements, without levels.
    """
    task = case.task
    single = steps[0] if len(steps) == 1 else None
    earlier = task.earlier_steps(single) if single is not None else ()
    return render_prompt(
        task.language,
        "analyst",
        scenario=case.scenario,
        parts=[_part(case, step, memory=wants_memory(case, steps)) for step in steps],
        categories=task.categories,
        requirements=any(d.requirements for step in task.steps for d in step.dimensions),
        several=single is None,
        full=case.options.depth == "full",
        memory=wants_memory(case, steps),
        memories=[{"step": step.name, "text": memories[step.id]} for step in earlier if step.id in memories],
    )


def _part(case: Case, step: Step, *, memory: bool) -> dict[str, Any]:
    items = case.response.steps[step.id].given
    compare = compares(step, shared_call=case.shared) and len(items) > 1
    return {
        "step": step,
        "dimensions": observed(step.step_dimensions),
        "form": evidence_form(step, memory=memory, compare=compare),
        "compare": compare,
        "text": response_text(case, step),
        "given": [item_key(item.number) for item in items],
    }


def wants_memory(case: Case, steps: Sequence[Step]) -> bool:
    """Whether the analyst notes a memory: only where a later call would read it."""
    return len(steps) == 1 and len(case.task.steps) > 1


async def analyse(
    case: Case, steps: Sequence[Step], memories: Mapping[str, str], analyst: Ask, *, repeat: int = 0
) -> tuple[tuple[StepEvidence, ...], str]:
    """Have the analyst turn a step, or all steps at once, into evidence.

    Parameters
    ----------
    case : Case
        The response and its scenario.
    steps : sequence of Step
        One step of the response, or several.
    memories : mapping of str to str
        What the analyst noted of earlier steps, by step id.
    analyst : Ask
        The analyst.
    repeat : int
        For which time, from 0.

    Returns
    -------
    tuple of (tuple of StepEvidence, str)
        The evidence of each step with every quote looked up, and the memory of a single step, empty where
        nobody would read it.

    Raises
    ------
    ReplyError, CallError
        The analyst gave no usable answer.
    """
    prompt = analyst_prompt(case, steps, memories)
    stage = steps[0].id if len(steps) == 1 else ALL_STEPS
    asked = await analyst(
        prompt,
        _reply_type(case, steps),
        schema_name=f"{steps[0].id if len(steps) == 1 else case.task.id}_evidence",
        label={"response_id": case.response.id, "step": stage},
        repeat=repeat,
    )
    evidence, memory = [], ""
    for step in steps:
        written = case.response.steps[step.id]
        form = asked.value if len(steps) == 1 else getattr(asked.value, step.id)
        blanks = {item.number: item.blank for item in written.items}
        step_evidence, memory = read_evidence(
            step, form, step_texts(case, step), blanks, grid_columns(case, step)
        )
        evidence.append(step_evidence)
    reading = Reading(prompt, asked.reply.text, tuple(evidence), memory)
    return await reword(case, reading, analyst, stage=stage, repeat=repeat)


def _reply_type(case: Case, steps: Sequence[Step]) -> type[Reply]:
    memory = wants_memory(case, steps)
    parts = tuple((step, tuple(item.number for item in case.response.steps[step.id].given)) for step in steps)
    return _reply(case.task.id, case.task.categories, parts, case.options.depth, memory, case.shared)


@lru_cache(maxsize=256)
def _reply(
    task_id: str,
    categories: tuple[str, ...],
    parts: tuple[tuple[Step, tuple[int, ...]], ...],
    depth: Depth,
    memory: bool,
    shared_call: bool,
) -> type[Reply]:
    forms = [
        evidence_reply(
            *(task_id, step, categories, items),
            depth=depth,
            memory=memory,
            compare=compares(step, shared_call=shared_call),
        )
        for step, items in parts
    ]
    if len(forms) == 1:
        return forms[0]
    fields = {step.id: (form, ...) for (step, _), form in zip(parts, forms, strict=True)}
    return make_reply(f"{task_id}_evidence", fields)
