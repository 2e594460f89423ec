"""The contenders of calls.py; each yields functions: the first makes a few calls, the others make all."""

from __future__ import annotations

import asyncio
import csv
import json
import os
import sys
from functools import cache
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from loopback_server import QUOTE

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

CONCURRENCY, WARM = 64, 16
SETTINGS = {"temperature": 0.2, "max_tokens": 4096, "seed": 1}
TASK = Path(__file__).with_name("ideas.yaml")
WHY = (
    "since the wells are dry",
    "as the river falls",
    "because no rain comes",
    "while the mill stands still",
)


def creaeval(url: str, calls: list[dict[str, Any]], folder: Path) -> Iterator[Callable[[], None]]:
    from creaeval import score

    os.environ |= {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "key"}

    def run(n_responses: int, number: int) -> None:
        done = score(
            write_responses(folder / f"responses_{n_responses}.csv", n_responses),
            task=TASK,
            analyst="openai:bench",
            judges="openai:bench",
            settings={"concurrency": CONCURRENCY},
            ledger=folder / f"ledger_{number}.db",
        )
        made = [call for call in done.calls if not call.from_ledger]
        if done.n_failed or len(made) != 2 * n_responses:
            sys.exit(f"{done.n_failed} responses failed, {len(made)} calls made\n{done.failures}")

    yield lambda: run(WARM, 0)
    for number in count(1):
        yield lambda number=number: run(len(calls) // 2, number)


def openai(url: str, calls: list[dict[str, Any]], aiohttp: bool = False) -> Iterator[Callable[[], None]]:
    client = openai_client(url, aiohttp)

    async def one(call: dict[str, Any]) -> None:
        reply = await client.chat.completions.create(
            model="bench", messages=call["messages"], response_format=call["response_format"], **SETTINGS
        )
        form(call).model_validate(json.loads(reply.choices[0].message.content))

    yield from in_one_loop(calls, one)


def agent(url: str, calls: list[dict[str, Any]], aiohttp: bool = False) -> Iterator[Callable[[], None]]:
    from pydantic_ai import Agent, NativeOutput
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    own = {"openai_client": openai_client(url, aiohttp)} if aiohttp else {"base_url": url, "api_key": "key"}
    model = OpenAIChatModel("bench", provider=OpenAIProvider(**own))

    @cache
    def agent_for(reply_type: type, instructions: str) -> Agent:
        return Agent(
            model, output_type=NativeOutput(reply_type), instructions=instructions, model_settings=SETTINGS
        )

    async def one(call: dict[str, Any]) -> None:
        system, user = (message["content"] for message in call["messages"])
        result = await agent_for(form(call), system).run(user)
        assert type(result.output) is form(call)

    yield from in_one_loop(calls, one)


def instructor(url: str, calls: list[dict[str, Any]], aiohttp: bool = False) -> Iterator[Callable[[], None]]:
    from instructor import Mode, from_openai

    client = from_openai(openai_client(url, aiohttp), mode=Mode.JSON_SCHEMA)

    async def one(call: dict[str, Any]) -> None:
        await client.chat.completions.create(
            model="bench", messages=list(call["messages"]), response_model=form(call), **SETTINGS
        )

    yield from in_one_loop(calls, one)


def inspect(url: str, calls: list[dict[str, Any]], folder: Path) -> Iterator[Callable[[], None]]:
    import inspect_ai
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ChatMessageSystem, ChatMessageUser, ResponseSchema, get_model
    from inspect_ai.scorer import Score, mean, scorer
    from inspect_ai.solver import solver
    from inspect_ai.util import JSONSchema

    model = get_model("openai/bench", base_url=url, api_key="key", responses_api=False)
    kinds = {kind(call): call for call in calls}
    schemas = {
        name: ResponseSchema(name=name, json_schema=JSONSchema(**without_const(schema_of(call))), strict=True)
        for name, call in kinds.items()
    }

    @solver
    def ask() -> Any:
        async def solve(state: Any, generate: Any) -> Any:
            return await generate(state, response_schema=schemas[state.metadata["kind"]], **SETTINGS)

        return solve

    @scorer(metrics=[mean()])
    def valid() -> Any:
        async def check(state: Any, _: Any) -> Score:
            form(kinds[state.metadata["kind"]]).model_validate(json.loads(state.output.completion))
            return Score(value=1)

        return check

    def samples(wanted: list[dict[str, Any]]) -> list[Sample]:
        return [
            Sample(
                input=[
                    ChatMessageSystem(content=call["messages"][0]["content"]),
                    ChatMessageUser(content=call["messages"][1]["content"]),
                ],
                metadata={"kind": kind(call)},
            )
            for call in wanted
        ]

    def run(wanted: list[dict[str, Any]]) -> None:
        task = inspect_ai.Task(dataset=samples(wanted), solver=ask(), scorer=valid())
        # inspect starts from 20 connections and feels its way up unless the number is given.
        done = inspect_ai.eval(
            task, model=model, max_connections=CONCURRENCY, log_dir=str(folder), display="none"
        )[0]
        if done.status != "success" or done.results.scores[0].metrics["mean"].value != 1:
            sys.exit(f"inspect-ai: {done.status} {done.error and done.error.message}")

    yield lambda: run(some_of(calls))
    while True:
        yield lambda: run(calls)


CONTENDERS: dict[str, tuple[str, Callable[..., Iterator[Callable[[], None]]], dict[str, Any]]] = {
    # By name: the distribution it needs, the function, its options.
    "creaeval": ("creaeval", creaeval, {}),
    "openai client": ("openai", openai, {}),
    "openai client, aiohttp": ("openai", openai, {"aiohttp": True}),
    "pydantic-ai Agent": ("pydantic-ai-slim", agent, {}),
    "pydantic-ai Agent, aiohttp": ("pydantic-ai-slim", agent, {"aiohttp": True}),
    "instructor": ("instructor", instructor, {}),
    "instructor, aiohttp": ("instructor", instructor, {"aiohttp": True}),
    "inspect-ai": ("inspect-ai", inspect, {}),
}


def openai_client(url: str, aiohttp: bool) -> Any:
    from openai import AsyncOpenAI, DefaultAioHttpClient

    return AsyncOpenAI(base_url=url, api_key="key", http_client=DefaultAioHttpClient() if aiohttp else None)


def in_one_loop(
    calls: list[dict[str, Any]], one: Callable[[dict[str, Any]], Awaitable[None]]
) -> Iterator[Callable[[], None]]:
    """Make calls side by side, every time in the same event loop, so that connections stay open."""

    async def run(wanted: list[dict[str, Any]]) -> None:
        left = iter(wanted)

        async def worker() -> None:
            for call in left:
                await one(call)

        async with asyncio.TaskGroup() as group:
            for _ in range(CONCURRENCY):
                group.create_task(worker())

    with asyncio.Runner() as runner:
        yield lambda: runner.run(run(some_of(calls)))
        while True:
            yield lambda: runner.run(run(calls))


def some_of(calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a few calls of both kinds: the analyst's come first, the judge's last."""
    return calls[: WARM // 2] + calls[-WARM // 2 :]


def kind(call: dict[str, Any]) -> str:
    return call["response_format"]["json_schema"]["name"]


def schema_of(call: dict[str, Any]) -> dict[str, Any]:
    return call["response_format"]["json_schema"]["schema"]


def without_const(node: Any) -> Any:
    """Write single choices as lists of one: inspect-ai's JSONSchema knows no const."""
    if isinstance(node, list):
        return [without_const(inner) for inner in node]
    if not isinstance(node, dict):
        return node
    return {
        "enum" if key == "const" else key: [inner] if key == "const" else without_const(inner)
        for key, inner in node.items()
    }


_FORMS: dict[str, type] = {}


def form(call: dict[str, Any]) -> type:
    """Return the pydantic model of a request's schema."""
    name = kind(call)
    if name not in _FORMS:
        _FORMS[name] = model_of(schema_of(call), name)
    return _FORMS[name]


def model_of(schema: dict[str, Any], name: str) -> Any:
    from pydantic import ConfigDict, Field, create_model

    if "anyOf" in schema:
        first, *rest = (model_of(inner, f"{name}_{i}") for i, inner in enumerate(schema["anyOf"]))
        for other in rest:
            first |= other
        return first
    if "const" in schema or "enum" in schema:
        return Literal[tuple(schema.get("enum", [schema.get("const")]))]
    limits = {"minimum": "ge", "maximum": "le", "maxLength": "max_length", "maxItems": "max_length"}
    field = Field(**{limits[key]: value for key, value in schema.items() if key in limits})
    if schema["type"] == "object":
        fields = {key: (model_of(inner, f"{name}_{key}"), ...) for key, inner in schema["properties"].items()}
        return create_model(name, __config__=ConfigDict(extra="forbid"), **fields)
    if schema["type"] == "array":
        return Annotated[list[model_of(schema["items"], name)], field]
    plain = int if schema["type"] == "integer" else str
    return Annotated[plain, field]


def write_responses(path: Path, n: int) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["id", "ideas"])
        for number in range(1, n + 1):
            ideas = [f"R{number:04d}: {QUOTE} {WHY[(number + i) % 4]}, idea {i}." for i in range(1, 4)]
            table.writerow([f"r{number}", "\n".join(f"{i}. {idea}" for i, idea in enumerate(ideas, 1))])
    return path
