from __future__ import annotations

import asyncio
import math
import socket
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, get_args

import pytest

from creaeval.errors import CallError, PermanentCallError, SettingError
from creaeval.llm.ask import Ask, Asked, Prompt
from creaeval.llm.chat import AttemptError, ChatReply, ChatRequest, Limits, Message, Settings, Usage
from creaeval.llm.ledger import Ledger
from creaeval.llm.limiter import Limiter
from creaeval.llm.providers.hosted import HostedModel
from creaeval.llm.providers.table import COMPATIBLE, PROVIDERS
from loopback import HTML_PAGE, Fault, Handler, Loopback, Scripted, http_date, limited, spell, used

from .support import KEY, MODELS, Verdict, hosted, served, verdict

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from creaeval.llm.chat import Reasoning

SCHEMA = {"type": "object", "properties": {"a": {"type": "string", "maxLength": 9}}}
REQUEST = ChatRequest("You judge.", (Message("user", "Rate it."),), SCHEMA, "Sheet", Settings(timeout=5))
each_provider = pytest.mark.parametrize("prefix", MODELS)


async def asked(model: HostedModel, request: ChatRequest) -> ChatReply:
    try:
        return await model.request(request)
    finally:
        await model.close()


def reply_from(prefix: str, scripted: Scripted, **settings: Any) -> tuple[ChatReply, Loopback]:
    """Ask a provider's model with its defaults and these settings."""
    with Loopback(lambda *_: scripted) as server:
        model = hosted(prefix, MODELS[prefix], server.root)
        request = replace(REQUEST, settings=replace(model.defaults, timeout=5, **settings))
        return asyncio.run(asked(model, request)), server


def failures_of(prefix: str, scripts: Sequence[Scripted], timeout: float = 5) -> list[CallError]:
    """Ask a provider's model once for each script; all must fail."""

    async def go(root: str) -> list[CallError]:
        model = hosted(prefix, MODELS[prefix], root)
        request = replace(REQUEST, settings=replace(model.defaults, timeout=timeout))
        raised = []
        for _ in scripts:
            with pytest.raises(CallError) as caught:
                await model.request(request)
            raised.append(caught.value)
        await model.close()
        return raised

    with Loopback(lambda _, number: scripts[number]) as server:
        return asyncio.run(go(server.root))


def reply_to(handler: Handler, request: ChatRequest = REQUEST) -> tuple[ChatReply, Loopback]:
    with Loopback(handler) as server:
        return asyncio.run(asked(served(server.url), request)), server


def failure(handler: Handler, kind: type[CallError] = AttemptError, timeout: float = 5) -> Any:
    request = ChatRequest("", REQUEST.messages, SCHEMA, "Sheet", Settings(timeout=timeout))
    with pytest.raises(kind) as caught:
        reply_to(handler, request)
    assert KEY not in str(caught.value)
    return caught.value


def test_what_is_sent_is_what_was_asked_with_the_schema_untouched() -> None:
    conversation = (Message("user", "Rate it."), Message("assistant", "no"), Message("user", "Again."))
    request = ChatRequest("You judge.", conversation, SCHEMA, "Sheet", Settings(0.7, 321, 5, 5))
    _, server = reply_to(lambda *_: Scripted('{"a": "b"}'), request)
    (body,) = server.requests
    assert (body["model"], body["temperature"], body["max_tokens"], body["seed"]) == ("m1", 0.7, 321, 5)
    assert [(turn["role"], turn["content"]) for turn in body["messages"]] == [
        ("system", "You judge."),
        ("user", "Rate it."),
        ("assistant", "no"),
        ("user", "Again."),
    ]
    assert body["response_format"]["json_schema"] == {"name": "Sheet", "schema": SCHEMA, "strict": True}
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"


def test_settings_that_are_none_are_not_sent() -> None:
    request = ChatRequest("", REQUEST.messages, SCHEMA, "Sheet", Settings(temperature=None, seed=None))
    _, server = reply_to(lambda *_: Scripted(), request)
    assert not {"temperature", "seed"} & set(server.requests[0])


