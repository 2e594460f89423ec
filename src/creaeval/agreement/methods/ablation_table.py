"""What a method loses without one of its parts, as in Table 4 of arXiv 2609.03432."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from creaeval.agreement.methods.common import find_common
from creaeval.agreement.methods.comparison import compare_methods
from creaeval.agreement.methods.method_table import LEVEL
from creaeval.agreement.options import AgreementOptions
from creaeval.agreement.pairs import AVG, PairValues, find_groups
from creaeval.agreement.protocol import check_rated
from creaeval.errors import SettingError
from creaeval.stats.measures import get_measure

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from creaeval.agreement.methods.common import CommonData
    from creaeval.data import Rating, Scores
    from creaeval.runs import Run
    from creaeval.tasks import Task

COLUMNS = [
    "measure",
    "method",
    "value",
    "low",
    "high",
    "difference",
    "difference_low",
    "difference_high",
    "change_percent",
    "p",
    "p_holm",
    "significant",
    "n",
    "lost",
    "defined",
    "reason",
]


def ablation_table(
    task: Task,
    scores: Sequence[Scores | Run],
    ratings: Sequence[Rating],
    options: AgreementOptions | None = None,
    *,
    full: str | None = None,
    n_permutations: int = 10_000,
) -> pd.DataFrame:
    """Set the mean agreement of methods beside that of the full method.

    Parameters
    ----------
    task : Task
        The task.
    scores : sequence of Scores or Run
        One for each method.
    ratings : sequence of Rating
        People's.
    options : AgreementOptions, optional
        How agreement is measured; not by measures in points or rank correlations.
    full : str, optional
        Name of the full method; the first one if not given.
    n_permutations : int
        Random permutations of the tests; 0 for no tests.

    Returns
    -------
    pandas.DataFrame
        One row for each measure and method, the full one first: ``value`` is its ``AVG`` over dimensions,
        with its interval; ``difference`` that less the full method's, of the judges that both have (see
        ``compare_methods``), with the interval of the difference on the
        same resamples; ``change_percent`` the difference in percent of the full method's value (missing
        where that is not above 0); ``p`` of the paired permutation test and ``p_holm``, corrected over the
        methods of the measure, with ``significant`` at .05. ``n``, ``lost``, ``defined`` (dimensions) and
        ``reason`` as in ``method_table``. ``attrs["notes"]`` says what a
        reader has to know.

    Raises
    ------
    SettingError
        As :func:`~creaeval.agreement.methods.common.find_common`, or there is no such full method, or
        nothing beside it, or a measure is not known or has no differences.
    """
    import pandas as pd

    options = options or AgreementOptions()
    common = find_common(task, scores, ratings, options)
    check_rated(common.data)
    if refused := [name for name in options.measures if not get_measure(name).comparable]:
        raise SettingError(f"measure {refused[0]!r}: differences of it say nothing of who agrees better.")
    full = common.methods[0] if full is None else full
    if full not in common.methods:
        raise SettingError(f"full method {full!r}: expected one of {', '.join(common.methods)}.")
    others = [name for name in common.methods if name != full]
    if not others:
        raise SettingError(f"There is only {full}: an ablation table takes a second method.")
    rows = _rows(common, full, others, options, n_permutations)
    table = pd.DataFrame(rows, columns=COLUMNS)
    _correct(table)
    table = table.astype({"significant": "boolean"})
    table.attrs["notes"] = (
        *common.notes,
        f"Differences from {full}, with intervals from the same resamples; p of paired permutation tests, "
        "corrected by Holm over the methods of a measure.",
    )
    return table


def _rows(
    common: CommonData, full: str, others: Sequence[str], options: AgreementOptions, n_permutations: int
) -> list[tuple[object, ...]]:
    data, dimensions = common.data, common.data.dimensions
    # All judges of a method together come last.
    groups = {group.method: group for group in find_groups(data) if group.method}
    values = PairValues(data, list(groups.values()), options)
    contrasts: dict[tuple[str, str], Any] = {
        (str(row.metric), other): row
        for other in others
        if full in groups and other in groups
        for row in compare_methods(data, other, full, options, n_permutations=n_permutations).itertuples()
        if row.dimension == AVG
    }
    nothing = (math.nan,) * 7
    rows: list[tuple[object, ...]] = []
    for measure in options.measures:
        means = {name: values.mean(group, measure, AVG) for name, group in groups.items()}
        for method in (full, *others):
            lost = common.lost_by(method)
            of = means.get(method)
            if of is None:
                absent = (math.nan, None, 0, lost, f"0 of {len(dimensions)}", common.why_nothing(method))
                rows.append((measure, method, *nothing, math.nan, *absent))
                continue
            ends, said = values.interval(of, measure)
            less: tuple[float, ...] = (math.nan,) * 5
            reasons = [said]
            if of.defined != of.all:
                reasons.append(f"undefined in {of.all - of.defined} of {of.all} dimensions")
            if (contrast := contrasts.get((measure, method))) is not None:
                whole = contrast.second_value
                change = 100 * contrast.difference / whole if whole > 0 else math.nan
                less = (contrast.difference, contrast.low, contrast.high, change, contrast.p)
                reasons += [contrast.reason, f"no percentage: {full} is not above 0" if whole <= 0 else ""]
            rows.append(
                (
                    *(measure, method, of.value, ends.low, ends.high, *less),
                    *(math.nan, None),
                    *(of.n, lost, f"{of.defined} of {of.all}"),
                    "; ".join(dict.fromkeys(filter(None, reasons))),
                )
            )
    return rows


def _correct(table: pd.DataFrame) -> None:
    import numpy as np

    from creaeval.stats.compare import holm

    for measure in table["measure"].unique():
        chosen = table["measure"].eq(measure)
        table.loc[chosen, "p_holm"] = holm(np.asarray(table.loc[chosen, "p"], dtype=float))
    table["significant"] = [None if math.isnan(p) else p < LEVEL for p in table["p_holm"]]
