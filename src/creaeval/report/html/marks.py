"""Mark quotes in the texts they were taken from; they may overlap, repeat and run across items."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from creaeval.sheets.quotes import place_quote

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Segment:
    """A stretch of text under the same passages."""

    text: str
    passages: tuple[int, ...] = ()
    begins: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()


@dataclass
class Passages:
    """The passages of one step: places in its texts that quotes were found at, numbered as they are read."""

    texts: Sequence[str]
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
        """Part a text where passages begin and end."""
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
