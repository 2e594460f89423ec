"""Everything about one response, laid out for its page."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from creaeval.data.batches import unit_id
from creaeval.errors import SettingError
from creaeval.report.html.marks import Passages, Segment
from creaeval.report.html.scores import (
    Scorer,
    ScoreTable,
    judges_of,
    points_text,
    raters_of,
    score_table,
    unit_table,
)
from creaeval.report.progress import cost_text
from creaeval.runs.units import split_sheet
from creaeval.sheets import StepEvidence

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from creaeval.data import Item, Rating, Response
    from creaeval.methods import Outcome
    from creaeval.report.html.data import RunPart
    from creaeval.sheets import DimensionEvidence, ItemEvidence, Quote
    from creaeval.tasks import Dimension, Scenario, Step, Task


@dataclass(frozen=True)
class QuoteView:
    """A quote; ``passage`` is None where its place is not shown, ``note`` says why.

    ``first`` is true of the first one of its passage, to which the mark in the text leads.
    """

    text: str
    passage: int | None
    note: str
    found: bool
    first: bool = False


@dataclass(frozen=True)
class FindingView:
    """One dimension of an item or step: what the analyst saw and what everybody gave."""

    id: str
    name: str
    most: str
    evidence: DimensionEvidence | None
    quotes: tuple[QuoteView, ...]
    scores: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True)
class BlockView:
    """An item, or the step as a whole: its text and its findings.

    ``blank`` is the code of an item that nobody was asked about; ``verdicts`` are of judges and raters who
    found it invalid, with the reason.
    """

    title: str
    segments: tuple[Segment, ...]
    findings: tuple[FindingView, ...]
    blank: str = ""
    category: str = ""
    verdicts: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class StepView:
    """One step; ``place`` counts from 0, ``unscored`` are items beyond the maximum."""

    place: int
    name: str
    instruction: str
    blocks: tuple[BlockView, ...]
    unscored: tuple[str, ...] = ()
    memory: str = ""
    note: str = ""


@dataclass(frozen=True)
class PageView:
    """A response's page; ``key`` is part of every id on it."""

    key: str
    id: str
    run: str
    facts: tuple[tuple[str, str], ...]
    scenario: Scenario | None
    table: ScoreTable
    steps: tuple[StepView, ...]
    further: tuple[tuple[int, tuple[StepView, ...]], ...]
    text_note: str
    outcome: Outcome
    accounts: str


def page_view(
    part: RunPart, outcome: Outcome, ratings: Sequence[Rating], key: str, scenario: Scenario | None
) -> PageView:
    """Lay a response out.

    Parameters
    ----------
    part : RunPart
        Its run.
    outcome : Outcome
        What the run made of it.
    ratings : sequence of Rating
        Of this response, or of the items of this batch.
    key : str
        Letters, digits and dashes that no other page has.
    scenario : Scenario or None
        What it answers, where that is known.

    Returns
    -------
    PageView
    """
    run, task = part.run, part.run.task
    text_note, response = "", None
    try:
        response = run.response(outcome.response_id)
    except SettingError as error:
        text_note = str(error)
    by_items = task.unit == "item"
    raters = [] if by_items else raters_of(ratings)
    units = [(unit.id, unit.carried.get("response", "")) for unit in run.units.get(outcome.response_id, ())]
    unit_raters: dict[str, list[Scorer]] = {}
    for rating in ratings if by_items else ():
        unit_raters.setdefault(rating.response_id, []).extend(raters_of([rating]))
    if by_items:
        of_units: dict[str, list[Scorer]] = {unit: [] for unit, _ in units}
        for sheet in outcome.sheets:
            for one in split_sheet(sheet, run.units[outcome.response_id]):
                of_units[one.response_id] += judges_of([one])
        table = unit_table(
            task, units, {unit: [*of_units[unit], *unit_raters.get(unit, ())] for unit, _ in units}
        )
    else:
        table = score_table(task, [*judges_of(outcome.sheets), *raters])
    layout = _Layout(task, response, outcome, raters, unit_raters)
    facts = dict(run.carried.get(outcome.response_id, {}))
    return PageView(
        key=key,
        id=outcome.response_id,
        run=part.name,
        facts=tuple(facts.items()),
        scenario=scenario,
        table=table,
        steps=layout.steps(1),
        further=tuple((one.repeat, layout.steps(one.repeat)) for one in outcome.further),
        text_note=text_note,
        outcome=outcome,
        accounts=_accounts(outcome),
    )


