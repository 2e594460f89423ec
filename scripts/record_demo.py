"""Score the example with the local model and keep its replies for ``creaeval demo --replay``.

Run it with ``make record-demo`` after prompts, the task or the example have changed.
"""

from __future__ import annotations

from pathlib import Path

from creaeval.demo import demo_file
from creaeval.llm import Ledger
from creaeval.runs import DEFAULT_LEDGER, score

RECORDING = Path(__file__).parents[1] / "src" / "creaeval" / "demo" / "files" / "recording.jsonl"


def main() -> None:
    """Score, then write the calls of the run to the recording."""
    with demo_file("booklet.json") as booklet, demo_file("scenario.yaml") as scenario:
        run = score([booklet], scenarios=scenario)
    if run.n_failed:
        raise SystemExit(f"Not recorded, the run has failures:\n{run.failures.to_string()}")
    with Ledger.open(DEFAULT_LEDGER) as ledger:
        n_calls = ledger.export_calls(RECORDING, [call.key for call in run.calls])
    print(f"{n_calls} calls in {RECORDING.name}")


if __name__ == "__main__":
    main()
