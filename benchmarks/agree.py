"""Processor time of a whole `creaeval agree`, beside R (psych, lme4) and pingouin on the same data.

    python benchmarks/agree.py

2,000 made-up booklets, the 20 dimensions of CGPST, 5 judges and 2 raters: the command from files to files,
the grid of values on 2,000 resamples alone, and `Rscript agreement.R` in the folder that the command wrote,
which prints how far R's values are from ours. Then quantities that others have, too, one at a time on the
same pairs of columns. What R makes is left out where R, psych or lme4 is not installed. Times are of the
processor, user and system: others may use the machine.
"""

from __future__ import annotations

import argparse
import os
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from importlib.metadata import version
from itertools import combinations, product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pingouin

from agreement import make_scales
from creaeval.stats.draws import make_draws
from creaeval.stats.grid import grid
from creaeval.stats.icc import icc
from creaeval.stats.kappa import quadratic_weighted_kappa
from creaeval.stats.measures import PAPER
from creaeval.stats.variance.components import estimate_components
from creaeval.stats.variance.design import make_ratings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

N_RESPONSES, N_RESAMPLES = 2000, 2000
JUDGES, RATERS = [f"judge {n}" for n in range(1, 6)], [f"rater {n}" for n in range(1, 3)]
MOST_SECONDS, MOST_GRID_SECONDS = 5.0, 0.6
RSCRIPT = shutil.which("Rscript")
# Each takes the pair of columns of another dimension each time.
R_CALLS = """
suppressPackageStartupMessages({ library(psych); library(lme4) })
data <- split(read.csv("pairs.csv"), read.csv("pairs.csv")$pair)
data <- lapply(data, function(rows) as.matrix(rows[c("x", "y")]))
long <- lapply(data, function(m) data.frame(
  points = c(m), response = factor(rep(seq_len(nrow(m)), 2)), rater = factor(rep(1:2, each = nrow(m)))
))
cost <- function(name, run, over) {
  run(over[[1]])
  used <- vapply(over, function(each) sum(system.time(run(each))[1:2]), 0)
  cat(name, median(used), "\\n", sep = "\\t")
}
cost("QWK", function(m) suppressWarnings(cohen.kappa(m)), data)
cost("six ICCs with limits", function(m) suppressMessages(ICC(m)), data)
components <- function(d) lmer(points ~ 1 + (1 | response) + (1 | rater), d)
cost("variance components, complete", components, long)
missing <- lapply(long, function(d) d[(as.integer(d$response) + as.integer(d$rater)) %% 7 != 2, ])
cost("variance components, one in seven missing", components, missing)
"""


def make_points(n: int) -> pd.DataFrame:
    """Make up points, a row a value: a response's quality, seen with lean and noise."""
    rng = np.random.default_rng(0)
    scales = make_scales()
    lows, highs = np.transpose(list(scales.values()))
    quality = rng.normal(0.55, 0.15, (n, 1)) + rng.normal(0, 0.12, (n, len(scales)))
    ids = np.repeat([f"R{number:04}" for number in range(n)], len(scales))
    tables = []
    for scorer in [*JUDGES, *RATERS]:
        seen = quality + rng.normal(0, 0.05, len(scales)) + rng.normal(0, 0.15, quality.shape)
        points = np.clip(np.rint(lows + (highs - lows) * seen), lows, highs).astype(int)
        columns = {"response_id": ids, "scorer": scorer, "dimension": list(scales) * n}
        tables.append(pd.DataFrame(columns | {"score": points.ravel()}))
    return pd.concat(tables)


def write_files(points: pd.DataFrame, folder: Path) -> None:
    for file, kind, scorers in (("scores.csv", "judge", JUDGES), ("ratings.csv", "rater", RATERS)):
        rows = points[points["scorer"].isin(scorers)]
        rows.rename(columns={"scorer": kind}).to_csv(folder / file, index=False)


def run_command(command: Sequence[str], folder: Path) -> tuple[float, float, str]:
    """Run a command; its seconds of processor and of wall, and its output."""
    # This process's package, should it not be the installed one.
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(os.path.abspath, filter(None, sys.path)))}
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    ended = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, encoding="utf-8", check=False
    )
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    if ended.returncode:
        sys.exit(f"{' '.join(command)}\n{ended.stdout}{ended.stderr}")
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return used, wall, ended.stdout


def cost(run: Callable[[Any], object], over: Sequence[Any]) -> float:
    """Seconds of processor of a call, the median over inputs after one to warm up."""
    run(over[0])
    used = []
    for each in over:
        started = time.process_time()
        run(each)
        used.append(time.process_time() - started)
    return statistics.median(used)


def has_r() -> bool:
    needed = 'for (name in c("psych", "lme4")) stopifnot(requireNamespace(name, quietly = TRUE))'
    if RSCRIPT is None:
        return False
    return not subprocess.run([RSCRIPT, "-e", needed], capture_output=True, check=False).returncode


