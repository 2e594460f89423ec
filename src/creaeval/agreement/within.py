"""Correlation within groups of responses: what is left once the groups' own means are taken away."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from creaeval.stats.measures import get_measure

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from creaeval.agreement.options import AgreementOptions
    from creaeval.agreement.rating_data import RatingData

    Floats = NDArray[np.float64]

COLUMNS = [
    "method",
    "judge",
    "rater",
    "dimension",
    "value",
    "low",
    "high",
    "n",
    "groups",
    "overall",
    "reason",
]


def agreement_within(data: RatingData, options: AgreementOptions) -> pd.DataFrame:
    """Correlate judges with raters within groups, such as the uses of one object in one study.

    Where groups differ in their means, a judge that only knows these correlates with people over all
    responses; within groups it does not.

    Parameters
    ----------
    data : RatingData
        Points of judges and raters.
    options : AgreementOptions
        Its ``within`` names the carried columns that make the groups, several together; a response that
        lacks a value is left out. Intervals come from drawing whole groups, crossed with the first clusters
        where there are any, since the responses of a group share the mean that is taken away.

    Returns
    -------
    pandas.DataFrame
        One row for each judge, rater and dimension: ``value``, Pearson's r of points less their group's
        mean, the means taken over the ``n`` responses that both scored; its interval; ``groups`` with two
        such responses or more (one alone says nothing and is left out); ``overall`` on the same responses
        without that. An undefined value is missing and ``reason`` says why.
    """
    import pandas as pd

    labels = list(zip(*(data.column(name) for name in options.within), strict=True))
    clusters = options.cluster_labels(data.units, data.carried) if options.cluster else []
    rows = [
        (
            *(judge.method, data.label(judge), data.label(rater), dimension),
            *_within(data.take(dimension, [judge, rater]), labels, clusters, options),
        )
        for dimension in data.dimensions
        for judge in data.judges
        for rater in data.raters
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def _within(
    points: Floats,
    labels: Sequence[tuple[str | None, ...]],
    clusters: Sequence[Sequence[Hashable]],
    options: AgreementOptions,
) -> tuple[float, float, float, int, int, float, str]:
    """Return the correlation with its interval, n, the number of groups, that over all, and a reason."""
    import numpy as np

    from creaeval.stats.correlation import pearson
    from creaeval.stats.draws import cluster_codes

    named = np.array([all(label) for label in labels], dtype=bool)
    scored = np.flatnonzero(named & ~np.isnan(points).any(axis=1)).tolist()
    sizes = Counter(labels[row] for row in scored)
    # One alone in its group says nothing of what goes on within groups.
    scored = [row for row in scored if sizes[labels[row]] > 1]
    codes = cluster_codes([labels[row] for row in scored], len(scored))
    x, y = points[scored].T
    centred = _centre(x, codes), _centre(y, codes)
    value = pearson(*centred)
    second = [clusters[0][row] for row in scored] if clusters else None
    low, high, remark = _interval(centred, codes, second, options)
    reason = get_measure("pearson").why_undefined(*centred) if math.isnan(value) else remark
    return value, low, high, len(x), int(codes.max(initial=-1)) + 1, pearson(x, y), reason


def _centre(values: Floats, codes: NDArray[np.intp]) -> Floats:
    import numpy as np

    if not len(values):
        return values
    means = np.bincount(codes, values) / np.bincount(codes)
    # Rounded so that a group in which all are alike leaves exact zeros and not the last bits of a mean.
    return np.round(values - means[codes], 12)


def _interval(
    centred: Sequence[Floats],
    codes: NDArray[np.intp],
    second: Sequence[Hashable] | None,
    options: AgreementOptions,
) -> tuple[float, float, str]:
    from creaeval.stats import resample

    if not options.resamples:
        return math.nan, math.nan, ""
    estimate = resample.bootstrap(
        resample.pearson,
        centred,
        n_resamples=options.resamples,
        confidence=options.confidence,
        method=options.interval,
        groups=codes,
        second_groups=second,
        seed=options.seed,
    )
    return estimate.low, estimate.high, "; ".join(filter(None, (*estimate.warnings, estimate.note)))
