"""What a judge's points mean on the raters' scale, and points put on that scale."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from creaeval.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

CORRECTED = " (corrected)"
CALIBRATION_COLUMNS = ["scorer", "dimension", "level", "n", "mean_human", "bias", "reason"]


def calibration(points: pd.DataFrame, dimensions: Sequence[str]) -> pd.DataFrame:
    """Show what raters gave where a judge gave each level.

    Parameters
    ----------
    points : pandas.DataFrame
        Columns ``response_id``, ``scorer``, ``kind`` (judge or rater), ``dimension`` and ``points``, one row
        a value.
    dimensions : sequence of str
        Identities, in the order wanted.

    Returns
    -------
    pandas.DataFrame
        For each judge and dimension one row a level that the judge gave, rising, then one whose ``level`` is
        missing, over all levels. ``n`` counts pairs of the judge with each rater, so a response that two
        people rated counts twice; ``mean_human`` is the raters' mean over the pairs, ``bias`` the mean of
        judge minus rater, in points: at a level, level minus ``mean_human``. An undefined value is missing,
        and ``reason`` says why.
    """
    import numpy as np
    import pandas as pd

    from creaeval.agreement.matrix import matrix, responses, scorers
    from creaeval.stats.calibration import calibration_curve

    judges, raters, rows = scorers(points, "judge"), scorers(points, "rater"), responses(points)
    of_judges = {dimension: matrix(points, dimension, judges, rows) for dimension in dimensions}
    of_raters = {dimension: matrix(points, dimension, raters, rows) for dimension in dimensions}
    table: list[tuple[str, str, float, int, float, float, str]] = []
    for number, (_, judge) in enumerate(judges):
        for dimension in dimensions:
            given = of_judges[dimension][:, number]
            x, y = _pairs(given, of_raters[dimension])
            curve = calibration_curve(x, y, np.unique(given[~np.isnan(given)]))
            for point in curve.points:
                reason = "" if point.n else "no rater scored these responses"
                table.append((judge, dimension, point.level, point.n, point.mean_human, point.bias, reason))
            both = ~(np.isnan(x) | np.isnan(y))
            mean = float(y[both].mean()) if curve.n else math.nan
            reason = "" if curve.n else "no response was scored by both the judge and a rater"
            table.append((judge, dimension, math.nan, curve.n, mean, curve.bias, reason))
    return pd.DataFrame(table, columns=CALIBRATION_COLUMNS)


def correct(
    points: pd.DataFrame,
    dimensions: Sequence[str],
    clusters: Mapping[str, str] | None = None,
    n_folds: int = 5,
    seed: int = 0,
) -> tuple[pd.DataFrame, list[str]]:
    """Put every judge's points on the raters' scale by a rising curve that was fitted without them.

    Parameters
    ----------
    points : pandas.DataFrame
        Columns ``response_id``, ``scorer``, ``kind`` (judge or rater), ``dimension`` and ``points``, one row
        a value.
    dimensions : sequence of str
        Identities to correct; a judge's other points are left out.
    clusters : mapping of str to str, optional
        By response id, what it belongs to (scenario, participant); a cluster is never divided between fitting
        and correcting. Without it, or without a label, a response is a cluster of its own.
    n_folds : int
        Folds into which the clusters are dealt at random, 2 or more; the same for all judges and dimensions.
    seed : int
        Same seed, same folds.

    Returns
    -------
    points : pandas.DataFrame
        As given, in the same columns, but with corrected points of the judges, whose labels end in
        " (corrected)". Raters are as they were.
    notes : list of str
        What was done, then what was left out and why; to be shown with whatever is computed from the points.

    Raises
    ------
    SettingError
        Fewer than two folds.

    Notes
    -----
    A response of one fold gets the isotonic regression of raters on the judge over the pairs of all other
    folds, one pair for each rater of a response, so that those rated by more people count more. See
    :func:`creaeval.stats.calibration.monotone_correction`.
    """
    import numpy as np
    import pandas as pd

    from creaeval.agreement.matrix import matrix, responses, scorers
    from creaeval.stats.calibration import monotone_correction

    if n_folds < 2:
        raise SettingError(f"folds: expected 2 or more, so that a curve is fitted on others, not {n_folds}.")
    points = points.reset_index(drop=True)
    judges, raters, rows = scorers(points, "judge"), scorers(points, "rater"), responses(points)
    # A tuple keeps a response without a label apart from a cluster that is called the same.
    groups = [
        ("cluster", clusters[one]) if clusters and one in clusters else ("response", one) for one in rows
    ]
    codes = {group: code for code, group in enumerate(sorted(set(groups)))}
    n_folds = min(n_folds, len(codes))
    corrected: dict[tuple[str, str, str], float] = {}
    for dimension in dimensions:
        of_judges = matrix(points, dimension, judges, rows)
        of_raters = matrix(points, dimension, raters, rows)
        times = max(len(raters), 1)
        # All responses are passed, scored or not, so that all judges and dimensions share the folds.
        labels = np.repeat([codes[group] for group in groups], times)
        for (_, judge), given in zip(judges, of_judges.T, strict=True):
            found = monotone_correction(*_pairs(given, of_raters), labels, n_folds=max(n_folds, 2), seed=seed)
            # A response's pairs are of one fold and one level, so the first tells what all became.
            for response, value in zip(rows, found.corrected[::times].tolist(), strict=True):
                corrected[judge, dimension, response] = value
    of_judge = points["kind"].eq("judge")
    own = points[of_judge].copy()
    keys = zip(map(str, own["scorer"]), map(str, own["dimension"]), map(str, own["response_id"]), strict=True)
    own["points"] = pd.Series([corrected.get(key, math.nan) for key in keys], index=own.index, dtype=float)
    wanted = own["dimension"].isin(list(dimensions))
    notes = [_what_was_done(len(codes), n_folds, clusters, groups), *_left_out(own, wanted)]
    own = own[own["points"].notna()]
    own = own.assign(scorer=[f"{name}{CORRECTED}" for name in own["scorer"]])
    return pd.concat([own, points[~of_judge]]).sort_index().reset_index(drop=True), notes


def _pairs(given: Floats, of_raters: Floats) -> tuple[Floats, Floats]:
    """Pair a judge with each rater, response by response; without raters, with nobody."""
    import numpy as np

    if not of_raters.shape[1]:
        return given, np.full(len(given), np.nan)
    return np.repeat(given, of_raters.shape[1]), of_raters.ravel()


def _what_was_done(
    n_clusters: int, n_folds: int, clusters: Mapping[str, str] | None, groups: Sequence[tuple[str, str]]
) -> str:
    alone = sum(kind == "response" for kind, _ in groups)
    if clusters is None:
        what = f"{n_clusters} responses"
    else:
        what = f"{n_clusters} clusters" + (f" ({alone} of them responses without a label)" if alone else "")
    return (
        f"Every judge's points were corrected by a rising curve fitted on its pairs with each rater: {what} "
        f"in {n_folds} folds, each corrected by what was fitted on the others."
    )


def _left_out(own: pd.DataFrame, wanted: pd.Series[bool]) -> list[str]:
    notes = []
    for judge, rows in own.groupby("scorer", sort=False):
        chosen = rows[wanted[rows.index]]
        missing = chosen[chosen["points"].isna()]
        if len(missing):
            names = ", ".join(dict.fromkeys(map(str, missing["dimension"])))
            notes.append(
                f"{judge}: {len(missing)} of {len(chosen)} values are left out, since the other folds hold "
                f"no pair of this judge with a rater: {names}."
            )
        if others := len(rows) - len(chosen):
            notes.append(f"{judge}: {others} values of other dimensions are left out.")
    return notes