def time_grid(points: pd.DataFrame, n_resamples: int) -> tuple[int, float]:
    """Count the pairs, and time their measures on all resamples."""
    wide = points.pivot(index="response_id", columns=["dimension", "scorer"], values="score")
    couples = [*product(JUDGES, RATERS), *combinations(RATERS, 2)]
    places = {column: place for place, column in enumerate(wide.columns)}
    dimensions = points["dimension"].unique()
    pairs = [(places[name, first], places[name, second]) for name in dimensions for first, second in couples]
    draws, matrix = make_draws(len(wide), n_resamples=n_resamples, seed=0), wide.to_numpy(float)
    return len(pairs), cost(lambda _: grid(matrix, pairs, PAPER, draws), range(3))


def time_calls(points: pd.DataFrame, folder: Path, r: bool) -> dict[str, dict[str, float]]:
    """Seconds of a call by quantity and package, over the first judge and rater on each dimension."""
    wide = points.pivot(index="response_id", columns=["dimension", "scorer"], values="score").astype(float)
    pairs = [wide[[(name, JUDGES[0]), (name, RATERS[0])]].to_numpy() for name in points["dimension"].unique()]
    n = len(wide)
    long = {"target": np.repeat(np.arange(n), 2), "scorer": ["x", "y"] * n}
    frames = [pd.DataFrame(long | {"points": xy.ravel()}) for xy in pairs]
    response, rater = np.indices((n, 2)).reshape(2, -1)
    missing = [np.where((response + rater) % 7, xy.ravel(), np.nan) for xy in pairs]
    warnings.filterwarnings("ignore", module="pingouin")  # of deprecated pandas
    seconds = {
        "QWK": {"creaeval": cost(lambda xy: quadratic_weighted_kappa(*xy.T), pairs)},
        "six ICCs with limits": {
            "creaeval": cost(icc, pairs),
            "pingouin": cost(
                lambda frame: pingouin.intraclass_corr(frame, "target", "scorer", "points"), frames
            ),
        },
        "variance components, complete": {
            "creaeval": cost(lambda xy: estimate_components(make_ratings(response, rater, xy.ravel())), pairs)
        },
        "variance components, one in seven missing": {
            "creaeval": cost(
                lambda values: estimate_components(make_ratings(response, rater, values)), missing
            )
        },
    }
    if r:
        tables = [pd.DataFrame(xy, columns=["x", "y"]).assign(pair=number) for number, xy in enumerate(pairs)]
        pd.concat(tables).to_csv(folder / "pairs.csv", index=False)
        (folder / "calls.R").write_text(R_CALLS)
        for line in run_command(["Rscript", "calls.R"], folder)[2].splitlines():
            quantity, used, _ = line.split("\t")
            seconds.setdefault(quantity, {})["R"] = float(used)
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description="Processor time of `creaeval agree`, beside R and pingouin.")
    parser.add_argument("--responses", type=int, default=N_RESPONSES)
    parser.add_argument("--resamples", type=int, default=N_RESAMPLES)
    given = parser.parse_args()
    points, r = make_points(given.responses), has_r()
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "pandas", "scipy", "pingouin"))
    print(
        f"{given.responses:,} responses x {points['dimension'].nunique()} dimensions x {len(JUDGES)} judges "
        f"x {len(RATERS)} raters, {given.resamples:,} resamples;\nPython {platform.python_version()}, "
        f"{packages}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n"
    )
    print("| | processor s | wall s | x `agree` |\n|---|---|---|---|")
    said = "R with psych and lme4 is not installed: left out\n"
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        write_files(points, folder)
        program = [sys.executable, "-c", "from creaeval.cli import main; main()", "agree"]
        options = ["--task", "cgpst", "--out", "out", "--resamples", str(given.resamples)]
        ours, wall, _ = run_command([*program, "scores.csv", "ratings.csv", *options], folder)
        print(f"| `creaeval agree`, from files to files, all tables | {ours:.2f} | {wall:.2f} | 1 |")
        n_pairs, used = time_grid(points, given.resamples)
        print(f"| its grid: {n_pairs} pairs x {len(PAPER)} measures | {used:.2f} | | {used / ours:.2f} |")
        if r:
            used, wall, said = run_command(["Rscript", "agreement.R"], folder / "out")
            print(f"| `Rscript agreement.R`, no intervals | {used:.2f} | {wall:.2f} | {used / ours:.2f} |")
        print(
            "\n| one call | creaeval ms | R ms | x ours | pingouin ms | x ours |\n|---|---|---|---|---|---|"
        )
        for quantity, seconds in time_calls(points, folder, r).items():
            own = seconds.get("creaeval")
            cells = ["–" if own is None else f"{1000 * own:.3f}"]
            for name in ("R", "pingouin"):
                theirs = seconds.get(name)
                cells.append("–" if theirs is None else f"{1000 * theirs:.2f}")
                cells.append("–" if own is None or theirs is None else f"{theirs / own:,.0f}")
            print(f"| {quantity} | {' | '.join(cells)} |")
    print(
        f"\naims: `agree` at most {MOST_SECONDS:g} s of processor, the grid {MOST_GRID_SECONDS:g} s\n\n{said}"
    )


if __name__ == "__main__":
    main()
