from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from creaeval.sheets import (
    ItemScores,
    ScoreSheet,
    StepScores,
    complete_sheet,
    disagreements,
    distinct_categories,
)
from creaeval.tasks import load_task

if TYPE_CHECKING:
    from creaeval.tasks import Step

TASK = load_task("cgpst")


@st.composite
def item_scores(draw: st.DrawFn, step: Step, number: int) -> ItemScores:
    assert step.items is not None
    invalid = draw(st.booleans())
    if invalid and step.items.invalid:
        return ItemScores(item=number, invalid=draw(st.sampled_from(sorted(step.items.invalid))))
    return ItemScores(
        item=number,
        category=draw(st.sampled_from(TASK.categories)) if step.items.categories else None,
        scores={
            d.id: draw(st.integers(d.scale.min, d.scale.max)) for d in step.item_dimensions if not d.derive
        },
    )


@st.composite
def sheets(draw: st.DrawFn) -> ScoreSheet:
    steps = []
    for step in TASK.steps:
        n_items = draw(st.integers(1, step.items.max)) if step.items is not None else 0
        steps.append(
            StepScores(
                step=step.id,
                items=tuple(draw(item_scores(step, number)) for number in range(1, n_items + 1)),
                written={
                    d.id: draw(st.integers(d.scale.min, d.scale.max))
                    for d in step.step_dimensions
                    if d.derive != "distinct_categories"
                },
            )
        )
    return ScoreSheet(response_id="R1", scorer="A", steps=tuple(steps))


@settings(max_examples=60)
@given(sheets())
def test_a_completed_sheet_equals_plain_sums(sheet: ScoreSheet) -> None:
    done = complete_sheet(TASK, sheet)
    total = 0
    for scores in sheet.steps:
        valid = [item for item in scores.items if item.invalid is None]
        overall = sum(sum(item.scores.values()) for item in valid) + sum(scores.written.values())
        if scores.step in {"step1", "step3"}:
            kinds = {item.category for item in valid}
            overall += len(valid) + len(kinds)
            assert done.final(f"{scores.step}.fluency") == len(valid)
            assert done.final(f"{scores.step}.flexibility") == len(kinds) <= min(8, len(valid))
        assert done.final(f"{scores.step}.overall") == overall <= TASK.step(scores.step).max
        total += int(overall)
    assert done.total == total
    assert 0 <= total <= 186


@settings(max_examples=40)
@given(sheets())
def test_completing_twice_changes_nothing_and_the_sheet_survives_json(sheet: ScoreSheet) -> None:
    once = complete_sheet(TASK, sheet)
    assert complete_sheet(TASK, once) == once
    assert ScoreSheet.model_validate_json(once.model_dump_json()) == once
    assert disagreements(once) == []


def test_the_highest_sheet_has_186() -> None:
    steps = []
    for step in TASK.steps:
        items = tuple(
            ItemScores(
                item=n,
                category=TASK.categories[n] if step.items and step.items.categories else None,
                scores={d.id: d.scale.max for d in step.item_dimensions if not d.derive},
            )
            for n in range(1, (step.items.max if step.items else 0) + 1)
        )
        written = {
            d.id: float(d.scale.max) for d in step.step_dimensions if d.derive != "distinct_categories"
        }
        steps.append(StepScores(step=step.id, items=items, written=written))
    assert complete_sheet(TASK, ScoreSheet(response_id="R", scorer="A", steps=tuple(steps))).total == 186


def test_a_missing_value_leaves_what_depends_on_it_undefined() -> None:
    steps = (
        StepScores(step="step2", written={"focus": 5}),
        StepScores(step="step5", written={"correctly_used": 3}),
    )
    sheet = complete_sheet(TASK, ScoreSheet(response_id="R", scorer="A", steps=steps))
    assert [sheet.final(i) for i in ("step2.focus", "step2.integrity", "step2.overall", "total")] == [
        5,
        None,
        None,
        None,
    ]
    assert sheet.final("step5.overall") == 3
    assert sheet.final("step1.fluency") is None


def test_a_grid_that_was_read_stands_above_what_was_written() -> None:
    step = StepScores(step="step5", written={"correctly_used": 5, "overall": 5})
    sheet = complete_sheet(TASK, ScoreSheet(response_id="R", scorer="A", steps=(step,)), {"step5": 4})
    assert sheet.final("step5.overall") == 4
    assert disagreements(sheet) == [
        "step5.correctly_used: written 5, computed 4",
        "step5.overall: written 5, computed 4",
    ]


def test_categories_are_counted_whatever_their_case_and_only_if_all_are_known() -> None:
    assert distinct_categories(["Technology", "technology", "Defense"]) == 2
    assert distinct_categories([]) == 0
    assert distinct_categories(["Technology", None]) is None
