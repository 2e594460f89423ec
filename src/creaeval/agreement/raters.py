"""How well people agree among each other, as coefficients of all raters together."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from creaeval.agreement.options import FEWEST

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from creaeval.agreement.options import AgreementOptions
    from creaeval.agreement.rating_data import RatingData
    from creaeval.stats.draws import Draws

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


def rater_coefficients(data: RatingData, options: AgreementOptions) -> pd.DataFrame:
    """Compute the coefficients of all raters together.

    Krippendorff's alpha of interval data has a bootstrap interval; those of the ICC are McGraw and Wong's
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

    table = [
        (dimension, *row)
        for dimension in data.dimensions
        for row in _coefficients(data.take(dimension, data.raters), data, options)
    ]
    return pd.DataFrame(table, columns=COLUMNS)


def _coefficients(ratings: Floats, data: RatingData, options: AgreementOptions) -> Iterator[Row]:
    import numpy as np

    rated = np.flatnonzero(~np.isnan(ratings).all(axis=1)).tolist()
    units = [data.units[row] for row in rated]
    ratings = ratings[rated][:, ~np.isnan(ratings).all(axis=0)]
    if ratings.shape[1] < 2:
        yield _undefined("ICC(A,1) = ICC(2,1)", len(ratings), ratings.shape[1], "there are not two raters")
        return
    yield from _iccs(ratings, options.confidence)
    yield from _alphas(ratings, options.draws_of(units, data.carried), options)
    yield _fleiss(ratings)


def _iccs(ratings: Floats, confidence: float) -> Iterator[Row]:
    import numpy as np

    from creaeval.agreement.rating_data import mostly_crossed
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
        yield (name, *ends, table.n, table.k, form.f, form.df1, form.df2, form.p, reason)


def _alphas(ratings: Floats, draws: Draws | None, options: AgreementOptions) -> Iterator[Row]:
    import numpy as np

    from creaeval.stats.alpha import krippendorff_alpha, why_alpha_undefined
    from creaeval.stats.draws import interval
    from creaeval.stats.resample import interval_alpha

    n = int(((~np.isnan(ratings)).sum(axis=1) >= 2).sum())
    reason = why_alpha_undefined(ratings)
    if draws is not None and (min(draws.n_units, n) < FEWEST or reason):
        draws = None
    for level in ("interval", "ordinal", "nominal"):
        value = krippendorff_alpha(ratings, level)
        low = high = math.nan
        if level == "interval" and draws is not None:
            on_resamples = [interval_alpha(counts, ratings) for counts in draws.counts()]
            without = [interval_alpha(counts, ratings) for counts in draws.leaving_one_out()]
            ends = interval(
                value,
                np.concatenate(on_resamples),
                confidence=options.confidence,
                leave_one_out=np.concatenate(without) if options.jackknife else None,
            )
            low, high = ends.low, ends.high
        why = reason or (_NEGATIVE if value < 0 else "")
        nothing = (math.nan,) * 4
        name = f"Krippendorff's alpha ({level})"
        yield (name, value, low, high, n, ratings.shape[1], *nothing, why)


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
