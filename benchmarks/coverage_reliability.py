"""How often intervals of reliability cover the truth, where raters are a random sample.

    python benchmarks/coverage_reliability.py [--replications 1000]

Prints Markdown tables: the share of made-up studies whose 95% interval holds the true reliability of a single
rater and of the mean, absolute (and consistent), by design, number of responses and of raters; beside it, for
crossed data, that of McGraw and Wong's limits of ICC(A,1) and of the percentile bootstrap of responses.
Every study draws its raters anew. Variances of response, rater and residual are (1, 0.2, 0.5), a true
single-rater reliability of .59, (1, 0.5, 0.3), of .56 with severe raters, and (0.3, 0.1, 1), of .21. Effects
are normal, and in a fourth setting exponential but for the raters': skewed (2), with an excess kurtosis of 6.
"""

from __future__ import annotations

import argparse
from itertools import combinations, pairwise

import numpy as np

from creaeval.stats.icc import icc
from creaeval.stats.variance.component_draws import draw_components
from creaeval.stats.variance.components import estimate_components
from creaeval.stats.variance.design import make_ratings
from creaeval.stats.variance.reliability import reliability

NUMBERS, RATERS = (30, 50, 80, 200), (2, 3, 6)
VARIANCES = ((1.0, 0.2, 0.5), (1.0, 0.5, 0.3), (0.3, 0.1, 1.0))
SETTINGS = (*((variances, False) for variances in VARIANCES), (VARIANCES[0], True))
N_DRAWS, N_RESAMPLES = 2000, 300


def make_cells(design: str, n: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Who rates what: everybody, each pair of raters in turn, or each pair of neighbours in turn."""
    if design == "crossed":
        return np.repeat(np.arange(n), k), np.tile(np.arange(k), n)
    pairs = list(combinations(range(k), 2) if design == "planned pairs" else pairwise(range(k)))
    return np.repeat(np.arange(n), 2), np.array([pairs[row % len(pairs)] for row in range(n)]).ravel()


def effects(rng: np.random.Generator, sd: float, size: int, skewed: bool) -> np.ndarray:
    return sd * (rng.exponential(1.0, size) - 1.0) if skewed else rng.normal(0.0, sd, size)


def cover(
    design: str, n: int, k: int, setting: tuple[tuple[float, float, float], bool], replications: int
) -> tuple[list[float], float]:
    """Coverage of consistent and absolute, single and mean; and the absolute single's mean width."""
    variances, skewed = setting
    rng = np.random.default_rng([n, k, round(100 * variances[1])])
    rows, columns = make_cells(design, n, k)
    averaged = k if design == "crossed" else 2
    sds = np.sqrt(variances)
    asked = [
        (kind, number, variances[0] / (variances[0] + (rest + variances[2]) / number))
        for kind, rest in (("consistent", 0.0), ("absolute", variances[1]))
        for number in (1, averaged)
    ]
    inside, width = np.zeros(4), 0.0
    for _ in range(replications):
        quality, leniency = effects(rng, sds[0], n, skewed)[rows], rng.normal(0, sds[1], k)[columns]
        errors = effects(rng, sds[2], len(rows), skewed)
        ratings = make_ratings(rows, columns, quality + leniency + errors)
        components = estimate_components(ratings)
        draws = draw_components(ratings, components, rng, n_draws=N_DRAWS)
        ends = [reliability(components, kind, number, draws=draws) for kind, number, _ in asked]
        inside += [end.low <= truth <= end.high for end, (_, _, truth) in zip(ends, asked, strict=True)]
        width += ends[2].high - ends[2].low
    return [float(share) for share in inside / replications], width / replications


def cover_by_others(n: int, k: int, variances: tuple[float, float, float], replications: int) -> list[float]:
    """Coverage of ICC(A,1) by McGraw and Wong's limits, and by resampling responses."""
    rng = np.random.default_rng([n, k, 7])
    sds, truth = np.sqrt(variances), variances[0] / sum(variances)
    inside = np.zeros(2)
    for _ in range(replications):
        scores = rng.normal(0, sds[0], (n, 1)) + rng.normal(0, sds[1], k) + rng.normal(0, sds[2], (n, k))
        form = icc(scores)["ICC(A,1)"]
        drawn = scores[rng.integers(n, size=(N_RESAMPLES, n))]
        centred = drawn - drawn.mean(axis=(1, 2), keepdims=True)
        response, rater = centred.mean(axis=2), centred.mean(axis=1)
        between = k * (response**2).sum(axis=1) / (n - 1)
        by_rater = n * (rater**2).sum(axis=1) / (k - 1)
        rest = (
            ((centred - response[:, :, None] - rater[:, None, :]) ** 2).sum(axis=(1, 2)) / (n - 1) / (k - 1)
        )
        values = (between - rest) / (between + (k - 1) * rest + k * (by_rater - rest) / n)
        low, high = np.quantile(values, [0.025, 0.975])
        inside += [form.lower <= truth <= form.upper, low <= truth <= high]
    return [float(share) for share in inside / replications]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--replications", type=int, default=1000)
    replications = parser.parse_args().replications
    print("| design | raters | n | variances | single | mean | consistent single | mean | width |")
    print("|---|---|---|---|---|---|---|---|---|")
    for design in ("crossed", "planned pairs", "chain of pairs"):
        for k in RATERS if design == "crossed" else RATERS[1:]:
            for n in NUMBERS:
                for setting in SETTINGS:
                    shares, width = cover(design, n, k, setting, replications)
                    ordered = " | ".join(f"{share:.3f}" for share in (*shares[2:], *shares[:2]))
                    values = " : ".join(f"{value:g}" for value in setting[0]) + ", skewed" * setting[1]
                    print(f"| {design} | {k} | {n} | {values} | {ordered} | {width:.2f} |", flush=True)
    print("\n| crossed: raters | n | variances | McGraw and Wong | bootstrap |\n|---|---|---|---|---|")
    for k in RATERS:
        for n in NUMBERS:
            for variances in VARIANCES:
                shares = cover_by_others(n, k, variances, replications)
                values = " : ".join(f"{value:g}" for value in variances)
                print(f"| {k} | {n} | {values} | {shares[0]:.3f} | {shares[1]:.3f} |", flush=True)


if __name__ == "__main__":
    main()
