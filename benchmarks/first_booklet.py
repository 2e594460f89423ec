"""Run a creaeval command that scores one booklet; report wall time, memory and tokens by phase (Linux).

    python benchmarks/first_booklet.py -- creaeval demo --ledger L.db --out DIR

Memory is resident memory of the command and its children, sampled every half second; the model's process maps
its weights, so its figure includes the part of the weights file that it has read. A phase ends when its call
is committed.
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import time
from datetime import datetime
from pathlib import Path


def children(pid: int) -> list[int]:
    try:
        found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [pid, *(p for child in found for p in children(int(child)))]


def resident_mb(pid: int) -> float:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0.0
    return next(
        (int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmRSS")), 0.0
    )


def main() -> None:
    command = sys.argv[sys.argv.index("--") + 1 :]
    ledger = command[command.index("--ledger") + 1]
    out = Path(command[command.index("--out") + 1])
    started = time.time()
    process = subprocess.Popen(command)
    samples: list[tuple[float, float, float]] = []
    while process.poll() is None:
        sizes = [resident_mb(pid) for pid in children(process.pid)]
        samples.append((time.time(), sizes[0] if sizes else 0.0, sum(sizes[1:])))
        time.sleep(0.5)
    ended = time.time()

    rows = sqlite3.connect(ledger).execute("select label, created from calls order by id").fetchall()
    ends = [(json.loads(label)["step"], datetime.fromisoformat(made).timestamp()) for label, made in rows]
    tokens = json.loads((out / "run.json").read_text())["tokens_by_stage"]
    print("\n| phase | wall s | tokens in | of them cached | tokens out | MB command | MB model |")
    print("|---|---|---|---|---|---|---|")
    begin = started
    for stage, end in [*ends, ("write results", ended)]:
        during = [s for s in samples if begin <= s[0] <= end] or [(0.0, 0.0, 0.0)]
        used = tokens.get(stage, {})
        cells = [used.get(key, "") for key in ("input_tokens", "cached_tokens", "output_tokens")]
        cells += [f"{max(s[1] for s in during):.0f}", f"{max(s[2] for s in during):.0f}"]
        print(f"| {stage} | {end - begin:.0f} | {' | '.join(map(str, cells))} |")
        begin = end
    total = tokens["all"]
    print(
        f"| all | {ended - started:.0f} | {total['input_tokens']} | {total['cached_tokens']} | "
        f"{total['output_tokens']} | {max(s[1] for s in samples):.0f} | {max(s[2] for s in samples):.0f} |"
    )
    print(f"exit code {process.returncode}; {total['input_tokens'] + total['output_tokens']} tokens in all")


if __name__ == "__main__":
    main()
