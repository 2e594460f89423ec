"""What a scorer is trained on: the prompts of the methods, and a rater's sheets in their reply form."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from pydantic import ValidationError

from creaeval.data import find_scenario
from creaeval.errors import Problems, SettingError
from creaeval.methods import Case, Options
from creaeval.methods.judge import judge_prompt
from creaeval.methods.raw import categories_of, response_layout, scorer_prompt, scorer_reply, steps_of
from creaeval.runs.batching import join_evidence, make_batch, make_batches, written_code
from creaeval.runs.trained import mark_of_case
from creaeval.sheets import evidence_layout
from creaeval.sheets.replies import item_key, judge_reply
from creaeval.tasks import Batching
from creaeval.training.split import RESPONSE, group_by

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from creaeval.data import Rating, Response
    from creaeval.llm import Prompt
    from creaeval.runs import Run
    from creaeval.runs.batching import Batch
    from creaeval.sheets import Depth, ItemScores, StepLayout, StepScores
    from creaeval.sheets.replies import Reply
    from creaeval.tasks import Scenario, Step, Task

BATCH = "call"


@dataclass(frozen=True)
class Pair:
    """One prompt with the reply that it should have had.

    Parameters
    ----------
    ids : tuple of str
        The responses it is about: one, or those that share the call.
    prompt : Prompt
        What a judge of the method is asked.
    reply : str
        The rater's sheet in the form of the judge's reply.
    """

    ids: tuple[str, ...]
    prompt: Prompt
    reply: str


@dataclass(frozen=True)
class Pairs:
    """All pairs of some responses.

    Parameters
    ----------
    kind : str
        The method that will score with what is trained: ``sft`` or ``sft-evidence``.
    task : Task
        The task.
    rater : str
        Whose sheets they are.
    pairs : tuple of Pair
        In the order of the responses.
    left_out : mapping of str to int
        How many responses are in no pair, by reason.
    rounded : int
        Points that were rounded, since the reply form has whole ones; halves go up.
    metadata : mapping of str to mapping
        By id, the columns that responses can be grouped by.
    marks : mapping of str to str
        By id, what a response is known again by.
    evidence : str
        How much evidence the prompts hold, ``full`` or ``brief``; empty for responses.
    """

    kind: str
    task: Task
    rater: str
    pairs: tuple[Pair, ...]
    left_out: Mapping[str, int] = field(default_factory=dict)
    rounded: int = 0
    metadata: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    marks: Mapping[str, str] = field(default_factory=dict)
    evidence: Depth | Literal[""] = ""

    def groups(self, by: str) -> tuple[str, dict[str, str] | None]:
        """Group the responses for a split.

        Parameters
        ----------
        by : str
            ``response``, ``scenario`` or a column that responses carry, such as ``object``.

        Returns
        -------
        tuple of (str, dict or None)
            What is never parted, and the group of each id; None where each stands for itself.

        Raises
        ------
        SettingError
            A response lacks the column, or those that share a call have several values of it.
        """
        if by == RESPONSE:
            if all(len(pair.ids) == 1 for pair in self.pairs):
                return RESPONSE, None
            # What shares a prompt cannot be on two sides.
            return BATCH, {name: pair.ids[0] for pair in self.pairs for name in pair.ids}
        groups = group_by(by, {name: self.metadata[name] for pair in self.pairs for name in pair.ids})
        for pair in self.pairs:
            values = {groups[name] for name in pair.ids}
            if len(values) > 1:
                raise SettingError(
                    f"--split-by {by}: a call is shared by {self.task.noun}s with {len(values)} values of "
                    "it, so it cannot be on one side. Name a column of which all that share a call have one "
                    "value, such as object."
                )
        return by, groups


class _LackingError(Exception):
    """A sheet that cannot be made; the reason is counted."""


class _Points:
    """Whole points of a rater's values, and how many had to be rounded."""

    def __init__(self) -> None:
        self.rounded = 0

    def whole(self, value: float | None, what: str) -> int:
        if value is None:
            raise _LackingError(f"the rater gave no {what}")
        # Halves up, as people round; Python's own round would go to the even one.
        points = math.floor(value + 0.5)
        self.rounded += points != value
        return points


def choose_rater(ratings: Sequence[Rating], rater: str, stage: str = "") -> dict[str, Rating]:
    """Find the ratings of one rater.

    Parameters
    ----------
    ratings : sequence of Rating
        Of all raters.
    rater : str
        The name.
    stage : str, optional
        Which stage, where the rater has several.

    Returns
    -------
    dict of str to Rating
        By response id.

    Raises
    ------
    SettingError
        There is no such rater or stage, or there are several stages and none is named.
    """
    own = [rating for rating in ratings if rating.rater == rater]
    if not own:
        names = ", ".join(sorted({rating.rater for rating in ratings})) or "nobody"
        raise SettingError(f"--rater {rater}: found no rating by {rater!r}; the ratings are by {names}.")
    stages = sorted({rating.stage for rating in own})
    if not stage and len(stages) > 1:
        raise SettingError(
            f"--rater {rater}: rated at the stages {', '.join(stages)}; name one with --stage."
        )
    if stage and stage not in stages:
        raise SettingError(
            f"--stage {stage}: {rater} rated at {', '.join(filter(None, stages)) or 'no stage'}."
        )
    return {rating.response_id: rating for rating in own if not stage or rating.stage == stage}


