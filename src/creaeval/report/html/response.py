"""Everything about one response, laid out for its page."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from creaeval.errors import SettingError
from creaeval.report.html.marks import Passages, Segment
from creaeval.report.html.quoted import QuotePlaces, QuoteView, StepPlaces
from creaeval.report.html.scores import Scorer, ScoreTable, judges_of, points_text, raters_of, score_table
from creaeval.report.progress import cost_text
from creaeval.sheets import StepEvidence

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from creaeval.data import Item, Rating, Response, StepText
    from creaeval.methods import Outcome
    from creaeval.report.html.data import RunPart
    from creaeval.sheets import DimensionEvidence, Evidence, ItemEvidence
    from creaeval.tasks import Dimension, Scenario, Step, Task


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
    """An item, or the step as a whole: its text and its findings."""

    title: str
    segments: tuple[Segment, ...]
    findings: tuple[FindingView, ...]
    blank: str = ""
    category: str = ""
    verdicts: tuple[tuple[str, str], ...] = ()
    same: str = ""


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
    """Lay a response out."""
    run, task = part.run, part.run.task
    text_note, response = "", None
    try:
        response = run.response(outcome.response_id)
    except SettingError as error:
        text_note = str(error)
    raters = raters_of(ratings)
    layout = _Layout(task, response, outcome, raters)
    facts = dict(run.metadata.get(outcome.response_id, {}))
    return PageView(
        key=key,
        id=outcome.response_id,
        run=part.name,
        facts=tuple(facts.items()),
        scenario=scenario,
        table=score_table(task, [*judges_of(outcome.sheets), *raters]),
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
    shared = max(call.shared_by for call in calls)
    known = sum(call.cost_usd or 0.0 for call in calls)
    unpriced = sum(call.cost_usd is None for call in calls)
    return (
        f"{len(calls)} {'call' if len(calls) == 1 else 'calls'}, "
        f"{sum(call.input_tokens for call in calls):,} tokens in, "
        f"{sum(call.output_tokens for call in calls):,} out, "
        f"{sum(call.seconds for call in calls):,.0f} s; {cost_text(known, unpriced)}"
        f"{f', shared by {shared} responses' if shared > 1 else ''}."
    )


class _Layout:
    """Puts text, evidence and scores of each step together."""

    def __init__(
        self, task: Task, response: Response | None, outcome: Outcome, raters: Sequence[Scorer]
    ) -> None:
        self._task, self._response, self._outcome = task, response, outcome
        self._raters = raters

    def steps(self, repeat: int) -> tuple[StepView, ...]:
        """Lay out every step that was written, analysed or scored, with the evidence of one repeat."""
        outcome = self._outcome
        evidence, memories = outcome.evidence, outcome.memories
        if repeat > 1:
            evidence, memories = next((o.evidence, o.memories) for o in outcome.further if o.repeat == repeat)
        judges = judges_of([sheet for sheet in outcome.sheets if sheet.evidence_repeat == repeat])
        scorers = [*judges, *self._raters]
        places = [
            self._places(place, step, evidence, scorers)
            for place, step in enumerate(self._task.steps)
            if self._shown(step, evidence, scorers)
        ]
        quotes = QuotePlaces(places, evidence)
        return tuple(
            self._step(
                part,
                (evidence and evidence.step(part.step.id)) or StepEvidence(step=part.step.id),
                memories.get(part.step.id, ""),
                scorers,
                quotes,
            )
            for part in places
        )

    def _written(self, step: Step) -> StepText | None:
        return self._response.steps.get(step.id) if self._response is not None else None

    def _shown(self, step: Step, evidence: Evidence | None, scorers: Sequence[Scorer]) -> bool:
        written = self._written(step)
        analysed = evidence is not None and evidence.step(step.id) is not None
        scored = any(one.sheet.step(step.id) for one in scorers)
        return analysed or scored or (written is not None and not written.empty)

    def _places(
        self, place: int, step: Step, evidence: Evidence | None, scorers: Sequence[Scorer]
    ) -> StepPlaces:
        written = self._written(step)
        found = evidence.step(step.id) if evidence is not None else None
        texts = {item.number: item.text for item in written.items} if written is not None else {}
        analysed = (item.item for item in (found.items if found is not None else ()))
        numbers = sorted({*texts, *analysed, *_scored_items(step, scorers)})
        shown = [texts.get(number, "") for number in numbers]
        if not numbers and written is not None:
            shown = [written.text]
        return StepPlaces(place, step, tuple(numbers), Passages(shown))

    def _step(
        self,
        places: StepPlaces,
        found: StepEvidence,
        memory: str,
        scorers: Sequence[Scorer],
        quotes: QuotePlaces,
    ) -> StepView:
        step, passages, written = places.step, places.passages, self._written(places.step)
        by_number = {item.number: item for item in written.items} if written is not None else {}
        of_items = {item.item: item for item in found.items}
        blocks: list[BlockView] = []
        for number in places.numbers:
            item = by_number.get(number)
            blocks.append(self._item(places, number, item, of_items.get(number), scorers, quotes))
        whole = BlockView("", (), self._findings(places, found, scorers, quotes))
        if whole.findings or not places.numbers:
            blocks.append(whole)
        blocks = [
            replace(block, segments=tuple(passages.segments(at)))
            if at < len(passages.texts) and not block.segments
            else block
            for at, block in enumerate(blocks)
        ]
        note = found.grid_note
        if found.grid_score is not None:
            note = f"Ranking grid: {found.grid_score} computed{f' ({note})' if note else ''}."
        note = " ".join([note, *(f"The analyst's answer: {remark}." for remark in found.notes)]).strip()
        return StepView(
            place=places.place,
            name=step.name,
            instruction=step.instruction,
            blocks=tuple(blocks),
            unscored=tuple(item.text for item in written.unscored) if written is not None else (),
            memory=memory,
            note=note,
        )

    def _item(
        self,
        places: StepPlaces,
        number: int,
        item_text: Item | None,
        evidence: ItemEvidence | None,
        scorers: Sequence[Scorer],
        quotes: QuotePlaces,
    ) -> BlockView:
        step = places.step
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
        found = evidence.dimensions if evidence is not None else {}
        findings = tuple(
            _finding(d, found.get(d.id), scores.get(d.id, ()), quotes, places, number)
            for d in step.item_dimensions
            if d.id in found or d.id in scores
        )
        category = (evidence.category if evidence is not None else None) or ""
        blank = "blank" if evidence is not None and evidence.blank else ""
        if item_text is not None and item_text.blank:
            blank = item_text.invalid or "blank"
        title = f"{places.item_name} {number}"
        return BlockView(
            title, (), () if blank else findings, blank, category, tuple(verdicts), _same(evidence)
        )

    def _findings(
        self, places: StepPlaces, found: StepEvidence, scorers: Sequence[Scorer], quotes: QuotePlaces
    ) -> tuple[FindingView, ...]:
        step = places.step
        views: list[FindingView] = []
        for d in step.step_dimensions:
            scores = [
                (one.name, points_text(value), one.kind)
                for one in scorers
                if (value := one.sheet.final(f"{step.id}.{d.id}")) is not None
            ]
            if d.id in found.dimensions or scores:
                views.append(_finding(d, found.dimensions.get(d.id), scores, quotes, places, None))
        return tuple(views)


def _same(evidence: ItemEvidence | None) -> str:
    if evidence is None or not evidence.same_as:
        return ""
    others = " and ".join(map(str, evidence.same_as))
    return f"says the same as {others}" + (f": {evidence.why_same}" if evidence.why_same else "")


def _scored_items(step: Step, scorers: Sequence[Scorer]) -> Iterator[int]:
    for one in scorers:
        given = one.sheet.step(step.id)
        yield from (item.item for item in (given.items if given is not None else ()))


def _finding(
    dimension: Dimension,
    evidence: DimensionEvidence | None,
    scores: Sequence[tuple[str, str, str]],
    quotes: QuotePlaces,
    places: StepPlaces,
    item: int | None,
) -> FindingView:
    views = [quotes.view(places, item, quote) for quote in evidence.quotes] if evidence is not None else []
    most = str(dimension.scale.max)
    return FindingView(dimension.id, dimension.name, most, evidence, tuple(views), tuple(scores))
