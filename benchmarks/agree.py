"""Processor time of a whole `creaeval agree`, beside R (psych, lme4) and pingouin on the same data.

    python benchmarks/agree.py

2,000 made-up booklets, the 20 dimensions of CGPST, 5 judges and 2 raters: the command from files to files, the
grid of values on 2,000 resamples alone, and `Rscript agreement.R` in the folder that the command wrote, which
prints how far its values are from ours. Then quantities that all have, one at a time on the same pairs of
columns. Rows of R are left out where R, psych or lme4 is not installed. Times are of the processor, user and
system, since others may use the machine.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pingouin

from agreement import make_scales
from creaeval.agreement import PAPER, Resampling
from creaeval.agreement.pair_values import find_groups, lay_out
from creaeval.stats.grid import grid
from creaeval.stats.icc import icc
from creaeval.stats.kappa import quadratic_weighted_kappa

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

N_JUDGES, N_RATERS, N_RESAMPLES = 5, 2, 2000
MOST_SECONDS, MOST_GRID_SECONDS = 5.0, 0.6
R_TIMES = r"""
suppressPackageStartupMessages({ library(psych); library(lme4) })
data <- read.csv("pairs.csv", check.names = FALSE)
cost <- function(name, times, run) {
  run(1)
  used <- system.time(for (i in seq_len(times)) run(i))
  cat(name, sum(used[1:2]) / times, "\n")
}
pair <- function(i) as.matrix(data[data$pair == (i - 1) %% max(data$pair) + 1, c("x", "y")])
long <- function(i) {
  xy <- pair(i)
  data.frame(points = c(xy), response = factor(rep(seq_len(nrow(xy)), 2)), rater = factor(rep(1:2, each = nrow(xy))))
}
cost("kappa", 20, function(i) suppressWarnings(cohen.kappa(pair(i))))
cost("icc_lmer", 5, function(i) suppressMessages(ICC(pair(i))))
cost("lmer", 5, function(i) lmer(points ~ 1 + (1 | response) + (1 | rater), long(i)))
"""


def write_points(folder: Path, n: int) -> None:
    """Write scores.csv and ratings.csv: a response's quality, seen with lean and noise."""
    rng = np.random.default_rng(0)
    scales = make_scales()
    lows, highs = np.transpose(list(scales.values()))
    quality = rng.normal(0.55, 0.15, (n, 1)) + rng.normal(0, 0.12, (n, len(scales)))
    for file, column, number in (("scores", "judge", N_JUDGES), ("ratings", "rater", N_RATERS)):
        tables = []
        for scorer in range(1, number + 1):
            seen = quality + rng.normal(0, 0.05, len(scales)) + rng.normal(0, 0.15, quality.shape)
            points = np.clip(np.rint(lows + (highs - lows) * seen), lows, highs).astype(int)
            ids = np.repeat([f"R{response:04}" for response in range(n)], len(scales))
            table = {"response_id": ids, column: f"{column} {scorer}", "dimension": list(scales) * n}
            tables.append(pd.DataFrame({**table, "score": points.ravel()}))
        pd.concat(tables).to_csv(folder / f"{file}.csv", index=False)