def response_pairs(
    task: Task,
    responses: Sequence[Response],
    scenarios: Mapping[str, Scenario],
    rater: str,
    rated: Mapping[str, Rating],
    batching: Batching | None = None,
) -> Pairs:
    """Make pairs of responses and sheets, in the words of the method ``direct``.

    Parameters
    ----------
    task : Task
        The task.
    responses : sequence of Response
        What was written.
    scenarios : mapping of str to Scenario
        Beside those the task brings.
    rater : str
        Whose ratings they are.
    rated : mapping of str to Rating
        Of the rater, by response id.
    batching : Batching, optional
        Which responses share a prompt; if not given, as the task says.

    Returns
    -------
    Pairs
        A response without a step, or of which the rater left a value of the sheet open, is left out.

    Raises
    ------
    DataError
        A response names a scenario that is not known.
    """
    problems, cases = Problems(), list[Case]()
    for response in responses:
        with problems.collect():
            scenario = find_scenario(response, scenarios, task)
            cases.append(Case(task, response, scenario, Options(batching=batching)))
    problems.stop()

    def question(batch: Batch) -> tuple[Prompt, type[Reply], tuple[StepLayout, ...], bool]:
        case, steps = batch.case, steps_of(batch.case)
        if not batch.case.shared and case.response.missing_steps(task):
            raise _LackingError("a step has no text")
        layout, sorts = response_layout(case, steps), bool(categories_of(case, steps))
        return scorer_prompt(case, steps), scorer_reply(case, steps), layout, sorts

    return _pairs("sft", task, rater, rated, cases, question)


def evidence_pairs(run: Run, rater: str, rated: Mapping[str, Rating]) -> Pairs:
    """Make pairs of evidence and sheets, as judges of the method ``creaeval`` see evidence.

    Parameters
    ----------
    run : Run
        Of a method that gathers evidence. Of several times it was gathered the first is taken.
    rater : str
        Whose ratings they are.
    rated : mapping of str to Rating
        Of the rater, by response id.

    Returns
    -------
    Pairs
        A response whose evidence is not whole, or of which the rater left a value of the sheet open, is left
        out.

    Raises
    ------
    SettingError
        The run gathered no evidence.
    """
    task, named = run.task, run.manifest.get("batching")
    options = Options(batching=None if named is None else Batching.model_validate(named))
    places, whole, seen = dict[str, int](), set[str](), False
    for place, outcome in enumerate(run.outcomes):
        places[outcome.response_id] = place
        if outcome.evidence is not None:
            seen = True
            if len(outcome.evidence.steps) == len(task.steps):
                whole.add(outcome.response_id)
    if not seen:
        raise SettingError(
            f"run {run.id}: its method {run.manifest['method']} gathered no evidence; name a run of creaeval."
        )
    cases = []
    for response_id in places:
        response = run.response(response_id)
        cases.append(Case(task, response, find_scenario(response, run.scenarios, task), options))

    def question(batch: Batch) -> tuple[Prompt, type[Reply], tuple[StepLayout, ...], bool]:
        ids = [batch.cases[number - 1].response.id for number in batch.asked]
        if not whole.issuperset(ids):
            raise _LackingError("the evidence is not whole")
        evidence = join_evidence(batch, {name: run.outcomes[places[name]].evidence for name in ids})
        prompt = judge_prompt(batch.case.task, batch.case.scenario, evidence)
        layout = evidence_layout(batch.case.task, evidence)
        return prompt, judge_reply(batch.case.task, evidence), layout, False

    made = _pairs("sft-evidence", task, rater, rated, cases, question)
    # Before there were two depths, all evidence was brief.
    return replace(made, evidence=run.manifest.get("evidence", "brief"))


