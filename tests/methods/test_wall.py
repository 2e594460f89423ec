"""The wall between responses and judges, at both depths of evidence."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from booklets import case, cgpst, marked
from creaeval.data import read_responses, read_scenarios
from creaeval.methods import Case, Options
from data_folder import shared_data
from scripted import ScriptedModel, canned, text_of

from .support import scored

if TYPE_CHECKING:
    from pathlib import Path

    from creaeval.sheets import Depth

METHODS = ("creaeval", "no-memory", "one-pass")
DEPTHS: tuple[Depth, ...] = ("full", "brief")


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("method", METHODS)
def test_no_word_planted_in_a_response_is_in_any_judges_prompt(
    method: str, depth: Depth, tmp_path: Path
) -> None:
    def write(path: str) -> str:
        # The analyst quotes what was planted and notes it in its memory, but observes in its own words.
        step = path.split("_")[0].split(".")[0] if method != "one-pass" else path.split(".")[1]
        planted = f"planted-{step}"
        return planted if path.endswith((".quotes", ".memory")) else canned(path)

    analyst, judge = ScriptedModel("scripted:analyst", write=write), ScriptedModel("scripted:judge")
    one = replace(case(marked("a", "planted")), options=Options(evidence=depth))
    outcome = scored(one, tmp_path, analyst, [judge], method)
    assert len(outcome.sheets) == 1
    assert any("planted-step1" in text_of(request) for request in analyst.requests)
    assert [word for request in judge.requests for word in re.findall("planted", text_of(request))] == []


HONEST = (
    "Names a loss for living things and says what follows (met); its cause is hinted at (partly), and no one "
    "who decides is mentioned (not met)."
)


@pytest.mark.parametrize("depth", DEPTHS)
def test_no_five_words_in_a_row_of_the_published_booklet_reach_a_judge_by_honest_evidence(
    depth: Depth, tmp_path: Path
) -> None:
    (response,) = read_responses([shared_data("cgpst/data_A.json")], cgpst())
    scenarios = read_scenarios(shared_data("cgpst/future_scenarios_en.json"))
    one = Case(cgpst(), response, scenarios[response.scenario or ""], Options(evidence=depth))

    def write(path: str) -> str:
        step = path.partition("_")[0]
        written = response.steps[step].text if step in response.steps else ""
        if path.endswith(".quotes"):
            return " ".join(written.split()[:12])
        return HONEST if path.endswith(".observation") else written if "memory" in path else ""

    analyst, judge = ScriptedModel("scripted:analyst", write=write), ScriptedModel("scripted:judge")
    assert scored(one, tmp_path, analyst, [judge]).sheets
    evidence = text_of(judge.requests[0]).partition("# Evidence")[2]
    words = re.findall(r"\w+", evidence.casefold())
    seen = {tuple(words[n : n + 5]) for n in range(len(words) - 4)}
    for step in response.steps.values():
        raw = re.findall(r"\w+", step.text.casefold())
        assert not seen & {tuple(raw[n : n + 5]) for n in range(len(raw) - 4)}
