"""Write values.json: small data sets, and what independent packages compute on them.

The packages are never a dependency of creaeval or its tests. They were installed apart:

    python -m venv oracle
    oracle/bin/pip install scikit-learn==1.9.1 pingouin==0.7.0 krippendorff==0.9.0 scipy==1.17.1 \\
        statsmodels==0.15.0
    oracle/bin/python tests/stats/oracles/make_oracles.py

A value that an oracle cannot give (nan, or it raises) is null.
"""

from __future__ import annotations

import json
import math
import warnings
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

SEED = 20261
PACKAGES = ["scikit-learn", "pingouin", "krippendorff", "scipy", "statsmodels", "numpy"]


def tried(compute: Callable[[], Any]) -> float | None:
    try:
        value = float(compute())
    except (ValueError, ZeroDivisionError, AssertionError):
        return None
    return value if math.isfinite(value) else None


def pair_sets(rng: np.random.Generator) -> list[dict[str, Any]]:
    """Scores of two raters on whole-number scales of many lengths, half points and means of three."""
    sets = []
    for n, high in [(2, 3), (3, 2), (5, 10), (8, 3), (12, 10), (20, 5), (40, 10), (60, 16)]:
        truth = rng.integers(0, high + 1, n)
        x, y = (np.clip(truth + rng.integers(-2, 3, n), 0, high) for _ in range(2))
        sets.append({"name": f"{n} whole scores from 0 to {high}", "step": 1, "high": high, "x": x, "y": y})
    for n, step in [(10, 0.5), (30, 0.5), (15, 1 / 3)]:
        x, y = (np.round(rng.integers(0, int(10 / step) + 1, n) * step, 6) for _ in range(2))
        sets.append({"name": f"{n} scores in steps of {step:.2f}", "step": step, "high": 10, "x": x, "y": y})
    twelve = rng.integers(1, 6, 12)
    sets += [
        {"name": "the second is constant", "step": 1, "high": 5, "x": twelve, "y": np.full(12, 3)},
        {"name": "equal", "step": 1, "high": 5, "x": twelve, "y": twelve},
        {"name": "reversed", "step": 1, "high": 6, "x": twelve, "y": 6 - twelve},
        {"name": "far levels only", "step": 1, "high": 10, "x": [2, 9, 9, 2, 10], "y": [2, 9, 10, 9, 10]},
        {"name": "one differs", "step": 1, "high": 5, "x": [2] * 9 + [3], "y": [2] * 8 + [3, 3]},
    ]
    return sets


def of_pairs(data: dict[str, Any]) -> dict[str, float | None]:
    from scipy import stats
    from sklearn.metrics import cohen_kappa_score  # type: ignore[import-not-found]

    x, y = np.asarray(data["x"], float), np.asarray(data["y"], float)
    # On an even scale, places among all levels are values but for a factor.
    places = [np.rint(v / data["step"]).astype(int) for v in (x, y)]
    labels = list(range(int(np.rint(data["high"] / data["step"])) + 1))
    return {
        "pearson": tried(lambda: stats.pearsonr(x, y).statistic),
        "spearman": tried(lambda: stats.spearmanr(x, y).statistic),
        "kendall_tau_b": tried(lambda: stats.kendalltau(x, y).statistic),
        "quadratic_weighted_kappa": tried(
            lambda: cohen_kappa_score(*places, labels=labels, weights="quadratic")
        ),
        "linear_weighted_kappa": tried(lambda: cohen_kappa_score(*places, labels=labels, weights="linear")),
        "cohen_kappa": tried(lambda: cohen_kappa_score(*places, labels=labels)),
    }