def _pairs(
    kind: str,
    task: Task,
    rater: str,
    rated: Mapping[str, Rating],
    cases: Sequence[Case],
    question: Callable[[Batch], tuple[Prompt, type[Reply], tuple[StepLayout, ...], bool]],
) -> Pairs:
    left_out, rounded = Counter[str](), 0
    pairs: list[Pair] = []
    for together in make_batches(cases):
        usable = [case for case in together.cases if _has_points(case, rated)]
        if unrated := len(together.cases) - len(usable):
            left_out["the rater gave no points for it"] += unrated
        if not usable:
            continue
        batch = make_batch(usable)
        ids, points = tuple(batch.cases[number - 1].response.id for number in batch.asked), _Points()
        if not ids:
            continue
        try:
            prompt, form, layout, sorts = question(batch)
            reply = _reply(batch, form, layout, [rated.get(name) for name in ids], points, categories=sorts)
        except _LackingError as reason:
            left_out[str(reason)] += len(ids)
        else:
            pairs.append(Pair(ids, prompt, reply))
            rounded += points.rounded
    carried = {
        case.response.id: {
            **case.response.metadata,
            **({} if case.response.scenario is None else {"scenario": case.response.scenario}),
        }
        for case in cases
    }
    marks = {case.response.id: mark_of_case(case) for case in cases}
    return Pairs(kind, task, rater, tuple(pairs), dict(left_out), rounded, carried, marks)


def _has_points(case: Case, rated: Mapping[str, Rating]) -> bool:
    """Whether a text that may share a prompt has all its points, or needs none.

    Whole responses are looked at later.
    """
    rating = rated.get(case.response.id)
    if case.task.batching is None or written_code(case.task, case.response):
        return True
    parts = [f"{step.id}.{dimension.id}" for step in case.task.steps for dimension in step.dimensions]
    return rating is not None and all(rating.sheet.final(part) is not None for part in parts)


def _reply(
    batch: Batch,
    form: type[Reply],
    layout: Sequence[StepLayout],
    ratings: Sequence[Rating | None],
    points: _Points,
    *,
    categories: bool,
) -> str:
    rated = [rating for rating in ratings if rating is not None]
    if len(rated) < len(ratings):
        raise _LackingError("not rated by this rater")
    values: dict[str, Any] = {}
    if batch.case.shared:
        values = {part.step.id: _texts(part, rated, points) for part in layout}
    else:
        sheet = rated[0].sheet
        for part in layout:
            scores = sheet.step(part.step.id)
            if scores is None:
                raise _LackingError(f"the rater gave no points for {part.step.id}")
            values[part.step.id] = _step(part, scores, points, categories=categories)
        # Sums are those of the points before them, so that the sheet adds up as judges are told to make it.
        if batch.case.task.total == "sum":
            for part in layout:
                own = values[part.step.id]
                own["overall"] = sum(own[dimension.id] for dimension in part.step.dimensions)
            values["total"] = sum(step["overall"] for step in values.values())
    try:
        return form.model_validate(values).model_dump_json()
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"] if not str(part).startswith("item_"))
        raise _LackingError(f"the reply form has no place for the rater's {where}") from None


def _step(part: StepLayout, scores: StepScores, points: _Points, *, categories: bool) -> dict[str, Any]:
    step, values = part.step, dict[str, Any]()
    by_number = {item.item: item for item in scores.items}
    items = [by_number.get(number) for number in part.item_numbers]
    if step.items is not None:
        values["items"] = {
            item_key(number): _item(step, item, points, categories=categories)
            for number, item in zip(part.item_numbers, items, strict=True)
        }
    valid = [item for item in items if item is not None and item.valid]
    for dimension in step.dimensions:
        identity = f"{step.id}.{dimension.id}"
        if dimension.derive == "valid_items":
            values[dimension.id] = len(valid)
        elif dimension.scope == "item":
            # The items' points are whole by now.
            values[dimension.id] = sum(item.get(dimension.id, 0) for item in values["items"].values())
        else:
            values[dimension.id] = points.whole(scores.final(dimension.id), identity)
    return values


def _item(step: Step, item: ItemScores | None, points: _Points, *, categories: bool) -> dict[str, Any]:
    if item is None or step.items is None:
        raise _LackingError(f"the rater gave no points for an item of {step.id}")
    codes = step.judged_codes
    if not item.valid:
        return {"valid": item.invalid}
    values: dict[str, Any] = {"valid": "yes"} if codes else {}
    if categories and step.items.categories:
        if item.category is None:
            raise _LackingError(f"the rater gave no category for an item of {step.id}")
        values["category"] = item.category
    for dimension in step.item_dimensions:
        if dimension.derive != "valid_items":
            identity = f"{step.id}.{dimension.id}"
            values[dimension.id] = points.whole(item.scores.get(dimension.id), identity)
    return values


def _texts(part: StepLayout, ratings: Sequence[Rating], points: _Points) -> dict[str, Any]:
    """Put the ratings of texts that share a prompt together, each of which is a sheet of its own."""
    step = part.step
    valid = {"valid": "yes"} if step.items is not None and step.judged_codes else {}
    items: dict[str, Any] = {}
    for number, rating in zip(part.item_numbers, ratings, strict=True):
        whole = {}
        for dimension in step.item_dimensions:
            identity = f"{step.id}.{dimension.id}"
            whole[dimension.id] = points.whole(rating.sheet.final(identity), identity)
        items[item_key(number)] = {**valid, **whole}
    return {"items": items}
