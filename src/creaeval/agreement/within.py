"""Correlation within groups of responses: what is left once the groups' own means are taken away."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from creaeval.agreement.pair_values import Resampling

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


def agreement_within(
    points: pd.DataFrame, dimensions: Sequence[str], groups: Mapping[str, str], resampling: Resampling
) -> pd.DataFrame:
    """Correlate judges with raters within groups, such as the uses of one object in one study.

    Where groups differ in their means, a judge that only knows these correlates with people over all
    responses; within groups it does not.

    Parameters
    ----------
    points : pandas.DataFrame
        From :func:`creaeval.agreement.points.collect_points`.
    dimensions : sequence of str
        Identities, in the order wanted.
    groups : mapping of str to str
        By response id, its group; a response without one is left out.
    resampling : Resampling
        How intervals are made. The groups' means are those of the data in every resample.

    Returns
    -------
    pandas.DataFrame
        One row for each judge, rater and dimension: ``value``, Pearson's r of points less their group's
        mean, the means taken over the ``n`` responses that both scored; its interval; ``groups`` with two
        such responses or more (one alone says nothing and is left out); ``overall`` on the same responses
        without that. An undefined value is missing and ``reason`` says why.
    """
    import numpy as np
    import pandas as pd

    from creaeval.agreement.matrix import matrix, scorers
    from creaeval.stats.correlation import pearson
    from creaeval.stats.measures import get_measure

    judges, raters = scorers(points, "judge"), scorers(points, "rater")
    methods = dict(zip(points["scorer"], points["method"], strict=True))
    ids = [one for one in sorted(map(str, points["response_id"].unique())) if one in groups]
    rows: list[tuple[object, ...]] = []
    for dimension in dimensions:
        laid = matrix(points, dimension, [*judges, *raters], ids)
        for place, (_, judge) in enumerate(judges):
            for other, (_, rater) in enumerate(raters, start=len(judges)):
                scored = np.flatnonzero(~np.isnan(laid[:, [place, other]]).any(axis=1))
                codes, sizes = _codes([groups[ids[row]] for row in scored])
                # One alone in its group says nothing of what goes on within groups.
                kept = scored[sizes[codes] > 1]
                codes, sizes = _codes([groups[ids[row]] for row in kept])
                x, y = laid[kept, place], laid[kept, other]
                inner_x, inner_y = _centre(x, codes), _centre(y, codes)
                value = pearson(inner_x, inner_y)
                low, high, said = _interval((inner_x, inner_y), [ids[row] for row in kept], resampling)
                reason = get_measure("pearson").why_undefined(inner_x, inner_y) if math.isnan(value) else said
                head = (methods.get(judge, ""), judge, rater, dimension)
                rows.append((*head, value, low, high, len(x), len(sizes), pearson(x, y), reason))
    return pd.DataFrame(rows, columns=COLUMNS)


def _codes(labels: Sequence[str]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    import numpy as np

    _, codes, sizes = np.unique(np.array(labels, dtype=str), return_inverse=True, return_counts=True)
    return codes.astype(np.intp), sizes.astype(np.intp)


def _centre(values: Floats, codes: NDArray[np.intp]) -> Floats:
    import numpy as np

    if not len(values):
        return values
    means = np.bincount(codes, values) / np.bincount(codes)
    # Rounded so that a group in which all are alike leaves exact zeros and not the last bits of a mean.
    return np.round(values - means[codes], 12)


def _interval(
    centred: Sequence[Floats], ids: Sequence[str], resampling: Resampling
) -> tuple[float, float, str]:
    from creaeval.stats import resample

    if not resampling.n_resamples:
        return math.nan, math.nan, ""
    first, second = (
        None if of is None else [of.get(one, one) for one in ids]
        for of in (resampling.clusters, resampling.second_clusters)
    )
    found = resample.bootstrap(
        resample.pearson,
        centred,
        n_resamples=resampling.n_resamples,
        confidence=resampling.confidence,
        method=resampling.method,
        groups=first,
        second_groups=second,
        seed=resampling.seed,
    )
    return found.low, found.high, "; ".join(filter(None, (*found.warnings, found.note)))
