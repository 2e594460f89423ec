"""Prompts and replies of the methods whose judges read the response itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from creaeval.methods.forms import score_form, scoring_rules
from creaeval.methods.render import oneline, render, render_prompt
from creaeval.sheets import StepLayout, StepTexts, check_grid
from creaeval.sheets.quotes import place_name
from creaeval.sheets.replies import item_key, score_reply

if TYPE_CHECKING:
    from collections.abc import Sequence

    from creaeval.llm import Prompt
    from creaeval.methods.base import Case
    from creaeval.sheets.replies import Reply
    from creaeval.tasks import Step


def steps_of(case: Case) -> list[Step]:
    """List the steps that the response has, in order."""
    return [step for step in case.task.steps if step.id in case.response.steps]


def response_text(case: Case, step: Step) -> str:
    """Show what was written in a step: its items numbered, or its text."""
    written = case.response.steps[step.id]
    if not written.given:
        return written.text
    return "\n".join(f"{item_key(item.number)}: {oneline(item.text)}" for item in written.given)


def step_texts(case: Case, step: Step) -> StepTexts:
    """Collect what quotes of a step are looked up in: its items, the whole step, then all other steps."""
    written = case.response.steps
    others: list[tuple[str, str]] = []
    for other in steps_of(case):
        if other.id != step.id:
            parts = written[other.id]
            others += [(place_name(other.id, item.number), item.text) for item in parts.given]
            others.append((place_name(other.id), parts.text))
    own = written[step.id]
    return StepTexts(step.id, own.text, {item.number: item.text for item in own.items}, others)


def response_layout(case: Case, steps: Sequence[Step]) -> tuple[StepLayout, ...]:
    """Return the layout of a sheet for the response itself, whose items the scorer sorts."""
    return tuple(
        StepLayout(
            step,
            {item.number: item.blank for item in case.response.steps[step.id].items},
            grid_score=_grid_score(case, step),
        )
        for step in steps
    )


def scorer_prompt(case: Case, steps: Sequence[Step], *, analysis: bool = False) -> Prompt:
    """Write the prompt that has the response of some steps scored; what other responses share comes first.

    Parameters
    ----------
    case : Case
        The response and its scenario.
    steps : sequence of Step
        Which steps to show and to score.
    analysis : bool
        Whether words are asked for before the points of each dimension.

    Returns
    -------
    Prompt
    """
    return render_prompt(
        case.task.language,
        "scorer",
        scenario=case.scenario,
        steps=steps,
        form=_form(case, steps, analysis=analysis),
        examples=case.options.examples,
        responses=[{"step": step, "text": response_text(case, step)} for step in steps],
        **_rules(case, steps, analysis=analysis),
    )


def turn_text(case: Case, step: Step) -> str:
    """Write the turn of a conversation that has one step scored: scenario, rubric, form and response."""
    return scorer_prompt(case, [step]).user


def candidates_text(case: Case, step: Step, candidates: Sequence[Reply], *, merge: bool = False) -> str:
    """Write the turn that has one of several scorers' answers for a step chosen, or all of them merged."""
    return render(
        case.task.language,
        "candidates",
        scenario=case.scenario,
        steps=[step],
        text=response_text(case, step),
        candidates=[candidate.model_dump_json() for candidate in candidates],
        merge=merge,
        categories=categories_of(case, [step]),
        form=_form(case, [step]),
    )


def conversation_system(case: Case, name: Literal["turns", "selector", "merger"]) -> str:
    """Write the instructions of a conversation in which the steps follow one by one."""
    steps = steps_of(case)
    # A single step may be the whole task; several have a reply each, and so no total.
    rules = {**_rules(case, steps), "whole": len(case.task.steps) == 1}
    return render(case.task.language, name, several=len(steps) > 1, **rules)


def opening_prompt(case: Case, name: Literal["reasoning", "table"]) -> Prompt:
    """Write the opening of a conversation that asks for words about the whole response before any points."""
    steps = steps_of(case)
    return render_prompt(
        case.task.language,
        name,
        scenario=case.scenario,
        steps=steps,
        responses=[{"step": step, "text": response_text(case, step)} for step in steps],
        **_rules(case, steps),
    )


def points_text(case: Case, name: Literal["points", "table_rows"], *, analysis: bool = False) -> str:
    """Write the turn that shows the form of the scores and asks for them, about work shown before."""
    steps = steps_of(case)
    return render(case.task.language, name, steps=steps, form=_form(case, steps, analysis=analysis))


def scorer_reply(case: Case, steps: Sequence[Step], *, analysis: bool = False) -> type[Reply]:
    """Generate the form of the reply to :func:`scorer_prompt`."""
    layout = response_layout(case, steps)
    return score_reply(case.task, layout, categories=categories_of(case, steps), analysis=analysis)


def categories_of(case: Case, steps: Sequence[Step]) -> tuple[str, ...]:
    """Return the task's categories if one of the steps sorts its items, else none."""
    sorts = any(step.items is not None and step.items.categories for step in steps)
    return case.task.categories if sorts else ()


def _rules(case: Case, steps: Sequence[Step], *, analysis: bool = False) -> dict[str, Any]:
    return {
        **scoring_rules(case.task, steps),
        "categories": categories_of(case, steps),
        "analysis": analysis,
    }


def _form(case: Case, steps: Sequence[Step], *, analysis: bool = False) -> str:
    rules = scoring_rules(case.task, steps)
    return score_form(
        steps,
        whole=rules["whole"],
        sums=rules["sums"],
        categories=bool(categories_of(case, steps)),
        analysis=analysis,
    )


def grid_columns(case: Case, step: Step) -> int | None:
    """Columns of a step's ranking grid: the criteria, that is the items of the step just before it."""
    index = case.task.steps.index(step)
    before = case.task.steps[index - 1] if index else None
    if before is None or before.items is None or before.id not in case.response.steps:
        return None
    written = case.response.steps[before.id]
    return len(written.items) + len(written.unscored)


def _grid_score(case: Case, step: Step) -> int | None:
    columns = grid_columns(case, step)
    if columns is None or not any(d.derive == "ranking_grid" for d in step.dimensions):
        return None
    return check_grid(case.response.steps[step.id].text, columns).score