def test_a_reply_comes_with_its_tokens_and_the_servers_name_of_the_model() -> None:
    usage = {
        "prompt_tokens": 100,
        "completion_tokens": 50,
        "total_tokens": 150,
        "prompt_tokens_details": {"cached_tokens": 80},
        "completion_tokens_details": {"reasoning_tokens": 30},
    }
    reply, _ = reply_to(lambda *_: Scripted('{"a": "b"}', usage=usage, delay=0.05))
    assert (reply.text, reply.finish, reply.model) == ('{"a": "b"}', "stop", "m1")
    assert reply.usage == Usage(input=100, cached=80, output=50, reasoning=30)
    assert 0.05 <= reply.seconds < 3


def test_reasoning_is_no_part_of_the_text() -> None:
    reply, _ = reply_to(lambda *_: Scripted('<think>draft {"a": "x"}</think>\n{"a": "b"}'))
    assert "draft" not in reply.text
    assert reply.text.strip() == '{"a": "b"}'


def test_a_cut_reply_and_a_refusal_are_told_apart() -> None:
    reply, _ = reply_to(lambda *_: Scripted('{"a": "b', finish_reason="length"))
    assert (reply.finish, reply.text) == ("length", '{"a": "b')
    reply, _ = reply_to(lambda *_: Scripted(None, refusal="I cannot."))
    assert (reply.finish, reply.text) == ("refusal", "I cannot.")


def test_a_rate_limit_says_how_long_to_wait() -> None:
    error = failure(lambda *_: Scripted(status=429, headers={"Retry-After": "7"}))
    assert (error.kind, error.retry_after, error.retry) == ("rate_limit", 7.0, True)


def test_a_wrong_key_is_permanent_and_the_key_is_not_repeated() -> None:
    words = f"Incorrect API key provided: {KEY}. And sk-proj-abc***xyz."
    error = failure(lambda *_: Scripted(status=401, error={"message": words}), PermanentCallError)
    assert "status 401: Incorrect API key provided" in str(error)
    assert "xyz" not in str(error)


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (403, {"message": "forbidden"}),
        (404, {"message": "The model m1 does not exist", "code": "model_not_found"}),
        (429, {"message": "You exceeded your current quota", "code": "insufficient_quota"}),
    ],
)
def test_what_no_retry_can_mend_is_permanent(status: int, error: dict[str, str]) -> None:
    assert error["message"] in str(
        failure(lambda *_: Scripted(status=status, error=error), PermanentCallError)
    )


def test_a_request_that_is_refused_is_not_sent_again_but_does_not_stop_the_run() -> None:
    error = failure(lambda *_: Scripted(status=400, error={"message": "bad schema"}))
    assert not isinstance(error, PermanentCallError)
    assert (error.retry, "status 400: bad schema" in str(error)) == (False, True)


@pytest.mark.parametrize(
    ("scripted", "kind", "words"),
    [
        (Scripted(status=500), "server", "status 500: scripted error"),
        (Scripted(status=503), "server", "status 503"),
        (Scripted(drop=True), "connection", "closed the connection without a whole answer"),
        (Scripted(delay=3), "timeout", "no answer in"),
        (Scripted(body={"id": "x", "object": "chat.completion", "choices": []}), "malformed", ""),
        (Scripted(body={"hello": "world"}), "malformed", ""),
    ],
)
def test_what_may_pass_is_a_failed_attempt_that_says_what_happened(
    scripted: Scripted, kind: str, words: str
) -> None:
    error = failure(lambda *_: scripted, timeout=0.5)
    assert (error.kind, error.retry) == (kind, True)
    assert words in str(error)


@each_provider
def test_a_reply_comes_in_the_same_form_from_every_provider(prefix: str) -> None:
    usage = used(100, cached=80, output=50, reasoning=30)
    content = '{"a": "b",  "c": 1}'
    reply, server = reply_from(prefix, Scripted(content, usage=usage, thinking='Draft {"a": "x"}.'))
    assert reply.text == content
    assert (reply.finish, reply.model) == ("stop", MODELS[prefix])
    assert reply.usage == Usage(input=100, cached=80, output=50, reasoning=30)
    header = "x-goog-api-key" if prefix == "google" else "Authorization"
    assert server.headers[0][header].removeprefix("Bearer ") == KEY


@each_provider
def test_a_cut_reply_says_so_with_what_there_is_of_it(prefix: str) -> None:
    reply, _ = reply_from(prefix, Scripted('{"a": "b', finish_reason="length"))
    assert (reply.finish, reply.text) == ("length", '{"a": "b')


