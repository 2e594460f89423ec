"""The method from a case to its outcome: calls, failures, sheets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import creaeval
from booklets import booklet, case, cgpst, marked, scenarios, variant, without
from creaeval.errors import PermanentCallError
from creaeval.llm import ChatRequest, Ledger
from creaeval.llm.chat import AttemptError
from creaeval.runs import RunStore
from creaeval.sheets import disagreements
from scripted import ScriptedModel, canned, echo, stage_of, text_of

from .support import scored

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

STEPS = [step.id for step in cgpst().steps]


def refuse(stage: str, token: str = "", error: Exception | None = None) -> Callable[[ChatRequest], Any]:
    """Make a script that fails at one stage, for the response whose prompts hold the token."""
    failure = error or AttemptError("the server is out of order", retry=False)
    return lambda request: failure if stage_of(request) == stage and token in text_of(request) else None


def test_a_response_costs_one_call_a_step_and_one_a_judge(tmp_path: Path) -> None:
    analyst = ScriptedModel("scripted:analyst")
    judges = [ScriptedModel("scripted:b"), ScriptedModel("scripted:a")]
    outcome = scored(case(), tmp_path, analyst, judges)
    assert [stage_of(request) for request in analyst.requests] == STEPS
    assert [[stage_of(r) for r in judge.requests] for judge in judges] == [["judge"], ["judge"]]
    # In the order in which they were named.
    assert [sheet.scorer for sheet in outcome.sheets] == ["scripted:b", "scripted:a"]


def test_all_judges_read_the_same_evidence(tmp_path: Path) -> None:
    judges = [ScriptedModel(f"scripted:{name}") for name in "abc"]
    scored(case(), tmp_path, None, judges)
    assert judges[0].requests == judges[1].requests == judges[2].requests
    assert len(judges[0].requests) == 1


def test_a_step_that_is_not_there_is_not_asked_for_and_leaves_the_total_undefined(tmp_path: Path) -> None:
    model = ScriptedModel()
    outcome = scored(case(without(booklet(), "step3", "step6")), tmp_path, model, [model])
    assert [stage_of(request) for request in model.requests] == ["step1", "step2", "step4", "step5", "judge"]
    (sheet,) = outcome.sheets
    assert [scores.step for scores in sheet.steps] == ["step1", "step2", "step4", "step5"]
    assert (sheet.total, sheet.written_total) == (None, None)
    assert "total" not in model.asked("judge")[0].schema["properties"]


def test_a_blank_item_gets_its_code_without_being_judged(tmp_path: Path) -> None:
    model = ScriptedModel()
    outcome = scored(case(), tmp_path, model, [model])
    judged = model.asked("judge")[0].schema["properties"]["step1"]["properties"]["items"]["properties"]
    assert list(judged) == [f"item_{n}" for n in range(1, 7)]
    step = outcome.sheets[0].step("step1")
    assert step is not None
    assert (step.items[6].item, step.items[6].invalid, step.items[6].valid) == (7, "blank", False)
    # The script calls all six others valid, so the blank one adds nothing to Fluency.
    assert step.items[6].scores.get("fluency", 0) == 0
    assert step.computed["fluency"] == 6


# Step 1 of the example: items 1, 2 and 6 valid, 3, 4 and 5 not, 7 blank.
STEP1 = {
    "step1_evidence.items.item_1.category": "Technology",
    "step1_evidence.items.item_2.category": "Technology",
    "step1_evidence.items.item_3.category": "Education",
    "step1_evidence.items.item_6.category": "Environment",
    "cgpst_scores.step1.items.item_1": {"valid": "yes", "elaboration": 2, "originality": 1},
    "cgpst_scores.step1.items.item_2": {"valid": "yes", "elaboration": 1, "originality": 0},
    "cgpst_scores.step1.items.item_3": {"valid": "duplicate"},
    "cgpst_scores.step1.items.item_4": {"valid": "solution"},
    "cgpst_scores.step1.items.item_5": {"valid": "perhaps"},
    "cgpst_scores.step1.items.item_6": {"valid": "yes", "elaboration": 2, "originality": 2},
    "cgpst_scores.step1.fluency": 5,
    "cgpst_scores.step1.flexibility": 6,
    "cgpst_scores.step1.elaboration": 5,
    "cgpst_scores.step1.originality": 4,
    "cgpst_scores.step1.overall": 20,
}


def test_the_judges_own_sums_stand_beside_the_computed_ones(tmp_path: Path) -> None:
    model = ScriptedModel(values=STEP1)
    (sheet,) = scored(case(), tmp_path, model, [model]).sheets
    step = sheet.step("step1")
    assert step is not None
    # Elaboration 2+1+2, Originality 1+0+2; Technology and Environment are two categories, since the item
    # under Education is not valid. Overall 3+2+5+3.
    right = {"fluency": 3, "flexibility": 2, "elaboration": 5, "originality": 3, "overall": 13}
    assert step.computed == right
    assert step.written == {"fluency": 5, "flexibility": 6, "elaboration": 5, "originality": 4, "overall": 20}
    assert {part: step.final(part) for part in right} == right
    wrong = [line for line in disagreements(sheet) if line.startswith("step1")]
    assert wrong == [
        "step1.fluency: written 5, computed 3",
        "step1.flexibility: written 6, computed 2",
        "step1.originality: written 4, computed 3",
        "step1.overall: written 20, computed 13",
    ]


def test_an_item_that_is_not_valid_has_its_code_and_no_points(tmp_path: Path) -> None:
    model = ScriptedModel(values=STEP1)
    (sheet,) = scored(case(), tmp_path, model, [model]).sheets
    step = sheet.step("step1")
    assert step is not None
    assert [item.invalid for item in step.items] == [
        None,
        None,
        "duplicate",
        "solution",
        "perhaps",
        None,
        "blank",
    ]
    assert step.items[2].scores == {"fluency": 0}
    assert step.items[0].scores == {"fluency": 1, "elaboration": 2, "originality": 1}
    assert (step.items[0].category, step.items[2].category) == ("Technology", None)


def test_the_grid_counts_and_the_judges_own_value_is_kept(tmp_path: Path) -> None:
    model = ScriptedModel(values={"cgpst_scores.step5.correctly_used": 2})
    outcome = scored(case(), tmp_path, model, [model])
    # Only the example's third column (5 2 4 6 5 1) holds a rank twice: one error, 5 - 1.
    assert outcome.evidence is not None
    assert outcome.evidence.steps[4].grid_score == 4
    step = outcome.sheets[0].step("step5")
    assert step is not None
    assert (step.written["correctly_used"], step.computed["correctly_used"]) == (2, 4)
    assert (step.final("correctly_used"), step.final("overall")) == (4, 4)
    assert "grid" not in text_of(model.asked("judge")[0]).partition("# Evidence")[2].lower()


def test_where_no_grid_can_be_read_the_judges_value_counts(tmp_path: Path) -> None:
    model = ScriptedModel(values={"cgpst_scores.step5.correctly_used": 2})
    outcome = scored(case(variant("r", {"step5": "Number 1 is the best."})), tmp_path, model, [model])
    step = outcome.sheets[0].step("step5")
    assert step is not None
    assert (step.computed.get("correctly_used"), step.final("correctly_used")) == (None, 2)
    assert outcome.evidence is not None
    assert "no grid" in outcome.evidence.steps[4].grid_note


def test_integrity_is_the_sum_of_its_four_parts(tmp_path: Path) -> None:
    points = {
        "condition_phrase": 2,
        "stem_kvp": 3,
        "purpose": 1,
        "fs_parameters": 0,
        "focus": 7,
        "adequacy": 9,
    }
    model = ScriptedModel(values={f"cgpst_scores.step2.{part}": value for part, value in points.items()})
    (sheet,) = scored(case(), tmp_path, model, [model]).sheets
    # 2 + 3 + 1 + 0, and 6 + 7 + 9 for the step.
    assert (sheet.final("step2.integrity"), sheet.final("step2.overall")) == (6, 22)


def test_quotes_are_looked_up_in_the_step_they_are_said_to_come_from(tmp_path: Path) -> None:
    def write(path: str) -> str:
        # The words stand in step 2 of the example alone.
        return "How might we open the town's water sharing" if path.endswith("quotes") else canned(path)

    outcome = scored(case(), tmp_path, ScriptedModel(write=write))
    assert outcome.evidence is not None
    found = {
        step.step: {(quote.outcome, quote.place) for d in step.dimensions.values() for quote in d.quotes}
        for step in outcome.evidence.steps
    }
    assert found["step2"] == {("exact", "")}
    assert found["step6"] == {("elsewhere", "step2")}


def test_an_unusable_reply_is_asked_again_and_the_answer_counts(tmp_path: Path) -> None:
    model = ScriptedModel(invalid=lambda request: 2 if stage_of(request) == "step2" else 0)
    outcome = scored(case(), tmp_path, model, [model])
    assert not outcome.failures
    assert len(model.asked("step2")) == 3
    assert len(model.requests) == 7 + 2


def test_an_analyst_that_fails_at_step_3_keeps_the_evidence_before_and_fails_that_response_alone(
    tmp_path: Path,
) -> None:
    responses = [marked("one", "alfa"), marked("two", "bravo"), marked("three", "charlie")]
    model = ScriptedModel(fails=refuse("step3", "bravo"))
    run = creaeval.score(
        responses, scenarios=scenarios(), analyst=model, judges=model, ledger=tmp_path / "ledger.db"
    )
    one, two, three = run.outcomes
    assert (run.state, run.n_failed) == ("finished", 1)
    assert (len(one.sheets), len(two.sheets), len(three.sheets)) == (1, 0, 1)
    assert two.evidence is not None
    assert [step.step for step in two.evidence.steps] == ["step1", "step2"]
    assert list(two.memories) == ["step1", "step2"]
    (failure,) = two.failures
    assert (failure.stage, failure.model) == ("step3", "scripted:one")
    assert "analyst (response_id two, step step3)" in failure.reason
    assert "the server is out of order" in failure.reason
    assert list(run.failures["response_id"]) == ["two"]
    assert "two" not in set(run.scores["response_id"])


def test_an_analyst_that_never_answers_usably_fails_with_the_reason(tmp_path: Path) -> None:
    model = ScriptedModel(invalid=lambda request: 99 if stage_of(request) == "step2" else 0)
    outcome = scored(case(), tmp_path, model, [model])
    (failure,) = outcome.failures
    assert failure.stage == "step2"
    assert "gave no usable reply in 4 tries" in failure.reason
    assert not outcome.sheets
    assert model.asked("judge") == []


def test_a_judge_that_fails_leaves_the_other_judges_sheet(tmp_path: Path) -> None:
    judges = [ScriptedModel("scripted:bad", fails=refuse("judge")), ScriptedModel("scripted:good")]
    outcome = scored(case(), tmp_path, None, judges)
    assert [sheet.scorer for sheet in outcome.sheets] == ["scripted:good"]
    assert [(failure.stage, failure.model) for failure in outcome.failures] == [("judge", "scripted:bad")]
    assert outcome.evidence is not None
    assert len(outcome.evidence.steps) == 6


@pytest.mark.parametrize("stage", ["step2", "judge"])
def test_an_error_that_no_retry_can_mend_stops_the_run_and_keeps_what_is_done(
    tmp_path: Path, stage: str
) -> None:
    error = PermanentCallError("the key is wrong")
    # One at a time, so that the first response is finished when the second one meets the error.
    model = ScriptedModel(
        answer=echo("alfa|bravo|charlie"), fails=refuse(stage, "bravo", error), concurrency=1
    )
    ledger = tmp_path / "ledger.db"
    responses = [marked(name, name) for name in ("alfa", "bravo", "charlie")]
    with pytest.raises(PermanentCallError, match="the key is wrong"):
        creaeval.score(responses, scenarios=scenarios(), analyst=model, judges=model, ledger=ledger)
    assert model.closed == 1
    with Ledger.open(ledger) as opened:
        store = RunStore(opened)
        (line,) = store.list()
        run = store.load(line.id)
    assert run.state == "failed"
    assert [(outcome.response_id, len(outcome.sheets)) for outcome in run.outcomes] == [("alfa", 1)]
    assert run.manifest["not_reached"] == 2
