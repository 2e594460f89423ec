"""How often intervals cover the true value: by n, kind of points and kind of interval.

python benchmarks/coverage.py [--replications 1000] [--resamples 500]

Prints a Markdown table for docs/agreement.md, of the mean agreement of a judge with two raters, who are the
same in every replication (fixed). True values are those of 400,000 responses. coverage_reliability.py does
the same for reliability, with raters drawn anew.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

import numpy as np

from creaeval.stats.draws import interval, make_draws, wilson_interval
from creaeval.stats.grid import on_counts

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Maker = Callable[[np.random.Generator, int], Floats]

PAIRS = [(0, 1), (0, 2)]
MEASURES = ("qwk", "pearson", "icc", "exact")
SIZES = (30, 50, 80, 200)
#: Responses of one cluster, in the rows with clusters.
IN_CLUSTER = 5


def ordinary(random: np.random.Generator, n: int) -> Floats:
    """Points from 1 to 10, nearly normal; the judge goes with a rater at about .56."""
    truth = random.normal(size=(n, 1))
    latent = truth + random.normal(size=(n, 3)) * [0.9, 0.85, 0.85] + [0.2, 0.0, 0.1]
    return np.clip(np.rint(5.5 + 1.6 * latent), 1, 10)


def clustered(random: np.random.Generator, n: int) -> Floats:
    """The same, a third of the truth being of clusters of five."""
    n_clusters = n // IN_CLUSTER
    shared = np.repeat(random.normal(size=(n_clusters, 1)), IN_CLUSTER, axis=0)
    truth = np.sqrt(1 / 3) * shared + np.sqrt(2 / 3) * random.normal(size=(n, 1))
    latent = truth + random.normal(size=(n, 3)) * [0.9, 0.85, 0.85] + [0.2, 0.0, 0.1]
    return np.clip(np.rint(5.5 + 1.6 * latent), 1, 10)


def counts(random: np.random.Generator, n: int) -> Floats:
    """Counts with a long tail, most of them 0 to 2, as numbers of categories or of rare ideas have."""
    truth = random.gamma(0.7, 1.4, size=(n, 1))
    return np.minimum(random.poisson(0.1 + 0.9 * truth, size=(n, 3)), 12).astype(float)


def rare(random: np.random.Generator, n: int) -> Floats:
    """A mark that one response in ten has."""
    truth = random.random((n, 1)) < 0.1
    flipped = random.random((n, 3)) < np.where(truth, 0.25, 0.02)
    return (truth ^ flipped).astype(float)


KINDS: dict[str, Maker] = {
    "points of 1 to 10": ordinary,
    "skewed counts": counts,
    "a rare mark": rare,
    "clusters of five": clustered,
}


def coverage(maker: Maker, n: int, replications: int, resamples: int) -> dict[tuple[str, str], float]:
    """Return the share of intervals that hold the true value, by measure and kind of interval."""
    population = maker(np.random.default_rng(1), 400_000)
    true = {
        name: values[0]
        for name, values in on_counts(np.ones((1, len(population))), population, PAIRS, MEASURES).items()
    }
    hits: dict[tuple[str, str], list[bool]] = {}
    random = np.random.default_rng(n)
    groups = np.repeat(np.arange(n // IN_CLUSTER), IN_CLUSTER) if maker is clustered else None
    for seed in range(replications):
        points = maker(random, n)
        draws = make_draws(n, n_resamples=resamples, groups=groups, seed=seed)
        on_data = on_counts(np.ones((1, n)), points, PAIRS, MEASURES)
        on_draws = on_counts(np.concatenate(list(draws.counts())), points, PAIRS, MEASURES)
        without = on_counts(np.concatenate(list(draws.leaving_one_out())), points, PAIRS, MEASURES)
        for name in ("qwk", "pearson", "icc"):
            value, target = on_data[name].mean(), true[name].mean()
            for kind, jackknife in (("percentile", None), ("BCa", without[name].mean(axis=1))):
                ends = interval(value, on_draws[name].mean(axis=1), n=draws.n_units, leave_one_out=jackknife)
                if not np.isnan(ends.low):
                    hits.setdefault((name, kind), []).append(ends.low <= target <= ends.high)
        if groups is None:
            share = wilson_interval(float(on_data["exact"][0, 0]), n)
            hits.setdefault(("exact", "Wilson"), []).append(share.low <= true["exact"][0] <= share.high)
    return {key: float(np.mean(of_key)) for key, of_key in hits.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replications", type=int, default=1000)
    parser.add_argument("--resamples", type=int, default=500)
    options = parser.parse_args()
    columns = [
        *((name, kind) for name in ("qwk", "pearson", "icc") for kind in ("percentile", "BCa")),
        ("exact", "Wilson"),
    ]
    names = {"qwk": "QWK", "pearson": "r", "icc": "ICC(A,1)", "exact": "exact"}
    print("| points | n | " + " | ".join(f"{names[name]}, {kind}" for name, kind in columns) + " |")
    print("|---|---:|" + "---:|" * len(columns))
    for title, maker in KINDS.items():
        for n in SIZES:
            found = coverage(maker, n, options.replications, options.resamples)
            cells = (f"{found[key]:.3f}".lstrip("0") if key in found else "–" for key in columns)
            print(f"| {title} | {n} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
