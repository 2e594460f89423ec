"""How well judges agree with people, and people with each other, by the paper's protocol.

Per dimension, the agreement with each rater, averaged over the raters; then the unweighted mean over the
dimensions. Never agreement with the raters' mean. arXiv 2609.03432, section 4.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING

from creaeval.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from creaeval.stats.resample import Estimate, Statistic

    Floats = NDArray[np.float64]
    Column = tuple[str, str]  # kind and name of a scorer

PAPER = ("qwk", "pearson", "icc")
#: Measures by name, for people. The form of the ICC stands wherever the ICC does.
MEASURES = {
    "qwk": "QWK",
    "pearson": "Pearson r",
    "icc": "ICC(A,1)",
    "spearman": "Spearman rho",
    "kendall": "Kendall tau-b",
    "exact": "exact agreement",
    "adjacent": "agreement within 1 point",
    "bias": "bias (scorer minus rater, in points)",
    "rmse": "RMSE (in points)",
}
HUMAN = "human-human"
AVG = "AVG"
CELL_COLUMNS = [
    "scorer",
    "rater",
    "kind",
    "dimension",
    "measure",
    "value",
    "low",
    "high",
    "n",
    "why_undefined",
]
MEAN_COLUMNS = ["scorer", "dimension", "measure", "value", "low", "high", "n", "defined", "why_undefined"]


def agreement(
    points: pd.DataFrame,
    dimensions: Sequence[str],
    *,
    measures: Sequence[str] = PAPER,
    n_resamples: int = 2000,
    confidence: float = 0.95,
    clusters: Mapping[str, str] | None = None,
    seed: int = 0,
) -> pd.DataFrame:
    """Measure the agreement of every judge with every rater, and of every two raters.

    Parameters
    ----------
    points : pandas.DataFrame
        From :func:`creaeval.analysis.points.collect_points`.
    dimensions : sequence of str
        Identities, in the order wanted.
    measures : sequence of str
        Keys of ``MEASURES``.
    n_resamples : int
        Bootstrap resamples of responses for the intervals of QWK, Pearson and bias; 0 for none. The ICC's
        interval is that of McGraw and Wong (1996); the others have none.
    confidence : float
        Confidence level.
    clusters : mapping of str to str, optional
        By response id, what it belongs to (scenario, plot, participant); whole clusters are then resampled.
    seed : int
        Same seed, same intervals.

    Returns
    -------
    pandas.DataFrame
        One row for each pair, dimension and measure. ``kind`` says what the scorer is, judge or rater; ``n``
        counts the responses that both scored. An undefined value is missing, and ``why_undefined`` says why.

    Raises
    ------
    SettingError
        A measure is not known, or nobody but the judges scored.
    """
    import pandas as pd

    _check(points, measures)
    draw = _Draw(n_resamples, confidence, seed, clusters)
    rows = []
    for dimension in dimensions:
        wide = _wide(points, dimension)
        for scorer, rater in _couples(points):
            x, y, ids = _both(wide, scorer, rater)
            for measure in measures:
                value, low, high = _measure(x, y, ids, measure, draw)
                why = _why_undefined(x, y, measure) if math.isnan(value) else ""
                rows.append(
                    (scorer[1], rater[1], scorer[0], dimension, measure, value, low, high, len(x), why)
                )
    return pd.DataFrame(rows, columns=CELL_COLUMNS)


def protocol(
    points: pd.DataFrame,
    cells: pd.DataFrame,
    dimensions: Sequence[str],
    *,
    n_resamples: int = 2000,
    confidence: float = 0.95,
    clusters: Mapping[str, str] | None = None,
    seed: int = 0,
) -> pd.DataFrame:
    """Average over raters, then over dimensions, as the paper did.

    Parameters
    ----------
    points, dimensions, n_resamples, confidence, clusters, seed
        As for :func:`agreement`.
    cells : pandas.DataFrame
        From :func:`agreement`.

    Returns
    -------
    pandas.DataFrame
        For each judge, and for all pairs of raters together (scorer ``human-human``), one row for each
        dimension and measure, then one of dimension ``AVG``, the unweighted mean over the dimensions.
        Intervals of QWK, Pearson and bias come from resampling whole responses, so that a response's
        dimensions stay together. ``defined`` counts the averaged values that are defined, as in ``19 of 20``;
        an undefined one is left out and never counted as 0. ``n`` is the smallest number of responses.
    """
    import pandas as pd

    wides = {dimension: _wide(points, dimension) for dimension in dimensions}
    draw = _Draw(n_resamples, confidence, seed, clusters)
    rows = []
    for name, couples in _groups(points).items():
        is_judge = cells["kind"].eq("judge") & cells["scorer"].eq(name)
        of_group = cells[is_judge if name != HUMAN else cells["kind"].eq("rater")]
        for measure in dict.fromkeys(cells["measure"]):
            of_measure = of_group[of_group["measure"].eq(measure)]
            means: list[float] = []
            for dimension in (*dimensions, AVG):
                averaged = dimensions if dimension == AVG else [dimension]
                chosen = of_measure[of_measure["dimension"].isin(averaged)]
                values = list(means) if dimension == AVG else chosen["value"].tolist()
                defined = [value for value in values if not math.isnan(value)]
                mean = sum(defined) / len(defined) if defined else math.nan
                means.append(mean)
                low, high = _interval({one: wides[one] for one in averaged}, couples, measure, draw)
                if len(chosen) == 1 and math.isnan(low):
                    # The one pair's own interval, where there is nothing to average.
                    low, high = float(chosen["low"].iloc[0]), float(chosen["high"].iloc[0])
                reasons = "; ".join(dict.fromkeys(filter(None, chosen["why_undefined"])))
                share = f"{len(defined)} of {len(values)}"
                n = int(chosen["n"].min()) if len(chosen) else 0
                rows.append((name, dimension, measure, mean, low, high, n, share, reasons))
    return pd.DataFrame(rows, columns=MEAN_COLUMNS)


def _check(points: pd.DataFrame, measures: Sequence[str]) -> None:
    if unknown := [name for name in measures if name not in MEASURES]:
        raise SettingError(f"measure {unknown[0]!r}: expected one of {', '.join(MEASURES)}.")
    if not points["kind"].eq("rater").any():
        raise SettingError("There are no ratings of these responses to agree with.")


def _wide(points: pd.DataFrame, dimension: str) -> pd.DataFrame:
    """Lay out one dimension: a row a response, a column a scorer."""
    chosen = points[points["dimension"].eq(dimension)]
    return chosen.pivot(index="response_id", columns=["kind", "scorer"], values="points")


def _couples(points: pd.DataFrame) -> list[tuple[Column, Column]]:
    return [couple for couples in _groups(points).values() for couple in couples]


def _groups(points: pd.DataFrame) -> dict[str, list[tuple[Column, Column]]]:
    """Pair each judge with every rater, and the raters with each other."""
    known = points[["kind", "scorer"]].drop_duplicates()
    judges = [("judge", name) for name in known.loc[known["kind"].eq("judge"), "scorer"]]
    raters = [("rater", name) for name in known.loc[known["kind"].eq("rater"), "scorer"]]
    groups = {judge[1]: [(judge, rater) for rater in raters] for judge in judges}
    between = list(combinations(raters, 2))
    return {**groups, HUMAN: between} if between else groups


@dataclass(frozen=True)
class _Draw:
    """How to resample."""

    n_resamples: int
    confidence: float
    seed: int
    clusters: Mapping[str, str] | None

    def bootstrap(self, statistic: Statistic, arrays: Sequence[Floats], ids: Sequence[str]) -> Estimate:
        from creaeval.stats.resample import bootstrap

        groups = None if self.clusters is None else [self.clusters.get(one, one) for one in ids]
        return bootstrap(
            statistic,
            arrays,
            n_resamples=self.n_resamples,
            confidence=self.confidence,
            groups=groups,
            seed=self.seed,
        )


def _both(wide: pd.DataFrame, scorer: Column, rater: Column) -> tuple[Floats, Floats, list[str]]:
    import numpy as np

    if scorer not in wide.columns or rater not in wide.columns:
        return np.empty(0), np.empty(0), []
    pairs = wide[[scorer, rater]].dropna()
    return pairs[scorer].to_numpy(float), pairs[rater].to_numpy(float), [*map(str, pairs.index)]


def _measure(
    x: Floats, y: Floats, ids: Sequence[str], measure: str, draw: _Draw
) -> tuple[float, float, float]:
    import numpy as np

    from creaeval.stats.icc import icc

    if measure == "icc":
        form = icc(np.column_stack([x, y]), draw.confidence)["ICC(A,1)"]
        return form.value, form.lower, form.upper
    statistic = _statistics().get(measure)
    if statistic is None:
        return _functions()[measure](x, y), math.nan, math.nan
    if not draw.n_resamples or len(x) == 0:
        value = float(statistic(np.ones((1, len(x))), x, y)[0]) if len(x) > 1 else math.nan
        return value, math.nan, math.nan
    found = draw.bootstrap(statistic, [x, y], ids)
    return found.value, found.low, found.high


def _functions() -> Mapping[str, Callable[[Floats, Floats], float]]:
    from creaeval.stats import correlation, differences

    return {
        "spearman": correlation.spearman,
        "kendall": correlation.kendall_tau_b,
        "exact": differences.exact_agreement,
        "adjacent": partial(differences.adjacent_agreement, within=1),
        "rmse": differences.rmse,
    }


def _statistics() -> Mapping[str, Statistic]:
    from creaeval.stats import resample

    return {
        "qwk": resample.quadratic_weighted_kappa,
        "pearson": resample.pearson,
        "bias": resample.bias,
    }


def _why_undefined(x: Floats, y: Floats, measure: str) -> str:
    from creaeval.stats.correlation import why_undefined

    names = {
        "qwk": "quadratic_weighted_kappa",
        "pearson": "pearson",
        "spearman": "spearman",
        "kendall": "kendall_tau_b",
    }
    if len(x) < 2:
        return f"scored by both: {len(x)} responses"
    if measure in names:
        return why_undefined(x, y, names[measure])  # type: ignore[arg-type]
    return "both are constant"


def _interval(
    wides: Mapping[str, pd.DataFrame],
    couples: Sequence[tuple[Column, Column]],
    measure: str,
    draw: _Draw,
) -> tuple[float, float]:
    """Resample responses for a mean over couples, then over dimensions."""
    import numpy as np
    import pandas as pd

    statistic = _statistics().get(measure)
    if statistic is None or not draw.n_resamples or not couples:
        return math.nan, math.nan
    joined = pd.concat(wides, axis=1)
    if joined.empty:
        return math.nan, math.nan
    columns: dict[object, int] = {column: number for number, column in enumerate(joined.columns)}
    pairs = [
        [
            (columns[(dimension, *scorer)], columns[(dimension, *rater)])
            for scorer, rater in couples
            if (dimension, *scorer) in columns and (dimension, *rater) in columns
        ]
        for dimension in wides
    ]

    def mean_of_means(counts: Floats, /, *arrays: Floats) -> Floats:
        (matrix,) = arrays
        dimensions = []
        for couples_of in pairs:
            values = []
            for first, second in couples_of:
                there = ~np.isnan(matrix[:, first]) & ~np.isnan(matrix[:, second])
                if there.sum() > 1:
                    values.append(statistic(counts[:, there], matrix[there, first], matrix[there, second]))
            if values:
                dimensions.append(_defined_mean(np.stack(values)))
        return _defined_mean(np.stack(dimensions)) if dimensions else np.full(len(counts), np.nan)

    found = draw.bootstrap(mean_of_means, [joined.to_numpy(float)], [*map(str, joined.index)])
    return found.low, found.high


def _defined_mean(values: Floats) -> Floats:
    """Average over the first axis what is defined; nan where nothing is."""
    import numpy as np

    defined = ~np.isnan(values)
    sums = np.where(defined, values, 0.0).sum(axis=0)
    numbers = defined.sum(axis=0)
    result: Floats = np.where(numbers > 0, sums / np.maximum(numbers, 1), np.nan)
    return result