def _accounts(outcome: Outcome) -> str:
    calls = outcome.calls
    if not calls:
        return ""
    known = sum(call.cost_usd or 0.0 for call in calls)
    unpriced = sum(call.cost_usd is None for call in calls)
    return (
        f"{len(calls)} {'call' if len(calls) == 1 else 'calls'}, "
        f"{sum(call.input_tokens for call in calls):,} tokens in, "
        f"{sum(call.output_tokens for call in calls):,} out, "
        f"{sum(call.seconds for call in calls):,.0f} s; {cost_text(known, unpriced)}."
    )


class _Layout:
    """Puts text, evidence and scores of each step together."""

    def __init__(
        self,
        task: Task,
        response: Response | None,
        outcome: Outcome,
        raters: Sequence[Scorer],
        unit_raters: Mapping[str, Sequence[Scorer]],
    ) -> None:
        self._task, self._response, self._outcome = task, response, outcome
        self._raters, self._unit_raters = raters, unit_raters

    def steps(self, repeat: int) -> tuple[StepView, ...]:
        """Lay out every step that was written, analysed or scored, with the evidence of one repeat."""
        outcome = self._outcome
        evidence, memories = outcome.evidence, outcome.memories
        if repeat > 1:
            evidence, memories = next((o.evidence, o.memories) for o in outcome.further if o.repeat == repeat)
        judges = judges_of([sheet for sheet in outcome.sheets if sheet.evidence_repeat == repeat])
        return tuple(
            view
            for place, step in enumerate(self._task.steps)
            if (
                view := self._step(
                    place,
                    step,
                    evidence.step(step.id) if evidence is not None else None,
                    memories.get(step.id, ""),
                    [*judges, *self._raters],
                )
            )
        )

    def _step(
        self,
        place: int,
        step: Step,
        evidence: StepEvidence | None,
        memory: str,
        scorers: Sequence[Scorer],
    ) -> StepView | None:
        written = self._response.steps.get(step.id) if self._response is not None else None
        scored = any(one.sheet.step(step.id) for one in scorers)
        if evidence is None and not scored and (written is None or written.empty):
            return None
        found = evidence or StepEvidence(step=step.id)
        by_number = {item.number: item for item in written.items} if written is not None else {}
        numbers = sorted({*by_number, *(item.item for item in found.items), *_scored_items(step, scorers)})
        texts = [by_number[number].text if number in by_number else "" for number in numbers]
        if not numbers and written is not None:
            texts = [written.text]
        passages = Passages(texts)
        name = step.items.name.replace("_", " ").capitalize() if step.items is not None else "Item"
        of_items = {item.item: item for item in found.items}
        for at, number in enumerate(numbers):
            for finding in of_items[number].dimensions.values() if number in of_items else ():
                _look_up(finding, passages, at)
        for finding in found.dimensions.values():
            _look_up(finding, passages, None)
        passages.set_numbers()
        blocks: list[BlockView] = []
        for at, number in enumerate(numbers):
            item = by_number.get(number)
            unit = (
                unit_id(self._response, item)
                if item is not None and self._response is not None and self._task.unit == "item"
                else ""
            )
            title = f"{name} {number}: {unit}" if unit else f"{name} {number}"
            raters = self._unit_raters.get(unit, ())
            seen = of_items.get(number)
            blocks.append(self._item(step, title, at, number, item, seen, passages, scorers, raters))
        whole = BlockView("", (), self._findings(step, found, passages, scorers))
        if whole.findings or not numbers:
            blocks.append(whole)
        blocks = [
            replace(block, segments=tuple(passages.segments(at)))
            if at < len(texts) and not block.segments
            else block
            for at, block in enumerate(blocks)
        ]
        note = found.grid_note
        if found.grid_score is not None:
            note = f"Ranking grid: {found.grid_score} computed{f' ({note})' if note else ''}."
        return StepView(
            place=place,
            name=step.name,
            instruction=step.instruction,
            blocks=tuple(blocks),
            unscored=tuple(item.text for item in written.unscored) if written is not None else (),
            memory=memory,
            note=note,
        )

    def _item(
        self,
        step: Step,
        title: str,
        at: int,
        number: int,
        item_text: Item | None,
        evidence: ItemEvidence | None,
        passages: Passages,
        scorers: Sequence[Scorer],
        raters: Sequence[Scorer],
    ) -> BlockView:
        scores: dict[str, list[tuple[str, str, str]]] = {}
        verdicts: list[tuple[str, str]] = []
        for one in scorers:
            given = one.sheet.step(step.id)
            item = next((i for i in given.items if i.item == number), None) if given is not None else None
            if item is None:
                continue
            if item.invalid is not None and item.invalid != "blank":
                meaning = step.items.invalid.get(item.invalid, "") if step.items is not None else ""
                verdicts.append((one.name, f"{item.invalid}: {meaning}" if meaning else item.invalid))
            for part, points in item.scores.items():
                scores.setdefault(part, []).append((one.name, points_text(points), one.kind))
        for one in raters:
            for dimension in step.item_dimensions:
                value = one.sheet.final(f"{step.id}.{dimension.id}")
                scores.setdefault(dimension.id, []).append((one.name, points_text(value), one.kind))
        found = evidence.dimensions if evidence is not None else {}
        findings = tuple(
            _finding(d, str(d.scale.max), found.get(d.id), scores.get(d.id, ()), passages, at)
            for d in step.item_dimensions
            if d.id in found or d.id in scores
        )
        category = (evidence.category if evidence is not None else None) or ""
        blank = "blank" if evidence is not None and evidence.blank else ""
        if item_text is not None and item_text.blank:
            blank = item_text.invalid or "blank"
        return BlockView(title, (), () if blank else findings, blank, category, tuple(verdicts))

    def _findings(
        self, step: Step, found: StepEvidence, passages: Passages, scorers: Sequence[Scorer]
    ) -> tuple[FindingView, ...]:
        views: list[FindingView] = []
        for d in step.step_dimensions:
            scores = [
                (one.name, points_text(value), one.kind)
                for one in scorers
                if (value := one.sheet.final(f"{step.id}.{d.id}")) is not None
            ]
            if d.id in found.dimensions or scores:
                views.append(
                    _finding(d, str(d.scale.max), found.dimensions.get(d.id), scores, passages, None)
                )
        return tuple(views)


