"""Full and brief evidence: what the analyst and the judge are told, and that no length is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from booklets import booklet, case, cgpst, variant
from creaeval.data import Response, make_step
from creaeval.methods import Case, Options
from creaeval.methods.analyse import analyst_prompt
from creaeval.tasks import load_task, parse_task
from scripted import ScriptedModel, canned, fill, text_of
from uses import shared_case, use

from .support import scored

if TYPE_CHECKING:
    from pathlib import Path

    from creaeval.llm import ChatRequest, Prompt
    from creaeval.sheets import Depth
    from creaeval.tasks import Task

DEPTHS: tuple[Depth, ...] = ("full", "brief")


def prompt_of(step_id: str, depth: Depth) -> Prompt:
    one = replace(case(), options=Options(evidence=depth))
    return analyst_prompt(one, [cgpst().step(step_id)], {})


@pytest.mark.parametrize("step", cgpst().steps, ids=lambda step: step.id)
def test_the_analyst_is_told_each_requirement_at_both_depths_and_examples_at_full_depth(step: object) -> None:
    step_id = step.id  # type: ignore[attr-defined]
    full, brief = (prompt_of(step_id, depth).user for depth in DEPTHS)
    for dimension in cgpst().step(step_id).dimensions:
        for requirement in dimension.requirements:
            assert requirement in full
            assert requirement in brief
        for example in dimension.examples:
            assert example in full
            assert example not in brief


def test_full_evidence_is_asked_for_with_how_far_each_requirement_is_met_and_brief_in_one_sentence() -> None:
    full, brief = (prompt_of("step2", depth).system for depth in DEPTHS)
    assert "30 to 60 words" in full
    assert "met, partly, not met" in full
    assert "up to four short passages" in full
    assert "one sentence" in brief
    assert "met, partly" not in brief


def test_the_instructions_are_the_same_for_all_steps_so_that_prompt_caches_hit() -> None:
    for depth in DEPTHS:
        assert len({prompt_of(step.id, depth).system for step in cgpst().steps}) == 1


def test_a_task_without_requirements_is_not_asked_about_them() -> None:
    task = parse_task(
        """
        id: plain
        name: Plain
        source: made for the tests
        description: Answer.
        steps:
          - id: only
            name: Only
            instruction: Write.
            dimensions: [{id: depth, name: Depth, description: How deep?, scale: 1-5}]
        """,
        "plain.yaml",
    )
    response = Response(id="r", steps={"only": make_step(task.steps[0], "Some words.")})
    prompt = analyst_prompt(Case(task, response, None), task.steps, {})
    assert "requirement" not in prompt.system + prompt.user.lower()


def test_the_analyst_is_told_what_makes_an_item_not_count_and_to_compare_items() -> None:
    for depth in DEPTHS:
        user = prompt_of("step1", depth).user
        for code, meaning in cgpst().step("step1").judged_codes.items():
            assert f"{code} = {meaning}" in user
        assert "same_as: compare the challenge with the others of this list" in user
        # Criteria have no codes, and neither has a step without items.
        assert "same_as" not in prompt_of("step4", depth).user + prompt_of("step2", depth).user


def test_a_single_item_is_compared_with_nothing(tmp_path: Path) -> None:
    one = case(variant("one", {"step1": ["Fog fails."]}))
    analyst = ScriptedModel("scripted:analyst")
    scored(one, tmp_path, analyst)
    request = analyst.asked("step1")[0]
    assert "same_as" not in text_of(request)
    assert "same_as" not in json.dumps(request.schema)


CODED_USES = """
id: coded
name: Uses with codes
source: made for the tests
description: Name uses.
needs_scenario: true
noun: use
batching: 9
steps:
  - id: uses
    name: Uses
    instruction: Name uses.
    invalid: {odd: it is no use, duplicate: it is another one again}
    dimensions: [{id: originality, name: Originality, description: How new?, scale: 1-5}]
