"""Points laid out as arrays, a row a response and a column a scorer, for the statistics."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    Scorer = tuple[str, str]


def scorers(points: pd.DataFrame, kind: str | None = None) -> list[Scorer]:
    """List who scored, judges before raters.

    Parameters
    ----------
    points : pandas.DataFrame
        Columns ``kind`` and ``scorer``, one row a value.
    kind : {"judge", "rater"}, optional
        Only these.

    Returns
    -------
    list of tuple of str
        Kind and label, in the order in which they first occur.
    """
    once = points[["kind", "scorer"]].drop_duplicates()
    known = list(zip(map(str, once["kind"]), map(str, once["scorer"]), strict=True))
    return [
        one for wanted in ("judge", "rater") for one in known if one[0] == wanted and kind in (None, wanted)
    ]


def responses(points: pd.DataFrame) -> list[str]:
    """List the responses that anybody scored.

    Parameters
    ----------
    points : pandas.DataFrame
        Column ``response_id``, one row a value.

    Returns
    -------
    list of str
        Sorted, so that nothing depends on the order of rows.
    """
    return sorted(map(str, points["response_id"].unique()))


def matrix(
    points: pd.DataFrame, dimension: str, columns: Sequence[Scorer], rows: Sequence[str]
) -> NDArray[np.float64]:
    """Lay out one dimension.

    Parameters
    ----------
    points : pandas.DataFrame
        Columns ``response_id``, ``scorer``, ``kind``, ``dimension`` and ``points``, one row a value.
    dimension : str
        Identity of the dimension.
    columns : sequence of tuple of str
        Scorers, from :func:`scorers`.
    rows : sequence of str
        Response ids.

    Returns
    -------
    array of float, shape (rows, columns)
        Points; nan where there is no value.

    Raises
    ------
    ValueError
        A scorer has two values for one response and dimension.
    """
    import numpy as np

    row_of = {name: number for number, name in enumerate(rows)}
    column_of = {scorer: number for number, scorer in enumerate(columns)}
    laid = np.full((len(rows), len(columns)), np.nan)
    chosen = points[points["dimension"].eq(dimension)]
    values = zip(chosen["response_id"], chosen["kind"], chosen["scorer"], chosen["points"], strict=True)
    for response, kind, scorer, value in values:
        row, column = row_of.get(str(response)), column_of.get((str(kind), str(scorer)))
        if row is None or column is None:
            continue
        if not np.isnan(laid[row, column]):
            raise ValueError(f"{kind} {scorer} has two values of {dimension} for response {response}.")
        laid[row, column] = value
    return laid


def mostly_crossed(given: NDArray[np.bool_]) -> bool:
    """Whether enough responses were scored by all to take scorers as crossed with responses.

    Parameters
    ----------
    given : array of bool, shape (responses, scorers)
        Where there are points.

    Returns
    -------
    bool
        Two or more responses have everybody's points, and they are at least half of those that two or more
        scored: a few that all scored, for training say, do not make a design.
    """
    numbers = given.sum(axis=1)
    complete, several = int((numbers == given.shape[1]).sum()), int((numbers >= 2).sum())
    return complete >= 2 and 2 * complete >= several
