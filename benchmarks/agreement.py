"""Wall time of the agreement tables of a whole study, beside scipy's bootstrap over scikit-learn's kappa.

    python benchmarks/agreement.py

A study as large as the paper's: 20 dimensions of CGPST, 2 raters, 8 methods with 4 judges each, 200 made-up
responses. `measure_agreement` computes QWK, Pearson r and ICC(A,1) of every judge with every rater, the means
over raters, judges and dimensions and the shares of human agreement, all with intervals; `grid` alone is the
values on the same resamples. Peers make the QWK of a few of these cells, one at a time. Ends of intervals are
compared in standard errors of the difference of two runs, from the spread of ours over other seeds.
"""

from __future__ import annotations

import argparse
import math
import os
import platform
import statistics
import time
import warnings
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import bootstrap
from sklearn.metrics import cohen_kappa_score

from creaeval.agreement import (
    AgreementOptions,
    RatingData,
    Scorer,
    Unit,
    compared_dimensions,
    measure_agreement,
)
from creaeval.agreement.pairs import find_groups, pair_places
from creaeval.data.points import points_range
from creaeval.stats.grid import grid
from creaeval.stats.measures import PAPER
from creaeval.tasks import load_task, resolve

if TYPE_CHECKING:
    from collections.abc import Callable

N_RESPONSES, N_RATERS, N_METHODS, N_JUDGES = 200, 2, 8, 4
N_RESAMPLES = 2000
METHODS = {"percentile": "percentile", "bca": "BCa"}
# At most so many seconds; at least so many times faster than the peer; ends at most so many errors apart.
MOST_SECONDS, LEAST_RATIO, MOST_ERRORS = 5.0, 100, 4.0


def make_scales() -> dict[str, tuple[int, int]]:
    task = load_task("cgpst")
    ranges = {name: points_range(task, *resolve(task, name)) for name in compared_dimensions(task)}
    return {name: (int(low), int(high)) for name, (low, high) in ranges.items()}


def make_data(scales: dict[str, tuple[int, int]]) -> RatingData:
    """Make up points: a response's quality, seen with lean and noise."""
    rng = np.random.default_rng(0)
    ability = rng.normal(0.55, 0.15, (N_RESPONSES, 1))
    quality = ability + rng.normal(0, 0.12, (N_RESPONSES, len(scales)))
    lows, highs = np.transpose(list(scales.values()))
    scorers = [
        *(Scorer(f"judge {j}", "judge", f"method {m}") for m in range(N_METHODS) for j in range(N_JUDGES)),
        *(Scorer(f"rater {r}") for r in range(N_RATERS)),
    ]
    rows = []
    for scorer in range(len(scorers)):
        seen = quality + rng.normal(0, 0.05, len(scales)) + rng.normal(0, 0.15, quality.shape)
        points = np.clip(np.rint(lows + (highs - lows) * seen), lows, highs)
        rows += [
            (Unit(f"R{response:03}"), scorer, dimension, float(given))
            for response, of_response in enumerate(points)
            for dimension, given in enumerate(of_response)
        ]
    return RatingData.build(load_task("cgpst"), list(scales), scorers, rows, scales)


def timed(run: Callable[[], Any], repetitions: int = 1) -> tuple[float, Any]:
    """Return the median of the wall times, and the last result; several come after one to warm up."""
    walls = []
    if repetitions > 1:
        run()
    for _ in range(repetitions):
        started = time.perf_counter()
        result = run()
        walls.append(time.perf_counter() - started)
    return statistics.median(walls), result


def kappa_of(low: int, high: int) -> Callable[..., float]:
    labels = np.arange(low, high + 1)
    return lambda x, y: float(cohen_kappa_score(x, y, labels=labels, weights="quadratic"))


def vectorized_qwk(x: np.ndarray, y: np.ndarray, axis: int) -> np.ndarray:
    """QWK as a user may write it for scipy's `vectorized=True`."""
    mean_x, mean_y = x.mean(axis=axis, keepdims=True), y.mean(axis=axis, keepdims=True)
    covariance = ((x - mean_x) * (y - mean_y)).mean(axis=axis)
    return np.asarray(
        2 * covariance / ((x - mean_x) ** 2 + (y - mean_y) ** 2 + (mean_x - mean_y) ** 2).mean(axis)
    )


def scipy_ends(
    x: np.ndarray, y: np.ndarray, statistic: Callable[..., Any], method: str, **how: Any
) -> list[float]:
    found = bootstrap(
        (x, y),
        statistic,
        paired=True,
        n_resamples=N_RESAMPLES,
        method=method,
        rng=np.random.default_rng(1),
        **how,
    )
    return [float(end) for end in found.confidence_interval]


