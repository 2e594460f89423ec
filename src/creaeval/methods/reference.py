"""The method ``reference``: each yes/no test is a comparison with a text that was written to the same plot.

After Li et al., arXiv 2504.15784, in our own words: their prompts and their cutoff are not published, so the
cutoff is the user's (``Options.reference_cutoff``), by default 0: as good as the reference.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from creaeval.errors import SettingError
from creaeval.methods.base import Outcome, StageFailure
from creaeval.methods.panel import Trail, all_of, score_by_all
from creaeval.methods.raw import response_text, steps_of
from creaeval.methods.registry import register
from creaeval.methods.render import render_prompt
from creaeval.sheets import ScoreSheet, StepScores
from creaeval.sheets.replies import Reply, Words
from creaeval.tasks import fold

if TYPE_CHECKING:
    from creaeval.llm import Ask, Prompt
    from creaeval.methods.base import Case, Roles
    from creaeval.tasks import Dimension, Step, Task

#: From this likeness on (of 100), a text is the reference itself in another copy.
_SAME = 95.0

_POINTS = {
    "significantly worse": -2,
    "slightly worse": -1,
    "same": 0,
    "slightly better": 1,
    "significantly better": 2,
}


class Comparison(Reply):
    """How the second of two texts stands beside the first: words, then a rating of the second."""

    analysis: Annotated[str, Words(1400)]
    rating: Literal[
        "significantly worse", "slightly worse", "same", "slightly better", "significantly better"
    ]


def two_a_test(case: Case, judges: int, _: int, judge_repeats: int) -> int:
    """Count two calls for each test, judge and repeat, none where there is nothing to compare with.

    Raises
    ------
    SettingError
        The task is no list of yes/no tests.
    """
    step = _the_step(case.task)
    return 0 if _no_comparison(case) else 2 * len(step.dimensions) * judges * judge_repeats


@register("reference", calls=two_a_test, uses_analyst=False, aliases=("Reference-based",))
async def reference(case: Case, roles: Roles) -> Outcome:
    """Have each judge compare the text with the plot's reference, test by test, in both orders.

    Parameters
    ----------
    case : Case
        The response; its scenario is the plot and brings the reference.
    roles : Roles
        The judges; no analyst is asked.

    Returns
    -------
    Outcome
        A sheet from each judge that answered every time, with 1 for each test that was passed; ``trail``
        holds the ratings. A failure where the plot has no reference or the response is the reference itself.

    Raises
    ------
    SettingError
        The task is no list of yes/no tests.
    """
    step = _the_step(case.task)
    if reason := _no_comparison(case):
        failed = StageFailure(stage="input", model="", reason=reason)
        return Outcome(response_id=case.response.id, failures=(failed,))
    trail = Trail(roles)

    async def score_once(judge: Ask, repeat: int) -> ScoreSheet:
        ratings = await all_of(*(_both_orders(case, step, d, judge, repeat) for d in step.dimensions))
        passed: dict[str, float] = {}
        who = trail.who(judge, repeat)
        for dimension, (second, first) in zip(step.dimensions, ratings, strict=True):
            average = (_POINTS[second] - _POINTS[first]) / 2
            passed[dimension.id] = float(average >= case.options.reference_cutoff)
            trail.add(
                judge,
                repeat,
                f"{who}, {step.id}.{dimension.id}: {average:+g} (the response after the reference: {second}; "
                f"the reference after the response: {first})",
            )
        scores = StepScores.build(case.task, step, written=passed)
        return ScoreSheet.build(
            case.task, case.response.id, judge.model.name, [scores], roles.repeats(repeat)
        )

    sheets, failures = await score_by_all(roles, score_once)
    return Outcome(response_id=case.response.id, trail=trail.lines, sheets=sheets, failures=failures)


async def _both_orders(
    case: Case, step: Step, dimension: Dimension, judge: Ask, repeat: int
) -> tuple[str, str]:
    """Rate the response after the reference, and the reference after the response."""

    async def rate(*, response_second: bool) -> str:
        asked = await judge(
            comparison_prompt(case, step, dimension, response_second=response_second),
            Comparison,
            schema_name=f"{dimension.id}_comparison",
            label={
                "response_id": case.response.id,
                "step": "judge",
                "part": f"{dimension.id}, response {'second' if response_second else 'first'}",
            },
            repeat=repeat,
        )
        return asked.value.rating

    second, first = await all_of(rate(response_second=True), rate(response_second=False))
    return second, first


def comparison_prompt(case: Case, step: Step, dimension: Dimension, *, response_second: bool) -> Prompt:
    """Write the prompt that has two texts compared; what the tests of one response share comes first.

    Parameters
    ----------
    case : Case
        The response, and the plot with its reference.
    step : Step
        The task's step.
    dimension : Dimension
        The test.
    response_second : bool
        Whether the response stands after the reference. Which text is which is not said.

    Returns
    -------
    Prompt
    """
    assert case.scenario is not None  # noqa: S101 - it brought the reference
    texts = [case.scenario.reference, response_text(case, step)]
    first, second = texts if response_second else reversed(texts)
    return render_prompt(
        case.task.language,
        "reference",
        scenario=case.scenario,
        steps=[step.model_copy(update={"dimensions": (dimension,), "groups": ()})],
        first=first,
        second=second,
    )


def _the_step(task: Task) -> Step:
    tests = task.steps[0].dimensions
    if len(task.steps) > 1 or any(d.scope != "step" or d.derive or str(d.scale) != "0-1" for d in tests):
        raise SettingError(
            f"The method reference compares texts by yes/no tests: it needs a task with a single step whose "
            f"dimensions all have scale 0-1 and scope step, and task {task.id} is none. Use another method."
        )
    return task.steps[0]


def _no_comparison(case: Case) -> str:
    """Say why a response cannot be compared; empty if it can."""
    plot, response = case.scenario, case.response
    if plot is None or not plot.reference.strip():
        which = "names no plot" if plot is None else f"answers {plot.id!r}, which has no reference"
        return f"response {response.id!r} {which}; give the plot a text as 'reference' with --scenario FILE."
    named = bool(plot.reference_id) and fold(response.id) == fold(plot.reference_id)
    if named or any(_same_text(response_text(case, step), plot.reference) for step in steps_of(case)):
        return f"response {response.id!r} is the reference of {plot.id!r}: no text is compared with itself."
    return ""


def _same_text(first: str, second: str) -> bool:
    """Whether two texts are one but for quotation marks, spaces, case and a slip here and there."""
    from rapidfuzz import fuzz

    return fuzz.ratio(fold(first), fold(second)) >= _SAME