def _scored_items(step: Step, scorers: Sequence[Scorer]) -> Iterator[int]:
    for one in scorers:
        given = one.sheet.step(step.id)
        yield from (item.item for item in (given.items if given is not None else ()))


def _finding(
    dimension: Dimension,
    most: str,
    evidence: DimensionEvidence | None,
    scores: Sequence[tuple[str, str, str]],
    passages: Passages,
    at: int | None,
) -> FindingView:
    quotes = tuple(_quote(one, passages, at) for one in evidence.quotes) if evidence is not None else ()
    return FindingView(dimension.id, dimension.name, most, evidence, quotes, tuple(scores))


def _look_up(finding: DimensionEvidence, passages: Passages, at: int | None) -> None:
    for quote in finding.quotes:
        if quote.found:
            passages.find(quote.text, at)


def _quote(quote: Quote, passages: Passages, at: int | None) -> QuoteView:
    if not quote.found:
        near = f" (closest match {quote.similarity:.0f} of 100)" if quote.similarity else ""
        return QuoteView(quote.text, None, f"not found in the response{near}", found=False)
    number = passages.find(quote.text, at)
    note = "" if number is not None else "found in the step's text, but not within one passage shown here"
    if not any(passages.texts):
        note = "found in the response"
    return QuoteView(quote.text, number, note, found=True, first=number is not None and passages.cite(number))