def row(what: str, n: int, seconds: float, ours: float) -> None:
    each = 1000 * seconds / n
    print(f"| {what} | {n:,} | {seconds:.2f} | {each:.3f} | {each / ours:,.2f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Wall time of agreement with intervals, beside peers.")
    parser.add_argument("--cells", type=int, default=4, help="cells that the peers compute")
    parser.add_argument("--repetitions", type=int, default=3, help="of all but scikit-learn's")
    parser.add_argument("--seeds", type=int, default=100, help="for the Monte Carlo error of the ends")
    given = parser.parse_args()
    scales = make_scales()
    data = make_data(scales)
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "pandas", "scipy", "scikit-learn"))
    print(
        f"{len(data.dimensions)} dimensions x {N_RATERS} raters x {N_METHODS} methods x {N_JUDGES} judges, "
        f"{N_RESPONSES} responses, {N_RESAMPLES:,} resamples;\n"
        f"median of {given.repetitions} after one to warm up, scikit-learn's once; "
        f"Python {platform.python_version()}, {packages}, {os.cpu_count()} cores, "
        f"load {os.getloadavg()[0]:.1f}\n"
    )

    def measure(method: str) -> Any:
        return measure_agreement(data, AgreementOptions(resamples=N_RESAMPLES, interval=method))

    seconds, ours = {}, {}
    for method in METHODS:
        seconds[method], ours[method] = timed(lambda method=method: measure(method), given.repetitions)
    cells, means = ours["percentile"].cells, ours["percentile"].means
    each = {method: 1000 * wall / len(cells) for method, wall in seconds.items()}

    pairs = list(pair_places(data, find_groups(data)).values())
    draws = AgreementOptions(resamples=N_RESAMPLES).draws(data)
    bare, _ = timed(lambda: grid(data.matrix.values, pairs, PAPER, draws), given.repetitions)

    print("| | cells x measures | s | ms each | x ours of the same interval |")
    print("|---|---|---|---|---|")
    for method, name in METHODS.items():
        row(f"`measure_agreement`, {name}", len(cells), seconds[method], each[method])
    row("`grid` alone, no intervals", len(pairs) * len(PAPER), bare, each["percentile"])

    qwk = cells[cells["metric"].eq("qwk") & cells["method"].ne("")]
    chosen = qwk.iloc[np.linspace(0, len(qwk) - 1, given.cells).astype(int)]
    named = {data.label(scorer): scorer for scorer in data.scorers}
    columns = [
        data.take(one.dimension, [named[one.judge], named[one.rater]]).T for one in chosen.itertuples()
    ]
    kappas = [kappa_of(*scales[name]) for name in chosen["dimension"]]
    kappas[0](*columns[0])
    theirs, ratios = {}, {}
    for method, name in METHODS.items():
        wall, theirs[method] = timed(
            lambda method=method: [
                scipy_ends(x, y, kappa, method, vectorized=False)
                for (x, y), kappa in zip(columns, kappas, strict=True)
            ]
        )
        ratios[name] = 1000 * wall / len(chosen) / each[method]
        row(f"scipy bootstrap of `cohen_kappa_score`, {name}", len(chosen), wall, each[method])
    for method, name in METHODS.items():
        wall, _ = timed(
            lambda method=method: [scipy_ends(x, y, vectorized_qwk, method) for x, y in columns],
            given.repetitions,
        )
        row(f"scipy bootstrap of a vectorized QWK, {name}", len(chosen), wall, each[method])

    print(f"\n{len(cells):,} values of cells and {len(means):,} of means and shares", end="; ")
    print(f"{seconds['percentile']:.2f} s (aim: at most {MOST_SECONDS:g})", end="; ")
    print(", ".join(f"{ratio:,.0f} times faster, {name}" for name, ratio in ratios.items()), end=" ")
    print(f"than scipy's bootstrap of `cohen_kappa_score` (aim: at least {LEAST_RATIO})\n")

    print("| cell | interval | value, ours | scikit-learn | ours | scipy | error of an end | errors apart |")
    print("|---|---|---|---|---|---|---|---|")
    largest = 0.0
    for place, (index, one) in enumerate(chosen.iterrows()):
        theirs_value = kappas[place](*columns[place])
        scorers = {named[one["judge"]], named[one["rater"]]}
        of_cell = data.select(dimensions=[one["dimension"]], scorers=scorers.__contains__)
        for method, name in METHODS.items():
            ends = ours[method].cells.loc[index, ["low", "high"]].to_numpy(float)
            others = [
                measure_agreement(
                    of_cell,
                    AgreementOptions(measures=("qwk",), resamples=N_RESAMPLES, interval=method, seed=seed),
                ).cells.loc[0, ["low", "high"]]
                for seed in range(2, 2 + given.seeds)
            ]
            errors = np.array(others, dtype=float).std(axis=0, ddof=1)
            apart = np.abs(ends - theirs[method][place]) / (math.sqrt(2) * errors)
            largest = max(largest, *apart)
            print(
                f"| {one['dimension']}, {one['judge']}, {one['rater']} | {name} | {one['value']:.6f} "
                f"| {theirs_value:.6f} | {pair(ends)} | {pair(theirs[method][place])} | {pair(errors)} "
                f"| {apart[0]:.2f}, {apart[1]:.2f} |",
                flush=True,
            )
    print(f"\nlargest difference of {4 * len(chosen)} ends: {largest:.2f} standard errors", end=" ")
    print(f"of a difference (at most {MOST_ERRORS:g}); load {os.getloadavg()[0]:.1f} at the end")


def pair(numbers: Any) -> str:
    return ", ".join(f"{number:.4f}" for number in numbers)


if __name__ == "__main__":
    warnings.simplefilter("error")
    main()