def matrices(rng: np.random.Generator) -> list[dict[str, Any]]:
    """Ratings of targets (rows) by raters (columns)."""
    sets = []
    shapes = [(3, 2, 1, 0), (6, 4, 2, 2), (10, 3, 1, 0), (15, 5, 3, 1), (25, 2, 2, 3), (40, 3, 6, 0)]
    for n, k, noise, lenient in shapes:
        truth = rng.integers(1, 11, (n, 1))
        ratings = truth + rng.integers(-noise, noise + 1, (n, k)) + lenient * np.arange(k)
        sets.append({"name": f"{n} targets, {k} raters, noise {noise}", "ratings": ratings})
    for n, k, share in [(6, 3, 0.2), (12, 4, 0.3), (20, 3, 0.4), (30, 6, 0.6)]:
        ratings = np.clip(rng.integers(1, 6, (n, 1)) + rng.integers(-1, 2, (n, k)), 1, 5).astype(float)
        ratings[rng.random((n, k)) < share] = np.nan
        sets.append({"name": f"{n} targets, {k} raters, {share:.0%} missing", "ratings": ratings})
    halves = rng.integers(2, 15, (9, 3)) / 2
    sets += [
        {"name": "half points, nothing shared", "ratings": halves},
        {"name": "two levels", "ratings": rng.integers(0, 2, (14, 3))},
        {"name": "raters oppose each other", "ratings": [[1, 5], [2, 4], [3, 3], [4, 2], [5, 2]]},
        {"name": "one differs", "ratings": [[2, 2, 2]] * 6 + [[2, 3, 2]]},
        {"name": "one is constant", "ratings": [[1, 3], [2, 3], [4, 3], [5, 3], [3, 3]]},
        {"name": "far levels only", "ratings": [[2, 2, 9], [9, 9, 9], [10, 9, 10], [2, 9, 2], [10, 10, 10]]},
    ]
    return sets


def of_matrix(data: dict[str, Any]) -> dict[str, Any]:
    import krippendorff  # type: ignore[import-not-found]
    import pandas as pd
    import pingouin  # type: ignore[import-not-found]
    from statsmodels.stats import inter_rater  # type: ignore[import-not-found]

    ratings = np.asarray(data["ratings"], float)
    found: dict[str, Any] = {
        "krippendorff_alpha": {
            level: tried(partial(krippendorff.alpha, ratings.T, level_of_measurement=level))
            for level in ("nominal", "ordinal", "interval", "ratio")
        }
    }
    complete = ratings[~np.isnan(ratings).any(axis=1)]
    if len(complete) > 1:
        long = pd.DataFrame(complete).melt(ignore_index=False, var_name="rater").reset_index(names="target")
        table = pingouin.intraclass_corr(long, "target", "rater", "value")
        found["icc"] = {
            row.Type: {
                "value": row.ICC,
                "f": row.F,
                "df1": int(row.df1),
                "df2": int(row.df2),
                "p": row.pval,
                "limits": [float(v) for v in row.CI95],
            }
            for row in table.itertuples()
        }
        found["cronbach_alpha"] = tried(lambda: pingouin.cronbach_alpha(pd.DataFrame(complete))[0])
    if len(complete) == len(ratings):
        found["fleiss_kappa"] = tried(
            lambda: inter_rater.fleiss_kappa(inter_rater.aggregate_raters(ratings)[0])
        )
    return found


def plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, np.ndarray | list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, float | np.floating):
        if not math.isfinite(value):
            return None
        return int(value) if value == int(value) else float(f"{value:.14g}")
    return int(value) if isinstance(value, np.integer) else value


def main() -> None:
    import pingouin

    warnings.simplefilter("ignore")
    pingouin.options["round.column.CI95"] = None
    rng = np.random.default_rng(SEED)
    values = {
        "made_by": "make_oracles.py",
        "seed": SEED,
        "versions": {name: version(name) for name in PACKAGES},
        "pairs": [{**data, "values": of_pairs(data)} for data in pair_sets(rng)],
        "matrices": [{**data, "values": of_matrix(data)} for data in matrices(rng)],
    }
    text = json.dumps(plain(values), ensure_ascii=False)
    for start in ('{"name"', '"values"', '"pairs"', '"matrices"'):
        text = text.replace(f" {start}", f"\n{start}").replace(f"[{start}", f"[\n{start}")
    Path(__file__).with_name("values.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
