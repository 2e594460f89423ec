from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from hypothesis import given, settings
from hypothesis import strategies as st

from booklets import booklet, scored
from creaeval.sheets import (
    ItemScores,
    ScoreSheet,
    StepScores,
    disagreements,
    distinct_categories,
)
from creaeval.tasks import load_task

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from creaeval.sheets.evidence import Record
    from creaeval.tasks import Step

TASK = load_task("cgpst")


@st.composite
def item_scores(draw: st.DrawFn, step: Step, number: int) -> ItemScores:
    assert step.items is not None
    invalid = draw(st.booleans())
    if invalid and step.items.invalid:
        return ItemScores.build(step, number, invalid=draw(st.sampled_from(sorted(step.items.invalid))))
    points = {d.id: draw(st.integers(d.scale.min, d.scale.max)) for d in step.item_dimensions if not d.derive}
    category = draw(st.sampled_from(TASK.categories)) if step.items.categories else None
    return ItemScores.build(step, number, points, category=category)


@st.composite
def sheets(draw: st.DrawFn) -> ScoreSheet:
    steps = []
    for step in TASK.steps:
        n_items = draw(st.integers(1, step.items.max)) if step.items is not None else 0
        steps.append(
            StepScores.build(
                TASK,
                step,
                items=tuple(draw(item_scores(step, number)) for number in range(1, n_items + 1)),
                written={
                    d.id: draw(st.integers(d.scale.min, d.scale.max))
                    for d in step.step_dimensions
                    if d.derive != "distinct_categories"
                },
            )
        )
    return ScoreSheet.build(TASK, "R1", "A", steps)


def built_again(sheet: ScoreSheet) -> ScoreSheet:
    """The same sheet from what is on it, computed values apart."""
    steps = []
    for scores in sheet.steps:
        step = TASK.step(scores.step)
        items = [
            ItemScores.build(step, item.item, item.scores, category=item.category, invalid=item.invalid)
            for item in scores.items
        ]
        steps.append(StepScores.build(TASK, step, items=items, written=scores.written))
    return ScoreSheet.build(TASK, sheet.response_id, sheet.scorer, steps)


@settings(max_examples=60)
@given(sheets())
def test_a_sheet_equals_plain_sums(sheet: ScoreSheet) -> None:
    total = 0
    for scores in sheet.steps:
        valid = [item for item in scores.items if item.invalid is None]
        # Items have a point for being valid; a group is written as the sum of what is written.
        groups = {group.id for group in TASK.step(scores.step).groups}
        own = [value for part, value in scores.written.items() if part not in groups]
        overall = sum(sum(item.scores.values()) for item in valid) + sum(own)
        if scores.step in {"step1", "step3"}:
            kinds = {item.category for item in valid}
            overall += len(kinds)
            assert sheet.final(f"{scores.step}.fluency") == len(valid)
            assert sheet.final(f"{scores.step}.flexibility") == len(kinds) <= min(8, len(valid))
        assert sheet.final(f"{scores.step}.overall") == overall <= TASK.step(scores.step).max
        total += int(overall)
    assert sheet.total == total
    assert 0 <= total <= 186


@settings(max_examples=40)
@given(sheets())
def test_building_again_changes_nothing_and_the_sheet_survives_json(sheet: ScoreSheet) -> None:
    assert built_again(sheet) == sheet
    assert ScoreSheet.model_validate_json(sheet.model_dump_json()) == sheet
    assert disagreements(sheet) == []


def test_the_highest_sheet_has_186() -> None:
    steps = []
    for step in TASK.steps:
        items = tuple(
            ItemScores.build(
                step,
                n,
                {d.id: d.scale.max for d in step.item_dimensions if not d.derive},
                category=TASK.categories[n] if step.items and step.items.categories else None,
            )
            for n in range(1, (step.items.max if step.items else 0) + 1)
        )
        written = {
            d.id: float(d.scale.max) for d in step.step_dimensions if d.derive != "distinct_categories"
        }
        steps.append(StepScores.build(TASK, step, items=items, written=written))
    assert ScoreSheet.build(TASK, "R", "A", steps).total == 186


def test_a_missing_value_leaves_what_depends_on_it_undefined() -> None:
    steps = (
        StepScores.build(TASK, TASK.step("step2"), written={"focus": 5}),
        StepScores.build(TASK, TASK.step("step5"), written={"correctly_used": 3}),
    )
    sheet = ScoreSheet.build(TASK, "R", "A", steps)
    assert [sheet.final(i) for i in ("step2.focus", "step2.integrity", "step2.overall", "total")] == [
        5,
        None,
        None,
        None,
    ]
    assert sheet.final("step5.overall") == 3
    assert sheet.final("step1.fluency") is None


def test_a_grid_that_was_read_stands_above_what_was_written() -> None:
    written = {"correctly_used": 5, "overall": 5}
    step = StepScores.build(TASK, TASK.step("step5"), written=written, grid_score=4)
    sheet = ScoreSheet.build(TASK, "R", "A", [step])
    assert sheet.final("step5.overall") == 4
    assert disagreements(sheet) == [
        "step5.correctly_used: written 5, computed 4",
        "step5.overall: written 5, computed 4",
    ]


def test_categories_are_counted_whatever_their_case_and_only_if_all_are_known() -> None:
    assert distinct_categories(["Technology", "technology", "Defense"]) == 2
    assert distinct_categories([]) == 0
    assert distinct_categories(["Technology", None]) is None


def test_each_part_of_a_sheet_is_built_once_and_copied_never(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built: Counter[str] = Counter()

    def count(kind: type[Record], way: str) -> None:
        original = getattr(kind, way)

        def counting(first: Any, *arguments: Any, **fields: Any) -> Any:
            name = kind.__name__ if way == "__init__" else f"{kind.__name__}.{way}"
            built[name] += 1
            return original(first, *arguments, **fields) if way != "model_construct" else original(**fields)

        monkeypatch.setattr(kind, way, classmethod(counting) if way == "model_construct" else counting)

    for kind in (ItemScores, StepScores, ScoreSheet):
        for way in ("__init__", "model_construct", "model_copy"):
            count(kind, way)
    scored(tmp_path, booklet())
    n_items = sum(len(text.items) for text in booklet().steps.values())
    assert built == {"ScoreSheet": 1, "StepScores": 6, "ItemScores": n_items}