@each_provider
def test_a_refusal_is_told_with_its_words(prefix: str) -> None:
    reply, _ = reply_from(prefix, Scripted(None, refusal="I cannot."))
    # Mistral and Groq have no refusal of their own.
    finish = "stop" if prefix in ("mistral", "groq") else "refusal"
    assert (reply.finish, reply.text) == (finish, "I cannot.")


@pytest.mark.parametrize("prefix", ["deepseek", "qwen", "mistral"])
@pytest.mark.parametrize("content", ['{"a": "b", "a": "c"}', '{"a": "b",}', "{'a': 'b'}", "no object"])
def test_what_a_tool_was_called_with_reaches_the_reader_as_it_was_written(prefix: str, content: str) -> None:
    # Read and written anew, a key that came twice would be lost and what is not quite JSON hidden.
    assert reply_from(prefix, Scripted(content))[0].text == content
    assert reply_from(prefix, Scripted(content, plain=True))[0].text == content


def test_two_calls_of_a_tool_are_two_answers() -> None:
    calls = [
        {"id": f"call{n}", "type": "function", "function": {"name": "Sheet", "arguments": f'{{"a": "{n}"}}'}}
        for n in range(2)
    ]
    message = {"role": "assistant", "content": None, "tool_calls": calls}
    body = {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}],
        "usage": used(1, output=1),
    }
    assert reply_from("qwen", Scripted(body=body))[0].text == '{"a": "0"}\n{"a": "1"}'


@pytest.mark.parametrize(("reasoning", "choice"), [("none", "required"), (None, "auto")])
def test_qwen_is_made_to_call_the_tool_only_where_it_does_not_reason(
    reasoning: Reasoning | None, choice: str
) -> None:
    _, server = reply_from("qwen", Scripted("{}"), reasoning=reasoning)
    assert server.requests[0]["tool_choice"] == choice


@pytest.mark.parametrize("prefix", ["openai", "openai-responses", "google", "vllm"])
def test_token_probabilities_come_token_by_token_if_they_are_asked_for(prefix: str) -> None:
    scripted = Scripted('{"a": "4"}', logprobs=spell('{"a": "4"}', [{"4": 0.5, "5": 0.25}]))
    reply, _ = reply_from(prefix, scripted, logprobs=True)
    assert "".join(token["token"] for token in reply.logprobs) == '{"a": "4"}'
    (digit,) = [token for token in reply.logprobs if token["token"] == "4"]
    assert digit["logprob"] == pytest.approx(math.log(0.5))
    assert reply_from(prefix, scripted)[0].logprobs == ()


# What the ask loop makes of each: no retry can help, or this kind and whether to try again.
FAULTS: dict[Fault, tuple[str, bool] | None] = {
    "rate_limit": ("rate_limit", True),
    "quota": None,
    "payment": None,
    "bad_key": None,
    "forbidden": None,
    "no_model": None,
    "too_long": ("too_long", False),
    "too_long_llama": ("too_long", False),
    "bad_request": ("rejected", False),
    "overloaded": ("rate_limit", True),
    "unavailable": ("server", True),
    "server": ("server", True),
    "failed_generation": ("rejected", False),
}


@each_provider
def test_every_fault_is_what_it_is_whatever_form_the_provider_gives_it(prefix: str) -> None:
    assert set(FAULTS) == set(get_args(Fault))
    raised = failures_of(prefix, [Scripted(fault=fault) for fault in FAULTS])
    for (fault, expected), error in zip(FAULTS.items(), raised, strict=True):
        if fault == "failed_generation" and prefix == "groq":
            # Its server found the reply wrong; another one may be right.
            expected = ("malformed", True)
        if expected is None:
            assert isinstance(error, PermanentCallError), fault
        else:
            assert isinstance(error, AttemptError), fault
            assert (error.kind, error.retry) == expected, fault
            assert error.status is not None
        assert f"{prefix}:" in str(error)
        assert "status" in str(error)
        assert KEY not in str(error)
        # Words, not the JSON they came in.
        assert "{" not in str(error)


def test_googles_word_for_a_limit_by_the_minute_does_not_stop_the_run() -> None:
    # It says "You exceeded your current quota" of those too, and OpenAI of an empty account alone.
    minute, day = failures_of(
        "google", [Scripted(fault="rate_limit", retry_after=12), Scripted(fault="quota")]
    )
    assert isinstance(minute, AttemptError)
    assert (minute.kind, minute.retry_after) == ("rate_limit", 12.0)
    assert isinstance(day, PermanentCallError)
    (empty,) = failures_of("openai", [Scripted(fault="quota")])
    assert isinstance(empty, PermanentCallError)


