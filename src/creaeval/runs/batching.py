"""Short responses that share a call: put together before it, split behind it, and known to nobody else."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from creaeval.data import Item, Response
from creaeval.data.items import item_step, program_code
from creaeval.methods import Analysis, Case, Outcome, get_method
from creaeval.sheets import Evidence, ItemEvidence, ScoreSheet, StepEvidence, StepScores
from creaeval.sheets.replies import item_key
from creaeval.sheets.score_sheet import NOT_CAPTURED
from creaeval.tasks.model import SharedItems

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from creaeval.methods import Options
    from creaeval.runs.plan import Plan
    from creaeval.tasks import Batching, Task

_MOST_ITEMS = 100


@dataclass(frozen=True)
class Batch:
    """Responses that share a call, or one that has its own.

    Parameters
    ----------
    cases : tuple of Case
        The responses, each by itself.
    case : Case
        What a method is given: the only one of them, or all as the items of one step, in this order.
    asked : tuple of int
        The numbers, from 1, of those a model is shown: all but the ones that have a code by what is written.
    """

    cases: tuple[Case, ...]
    case: Case
    asked: tuple[int, ...] = (1,)


def make_batches(cases: Sequence[Case]) -> tuple[Batch, ...]:
    """Put responses together that may share a call, in their order; never those to different scenarios."""
    batching = batching_of(cases[0].task, cases[0].options) if cases else None
    if batching is None:
        return tuple(make_batch([case]) for case in cases)
    groups: dict[object, list[Case]] = {}
    for number, case in enumerate(cases):
        values = tuple(case.response.metadata.get(name, "") for name in batching.by)
        scenario = None if case.scenario is None else case.scenario.id
        key = (scenario, values) if all(values) else number
        groups.setdefault(key, []).append(case)
    batches: list[Batch] = []
    for group in groups.values():
        starts = range(0, len(group), batching.most)
        batches += [make_batch(group[start : start + batching.most]) for start in starts]
    return tuple(batches)


def batching_of(task: Task, options: Options) -> Batching | None:
    """Return which responses share a call; None where each has its own."""
    return None if task.batching is None else options.batching or task.batching


def make_batch(cases: Sequence[Case], gathered: Sequence[Analysis] = ()) -> Batch:
    """Make the case of responses that share a call; ``gathered`` is evidence that is there already."""
    first = cases[0]
    if first.task.batching is None:
        (case,) = cases
        return Batch((case,), case)
    task = _shared_task(first.task)
    (step,) = task.steps
    items = [
        Item(
            number=number,
            text=text_of(first.task, case.response),
            invalid=written_code(first.task, case.response),
        )
        for number, case in enumerate(cases, 1)
    ]
    name = first.response.id if len(cases) == 1 else f"{first.response.id} and {len(cases) - 1} more"
    response = Response(id=name, scenario=first.response.scenario, steps={step.id: item_step(items)})
    shared = replace(first, task=task, response=response, shared=True, gathered=tuple(gathered))
    return Batch(tuple(cases), shared, tuple(item.number for item in items if not item.blank))


@lru_cache(maxsize=16)
def _shared_task(task: Task) -> Task:
    """Turn a task of one text into one of a list of them, whose items are the responses."""
    (step,) = task.steps
    dimensions = tuple(d.model_copy(update={"scope": "item"}) for d in step.dimensions)
    items = SharedItems(name=task.noun, max=_MOST_ITEMS, invalid=step.invalid)
    listed = step.model_copy(update={"items": items, "dimensions": dimensions, "invalid": {}})
    return task.model_copy(update={"steps": (listed,), "total": "none", "batching": None})


def text_of(task: Task, response: Response) -> str:
    """Return the text of a response to a task of one step, empty if nothing is written."""
    written = response.steps.get(task.steps[0].id)
    return "" if written is None else written.text


def written_code(task: Task, response: Response) -> str:
    """Return why nobody is asked about a response (``blank``, ``dont_know``); empty where somebody is."""
    step = task.steps[0]
    if not step.invalid:
        return ""
    text = text_of(task, response)
    return program_code(step, text) if text.strip() else "blank"


def unasked_outcomes(plan: Plan) -> list[Outcome]:
    """Make the outcomes of responses that nobody is asked about: sheets that say why there are no points."""
    scorer = get_method(plan.method).scorer
    outcomes = []
    for case in plan.cases:
        if code := written_code(case.task, case.response):
            step = StepScores.build(case.task, case.task.steps[0], invalid=code)
            sheets = [
                ScoreSheet.build(case.task, case.response.id, scorer(judge.name), [step], (evidence, repeat))
                for evidence in range(1, plan.evidence_repeats + 1)
                for judge in plan.judges
                for repeat in range(1, plan.judge_repeats + 1)
            ]
            outcomes.append(Outcome(response_id=case.response.id, sheets=tuple(sheets)))
    return outcomes


def lacks_evidence(outcome: Outcome) -> bool:
    """Whether evidence could not be gathered, for the first time or a later one."""
    return any(not analysis.evidence.steps for analysis in _analyses(outcome))


def halve(batch: Batch, outcome: Outcome) -> tuple[Batch, ...]:
    """Split a batch whose call failed; evidence of all its responses is kept and not gathered anew.

    A half in which no model is asked about a response is left out.
    """
    middle = (len(batch.cases) + 1) // 2
    analyses = () if lacks_evidence(outcome) else _analyses(outcome)
    parts = (slice(0, middle), slice(middle, None))
    halves = (make_batch(batch.cases[part], [_part(a, part) for a in analyses]) for part in parts)
    return tuple(half for half in halves if half.asked)


def _analyses(outcome: Outcome) -> tuple[Analysis, ...]:
    if outcome.evidence is None:
        return ()
    return (Analysis(repeat=1, evidence=outcome.evidence, memories=outcome.memories), *outcome.further)


def _part(analysis: Analysis, part: slice) -> Analysis:
    """Take the evidence of some items, numbered anew."""
    (step,) = analysis.evidence.steps
    items = [item.model_copy(update={"item": n}) for n, item in enumerate(step.items[part], 1)]
    steps = (step.model_copy(update={"items": tuple(items)}),)
    return analysis.model_copy(update={"evidence": analysis.evidence.model_copy(update={"steps": steps})})


def split_outcome(batch: Batch, outcome: Outcome) -> list[Outcome]:
    """Split a batch's outcome into those of the responses that a model was asked about.

    What a method did with all of them, and what failed, stands with each.
    """
    if not batch.case.shared:
        return [outcome]
    ids = {item_key(number): case.response.id for number, case in enumerate(batch.cases, 1)}
    outcomes = []
    for number in batch.asked:
        case = batch.cases[number - 1]
        analyses = [_item_analysis(analysis, number, ids) for analysis in _analyses(outcome)]
        outcomes.append(
            Outcome(
                response_id=case.response.id,
                evidence=analyses[0].evidence if analyses else None,
                memories=outcome.memories,
                further=tuple(analyses[1:]),
                trail=(*outcome.trail, *outcome.item_trail.get(number, ())),
                sheets=tuple(_split_sheet(case, sheet, number) for sheet in outcome.sheets),
                failures=outcome.failures,
            )
        )
    return outcomes


def merge(whole: Outcome, again: Outcome, scorers: Sequence[str]) -> Outcome:
    """Add to a response's outcome of a shared call that of the judges who failed and were asked again.

    The evidence is that of the shared call; sheets are in the order of ``scorers``.
    """

    def place(sheet: ScoreSheet) -> tuple[int, int, int]:
        return sheet.evidence_repeat, scorers.index(sheet.scorer), sheet.judge_repeat

    sheets = {place(sheet): sheet for sheet in (*whole.sheets, *again.sheets)}
    return whole.model_copy(
        update={
            "trail": (*whole.trail, *again.trail),
            "sheets": tuple(sheets[key] for key in sorted(sheets)),
            "failures": again.failures,
            "calls": again.calls,
            "failed_attempts": again.failed_attempts,
        }
    )


def join_evidence(batch: Batch, evidence: Mapping[str, Evidence | None]) -> Evidence:
    """Put the evidence of responses, by id, together as it was when they shared a call."""
    if not batch.case.shared:
        (gathered,) = (own for own in evidence.values() if own is not None)
        return gathered
    items = []
    for number, case in enumerate(batch.cases, 1):
        own = evidence[case.response.id] if number in batch.asked else None
        if own is None:
            items.append(ItemEvidence(item=number, blank=True))
        else:
            items.append(ItemEvidence(item=number, dimensions=own.steps[0].dimensions))
    joined = StepEvidence(step=batch.case.task.steps[0].id, items=tuple(items))
    return Evidence(response_id=batch.case.response.id, steps=(joined,))


def _item_analysis(analysis: Analysis, number: int, ids: Mapping[str, str]) -> Analysis:
    """Take the evidence of an item, as that of a response of its own."""
    steps = []
    for step in analysis.evidence.steps:
        dimensions = {}
        for name, finding in step.items[number - 1].dimensions.items():
            # A quote that stands elsewhere stands in another response.
            quotes = [q.model_copy(update={"place": ids.get(q.place, q.place)}) for q in finding.quotes]
            dimensions[name] = finding.model_copy(update={"quotes": tuple(quotes)})
        steps.append(StepEvidence(step=step.step, dimensions=dimensions, notes=step.notes))
    evidence = Evidence(response_id=ids[item_key(number)], steps=tuple(steps))
    return analysis.model_copy(update={"evidence": evidence})


def _split_sheet(case: Case, sheet: ScoreSheet, number: int) -> ScoreSheet:
    (scores,) = sheet.steps
    item = next(item for item in scores.items if item.item == number)
    code = item.invalid or ""
    # A text that has a code has no points, but for those that could be captured.
    points = item.scores if code in ("", NOT_CAPTURED) else {}
    written = {part: float(value) for part, value in points.items()}
    step = StepScores.build(case.task, case.task.steps[0], written=written, invalid=code)
    return ScoreSheet.build(case.task, case.response.id, sheet.scorer, [step], sheet.repeats)
