"""How well people agree among each other, as coefficients of all raters together."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from creaeval.agreement.pair_values import Resampling

    Floats = NDArray[np.float64]
    Row = tuple[str, float, float, float, int, int, float, float, float, float, str]

COLUMNS = [
    "dimension",
    "coefficient",
    "value",
    "low",
    "high",
    "n",
    "raters",
    "f",
    "df1",
    "df2",
    "p",
    "reason",
]
_ONE_WAY = ("ICC(1)", "ICC(k)")
_NEGATIVE = "below 0: responses differ less than chance would have it; is a rater's scale reversed?"


def rater_coefficients(
    points: pd.DataFrame, dimensions: Sequence[str], resampling: Resampling
) -> pd.DataFrame:
    """Compute the coefficients of all raters together.

    Parameters
    ----------
    points : pandas.DataFrame
        From :func:`creaeval.agreement.points.collect_points`; judges are not looked at.
    dimensions : sequence of str
        Identities.
    resampling : Resampling
        For the interval of Krippendorff's alpha of interval data; those of the ICC are McGraw and Wong's
        (1996), the others have none.

    Returns
    -------
    pandas.DataFrame
        For each dimension the six forms of the ICC (``ICC(A,1) = ICC(2,1)``, with F, degrees of freedom and p
        against 0), Krippendorff's alpha (interval, ordinal, nominal) and Fleiss' kappa. ``n`` counts the
        responses it rests on and ``raters`` the ratings of each, or all raters for alpha. Where no response
        was rated by all, only the one-way forms of the ICC are defined. An undefined value is missing, and
        ``reason`` says why; of a negative one it says what to look at.
    """
    import pandas as pd

    from creaeval.agreement.matrix import matrix, responses, scorers

    columns, rows = scorers(points, "rater"), responses(points)
    table = [
        (dimension, *row)
        for dimension in dimensions
        for row in _coefficients(matrix(points, dimension, columns, rows), rows, resampling)
    ]
    return pd.DataFrame(table, columns=COLUMNS)


def _coefficients(ratings: Floats, ids: Sequence[str], resampling: Resampling) -> Iterator[Row]:
    import numpy as np

    given = (~np.isnan(ratings)).sum(axis=1)
    ids = [one for one, number in zip(ids, given, strict=True) if number]
    ratings = ratings[given > 0][:, ~np.isnan(ratings).all(axis=0)]
    if ratings.shape[1] < 2:
        yield _undefined("ICC(A,1) = ICC(2,1)", len(ratings), ratings.shape[1], "there are not two raters")
        return
    yield from _iccs(ratings, resampling.confidence)
    yield from _alphas(ratings, ids, resampling)
    yield _fleiss(ratings)


def _iccs(ratings: Floats, confidence: float) -> Iterator[Row]:
    import numpy as np

    from creaeval.agreement.matrix import mostly_crossed
    from creaeval.stats.draws import FEWEST, TOO_FEW
    from creaeval.stats.icc import icc

    given = (~np.isnan(ratings)).sum(axis=1)
    crossed = mostly_crossed(~np.isnan(ratings))
    if not crossed:
        # One-way forms need as many ratings of each response, not the same raters.
        numbers, counts = np.unique(given[given > 1], return_counts=True)
        k = int(numbers[counts.argmax()]) if len(numbers) else 0
        ratings = np.array([row[~np.isnan(row)] for row in ratings[given == k]]).reshape(-1, max(k, 1))
        if k < 2:
            ratings = np.full((0, 2), np.nan)
    table = icc(ratings, confidence)
    for form in table.forms:
        name = f"{form.name} = {form.shrout_fleiss}"
        if not crossed and form.name not in _ONE_WAY:
            yield _undefined(name, 0, table.k, "raters are not crossed: too few responses were rated by all")
            continue
        reason = form.why_undefined
        if not reason and math.isnan(form.value):
            reason = "0 divided by 0, or less: ratings differ less between responses than chance gives"
        elif not reason and form.value < 0:
            reason = _NEGATIVE
        ends = (form.value, form.lower, form.upper)
        no_interval = form.why_no_interval
        if table.n < FEWEST:
            ends, no_interval = (form.value, math.nan, math.nan), TOO_FEW
        reason = "; ".join(filter(None, (reason, "" if form.why_undefined else no_interval)))
        yield (name, *ends, table.n, table.k, form.f, form.df1, form.df2, form.p, reason)


def _alphas(ratings: Floats, ids: Sequence[str], resampling: Resampling) -> Iterator[Row]:
    import numpy as np

    from creaeval.stats.alpha import interval_alpha, krippendorff_alpha, why_alpha_undefined
    from creaeval.stats.draws import NO_INTERVAL, interval

    paired = (~np.isnan(ratings)).sum(axis=1) >= 2
    n = int(paired.sum())
    reason = why_alpha_undefined(ratings)
    for level in ("interval", "ordinal", "nominal"):
        value = krippendorff_alpha(ratings, level)
        ends = NO_INTERVAL
        draws = resampling.draws(ids)
        if level == "interval" and draws is not None and not draws.why_impossible and not reason:
            ends = interval(
                value,
                np.concatenate([interval_alpha(counts, ratings) for counts in draws.counts()]),
                n=len(set(draws.units[paired].tolist())),
                confidence=resampling.confidence,
                leave_one_out=np.concatenate(
                    [interval_alpha(counts, ratings) for counts in draws.leaving_one_out()]
                )
                if resampling.jackknife
                else None,
                bounds=(-math.inf, 1.0),
            )
        why = "; ".join(filter(None, (reason or (_NEGATIVE if value < 0 else ""), ends.note)))
        nothing = (math.nan,) * 4
        name = f"Krippendorff's alpha ({level})"
        yield (name, value, ends.low, ends.high, n, ratings.shape[1], *nothing, why)


def _fleiss(ratings: Floats) -> Row:
    import numpy as np

    from creaeval.stats.kappa import fleiss_kappa

    given = (~np.isnan(ratings)).sum(axis=1)
    name, n, most = "Fleiss' kappa", len(ratings), int(given.max(initial=0))
    try:
        value = fleiss_kappa(ratings)
    except ValueError as error:
        return _undefined(name, n, most, str(error))
    if math.isnan(value):
        return _undefined(name, n, most, "fewer than 2 responses" if n < 2 else "all ratings are equal")
    return (name, value, math.nan, math.nan, n, most, *(math.nan,) * 4, "")


def _undefined(name: str, n: int, raters: int, reason: str) -> Row:
    return (name, *(math.nan,) * 3, n, raters, *(math.nan,) * 4, reason)
