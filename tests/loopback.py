"""A scripted server on 127.0.0.1 that speaks the protocols of six providers and misbehaves on command."""

from __future__ import annotations

import asyncio
import json
import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

from aiohttp import web

from llm.protocols import (
    PROTOCOLS,
    Fault,
    Protocol,
    Question,
    error_body,
    fault,
    protocol_of,
    reply,
    spell,
    used,
    wanted,
)

__all__ = [
    "HTML_PAGE",
    "PROTOCOLS",
    "Fault",
    "Handler",
    "Limited",
    "Loopback",
    "Protocol",
    "Record",
    "Scripted",
    "http_date",
    "limited",
    "spell",
    "used",
    "wanted",
]

HTML_PAGE = b"<!doctype html><html><body><h1>Sign in to the network</h1></body></html>"
# A body that drips does so in this many pieces.
PIECES = 20


@dataclass(frozen=True)
class Scripted:
    """What the server does with one request.

    Parameters
    ----------
    content : str or None
        The reply's text; where the request carries an output tool, a call of it with this as arguments.
    status : int
        HTTP status; other than 200 sends `error` instead of a reply.
    headers : mapping of str to str
        HTTP headers.
    delay : float
        Seconds to wait first.
    drop : bool
        Close the connection without an answer.
    finish_reason : str
        OpenAI's reason; written in the protocol's words.
    usage : mapping, optional
        OpenAI's usage object (see `used`); written in the protocol's fields.
    refusal : str or None
        Words of a refusal; Mistral and Groq, which have none, send them as text.
    error : mapping
        Body of an error; what the protocol wraps around it is added.
    body : mapping, optional
        The whole body instead of all this.
    thinking : str or None
        What the model thought, if it says so.
    logprobs : sequence of mapping, optional
        Tokens in the form of chat completions (see `spell`), sent if they are asked for.
    plain : bool
        Answer in text although an output tool is asked for.
    fault : Fault, optional
        Fail as the protocol's provider does; comes before `status` and `body`.
    retry_after : float, optional
        Seconds to wait, said where the protocol says it.
    raw : bytes, optional
        The bytes of the body instead of all this, with `status`.
    content_type : str
        Of the body.
    drop_after : int, optional
        Close the connection after so many bytes of the body.
    drip : float
        Seconds between two of the 20 pieces of the body.
    """

    content: str | None = "{}"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    drop: bool = False
    finish_reason: str = "stop"
    usage: Mapping[str, Any] | None = None
    refusal: str | None = None
    error: Mapping[str, Any] = field(default_factory=lambda: {"message": "scripted error"})
    body: Mapping[str, Any] | None = None
    thinking: str | None = None
    logprobs: Sequence[Mapping[str, Any]] | None = None
    plain: bool = False
    fault: Fault | None = None
    retry_after: float | None = None
    raw: bytes | None = None
    content_type: str = "application/json"
    drop_after: int | None = None
    drip: float = 0.0


Handler = Callable[[dict[str, Any], int], Scripted]


@dataclass(frozen=True)
class Record:
    """One request as it arrived.

    Parameters
    ----------
    protocol : Protocol
        How it was asked.
    path : str
        The URL's path.
    body : dict
        Its JSON.
    headers : dict
        Its HTTP headers.
    time : float
        When, by `time.monotonic`.
    """

    protocol: Protocol
    path: str
    body: dict[str, Any]
    headers: dict[str, str]
    time: float


