"""Turn valid replies into evidence and score sheets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from creaeval.sheets.evidence import DimensionEvidence, ItemEvidence, StepEvidence
from creaeval.sheets.grid import check_grid
from creaeval.sheets.replies import item_key
from creaeval.sheets.score_sheet import ItemScores, ScoreSheet, StepScores
from creaeval.sheets.wording import copied_share, find_score_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from creaeval.sheets.quotes import StepTexts
    from creaeval.sheets.replies import Finding, Reply
    from creaeval.sheets.score_sheet import StepLayout
    from creaeval.tasks import Dimension, Step, Task


def read_evidence(
    step: Step, reply: Reply, texts: StepTexts, items: Mapping[int, bool], n_criteria: int | None
) -> tuple[StepEvidence, str]:
    """Turn the analyst's reply for one step into evidence with every quote looked up, and its memory.

    ``items`` says of the number of each item whether it is blank; ``n_criteria`` are the columns of the
    ranking grid where the step has one. Quotes of an item are looked up in this item, those of the step's
    dimensions in the whole step, and then in the rest of the response.
    """
    notes: list[str] = []
    forms = {
        number: getattr(reply.items, item_key(number))  # type: ignore[attr-defined]
        for number, blank in items.items()
        if not blank
    }
    equals = _same_items(forms, notes)
    entries: list[ItemEvidence] = []
    for number in items:
        if number not in forms:
            entries.append(ItemEvidence(item=number, blank=True))
            continue
        form = forms[number]
        same_as, reason = equals.get(number, ((), ""))
        entries.append(
            ItemEvidence(
                item=number,
                category=getattr(form, "category", None),
                same_as=same_as,
                why_same=reason,
                dimensions={
                    d.id: _dimension(d, getattr(form, d.id), texts, number) for d in step.item_dimensions
                },
            )
        )
    dimensions = {
        d.id: _categories_seen(entries)
        if d.derive == "distinct_categories"
        else _dimension(d, getattr(reply, d.id), texts)
        for d in step.step_dimensions
    }
    has_grid = any(d.derive == "ranking_grid" for d in step.dimensions)
    grid = check_grid(texts.whole, n_criteria) if n_criteria is not None and has_grid else None
    evidence = StepEvidence(
        step=step.id,
        items=tuple(entries),
        dimensions=dimensions,
        grid_score=grid.score if grid is not None else None,
        grid_note=grid.note if grid is not None else "",
        notes=tuple(notes),
    )
    return evidence, str(getattr(reply, "memory", "")).strip()


def _same_items(forms: Mapping[int, Any], notes: list[str]) -> dict[int, tuple[tuple[int, ...], str]]:
    """Read which items say the same, and why; sameness has no direction, so each of two names the other."""
    pairs: dict[int, set[int]] = {}
    reasons: dict[int, str] = {}
    for number, form in forms.items():
        key = item_key(number)
        if not hasattr(form, "same_as"):
            continue
        if form.same_as is None:
            notes.append(f"{key} was not compared with the other items")
            continue
        for name in form.same_as:
            other = next((n for n in forms if item_key(n) == name), None)
            if other is None:
                notes.append(
                    f"{key}: {name!r:.40} in its comparison is no item of this step and was left out"
                )
            elif other == number:
                notes.append(f"{key}: its comparison with itself was left out")
            else:
                pairs.setdefault(number, set()).add(other)
                pairs.setdefault(other, set()).add(number)
        if number in pairs and form.why_same.strip():
            reasons[number] = form.why_same.strip()
    return {
        number: (
            tuple(sorted(others)),
            reasons.get(number) or next((reasons[n] for n in sorted(others) if n in reasons), ""),
        )
        for number, others in pairs.items()
    }


def _dimension(
    dimension: Dimension, finding: Finding, texts: StepTexts, item: int | None = None
) -> DimensionEvidence:
    return DimensionEvidence(
        status=finding.status,
        quotes=tuple(texts.find(quote, item) for quote in finding.quotes),
        **check_observation(dimension, finding.observation, texts.whole),
    )


def check_observation(dimension: Dimension, observation: str, text: str) -> dict[str, Any]:
    """Measure what an observation holds that it should not: the fields of a dimension's evidence."""
    return {
        "observation": observation.strip(),
        "copied": copied_share(observation, text),
        "score_words": find_score_words(observation, text, (dimension.id, dimension.name)),
    }


def _categories_seen(items: list[ItemEvidence]) -> DimensionEvidence:
    """List which items fall under which category; computed, since it only repeats what stands above."""
    groups: dict[str, list[str]] = {}
    for item in items:
        if item.category is not None:
            groups.setdefault(item.category, []).append(str(item.item))
    words = "; ".join(f"{category}: {', '.join(numbers)}" for category, numbers in groups.items())
    return DimensionEvidence(
        observation=f"Items by category: {words}." if words else "No item has a category.",
        status="present" if words else "none",
    )


def read_scores(
    task: Task,
    response_id: str,
    layout: Sequence[StepLayout],
    replies: Sequence[Reply],
    scorer: str,
    repeats: tuple[int, int] = (1, 1),
) -> ScoreSheet:
    """Turn one scorer's replies, one for all steps or one for each, into a score sheet.

    The Total is written only where a reply to the whole task holds it.
    """
    forms = {name: getattr(reply, name) for reply in replies for name in type(reply).model_fields}
    steps: list[StepScores] = []
    for part in layout:
        form = forms[part.step.id]
        values = {d.id: getattr(form, d.id, None) for d in part.step.dimensions}
        written = {name: float(_points_of(value)) for name, value in values.items() if value is not None}
        overall = getattr(form, "overall", None) if task.total == "sum" else None
        if overall is not None:
            written["overall"] = float(overall)
        items = tuple(_item(part, number, form) for number in part.items)
        steps.append(
            StepScores.build(task, part.step, items=items, written=written, grid_score=part.grid_score)
        )
    totals = [total for reply in replies if (total := getattr(reply, "total", None)) is not None]
    total = float(totals[-1]) if totals and task.total == "sum" else None
    return ScoreSheet.build(task, response_id, scorer, steps, repeats, written_total=total)


def _points_of(value: Any) -> int:
    """Return the points of a plain value, or of one with words before it."""
    return int(getattr(value, "points", value))


def _item(part: StepLayout, number: int, form: Any) -> ItemScores:
    if part.items[number]:
        return ItemScores.build(part.step, number, invalid="blank")
    scores = getattr(form.items, item_key(number))
    verdict = getattr(scores, "valid", "yes")
    if verdict != "yes":
        return ItemScores.build(part.step, number, invalid=verdict)
    category = getattr(scores, "category", None) if part.categories is None else part.categories[number]
    dimensions = (d.id for d in part.step.item_dimensions if d.derive != "valid_items")
    points = {dimension: _points_of(getattr(scores, dimension)) for dimension in dimensions}
    return ItemScores.build(part.step, number, points, category=category)
