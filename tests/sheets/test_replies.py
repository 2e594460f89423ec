from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from creaeval.llm.replies.schema import reply_schema
from creaeval.sheets import Depth, Evidence, ItemEvidence, StepEvidence
from creaeval.sheets.replies import Finding, evidence_reply, judge_reply
from creaeval.tasks import load_task

CGPST = load_task("cgpst")


def judged(*steps: str, items: int = 1) -> Evidence:
    found = [
        StepEvidence(
            step=step,
            items=tuple(ItemEvidence(item=n + 1) for n in range(items)) if CGPST.step(step).items else (),
        )
        for step in steps
    ]
    return Evidence(response_id="R", steps=tuple(found))


def step1(item: dict[str, Any], **changes: Any) -> dict[str, Any]:
    sums = {"fluency": 1, "flexibility": 1, "elaboration": 1, "originality": 1, "overall": 4}
    return {"step1": {"items": {"item_1": item}, **sums, **changes}}


VALID = {"valid": "yes", "elaboration": 2, "originality": 0}


@pytest.mark.parametrize("empty", ["…", "<respondent-f6294d05>", " </earlier-0a1b2c3d> …"])
@pytest.mark.parametrize("field", ["observation", "quotes"])
def test_dots_and_marks_in_place_of_words_are_refused(field: str, empty: str) -> None:
    words = {"quotes": ["a town"], "observation": "It names a town.", "status": "present"}
    Finding.model_validate(words)
    with pytest.raises(ValidationError, match="expected words"):
        Finding.model_validate({**words, field: [empty] if field == "quotes" else empty})


def test_the_analysts_form_asks_for_given_items_only_and_for_no_count_of_categories() -> None:
    schema = reply_schema(evidence_reply("cgpst", CGPST.steps[0], CGPST.categories, (1, 3)))
    assert schema["required"] == ["memory", "items"]
    assert list(schema["properties"]["items"]["properties"]) == ["item_1", "item_3"]
    item = schema["properties"]["items"]["properties"]["item_3"]
    assert item["required"] == ["category", "fluency", "elaboration", "originality", "same_as", "why_same"]
    assert len(item["properties"]["category"]["enum"]) == 18


@pytest.mark.parametrize("depth", ["full", "brief"])
def test_every_text_in_the_analysts_form_has_a_longest_length_where_a_grammar_holds_the_model(
    depth: Depth,
) -> None:
    def texts(node: Any) -> list[dict[str, Any]]:
        if isinstance(node, list):
            return [text for child in node for text in texts(child)]
        if not isinstance(node, dict):
            return []
        own = [node] if node.get("type") == "string" and "enum" not in node else []
        return own + [text for child in node.values() for text in texts(child)]

    for step in CGPST.steps:
        form = evidence_reply("cgpst", step, CGPST.categories, (1, 2), depth=depth)
        found = texts(reply_schema(form, bounded=True))
        assert found
        assert all("maxLength" in text for text in found)
        assert not any("maxLength" in text for text in texts(reply_schema(form)))


def test_points_have_the_scales_bounds_in_the_schema_and_sums_those_of_the_step() -> None:
    schema = reply_schema(judge_reply(CGPST, judged("step1", "step2")))
    first, second = (schema["properties"][step]["properties"] for step in ("step1", "step2"))
    valid, invalid = first["items"]["properties"]["item_1"]["anyOf"]
    assert (valid["properties"]["elaboration"]["minimum"], valid["properties"]["elaboration"]["maximum"]) == (
        0,
        2,
    )
    assert list(invalid["properties"]) == ["valid"]
    assert "blank" not in invalid["properties"]["valid"]["enum"]
    # 8 items of 2 points; Overall 8 + 8 + 16 + 16
    assert (first["elaboration"]["maximum"], first["overall"]["maximum"]) == (16, 48)
    assert (second["focus"]["minimum"], second["focus"]["maximum"]) == (1, 10)


@pytest.mark.parametrize(
    "reply",
    [
        step1({**VALID, "elaboration": 3}),
        step1({**VALID, "elaboration": True}),
        step1({**VALID, "elaboration": 1.5}),
        step1({"valid": "yes", "elaboration": 2}),
        step1({"valid": "duplicate", "elaboration": 0, "originality": 0}),
        step1({"valid": "blank"}),
        step1({"valid": "no"}),
        step1(VALID, fluency=9),
        step1(VALID, extra=1),
        {**step1(VALID), "total": 4},
    ],
)
def test_a_judges_reply_outside_the_form_is_refused(reply: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        judge_reply(CGPST, judged("step1")).model_validate(reply)


def test_a_judges_reply_in_the_form_is_taken() -> None:
    form = judge_reply(CGPST, judged("step1"))
    form.model_validate(step1(VALID))
    form.model_validate(step1({"valid": "duplicate"}))


def test_the_total_is_asked_for_only_where_no_step_is_missing() -> None:
    every = [step.id for step in CGPST.steps]
    assert "total" in judge_reply(CGPST, judged(*every)).model_fields
    assert "total" not in judge_reply(CGPST, judged(*every[:5])).model_fields