"""


@pytest.mark.parametrize("task", [load_task("aut"), parse_task(CODED_USES, "coded.yaml")], ids=lambda t: t.id)
def test_responses_that_merely_share_a_call_are_not_compared(task: Task, tmp_path: Path) -> None:
    analyst = ScriptedModel("scripted:analyst")
    scored(shared_case([use("u1", "a stop"), use("u2", "a drum")], task), tmp_path, analyst)
    assert "same_as" not in text_of(analyst.requests[0]) + json.dumps(analyst.requests[0].schema)


def test_the_judge_reads_which_items_say_the_same(tmp_path: Path) -> None:
    same = {
        "step1_evidence.items.item_4.same_as": ["item_1"],
        "step1_evidence.items.item_4.why_same": "Trust.",
    }
    judge = ScriptedModel("scripted:judge")
    scored(case(), tmp_path, ScriptedModel("scripted:analyst", values=same), [judge])
    lines = text_of(judge.requests[0]).splitlines()
    headings = [line for line in lines if line.startswith("item_") and "says the same" in line]
    category = "Arts & Aesthetics"  # the first one, which the script answers
    assert headings == [
        f"item_1, category {category}, says the same as item_4: Trust.",
        f"item_4, category {category}, says the same as item_1: Trust.",
    ]


LONG_OBSERVATION = " ".join(f"observed{n}" for n in range(60))
LONG_MEMORY = "\n".join(f"item_{n}: " + " ".join(["word"] * 60) for n in range(1, 6))
FIVE_QUOTES = [f"passage number {n}" for n in range(5)]


def thorough(request: ChatRequest) -> str:
    """Answer at length: 60-word observations, memories of 1,500 characters, five quotes each."""

    def lengthen(value: object) -> object:
        if not isinstance(value, dict):
            return value
        long = {"observation": LONG_OBSERVATION, "memory": LONG_MEMORY, "quotes": FIVE_QUOTES}
        return {key: long.get(key, lengthen(inner)) for key, inner in value.items()}

    return json.dumps(lengthen(fill(request.schema, request.schema_name)))


@pytest.mark.parametrize("depth", DEPTHS)
def test_a_thorough_analyst_scores_a_booklet_with_seven_requests_and_no_repair(
    depth: Depth, tmp_path: Path
) -> None:
    assert len(LONG_MEMORY) >= 1500
    model = ScriptedModel("scripted:both", answer=thorough)
    outcome = scored(replace(case(), options=Options(evidence=depth)), tmp_path, model, [model])
    assert not outcome.failures
    assert len(model.requests) == 7
    assert outcome.evidence is not None
    first = outcome.evidence.steps[0].items[0].dimensions["fluency"]
    assert first.observation == LONG_OBSERVATION
    assert len(first.quotes) == 5
    assert set(outcome.memories.values()) == {LONG_MEMORY}


def test_the_memory_of_sixteen_items_reaches_later_steps_line_by_line(tmp_path: Path) -> None:
    lines = [f"item_{n}: challenge number {n} of a long booklet, in twelve words or so" for n in range(16)]

    def write(path: str) -> str:
        return "\n".join(lines) if path.endswith(".memory") else canned(path)

    analyst = ScriptedModel("scripted:analyst", write=write)
    scored(case(), tmp_path, analyst)
    for request in analyst.requests[1:]:
        assert all(line in text_of(request) for line in lines)


@pytest.mark.parametrize("depth", DEPTHS)
def test_an_empty_memory_is_sent_back(depth: Depth, tmp_path: Path) -> None:
    def write(path: str) -> str:
        return "…" if path.endswith("memory") and path.startswith("step2") else canned(path)

    analyst = ScriptedModel("scripted:analyst", write=write)
    outcome = scored(replace(case(), options=Options(evidence=depth)), tmp_path, analyst)
    (failure,) = outcome.failures
    assert failure.stage == "step2"
    assert "memory: found '…', expected words" in failure.reason
    assert len(analyst.asked("step2")) == 4


def test_the_examples_of_the_tasks_are_about_other_work() -> None:
    words = " ".join(step.text for step in booklet().steps.values())
    for step in cgpst().steps:
        assert all(example not in words for d in step.dimensions for example in d.examples)


def test_a_judge_is_accepted_without_what_is_computed(tmp_path: Path) -> None:
    def without_sums(request: ChatRequest) -> str:
        reply = fill(request.schema, request.schema_name)
        reply.pop("total")
        for step in reply.values():
            step.pop("overall")
        return json.dumps(reply)

    judge = ScriptedModel("scripted:judge", answer=without_sums)
    (sheet,) = scored(case(), tmp_path, None, [judge]).sheets
    assert len(judge.requests) == 1
    rows = {row.dimension: row for row in sheet.rows() if row.item is None}
    # Absent is not zero: the judge wrote no Overall, and the computed one stands.
    for name in ("step1.overall", "step6.overall", "total"):
        assert rows[name].model_score is None
        assert rows[name].score == rows[name].computed_score
        assert rows[name].score is not None
    # The form asks for them all the same.
    required = judge.requests[0].schema["required"]
    assert required[-1] == "total"
    assert "overall" in judge.requests[0].schema["properties"]["step1"]["required"]
