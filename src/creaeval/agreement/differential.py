"""Differential functioning: whether a judge favours a group of responses, beyond what people gave them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from creaeval.agreement.pairs import AVG, biases_of, defined_mean
from creaeval.wording import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from creaeval.agreement.options import AgreementOptions
    from creaeval.agreement.rating_data import RatingData, Scorer

    Floats = NDArray[np.float64]

COLUMNS = [
    "method",
    "judge",
    "column",
    "dimension",
    "group",
    "against",
    "bias",
    "bias_against",
    "difference",
    "low",
    "high",
    "t",
    "df",
    "p",
    "p_holm",
    "n",
    "n_against",
    "reason",
]
OTHERS = "all others"


def differential(data: RatingData, column: str, options: AgreementOptions) -> pd.DataFrame:
    """Test whether a judge's points less the raters' differ between the groups that a column makes.

    Parameters
    ----------
    data : RatingData
        Of judges and raters.
    column : str
        A carried column, such as language, grade or school; responses without a value are left out.
    options : AgreementOptions
        Its confidence; with a cluster, clusters and not responses are what is counted.

    Returns
    -------
    pandas.DataFrame
        One row for each judge, dimension (and ``AVG``, the mean over a response's dimensions) and group, held
        against all others; of two groups one row, the first against the second. ``bias`` is the mean of the
        judge's points minus the mean of the raters', ``difference`` that of the group less ``bias_against``,
        in points: above 0 the judge favours the group. Its interval and p are Welch's; ``p_holm`` is
        corrected for all groups and dimensions of the judge, for ``AVG`` for its groups. ``n`` counts
        responses or clusters; a group of fewer than five has no test, and ``reason`` says so.

    References
    ----------
    Welch (1947), The generalization of Student's problem when several different population variances are
    involved. Biometrika 34.
    """
    import pandas as pd

    groups = data.column(column)
    labels = options.drawn(data.units, data.carried)
    tables = []
    for judge in data.judges:
        biases = _biases(data, judge)
        rows = [
            (judge.method, data.label(judge), column, dimension, *row)
            for dimension, bias in biases.items()
            for row in _contrasts(bias, groups, labels, options)
        ]
        tables.append(_corrected(pd.DataFrame(rows, columns=COLUMNS)))
    return pd.concat(tables) if tables else pd.DataFrame(columns=COLUMNS)


def _biases(data: RatingData, judge: Scorer) -> dict[str, Floats]:
    """Return, by dimension, the judge's points less the raters' mean; nan where either has none."""
    import numpy as np

    biases = {dimension: biases_of(data, judge, dimension) for dimension in data.dimensions}
    return biases | {AVG: defined_mean(np.column_stack(list(biases.values())), axis=1)}


def _contrasts(
    bias: Floats, groups: Sequence[str | None], labels: Sequence[object], options: AgreementOptions
) -> list[tuple[object, ...]]:
    import numpy as np
    import pandas as pd

    frame = pd.DataFrame({"bias": bias, "group": groups, "label": labels}).dropna()
    # What belongs together counts once in its group.
    means = frame.groupby(["group", "label"], sort=True)["bias"].mean()
    names = sorted(map(str, frame["group"].unique()))
    values = {name: np.asarray(means[name], dtype=float) for name in names}
    if len(names) == 2:
        first, second = values.values()
        return [(*names, *_welch(first, second, options))]
    rows: list[tuple[object, ...]] = []
    for name in names:
        others = [values[other] for other in names if other != name]
        against = np.concatenate(others) if others else np.empty(0)
        rows.append((name, OTHERS, *_welch(values[name], against, options)))
    return rows


def _welch(first: Floats, second: Floats, options: AgreementOptions) -> tuple[object, ...]:
    """Return both means, their difference with interval, t, df, p and a place for the corrected p."""
    from scipy.special import stdtr, stdtrit

    from creaeval.stats.draws import FEWEST

    counts = len(first), len(second)
    means = tuple(float(values.mean()) if len(values) else math.nan for values in (first, second))
    difference = means[0] - means[1]
    nothing = (math.nan,) * 6
    if min(counts) < FEWEST:
        what = plural(min(counts), "cluster" if options.cluster else "response")
        return *means, difference, *nothing, *counts, f"no test: {what} in a group, fewer than {FEWEST}"
    errors = [float(values.var(ddof=1)) / len(values) for values in (first, second)]
    error = math.sqrt(sum(errors))
    if error <= 1e-12:
        return *means, difference, *nothing, *counts, "no test: the differences do not vary"
    freedom = sum(errors) ** 2 / sum(e**2 / (n - 1) for e, n in zip(errors, counts, strict=True))
    t = difference / error
    reach = float(stdtrit(freedom, (1 + options.confidence) / 2)) * error
    p = 2 * float(stdtr(freedom, -abs(t)))
    return *means, difference, difference - reach, difference + reach, t, freedom, p, math.nan, *counts, ""


def _corrected(table: pd.DataFrame) -> pd.DataFrame:
    """Correct by Holm: the dimensions' tests are one family, those of the average another."""
    import numpy as np

    from creaeval.stats.compare import holm

    for family in (table["dimension"].eq(AVG), table["dimension"].ne(AVG)):
        table.loc[family, "p_holm"] = holm(np.asarray(table.loc[family, "p"], dtype=float))
    return table