def run_command(command: Sequence[str], folder: Path) -> tuple[float, float, str]:
    """Run a command; its processor time, wall time and output."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    # The package that this process runs, should it not be the installed one.
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    ended = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    if ended.returncode:
        sys.exit(f"{' '.join(command)}\n{ended.stdout}{ended.stderr}")
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return used, wall, ended.stdout


def cost(run: Callable[[int], object], times: int) -> float:
    """Processor seconds of a call, the median, after one to warm up."""
    run(0)
    used = []
    for number in range(times):
        started = time.process_time()
        run(number)
        used.append(time.process_time() - started)
    return statistics.median(used)


def has_r() -> bool:
    needed = "stopifnot(requireNamespace('psych', quietly = TRUE), requireNamespace('lme4', quietly = TRUE))"
    rscript = shutil.which("Rscript")
    return rscript is not None and not subprocess.run([rscript, "-e", needed], capture_output=True).returncode


def one_at_a_time(points: pd.DataFrame, folder: Path) -> dict[str, dict[str, float]]:
    """Seconds of a call by quantity and package, on the first judge and rater of each dimension."""
    pairs = [
        of.pivot(index="response_id", columns="scorer", values="points")[["judge 1", "rater 1"]].to_numpy(float)
        for _, of in points.groupby("dimension", sort=False)
    ]
    frames = [
        pd.DataFrame(
            {"target": np.repeat(np.arange(len(xy)), 2), "scorer": ["x", "y"] * len(xy), "points": xy.ravel()}
        )
        for xy in pairs
    ]

    warnings.filterwarnings("ignore", module="pingouin")  # of deprecated pandas

    def each(function: Callable[..., object], inputs: Sequence[object]) -> float:
        return cost(lambda number: function(inputs[number % len(inputs)]), 20)

    seconds = {
        "QWK": {"creaeval": each(lambda xy: quadratic_weighted_kappa(*xy.T), pairs)},
        "six ICCs with limits": {
            "creaeval": each(icc, pairs),
            "pingouin": each(
                lambda frame: pingouin.intraclass_corr(frame, "target", "scorer", "points"), frames
            ),
        },
    }
    if has_r():
        stacked = [pd.DataFrame(xy, columns=["x", "y"]).assign(pair=i) for i, xy in enumerate(pairs, 1)]
        pd.concat(stacked).to_csv(folder / "pairs.csv", index=False)
        (folder / "times.R").write_text(R_TIMES)
        found = dict(line.split() for line in run_command(["Rscript", "times.R"], folder)[2].splitlines())
        seconds["QWK"]["R"] = float(found["kappa"])
        seconds["six ICCs with limits"]["R"] = float(found["icc_lmer"])
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description="Processor time of `creaeval agree`, beside R and pingouin.")
    parser.add_argument("--responses", type=int, default=2000)
    parser.add_argument("--resamples", type=int, default=N_RESAMPLES)
    given = parser.parse_args()
    names = ("numpy", "pandas", "scipy", "pingouin")
    print(f"Python {platform.python_version()}, {', '.join(f'{name} {version(name)}' for name in names)},")
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; {given.responses:,} responses x 20 dimensions")
    print(f"x {N_JUDGES} judges x {N_RATERS} raters, {given.resamples:,} resamples\n")
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        write_points(folder, given.responses)
        program = [sys.executable, "-c", "from creaeval.cli import main; main()"]
        options = ["--task", "cgpst", "--out", "out", "--resamples", str(given.resamples)]
        ours, wall, _ = run_command([*program, "agree", "scores.csv", "ratings.csv", *options], folder)
        points = pd.read_csv(folder / "out" / "long.csv", dtype={"response_id": str}, keep_default_na=False)
        points["points"] = points["points"].astype(float)
        layout = lay_out(points, list(points["dimension"].unique()))
        pairs = list(layout.pairs(find_groups(points)).values())
        draws = Resampling(given.resamples).draws(layout.ids)
        bare = cost(lambda _: grid(layout.matrix, pairs, PAPER, draws), 3)
        print("| | processor s | wall s | x `agree` |\n|---|---|---|---|")
        print(f"| `creaeval agree`, all tables, from files to files | {ours:.2f} | {wall:.2f} | 1 |")
        print(f"| its grid: {len(pairs)} pairs x {len(PAPER)} measures on all resamples | {bare:.2f} | | {bare / ours:.2f} |")
        if has_r():
            used, wall, said = run_command(["Rscript", "agreement.R"], folder / "out")
            print(f"| `Rscript agreement.R`: no intervals, no halo, calibration | {used:.2f} | {wall:.2f} | {used / ours:.2f} |")
        print("\n| one call | creaeval ms | R ms | x ours | pingouin ms | x ours |\n|---|---|---|---|---|---|")
        for quantity, seconds in one_at_a_time(points, folder).items():
            own = seconds["creaeval"]
            cells = [
                f"{1000 * seconds[name]:.2f} | {seconds[name] / own:,.0f}" if name in seconds else "– | –"
                for name in ("R", "pingouin")
            ]
            print(f"| {quantity} | {1000 * own:.3f} | {' | '.join(cells)} |")
        print(f"\naims: at most {MOST_SECONDS:g} s and {MOST_GRID_SECONDS:g} s")
        if has_r():
            print(re.sub(r"\n\n+", "\n", said))


if __name__ == "__main__":
    main()
