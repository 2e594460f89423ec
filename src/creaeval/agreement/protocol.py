"""How well judges agree with people, and people with each other, by the paper's protocol.

Per dimension, the agreement with each rater, averaged over the raters; then the unweighted mean over the
dimensions. Several judges of a method: the mean of their own agreements. Never agreement with the raters'
mean. arXiv 2609.03432, section 4.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from creaeval.agreement.doubts import FEW, TOO_NARROW
from creaeval.agreement.pairs import AVG, HUMAN, GroupMean, PairValues, find_groups
from creaeval.errors import SettingError
from creaeval.stats.measures import get_measure
from creaeval.wording import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from creaeval.agreement.options import AgreementOptions
    from creaeval.agreement.pairs import Group, Pair
    from creaeval.agreement.rating_data import RatingData

    Floats = NDArray[np.float64]

SHARE = "_share"
ALL_RATERS = "all raters"
COLUMNS = [
    "method",
    "judge",
    "rater",
    "dimension",
    "metric",
    "value",
    "low",
    "high",
    "n",
    "defined",
    "reason",
]


@dataclass(frozen=True)
class Agreement:
    """Agreement in two tables of the same columns.

    Attributes
    ----------
    cells : pandas.DataFrame
        One row for each judge or rater (``judge``), rater, dimension and metric. ``method`` is empty where
        both are people. ``n`` counts the responses that both scored. An undefined value is missing and
        ``reason`` says why.
    means : pandas.DataFrame
        For each judge, for all judges of a method together where it has several, and for all pairs of
        raters (``human-human``): the mean over raters (``rater`` is ``all raters``) per dimension, then of
        dimension ``AVG`` their unweighted mean. ``defined`` counts the averaged values that are defined, as
        in ``19 of 20``; an undefined one is left out and never counted as 0. ``n`` is the smallest number of
        responses. A metric such as ``qwk_share`` is the share that a judge reaches of the agreement between
        people, with its interval from the same resamples.
    warnings : tuple of str
        What a reader has to know of the intervals.
    values : PairValues, optional
        What all is made of.
    """

    cells: pd.DataFrame
    means: pd.DataFrame
    warnings: tuple[str, ...]
    values: PairValues | None = None


def measure_agreement(data: RatingData, options: AgreementOptions) -> Agreement:
    """Measure the agreement of every judge with every rater, and of every two raters.

    All intervals are from the same resamples of whole responses (or clusters), so that a response's
    dimensions stay together in means. Rank correlations have none.

    Raises
    ------
    SettingError
        A measure is not known, or there are no ratings, or nothing to hold a single rater against.
    """
    check_rated(data)
    groups = find_groups(data)
    if not groups:
        raise SettingError("There is a single rater and no judge: agreement takes two.")
    values = PairValues(data, groups, options)
    cells = _cells(groups, values)
    warnings = [*values.warnings]
    if doubted := int(cells["reason"].str.contains(TOO_NARROW).sum()):
        warnings.append(
            f"{plural(doubted, 'interval')} of {len(cells)} in agreement.csv are too narrow, since points "
            f"are skewed and responses fewer than {FEW}; docs/agreement.md says how much."
        )
    return Agreement(cells, _means(groups, values, cells), tuple(warnings), values)


def check_rated(data: RatingData) -> None:
    """Refuse data without ratings."""
    if not data.raters:
        raise SettingError("There are no ratings of these responses to agree with.")


def _cells(groups: Sequence[Group], values: PairValues) -> pd.DataFrame:
    import pandas as pd

    rows = [
        (
            *(group.method, *map(values.data.label, pair), dimension, measure),
            *_cell(values, measure, dimension, pair),
        )
        for group in groups
        if len(group.pairs) == 1
        for dimension in values.data.dimensions
        for pair in group.pairs[0]
        for measure in values.measures
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def _cell(
    values: PairValues, measure: str, dimension: str, pair: Pair
) -> tuple[float, float, float, int, str, str]:
    place = values.places.get((dimension, *pair))
    if place is None:
        return math.nan, math.nan, math.nan, 0, "0 of 1", "scored by both: 0"
    estimate = values.estimate(measure, place)
    why = values.why(measure, place, pair)
    if math.isnan(estimate.value):
        return math.nan, math.nan, math.nan, estimate.n, "0 of 1", why or "0 divided by 0"
    ends, said = values.interval(estimate, measure)
    doubt = values.doubt(place, pair) if ends.method != "wilson" and ends.low < ends.high else ""
    reason = "; ".join(filter(None, (why, said, doubt)))
    return estimate.value, ends.low, ends.high, estimate.n, "1 of 1", reason


def _means(groups: Sequence[Group], values: PairValues, cells: pd.DataFrame) -> pd.DataFrame:
    import pandas as pd

    reasons: dict[tuple[str, str, str], list[str]] = {}
    for row in cells[cells["reason"].ne("")].itertuples():
        name = str(row.judge) if row.method else HUMAN
        reasons.setdefault((name, str(row.dimension), str(row.metric)), []).append(str(row.reason))
    rows: list[tuple[object, ...]] = []
    people = next((group for group in groups if group.name == HUMAN), None)
    between = {
        (measure, dimension): values.mean(people, measure, dimension)
        for measure in values.measures
        for dimension in (*values.data.dimensions, AVG)
        if people is not None
    }
    for group in groups:
        # In their order, so that the reasons of two runs of the program stand in the same one.
        judges = dict.fromkeys(values.data.label(scorer) for pairs in group.pairs for scorer, _ in pairs)
        names = [HUMAN] if group is people else list(judges)
        for measure in values.measures:
            if group is people and not get_measure(measure).symmetric:
                continue  # of two people nobody is the first
            for dimension in (*values.data.dimensions, AVG):
                of = (
                    between[measure, dimension] if group is people else values.mean(group, measure, dimension)
                )
                ends, said = values.interval(of, measure)
                why = dict.fromkeys(
                    reason
                    for one in of.dimensions
                    for name in names
                    for reason in reasons.get((name, one, measure), [])
                )
                head = (group.method, group.name, ALL_RATERS, dimension)
                defined = f"{of.defined} of {of.all}"
                told = "; ".join(dict.fromkeys(filter(None, (*why, said))))
                rows.append((*head, measure, of.value, ends.low, ends.high, of.n, defined, told))
                if people is not None and group is not people and not get_measure(measure).in_points:
                    rows.append((*head, measure + SHARE, *_share(values, of, between[measure, dimension])))
    return pd.DataFrame(rows, columns=COLUMNS)


def _share(
    values: PairValues, judge: GroupMean, people: GroupMean
) -> tuple[float, float, float, int, str, str]:
    import numpy as np

    n = min(judge.n, people.n)
    if math.isnan(judge.value) or math.isnan(people.value) or people.value <= 0:
        why = "agreement is undefined"
        if people.value <= 0:
            why = f"people agree no better than by chance ({people.value:.3f})"
        return math.nan, math.nan, math.nan, n, "0 of 1", why

    def share(above: Floats, below: Floats) -> Floats:
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(below > 0, above / below, np.nan)

    reached = judge.combine(people, share)
    ends, said = values.interval(reached)
    return reached.value, ends.low, ends.high, n, "1 of 1", said
