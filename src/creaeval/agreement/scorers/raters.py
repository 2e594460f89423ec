"""How well people agree among each other, as coefficients of all raters together."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from creaeval.agreement.options import AgreementOptions
    from creaeval.agreement.rating_data import RatingData

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
        responses it rests on: for the ICC those that all rated, at least five of them or all there are, for
        alpha those with two ratings. An undefined value is missing, and ``reason`` says why; of a negative
        one it says what to look at. Coefficients for raters who share some responses only, with intervals
        for raters like these, are in the table of :mod:`creaeval.agreement.scorers.reliability`.
    """
    import pandas as pd

    alphas = _alphas_on_resamples(data, options)
    table = [
        (dimension, *row)
        for dimension in data.dimensions
        for row in _coefficients(data.take(dimension, data.raters), alphas.get(dimension), options)
    ]
    return pd.DataFrame(table, columns=COLUMNS)


def _coefficients(ratings: Floats, resampled: Resampled | None, options: AgreementOptions) -> Iterator[Row]:
    import numpy as np

    ratings = ratings[~np.isnan(ratings).all(axis=1)][:, ~np.isnan(ratings).all(axis=0)]
    if ratings.shape[1] < 2:
        yield _undefined("ICC(A,1) = ICC(2,1)", len(ratings), ratings.shape[1], "there are not two raters")
        return
    yield from _iccs(ratings, options.confidence)
    yield from _alphas(ratings, resampled, options)
    yield _fleiss(ratings)


def _iccs(ratings: Floats, confidence: float) -> Iterator[Row]:
    import numpy as np

    from creaeval.stats.draws import FEWEST, TOO_FEW
    from creaeval.stats.icc import icc

    complete = int((~np.isnan(ratings).any(axis=1)).sum())
    few = complete < min(FEWEST, len(ratings))
    table = icc(ratings, confidence)
    for form in table.forms:
        name = f"{form.name} = {form.shrout_fleiss}"
        if few:
            reason = f"{complete} of {len(ratings)} responses were rated by all: see reliability"
            yield _undefined(name, complete, table.k, reason)
            continue
        reason = form.why_undefined
        if not reason and math.isnan(form.value):
            reason = "0 divided by 0, or less: ratings differ less between responses than chance gives"
        elif not reason and form.value < 0:
            reason = _NEGATIVE
        ends, no_interval = (form.value, form.lower, form.upper), form.why_no_interval
        if table.n < FEWEST:
            ends, no_interval = (form.value, math.nan, math.nan), TOO_FEW
        reason = "; ".join(filter(None, (reason, "" if form.why_undefined else no_interval)))
        yield (name, *ends, table.n, table.k, form.f, form.df1, form.df2, form.p, reason)


def _alphas(ratings: Floats, resampled: Resampled | None, options: AgreementOptions) -> Iterator[Row]:
    import numpy as np

    from creaeval.stats.alpha import krippendorff_alpha, why_alpha_undefined
    from creaeval.stats.draws import NO_INTERVAL, interval

    n = int(((~np.isnan(ratings)).sum(axis=1) >= 2).sum())
    reason = why_alpha_undefined(ratings)
    for level in ("interval", "ordinal", "nominal"):
        value = krippendorff_alpha(ratings, level)
        ends = NO_INTERVAL
        if level == "interval" and resampled is not None and not reason:
            ends = interval(
                value,
                resampled.draws,
                n=resampled.n_units,
                confidence=options.confidence,
                leave_one_out=resampled.without,
                bounds=(-math.inf, 1.0),
            )
        why = "; ".join(filter(None, (reason or (_NEGATIVE if value < 0 else ""), ends.note)))
        name = f"Krippendorff's alpha ({level})"
        yield (name, value, ends.low, ends.high, n, ratings.shape[1], *(math.nan,) * 4, why)


class Resampled(NamedTuple):
    """A dimension's alpha on resamples, without each unit, and the number of units that have pairs."""

    draws: Floats
    without: Floats | None
    n_units: int


def _alphas_on_resamples(data: RatingData, options: AgreementOptions) -> dict[str, Resampled]:
    """Compute alpha of all dimensions on the same resamples, which are gone over once."""
    import numpy as np

    from creaeval.stats.alpha import interval_alpha

    draws = options.draws(data)
    if draws is None or len(data.raters) < 2:
        return {}
    ratings = {dimension: data.take(dimension, data.raters) for dimension in data.dimensions}

    def over(parts: Iterable[Floats]) -> dict[str, Floats]:
        alphas: dict[str, list[Floats]] = {dimension: [np.empty(0)] for dimension in ratings}
        for counts in parts:
            for dimension, of_raters in ratings.items():
                alphas[dimension].append(interval_alpha(counts, of_raters))
        return {dimension: np.concatenate(parts) for dimension, parts in alphas.items()}

    on_resamples = over(draws.counts())
    without = over(draws.leaving_one_out()) if options.jackknife else {}
    paired = {dimension: (~np.isnan(of)).sum(axis=1) >= 2 for dimension, of in ratings.items()}
    return {
        dimension: Resampled(
            on_resamples[dimension],
            without.get(dimension),
            len(set(draws.units[paired[dimension]].tolist())),
        )
        for dimension in ratings
    }


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
