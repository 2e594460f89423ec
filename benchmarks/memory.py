"""Peak memory of a run (Linux): 200 and 2,000 booklets of 7 calls, replies after 5 ms.

    python benchmarks/memory.py

Once as the command, which writes the results to a folder and reads outcomes back a few at a time, and once as
`creaeval.score`, which returns all of them in memory. Each run has a process of its own. For the latter also
resident memory once all inputs are read and planned (first reply), and the peak until the last response is
scored.
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

from loopback_server import server

from booklets import write_booklets

MODEL, CONCURRENCY = "openai:bench", 64


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

    def evidence_found(self, _: object, __: object) -> None: ...

    def response_done(self, _: object) -> None:
        self.scored = memory("VmHWM")


def score_in_python(folder: Path) -> None:
    from creaeval import score

    gauge = Gauge()
    run = score(
        folder / "booklets.json",
        scenarios=folder / "scenario.yaml",
        analyst=MODEL,
        judges=MODEL,
        settings={"concurrency": CONCURRENCY},
        ledger=folder / "ledger.db",
        watcher=gauge,
    )
    assert run.n_failed == 0
    print(json.dumps({"planned": gauge.planned, "scored": gauge.scored}))


def score_by_command(folder: Path) -> list[str]:
    command = [str(Path(sys.executable).with_name("creaeval")), "score", str(folder / "booklets.json")]
    command += ["--scenario", str(folder / "scenario.yaml"), "--analyst", MODEL, "--judge", MODEL]
    command += ["--set", f"concurrency={CONCURRENCY}", "--ledger", str(folder / "ledger.db")]
    return [*command, "--out", str(folder / "out")]


def measure(n: int, how: str) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as name:
        folder, started = Path(name), time.perf_counter()
        write_booklets(folder, n)
        own = [sys.executable, __file__, "--score", name]
        command = score_by_command(folder) if how == "command" else own
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        printed = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        assert status == 0, printed
        figures = {"peak": used.ru_maxrss / 1024, "wall": time.perf_counter() - started}
        return figures | (json.loads(printed.splitlines()[-1]) if how == "score()" else {})


def main() -> None:
    parser = argparse.ArgumentParser(description="Peak memory of a run by the number of booklets.")
    parser.add_argument("--booklets", type=int, nargs="+", default=[200, 2000])
    parser.add_argument("--score", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.score:
        score_in_python(given.score)
        return
    print("| run as | booklets | MB planned | MB peak, scored | MB peak | wall s |")
    print("|---|---|---|---|---|---|")
    growth: list[str] = []
    with server(0.005) as url:
        os.environ |= {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "key"}
        for how in ("command", "score()"):
            found = {n: measure(n, how) for n in sorted(given.booklets)}
            for n, figures in found.items():
                cells = [
                    f"{figures[key]:.0f}" if key in figures else "" for key in ("planned", "scored", "peak")
                ]
                print(f"| {how} | {n} | {' | '.join(cells)} | {figures['wall']:.0f} |")
            (few, low), *_, (many, high) = found.items()
            each = 1024 * (high["peak"] - low["peak"]) / (many - few)
            growth.append(
                f"{how}: {high['peak'] / low['peak']:.2f} times the memory, {each:.0f} KB a booklet"
            )
    print("", *growth, sep="\n")


if __name__ == "__main__":
    main()
