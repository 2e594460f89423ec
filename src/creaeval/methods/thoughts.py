"""Trees and graphs of thoughts: several candidates for each step, and one sheet made of them.

``tot`` and ``got`` as in the CreaEval paper (arXiv 2609.03432), ``tot-selected`` and ``got-aggregate`` with
the step of the original methods that those leave out (arXiv 2305.10601, 2308.09687).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from creaeval.methods.base import Outcome
from creaeval.methods.cot import calls_a_step
from creaeval.methods.dialogue import Dialogue
from creaeval.methods.panel import Trail, all_of, score_by_all
from creaeval.methods.raw import (
    candidates_text,
    conversation_system,
    response_layout,
    scorer_reply,
    steps_of,
    turn_text,
)
from creaeval.methods.registry import register
from creaeval.methods.render import render
from creaeval.sheets.read_replies import read_scores
from creaeval.sheets.replies import Reply

if TYPE_CHECKING:
    from creaeval.llm import Ask
    from creaeval.methods.base import Case, Roles
    from creaeval.sheets import ScoreSheet
    from creaeval.tasks import Step

SCORERS = 3


class Choice(Reply):
    """The candidate a selector takes, from 1."""

    choice: Annotated[int, Field(ge=1, le=SCORERS)]


@register(
    "tot",
    calls=calls_a_step(SCORERS + 1),
    uses_analyst=False,
    several_steps=True,
    samples=SCORERS,
    aliases=("ToT", "Tree of Thoughts"),
)
async def tot(case: Case, roles: Roles) -> Outcome:
    """Have three scorers of each judge score every step, and a selector choose one of the three.

    Parameters
    ----------
    case : Case
        The response and its scenario.
    roles : Roles
        The judges; each is three scorers and a selector. No analyst is asked.

    Returns
    -------
    Outcome
        A sheet of the chosen candidates from each judge that answered throughout; its ``trail`` says which.
        A scorer goes on from its own candidate, chosen or not.
    """
    return await _think(case, roles)


@register(
    "tot-selected", calls=calls_a_step(SCORERS + 1), uses_analyst=False, several_steps=True, samples=SCORERS
)
async def tot_selected(case: Case, roles: Roles) -> Outcome:
    """Do as tot does, but let all three scorers go on from the chosen candidate: the original tree."""
    return await _think(case, roles, follow=True)


@register(
    "got",
    calls=calls_a_step(2 * (SCORERS + 1)),
    uses_analyst=False,
    several_steps=True,
    samples=SCORERS,
    aliases=("GoT", "Graph of Thoughts"),
)
async def got(case: Case, roles: Roles) -> Outcome:
    """Do as tot does, with every scorer and the selector looking at each step's answer a second time."""
    return await _think(case, roles, again=True)


@register(
    "got-aggregate",
    calls=calls_a_step(2 * (SCORERS + 1)),
    uses_analyst=False,
    several_steps=True,
    samples=SCORERS,
)
async def got_aggregate(case: Case, roles: Roles) -> Outcome:
    """Do as got does, but merge the candidates instead of choosing one: the original graph's aggregation."""
    return await _think(case, roles, again=True, merge=True)


async def _think(
    case: Case, roles: Roles, *, follow: bool = False, again: bool = False, merge: bool = False
) -> Outcome:
    steps = steps_of(case)
    system = conversation_system(case, "turns")
    head_part: Literal["selector", "merger"] = "merger" if merge else "selector"
    head_system = conversation_system(case, head_part)
    trail = Trail(roles)

    async def score_once(judge: Ask, repeat: int) -> ScoreSheet:
        # Scorers say the same words, so their numbers go on from one repeat to the next.
        scorers = [
            Dialogue(judge, system, case.response.id, part=f"scorer {n + 1}", repeat=repeat * SCORERS + n)
            for n in range(SCORERS)
        ]
        head = Dialogue(judge, head_system, case.response.id, part=head_part, repeat=repeat)
        kept: list[Reply] = []
        for step in steps:
            candidates = await all_of(*(_score(case, step, scorer, again) for scorer in scorers))
            if merge:
                kept.append(await _merge(case, step, head, candidates))
                continue
            chosen, note = await _select(case, step, head, candidates, again)
            trail.add(judge, repeat, f"{trail.who(judge, repeat)}, {step.id}: {note}")
            kept.append(candidates[chosen])
            if follow:
                for scorer in scorers:
                    scorer.turns = scorers[chosen].turns
        layout = response_layout(case, steps)
        return read_scores(case.task, case.response.id, layout, kept, judge.model.name, roles.repeats(repeat))

    sheets, failures = await score_by_all(roles, score_once)
    return Outcome(response_id=case.response.id, trail=trail.lines, sheets=sheets, failures=failures)


async def _score(case: Case, step: Step, scorer: Dialogue, again: bool) -> Reply:
    form = scorer_reply(case, [step])
    reply = await scorer.say(turn_text(case, step), form, step.id)
    return await scorer.say(_turn(case, step, "recheck"), form, step.id) if again else reply


async def _select(
    case: Case, step: Step, selector: Dialogue, candidates: list[Reply], again: bool
) -> tuple[int, str]:
    """Choose a candidate: its index, and a note of the choice for the trail."""
    first = await selector.say(candidates_text(case, step, candidates), Choice, step.id, form="choice")
    last = first
    if again:
        last = await selector.say(_turn(case, step, "reconsider"), Choice, step.id, form="choice")
    before = f" ({first.choice} at first)" if last.choice != first.choice else ""
    return last.choice - 1, f"candidate {last.choice} of {SCORERS}{before}"


async def _merge(case: Case, step: Step, merger: Dialogue, candidates: list[Reply]) -> Reply:
    form = scorer_reply(case, [step])
    await merger.say(candidates_text(case, step, candidates, merge=True), form, step.id)
    return await merger.say(_turn(case, step, "recheck"), form, step.id)


def _turn(case: Case, step: Step, template: str) -> str:
    return render(case.task.language, template, step=step)
