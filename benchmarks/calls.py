"""CPU time of one call: a whole creaeval run beside other ways to make the same requests (Linux, two cores).

    python benchmarks/calls.py [--peers-python /tmp/peers/bin/python]

A loopback server on one core answers after 50 ms; each contender runs in a process of its own on the other core, 64
requests at once. The requests of a creaeval run are recorded first: the contenders send the same instructions, prompts
and schemas, get the same replies, and validate each against the same form. Contenders that are not installed for this
interpreter run with --peers-python (see requirements-peers.txt). CPU is user and system time of the contender after
imports and a few calls; best and median of the repetitions.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import json
import logging
import math
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from functools import cache
from importlib.metadata import version
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from loopback_server import QUOTE, fill, pin, server

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

CONCURRENCY, DELAY, WARM = 64, 0.05, 16
SETTINGS = {"temperature": 0.2, "max_tokens": 4096, "seed": 1}
TASK = """
id: ideas
name: Ideas for a dry summer
source: made up for benchmarks
description: A respondent lists ideas for a town that runs short of water.
scenarios:
  town:
    title: A dry town
    text: >-
      The year is 2060. For three summers no rain has fallen on the town of Lindau. Wells are dry from May to
      September, the river carries too little to drive the mill, and the council hands out water by the litre. Some
      families have left for the coast. A company offers to bring water by pipeline and asks to run the wells for fifty
      years in return. The school teaches only in the cool hours of the morning, and the clinic counts more people with
      weak hearts every week. The council has asked everyone for ideas.
steps:
  - id: ideas
    name: Ideas
    instruction: List three problems that the town will have to solve if the drought goes on for another ten years.
    items:
      name: idea
      max: 3
      invalid:
        unclear: what is meant is unclear or ambiguous
        unrelated: no reasonable tie to the town or the drought
        duplicate: it means the same as another valid idea
    dimensions:
      - id: elaboration
        name: Elaboration
        scope: item
        scale: 0-2
        description: How fully the problem is worked out, and how clearly it is tied to the town and its drought.
        levels:
          0: unclear or incomplete; what the problem is stays unsaid, or nothing ties it to the town
          1: the problem is stated, but thinly or with an incompletely explained tie to the drought
          2: full; what it is, whom it reaches, why it matters, and a logical tie to the drought
      - id: originality
        name: Originality
        scope: item
        scale: 0-2
        description: How far the problem lies from what most people would think of first.
        levels: {0: "conventional, the expected answer", 1: "some novelty, yet still common", 2: a clearly unusual view}
      - id: breadth
        name: Breadth
        scale: 1-5
        description: How many different sides of life in the town the problems touch, taken together.
        levels: {1: one side, 2: "two sides, closely related", 3: two sides, 4: three sides, 5: three distant sides}
      - id: relevance
        name: Relevance
        scale: 1-10
        description: How important these problems are for the future of the town, taken together.
        levels:
          1-3: minor matters, or matters that a wet year would settle by itself
          4-6: matters of some weight for a part of the town
          7-8: important matters for most people of the town
          9-10: decisive matters, on which it depends whether people can stay
