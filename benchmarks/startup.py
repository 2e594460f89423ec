"""Wall time of `creaeval --help` with bytecode compiled: median of ten.

    python benchmarks/startup.py [COMMAND …]

The first start writes the bytecode and does not count.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path


def main() -> None:
    command = [str(Path(sys.executable).with_name("creaeval")), *(sys.argv[1:] or ["--help"])]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

    def once() -> float:
        started = time.perf_counter()
        subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)
        return time.perf_counter() - started

    once()  # writes the bytecode
    walls = [once() for _ in range(10)]
    median = statistics.median(walls)
    print(f"{' '.join(command[1:])}: median {median:.3f} s, best {min(walls):.3f} s (aim: below 0.3 s)")


if __name__ == "__main__":
    main()
