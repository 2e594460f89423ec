"""Score sheets: all points one judge or rater gave one response, written and computed side by side.

Everything on a sheet that follows from the rest of it is computed when the sheet is built: no model is asked
for arithmetic.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from pydantic import Field

from creaeval.sheets.evidence import Record

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from creaeval.sheets.evidence import Evidence
    from creaeval.tasks import Dimension, Step, Task


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
#: Stands behind the scores where a text can have a code: why it has no score.
INVALID = "invalid"
#: Stands behind these where a judge tells what it was trained on: whether the response is in it, yes or no.
IN_TRAINING = "in_training"
#: Why a response that shares a call lacks an expected score: too little of the probability is known.
NOT_CAPTURED = "not_captured"


# A name that ends like the number of a repeat.
_LIKE_REPEAT = re.compile(r"[@#][1-9][0-9]{0,3}$")


@dataclass(frozen=True)
class StepLayout:
    """What a scorer fills in for one step.

    Attributes
    ----------
    step : Step
        The step.
    items : mapping of int to bool
        The numbers of all items that count, and whether each is blank.
    categories : mapping of int to str or None, optional
        The analyst's category of each item; None where the scorer sorts the items itself.
    grid_score : int or None
        The computed value of a ranking grid, None where there is none.
    """

    step: Step
    items: Mapping[int, bool] = field(default_factory=dict)
    categories: Mapping[int, str | None] | None = None
    grid_score: int | None = None

    @property
    def item_numbers(self) -> tuple[int, ...]:
        """The numbers of the items that are not blank, those a scorer scores."""
        return tuple(number for number, blank in self.items.items() if not blank)


def evidence_layout(task: Task, evidence: Evidence) -> tuple[StepLayout, ...]:
    """Return the layout of a sheet for evidence, whose items the analyst has sorted."""
    return tuple(
        StepLayout(
            task.step(step.step),
            {item.item: item.blank for item in step.items},
            {item.item: item.category for item in step.items},
            step.grid_score,
        )
        for step in evidence.steps
    )


class ItemScores(Record):
    """Points of one item. An invalid one has its code and only the point it did not get for being valid.

    A blank item has the code ``blank``. Points are whole, those of expected scores apart.
    """

    item: int
    invalid: str | None = None
    category: str | None = None
    scores: Mapping[str, int | float] = Field(default_factory=dict)

    @classmethod
    def build(
        cls,
        step: Step,
        item: int,
        scores: Mapping[str, int | float] | None = None,
        *,
        category: str | None = None,
        invalid: str | None = None,
    ) -> Self:
        """Build the points of an item, with the one for being valid, which nobody writes."""
        points: dict[str, int | float] = {}
        for dimension in step.item_dimensions:
            if dimension.derive == "valid_items":
                # One whose expected score is not known is valid all the same.
                points[dimension.id] = int(invalid in (None, NOT_CAPTURED))
            elif scores and dimension.id in scores:
                points[dimension.id] = scores[dimension.id]
        return cls(item=item, category=category, invalid=invalid, scores=points)

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

    @classmethod
    def build(
        cls,
        task: Task,
        step: Step,
        *,
        items: Sequence[ItemScores] = (),
        written: Mapping[str, float] | None = None,
        grid_score: int | None = None,
        invalid: str = "",
    ) -> Self:
        """Build the scores of a step, with all that follows from them by the task's rules.

        Parameters
        ----------
        task : Task
            The task.
        step : Step
            The step.
        items : sequence of ItemScores
            The points of its items.
        written : mapping of str to float, optional
            What the judge or rater wrote, by dimension, group or ``overall``.
        grid_score : int, optional
            The value of a ranking grid that could be read.
        invalid : str
            Why a text without items has no points.

        Returns
        -------
        StepScores
            With item sums, the counts of valid items and of distinct categories, groups and, unless the
            task has none, the Overall.
        """
        values = dict(written or {})
        computed = _compute(task, step, items, values, grid_score)
        values = {part: values[part] for part in task.parts(step) if part in values}
        return cls(step=step.id, items=tuple(items), written=values, computed=computed, invalid=invalid)

    def final(self, part: str) -> float | None:
        """Return the value that counts for a dimension, group or ``overall``; None if there is none."""
        return self.computed.get(part, self.written.get(part))


@dataclass(frozen=True)
class Score:
    """One row of ``scores.csv``: a value with what the model wrote and what was computed."""

    step: str
    item: int | None
    dimension: str
    score: float | None = None
    model_score: float | None = None
    computed_score: float | None = None


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

    @classmethod
    def build(
        cls,
        task: Task,
        response_id: str,
        scorer: str,
        steps: Sequence[StepScores],
        repeats: tuple[int, int] = (1, 1),
        *,
        written_total: float | None = None,
    ) -> Self:
        """Build a sheet, with its Total where the task has one and every step is there and complete.

        Parameters
        ----------
        task : Task
            The task.
        response_id, scorer
            Whose response, and by whom.
        steps : sequence of StepScores
            Built by :meth:`StepScores.build`.
        repeats : tuple of (int, int)
            Which evidence was judged, and for which time, from 1.
        written_total : float, optional
            The Total that the judge or rater wrote.

        Returns
        -------
        ScoreSheet
        """
        overalls = [value for step in steps if (value := step.computed.get("overall")) is not None]
        computed: float | None = None
        if len(overalls) == len(steps) == len(task.steps):
            computed = sum(overalls) if task.total == "sum" else _mean_of_all(task, steps)
        return cls(
            response_id=response_id,
            scorer=scorer,
            steps=tuple(steps),
            evidence_repeat=repeats[0],
            judge_repeat=repeats[1],
            written_total=None if task.total == "none" else written_total,
            computed_total=computed,
        )

    @property
    def repeats(self) -> tuple[int, int]:
        """Which evidence was judged, and for which time."""
        return self.evidence_repeat, self.judge_repeat

    @property
    def label(self) -> str:
        """The scorer as shown, with its repeats."""
        return repeat_label(self.scorer, *self.repeats)

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
                    yield Score(step.step, item.item, f"{step.step}.{dimension}", points, points)
            parts = dict.fromkeys([*step.written, *step.computed])
            for part in sorted(parts, key=lambda name: name == "overall"):
                written, computed = step.written.get(part), step.computed.get(part)
                yield Score(step.step, None, f"{step.step}.{part}", step.final(part), written, computed)
        yield Score("", None, "total", self.total, self.written_total, self.computed_total)


def repeat_label(scorer: str, evidence_repeat: int, judge_repeat: int) -> str:
    """Name a scorer with its repeat of evidence (``@2``) and of judging (``#3``), but for a first.

    A scorer whose own name ends like that has both numbers behind it, so that no two look alike.
    """
    if _LIKE_REPEAT.search(scorer):
        return f"{scorer}@{evidence_repeat}#{judge_repeat}"
    evidence = f"@{evidence_repeat}" if evidence_repeat > 1 else ""
    repeat = f"#{judge_repeat}" if judge_repeat > 1 else ""
    return f"{scorer}{evidence}{repeat}"


def disagreements(sheet: ScoreSheet) -> list[str]:
    """List where what was written differs from what was computed, in words.

    Parameters
    ----------
    sheet : ScoreSheet
        The sheet.

    Returns
    -------
    list of str
        Such as ``"step1.overall: written 25, computed 24"``; empty if the sheet adds up.
    """
    return [
        f"{row.dimension}: written {row.model_score:g}, computed {row.computed_score:g}"
        for row in sheet.rows()
        if row.model_score is not None
        and row.computed_score is not None
        and row.model_score != row.computed_score
    ]


def distinct_categories(categories: Sequence[str | None]) -> int | None:
    """Count different categories; None if an item has none.

    Parameters
    ----------
    categories : sequence of str or None
        One entry a valid item.

    Returns
    -------
    int or None
        From 0 (no items) to the number of items.
    """
    names = {category.casefold() for category in categories if category is not None}
    return None if None in categories else len(names)


def _mean_of_all(task: Task, steps: Sequence[StepScores]) -> float:
    """Return the mean over all dimensions of steps that have an Overall, so that none is missing."""
    points = [scores.final(d.id) for scores in steps for d in task.step(scores.step).dimensions]
    return task.combine([value for value in points if value is not None])


def _compute(
    task: Task,
    step: Step,
    items: Sequence[ItemScores],
    written: dict[str, float],
    grid_score: int | None,
) -> dict[str, float]:
    """Compute what follows from the items and the written values, to which sums of groups are added."""
    computed: dict[str, float] = {}
    for dimension in step.dimensions:
        value = _derive(step, dimension, items, grid_score)
        if value is not None:
            computed[dimension.id] = value
    for group in step.groups:
        if (value := _sum([computed.get(part, written.get(part)) for part in group.members])) is not None:
            computed[group.id] = value
        # A group is a sum by definition: the model's own value is the sum of its own parts.
        if group.id not in written and (value := _sum(list(map(written.get, group.members)))) is not None:
            written[group.id] = value
    points = _all_known([computed.get(d.id, written.get(d.id)) for d in step.dimensions])
    if points is not None:
        computed["overall"] = task.combine(points)
    return {part: computed[part] for part in task.parts(step) if part in computed}


def _derive(
    step: Step, dimension: Dimension, items: Sequence[ItemScores], grid_score: int | None
) -> float | None:
    if dimension.derive == "ranking_grid":
        return grid_score
    if step.items is None or not items or not step.items.added_up:
        return None
    valid = [item for item in items if item.valid]
    if dimension.derive == "valid_items":
        return len(valid)
    if dimension.derive == "distinct_categories":
        return distinct_categories([item.category for item in valid])
    if dimension.scope == "item":
        return _sum([item.scores.get(dimension.id) for item in valid])
    return None


def _sum(values: Sequence[float | None]) -> float | None:
    """Add values up; None if one is missing."""
    known = _all_known(values)
    return None if known is None else sum(known)


def _all_known(values: Sequence[float | None]) -> list[float] | None:
    known = [value for value in values if value is not None]
    return known if len(known) == len(values) else None
