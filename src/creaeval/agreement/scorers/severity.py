"""How lenient scorers are, how much of the scale they use, and what responses would get from all of them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from creaeval.agreement.options import AgreementOptions
    from creaeval.agreement.rating_data import RatingData, Scorer
    from creaeval.stats.variance.fair import Leniency

    Floats = NDArray[np.float64]

AVG = "AVG"
SEVERITY_COLUMNS = [
    *("scorer", "kind", "dimension", "n", "mean", "sd", "lowest", "highest", "range_use", "leniency", "se"),
    *("low", "high", "island", "n_compared", "defined", "reason"),
]
FAIR_COLUMNS = [
    *("kind", "response_id", "item", "dimension", "n_raters", "mean", "fair_mean", "se", "low", "high"),
    *("adjusted_mean", "adjusted_se", "rank", "rank_low", "rank_high", "island", "reason"),
]
_OF_ONE = ("se", "low", "high", "island")
_AVERAGED = ("mean", "sd", "lowest", "highest", "range_use", "leniency")


def severity(data: RatingData, options: AgreementOptions) -> pd.DataFrame:
    """Describe the level and the spread of every scorer's points.

    Parameters
    ----------
    data : RatingData
        Judges and raters; each under a name of their own, not in slots.
    options : AgreementOptions
        ``raters``: whether the average rater is the mean of these raters (the default) or of raters like
        these; ``confidence`` of the intervals.

    Returns
    -------
    pandas.DataFrame
        One row for each scorer and dimension, then one of dimension ``AVG``. In points: ``mean``, ``sd`` (n -
        1 in the denominator), ``lowest``, ``highest`` and ``leniency``, how much more the scorer gives to the
        same responses than the average rater, with its standard error ``se`` and interval; positive means
        more lenient. ``range_use`` is the share of the scale between lowest and highest. ``n`` counts the
        responses scored, ``n_compared`` those that another rater scored, too; ``island`` numbers the parts
        of a disconnected design, beyond which raters cannot be compared. In the row ``AVG``, ``n`` and
        ``n_compared`` are the smallest over the dimensions, everything else is the unweighted mean over the
        dimensions where it is defined, without an interval unless there is a single one, and ``defined``
        counts those with a leniency, as in ``19 of 20``. An undefined value is missing, and ``reason`` says
        why.

    Notes
    -----
    A severe colleague makes a rater look lenient, and whoever had the better responses, too: leniency is
    estimated from all points at once, by generalized least squares (of random raters by BLUP), see
    :func:`creaeval.stats.variance.fair.rater_leniency`. A judge is compared with the raters by the same model
    with the judge as a further scorer, whether raters are fixed or not; for random ones the standard error
    has their sampling in it.
    """
    import pandas as pd

    columns = [_leniencies(data, dimension, options) for dimension in data.dimensions]
    table: list[dict[str, object]] = []
    for scorer in data.scorers:
        others = [rater for rater in data.raters if rater != scorer]
        who = {"scorer": data.label(scorer), "kind": scorer.kind}
        own = [
            _describe(
                scorer.kind,
                data.take(dimension, [scorer])[:, 0],
                data.take(dimension, others),
                data.scales[dimension],
                leniencies.get(scorer, {}),
            )
            | {"dimension": dimension}
            for dimension, leniencies in zip(data.dimensions, columns, strict=True)
        ]
        table += [who | row for row in [*own, *([_average(own)] if own else [])]]
    return pd.DataFrame(table, columns=SEVERITY_COLUMNS).astype({"island": "Int64"})


def fair_means(data: RatingData, options: AgreementOptions) -> pd.DataFrame:
    """Estimate what each response would get from the average rater.

    Parameters
    ----------
    data : RatingData
        Judges are not looked at.
    options : AgreementOptions
        As for :func:`severity`; ``seed`` for the intervals of ranks.

    Returns
    -------
    pandas.DataFrame
        One row for each response (or item) and dimension that raters scored: ``n_raters`` and the plain
        ``mean``; ``fair_mean`` with standard error and interval, adjusted for who rated the response and
        drawn towards the mean of all, the more the less reliable its ratings are; ``adjusted_mean``, adjusted
        only; the ``rank`` of the fair mean, 1 the highest, with its interval. Ranks are within an ``island``
        of a disconnected design, and fair means of different islands cannot be compared. An undefined value
        is missing, and ``reason`` says why.

    Notes
    -----
    See :func:`creaeval.stats.variance.fair.fair_means`. Clusters play no part: a response's fair mean does
    not depend on whose class it is of.
    """
    import pandas as pd

    frames = [_fair(data, dimension, options) for dimension in data.dimensions] if data.raters else []
    table = pd.concat(frames) if frames else pd.DataFrame(columns=FAIR_COLUMNS)
    whole = ["item", "n_raters", "rank", "rank_low", "rank_high", "island"]
    return table.reset_index(drop=True).astype(dict.fromkeys(whole, "Int64"))


def _fair(data: RatingData, dimension: str, options: AgreementOptions) -> pd.DataFrame:
    import numpy as np
    import pandas as pd

    from creaeval.stats.variance.components import estimate_components
    from creaeval.stats.variance.design import matrix_ratings
    from creaeval.stats.variance.fair import fair_means as estimate

    ratings = matrix_ratings(data.take(dimension, data.raters))
    found = estimate(
        ratings,
        estimate_components(ratings),
        np.random.default_rng(options.seed),
        raters=options.raters or "fixed",
        confidence=options.confidence,
    )
    units = [data.units[code] for code in found.responses]
    values = {name: getattr(found, name) for name in FAIR_COLUMNS[5:-1]}
    return pd.DataFrame(
        {
            "kind": "rater",
            "response_id": [unit.response_id for unit in units],
            "item": [unit.item or None for unit in units],
            "dimension": dimension,
            "n_raters": found.n_ratings,
            **values,
            "reason": found.reason,
        },
        columns=FAIR_COLUMNS,
    )


def _leniencies(
    data: RatingData, dimension: str, options: AgreementOptions
) -> dict[Scorer, dict[str, object]]:
    """Estimate the leniency of every scorer on one dimension: the raters', and each judge's beside them."""
    import numpy as np

    from creaeval.stats.variance.components import estimate_components
    from creaeval.stats.variance.design import matrix_ratings
    from creaeval.stats.variance.fair import rater_leniency

    rated, confidence = data.take(dimension, data.raters), options.confidence
    ratings = matrix_ratings(rated)
    components, kind = estimate_components(ratings), options.raters or "fixed"
    leniencies = _by_rater(rater_leniency(ratings, components, raters=kind, confidence=confidence))
    found = {data.raters[code]: row for code, row in leniencies.items()}
    sampling = (
        components.variance("rater") / ratings.n_raters if kind == "random" and ratings.n_raters else 0.0
    )
    n_raters = len(data.raters)
    for judge in data.judges:
        # Of responses that no rater scored only the raters' judgement of others could tell the level.
        both = matrix_ratings(np.hstack([rated, data.take(dimension, [judge])])[~np.isnan(rated).all(axis=1)])
        beside = rater_leniency(
            both,
            estimate_components(both),
            reference=range(n_raters),
            sampling=sampling,
            confidence=confidence,
        )
        found[judge] = _by_rater(beside).get(n_raters, {})
    return found


def _by_rater(found: Leniency) -> dict[int, dict[str, object]]:
    names = ("leniency", "se", "low", "high", "island")
    columns = zip(*(getattr(found, name) for name in names), strict=True)
    rows = [dict(zip(names, map(float, column), strict=True)) for column in columns]
    return {
        int(code): row | {"reason": found.reason if math.isnan(row["low"]) else ""}
        for code, row in zip(found.raters, rows, strict=True)
    }


def _describe(
    kind: str, own: Floats, others: Floats, scale: tuple[float, float], leniency: Mapping[str, object]
) -> dict[str, object]:
    """Describe a scorer's points on one dimension, beside those of the other raters of each response."""
    import numpy as np

    from creaeval.stats.differences import range_use, standard_deviation

    points = own[~np.isnan(own)]
    compared = int((~np.isnan(own) & ~np.isnan(others).all(axis=1)).sum())
    used, reasons = math.nan, []
    if not len(points):
        reasons.append("no points")
    elif len(points) < 2:
        reasons.append("sd and range_use: fewer than 2 responses")
    else:
        try:
            used = range_use(points, *scale)
        except ValueError as error:  # points off the scale
            reasons.append(f"range_use: {error}")
    if len(points) and not compared:
        leniency = {}
        reasons.append(f"leniency: no {'other ' * (kind == 'rater')}rater scored these responses")
    elif leniency.get("reason"):
        reasons.append(f"leniency: {leniency['reason']}")
    return {
        "n": len(points),
        "mean": float(points.mean()) if len(points) else math.nan,
        "sd": standard_deviation(points),
        "lowest": float(points.min()) if len(points) else math.nan,
        "highest": float(points.max()) if len(points) else math.nan,
        "range_use": used,
        **{name: leniency.get(name, math.nan) for name in ("leniency", *_OF_ONE)},
        "n_compared": compared,
        "defined": f"{int(compared > 0)} of 1",
        "reason": "; ".join(reasons),
    }


def _average(rows: Sequence[Mapping[str, object]]) -> dict[str, object]:
    import pandas as pd

    frame = pd.DataFrame(list(rows))
    reasons = dict.fromkeys(reason for reason in frame["reason"] if reason)
    return {
        "dimension": AVG,
        **{name: float(frame[name].mean()) for name in _AVERAGED},  # over those defined
        # Errors of one response's dimensions go together, nobody knows how far.
        **{name: frame[name][0] if len(frame) == 1 else math.nan for name in _OF_ONE},
        "n": int(frame["n"].min()),
        "n_compared": int(frame["n_compared"].min()),
        "defined": f"{int(frame['leniency'].notna().sum())} of {len(frame)}",
        "reason": "; ".join(reasons),
    }