class Loopback:
    """The server, in a thread of its own; use it as a context manager.

    Parameters
    ----------
    handler : callable
        Takes a request's JSON and its number from 0, returns what to do.

    Attributes
    ----------
    url : str
        Base URL with ``/v1``, as the OpenAI client wants it.
    root : str
        Base URL without, as the other clients want it.
    records : list of Record
        All requests, in order of arrival.
    requests : list of dict
        Their bodies.
    headers : list of dict
        Their HTTP headers.
    times : list of float
        When they arrived, by `time.monotonic`.
    peak : int
        Most requests that were open at once; one that its client gave up is not open.
    """

    def __init__(self, handler: Handler) -> None:
        self._handler = handler
        self.url = ""
        self.root = ""
        self.records: list[Record] = []
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.times: list[float] = []
        self.peak = 0
        self._open = 0
        self._ready = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Loopback:
        self._thread.start()
        if not self._ready.wait(10):
            raise RuntimeError("the loopback server did not start")
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        app = web.Application()
        for path in (
            "/v1/chat/completions",
            "/v1/responses",
            "/v1/messages",
            "/openai/v1/chat/completions",
            "/v1beta/models/{model}:generateContent",
        ):
            app.router.add_post(path, self._answer)
        runner = web.AppRunner(app, shutdown_timeout=0.1, handler_cancellation=True)
        self._loop.run_until_complete(runner.setup())
        site = web.TCPSite(runner, "127.0.0.1", 0)
        self._loop.run_until_complete(site.start())
        self.root = f"http://127.0.0.1:{runner.addresses[0][1]}"
        self.url = f"{self.root}/v1"
        self._ready.set()
        self._loop.run_forever()
        self._loop.run_until_complete(runner.cleanup())
        # Requests that a client gave up on are still being answered.
        left = asyncio.all_tasks(self._loop)
        for task in left:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        self._loop.close()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        body: dict[str, Any] = await request.json()
        headers = dict(request.headers)
        protocol = protocol_of(request.path, headers)
        number = len(self.requests)
        record = Record(protocol, request.path, body, headers, time.monotonic())
        self.records.append(record)
        self.requests.append(body)
        self.headers.append(headers)
        self.times.append(record.time)
        self._open += 1
        self.peak = max(self.peak, self._open)
        try:
            scripted = self._handler(body, number)
            if scripted.delay:
                await asyncio.sleep(scripted.delay)
            response, rest = await self._begin(request, scripted, record)
        finally:
            # Before the end of the reply is sent: its client may ask again at once.
            self._open -= 1
        if rest is not None:
            await response.write(rest)
        if (scripted.drop or scripted.drop_after is not None) and request.transport is not None:
            request.transport.close()
        return response

    async def _begin(
        self, request: web.Request, scripted: Scripted, record: Record
    ) -> tuple[web.StreamResponse, bytes | None]:
        """Send all but the end of the reply; nothing of it unless it comes in pieces."""
        if scripted.drop:
            return web.Response(), None
        model = request.match_info.get("model") or str(record.body.get("model", ""))
        key = request.headers.get("x-goog-api-key") or request.headers.get("x-api-key", "")
        key = key or request.headers.get("Authorization", "").removeprefix("Bearer ")
        status, payload = _payload(scripted, Question(record.protocol, model, record.body, key))
        headers = {**_wait(scripted, record.protocol), **scripted.headers}
        if scripted.drop_after is None and not scripted.drip:
            whole = web.Response(
                body=payload, status=status, headers=headers, content_type=scripted.content_type
            )
            return whole, None
        response = web.StreamResponse(status=status, headers=headers)
        response.content_type = scripted.content_type
        response.content_length = len(payload)
        await response.prepare(request)
        payload = payload[: scripted.drop_after]
        if scripted.drip:
            size = math.ceil(len(payload) / PIECES) or 1
            while len(payload) > size:
                await response.write(payload[:size])
                payload = payload[size:]
                await asyncio.sleep(scripted.drip)
        return response, payload


def _payload(scripted: Scripted, question: Question) -> tuple[int, bytes]:
    if scripted.raw is not None:
        return scripted.status, scripted.raw
    status, body = scripted.status, scripted.body
    if scripted.fault is not None:
        status, body = fault(
            scripted.fault, question, retry_after=scripted.retry_after, content=scripted.content
        )
    elif status != 200:
        body = error_body(question.protocol, status, scripted.error)
    elif body is None:
        body = reply(scripted, question)
    return status, json.dumps(body).encode()


def _wait(scripted: Scripted, protocol: Protocol) -> dict[str, str]:
    seconds = scripted.retry_after
    # Google says it in the body.
    if seconds is None or protocol == "google":
        return {}
    headers = {"Retry-After": str(math.ceil(seconds))}
    if protocol in ("chat", "responses", "anthropic"):
        headers["retry-after-ms"] = str(round(seconds * 1000))
    return headers


def http_date(seconds: float) -> str:
    """Write a time some seconds from now as HTTP does, for a Retry-After."""
    return format_datetime(datetime.now(UTC) + timedelta(seconds=seconds), usegmt=True)


class Limited:
    """A handler with a rate limit; made by `limited`.

    Attributes
    ----------
    billed : int
        Requests answered.
    refused : int
        Requests answered with 429.
    early : int
        Requests sent again before the wait was over.
    """

    def __init__(self, per_second: int, reply: Scripted | Handler, retry_after: float | None) -> None:
        self._per_second, self._reply, self._retry_after = per_second, reply, retry_after
        self._answered: list[float] = []
        self._waiting: dict[str, float] = {}
        self.refused = 0
        self.early = 0

    @property
    def billed(self) -> int:
        return len(self._answered)

    def __call__(self, body: dict[str, Any], number: int) -> Scripted:
        now, same = time.monotonic(), json.dumps(body, sort_keys=True)
        if now < self._waiting.get(same, now):
            self.early += 1
        if sum(moment > now - 1.0 for moment in self._answered) >= self._per_second:
            self.refused += 1
            self._waiting[same] = now + (self._retry_after or 0.0)
            return Scripted(fault="rate_limit", retry_after=self._retry_after)
        self._answered.append(now)
        return self._reply if isinstance(self._reply, Scripted) else self._reply(body, number)


def limited(per_second: int, reply: Scripted | Handler, retry_after: float | None = None) -> Limited:
    """Make a handler that answers so many requests in any one second and refuses the rest.

    Parameters
    ----------
    per_second : int
        How many.
    reply : Scripted or callable
        The answer, or a handler that gives it.
    retry_after : float, optional
        Seconds that a refusal asks to wait.
    """
    return Limited(per_second, reply, retry_after)
