"""CPU time of one call: a whole creaeval run beside other ways to make the same requests (Linux, two cores).

    python benchmarks/calls.py [--peers-python /tmp/peers/bin/python]

A loopback server on one core answers after 50 ms; each contender runs in a process of its own on the other
core, 64 requests at once. The requests of a creaeval run are recorded first: the contenders send the same
instructions, prompts and schemas, get the same replies, and validate each against the same form. Those that
are not installed for this interpreter run with --peers-python (see requirements-peers.txt). CPU is user and
system time after imports and a few calls. The contenders take turns, so that other load falls on all of them.
"""

from __future__ import annotations

import argparse
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
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from contenders import CONCURRENCY, CONTENDERS, creaeval, inspect, schema_of
from loopback_server import fill, pin, server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DELAY = 0.05
# At most so much of what these take.
AIMS = {"pydantic-ai Agent": 1 / 2, "instructor": 1 / 2, "inspect-ai": 1 / 3}


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
            f"{len(calls)} calls, {CONCURRENCY} at once, replies after {DELAY * 1000:.0f} ms; on average "
            f"prompts of {mean_kb(prompts)}, replies of {mean_kb(replies)}; {given.repetitions} repetitions; "
            f"Python {platform.python_version()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n"
        )
        pythons = list(dict.fromkeys([sys.executable, given.peers_python]))
        contenders = [Contender(one, pythons, url, Path(name)) for one in given.only or CONTENDERS]
        for _ in range(given.repetitions):
            for contender in contenders:
                contender.run()
    plain = min((c.of("cpu", min) for c in contenders if c.name == "openai client"), default=math.nan)
    print("| | CPU ms a call, best | median | × openai client | wall s, best | versions |")
    print("|---|---|---|---|---|---|")
    for one in contenders:
        best, median, wall = one.of("cpu", min), one.of("cpu", statistics.median), one.of("wall", min)
        print(
            f"| {one.name} | {best:.2f} | {median:.2f} | {best / plain:.2f} | {wall:.2f} | {one.versions} |"
        )
    best = {one.name: one.of("cpu", min) for one in contenders if one.figures}
    print(f"\ncreaeval: {best.get('creaeval', math.nan):.2f} ms a call (aim: at most 2.5)", end="")
    for peer, aim in AIMS.items():
        if peer in best and "creaeval" in best:
            print(f"; {best['creaeval'] / best[peer]:.2f} of {peer} (at most {aim:.2f})", end="")
    print()


if __name__ == "__main__":
    main()
