"""A server on 127.0.0.1 that speaks OpenAI's chat completions and answers any schema after a delay.

    python benchmarks/loopback_server.py --delay 0.05 [--core 1] [--record FILE]

Prints its base URL and serves until its standard input closes. A reply is made once a schema; a mark such as
R0042 in the prompt comes back in its texts, so that prompts built from replies differ too. --record writes
each request.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

# Responses that the benchmarks make hold the first passage to the letter and the second nearly so.
QUOTE = (
    "many people in the old part of the town will have no clean water to drink in the summer months of 2060"
)
NEARLY = QUOTE.replace("clean water to drink", "clear water for drinking")
OBSERVATION = (
    "Response R0000 names a shortage, says whom it reaches and ties it to the season and to the town; no "
    "cause is given, and what would follow from it stays open to the reader."
)
MARK = re.compile(rb"\bR\d{4}\b")


def fill(schema: dict[str, Any], definitions: dict[str, Any], name: str = "") -> Any:
    if "$ref" in schema:
        return fill(definitions[schema["$ref"].rpartition("/")[2]], definitions, name)
    if "anyOf" in schema or "oneOf" in schema:
        return fill((schema.get("anyOf") or schema["oneOf"])[0], definitions, name)
    if "const" in schema or "enum" in schema:
        return schema["const"] if "const" in schema else schema["enum"][0]
    if schema["type"] == "object":
        return {key: fill(inner, definitions, key) for key, inner in schema["properties"].items()}
    if schema["type"] == "array":
        return [QUOTE, NEARLY] if name == "quotes" else [fill(schema["items"], definitions, name)]
    if schema["type"] == "integer":
        return schema.get("minimum", 0)
    return OBSERVATION * 2 if name == "memory" else OBSERVATION


def completion(schema: dict[str, Any]) -> bytes:
    reply = json.dumps(fill(schema, schema.get("$defs", {})))
    tokens = {
        "prompt_tokens": 1000,
        "completion_tokens": len(reply) // 4,
        "total_tokens": 1000 + len(reply) // 4,
    }
    message = {"role": "assistant", "content": reply, "refusal": None}
    body = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1_700_000_000, "model": "bench"}
    body |= {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "usage": tokens}
    return json.dumps(body).encode()


async def serve(delay: float, record: Path | None) -> None:
    from aiohttp import web

    made: dict[str, bytes] = {}
    recorded = record.open("wb") if record else None

    async def answer(request: web.Request) -> web.Response:
        raw = await request.read()
        schema = json.loads(raw)["response_format"]["json_schema"]["schema"]
        key = json.dumps(schema)
        if key not in made:
            made[key] = completion(schema)
        mark = MARK.search(raw)
        reply = made[key].replace(b"R0000", mark[0]) if mark else made[key]
        if recorded:
            recorded.write(raw + b"\n")
            recorded.flush()
        if delay:
            await asyncio.sleep(delay)
        return web.Response(body=reply, content_type="application/json")

    app = web.Application(client_max_size=2**24)
    app.router.add_post("/v1/chat/completions", answer)
    # Contenders take turns, and a connection must outlast the others' turns.
    runner = web.AppRunner(app, access_log=None, keepalive_timeout=3600)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, backlog=1024).start()
    print(f"http://127.0.0.1:{runner.addresses[0][1]}/v1", flush=True)
    await asyncio.to_thread(sys.stdin.read)
    await runner.cleanup()


@contextmanager
def server(delay: float, record: Path | None = None) -> Iterator[str]:
    """Run the server on the last core and hand out its URL."""
    command = [sys.executable, __file__, "--delay", str(delay), "--core", str((os.cpu_count() or 1) - 1)]
    command += ["--record", str(record)] if record else []
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.stdin.close()
        process.wait(30)


def pin(core: int) -> None:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {core})


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--delay", type=float, required=True)
    parser.add_argument("--core", type=int, default=0)
    parser.add_argument("--record", type=Path)
    given = parser.parse_args()
    pin(given.core)
    asyncio.run(serve(given.delay, given.record))
