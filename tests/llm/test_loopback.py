"""The scripted server is faithful: the real SDKs, through pydantic-ai, understand all it says."""

from __future__ import annotations

import asyncio
import json
import math
import socket
import ssl
import time
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, get_args

import httpx
import httpx2
import pytest
from anthropic import AsyncAnthropic
from google.genai import Client
from google.genai.types import HttpOptions
from groq import AsyncGroq
from mistralai.client import Mistral
from openai import AsyncOpenAI
from pydantic_ai import exceptions as ai
from pydantic_ai.direct import model_request
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, ThinkingPart, ToolCallPart
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.google import GoogleModel
from pydantic_ai.models.groq import GroqModel
from pydantic_ai.models.mistral import MistralModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.google import GoogleProvider
from pydantic_ai.providers.groq import GroqProvider
from pydantic_ai.providers.mistral import MistralProvider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.tools import ToolDefinition

from loopback import (
    HTML_PAGE,
    PROTOCOLS,
    Fault,
    Handler,
    Loopback,
    Protocol,
    Scripted,
    http_date,
    limited,
    spell,
    used,
    wanted,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

KEY = "sk-test-9c8b7a6d"
NAMES: dict[Protocol, str] = {
    "chat": "gpt-5.4",
    "responses": "gpt-5.4",
    "anthropic": "claude-haiku-4-5",
    "google": "gemini-2.5-flash",
    "mistral": "mistral-medium-latest",
    "groq": "openai/gpt-oss-120b",
}
PATHS: dict[Protocol, str] = {
    "chat": "/v1/chat/completions",
    "responses": "/v1/responses",
    "anthropic": "/v1/messages",
    "google": "/v1beta/models/gemini-2.5-flash:generateContent",
    "mistral": "/v1/chat/completions",
    "groq": "/openai/v1/chat/completions",
}
# Reading the certificates takes longer than a request.
TLS = ssl.create_default_context()
# Two SDKs make a client for calls without asyncio too, which nothing here uses.
UNUSED = httpx2.Client(verify=TLS)
SCHEMA = {
    "type": "object",
    "properties": {"score": {"type": "integer", "minimum": 0, "maximum": 6}},
    "required": ["score"],
    "additionalProperties": False,
}
NATIVE = ModelRequestParameters(
    output_mode="native",
    allow_text_output=False,
    output_object=OutputObjectDefinition(json_schema=SCHEMA, name="Sheet", strict=True),
)
TOOL = ModelRequestParameters(
    output_mode="tool",
    allow_text_output=False,
    output_tools=[ToolDefinition(name="Sheet", parameters_json_schema=SCHEMA, kind="output", strict=True)],
)


@asynccontextmanager
async def served(protocol: Protocol, root: str) -> AsyncIterator[Model[Any]]:
    """Build a model over the real SDK, which never retries by itself."""
    name = NAMES[protocol]
    if protocol == "groq":
        async with httpx.AsyncClient(verify=TLS) as old:
            groq = AsyncGroq(base_url=root, api_key=KEY, max_retries=0, http_client=old)
            yield GroqModel(name, provider=GroqProvider(groq_client=groq))
        return
    async with httpx2.AsyncClient(verify=TLS) as http:
        match protocol:
            case "anthropic":
                claude = AsyncAnthropic(base_url=root, api_key=KEY, max_retries=0, http_client=http)
                yield AnthropicModel(name, provider=AnthropicProvider(anthropic_client=claude))
            case "google":
                options = HttpOptions(base_url=root, httpx_async_client=http, httpx_client=UNUSED)
                gemini = Client(vertexai=False, api_key=KEY, http_options=options)
                yield GoogleModel(name, provider=GoogleProvider(client=gemini))
            case "mistral":
                mistral = Mistral(api_key=KEY, server_url=root, async_client=http, client=UNUSED)
                yield MistralModel(name, provider=MistralProvider(mistral_client=mistral))
            case _:
                openai = AsyncOpenAI(base_url=f"{root}/v1", api_key=KEY, max_retries=0, http_client=http)
                provider = OpenAIProvider(openai_client=openai)
                if protocol == "chat":
                    yield OpenAIChatModel(name, provider=provider)
                else:
                    yield OpenAIResponsesModel(name, provider=provider)


async def request(
    model: Model[Any], parameters: ModelRequestParameters | None = None, timeout: float = 5, **settings: Any
) -> ModelResponse:
    sent: Any = {"timeout": timeout, "max_tokens": 9000, **settings}
    messages = [ModelRequest.user_text_prompt("Rate it.", instructions="You judge.")]
    return await model_request(model, messages, model_settings=sent, model_request_parameters=parameters)


def ask(
    protocol: Protocol, scripted: Scripted, parameters: ModelRequestParameters | None = None, **settings: Any
) -> tuple[ModelResponse, Loopback]:
    async def go() -> ModelResponse:
        async with served(protocol, server.root) as model:
            return await request(model, parameters, **settings)

    with Loopback(lambda *_: scripted) as server:
        return asyncio.run(go()), server


def failures(protocol: Protocol, *scripts: Scripted, timeout: float = 5) -> list[Exception]:
    """Answer one request after the other by a script and return what pydantic-ai raised."""

    async def go() -> list[Exception]:
        raised = []
        async with served(protocol, server.root) as model:
            for _ in scripts:
                with pytest.raises(Exception) as caught:  # noqa: PT011 - which one is what is measured
                    await request(model, timeout=timeout)
                raised.append(caught.value)
        return raised

    with Loopback(lambda _, number: scripts[number]) as server:
        raised = asyncio.run(go())
        assert len(server.records) == len(scripts), "the SDK retried by itself"
    return raised


every_protocol = pytest.mark.parametrize("protocol", PROTOCOLS)


@every_protocol
def test_text_thoughts_and_tokens_arrive(protocol: Protocol) -> None:
    scripted = Scripted("Good.", thinking="Hmm.", usage=used(100, cached=80, output=50, reasoning=30))
    reply, server = ask(protocol, scripted, thinking="low")
    assert (reply.text, reply.finish_reason, reply.model_name) == ("Good.", "stop", NAMES[protocol])
    assert [part.content for part in reply.parts if isinstance(part, ThinkingPart)] == ["Hmm."]
    usage = reply.usage
    assert (usage.input_tokens, usage.output_tokens, usage.unmeasured_requests) == (100, 50, 0)
    assert (usage.cache_read_tokens, usage.output_reasoning_tokens) == (80, 30)
    (record,) = server.records
    assert (record.protocol, record.path) == (protocol, PATHS[protocol])
    key = record.headers["x-goog-api-key" if protocol == "google" else "Authorization"]
    assert key.removeprefix("Bearer ") == KEY
    assert (server.requests, server.headers, server.times) == ([record.body], [record.headers], [record.time])


@every_protocol
def test_a_reply_without_scripted_tokens_has_some(protocol: Protocol) -> None:
    reply, _ = ask(protocol, Scripted("Good."))
    assert reply.usage.input_tokens > 0
    assert (reply.usage.output_tokens, reply.usage.unmeasured_requests) == (5, 0)


@pytest.mark.parametrize("protocol", [protocol for protocol in PROTOCOLS if protocol != "mistral"])
def test_native_output_is_the_text_and_its_schema_is_found(protocol: Protocol) -> None:
    reply, server = ask(protocol, Scripted('{"score": 4}'), NATIVE)
    assert (reply.text, reply.finish_reason) == ('{"score": 4}', "stop")
    name, schema = wanted(server.requests[0])
    assert name == ("" if protocol == "anthropic" else "Sheet")
    assert list(schema["properties"]) == ["score"]


@every_protocol
def test_where_a_tool_must_be_called_the_content_is_its_arguments(protocol: Protocol) -> None:
    reply, server = ask(protocol, Scripted('{"score": 4}', thinking="Hmm."), TOOL)
    *_, call = reply.parts
    assert isinstance(call, ToolCallPart)
    assert (call.tool_name, call.args_as_dict()) == ("Sheet", {"score": 4})
    assert not reply.text
    # Two protocols have no reason of their own for a tool call.
    assert reply.finish_reason == ("stop" if protocol in ("responses", "google") else "tool_call")
    assert wanted(server.requests[0])[0] == "Sheet"
    reply, _ = ask(protocol, Scripted("I would say 4.", plain=True), TOOL)
    assert reply.parts == [TextPart("I would say 4.", **_where(reply))]


def _where(reply: ModelResponse) -> dict[str, Any]:
    (part,) = reply.parts
    assert isinstance(part, TextPart)
    return {"id": part.id, "provider_name": part.provider_name, "provider_details": part.provider_details}


@pytest.mark.parametrize("protocol", ["chat", "responses", "mistral", "groq"])
def test_broken_arguments_are_sent_as_they_are(protocol: Protocol) -> None:
    reply, _ = ask(protocol, Scripted('{"score": ', finish_reason="length"), TOOL)
    (call,) = reply.parts
    assert isinstance(call, ToolCallPart)
    assert (call.args, reply.finish_reason) == ('{"score": ', "length")


@every_protocol
def test_a_cut_reply_says_so(protocol: Protocol) -> None:
    reply, _ = ask(protocol, Scripted('{"score', finish_reason="length"), None)
    assert (reply.text, reply.finish_reason) == ('{"score', "length")
    reply, _ = ask(protocol, Scripted(None, finish_reason="length"), None)
    assert (reply.text, reply.finish_reason) == (None, "length")


@every_protocol
def test_a_filter_and_a_refusal_come_in_the_protocols_own_form(protocol: Protocol) -> None:
    reply, _ = ask(protocol, Scripted(None, finish_reason="content_filter"))
    # Mistral's reference names no such reason.
    assert reply.finish_reason == (None if protocol == "mistral" else "content_filter")
    reply, _ = ask(protocol, Scripted(None, refusal="I cannot."))
    if protocol in ("mistral", "groq"):
        assert (reply.text, reply.finish_reason) == ("I cannot.", "stop")
        return
    assert (reply.parts, reply.finish_reason) == ([], "content_filter")
    details = reply.provider_details or {}
    assert details["block_reason_message" if protocol == "google" else "refusal"] == "I cannot."


@pytest.mark.parametrize("protocol", ["chat", "responses", "google"])
def test_log_probabilities_come_if_they_are_asked_for(protocol: Protocol) -> None:
    scripted = Scripted('{"score": 4}', logprobs=spell('{"score": 4}', [{"4": 0.5, "5": 0.25, "6": 0.125}]))
    brand = "google" if protocol == "google" else "openai"
    settings = {f"{brand}_logprobs": True, f"{brand}_top_logprobs": 2}
    reply, _ = ask(protocol, scripted, NATIVE, **settings)
    sent = _logprobs(protocol, reply)
    assert "".join(token for token, _, _ in sent) == '{"score": 4}'
    (digit,) = [place for place in sent if place[0] == "4"]
    assert digit[1] == pytest.approx(math.log(0.5))
    assert digit[2] == pytest.approx({"4": math.log(0.5), "5": math.log(0.25)})
    reply, _ = ask(protocol, scripted, NATIVE)
    assert _logprobs(protocol, reply) == []


def _logprobs(protocol: Protocol, reply: ModelResponse) -> list[tuple[str, float, dict[str, float]]]:
    """Each token with its log probability and the alternatives."""
    holder: Any = reply.parts[0] if protocol == "responses" else reply
    found: Any = (holder.provider_details or {}).get("logprobs") or []
    if protocol != "google":
        tops = [{top["token"]: top["logprob"] for top in token["top_logprobs"]} for token in found]
        return [(token["token"], token["logprob"], top) for token, top in zip(found, tops, strict=True)]
    if not found:
        return []
    value = "log_probability"
    tops = [{top["token"]: top[value] for top in place["candidates"]} for place in found["top_candidates"]]
    chosen = found["chosen_candidates"]
    return [(token["token"], token[value], top) for token, top in zip(chosen, tops, strict=True)]


REJECTED = ai.ModelRequestRejectedError
KINDS: dict[Fault, type[Exception]] = {
    "rate_limit": ai.ModelRateLimitError,
    "quota": ai.ModelQuotaExceededError,
    "payment": ai.ModelQuotaExceededError,
    "bad_key": ai.ModelAuthenticationError,
    "forbidden": ai.ModelAuthenticationError,
    "no_model": ai.ModelNotFoundError,
    "too_long": ai.ModelContextWindowExceededError,
    "too_long_llama": ai.ModelContextWindowExceededError,
    "bad_request": REJECTED,
    "overloaded": ai.ModelOverloadedError,
    "unavailable": ai.ModelUnavailableError,
    "server": ai.ModelServerError,
    "failed_generation": REJECTED,
}
# Where pydantic-ai sees something else.
EXCEPTIONS: dict[tuple[Protocol, Fault], type[Exception]] = {
    ("chat", "too_long_llama"): REJECTED,
    ("mistral", "no_model"): REJECTED,
    ("mistral", "overloaded"): ai.ModelRateLimitError,
}


@every_protocol
def test_faults_are_told_apart(protocol: Protocol) -> None:
    assert set(KINDS) == set(get_args(Fault))
    raised = failures(protocol, *(Scripted(fault=fault) for fault in KINDS))
    for fault, error in zip(KINDS, raised, strict=True):
        expected = EXCEPTIONS.get((protocol, fault), KINDS[fault])
        # The classes are subclasses of one another, so the nearest is compared.
        assert isinstance(error, ai.ModelHTTPError)
        nearest = {kind for kind in set(KINDS.values()) if isinstance(error, kind)}
        assert max(nearest, key=lambda kind: len(kind.__mro__)) is expected, fault


def test_anthropic_says_overloaded_with_529_and_openai_repeats_a_wrong_key() -> None:
    (overloaded,) = failures("anthropic", Scripted(fault="overloaded"))
    assert isinstance(overloaded, ai.ModelOverloadedError)
    assert "529" in str(overloaded)
    (wrong,) = failures("chat", Scripted(fault="bad_key"))
    assert KEY in str(wrong)


@every_protocol
def test_a_plain_status_sends_the_given_error_in_the_protocols_wrapping(protocol: Protocol) -> None:
    (error,) = failures(protocol, Scripted(status=503, error={"message": "out for lunch"}))
    assert isinstance(error, ai.ModelUnavailableError)
    assert "out for lunch" in str(error)


@every_protocol
def test_the_wait_is_read_from_every_form_of_it(protocol: Protocol) -> None:
    raised = failures(
        protocol,
        *(
            Scripted(fault="rate_limit", headers=headers)
            for headers in (
                {},
                {"Retry-After": "7"},
                {"Retry-After": http_date(30)},
                {"retry-after-ms": "1500"},
            )
        ),
        Scripted(fault="rate_limit", retry_after=7),
    )
    assert all(isinstance(error, ai.ModelRateLimitError) for error in raised)
    waits = [getattr(error, "retry_after", None) for error in raised]
    assert waits == [None, 7.0, pytest.approx(29, abs=2), 1.5, 7.0]


DECODING = (ai.ModelAPIError, ai.UnexpectedModelBehavior)
# What has no good class of its own comes as any exception, or as an empty reply.
NOTHING: dict[Protocol, dict[str, Any]] = {
    "chat": {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": []},
    "groq": {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": []},
    "mistral": {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [],
        "usage": used(1, output=1),
    },
}


@every_protocol
def test_bodies_that_are_no_reply_fail(protocol: Protocol) -> None:
    page = Scripted(raw=HTML_PAGE, content_type="text/html")
    cut = Scripted(raw=b'{"id": "x", "choices": [{"mess')
    for error in failures(protocol, page, cut):
        assert isinstance(error, DECODING)
        assert not isinstance(error, ai.ModelHTTPError)
    (gateway,) = failures(protocol, Scripted(status=502, raw=HTML_PAGE, content_type="text/html"))
    assert isinstance(gateway, ai.ModelServerError)


@every_protocol
def test_a_body_of_the_wrong_type_is_an_exception_of_any_kind_or_an_empty_reply(protocol: Protocol) -> None:
    empty = Scripted(raw=b"")
    scripts = [Scripted(raw=b"[]"), Scripted(body={"hello": "world"})]
    if protocol == "google":
        # google-genai takes each of these for a reply without candidates.
        for script in (empty, *scripts):
            reply, _ = ask(protocol, script)
            assert (reply.parts, reply.finish_reason, reply.usage.unmeasured_requests) == ([], None, 1)
        return
    assert isinstance(failures(protocol, empty)[0], ai.ModelAPIError)
    bare = (AttributeError, TypeError) if protocol in ("responses", "anthropic", "groq") else DECODING
    assert all(isinstance(error, bare) for error in failures(protocol, *scripts))


@pytest.mark.parametrize(
    ("protocol", "kind"), [("chat", IndexError), ("groq", IndexError), ("mistral", AssertionError)]
)
def test_no_choices_is_a_bare_exception(protocol: Protocol, kind: type[Exception]) -> None:
    (error,) = failures(protocol, Scripted(body=NOTHING[protocol]))
    assert type(error) is kind


@every_protocol
def test_a_connection_closed_before_or_within_the_body_is_a_connection_error(protocol: Protocol) -> None:
    for error in failures(protocol, Scripted(drop=True), Scripted(drop_after=0), Scripted(drop_after=30)):
        assert isinstance(error, ai.ModelConnectionError)
        assert not isinstance(error, ai.ModelTimeoutError)
        assert error.phase == "read"


def test_a_server_that_hangs_times_out_and_one_that_drips_does_not() -> None:
    async def one(protocol: Protocol, root: str) -> float:
        async with served(protocol, root) as model:
            with pytest.raises(ai.ModelTimeoutError):
                await request(model, timeout=0.3)
            # Each piece comes in time, the whole does not: only a deadline of one's own ends this.
            started = time.monotonic()
            assert (await request(model, timeout=0.3)).text == "Good."
            return time.monotonic() - started

    async def go() -> list[float]:
        return await asyncio.gather(*(one(protocol, server.root) for protocol in PROTOCOLS))

    asked: set[Protocol] = set()

    def handler(*_: object) -> Scripted:
        protocol = server.records[-1].protocol
        if protocol in asked:
            return Scripted("Good.", drip=0.03)
        asked.add(protocol)
        return Scripted(delay=5)

    with Loopback(handler) as server:
        assert min(asyncio.run(go())) > 0.5


@every_protocol
def test_a_closed_port_is_a_connection_error(protocol: Protocol) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        root = f"http://127.0.0.1:{free.getsockname()[1]}"

    async def go() -> None:
        async with served(protocol, root) as model:
            with pytest.raises(ai.ModelConnectionError) as caught:
                await request(model)
            assert caught.value.phase == "connect"

    asyncio.run(go())


def _many(handler: Handler, count: int, **settings: Any) -> tuple[list[Any], Loopback]:
    async def go() -> list[Any]:
        async with served("chat", server.root) as model:
            asked = (request(model, seed=n, **settings) for n in range(count))
            return await asyncio.gather(*asked, return_exceptions=True)

    with Loopback(handler) as server:
        return asyncio.run(go()), server


def test_open_requests_are_counted_until_the_client_gives_up() -> None:
    replies, server = _many(lambda *_: Scripted("Good.", delay=0.1), 5)
    assert ([reply.text for reply in replies], server.peak) == (["Good."] * 5, 5)

    async def go() -> None:
        async with served("chat", server.root) as model:
            for _ in range(3):
                with pytest.raises(ai.ModelTimeoutError):
                    await request(model, timeout=0.1)
                await asyncio.sleep(0.05)

    with Loopback(lambda *_: Scripted(delay=5)) as server:
        asyncio.run(go())
        assert server.peak == 1


def test_a_rate_limit_bills_so_many_a_second_and_refuses_the_rest() -> None:
    handler = limited(2, Scripted("Good."), retry_after=1)
    replies, _ = _many(handler, 5)
    refused = [error for error in replies if isinstance(error, ai.ModelRateLimitError)]
    assert (len(refused), handler.refused, handler.billed, handler.early) == (3, 3, 2, 0)
    assert {error.retry_after for error in refused} == {1.0}
    handler = limited(1, lambda _, number: Scripted(f"Reply {number}."))
    body = {"model": "m", "messages": []}
    assert [handler(body, n).fault for n in range(3)] == [None, "rate_limit", "rate_limit"]
    time.sleep(1.0)
    assert handler(body, 3).content == "Reply 3."
    handler = limited(1, Scripted(), retry_after=0.3)
    for _ in range(3):
        handler(body, 0)
    assert (handler.billed, handler.refused, handler.early) == (1, 2, 1)


def test_spelled_tokens_add_up_and_digits_stand_alone() -> None:
    tokens = spell('{"a b": 10, "ß": 3}', [{"1": 0.9}, {"2": 0.5}])
    assert "".join(token["token"] for token in tokens) == '{"a b": 10, "ß": 3}'
    digits = {token["token"]: token["logprob"] for token in tokens if token["token"].isdigit()}
    assert digits == pytest.approx({"1": math.log(0.9), "0": math.log(1e-9), "3": 0.0})
    assert json.dumps(tokens)
