"""One tiny call that says what works."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from creaeval.errors import SettingError
from creaeval.llm.chat import AttemptError, ChatReply, ChatRequest, Usage
from creaeval.llm.checkup import Checkup, check_model
from creaeval.llm.prices import Price
from loopback import Handler, Loopback, Scripted, spell, used

from .support import KEY, FakeModel, hosted

if TYPE_CHECKING:
    from creaeval.llm.chat import ChatModel

GOOD = '{"score": 2, "status": "present"}'
NAMES = {
    "openai": "gpt-5.4",
    "openai-responses": "gpt-5.4",
    "anthropic": "claude-haiku-4-5",
    "google": "gemini-2.5-flash",
    "deepseek": "deepseek-chat",
    "qwen": "qwen-plus",
    "mistral": "mistral-large-latest",
    "groq": "openai/gpt-oss-120b",
    "vllm": "ours",
}


def check(model: ChatModel, **given: Any) -> Checkup:
    return asyncio.run(check_model(model, given))


def checked(
    prefix: str, answer: Scripted | Handler, name: str = "", **given: Any
) -> tuple[Checkup, Loopback]:
    options = {"price": given.pop("price")} if "price" in given else {}
    with Loopback((lambda *_: answer) if isinstance(answer, Scripted) else answer) as server:
        found = check(hosted(prefix, name or NAMES[prefix], server.root, **options), **given)
    assert KEY not in repr(found)
    return found, server


def states(found: Checkup) -> dict[str, str]:
    return {one.name: one.state for one in found.findings}


def words(found: Checkup, name: str) -> str:
    return next(one.words for one in found.findings if one.name == name)


@pytest.mark.parametrize("prefix", NAMES)
def test_a_model_that_answers_in_the_form_asked_for_works_at_the_cost_of_one_call(prefix: str) -> None:
    found, server = checked(prefix, Scripted(GOOD, usage=used(100, output=10)))
    assert found.works
    assert len(server.requests) == 1
    assert (found.model, found.usage) == (f"{prefix}:{NAMES[prefix]}", Usage(100, 0, 10, 0))
    assert found.seconds > 0
    assert list(states(found)) == [
        "settings",
        "key and address",
        "structured output",
        "token probabilities",
        "cached tokens",
    ]
    assert {states(found)[name] for name in ("settings", "key and address", "structured output")} == {"yes"}
    assert words(found, "key and address") == f"answered as {NAMES[prefix]}"
    seed = "" if prefix in ("openai-responses", "anthropic") else "seed 1, "
    assert words(found, "settings") == f"sent as they are: temperature 0.2, {seed}max_tokens 4096"


def test_the_settings_that_a_run_would_have_are_those_of_a_judge() -> None:
    given: dict[str, Any] = {
        "temperature": 1,
        "judge.temperature": "0",
        "analyst.seed": 9,
        "reasoning": "low",
    }
    found, server = checked("vllm", Scripted(GOOD), **given)
    (body,) = server.requests
    assert (body["temperature"], body["seed"], body["reasoning_effort"]) == (0.0, 1, "low")
    assert (
        words(found, "settings") == "sent as they are: temperature 0, seed 1, reasoning low, max_tokens 4096"
    )


def test_a_setting_that_is_none_is_said_before_anything_is_sent() -> None:
    with (
        Loopback(lambda *_: Scripted(GOOD)) as server,
        pytest.raises(SettingError, match="temperature: found 'hot'"),
    ):
        check(hosted("vllm", "ours", server.root), temperature="hot")
    assert server.requests == []


def test_a_setting_that_would_be_dropped_is_a_no_without_any_request() -> None:
    found, server = checked("openai", Scripted(GOOD), "o3")
    assert server.requests == []
    assert not found.works
    assert states(found) == {"settings": "no"}
    assert words(found, "settings").startswith("openai:o3 takes no temperature: found 0.2")
    assert "--set temperature=default" in words(found, "settings")
    assert (found.usage, found.cost_usd) == (Usage(), 0.0)


@pytest.mark.parametrize("prefix", NAMES)
def test_a_wrong_key_is_said(prefix: str) -> None:
    found, server = checked(prefix, Scripted(fault="bad_key"))
    assert not found.works
    assert len(server.requests) == 1
    assert states(found) == {"settings": "yes", "key and address": "no"}
    # Google answers 400 to a wrong key, the others 401.
    assert f"status {400 if prefix == 'google' else 401}" in words(found, "key and address")
    assert "Check the API key" in words(found, "key and address")


def test_an_unknown_model_and_a_server_that_is_busy_are_told_apart() -> None:
    found, _ = checked("openai", Scripted(fault="no_model"))
    assert "Check the model's name and the base URL" in words(found, "key and address")
    found, server = checked("openai", Scripted(fault="server"))
    assert states(found) == {"settings": "yes", "call": "no"}
    assert (found.works, len(server.requests)) == (False, 1)


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        ("I would say two.", "expected"),
        ('{"score": 7, "status": "present"}', "found 7, expected a whole number from 0 to 3"),
        ('{"score": 2}', "status"),
        ("", "found ''"),
    ],
)
@pytest.mark.parametrize("prefix", ["vllm", "qwen"])
def test_a_reply_of_another_form_is_a_no(prefix: str, reply: str, problem: str) -> None:
    found, _ = checked(prefix, Scripted(reply, plain=True))
    assert states(found)["structured output"] == "no"
    assert problem in words(found, "structured output")
    assert states(found)["key and address"] == "yes"
    assert not found.works


def test_a_reply_that_was_cut_off_is_a_no() -> None:
    found, _ = checked("vllm", Scripted('{"sco', finish_reason="length"), max_tokens=64)
    assert words(found, "structured output") == "cut off by the limit of 64 tokens"


@pytest.mark.parametrize("prefix", ["openai", "openai-responses", "google", "vllm"])
def test_token_probabilities_that_come_are_counted(prefix: str) -> None:
    found, server = checked(prefix, Scripted(GOOD))
    assert states(found)["token probabilities"] == "yes"
    assert words(found, "token probabilities") == f"for {len(spell(GOOD))} tokens"
    # Google's field is called responseLogprobs.
    assert "logprobs" in json.dumps(server.requests[0]).lower()


@pytest.mark.parametrize("prefix", ["anthropic", "mistral", "groq"])
def test_where_there_are_no_token_probabilities_none_are_asked_for(prefix: str) -> None:
    found, server = checked(prefix, Scripted(GOOD))
    assert states(found)["token probabilities"] == "not asked"
    assert "logprobs" not in json.dumps(server.requests[0]).lower()
    assert found.works


def test_token_probabilities_that_were_asked_for_and_did_not_come_are_a_no_but_no_obstacle() -> None:
    found, _ = checked("vllm", Scripted(GOOD, logprobs=[]))
    assert states(found)["token probabilities"] == "no"
    assert found.works


def test_a_server_that_refuses_to_give_them_works_all_the_same() -> None:
    def handler(body: dict[str, Any], _: int) -> Scripted:
        error = {"message": "logprobs is not supported"}
        return Scripted(status=400, error=error) if body.get("logprobs") else Scripted(GOOD)

    found, server = checked("openai", handler)
    assert found.works
    assert states(found)["token probabilities"] == "not asked"
    assert len(server.requests) == 2
    # What is refused without them is refused.
    found, server = checked("openai", Scripted(fault="bad_request"))
    assert (found.works, states(found)["call"], len(server.requests)) == (False, "no", 2)


def test_token_probabilities_never_cost_another_setting() -> None:
    # With reasoning gpt-5.4 gives none.
    found, server = checked("openai", Scripted(GOOD), temperature=None, reasoning="low")
    assert states(found)["token probabilities"] == "not asked"
    assert server.requests[0]["reasoning_effort"] == "low"


def test_the_cost_is_that_of_the_tokens() -> None:
    # 60 fresh tokens at 2.5, 40 cached at 0.25, 10 of reply at 15 dollars a million.
    usage = used(100, cached=40, output=10)
    found, _ = checked("openai", Scripted(GOOD, usage=usage), price=Price(2.5, 0.25, 15))
    assert found.cost_usd == pytest.approx(310e-6)
    assert states(found)["cached tokens"] == "yes"
    assert words(found, "cached tokens") == "40 of 100 prompt tokens came from its cache"
    found, _ = checked("openai", Scripted(GOOD, usage=usage))
    assert found.cost_usd is None
    found, _ = checked("vllm", Scripted(GOOD, usage=used(100, output=10)))
    assert found.cost_usd == 0.0
    assert states(found)["cached tokens"] == "no"


class Own(FakeModel):
    """A plug-in's model, which must be started before it is asked and has nothing but the protocol."""

    closed = 0

    async def request(self, request: ChatRequest) -> ChatReply:
        assert self.started == 1
        return await super().request(request)

    async def close(self) -> None:
        self.closed += 1


def test_a_plug_ins_model_is_started_asked_and_closed() -> None:
    model = Own(lambda *_: GOOD)
    found = check(model)
    assert (found.works, model.started, model.closed) == (True, 1, 1)
    assert words(found, "settings") == "temperature 0.2, seed 1, max_tokens 4096"
    assert states(found)["token probabilities"] == "not asked"


def test_a_model_is_closed_whatever_happens() -> None:
    model = Own(lambda *_: AttemptError("gone", kind="connection"))
    assert not check(model).works
    assert model.closed == 1

    class Missing(Own):
        async def start(self) -> None:
            raise SettingError("the extra is not installed")

    missing = Missing(lambda *_: GOOD)
    with pytest.raises(SettingError, match="the extra is not installed"):
        check(missing)
    assert missing.closed == 1
