"""Agreement with the raters' mean, and of participants' means: what papers on uses of objects print.

Both are other quantities than the protocol's, which averages the agreements with each rater. A mean over
raters or responses holds less error than a single rating, so its correlations are higher.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from creaeval.agreement.pairs import AVG
from creaeval.agreement.protocol import measure_agreement
from creaeval.agreement.rating_data import RatingData, Scorer, Unit

if TYPE_CHECKING:
    import pandas as pd

    from creaeval.agreement.options import AgreementOptions

#: Stands for all raters of a response.
MEAN_RATER = Scorer("mean of raters")
#: The carried column that names who wrote a response.
PARTICIPANT = "participant"
#: Measures of participants' means.
OF_PARTICIPANTS = ("pearson", "icc", "bias")
MEAN_COLUMNS = ["method", "judge", "dimension", "metric", "value", "low", "high", "single"]
MEAN_COLUMNS += ["n", "defined", "reason"]
PARTICIPANT_COLUMNS = ["method", "judge", "dimension", "metric", "value", "low", "high"]
PARTICIPANT_COLUMNS += ["n", "responses", "defined", "reason"]


def mean_rater(data: RatingData, options: AgreementOptions, means: pd.DataFrame) -> pd.DataFrame:
    """Measure the agreement of each judge with the mean of the raters of each response.

    Parameters
    ----------
    data : RatingData
        Of judges and raters, not in slots: the mean is over all who rated a response.
    options : AgreementOptions
        Its measures, Pearson's r among them in any case; intervals come from the same resamples.
    means : pandas.DataFrame
        Of the protocol: see :class:`~creaeval.agreement.protocol.Agreement`.

    Returns
    -------
    pandas.DataFrame
        One row for each judge (and all judges of a method), dimension (and ``AVG``, their mean) and measure:
        ``value`` with its interval in the ``n`` responses that the judge scored and anybody rated, and
        ``single``, the protocol's, the mean of the agreements with single raters (missing where that was not
        measured). Empty where there are fewer than two raters, or no judge.

    References
    ----------
    Shrout & Fleiss (1979) on the reliability of means of raters; Spearman (1910) and Brown (1910).
    """
    import pandas as pd

    if len(data.raters) < 2 or not data.judges:
        return pd.DataFrame(columns=MEAN_COLUMNS)
    measures = dict.fromkeys(("pearson", *options.measures))
    held = measure_agreement(_with_mean_rater(data), options.change(measures=tuple(measures))).means
    keys = ["method", "judge", "dimension", "metric"]
    single = means[[*keys, "value"]].rename(columns={"value": "single"})
    table: pd.DataFrame = held.merge(single, "left", keys)[MEAN_COLUMNS]
    return table


def participant_means(data: RatingData, options: AgreementOptions) -> pd.DataFrame:
    """Measure the agreement of judges with people on participants' means over their responses.

    Parameters
    ----------
    data : RatingData
        Of judges and raters; responses carry ``participant``.
    options : AgreementOptions
        How many resamples of participants intervals rest on, of which kind.

    Returns
    -------
    pandas.DataFrame
        One row for each judge, dimension (and ``AVG``, their mean) and measure (``pearson``; ``icc``, that is
        ICC(A,1); ``bias``, judge minus raters, in points): of ``n`` participants the mean of the judge's
        points beside the mean of the raters' means, over the same ``responses``, those that both scored.
        Responses without a participant are left out. Empty where no response says who wrote it, or nobody
        wrote two.
    """
    import pandas as pd

    tables = [pd.DataFrame(columns=PARTICIPANT_COLUMNS)]
    if PARTICIPANT not in data.carried or not data.raters:
        return tables[0]
    options = options.change(measures=OF_PARTICIPANTS, cluster=(), items="sum")
    pairs = _pairs(data)
    for judge in data.judges:
        rows = pairs[pairs["judge"].eq(data.scorers.index(judge))]
        if not rows.duplicated([PARTICIPANT, "dimension"]).any():
            continue
        held = measure_agreement(_of_participants(data, judge, rows), options).means
        counts = rows["dimension"].value_counts()
        responses = {name: int(counts.get(number, 0)) for number, name in enumerate(data.dimensions)}
        responses[AVG] = min(responses.values())
        table = held.assign(judge=data.label(judge), responses=held["dimension"].map(responses))
        tables.append(table[PARTICIPANT_COLUMNS])
    return pd.concat(tables[1:] or tables)


def _with_mean_rater(data: RatingData) -> RatingData:
    """Put one rater in the place of all, who gave each response their mean."""
    import pandas as pd

    n_judges = len(data.judges)
    is_judge = data.long["scorer"].lt(n_judges)
    columns = ["unit", "scorer", "dimension", "points"]
    mean = data.long[~is_judge].groupby(["unit", "dimension"], as_index=False)["points"].mean()
    long = pd.concat([data.long.loc[is_judge, columns], mean.assign(scorer=n_judges)[columns]])
    return replace(data, scorers=(*data.judges, MEAN_RATER), long=long.reset_index(drop=True), people=())


def _pairs(data: RatingData) -> pd.DataFrame:
    """Set each judge's points beside the raters' mean, with who wrote the response."""
    long = _with_mean_rater(data).long
    n_judges = len(data.judges)
    judged = long[long["scorer"].lt(n_judges)].rename(columns={"scorer": "judge", "points": "score"})
    rated = long[long["scorer"].eq(n_judges)].rename(columns={"points": "rating"}).drop(columns="scorer")
    pairs = judged.merge(rated, on=["unit", "dimension"])
    participants = [value or None for value in data.column(PARTICIPANT)]
    pairs[PARTICIPANT] = pairs["unit"].map(participants.__getitem__)
    return pairs.dropna(subset=PARTICIPANT)


def _of_participants(data: RatingData, judge: Scorer, pairs: pd.DataFrame) -> RatingData:
    """Make data of the means of one judge and of the raters, a unit a participant."""
    means = pairs.groupby([PARTICIPANT, "dimension"], as_index=False)[["score", "rating"]].mean()
    rows = [
        (Unit(str(row[PARTICIPANT])), number, int(row["dimension"]), float(row[name]))
        for row in means.to_dict("records")
        for number, name in enumerate(("score", "rating"))
    ]
    return RatingData.build(data.task, data.dimensions, [judge, MEAN_RATER], rows, data.scales)
