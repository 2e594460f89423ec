"""Whether judges agree with people as well as people do, or methods alike, within a margin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from creaeval.agreement.methods.comparison import find_panels, same_responses
from creaeval.agreement.pairs import AVG, HUMAN, PairValues, find_groups
from creaeval.stats.measures import get_measure

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

    from creaeval.agreement.options import AgreementOptions
    from creaeval.agreement.pairs import Group
    from creaeval.agreement.rating_data import RatingData

COLUMNS = [
    *("first", "second", "dimension", "metric", "first_value", "second_value", "difference", "margin"),
    *("low", "high", "p_lower", "p_upper", "p_equivalence", "p_noninferior", "n", "reason"),
]


def equivalence(values: PairValues) -> pd.DataFrame:
    """Test differences of agreement for equivalence and non-inferiority.

    Parameters
    ----------
    values : PairValues
        Of judges and raters, as :func:`~creaeval.agreement.protocol.measure_agreement` made them. Its options
        have the ``margin``, in the unit of each measure; each one-sided test is at 1 - ``confidence``.

    Returns
    -------
    pandas.DataFrame
        One row for each measure and dimension (and ``AVG``): every judge, or mean of judges, as ``first``
        against the agreement between people (``human-human``) as ``second``, then the first method against
        each other one. ``low`` and ``high`` are the interval of two one-sided tests (of 90% at a confidence
        of 95%); ``p_equivalence`` is small where the difference lies within the margin, ``p_noninferior``
        where the first is not worse by the margin or more. An undefined value is missing, and ``reason``
        says why.

    References
    ----------
    Schuirmann (1987); see :mod:`creaeval.stats.equivalence`.
    """
    import pandas as pd

    rows = [*_beside_people(values), *_between_methods(values.data, values.options)]
    return pd.DataFrame(rows, columns=COLUMNS)


def _beside_people(values: PairValues) -> Iterator[tuple[object, ...]]:
    groups = find_groups(values.data)
    people = next((group for group in groups if group.name == HUMAN), None)
    if people is not None:
        for group in groups:
            if group is not people:
                yield from _rows(values, group, people)


def _between_methods(data: RatingData, options: AgreementOptions) -> Iterator[tuple[object, ...]]:
    for other in data.methods[1:]:
        panels = find_panels(data, data.methods[0], other)
        if panels.comparable:
            values = PairValues(same_responses(data, panels.groups), panels.groups, options)
            first, second = panels.groups
            yield from _rows(values, first, second, panels.reason)


def _rows(values: PairValues, first: Group, second: Group, reason: str = "") -> Iterator[tuple[object, ...]]:
    from creaeval.stats.equivalence import equivalence_of_draws, equivalence_of_error

    options = values.options
    for measure in values.measures:
        record = get_measure(measure)
        if not record.symmetric:
            continue  # of two people nobody is the first
        for dimension in (*values.data.dimensions, AVG):
            a, b = (values.mean(group, measure, dimension) for group in (first, second))
            difference, alpha = a - b, 1 - options.confidence
            margin = options.margin or 0.0
            test = equivalence_of_draws(
                difference.value,
                difference.draws,
                margin,
                n=min(difference.n, values.n_units),
                better=record.better,
                alpha=alpha,
            )
            note = test.reason
            if options.raters == "random":
                ends, note = values.interval(difference)
                test = equivalence_of_error(
                    difference.value,
                    ends.standard_error,
                    margin,
                    better=record.better,
                    alpha=alpha,
                    degrees_of_freedom=ends.degrees_of_freedom,
                )
            yield (
                *(first.name, second.name, dimension, measure, a.value, b.value, difference.value, margin),
                *(test.low, test.high, test.p_lower, test.p_upper, test.p_equivalence, test.p_noninferior),
                *(difference.n, "; ".join(filter(None, (reason, note or test.reason)))),
            )
