from __future__ import annotations

import asyncio
import socket
import time
from typing import TYPE_CHECKING, Any

import pytest

from creaeval.errors import CallError, PermanentCallError, SettingError
from creaeval.llm._pydantic_ai import check_settings
from creaeval.llm.ask import Ask, Asked, Prompt
from creaeval.llm.chat import AttemptError, ChatReply, ChatRequest, Message, Settings, Usage
from creaeval.llm.ledger import Ledger
from creaeval.llm.openai_compatible import OpenAICompatible
from loopback import Handler, Loopback, Scripted

from .support import KEY, Verdict, served, verdict

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = {"type": "object", "properties": {"a": {"type": "string", "maxLength": 9}}}
REQUEST = ChatRequest("You judge.", (Message("user", "Rate it."),), SCHEMA, "Sheet", Settings(timeout=5))


def reply_to(handler: Handler, request: ChatRequest = REQUEST) -> tuple[ChatReply, Loopback]:
    async def go(url: str) -> ChatReply:
        model = served(url)
        try:
            await model.start()
            return await model.request(request)
        finally:
            await model.close()

    with Loopback(handler) as server:
        return asyncio.run(go(server.url)), server


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
        (Scripted(drop=True), "connection", "closed the connection without an answer"),
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


def test_a_server_that_is_not_there_is_named() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"

    async def go() -> None:
        model = served(url)
        try:
            await model.request(REQUEST)
        finally:
            await model.close()

    with pytest.raises(AttemptError, match=f"openai:m1 at {url}: the server cannot be reached") as caught:
        asyncio.run(go())
    assert caught.value.kind == "connection"


def test_a_setting_the_model_would_not_get_stops_the_run_before_any_call() -> None:
    async def go(url: str) -> None:
        model = OpenAICompatible("openai:o3", "o3", base_url=url, api_key=KEY)
        try:
            await model.request(REQUEST)
        finally:
            await model.close()

    with Loopback(lambda *_: Scripted()) as server:
        with pytest.raises(SettingError, match=r"openai:o3 takes no temperature: found temperature 0\.2"):
            asyncio.run(go(server.url))
        assert server.requests == []


def test_credentials_in_a_base_url_are_no_part_of_the_identity() -> None:
    model = served("https://me:secret@host.example/v1/?key=secret")
    assert model.identity == {"provider": "openai", "base_url": "https://host.example/v1", "model": "m1"}


def ask_all(url: str, ledger: Ledger, items: int, concurrency: int, **options: Any) -> list[Asked[Verdict]]:
    async def go() -> list[Asked[Verdict]]:
        model = served(url, concurrency=concurrency)
        # Two asks over one model share its room.
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
        Loopback(lambda *_: Scripted(verdict(), delay=0.1)) as server,
    ):
        assert len(ask_all(server.url, ledger, 12, concurrency)) == 12
        assert (server.peak, len(server.requests)) == (concurrency, 12)


def test_a_rate_limit_storm_ends_with_every_answer_and_no_retry_too_early(tmp_path: Path) -> None:  # R09
    good: list[float] = []
    refused: dict[str, float] = {}
    early: list[str] = []

    def limited(body: dict[str, Any], _: int) -> Scripted:
        now, item = time.monotonic(), body["messages"][-1]["content"]
        if item in refused and now < refused[item] + 1.0:
            early.append(item)
        if sum(moment > now - 1.0 for moment in good) >= 2:
            refused[item] = now
            return Scripted(status=429, headers={"Retry-After": "1"})
        good.append(now)
        return Scripted(verdict(6))

    with Ledger.open(tmp_path / "l.db") as ledger, Loopback(limited) as server:
        asked = ask_all(server.url, ledger, 6, 6, attempts=9)
        totals = ledger.totals()
    assert [one.value.step.focus for one in asked] == [6] * 6
    assert early == []
    assert (sum(total.calls for total in totals), len(good)) == (6, 6)


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

        async def go() -> str:
            reply = await model.request(REQUEST)
            await model.close()
            return reply.text

        assert [asyncio.run(go()), asyncio.run(go())] == ['{"a": "b"}'] * 2


@pytest.mark.parametrize(
    ("model", "settings", "dropped"),
    [
        ("gpt-4o-mini", Settings(), None),
        ("gpt-5", Settings(), "temperature"),
        ("gpt-5", Settings(temperature=None), None),
    ],
)
def test_settings_are_checked_for_openai_itself_too_without_a_request(
    model: str, settings: Settings, dropped: str | None
) -> None:
    async def go() -> None:
        # No server is there: only the dry request can raise a SettingError.
        served_by_openai = OpenAICompatible(f"openai:{model}", model, api_key=KEY)
        await served_by_openai.start()
        client = served_by_openai._client
        assert client is not None
        try:
            check_settings(client, model, settings, model, official=True)
        finally:
            await served_by_openai.close()

    if dropped is None:
        asyncio.run(go())
    else:
        with pytest.raises(SettingError, match=f"gpt-5 takes no {dropped}"):
            asyncio.run(go())


def test_a_word_that_stands_for_no_key_is_not_cut_out_of_replies() -> None:
    async def go(url: str) -> str:
        model = OpenAICompatible("openai:m1", "m1", base_url=url, api_key="EMPTY")
        try:
            return (await model.request(REQUEST)).text
        finally:
            await model.close()

    with Loopback(lambda *_: Scripted('{"a": "EMPTY"}')) as server:
        assert asyncio.run(go(server.url)) == '{"a": "EMPTY"}'
