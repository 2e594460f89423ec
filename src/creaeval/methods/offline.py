"""The method ``offline``: uses are scored by a small model that the package carries; nobody else is asked."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from creaeval.errors import ReplyError, SettingError
from creaeval.llm.ask import Prompt
from creaeval.methods.base import Outcome
from creaeval.methods.panel import score_by_all
from creaeval.methods.registry import register
from creaeval.offline.exchange import SYSTEM, UsesReply, write_question
from creaeval.sheets import ItemScores, ScoreSheet, StepScores

if TYPE_CHECKING:
    from creaeval.llm import Ask
    from creaeval.methods.base import Case, Roles

TASK, STEP, DIMENSION = "aut", "uses", "originality"


def _calls(case: Case, judges: int, __: int, judge_repeats: int) -> int:
    if case.task.id != TASK:
        raise SettingError(
            f"The method offline scores uses of objects (task {TASK}) for originality; it cannot score task "
            f"{case.task.id}. `creaeval methods list --task TASK` lists methods that can."
        )
    return judges * judge_repeats


@register("offline", calls=_calls, uses_analyst=False, provider="offline")
async def offline(case: Case, roles: Roles) -> Outcome:
    """Score uses with the model that the package carries: free, private, without a network (task aut).

    Parameters
    ----------
    case : Case
        Uses of one object. They are scored one by one, whatever shares the call.
    roles : Roles
        The judge is the offline scorer.

    Returns
    -------
    Outcome
        Points are real numbers. ``item_trail`` has a line of JSON for each use: the confidence of its score,
        warnings and whether it was trained on; see :class:`creaeval.offline.UseScore`.
    """
    written = case.response.steps[STEP]
    uses = [item for item in written.items if not item.blank]
    prompt = Prompt(SYSTEM, write_question(case.response.scenario or "", [item.text for item in uses]))
    item_trail: dict[int, tuple[str, ...]] = {}

    async def score_once(judge: Ask, repeat: int) -> ScoreSheet:
        label = {"response_id": case.response.id, "step": "judge"}
        asked = await judge(prompt, UsesReply, schema_name="aut_offline", label=label, repeat=repeat)
        reply = asked.value
        parts = (reply.originality, reply.confidence, reply.warnings, reply.in_training)
        if any(len(part) != len(uses) for part in parts):
            raise ReplyError(f"{judge.model.name} did not score each of the {len(uses)} uses.")
        points = dict(zip((item.number for item in uses), reply.originality, strict=True))
        if repeat == 0:
            for item, sure, warnings, trained in zip(uses, *parts[1:], strict=True):
                about = {"confidence": sure, "warnings": warnings, "in_training": trained}
                item_trail[item.number] = (json.dumps(about, ensure_ascii=False),)
        step = case.task.step(STEP)
        items = [
            ItemScores.build(step, item.number, invalid=item.invalid or "blank")
            if item.blank
            else ItemScores.build(step, item.number, {DIMENSION: points[item.number]})
            for item in written.items
        ]
        scores = StepScores.build(case.task, step, items=items)
        return ScoreSheet.build(
            case.task, case.response.id, judge.model.name, [scores], roles.repeats(repeat)
        )

    sheets, failures = await score_by_all(roles, score_once)
    return Outcome(response_id=case.response.id, item_trail=item_trail, sheets=sheets, failures=failures)
