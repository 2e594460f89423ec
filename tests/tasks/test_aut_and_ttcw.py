"""What the built-in tasks of single uses and of stories ask for."""

from __future__ import annotations

import pytest

from creaeval.agreement import compared_dimensions
from creaeval.tasks import Batching, identities, load_task


def test_each_use_is_scored_from_1_to_5_and_nothing_is_summed() -> None:
    task = load_task("aut")
    (step,) = task.steps
    (dimension,) = step.dimensions
    assert (task.noun, task.total, step.id, str(dimension.scale)) == ("use", "none", "uses", "1-5")
    assert task.batching == Batching(by=("participant",), most=20)
    assert identities(task) == compared_dimensions(task) == ["uses.originality"]


def test_no_model_is_asked_whether_a_use_is_valid() -> None:
    step = load_task("aut").step("uses")
    assert (list(step.invalid), step.judged_codes, step.items) == (["blank", "dont_know"], {}, None)


def test_fourteen_tests_of_a_story_are_counted_in_four_groups() -> None:
    task = load_task("ttcw")
    (step,) = task.steps
    groups = [(group.id, len(group.members)) for group in step.groups]
    assert groups == [("fluency", 5), ("flexibility", 3), ("originality", 3), ("elaboration", 3)]
    assert [str(dimension.scale) for dimension in step.dimensions] == ["0-1"] * 14
    assert [m for group in step.groups for m in group.members] == [d.id for d in step.dimensions]
    assert compared_dimensions(task) == [f"story.{name}" for name, _ in groups]


@pytest.mark.parametrize("name", ["aut", "ttcw"])
def test_a_task_is_the_same_when_it_comes_back_from_a_ledger(name: str) -> None:
    task = load_task(name)
    assert type(task).model_validate(task.model_dump(mode="json")) == task
