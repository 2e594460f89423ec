"""Score sheets: all points one judge or rater gave one response, written and computed side by side."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from pydantic import Field

from creaeval.sheets.evidence import Record

if TYPE_CHECKING:
    from collections.abc import Iterator


#: Columns that say which evidence was judged, and for which time.
REPEATS = ("evidence_repeat", "judge_repeat")
#: Columns of ``scores.csv``, before those that responses carry.
SCORE_COLUMNS = (
    "response_id",
    "method",
    "judge",
    *REPEATS,
    "step",
    "item",
    "dimension",
    "score",
    "model_score",
    "computed_score",
)


# A name that ends like the number of a repeat.
_LIKE_REPEAT = re.compile(r"[@#][1-9][0-9]{0,3}$")


class ItemScores(Record):
    """Points of one item. An invalid one has its code and only the point it did not get for being valid.

    A blank item has the code ``blank``. Points are whole, those of expected scores apart.
    """

    item: int
    invalid: str | None = None
    category: str | None = None
    scores: Mapping[str, int | float] = Field(default_factory=dict)

    @property
    def valid(self) -> bool:
        """Whether the item counts."""
        return self.invalid is None


class StepScores(Record):
    """Points of one step, or the code ``invalid`` that says why a text without items has none.

    ``written`` holds what the judge or rater wrote for dimensions of the step, sums and ``overall``;
    ``computed`` what follows from the items and the rest by the task's rules. The final value is the
    computed one where there is one.
    """

    step: str
    items: tuple[ItemScores, ...] = ()
    written: dict[str, float] = Field(default_factory=dict)
    computed: dict[str, float] = Field(default_factory=dict)
    invalid: str = ""

    def final(self, part: str) -> float | None:
        """Return the value that counts for a dimension, group or ``overall``; None if there is none."""
        return self.computed.get(part, self.written.get(part))


class Score(Record):
    """One row of ``scores.csv``: a value with what the model wrote and what was computed."""

    step: str
    item: int | None
    dimension: str
    score: float | None
    model_score: float | None
    computed_score: float | None


class ScoreSheet(Record):
    """The whole sheet of one response by one scorer (a judge's name or a rater's).

    ``evidence_repeat`` and ``judge_repeat`` count from 1: which evidence was judged, and for which time.
    """

    response_id: str
    scorer: str
    steps: tuple[StepScores, ...]
    evidence_repeat: int = 1
    judge_repeat: int = 1
    written_total: float | None = None
    computed_total: float | None = None

    @property
    def label(self) -> str:
        """The scorer as shown, with its repeat of evidence (``@2``) and of judging (``#3``), but for a first.

        A scorer whose own name ends like that has both numbers behind it, so that no two look alike.
        """
        if _LIKE_REPEAT.search(self.scorer):
            return f"{self.scorer}@{self.evidence_repeat}#{self.judge_repeat}"
        evidence = f"@{self.evidence_repeat}" if self.evidence_repeat > 1 else ""
        repeat = f"#{self.judge_repeat}" if self.judge_repeat > 1 else ""
        return f"{self.scorer}{evidence}{repeat}"

    @property
    def invalid(self) -> str:
        """Why a response that is a single text has no score, empty for all others."""
        return next((step.invalid for step in self.steps if step.invalid), "")

    def step(self, step_id: str) -> StepScores | None:
        """Return a step's scores, None if that step was not scored."""
        return next((s for s in self.steps if s.step == step_id), None)

    @property
    def total(self) -> float | None:
        """The Total that counts; None if it is undefined because a step is missing."""
        return self.computed_total

    def final(self, identity: str) -> float | None:
        """Return the final value of an identity such as ``step1.fluency`` or ``total``; None if undefined."""
        if identity == "total":
            return self.total
        step_id, _, part = identity.partition(".")
        step = self.step(step_id)
        return step.final(part) if step is not None else None

    def rows(self) -> Iterator[Score]:
        """Yield every value: items first, then the step's dimensions and groups, Overall, and the Total.

        ``step`` is empty for the Total; ``dimension`` is the identity (``step1.fluency``).
        """
        for step in self.steps:
            for item in step.items:
                for dimension, points in item.scores.items():
                    yield Score(
                        step=step.step,
                        item=item.item,
                        dimension=f"{step.step}.{dimension}",
                        score=points,
                        model_score=points,
                        computed_score=None,
                    )
            parts = dict.fromkeys([*step.written, *step.computed])
            for part in sorted(parts, key=lambda name: name == "overall"):
                yield Score(
                    step=step.step,
                    item=None,
                    dimension=f"{step.step}.{part}",
                    score=step.final(part),
                    model_score=step.written.get(part),
                    computed_score=step.computed.get(part),
                )
        yield Score(
            step="",
            item=None,
            dimension="total",
            score=self.total,
            model_score=self.written_total,
            computed_score=self.computed_total,
        )
