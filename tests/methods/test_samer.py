"""The method ``samer``: what it asks, and the sheets it makes of the answer."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from booklets import case as cgpst_case
from creaeval.errors import SettingError
from creaeval.methods.samer import check_codes
from creaeval.runs.plan import make_plan
from creaeval.tasks import load_task
from scripted import ScriptedModel
from uses import shared_case, three_uses

from .canaries import case
from .support import scored

if TYPE_CHECKING:
    from pathlib import Path


def test_each_step_is_asked_with_its_scenario_and_without_a_rubric(tmp_path: Path) -> None:
    judge = ScriptedModel("scripted:judge")
    scored(case(), tmp_path, None, [judge], "samer")
    (request,) = judge.requests
    question = json.loads(request.messages[0].text)
    assert question["task"] == "small"
    assert [(part["step"], part["item"], part["dimensions"]) for part in question["parts"]] == [
        (step, "", [f"{step}.depth"]) for step in ("first", "second", "third")
    ]
    assert question["parts"][0]["instruction"] == "A scenario-word.\n\nWrite something."
    assert question["parts"][0]["response"] == "Some words, raw-first."


def test_a_step_with_items_gets_one_value_a_dimension_up_to_the_sum_of_all_items(tmp_path: Path) -> None:
    judge = ScriptedModel("scripted:judge")
    outcome = scored(cgpst_case(), tmp_path, None, [judge], "samer")
    (sheet,) = outcome.sheets
    schema = judge.requests[0].schema
    # Elaboration: eight challenges of 0-2. Adequacy is given once, 1-10. Integrity is the sum of its members.
    text = json.dumps(schema)
    assert '"elaboration": {"maximum": 16, "minimum": 0' in text
    assert '"adequacy": {"maximum": 10, "minimum": 1' in text
    assert "integrity" not in text
    step = sheet.step("step1")
    assert step is not None
    assert step.items == ()
    assert set(step.written) == {"fluency", "flexibility", "elaboration", "originality", "overall"}
    second = sheet.step("step2")
    assert second is not None
    members = ("condition_phrase", "stem_kvp", "purpose", "fs_parameters")
    assert second.computed["integrity"] == sum(second.written[name] for name in members)
    assert sheet.total is not None


def test_uses_are_parts_of_their_own(tmp_path: Path) -> None:
    judge = ScriptedModel("scripted:judge")
    outcome = scored(shared_case(three_uses()), tmp_path, None, [judge], "samer")
    parts = json.loads(judge.requests[0].messages[0].text)["parts"]
    assert [(part["item"], part["response"]) for part in parts] == [
        ("item_1", "a doorstop"),
        ("item_3", "a drum"),
    ]
    (sheet,) = outcome.sheets
    assert [item.invalid for item in sheet.steps[0].items] == [None, "blank", None]


def test_models_that_were_not_trained_for_it_are_refused() -> None:
    the_case = case()
    assert the_case.scenario is not None
    with pytest.raises(SettingError, match=r"samer is for models samer:DIR alone; found scripted:judge"):
        make_plan(
            task=the_case.task,
            responses=[the_case.response],
            scenarios={the_case.scenario.id: the_case.scenario},
            analyst=None,
            judges=[ScriptedModel("scripted:judge")],
            method="samer",
        )


def test_items_that_only_a_judge_can_call_invalid_are_refused_where_they_are_scored_alone() -> None:
    task = load_task("aut")
    step = task.steps[0]
    verdicts = {"invalid": {"off_topic": "no use of it"}}
    changed = task.model_copy(update={"steps": (step.model_copy(update=verdicts),)})
    with pytest.raises(SettingError, match="uses of task aut can be invalid by a judge's verdict"):
        check_codes(changed)
    check_codes(task)