"""
PARTS = (
    "since the wells are dry",
    "as the river falls",
    "because the pipeline is late",
    "while the mill stands still",
)


# Contenders. Each yields functions that make the calls of a list of requests once.
def creaeval(url: str, calls: list[dict[str, Any]], folder: Path) -> Iterator[Callable[[], None]]:
    from creaeval import score

    os.environ |= {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "key"}
    (folder / "task.yaml").write_text(TASK)

    def run(n_responses: int, number: int) -> None:
        done = score(
            write_responses(folder / f"responses_{n_responses}.csv", n_responses),
            task=folder / "task.yaml",
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
    from inspect_ai import Task, eval
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
        async def check(state: Any, target: Any) -> Score:
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
        task = Task(dataset=samples(wanted), solver=ask(), scorer=valid())
        # inspect starts from 20 connections and feels its way up unless the number is given.
        done = eval(task, model=model, max_connections=CONCURRENCY, log_dir=str(folder), display="none")[0]
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
    from typing import Annotated

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
    return Annotated[{"integer": int, "string": str}[schema["type"]], field]


def write_responses(path: Path, n: int) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["id", "ideas"])
        for number in range(1, n + 1):
            ideas = [f"R{number:04d}: {QUOTE} {PARTS[(number + i) % 4]}, idea {i}." for i in range(1, 4)]
            table.writerow([f"r{number}", "\n".join(f"{i}. {idea}" for i, idea in enumerate(ideas, 1))])
    return path


def contend(name: str, url: str, folder: Path) -> None:
    """Be one contender: make all calls once for each line on standard input, and print what it took."""
    logging.disable()
    pin(0)
    calls = read_calls(folder)
    package, start, options = CONTENDERS[name]
    if start in (creaeval, inspect):
        options = {"folder": Path(tempfile.mkdtemp(dir=folder))}
    runs = start(url, calls, **options)
    next(runs)()
    print(f"{package} {version(package)}" + (f", openai {version('openai')}" if package != "openai" else ""))
    for _, run in zip(sys.stdin, runs, strict=False):
        before, started = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
        run()
        wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_SELF)
        cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        print(json.dumps({"cpu": 1000 * cpu / len(calls), "wall": wall}), flush=True)


class Contender:
    def __init__(self, name: str, pythons: list[str], url: str, folder: Path) -> None:
        self.name, self.figures = name, []
        module = CONTENDERS[name][0].replace("-slim", "").replace("-", "_")
        python = next((python for python in pythons if has(python, module)), None)
        self.versions = "not installed"
        self.process = None
        if python is not None:
            command = [python, __file__, "--contend", name, url, str(folder)]
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
            )
            self.versions = self.process.stdout.readline().strip() or "failed"

    def run(self) -> None:
        if self.process is not None and self.versions != "failed":
            self.process.stdin.write("\n")
            self.figures.append(json.loads(self.process.stdout.readline()))

    def of(self, kind: str, which: Callable[[list[float]], float]) -> float:
        return which([figure[kind] for figure in self.figures]) if self.figures else math.nan


def has(python: str, module: str) -> bool:
    return subprocess.run([python, "-c", f"import {module}"], capture_output=True).returncode == 0


def read_calls(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "calls.jsonl").read_bytes().splitlines()]


def record(folder: Path, n_calls: int) -> list[dict[str, Any]]:
    """Keep the requests of a creaeval run, for all contenders."""
    with server(0, folder / "calls.jsonl") as url:
        runs = creaeval(url, [{}] * n_calls, folder)
        next(runs)
        next(runs)()
    return read_calls(folder)


def mean_kb(texts: Iterator[str]) -> str:
    return f"{statistics.mean(len(text.encode()) for text in texts) / 1000:.1f} KB"


def main() -> None:
    parser = argparse.ArgumentParser(description="CPU time of one call, beside peers.")
    parser.add_argument("--peers-python", default=sys.executable, help="interpreter that has the peers")
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--only", action="append", choices=CONTENDERS, help="only this one; repeat for more")
    parser.add_argument("--contend", nargs=3, metavar=("NAME", "URL", "FOLDER"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.contend:
        contend(given.contend[0], given.contend[1], Path(given.contend[2]))
        return
    with tempfile.TemporaryDirectory() as name, server(DELAY) as url:
        calls = record(Path(name), given.calls)
        replies = (json.dumps(fill(schema_of(call), {})) for call in calls)
        prompts = ("".join(message["content"] for message in call["messages"]) for call in calls)
        print(
            f"{len(calls)} calls, {CONCURRENCY} at once, a reply takes {DELAY * 1000:.0f} ms; on average prompts "
            f"of {mean_kb(prompts)}, replies of {mean_kb(replies)}; {given.repetitions} repetitions; Python "
            f"{platform.python_version()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n"
        )
        pythons = list(dict.fromkeys([sys.executable, given.peers_python]))
        contenders = [Contender(one, pythons, url, Path(name)) for one in given.only or CONTENDERS]
        # In turn, so that whatever else the machine does falls on all of them.
        for _ in range(given.repetitions):
            for contender in contenders:
                contender.run()
    plain = min((c.of("cpu", min) for c in contenders if c.name == "openai client"), default=math.nan)
    print(
        "| | CPU ms a call, best | median | × openai client | wall s, best | versions |\n|---|---|---|---|---|---|"
    )
    for one in contenders:
        best, median, wall = one.of("cpu", min), one.of("cpu", statistics.median), one.of("wall", min)
        print(
            f"| {one.name} | {best:.2f} | {median:.2f} | {best / plain:.2f} | {wall:.2f} | {one.versions} |"
        )
    best = {one.name: one.of("cpu", min) for one in contenders if one.figures}
    aims = {"pydantic-ai Agent": 1 / 2, "instructor": 1 / 2, "inspect-ai": 1 / 3}
    print(f"\ncreaeval: {best.get('creaeval', math.nan):.2f} ms a call (aim: at most 2.5)", end="")
    for peer, aim in aims.items():
        if peer in best and "creaeval" in best:
            print(f"; {best['creaeval'] / best[peer]:.2f} of {peer} (at most {aim:.2f})", end="")
    print()


if __name__ == "__main__":
    main()
