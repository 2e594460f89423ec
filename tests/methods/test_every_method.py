"""What holds for every method: who reads what, how many calls there are, and what becomes of bad replies."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pytest

import booklets
from creaeval.errors import PermanentCallError
from creaeval.methods import Case, get_method, list_methods
from scripted import ScriptedModel, echo, fill, text_of
from uses import shared_case, three_uses

from .canaries import STEPS, case, case_for, task
from .support import all_scored, scored

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from creaeval.llm import ChatReply, ChatRequest
    from creaeval.llm.chat import Finish
    from creaeval.sheets import ScoreSheet

# The offline scorer is asked for uses alone and reads no prompt: tests/offline.
METHODS = [method.name for method in list_methods() if method.provider != "offline"]
EVIDENCE = [method.name for method in list_methods() if method.uses_analyst]


@dataclass(frozen=True)
class Sees:
    """Of which steps a prompt holds what: ``own``, ``before`` it, ``so far``, ``all`` or none.

    A prompt about no step alone is about all.
    """

    raw: str = ""
    description: str = ""
    level: str = ""
    memory: str = ""
    observation: str = ""
    reference: bool = False

    def words(self, step: str | None) -> set[str]:
        """The planted words that a prompt about this step holds."""
        number = STEPS.index(step) if step else 0
        of = {
            "": (),
            "own": STEPS[number : number + 1],
            "before": STEPS[:number],
            "so far": STEPS[: number + 1],
            "all": STEPS,
        }
        kinds = ("raw", "description", "level", "memory", "observation")
        seen = {f"{kind}-{one}" for kind in kinds for one in of[getattr(self, kind)]}
        return seen | {"scenario-word"} | ({"reference-word"} if self.reference else set())


STEPWISE = Sees(raw="own", description="own", memory="before")
EVIDENCE_ALONE = Sees(description="all", level="all", observation="all")
WHOLE = Sees(raw="all", description="all", level="all")
SO_FAR = Sees(raw="so far", description="so far", level="so far")
MAY_SEE: dict[str, dict[str, Sees]] = {
    "creaeval": {"analyst": STEPWISE, "judge": EVIDENCE_ALONE},
    "judge-sees-quotes": {"analyst": STEPWISE, "judge": replace(EVIDENCE_ALONE, raw="all")},
    "no-memory": {"analyst": replace(STEPWISE, memory=""), "judge": EVIDENCE_ALONE},
    "one-pass": {"analyst": Sees(raw="all", description="all"), "judge": EVIDENCE_ALONE},
    "direct": {"judge": WHOLE},
    "direct-expected": {"judge": WHOLE},
    "no-evidence": {"judge": WHOLE},
    "table": {"judge": WHOLE},
    "no-decoupling": {"judge": WHOLE},
    "table-full": {"judge": WHOLE},
    "cot": {"judge": SO_FAR},
    "tot": {"judge": SO_FAR},
    "tot-selected": {"judge": SO_FAR},
    "got": {"judge": SO_FAR},
    "got-aggregate": {"judge": SO_FAR},
    "reference": {"judge": replace(SO_FAR, reference=True)},
    "samer": {"judge": Sees(raw="all")},
    "sft": {"judge": WHOLE},
    "sft-evidence": {"analyst": STEPWISE, "judge": EVIDENCE_ALONE},
}


def planted(path: str) -> str:
    """Mark every text that a model writes with its kind and step; quotes are the marks of the response."""
    kinds = ("quotes", "observation", "memory", "analysis", "columns")
    kind = next(kind for kind in kinds if kind in path).replace("quotes", "raw")
    return f"{kind}-{next((step for step in STEPS if step in path), 'all')}"


def judge_of(sheet: ScoreSheet) -> str:
    """The judge, without the mark of expected scores."""
    return sheet.scorer.removesuffix(" (expected)")


def step_of(request: ChatRequest) -> str | None:
    return next((step for step in STEPS if request.schema_name.startswith(f"{step}_")), None)


def test_the_table_of_who_may_see_what_names_every_method() -> None:
    assert sorted(MAY_SEE) == sorted(METHODS)


@pytest.mark.parametrize("method", METHODS)
def test_every_prompt_holds_what_it_may_and_nothing_else(tmp_path: Path, method: str) -> None:
    models = {role: ScriptedModel(f"scripted:{role}", write=planted) for role in ("analyst", "judge")}
    outcome = scored(case_for(method), tmp_path, models["analyst"], [models["judge"]], method)
    assert len(outcome.sheets) == 1
    assert {role for role, model in models.items() if model.requests} == set(MAY_SEE[method])
    kinds = "raw|description|level|memory|observation|analysis|scenario|reference"
    for role, sees in MAY_SEE[method].items():
        for request in models[role].requests:
            # What a judge wrote itself earlier in a conversation is its own.
            others = [message.text for message in request.messages if message.role == "user"]
            seen = set(re.findall(rf"\b(?:{kinds})-\w+", "\n".join([request.system, *others])))
            assert seen == sees.words(step_of(request)), (role, request.schema_name)


@pytest.mark.parametrize("method", METHODS)
def test_no_prompt_holds_anything_of_another_response(tmp_path: Path, method: str) -> None:
    # What the models write repeats what they read, so that a word that got anywhere would go on.
    models = [ScriptedModel(f"scripted:{n}", answer=echo("alfa|bravo"), delay=0.001) for n in range(2)]
    cases = [case_for(method, token) for token in ("alfa", "bravo")]
    outcomes = all_scored(cases, tmp_path, models[0], [models[1]], method)
    assert [len(outcome.sheets) for outcome in outcomes] == [1, 1]
    seen = [set(re.findall("alfa|bravo", text_of(r))) for model in models for r in model.requests]
    half = len(seen) // 2
    assert sorted(map(sorted, seen)) == [["alfa"]] * half + [["bravo"]] * half


# Calls of one response with its six steps, one judge.
CGPST_CALLS = {
    "creaeval": 7,
    "judge-sees-quotes": 7,
    "no-memory": 7,
    "one-pass": 2,
    "direct": 1,
    "direct-expected": 1,
    "no-evidence": 1,
    "table": 1,
    "no-decoupling": 1,
    "table-full": 3,
    "samer": 1,
    "sft": 1,
    "sft-evidence": 7,
    "cot": 6,
    "tot": 24,
    "tot-selected": 24,
    "got": 48,
    "got-aggregate": 48,
}


@pytest.mark.parametrize("method", METHODS)
def test_a_response_takes_the_calls_that_were_announced(tmp_path: Path, method: str) -> None:
    the_case = case_for(method) if method == "reference" else booklets.case()
    analyst, judge = ScriptedModel("scripted:analyst"), ScriptedModel("scripted:judge")
    scored(the_case, tmp_path, analyst, [judge], method)
    made = len(analyst.requests) + len(judge.requests)
    # Two for the only test of the reference's task.
    assert made == get_method(method).calls(the_case, 1, 1, 1) == CGPST_CALLS.get(method, 2)


@pytest.mark.parametrize("method", METHODS)
def test_repeats_and_judges_are_calls_of_their_own(tmp_path: Path, method: str) -> None:
    evidence = 2 if method in EVIDENCE else 1
    the_case = case_for(method)
    analyst = ScriptedModel("scripted:analyst")
    judges = [ScriptedModel("scripted:one"), ScriptedModel("scripted:two")]
    repeats = {"evidence_repeats": evidence, "judge_repeats": 3}
    outcome = scored(the_case, tmp_path, analyst, judges, method, **repeats)
    requests = [request for model in (analyst, *judges) for request in model.requests]
    assert len(requests) == get_method(method).calls(the_case, 2, evidence, 3)
    for judge in judges:
        asked = Counter(
            (request.messages, request.system, request.settings.seed) for request in judge.requests
        )
        assert set(asked.values()) == {1}
    assert Counter(
        (judge_of(sheet), sheet.evidence_repeat, sheet.judge_repeat) for sheet in outcome.sheets
    ) == {(judge.name, e + 1, j + 1): 1 for judge in judges for e in range(evidence) for j in range(3)}


def wrong(text: str) -> str:
    """Put a value that the form does not allow in place of the first number or choice."""
    for pattern, other in (
        (r": \d+", ": 99"),
        ('"(?:present|significantly worse)"', '"perhaps"'),
        ('"(name|reasoning)": "[^"]+"', r'"\1": "…"'),
    ):
        spoilt, found = re.subn(pattern, other, text, count=1)
        if found:
            return spoilt
    raise AssertionError(text)


REPAIRED: dict[str, Callable[[str], str]] = {
    "fenced": lambda text: f"Here you are:\n```json\n{text}\n```\nGood luck!",
    "trailing commas": lambda text: re.sub(r"(?<=[^{])}", ",}", text),
    "numbers in quotes": lambda text: re.sub(r": (\d+)", r': "\1"', text),
    "after reasoning": lambda text: f"<think>{{perhaps 9}}</think>{text}",
}
REFUSED: dict[str, Callable[[str], str]] = {
    "out of range": wrong,
    "no object": lambda _: "I would give it a 7.",
    "empty": lambda _: "",
    "two that differ": lambda text: f"{wrong(text)}\n{text}",
    "a list": lambda text: f"[{text}]",
    "cut off": lambda text: text[: len(text) // 2],
}


def is_repair(request: ChatRequest) -> bool:
    """Whether something is asked once more."""
    last = request.messages[-1].text
    higher = request.settings.max_tokens > 4096
    return higher or "cannot be used" in last or "could not be used" in last


class Spoiling(ScriptedModel):
    """A scripted model whose replies are spoilt: all, or only the first to each question."""

    def __init__(
        self, name: str, spoil: Callable[[str], str], *, always: bool, finish: Finish = "stop"
    ) -> None:
        super().__init__(name, answer=lottery)
        self._spoil, self._always, self._finish = spoil, always, finish

    async def request(self, request: ChatRequest) -> ChatReply:
        reply = await super().request(request)
        if is_repair(request) and not self._always:
            return reply
        return replace(reply, text=self._spoil(reply.text), finish=self._finish)


def lottery(request: ChatRequest) -> str:
    """Answer with numbers that differ with the seed, the schema and the turn."""
    draws = iter(range(request.settings.seed or 0, 1000))
    turns = sum(message.text.startswith("Check your scores") for message in request.messages)

    def drawn(schema: Any) -> Any:
        if schema.get("type") == "integer":
            low, high = schema["minimum"], schema["maximum"]
            return low + (next(draws) + turns) % (high - low + 1)
        if schema.get("type") == "object":
            return {name: drawn(inner) for name, inner in schema["properties"].items()}
        return fill(schema, "x.analysis")

    return json.dumps(drawn(request.schema))


def sheet_of(folder: Path, method: str, spoil: Callable[[str], str], finish: Finish = "stop") -> ScoreSheet:
    """The only sheet that is made of replies that are spoilt at first, and of no reply asked for in vain."""
    models = [
        Spoiling(f"scripted:{role}", spoil, always=False, finish=finish) for role in ("analyst", "judge")
    ]
    outcome = scored(case_for(method), folder, models[0], [models[1]], method)
    assert outcome.failures == ()
    (sheet,) = outcome.sheets
    return sheet


@pytest.mark.parametrize("method", METHODS)
def test_badly_written_replies_end_in_the_same_sheet_as_well_written_ones(
    tmp_path: Path, method: str
) -> None:
    right = sheet_of(tmp_path / "right", method, lambda text: text)
    for name, spoil in {**REPAIRED, **REFUSED}.items():
        assert sheet_of(tmp_path / name, method, spoil) == right, name
    cut = sheet_of(tmp_path / "length", method, lambda text: text[: len(text) // 2], finish="length")
    assert cut == right


@pytest.mark.parametrize("method", METHODS)
def test_a_reply_that_is_understood_is_not_asked_for_again(tmp_path: Path, method: str) -> None:
    for name, spoil in REPAIRED.items():
        models = [Spoiling(f"scripted:{n}", spoil, always=True) for n in range(2)]
        outcome = scored(case_for(method), tmp_path / name, models[0], [models[1]], method)
        assert not outcome.failures
        made = sum(len(model.requests) for model in models)
        assert made == get_method(method).calls(case_for(method), 1, 1, 1), name


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("spoil", REFUSED)
def test_a_judge_that_never_answers_usably_is_a_failure_and_the_other_ones_sheet_stays(
    tmp_path: Path, method: str, spoil: str
) -> None:
    judges = [
        Spoiling("scripted:bad", REFUSED[spoil], always=True),
        Spoiling("scripted:good", lambda text: text, always=True),
    ]
    outcome = scored(case_for(method), tmp_path, None, judges, method)
    assert [judge_of(sheet) for sheet in outcome.sheets] == ["scripted:good"]
    (failure,) = outcome.failures
    assert (failure.stage, failure.model) == ("judge", "scripted:bad")
    assert "no usable reply in 4 tries" in failure.reason


@pytest.mark.parametrize("method", EVIDENCE)
def test_an_analyst_that_never_answers_usably_is_a_failure_and_nobody_judges(
    tmp_path: Path, method: str
) -> None:
    analyst, judge = Spoiling("scripted:bad", wrong, always=True), ScriptedModel("scripted:judge")
    outcome = scored(case_for(method), tmp_path, analyst, [judge], method)
    assert outcome.sheets == ()
    assert [failure.model for failure in outcome.failures] == ["scripted:bad"]
    assert judge.requests == []


@pytest.mark.parametrize("method", METHODS)
def test_an_error_that_no_retry_can_mend_stops_the_run(tmp_path: Path, method: str) -> None:
    judge = ScriptedModel("scripted:judge", fails=lambda _: PermanentCallError("the key is wrong"))
    with pytest.raises(PermanentCallError, match="the key is wrong"):
        scored(case_for(method), tmp_path, None, [judge], method)


@pytest.mark.parametrize("method", [method for method in METHODS if method != "reference"])
def test_a_response_that_lacks_a_step_is_scored_for_the_others(tmp_path: Path, method: str) -> None:
    whole = case()
    kept = {name: written for name, written in whole.response.steps.items() if name != "second"}
    part = Case(whole.task, whole.response.model_copy(update={"steps": kept}), whole.scenario)
    analyst, judge = ScriptedModel("scripted:analyst"), ScriptedModel("scripted:judge")
    (sheet,) = scored(part, tmp_path, analyst, [judge], method).sheets
    assert [scores.step for scores in sheet.steps] == ["first", "third"]
    assert (sheet.total, sheet.written_total) == (None, None)
    made = len(analyst.requests) + len(judge.requests)
    assert made == get_method(method).calls(part, 1, 1, 1)


@pytest.mark.parametrize("method", [name for name in METHODS if not get_method(name).several_steps])
def test_methods_that_need_not_go_from_step_to_step_score_a_task_of_one_step(
    tmp_path: Path, method: str
) -> None:
    one_step = case(task(STEPS[:1], scale="0-1"))
    judge = ScriptedModel("scripted:judge", answer=lottery)
    (sheet,) = scored(one_step, tmp_path, None, [judge], method).sheets
    assert sheet.total in (0, 1)


@pytest.mark.parametrize(
    "method", ["creaeval", "no-memory", "one-pass", "direct", "table", "table-full", "cot"]
)
def test_uses_that_share_a_call_get_a_score_each(tmp_path: Path, method: str) -> None:
    judge = ScriptedModel("scripted:judge", answer=lottery)
    (sheet,) = scored(shared_case(three_uses()), tmp_path, None, [judge], method).sheets
    # The seed is 1, so the lottery gives 1 + 1 and 1 + 2 points; the blank use has none.
    assert [item.scores for item in sheet.steps[0].items] == [{"originality": 2}, {}, {"originality": 3}]
    assert (sheet.written_total, sheet.steps[0].written) == (None, {})
