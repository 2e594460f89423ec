"""A scripted server on 127.0.0.1 that speaks OpenAI's chat completions."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web


@dataclass(frozen=True)
class Scripted:
    """What the server does with one request.

    Parameters
    ----------
    content : str or None
        The reply's text.
    status : int
        HTTP status; other than 200 sends `error` instead of a reply.
    headers : mapping of str to str
        HTTP headers.
    delay : float
        Seconds to wait first.
    drop : bool
        Close the connection without an answer.
    finish_reason : str
        OpenAI's reason.
    usage : mapping, optional
        OpenAI's usage object.
    refusal : str or None
        Words of a refusal.
    error : mapping
        Body of an error.
    body : mapping, optional
        The whole body instead of all this.
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


Handler = Callable[[dict[str, Any], int], Scripted]


class Loopback:
    """The server, in a thread of its own; use it as a context manager.

    Parameters
    ----------
    handler : callable
        Takes a request's JSON and its number from 0, returns what to do.

    Attributes
    ----------
    url : str
        Base URL, with ``/v1``.
    requests : list of dict
        Bodies of all requests, in order of arrival.
    headers : list of dict
        Their HTTP headers.
    times : list of float
        When they arrived, by `time.monotonic`.
    peak : int
        Most requests that were open at once.
    """

    def __init__(self, handler: Handler) -> None:
        self._handler = handler
        self.url = ""
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
        app.router.add_post("/v1/chat/completions", self._answer)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        self._loop.run_until_complete(runner.setup())
        site = web.TCPSite(runner, "127.0.0.1", 0)
        self._loop.run_until_complete(site.start())
        self.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
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
        number = len(self.requests)
        self.requests.append(body)
        self.headers.append(dict(request.headers))
        self.times.append(time.monotonic())
        self._open += 1
        self.peak = max(self.peak, self._open)
        try:
            scripted = self._handler(body, number)
            if scripted.delay:
                await asyncio.sleep(scripted.delay)
        finally:
            self._open -= 1
        if scripted.drop:
            if request.transport is not None:
                request.transport.close()
            return web.Response()
        if scripted.status != 200:
            answer = {"error": dict(scripted.error)}
            return web.json_response(answer, status=scripted.status, headers=dict(scripted.headers))
        return web.json_response(scripted.body or _completion(scripted, body), headers=dict(scripted.headers))


def _completion(scripted: Scripted, request: Mapping[str, Any]) -> dict[str, Any]:
    message = {"role": "assistant", "content": scripted.content, "refusal": scripted.refusal}
    words = len(json.dumps(request["messages"]).split())
    usage = scripted.usage or {"prompt_tokens": words, "completion_tokens": 5, "total_tokens": words + 5}
    return {
        "id": "chatcmpl-loopback",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": request["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": scripted.finish_reason}],
        "usage": dict(usage),
    }
