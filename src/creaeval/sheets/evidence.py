"""Evidence: what the analyst extracts from a response, per step, item and dimension."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

Status = Literal["present", "none"]
#: How much the analyst writes: each requirement with how far it is met and why, or one sentence.
Depth = Literal["full", "brief"]
QuoteOutcome = Literal["exact", "nearly", "elsewhere", "not found"]


class Record(BaseModel):
    """Base of all that is kept and exported: immutable, unknown keys are errors, JSON round-trips."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Quote(Record):
    """Words the analyst gives as taken from the response, and where they stand in it.

    A quote belongs to an item; one of a step's dimension to the whole step. There it is ``exact`` (but for
    case, white space and typographic marks) or ``nearly``; ``elsewhere`` is another item or step, named by
    ``place`` (``item_3``, ``step2``, ``step2, item_4``). ``words`` are the response's own where they differ
    from ``text``. ``similarity`` is the best match, 0 to 100 (see :func:`creaeval.sheets.find_quote`).
    """

    text: str
    outcome: QuoteOutcome
    similarity: float
    words: str = ""
    place: str = ""

    @model_validator(mode="before")
    @classmethod
    def _read_earlier(cls, value: Any) -> Any:
        """Read what earlier versions stored, which looked for every quote in the whole step."""
        if not isinstance(value, dict) or "found" not in value:
            return value
        kept = {name: part for name, part in value.items() if name != "found"}
        outcome = "not found"
        if value["found"]:
            outcome = "exact" if value.get("similarity") == 100 else "nearly"
        return {**kept, "outcome": outcome}

    @property
    def own_words(self) -> str:
        """The words that stand in the quote's own item or step, empty where it is not there."""
        return {"exact": self.text, "nearly": self.words}.get(self.outcome, "")


class DimensionEvidence(Record):
    """What the analyst saw for one dimension: its own words, whether there was anything, and quotes.

    ``copied`` is the share of the observation that is the respondent's wording after all (see
    :func:`creaeval.sheets.copied_share`); ``score_words`` are the words of it that read as a score, which an
    analyst must not give, empty if there are none (see :func:`creaeval.sheets.find_score_words`).
    """

    observation: str
    status: Status
    copied: float = 0.0
    score_words: str = ""
    quotes: tuple[Quote, ...] = ()


class ItemEvidence(Record):
    """Evidence for one item; a blank item has no dimensions and nobody judges it.

    ``same_as`` are the other items of the list that say the same as this one by the analyst's comparison, and
    ``why_same`` says what both say.
    """

    item: int
    blank: bool = False
    category: str | None = None
    same_as: tuple[int, ...] = ()
    why_same: str = ""
    dimensions: dict[str, DimensionEvidence] = Field(default_factory=dict)


class StepEvidence(Record):
    """Evidence for one step.

    ``grid_score`` is the computed value of a ranking grid, None where the step has none or it cannot be
    read (``grid_note`` says why). It is for the score sheet; no judge sees it. ``notes`` say what of the
    analyst's answer was left out or is to be read with care.
    """

    step: str
    items: tuple[ItemEvidence, ...] = ()
    dimensions: dict[str, DimensionEvidence] = Field(default_factory=dict)
    grid_score: int | None = None
    grid_note: str = ""
    notes: tuple[str, ...] = ()

    @property
    def given_items(self) -> tuple[ItemEvidence, ...]:
        """The items that are not blank, those a judge scores."""
        return tuple(item for item in self.items if not item.blank)

    @property
    def findings(self) -> tuple[tuple[str, DimensionEvidence], ...]:
        """Dimension ids with their evidence, of the items in order, then of the step."""
        parts = (*(item.dimensions for item in self.items), self.dimensions)
        return tuple(pair for part in parts for pair in part.items())


class Evidence(Record):
    """All evidence of one response. This is all a judge gets to see of it, without the quotes by default."""

    response_id: str
    steps: tuple[StepEvidence, ...]

    def step(self, step_id: str) -> StepEvidence | None:
        """Return a step's evidence, None if that step was not analysed."""
        return next((s for s in self.steps if s.step == step_id), None)

    @property
    def quotes(self) -> tuple[Quote, ...]:
        """Every quote of every step, in order."""
        return tuple(q for step in self.steps for _, finding in step.findings for q in finding.quotes)
