from __future__ import annotations

import pytest

from creaeval.tasks import builtin_tasks, load_task


def test_cgpst_adds_up_to_186() -> None:
    task = load_task("cgpst")
    # step 1 and 3: 8 fluency + 8 flexibility + 8 x 2 elaboration + 8 x 2 originality = 48
    # step 2: 2 + 3 + 3 + 2 + 10 + 10 = 30; step 4: 5 x (1 + 3) = 20; step 6: 5 x 5 + 10 = 35
    assert [step.max for step in task.steps] == [48, 30, 48, 20, 5, 35]
    assert task.max == 48 + 30 + 48 + 20 + 5 + 35 == 186
    assert len(task.categories) == 18


@pytest.mark.parametrize("name", builtin_tasks())
def test_every_rubric_covers_its_whole_scale_once(name: str) -> None:
    for step in load_task(name).steps:
        for dimension in step.dimensions:
            points = [p for level in dimension.levels for p in range(level.min, level.max + 1)]
            whole = list(range(dimension.scale.min, dimension.scale.max + 1))
            # Only a value that is counted, such as Flexibility, can do without levels.
            assert sorted(points) == whole or (not points and dimension.derive), (step.id, dimension.id)


@pytest.mark.parametrize("name", builtin_tasks())
def test_every_built_in_task_names_its_source(name: str) -> None:
    task = load_task(name)
    assert task.id == name
    assert len(task.source) > 10


def test_memory_reaches_only_earlier_steps() -> None:
    task = load_task("cgpst")
    for number, step in enumerate(task.steps):
        earlier = [s.id for s in task.earlier_steps(step)]
        assert all(int(s.removeprefix("step")) <= number for s in earlier)


def test_a_judge_may_give_every_code_but_blank() -> None:
    step = load_task("cgpst").step("step3")
    assert step.items is not None
    assert list(step.items.invalid) == ["perhaps", "why", "duplicate", "blank"]
    assert list(step.judged_codes) == ["perhaps", "why", "duplicate"]