@each_provider
def test_the_wait_is_read_as_the_provider_says_it(prefix: str) -> None:
    scripts = [
        Scripted(fault="rate_limit"),
        Scripted(fault="rate_limit", retry_after=7),
        Scripted(fault="rate_limit", headers={"Retry-After": "1.5"}),
        Scripted(fault="rate_limit", headers={"Retry-After": http_date(30)}),
        Scripted(status=503, headers={"Retry-After": "3"}),
    ]
    waits = [getattr(error, "retry_after", "no attempt") for error in failures_of(prefix, scripts)]
    assert waits == [None, 7.0, 1.5, pytest.approx(29, abs=2), 3.0]


@each_provider
def test_a_body_that_is_no_reply_is_a_failed_attempt_and_not_the_end_of_the_run(prefix: str) -> None:
    choices: dict[str, Any] = {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [],
    }
    scripts = [
        Scripted(raw=b""),
        Scripted(raw=b"[]"),
        Scripted(raw=HTML_PAGE, content_type="text/html"),
        Scripted(raw=b'{"id": "x", "choices": [{"mess'),
        Scripted(body={"hello": "world"}),
        Scripted(body=choices),
        Scripted(body={**choices, "usage": used(1, output=1)}),
    ]
    for error in failures_of(prefix, scripts):
        assert isinstance(error, AttemptError)
        assert (error.kind, error.retry) == ("malformed", True)
        # In words that say something to whoever has not written the client.
        assert "NoneType" not in str(error)


@each_provider
def test_a_connection_that_breaks_is_a_failed_attempt(prefix: str) -> None:
    for error in failures_of(prefix, [Scripted(drop=True), Scripted(drop_after=0), Scripted(drop_after=30)]):
        assert isinstance(error, AttemptError)
        assert (error.kind, error.retry) == ("connection", True)
        assert "closed the connection without a whole answer" in str(error)


@pytest.mark.parametrize("prefix", ["openai", "anthropic", "groq"])
def test_a_reply_that_comes_in_drips_is_given_up_in_time(prefix: str) -> None:
    # Each of its 20 pieces comes in time, the whole in 2 s.
    started = time.monotonic()
    (error,) = failures_of(prefix, [Scripted("{}", drip=0.1)], timeout=0.4)
    assert isinstance(error, AttemptError)
    assert (error.kind, "no answer in 0.4 s" in str(error)) == ("timeout", True)
    assert time.monotonic() - started < 10


@each_provider
def test_a_server_that_is_not_there_is_named(prefix: str) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        root = f"http://127.0.0.1:{free.getsockname()[1]}"
    model = hosted(prefix, MODELS[prefix], root)
    with pytest.raises(
        AttemptError, match=f"{prefix}:.* at {root}.*: the server cannot be reached"
    ) as caught:
        asyncio.run(asked(model, replace(REQUEST, settings=replace(model.defaults, timeout=5))))
    assert caught.value.kind == "connection"


def test_a_setting_the_model_would_not_get_stops_the_run_before_any_call() -> None:
    with Loopback(lambda *_: Scripted()) as server:
        model = HostedModel("openai:o3", "o3", COMPATIBLE, base_url=server.url, api_key=KEY)
        with pytest.raises(SettingError, match=r"openai:o3 takes no temperature: found 0\.2"):
            asyncio.run(asked(model, REQUEST))
    assert server.requests == []


def test_a_setting_is_checked_once_and_for_all_repeats_together(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Settings] = []

    async def check(provider: object, model: str, settings: Settings, name: str) -> None:
        seen.append(settings)

    monkeypatch.setattr("creaeval.llm.providers._checks.check_settings", check)
    model = served("http://127.0.0.1:9/v1")

    async def go() -> None:
        for seed in (1, 2, 3, None, None):
            await model.check(Settings(seed=seed))
        await model.check(Settings(temperature=0.0, seed=9))

    asyncio.run(go())
    assert [(settings.seed, settings.temperature) for settings in seen] == [(1, 0.2), (None, 0.2), (9, 0.0)]


def test_credentials_in_a_base_url_are_no_part_of_the_identity() -> None:
    model = served("https://me:secret@host.example/v1/?key=secret")
    assert model.identity == {"provider": "openai", "base_url": "https://host.example/v1", "model": "m1"}
    assert "secret" not in model.where


