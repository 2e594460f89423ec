"""Who gets to read what: words planted in one place must turn up where they may, and nowhere else."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import creaeval
from booklets import case, cgpst, marked, scenarios, variant
from scripted import ScriptedModel, echo, stage_of, text_of

from .support import scored

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from creaeval.llm import ChatRequest
    from creaeval.methods import Outcome
    from scripted import Write

STEPS = [step.id for step in cgpst().steps]


def planted(path: str) -> str:
    """Mark every text the analyst writes with its kind and step; quotes are the marks of the response."""
    step = path.partition("_")[0]
    for kind in ("quotes", "observation", "memory", "why_same"):
        if kind in path:
            return f"{kind}-{step}".replace("quotes", "raw")
    if path.endswith("same_as"):
        return ""
    raise AssertionError(path)


def found(pattern: str, requests: Sequence[ChatRequest]) -> list[str]:
    return sorted(set(re.findall(pattern, "\n".join(map(text_of, requests)))))


def run(
    folder: Path, method: str = "creaeval", write: Write = planted
) -> tuple[ScriptedModel, ScriptedModel, Outcome]:
    analyst = ScriptedModel("scripted:analyst", write=write)
    judge = ScriptedModel("scripted:judge")
    outcome = scored(case(marked("a", "raw")), folder, analyst, [judge], method)
    assert not outcome.failures
    return analyst, judge, outcome


def test_what_the_respondent_wrote_reaches_the_analyst_of_that_step_and_nobody_else(
    tmp_path: Path,
) -> None:
    analyst, judge, outcome = run(tmp_path)
    for request in analyst.requests:
        assert found(r"raw-step\d", [request]) == [f"raw-{stage_of(request)}"]
    # Not even as a quote.
    assert found(r"raw-step\d", judge.requests) == []
    assert outcome.evidence is not None
    assert {quote.text for quote in outcome.evidence.quotes} == {f"raw-{step}" for step in STEPS}


def test_a_quote_reaches_the_judge_in_the_variant_that_says_so(tmp_path: Path) -> None:
    analyst, judge, _ = run(tmp_path, "judge-sees-quotes")
    assert found(r"raw-step\d", judge.requests) == [f"raw-{step}" for step in STEPS]
    for request in analyst.requests:
        assert found(r"raw-step\d", [request]) == [f"raw-{stage_of(request)}"]


def test_a_judge_reads_of_quotes_what_stands_in_their_own_place_in_the_words_that_stand_there(
    tmp_path: Path,
) -> None:
    quotes = {
        "step1": "raw-step2",  # elsewhere
        "step2": "How might we open the towns water sharing",  # nearly: the response has "town's"
        "step6": "these words stand nowhere in any booklet at all",
    }

    def write(path: str) -> str:
        return quotes.get(path.partition("_")[0], "") if "quotes" in path else planted(path)

    _, judge, outcome = run(tmp_path, "judge-sees-quotes", write)
    assert outcome.evidence is not None
    assert {quote.outcome for quote in outcome.evidence.quotes} == {"elsewhere", "nearly", "not found"}
    (prompt,) = map(text_of, judge.requests)
    assert 'Quotes: "How might we open the town\'s water sharing"' in prompt
    assert not any(quote in prompt for quote in quotes.values())
    # Of a dimension without any other quote, nothing speaks of quotes.
    assert prompt.count("Quotes:") == 6


def test_an_observation_reaches_the_judge_and_no_analyst(tmp_path: Path) -> None:
    analyst, judge, _ = run(tmp_path)
    assert found(r"observation-step\d", judge.requests) == [f"observation-{step}" for step in STEPS]
    assert found(r"observation-step\d", analyst.requests) == []


def test_a_memory_reaches_later_analysts_and_no_judge(tmp_path: Path) -> None:
    analyst, judge, outcome = run(tmp_path)
    for number, request in enumerate(analyst.requests):
        assert found(r"memory-step\d", [request]) == [f"memory-{step}" for step in STEPS[:number]]
    assert found(r"memory-step\d", judge.requests) == []
    assert outcome.memories == {step: f"memory-{step}" for step in STEPS}


def test_nothing_of_one_response_is_ever_in_a_prompt_about_another(tmp_path: Path) -> None:
    tokens = [f"respondent{number}x" for number in range(3)]
    responses = [marked(token, token) for token in tokens]

    model = ScriptedModel(answer=echo(r"respondent\dx"), delay=0.001)
    creaeval.score(responses, scenarios=scenarios(), analyst=model, judges=model, ledger=tmp_path / "l.db")
    # Six steps and one judge a response; each of their prompts holds one response's token alone.
    seen = [found(r"respondent\dx", [request]) for request in model.requests]
    assert sorted(seen) == sorted([token] for token in tokens for _ in range(7))


def test_a_judge_is_shown_the_rubric_and_every_level_of_it(tmp_path: Path) -> None:
    _, judge, _ = run(tmp_path)
    words = text_of(judge.requests[0])
    for step in cgpst().steps:
        for dimension in step.dimensions:
            assert f"{dimension.id} ({dimension.name}), {dimension.scale}" in words
            assert all(requirement in words for requirement in dimension.requirements)
            assert all(f"  {level.label}: {level.text}" in words for level in dimension.levels)
        if step.items is not None:
            assert all(f"{code} = {text}" in words for code, text in step.judged_codes.items())


def test_judges_prompts_share_all_that_stands_before_the_evidence(tmp_path: Path) -> None:
    # Another number of items, too: what the judge is told of the form must not depend on it.
    responses = [marked("first", "first"), variant("second", {"step1": ["Fog fails"], "step3": ["Dig"]})]
    requests = []
    for response in responses:
        judge = ScriptedModel("scripted:judge")
        scored(case(response), tmp_path / response.id, None, [judge])
        requests += judge.requests
    before = [request.messages[0].text.partition("# Evidence")[0] for request in requests]
    assert before[0] == before[1]
    assert requests[0].system == requests[1].system
    assert requests[0].messages != requests[1].messages
    assert scenarios()["fog_water"].text in before[0]
    assert '"total": …' in before[0]
