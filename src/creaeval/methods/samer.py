"""The method ``samer``: a network that was trained on pairs of responses scores each step by itself.

After Feng et al. (ICLR 2025), as the paper uses it: the dimensions of a step count for its text.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from creaeval.errors import SettingError
from creaeval.methods.base import Outcome
from creaeval.methods.direct import one_call
from creaeval.methods.panel import score_by_all
from creaeval.methods.raw import response_layout, response_text, steps_of
from creaeval.methods.registry import register
from creaeval.methods.render import oneline, render, render_prompt
from creaeval.sheets import StepLayout
from creaeval.sheets.read_replies import read_scores
from creaeval.sheets.replies import item_key, score_reply
from creaeval.tasks.model import Scale

if TYPE_CHECKING:
    from creaeval.llm import Ask, Prompt
    from creaeval.methods.base import Case, Roles
    from creaeval.sheets import ScoreSheet
    from creaeval.tasks import Step, Task


@dataclass(frozen=True)
class Part:
    """One text that is scored by itself.

    Parameters
    ----------
    step : str
        The step's id.
    item : int or None
        The item's number where it is a response that shares the call.
    instruction, response : str
        What was asked, with the scenario, and what was written.
    """

    step: str
    item: int | None
    instruction: str
    response: str


@register("samer", calls=one_call, uses_analyst=False, provider="samer", aliases=("SaMer",))
async def samer(case: Case, roles: Roles) -> Outcome:
    """Have a trained SaMer (`creaeval train samer`) score each step by itself, from the response alone.

    Parameters
    ----------
    case : Case
        The response and its scenario.
    roles : Roles
        The judges, each a model ``samer:DIR``; no analyst is asked.

    Returns
    -------
    Outcome
        A sheet from each judge that succeeded. It has no points of single items where a response has several
        steps or sums, since the network gives each dimension of a step one value.

    Raises
    ------
    SettingError
        The task has items that are sorted or can be invalid by a judge's verdict and are scored alone.
    """
    layout = _layout(case)
    prompt = samer_prompt(case)
    # The network gives each step an Overall, which counts where the task adds up.
    gives = case.task if case.shared else case.task.model_copy(update={"total": "sum"})
    reply_type = score_reply(gives, layout)

    async def score_once(judge: Ask, repeat: int) -> ScoreSheet:
        asked = await judge(
            prompt,
            reply_type,
            schema_name=f"{case.task.id}_scores",
            label={"response_id": case.response.id, "step": "judge"},
            repeat=repeat,
        )
        return read_scores(
            case.task, case.response.id, layout, [asked.value], judge.model.name, roles.repeats(repeat)
        )

    sheets, failures = await score_by_all(roles, score_once)
    return Outcome(response_id=case.response.id, sheets=sheets, failures=failures)


def samer_prompt(case: Case) -> Prompt:
    """Write the question: the texts of a response with what was asked, as JSON."""
    question = {
        "task": case.task.id,
        "parts": [
            {
                "step": part.step,
                "item": "" if part.item is None else item_key(part.item),
                "dimensions": dimensions_of(case.task, part.step),
                "instruction": part.instruction,
                "response": part.response,
            }
            for part in parts_of(case)
        ],
    }
    return render_prompt(case.task.language, "samer", question=json.dumps(question, ensure_ascii=False))


def parts_of(case: Case) -> list[Part]:
    """List the texts that are scored by themselves: the steps of a response, or responses that share a call.

    Parameters
    ----------
    case : Case
        The response and its scenario.

    Returns
    -------
    list of Part
        The same for training and for scoring. Blank items are left out.
    """
    language, scenario, parts = case.task.language, case.scenario, []
    for step in steps_of(case):
        asked = render(language, "samer_instruction", scenario=scenario, step=step)
        if case.shared:
            parts += [
                Part(step.id, item.number, asked, oneline(item.text))
                for item in case.response.steps[step.id].given
            ]
        else:
            parts.append(Part(step.id, None, asked, response_text(case, step)))
    return parts


def dimensions_of(task: Task, step_id: str) -> list[str]:
    """List the identities of the dimensions of a step; groups are sums of them."""
    return [f"{step_id}.{dimension.id}" for dimension in task.step(step_id).dimensions]


def check_codes(task: Task) -> None:
    """Check that responses that share a call need no verdict; SettingError if they do."""
    for step in task.steps:
        if step.judged_codes:
            raise SettingError(
                f"SaMer gives points and no verdicts, but {task.noun}s of task {task.id} can be invalid by a "
                "judge's verdict. Use another method."
            )


def _layout(case: Case) -> tuple[StepLayout, ...]:
    layout = response_layout(case, steps_of(case))
    if case.shared:
        check_codes(case.task)
        return layout
    return tuple(StepLayout(_as_a_whole(part.step), grid_score=part.grid_score) for part in layout)


def _as_a_whole(step: Step) -> Step:
    """Make a step without items, whose dimensions are all scored once, from 0 where they are sums."""
    whole = [
        dimension.model_copy(
            update={"scope": "step", "scale": Scale(min=0, max=step.max_of(dimension)), "derive": None}
        )
        if dimension.scope == "item"
        else dimension
        for dimension in step.dimensions
    ]
    return step.model_copy(update={"items": None, "dimensions": tuple(whole)})
