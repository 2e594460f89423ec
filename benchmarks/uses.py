"""Many uses of objects, by one or two versions of the package side by side.

    python benchmarks/uses.py src [SRC-BEFORE]

First 1,000 uses by the method direct, against a server on 127.0.0.1 that gives each use points by its words:
the scores and the number of requests, in one go and after a kill in the middle. Then 20,000 uses by the
offline scorer: seconds and peak memory of `creaeval score`, the versions in turn. Two versions must give
equal scores with equal numbers of requests.
"""

from __future__ import annotations

import csv
import hashlib
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

OBJECTS = ("brick", "rope", "tire", "paperclip", "bottle")
WORDS = ("hold", "paint", "throw", "stack", "melt", "hide", "weigh", "swing", "carve", "roll", "door", "hat")
USES_OF_ONE = 4
REPEATS = 3


class Server(ThreadingHTTPServer):
    """Gives each use points by a hash of its words, and counts requests."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests = 0
        self.lock = threading.Lock()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, *_: object) -> None:
        """Say nothing of a client that was killed."""

    @property
    def url(self) -> str:
        """The base URL of its chat completions."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class Handler(BaseHTTPRequestHandler):
    """Answers a chat completion."""

    protocol_version = "HTTP/1.1"
    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            self.server.requests += 1
        shown = body["messages"][-1]["content"]
        items = {
            name: {"originality": 1 + hashlib.sha256(text.encode()).digest()[0] % 5}
            for name, text in re.findall(r"^(item_\d+): (.*)$", shown, flags=re.MULTILINE)
        }
        time.sleep(0.02)
        message = {"role": "assistant", "content": json.dumps({"uses": {"items": items}})}
        usage = {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100}
        reply = {
            "id": "c", "object": "chat.completion", "created": 0, "model": "tiny", "usage": usage,
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        }  # fmt: skip
        payload = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def write_uses(path: Path, number: int) -> None:
    """Write uses of five objects, four by a participant for each; every fiftieth is blank."""
    with path.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file)
        out.writerow(["id", "object", "response", "participant"])
        for n in range(number):
            text = "" if n % 50 == 49 else f"{WORDS[n % 12]} {WORDS[n // 12 % 12]} with {n} others"
            person = n // (USES_OF_ONE * len(OBJECTS))
            out.writerow([f"u{n}", OBJECTS[n // USES_OF_ONE % len(OBJECTS)], text, f"p{person}"])


def command(folder: Path, *options: str) -> list[str]:
    """The command that scores the uses of a folder."""
    program = "from creaeval.cli import main; main()"
    return [sys.executable, "-c", program, "score", str(folder / "uses.csv"), "--task", "aut", *options,
            "--out", str(folder / "out"), "--ledger", str(folder / "ledger.db")]  # fmt: skip


def environment(source: Path, url: str = "") -> dict[str, str]:
    """The environment in which that version is found, and the server."""
    server = {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "none"} if url else {}
    return {**os.environ, "PYTHONPATH": str(source.resolve()), **server}


def scores_of(folder: Path) -> dict[str, tuple[str, str]]:
    """Score and code by use."""
    with (folder / "out" / "scores.csv").open(encoding="utf-8-sig", newline="") as file:
        return {row["response_id"]: (row["score"], row["invalid"]) for row in csv.DictReader(file)}


def score_thousand(source: Path, *, kill_at: int = 0) -> tuple[dict[str, tuple[str, str]], int]:
    """Score 1,000 uses, killed once after so many requests; return the scores and the requests made."""
    server = Server()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_uses(folder / "uses.csv", 1000)
        options = ("--method", "direct", "--judge", "openai:tiny", "--set", "concurrency=4")
        words, where = command(folder, *options), environment(source, server.url)
        if kill_at:
            quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
            process = subprocess.Popen(words, env=where, **quiet)
            while server.requests < kill_at and process.poll() is None:
                time.sleep(0.005)
            process.send_signal(signal.SIGKILL)
            process.wait()
        subprocess.run(words, env=where, check=True, capture_output=True)
        return scores_of(folder), server.requests


def score_offline(source: Path, number: int) -> tuple[float, float]:
    """Score uses by the offline scorer; return seconds and peak memory in MB."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_uses(folder / "uses.csv", number)
        program = (
            "import resource, subprocess, sys;"
            "code = subprocess.run(sys.argv[1:], capture_output=True).returncode;"
            "print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)"
        )
        words = [sys.executable, "-c", program, *command(folder)]
        started = time.perf_counter()
        where = environment(source)
        ended = subprocess.run(words, env=where, check=True, capture_output=True, text=True)
        seconds = time.perf_counter() - started
        code, peak = ended.stdout.split()
        if code != "0":
            raise SystemExit(f"{source}: creaeval score ended with {code}")
        return seconds, float(peak)


def say(equal: bool) -> str:
    """Say whether scores are equal."""
    return "equal" if equal else "NOT EQUAL"


def main() -> None:
    """Run both parts for each version and print a line for each."""
    sources = [Path(name) for name in sys.argv[1:]] or [Path("src")]
    kept = []
    for source in sources:
        whole, n_requests = score_thousand(source)
        resumed, n_resumed = score_thousand(source, kill_at=100)
        kept.append((whole, n_requests))
        scored = sum(bool(score) for score, _ in whole.values())
        print(
            f"{source}: {len(whole)} uses, {scored} with a score, {n_requests} requests; killed after 100 "
            f"and taken up again: {n_resumed} requests, scores {say(resumed == whole)}"
        )
    if len(kept) > 1:
        (first, n_first), (second, n_second) = kept
        print(f"Scores of both {say(first == second)}; requests {n_first} and {n_second}.")
    best: dict[Path, list[tuple[float, float]]] = {source: [] for source in sources}
    for _ in range(REPEATS):
        for source in sources:
            best[source].append(score_offline(source, 20_000))
    for source, runs in best.items():
        seconds, peak = min(runs)
        times = ", ".join(f"{one:.1f}" for one, _ in runs)
        print(f"{source}: 20,000 uses offline in {seconds:.1f} s (of {times}), peak memory {peak:.0f} MB")
    if len(sources) > 1:
        (now, memory), (before, memory_before) = (min(best[source]) for source in sources)
        print(f"Ratio of times {now / before:.2f}, of memory {memory / memory_before:.2f}.")
    print(f"This process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB.")


if __name__ == "__main__":
    main()
