"""Time and memory of reading a file of uses, beside pandas in the same run.

    python benchmarks/reading.py

100,000 made-up uses in csv and 5,000 in xlsx, with a participant, an object and two more columns.
`pandas.read_csv` and `read_excel` give a table of texts; `read_data` finds out what the columns are, looks
for lists, sums and personal data, and gives a checked `Response` for each use. Each is measured in a process
of its own, which imports all it needs first: the median of several readings, and how much memory they added
at most.
"""

from __future__ import annotations

import argparse
import json
import platform
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

CSV_ROWS, XLSX_ROWS = 100_000, 5_000
#: The aim for csv, in times of pandas.
AIM = 3.0
WORDS = ["boat", "hat", "wall", "stone", "hammer", "door", "garden", "paper", "fish", "moon", "kite", "lamp"]
HEADER = ("participant", "object", "response", "age", "condition")


def make_rows(count: int) -> list[tuple[str, ...]]:
    rng = random.Random(0)
    return [
        (
            f"p{number // 10}",
            rng.choice(("brick", "rope", "tin can")),
            " ".join(rng.choices(WORDS, k=rng.randint(1, 6))),
            str(rng.randint(18, 70)),
            rng.choice("AB"),
        )
        for number in range(count)
    ]


def write_files(folder: Path) -> dict[str, Path]:
    import pandas as pd

    csv, xlsx = folder / "uses.csv", folder / "uses.xlsx"
    pd.DataFrame(make_rows(CSV_ROWS), columns=HEADER).to_csv(csv, index=False)
    pd.DataFrame(make_rows(XLSX_ROWS), columns=HEADER).to_excel(xlsx, index=False)
    return {"csv": csv, "xlsx": xlsx}


def reader_of(name: str, path: Path) -> Callable[[], int]:
    """Return what reads a file and counts its rows."""
    if name == "pandas":
        import pandas as pd

        read = pd.read_csv if path.suffix == ".csv" else pd.read_excel
        return lambda: len(read(path, dtype=str))
    from creaeval.data import read_data
    from creaeval.tasks import load_task

    task = load_task("aut")
    return lambda: len(read_data(path, task).responses)


def measure(name: str, path: Path, times: int) -> None:
    """Print the median seconds, the memory added in MB and the rows, as JSON."""
    # What is read once, such as words and libraries, is no part of reading a file.
    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder) / f"small{path.suffix}"
        if path.suffix == ".csv":
            small.write_text("participant,object,response\np1,brick,a wall\np2,brick,a hat\n")
        else:
            import pandas as pd

            pd.DataFrame([("p1", "brick", "a wall"), ("p2", "brick", "a hat")], columns=HEADER[:3]).to_excel(
                small, index=False
            )
        reader_of(name, small)()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    read, seconds, rows = reader_of(name, path), [], 0
    for _ in range(times):
        start = time.perf_counter()
        rows = read()
        seconds.append(time.perf_counter() - start)
    added = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    print(json.dumps({"seconds": statistics.median(seconds), "megabytes": added, "rows": rows}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--one", nargs=2, metavar=("NAME", "PATH"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        measure(options.one[0], Path(options.one[1]), options.times)
        return
    print(f"Python {platform.python_version()}, pandas {version('pandas')}, openpyxl {version('openpyxl')}")
    with tempfile.TemporaryDirectory() as folder:
        for form, path in write_files(Path(folder)).items():
            found = {}
            for name in ("pandas", "creaeval"):
                command = [sys.executable, __file__, "--times", str(options.times), "--one", name, str(path)]
                found[name] = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
                one = found[name]
                print(
                    f"{form:5} {name:9} {one['rows']:>7,} rows  {one['seconds']:6.3f} s  "
                    f"{one['megabytes']:6.0f} MB"
                )
            ratio = found["creaeval"]["seconds"] / found["pandas"]["seconds"]
            aim = f" (aim: at most {AIM:g})" if form == "csv" else ""
            print(f"{form:5} time / pandas {ratio:.1f}{aim}")


if __name__ == "__main__":
    main()
