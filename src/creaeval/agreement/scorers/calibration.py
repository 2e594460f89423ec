"""What a judge's points mean on the raters' scale, and points put on that scale."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from creaeval.agreement.options import AgreementOptions
from creaeval.agreement.rating_data import Unit
from creaeval.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from creaeval.agreement.rating_data import RatingData

    Floats = NDArray[np.float64]

CORRECTED = "corrected"
CALIBRATION_COLUMNS = ["scorer", "dimension", "level", "n", "mean_human", "bias", "reason"]


def calibration(data: RatingData) -> pd.DataFrame:
    """Show what raters gave where a judge gave each level.

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

    from creaeval.stats.calibration import calibration_curve

    table: list[tuple[str, str, float, int, float, float, str]] = []
    for scorer in data.judges:
        judge = data.label(scorer)
        for dimension in data.dimensions:
            given = data.take(dimension, [scorer])[:, 0]
            x, y = _pairs(given, data.take(dimension, data.raters))
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
    data: RatingData, options: AgreementOptions | None = None, *, n_folds: int = 5
) -> tuple[RatingData, list[str]]:
    """Put every judge's points on the raters' scale by a rising curve that was fitted without them.

    Parameters
    ----------
    data : RatingData
        Points of judges and raters.
    options : AgreementOptions, optional
        Its first clusters are never divided between fitting and correcting; its seed.
    n_folds : int
        Folds into which the clusters are dealt at random, 2 or more; the same for all judges and dimensions.

    Returns
    -------
    data : RatingData
        With corrected points of the judges, whose variant is ``corrected``. Raters are as they were.
    notes : list of str
        What was done, then what was left out and why; to be shown with whatever is computed from the data.

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

    from creaeval.stats.calibration import monotone_correction
    from creaeval.stats.draws import cluster_codes

    if n_folds < 2:
        raise SettingError(f"folds: expected 2 or more, so that a curve is fitted on others, not {n_folds}.")
    options = options or AgreementOptions()
    labels = options.drawn(data.units, data.carried)
    codes = cluster_codes(labels, len(data.units))
    n_clusters = int(codes.max(initial=-1)) + 1
    n_folds = min(n_folds, n_clusters)
    corrected = data.matrix.values.copy()
    times = max(len(data.raters), 1)
    for (dimension, scorer), column in data.matrix.columns.items():
        if scorer.kind == "judge":
            pairs = _pairs(corrected[:, column], data.take(dimension, data.raters))
            # All responses are passed, scored or not, so that all judges and dimensions share the folds.
            curve = monotone_correction(
                *pairs, np.repeat(codes, times), n_folds=max(n_folds, 2), seed=options.seed
            )
            # A response's pairs are of one fold and one level, so the first tells what all became.
            corrected[:, column] = curve.corrected[::times]
    notes = [_what_was_done(n_clusters, n_folds, labels), *_left_out(data, corrected)]
    data = data.with_values(corrected)
    return data.rename(lambda scorer: replace(scorer, variant=CORRECTED) if scorer.method else scorer), notes


def _pairs(given: Floats, of_raters: Floats) -> tuple[Floats, Floats]:
    """Pair a judge with each rater, response by response; without raters, with nobody."""
    import numpy as np

    if not of_raters.shape[1]:
        return given, np.full(len(given), np.nan)
    return np.repeat(given, of_raters.shape[1]), of_raters.ravel()


def _what_was_done(n_clusters: int, n_folds: int, labels: Sequence[Hashable]) -> str:
    alone = sum(isinstance(label, Unit) for label in labels)
    what = f"{n_clusters} responses"
    if alone < len(labels):
        what = f"{n_clusters} clusters" + (f" ({alone} of them responses without a label)" if alone else "")
    return (
        f"Every judge's points were corrected by a rising curve fitted on its pairs with each rater: {what} "
        f"in {n_folds} folds, each corrected by what was fitted on the others."
    )


def _left_out(data: RatingData, corrected: Floats) -> list[str]:
    """Say of each judge which of its values could not be corrected."""
    import numpy as np

    notes = []
    lost = np.isnan(corrected) & ~np.isnan(data.matrix.values)
    for judge in data.judges:
        columns = {name: column for (name, scorer), column in data.matrix.columns.items() if scorer == judge}
        missing = [name for name, column in columns.items() if lost[:, column].any()]
        if missing:
            places = list(columns.values())
            count, every = int(lost[:, places].sum()), int((~np.isnan(data.matrix.values[:, places])).sum())
            notes.append(
                f"{data.label(judge)}: {count} of {every} values are left out, since the other folds hold "
                f"no pair of this judge with a rater: {', '.join(missing)}."
            )
    return notes
