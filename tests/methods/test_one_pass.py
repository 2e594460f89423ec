"""The analyst's single call, and what the judges see of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from booklets import booklet, case, cgpst
from creaeval.methods.analyse import analyst_prompt
from scripted import ScriptedModel, canned, text_of

from .support import scored

if TYPE_CHECKING:
    from pathlib import Path


def test_one_call_is_asked_for_the_evidence_of_every_step_and_item_without_memories(tmp_path: Path) -> None:
    analyst = ScriptedModel("scripted:analyst")
    outcome = scored(case(), tmp_path, analyst, None, "one-pass")
    (request,) = analyst.requests
    parts = request.schema["properties"]
    assert list(parts) == [step.id for step in cgpst().steps]
    assert list(parts["step1"]["properties"]["items"]["properties"]) == [f"item_{n}" for n in range(1, 7)]
    assert all("memory" not in part["properties"] for part in parts.values())
    assert "memory" not in text_of(request)
    assert outcome.memories == {}
    assert outcome.evidence is not None
    assert [step.step for step in outcome.evidence.steps] == list(parts)
    assert outcome.evidence.steps[4].grid_score == 4


def test_the_prompt_holds_all_texts_and_descriptions_and_no_rubric_level() -> None:
    prompt = analyst_prompt(case(), cgpst().steps, {})
    for step in cgpst().steps:
        written = booklet().steps[step.id]
        given = [item.text for item in written.items if item.text] or [written.text]
        assert all(text in prompt.user for text in given)
        for dimension in step.dimensions:
            if dimension.derive != "distinct_categories":
                assert f"{dimension.id} ({dimension.name}): {dimension.description}" in prompt.user
            assert all(f"{level.label}: {level.text}" not in prompt.user for level in dimension.levels)


def test_judges_read_it_as_they_read_the_evidence_of_creaeval(tmp_path: Path) -> None:
    def write(path: str) -> str:
        # Canned texts name the path after the schema; the one pass has the step before the rest of it.
        return "" if path.endswith(".quotes") else canned(f"x.{path.rpartition('.')[2]}")

    judges = []
    for method in ("creaeval", "one-pass"):
        judges.append(ScriptedModel("scripted:judge"))
        scored(case(), tmp_path, ScriptedModel("scripted:analyst", write=write), [judges[-1]], method)
    assert judges[0].requests == judges[1].requests


def test_quotes_are_looked_up_in_the_step_they_are_said_to_come_from(tmp_path: Path) -> None:
    def write(path: str) -> str:
        # The words stand in step 2 of the example alone.
        return "How might we open the town's water sharing" if path.endswith("quotes") else canned(path)

    outcome = scored(case(), tmp_path, ScriptedModel("scripted:a", write=write), None, "one-pass")
    assert outcome.evidence is not None
    found = {
        step.step: {(quote.outcome, quote.place) for d in step.dimensions.values() for quote in d.quotes}
        for step in outcome.evidence.steps
    }
    assert (found["step2"], found["step6"]) == ({("exact", "")}, {("elsewhere", "step2")})


def test_evidence_that_failed_once_leaves_the_other_time(tmp_path: Path) -> None:
    analyst = ScriptedModel("scripted:a", invalid=lambda request: 99 if request.settings.seed == 1 else 0)
    outcome = scored(case(), tmp_path, analyst, None, "one-pass", evidence_repeats=2)
    assert [(f.where, f.model) for f in outcome.failures] == [("all steps, evidence 1", "scripted:a")]
    assert [sheet.evidence_repeat for sheet in outcome.sheets] == [2]
    assert outcome.evidence is not None
    assert outcome.evidence.steps == ()
    assert [(one.repeat, len(one.evidence.steps)) for one in outcome.further] == [(2, 6)]
