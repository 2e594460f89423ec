"""Score the example with the local model and keep its replies for ``creaeval demo --replay``.

Run it with ``make record-demo`` after prompts, the task or the example have changed.
"""

from __future__ import annotations

from pathlib import Path

from creaeval.demo import LONG, SHORT, demo_file
from creaeval.llm import Ledger
from creaeval.runs import DEFAULT_LEDGER, score

FILES = Path(__file__).parents[1] / "src" / "creaeval" / "demo" / "files"


def main() -> None:
    """Score both booklets, then write the calls of each run to its recording."""
    for booklet_name, _, recording in (SHORT, LONG):
        with demo_file(booklet_name) as booklet, demo_file("scenario.yaml") as scenario:
            run = score([booklet], scenarios=scenario)
        if run.n_failed:
            raise SystemExit(f"Not recorded, the run has failures:\n{run.failures.to_string()}")
        with Ledger.open(DEFAULT_LEDGER) as ledger:
            n_calls = ledger.export_calls(FILES / recording, [call.key for call in run.calls])
        print(f"{n_calls} calls in {recording}")


if __name__ == "__main__":
    main()
