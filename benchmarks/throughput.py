"""Wall time of a run against the least it could take: 200 booklets of 7 calls, 64 at once, replies after 1 s.

    python benchmarks/throughput.py

The least is the longer of one booklet's chain and all calls spread over the open requests. The calls answered
in each second show where time is lost.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections import Counter
from pathlib import Path

from loopback_server import server

from booklets import write_booklets
from creaeval import score

CALLS = 7


class Clock:
    """A watcher that counts the calls done in each second."""

    def __init__(self) -> None:
        self.started = time.perf_counter()
        self.done: Counter[int] = Counter()

    def call_done(self, _: object) -> None:
        self.done[int(time.perf_counter() - self.started)] += 1

    def attempt_failed(self) -> None:
        pass

    def evidence_found(self, _: object, __: object) -> None: ...

    def response_done(self, _: object) -> None:
        pass


def main() -> None:
    parser = argparse.ArgumentParser(description="Wall time of a run against the least it could take.")
    parser.add_argument("--booklets", type=int, default=200)
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--delay", type=float, default=1.0)
    given = parser.parse_args()
    n, at_once, delay = given.booklets, given.concurrency, given.delay
    with tempfile.TemporaryDirectory() as name, server(delay) as url:
        os.environ |= {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "key"}
        model = {"analyst": "openai:bench", "judges": "openai:bench", "settings": {"concurrency": at_once}}
        score(**write_booklets(Path(name), 2), **model, ledger=Path(name) / "warm.db")
        inputs = write_booklets(Path(name), n)
        clock, cpu = Clock(), time.process_time()
        run = score(**inputs, **model, ledger=Path(name) / "ledger.db", watcher=clock)
        wall, cpu = time.perf_counter() - clock.started, time.process_time() - cpu
    assert run.n_failed == 0
    assert len(run.calls) == CALLS * n
    least = max(CALLS * delay, CALLS * n * delay / at_once)
    seconds = range(max(clock.done) + 1)
    print(f"{n} booklets, {CALLS * n} calls, {at_once} at once, replies after {delay:g} s")
    print(f"wall {wall:.1f} s, least {least:.1f} s: {wall / least:.2f} times (aim: at most 1.15)")
    print(f"CPU {cpu:.1f} s, {1000 * cpu / CALLS / n:.2f} ms a call")
    print(f"calls done in each second: {' '.join(str(clock.done[second]) for second in seconds)}")
    print(f"after the last call: {wall - max(seconds):.1f} s or less")


if __name__ == "__main__":
    main()