def ask_all(url: str, ledger: Ledger, items: int, concurrency: int, **options: Any) -> list[Asked[Verdict]]:
    async def go() -> list[Asked[Verdict]]:
        model = served(url, limits=Limits(concurrency))
        # Two asks over one model share its limiter, as those of a run do.
        options.setdefault("limiter", Limiter(model.limits))
        asks = [
            Ask(model, ledger, Settings(timeout=20), role=role, **options) for role in ("analyst", "judge")
        ]
        try:
            return await asyncio.gather(
                *(
                    asks[n % 2](Prompt("", f"R{n}"), Verdict, schema_name="S", label={"response_id": f"R{n}"})
                    for n in range(items)
                )
            )
        finally:
            await model.close()

    return asyncio.run(go())


@pytest.mark.parametrize("concurrency", [1, 3, 12])
def test_the_peak_of_open_requests_is_the_setting(tmp_path: Path, concurrency: int) -> None:  # R06
    with (
        Ledger.open(tmp_path / "l.db") as ledger,
        Loopback(lambda *_: Scripted(verdict(), delay=0.05)) as server,
    ):
        assert len(ask_all(server.url, ledger, 12, concurrency)) == 12
        assert (server.peak, len(server.requests)) == (concurrency, 12)


def test_a_rate_limit_storm_ends_with_every_answer_and_no_retry_too_early(tmp_path: Path) -> None:  # R09
    handler = limited(2, Scripted(verdict(6)), retry_after=1)
    with Ledger.open(tmp_path / "l.db") as ledger, Loopback(handler) as server:
        asked = ask_all(server.url, ledger, 6, 6)
        totals = ledger.totals()
    assert [one.value.step.focus for one in asked] == [6] * 6
    assert (handler.billed, handler.early) == (6, 0)
    # A refusal is no call that was paid.
    assert sum(total.calls for total in totals) == 6
    assert len(server.requests) == 6 + handler.refused
    # Four were refused at first; they never come back together.
    again = server.times[6:]
    assert len(again) >= 4
    assert all(sum(at <= other < at + 0.1 for other in again) < 4 for at in again)
    # Two a second for six items take two seconds at best; waits and a slower pace take some more.
    assert server.times[-1] - server.times[0] < 8


def test_the_key_is_in_no_byte_of_the_ledger(tmp_path: Path) -> None:
    error = {"message": f"Incorrect API key provided: {KEY}"}

    def handler(_: dict[str, Any], number: int) -> Scripted:
        return Scripted(status=500, error=error) if number == 0 else Scripted(verdict(), usage=None)

    with Ledger.open(tmp_path / "l.db") as ledger, Loopback(handler) as server:
        ask_all(server.url, ledger, 1, 1)
        server._handler = lambda *_: Scripted(status=401, error=error)
        with pytest.raises(PermanentCallError):
            ask_all(server.url, ledger, 2, 1)
        content = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"Incorrect API key provided: [key]" in content
    assert KEY.encode() not in content


def test_one_model_may_be_used_in_one_event_loop_after_another() -> None:
    with Loopback(lambda *_: Scripted('{"a": "b"}')) as server:
        model = served(server.url)
        assert [asyncio.run(asked(model, REQUEST)).text for _ in range(2)] == ['{"a": "b"}'] * 2


def test_a_word_that_stands_for_no_key_is_not_cut_out_of_replies() -> None:
    with Loopback(lambda *_: Scripted('{"a": "EMPTY"}')) as server:
        model = HostedModel("openai:m1", "m1", COMPATIBLE, base_url=server.url, api_key="EMPTY")
        assert asyncio.run(asked(model, REQUEST)).text == '{"a": "EMPTY"}'


def test_a_key_that_a_server_repeats_is_cut_out_of_replies_and_names() -> None:
    body = Scripted(f'{{"a": "{KEY}"}}')
    reply, _ = reply_from("vllm", body)
    assert reply.text == '{"a": "[key]"}'


def test_a_server_that_asks_for_no_key_gets_none_of_ours() -> None:
    with Loopback(lambda *_: Scripted("{}")) as server:
        model = HostedModel("vllm:ours", "ours", PROVIDERS["vllm"], base_url=server.url)
        asyncio.run(asked(model, replace(REQUEST, settings=model.defaults)))
    assert server.headers[0]["Authorization"] == "Bearer no-key"
