"""Uses a second and memory of the offline scorer, beside sentence-transformers with the encoder it came from.

    python benchmarks/aut_scorer.py aut.csv --encoder DIR

Each contender is a process of its own over the same rows, one after the other, its threads as many as there
are processors: the scorer by itself; a whole ``creaeval score`` with ledger and files; and
``SentenceTransformer.encode`` of the same texts with its defaults, which needs sentence-transformers and the
encoder in a folder (left out without ``--encoder``). Memory is the largest resident set of the process. Fails
where the scorer is below 500 uses a second, or it or a whole run above 500 MB.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LEAST_A_SECOND, MOST_MB = 500, 500


def read_uses(path: Path, most: int) -> list[tuple[str, str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        rows = [(row["row_id"], row["prompt"], row["response"]) for row in csv.DictReader(file)]
    return rows[:most]


def scorer(uses: list[tuple[str, str, str]], _: str) -> float:
    from creaeval.offline import OfflineScorer

    model = OfflineScorer()
    model.score([use[1:] for use in uses[:50]])
    began = time.perf_counter()
    model.score([use[1:] for use in uses])
    return time.perf_counter() - began


def whole_run(uses: list[tuple[str, str, str]], _: str) -> float:
    from creaeval.cli import main

    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with Path("uses.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([("id", "object", "response"), *uses])
        sys.argv = ["creaeval", "score", "uses.csv", "--task", "aut", "--out", "out"]
        began = time.perf_counter()
        try:
            main()
        except SystemExit as end:
            if end.code:
                raise
        return time.perf_counter() - began


def encode(uses: list[tuple[str, str, str]], encoder: str) -> float:
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(encoder, device="cpu")
    # As the offline scorer reads them, object and use in one text.
    texts = [f"{its_object} {text}" for _, its_object, text in uses]
    model.encode(texts[:50])
    began = time.perf_counter()
    model.encode(texts)
    return time.perf_counter() - began


CONTENDERS = {"scorer": scorer, "creaeval score": whole_run, "sentence-transformers encode": encode}


def measure(name: str, data: Path, most: int, encoder: str) -> dict[str, float]:
    found = subprocess.run(
        [sys.executable, __file__, str(data), "--only", name, "--most", str(most), "--encoder", encoder],
        check=True,
        capture_output=True,
        text=True,
    )
    return dict(json.loads(found.stdout.splitlines()[-1]))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--encoder", default="", help="folder of all-MiniLM-L6-v2")
    parser.add_argument("--most", type=int, default=5000, help="rows")
    parser.add_argument("--only", choices=CONTENDERS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    data = options.data.resolve()
    uses = read_uses(data, options.most)
    if options.only:
        seconds = CONTENDERS[options.only](uses, options.encoder)
        megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
        print(json.dumps({"seconds": seconds, "megabytes": megabytes}))
        return
    print(f"{len(uses)} uses, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}")
    ok, rates = True, {}
    for name in CONTENDERS:
        if name.startswith("sentence") and not options.encoder:
            continue
        found = measure(name, data, options.most, options.encoder and str(Path(options.encoder).resolve()))
        rates[name] = rate = len(uses) / found["seconds"]
        print(f"{name}: {rate:.0f} uses a second, {found['megabytes']:.0f} MB")
        if not name.startswith("sentence"):
            ok &= found["megabytes"] <= MOST_MB
    ok &= rates["scorer"] >= LEAST_A_SECOND
    for name, rate in list(rates.items())[1:]:
        print(f"scorer / {name}: {rates['scorer'] / rate:.2f}")
    if not ok:
        sys.exit(f"Expected at least {LEAST_A_SECOND} uses a second and at most {MOST_MB} MB.")


if __name__ == "__main__":
    main()
