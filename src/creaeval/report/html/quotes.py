"""Find the quotes of one response in the texts of all its steps, and mark there what they cover.

Quotes may overlap, repeat and run across items.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from creaeval.sheets.quotes import compare_words, place_name, place_quote

if TYPE_CHECKING:
    from collections.abc import Sequence

    from creaeval.sheets import Evidence, Quote
    from creaeval.tasks import Step


@dataclass(frozen=True)
class Segment:
    """A stretch of text under the same passages."""

    text: str
    #: Numbers of the passages that cover it; then of those that begin before it, and of those that end after.
    passages: tuple[int, ...] = ()
    begins: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()


@dataclass
class Passages:
    """The passages of one step: places in its texts that quotes were found at, numbered as they are read."""

    texts: Sequence[str]
    # By place in the texts, begin and end. Quotes of the same place share a number. All quotes have to be
    # looked for once before numbers are taken, which follow the texts.
    _numbers: dict[tuple[int, int, int], int] = field(default_factory=dict)
    _cited: set[int] = field(default_factory=set)

    def set_numbers(self) -> None:
        """Give the passages found so far numbers in the order of the texts."""
        self._numbers = {span: number for number, span in enumerate(sorted(self._numbers), 1)}

    def cite(self, number: int) -> bool:
        """Say whether this is the first time that a passage is cited."""
        first = number not in self._cited
        self._cited.add(number)
        return first

    def find(self, quote: str, prefer: int | None = None) -> int | None:
        """Find a quote."""
        order = sorted(range(len(self.texts)), key=lambda place: place != prefer)
        return next((number for place in order if (number := self.find_at(quote, place)) is not None), None)

    def find_at(self, quote: str, place: int) -> int | None:
        """Find a quote in the text of one place only."""
        span = place_quote(quote, self.texts[place])
        return None if span is None else self._numbers.setdefault((place, *span), len(self._numbers) + 1)

    def segments(self, place: int) -> list[Segment]:
        """Split a text where passages begin and end."""
        text = self.texts[place]
        spans = sorted(
            (start, end, number) for (at, start, end), number in self._numbers.items() if at == place
        )
        cuts = sorted({0, len(text), *(start for start, *_ in spans), *(end for _, end, _ in spans)})
        return [
            Segment(
                text[start:end],
                tuple(number for low, high, number in spans if low <= start and end <= high),
                tuple(number for low, _, number in spans if low == start),
                tuple(number for _, high, number in spans if high == end),
            )
            for start, end in pairwise(cuts)
        ]


@dataclass(frozen=True)
class QuoteView:
    """A quote; ``passage`` is None where its place is not shown, ``note`` says what else there is to say."""

    text: str
    outcome: str
    #: That of the step which has the passage.
    place: int
    passage: int | None
    note: str
    #: Whether it is the first quote of its passage, to which the mark in the text leads.
    first: bool = False
    #: Of one that stands only nearly, as of ``compare_words``; it is not put in quotation marks.
    stretches: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class StepPlaces:
    """The texts of one step on a page; ``place`` counts steps from 0, ``numbers`` are those of its items."""

    place: int
    step: Step
    numbers: tuple[int, ...]
    passages: Passages

    @property
    def item_name(self) -> str:
        """What an item of the step is called, such as Challenge."""
        name = self.step.items.name if self.step.items is not None else "item"
        return name.replace("_", " ").capitalize()


class QuotePlaces:
    """Finds the quotes of a response in the texts of all its steps."""

    def __init__(self, steps: Sequence[StepPlaces], evidence: Evidence | None) -> None:
        self._homes: dict[tuple[str, str], tuple[StepPlaces, int | None]] = {}
        for step in steps:
            self._homes["", place_name(step.step.id)] = step, None
            for item in step.numbers:
                self._homes["", place_name(step.step.id, item)] = step, item
                self._homes[step.step.id, place_name(item=item)] = step, item
        for step in steps:
            part = evidence.step(step.step.id) if evidence is not None else None
            if part is None:
                continue
            items = [(item.item, item.dimensions) for item in part.items]
            for number, dimensions in [*items, (None, part.dimensions)]:
                for finding in dimensions.values():
                    for quote in finding.quotes:
                        self._passage(step, number, quote)
        for step in steps:
            step.passages.set_numbers()

    def view(self, step: StepPlaces, item: int | None, quote: Quote) -> QuoteView:
        """Lay out a quote that is given for an item, or for the step as a whole."""
        number = self._passage(step, item, quote)
        home = self._home(step, item, quote)
        stretches: list[tuple[str, str]] = []
        if quote.words:
            stretches += compare_words(quote.text, quote.words)
        elif quote.outcome == "nearly":
            # An earlier version kept no words.
            stretches.append(("both", quote.text))
        return QuoteView(
            text=quote.text,
            outcome=quote.outcome,
            place=home[0].place if home is not None else step.place,
            passage=number,
            note=self._note(step, item, quote, number),
            first=home is not None and number is not None and home[0].passages.cite(number),
            stretches=tuple(stretches),
        )

    def _home(self, step: StepPlaces, item: int | None, quote: Quote) -> tuple[StepPlaces, int | None] | None:
        """Return the step and item in which a quote's words stand, None if they are not on the page."""
        if quote.outcome == "elsewhere":
            return self._homes.get((step.step.id, quote.place)) or self._homes.get(("", quote.place))
        return step, item

    def _passage(self, step: StepPlaces, item: int | None, quote: Quote) -> int | None:
        home = self._home(step, item, quote)
        if quote.outcome == "not found" or home is None:
            return None
        place, number = home
        at = place.numbers.index(number) if number is not None else None
        if quote.outcome != "elsewhere":
            # Earlier versions looked in the whole step, so another item may have it.
            return place.passages.find(quote.text, at)
        if at is None and place.numbers:
            return None
        return place.passages.find_at(quote.text, at or 0) if place.passages.texts else None

    def _note(self, step: StepPlaces, item: int | None, quote: Quote, number: int | None) -> str:
        if quote.outcome == "not found":
            near = f" (closest match {quote.similarity:g} of 100)" if quote.similarity else ""
            return f"not found in the response{near}"
        notes: list[str] = []
        if quote.outcome == "elsewhere":
            notes.append(f"stands in {self._place_words(step, item, quote)}")
        if quote.outcome == "nearly" or quote.words:
            notes.append(f"not word for word ({quote.similarity:g} of 100)")
        if quote.words:
            notes.append("struck through: the analyst; underlined: the response")
        if not any(step.passages.texts):
            notes.append("found in the response")
        elif number is None and quote.outcome != "elsewhere":
            notes.append("found in the step's text, but not within one passage shown here")
        return "; ".join(notes)

    def _place_words(self, step: StepPlaces, item: int | None, quote: Quote) -> str:
        home = self._home(step, item, quote)
        if home is None:
            return quote.place
        place, number = home
        if number is None:
            return "this step as a whole" if place is step else place.step.name
        name = f"{place.item_name} {number}"
        return name if place is step else f"{place.step.name}, {name}"
