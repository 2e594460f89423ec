"""Everything about one response, laid out for its page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from creaeval.errors import SettingError
from creaeval.report.html.quotes import Passages, QuotePlaces, QuoteView, Segment, StepPlaces
from creaeval.report.html.scores import Scorer, ScoreTable, judges_of, points_text, raters_of, score_table
from creaeval.report.progress import cost_text
from creaeval.sheets import ItemEvidence, StepEvidence
from creaeval.wording import plural

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from creaeval.data import Item, Rating, Response
    from creaeval.methods import Outcome
    from creaeval.methods.base import Analysis
    from creaeval.report.html.data import RunPart
    from creaeval.sheets import DimensionEvidence, ItemScores
    from creaeval.tasks import Dimension, Scenario, Step, Task

    #: By dimension, who gave which points: name, points, kind.
    Points = dict[str, list[tuple[str, str, str]]]


@dataclass(frozen=True)
class FindingView:
    """One dimension of an item or step: what the analyst saw and what everybody gave."""

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
    #: The code of an item that nobody was asked about.
    blank: str = ""
    category: str = ""
    #: Judges and raters who found it invalid, with the reason.
    verdicts: tuple[tuple[str, str], ...] = ()
    #: Which other items say the same.
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
    """Lay a response out; no other page has the same key of letters, digits and dashes."""
    run = part.run
    text_note, response = "", None
    try:
        response = run.response(outcome.response_id)
    except SettingError as error:
        text_note = str(error)
    raters = raters_of(ratings)
    return PageView(
        key=key,
        id=outcome.response_id,
        run=part.name,
        facts=tuple(run.metadata.get(outcome.response_id, {}).items()),
        scenario=scenario,
        table=score_table(run.task, [*judges_of(outcome.sheets), *raters]),
        steps=_Layout(run.task, response, outcome, raters).steps(),
        further=tuple(
            (again.repeat, _Layout(run.task, response, outcome, raters, again).steps())
            for again in outcome.further
        ),
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
        f"{plural(len(calls), 'call')}, "
        f"{sum(call.input_tokens for call in calls):,} tokens in, "
        f"{sum(call.output_tokens for call in calls):,} out, "
        f"{sum(call.seconds for call in calls):,.0f} s; {cost_text(known, unpriced)}"
        f"{f', shared by {shared} responses' if shared > 1 else ''}."
    )


class _Layout:
    """Puts text, evidence (that of one time it was gathered) and scores of each step together."""

    def __init__(
        self,
        task: Task,
        response: Response | None,
        outcome: Outcome,
        raters: Sequence[Scorer],
        again: Analysis | None = None,
    ) -> None:
        repeat = 1 if again is None else again.repeat
        judges = judges_of([sheet for sheet in outcome.sheets if sheet.evidence_repeat == repeat])
        self._texts = response.steps if response is not None else {}
        self._evidence, self._memories = (again or outcome).evidence, (again or outcome).memories
        self._scorers = [*judges, *raters]
        self._places = [
            self._find_places(place, step) for place, step in enumerate(task.steps) if self._is_shown(step)
        ]
        self._quotes = QuotePlaces(self._places, self._evidence)

    def steps(self) -> tuple[StepView, ...]:
        """Lay out every step that was written, analysed or scored."""
        return tuple(map(self._step, self._places))

    def _is_shown(self, step: Step) -> bool:
        written = self._texts.get(step.id)
        analysed = self._evidence is not None and self._evidence.step(step.id) is not None
        scored = any(scorer.sheet.step(step.id) for scorer in self._scorers)
        return analysed or scored or (written is not None and not written.empty)

    def _evidence_of(self, step: Step) -> StepEvidence:
        evidence = self._evidence.step(step.id) if self._evidence is not None else None
        return evidence or StepEvidence(step=step.id)

    def _find_places(self, place: int, step: Step) -> StepPlaces:
        written = self._texts.get(step.id)
        texts = {item.number: item.text for item in written.items} if written is not None else {}
        analysed = (item.item for item in self._evidence_of(step).items)
        scored = (number for scorer in self._scorers for number in _item_scores(scorer, step))
        numbers = sorted({*texts, *analysed, *scored})
        shown = [texts.get(number, "") for number in numbers]
        if not numbers and written is not None:
            shown = [written.text]
        return StepPlaces(place, step, tuple(numbers), Passages(shown))

    def _step(self, places: StepPlaces) -> StepView:
        step, written = places.step, self._texts.get(places.step.id)
        evidence = self._evidence_of(step)
        items = {item.number: item for item in written.items} if written is not None else {}
        analysed = {item.item: item for item in evidence.items}
        blocks = [
            self._item(places, at, items.get(number), analysed.get(number))
            for at, number in enumerate(places.numbers)
        ]
        scores: Points = {}
        for dimension in step.step_dimensions:
            for scorer in self._scorers:
                if (value := scorer.sheet.final(f"{step.id}.{dimension.id}")) is not None:
                    points = scorer.name, points_text(value), scorer.kind
                    scores.setdefault(dimension.id, []).append(points)
        findings = self._findings(places, None, step.step_dimensions, evidence.dimensions, scores)
        if findings or not places.numbers:
            whole_text = places.passages.texts and not places.numbers
            blocks.append(BlockView("", tuple(places.passages.segments(0)) if whole_text else (), findings))
        note = evidence.grid_note
        if evidence.grid_score is not None:
            note = f"Ranking grid: {evidence.grid_score} computed{f' ({note})' if note else ''}."
        notes = [note, *(f"The analyst's answer: {remark}." for remark in evidence.notes)]
        return StepView(
            place=places.place,
            name=step.name,
            instruction=step.instruction,
            blocks=tuple(blocks),
            unscored=tuple(item.text for item in written.unscored) if written is not None else (),
            memory=self._memories.get(step.id, ""),
            note=" ".join(notes).strip(),
        )

    def _item(
        self, places: StepPlaces, at: int, written: Item | None, evidence: ItemEvidence | None
    ) -> BlockView:
        step, number = places.step, places.numbers[at]
        evidence = evidence or ItemEvidence(item=number)
        scores: Points = {}
        verdicts: list[tuple[str, str]] = []
        for scorer in self._scorers:
            item = _item_scores(scorer, step).get(number)
            if item is None:
                continue
            if item.invalid is not None and item.invalid != "blank":
                meaning = step.items.invalid.get(item.invalid, "") if step.items is not None else ""
                verdicts.append((scorer.name, f"{item.invalid}: {meaning}" if meaning else item.invalid))
            for part, points in item.scores.items():
                scores.setdefault(part, []).append((scorer.name, points_text(points), scorer.kind))
        findings = self._findings(places, number, step.item_dimensions, evidence.dimensions, scores)
        blank = "blank" if evidence.blank else ""
        if written is not None and written.blank:
            blank = written.invalid or "blank"
        same = " and ".join(map(str, evidence.same_as))
        reason = f": {evidence.why_same}" if evidence.why_same else ""
        return BlockView(
            title=f"{places.item_name} {number}",
            segments=tuple(places.passages.segments(at)),
            findings=() if blank else findings,
            blank=blank,
            category=evidence.category or "",
            verdicts=tuple(verdicts),
            same=f"says the same as {same}{reason}" if same else "",
        )

    def _findings(
        self,
        places: StepPlaces,
        item: int | None,
        dimensions: Sequence[Dimension],
        evidence: Mapping[str, DimensionEvidence],
        scores: Points,
    ) -> tuple[FindingView, ...]:
        views = []
        for dimension in dimensions:
            finding, points = evidence.get(dimension.id), scores.get(dimension.id, [])
            if finding is not None or points:
                quotes = finding.quotes if finding is not None else ()
                shown = tuple(self._quotes.view(places, item, quote) for quote in quotes)
                most = str(dimension.scale.max)
                views.append(FindingView(dimension.name, most, finding, shown, tuple(points)))
        return tuple(views)


def _item_scores(scorer: Scorer, step: Step) -> dict[int, ItemScores]:
    scores = scorer.sheet.step(step.id)
    return {item.item: item for item in scores.items} if scores is not None else {}
