"""Peak memory of a run (Linux): 200 and 2,000 booklets of 7 calls, replies after 5 ms.

    python benchmarks/memory.py

Each run has a process of its own. Resident memory in MB: once all inputs are read and planned (first reply),
the peak until the last response is scored, and the peak until the run is returned.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from loopback_server import pin, server

from booklets import write_booklets

CALLS = 7


def memory(field: str) -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(field))


class Gauge:
    """A watcher that reads the memory at the first call and after each response."""

    planned = scored = 0.0

    def call_done(self, _: object) -> None:
        self.planned = self.planned or memory("VmRSS")

    def attempt_failed(self) -> None:
        pass

    def response_done(self, _: object) -> None:
        self.scored = memory("VmHWM")


def measure(n: int, url: str) -> None:
    from creaeval import score

    pin(0)
    os.environ |= {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "key"}
    gauge, started, cpu = Gauge(), time.perf_counter(), time.process_time()
    with tempfile.TemporaryDirectory() as name:
        inputs = write_booklets(Path(name), n)
        model = {"analyst": "openai:bench", "judges": "openai:bench", "settings": {"concurrency": 64}}
        run = score(**inputs, **model, ledger=Path(name) / "ledger.db", watcher=gauge)
        assert run.n_failed == 0
        ledger = sum(path.stat().st_size for path in Path(name).glob("ledger.db*")) / 2**20
    figures = {
        "planned": gauge.planned,
        "scored": gauge.scored,
        "returned": memory("VmHWM"),
        "ledger": ledger,
    }
    figures |= {"wall": time.perf_counter() - started, "cpu": 1000 * (time.process_time() - cpu) / CALLS / n}
    print(json.dumps(figures))


def main() -> None:
    parser = argparse.ArgumentParser(description="Peak memory of a run by the number of booklets.")
    parser.add_argument("--booklets", type=int, nargs="+", default=[200, 2000])
    parser.add_argument("--measure", nargs=2, metavar=("N", "URL"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        measure(int(given.measure[0]), given.measure[1])
        return
    found: dict[int, dict[str, float]] = {}
    print(
        "| booklets | MB planned | MB peak, scored | MB peak, returned | MB ledger | wall s | CPU ms a call |"
    )
    print("|---|---|---|---|---|---|---|")
    with server(0.005) as url:
        for n in given.booklets:
            command = [sys.executable, __file__, "--measure", str(n), url]
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
            found[n] = figures = json.loads(done.stdout.splitlines()[-1])
            cells = [f"{figures[key]:.0f}" for key in ("planned", "scored", "returned", "ledger", "wall")]
            print(f"| {n} | {' | '.join(cells)} | {figures['cpu']:.2f} |", flush=True)
    few, many = min(found), max(found)
    if few < many:
        for key in ("planned", "scored", "returned"):
            low, high = found[few][key], found[many][key]
            grown = 1024 * (high - low) / (many - few)
            print(f"{key}: {high / low:.2f} times the memory, {grown:.1f} KB a booklet")


if __name__ == "__main__":
    main()
