"""Length against score: whether a method pays for words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from creaeval.report.figures import style
from creaeval.report.figures.facets import note, panels
from creaeval.report.figures.frames import in_order, need, number
from creaeval.report.figures.text import labels

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

RESPONSE_COLUMNS = ["response_id", "method", "judge", "words", "score"]
COLUMNS = ["method", "judge", "measure", "value", "low", "high", "change", "n"]
_ABREAST = 4


def length_scatter(
    responses: pd.DataFrame, associations: pd.DataFrame, *, words: str = "words", score: str = "score"
) -> Figure:
    """Draw each response's length and score, with how the two go together.

    Parameters
    ----------
    responses : pandas.DataFrame
        From ``length_points``: ``response_id``, ``method``, ``judge``,
        ``words`` and ``score``.
    associations : pandas.DataFrame
        From ``verbosity``: ``method``, ``judge``, ``measure``, ``value``,
        ``low``, ``high``, ``change`` (a share: 0.1 is 10% above the method ``direct``) and ``n``. Of its
        rows, ``pearson`` and ``partial_pearson`` are written above the panels.
    words, score : str
        Names of the axes.

    Returns
    -------
    Figure
        A panel for each method and judge, with a line of least squares; all have the same axes. ``partial``
        is the correlation of length and score given the human score.

    Raises
    ------
    DataError
        A column is missing.
    """
    need(responses, RESPONSE_COLUMNS, "length and score")
    need(associations, COLUMNS, "length and score, associations")
    known = responses[responses["words"].notna() & responses["score"].notna()]
    if known.empty:
        return style.empty_figure("No response has both a length and a score.")
    method, judge = responses["method"].astype(str), responses["judge"].astype(str)
    several = responses.groupby(method)["judge"].nunique().gt(1).any()
    responses = responses.assign(panel=method + ": " + judge if several else method)
    with style.drawing():
        figure, axes, _ = panels(in_order(responses, "panel"), [""], abreast=_ABREAST)
        for (name, _), panel in axes.items():
            rows = responses[responses["panel"].eq(name)]
            _draw(panel, rows, known)
            method, judge = rows["method"].iloc[0], rows["judge"].iloc[0]
            note(panel, *_lines(associations, method, judge))
        names = labels([words, score], 60, 1)
        figure.supxlabel(names[words])
        figure.supylabel(names[score])
        return style.finish(figure)


def _lines(associations: pd.DataFrame, method: str, judge: str) -> list[str]:
    """Write what is known of a panel's method and judge."""
    rows = associations[associations["method"].eq(method) & associations["judge"].eq(judge)]
    lines = []
    for measure, name in (("pearson", "r ="), ("partial_pearson", "partial")):
        for row in rows[rows["measure"].eq(measure)].to_dict("records"):
            text = f"{name} {number(row['value'], 2)}"
            if not math.isnan(row["low"]) and not math.isnan(row["high"]):
                text += f" [{number(row['low'], 2)}, {number(row['high'], 2)}]"
            lines.append(f"{text}, n = {int(row['n'])}")
            if measure == "pearson" and not math.isnan(row["change"]):
                lines.append(f"{row['change']:+.0%} v direct".replace("-", "−"))
    return lines


def _draw(axes: Axes, rows: pd.DataFrame, known: pd.DataFrame) -> None:
    import numpy as np

    for limits, name in ((axes.set_xlim, "words"), (axes.set_ylim, "score")):
        low, high = float(known[name].min()), float(known[name].max())
        margin = 0.06 * (high - low) or 0.5
        limits(low - margin, high + margin)
    axes.locator_params(nbins=3)
    shown = rows[rows["words"].notna() & rows["score"].notna()]
    if shown.empty:
        style.say(axes, "no scores")
        return
    words, score = shown["words"].to_numpy(float), shown["score"].to_numpy(float)
    axes.plot(
        words, score, linestyle="", marker="o", markersize=2.6,
        markerfacecolor="none", markeredgecolor=style.DATA, markeredgewidth=0.5,
    )  # fmt: skip
    if np.ptp(words) > 0:
        slope, level = np.polyfit(words, score, 1)
        ends = np.array([words.min(), words.max()])
        axes.plot(ends, level + slope * ends, color=style.OTHER, linewidth=0.8)
