"""Observations that give a score or, if asked for, copy the response go back once."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from booklets import case
from creaeval.methods import Options
from scripted import ScriptedModel, fill, text_of

from .support import scored

if TYPE_CHECKING:
    from pathlib import Path

    from creaeval.llm import ChatRequest
    from creaeval.methods import Outcome
    from creaeval.sheets import DimensionEvidence

COPIED = "It says that people may lose trust in the daily share."
RUN = "people may lose trust in the daily share"


class Analyst(ScriptedModel):
    """Writes ``first`` of one challenge's elaboration, and ``second`` when asked again."""

    def __init__(self, first: str, second: str | None, path: str = "elaboration.observation") -> None:
        self.first, self.second, self.path = first, second, path
        super().__init__("scripted:analyst", answer=self.say)

    def say(self, request: ChatRequest) -> str:
        if request.schema_name == "reworded":
            names = request.schema["properties"]
            return "nothing" if self.second is None else json.dumps(dict.fromkeys(names, self.second))
        place = f"step1_evidence.items.item_4.{self.path}"
        if not self.path.endswith("observation"):
            place = f"step1_evidence.{self.path}"
        return json.dumps(fill(request.schema, request.schema_name, {place: self.first}))

    @property
    def reworded(self) -> list[ChatRequest]:
        return [request for request in self.requests if request.schema_name == "reworded"]


def run(folder: Path, analyst: Analyst, method: str = "creaeval", **options: Any) -> Outcome:
    return scored(replace(case(), options=Options(**options)), folder, analyst, None, method)


def elaboration(outcome: Outcome) -> DimensionEvidence:
    assert outcome.evidence is not None
    return outcome.evidence.steps[0].items[3].dimensions["elaboration"]


def test_copied_words_are_reported_and_nothing_is_asked_again_by_default(tmp_path: Path) -> None:
    analyst = Analyst(COPIED, "Names a loss of confidence.")
    found = elaboration(run(tmp_path, analyst))
    assert analyst.reworded == []
    # 8 of the 11 words stand in the fourth challenge in this order.
    assert (found.observation, found.copied) == (COPIED, round(8 / 11, 3))


def test_copied_words_go_back_once_in_the_same_conversation_with_the_words_named(tmp_path: Path) -> None:
    analyst = Analyst(COPIED, "Names a loss of confidence.")
    outcome = run(tmp_path, analyst, copied="again")
    (request,) = analyst.reworded
    question, answer, turn = (message.text for message in request.messages)
    assert question == analyst.requests[0].messages[0].text
    assert COPIED in answer
    assert f'It repeats the respondent: "{RUN}"' in turn
    assert list(request.schema["properties"]) == ["step1_item_4_elaboration"]
    found = elaboration(outcome)
    assert (found.observation, found.copied, found.score_words) == ("Names a loss of confidence.", 0.0, "")
    assert len(outcome.sheets) == 1


def test_what_is_copied_again_is_flagged_and_not_asked_a_third_time(tmp_path: Path) -> None:
    analyst = Analyst(COPIED, COPIED)
    found = elaboration(run(tmp_path, analyst, copied="again"))
    assert len(analyst.reworded) == 1
    assert found.copied == round(8 / 11, 3)


@pytest.mark.parametrize("method", ["creaeval", "one-pass", "no-memory"])
def test_a_score_in_evidence_goes_back_once_whatever_is_said_of_copies(tmp_path: Path, method: str) -> None:
    path = "step1.items.item_4.elaboration.observation" if method == "one-pass" else None
    analyst = Analyst("Worked out well, 2/2.", "Says what is lost and why.")
    if path:
        analyst = Analyst("", "Says what is lost and why.")
        values = {f"cgpst_evidence.{path}": "Worked out well, 2/2."}

        def say(request: ChatRequest) -> str:
            if request.schema_name == "reworded":
                return json.dumps(dict.fromkeys(request.schema["properties"], analyst.second))
            return json.dumps(fill(request.schema, request.schema_name, values))

        analyst._answer = say
    found = elaboration(run(tmp_path, analyst, method))
    (request,) = analyst.reworded
    assert 'It gives a score or a number that stands for one ("2/2")' in text_of(request)
    assert (found.observation, found.score_words) == ("Says what is lost and why.", "")


@pytest.mark.parametrize("second", ["Still 2/2.", None])
def test_a_score_that_stays_is_flagged_and_passed_on_with_its_flag(
    tmp_path: Path, second: str | None
) -> None:
    analyst = Analyst("Worked out, 2/2.", second)
    outcome = run(tmp_path, analyst)
    found = elaboration(outcome)
    # A second answer that cannot be used leaves the first one, and the response is scored all the same.
    assert (found.observation, found.score_words) == (second or "Worked out, 2/2.", "2/2")
    assert outcome.failures == ()
    assert len(outcome.sheets) == 1


def test_a_score_in_a_memory_goes_back_too_and_is_noted_where_it_stays(tmp_path: Path) -> None:
    for second, memory, notes in (
        ("item_1: trust", "item_1: trust", ()),
        ("rated 3", "rated 3", ("the memory reads like a score: 'rated 3'",)),
    ):
        analyst = Analyst("item_1: trust, rated 2", second, "memory")
        outcome = run(tmp_path / memory, analyst)
        assert len(analyst.reworded) == 1
        assert outcome.memories["step1"] == memory
        assert outcome.evidence is not None
        assert outcome.evidence.steps[0].notes == notes
