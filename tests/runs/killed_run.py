"""A run that is killed again and again; started by test_kill.py as a program of its own.

It makes a small run first, which imports and builds all that takes seconds, and then forks, so that every
child is at work at once.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from creaeval.llm import Ledger
from creaeval.runs import prepare, run_plan


def work(folder: Path) -> None:
    plan = prepare(
        folder / "booklets.json",
        task="cgpst",
        scenarios=folder / "scenario.yaml",
        analyst="openai:tiny",
        judges="openai:tiny",
        method="creaeval",
    )
    with Ledger.open(folder / "ledger.db") as ledger:
        run_plan(plan, ledger)


def child(folder: Path) -> int:
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        work(folder)
        code = 0
    finally:
        os._exit(code)


def main() -> None:
    folder, small = map(Path, sys.argv[1:])
    work(small)
    print("ready", flush=True)
    while sys.stdin.readline():
        pid = child(folder)
        print(pid, flush=True)
        _, status = os.waitpid(pid, 0)
        print("killed" if os.WIFSIGNALED(status) else f"ended {os.WEXITSTATUS(status)}", flush=True)


if __name__ == "__main__":
    main()
