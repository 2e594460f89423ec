"""The judge's part: points for the evidence. No response is in reach of this module."""

from __future__ import annotations

from typing import TYPE_CHECKING

from creaeval.methods.forms import score_form, scoring_rules
from creaeval.methods.render import render, render_prompt
from creaeval.sheets.read_replies import read_scores
from creaeval.sheets.replies import judge_reply
from creaeval.sheets.score_sheet import evidence_layout

if TYPE_CHECKING:
    from creaeval.llm import Ask, Prompt
    from creaeval.sheets import Evidence, ScoreSheet
    from creaeval.tasks import Scenario, Task


def judge_prompt(
    task: Task, scenario: Scenario | None, evidence: Evidence, *, quotes: bool = False
) -> Prompt:
    """Write a judge's prompt; what other responses to the scenario share comes first.

    Parameters
    ----------
    task : Task
        Brings descriptions and rubrics.
    scenario : Scenario or None
        What the response answers.
    evidence : Evidence
        All that the judge learns of the response.
    quotes : bool
        Whether the quotes are shown, in the words that stand in their own item or step; others never are.
        They are the respondent's words, so by default they are not.

    Returns
    -------
    Prompt
    """
    steps = [task.step(step.step) for step in evidence.steps]
    parts = [{"step": step, "found": seen} for step, seen in zip(steps, evidence.steps, strict=True)]
    rules = scoring_rules(task, steps)
    return render_prompt(
        task.language,
        "judge",
        scenario=scenario,
        steps=steps,
        form=score_form(steps, whole=rules["whole"], sums=rules["sums"]),
        **rules,
        evidence=render(task.language, "evidence", steps=parts, quotes=quotes),
    )


async def judge_evidence(
    task: Task,
    scenario: Scenario | None,
    evidence: Evidence,
    judge: Ask,
    *,
    quotes: bool = False,
    repeat: int = 0,
    repeats: tuple[int, int] = (1, 1),
) -> ScoreSheet:
    """Have a judge score evidence.

    Parameters
    ----------
    task, scenario, evidence, quotes
        As for :func:`judge_prompt`.
    judge : Ask
        The judge.
    repeat : int
        For which time over all evidence, from 0.
    repeats : tuple of (int, int)
        Which evidence it is, and for which time it is scored, from 1: the sheet has these numbers.

    Returns
    -------
    ScoreSheet
        The judge's own values, with all that can be computed beside them.

    Raises
    ------
    ReplyError, CallError
        The judge gave no usable answer.
    """
    asked = await judge(
        judge_prompt(task, scenario, evidence, quotes=quotes),
        judge_reply(task, evidence),
        schema_name=f"{task.id}_scores",
        label={"response_id": evidence.response_id, "step": "judge"},
        repeat=repeat,
    )
    layout = evidence_layout(task, evidence)
    return read_scores(
        task,
        evidence.response_id,
        layout,
        [asked.value],
        judge.model.name,
        repeats,
    )
