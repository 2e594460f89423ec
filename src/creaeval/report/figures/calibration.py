"""Calibration curves: what people gave where a judge gave each level."""

from __future__ import annotations

from typing import TYPE_CHECKING

from creaeval.report.figures import style
from creaeval.report.figures.facets import note, panels
from creaeval.report.figures.frames import in_order, need
from creaeval.report.figures.text import labels

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMNS = ["scorer", "dimension", "level", "n", "mean_human", "low", "high"]
# Fewer pairs than these are drawn hollow.
_FEW = 5


def calibration_curves(levels: pd.DataFrame) -> Figure:
    """Draw the raters' mean at each level of a judge's points.

    Parameters
    ----------
    levels : pandas.DataFrame
        From ``calibration_intervals``: ``scorer`` (the judge),
        ``dimension``, ``level`` (the judge's points), ``n`` (pairs with a rater), ``mean_human``, ``low`` and
        ``high`` (ends of its interval). A row without a level, which is over all levels, gives the panel's n.
        Several judges make a grid, a judge a column; a single one has its dimensions wrapped.

    Returns
    -------
    Figure
        On the line, people gave on average what the judge gave; below it the judge is lenient. Hollow points
        rest on fewer than five pairs.

    Raises
    ------
    DataError
        A column is missing.
    """
    need(levels, COLUMNS, "calibration curves")
    if not levels["mean_human"].notna().any():
        return style.empty_figure("No response was scored by both\na judge and a rater.")
    judges, dimensions = in_order(levels, "scorer"), in_order(levels, "dimension")
    with style.drawing():
        figure, axes, _ = panels(dimensions, judges)
        for (dimension, judge), panel in axes.items():
            of_dimension = levels[levels["dimension"].astype(str).eq(dimension)]
            _draw(panel, of_dimension[of_dimension["scorer"].astype(str).eq(judge)], of_dimension)
        whose = labels(judges, 40, 1)[judges[0]] if len(judges) == 1 else "the judge"
        figure.supxlabel(f"points of {whose} (same scale)")
        figure.supylabel("mean points of people (hollow: fewer than 5 pairs)")
        return style.finish(figure)


def _draw(axes: Axes, rows: pd.DataFrame, of_dimension: pd.DataFrame) -> None:
    style.frame_all(axes)
    axes.set_aspect("equal")
    shown = of_dimension[of_dimension["level"].notna()][["level", "mean_human", "low", "high"]]
    # All judges of a dimension have the same limits.
    low, high = shown.min().min(), shown.max().max()
    points = rows[rows["level"].notna() & rows["mean_human"].notna()]
    if shown.empty or points.empty:
        axes.set(xticks=[], yticks=[])
        style.say(axes, "no pairs")
        return
    style.equal_axes(axes, low, high, 0.08 * (high - low) or 0.5, shown["level"].to_numpy(float))
    ends = points[points["low"].notna() & points["high"].notna()]
    axes.vlines(ends["level"], ends["low"], ends["high"], color=style.DATA, linewidth=0.9, zorder=2)
    axes.plot(points["level"], points["mean_human"], color=style.DATA, linewidth=0.6, zorder=2)
    for few in (False, True):
        chosen = points[points["n"].lt(_FEW).eq(few)]
        axes.plot(
            chosen["level"], chosen["mean_human"], linestyle="", marker="o", markersize=3.0, zorder=3,
            markerfacecolor="white" if few else style.DATA, markeredgecolor=style.DATA, markeredgewidth=0.6,
        )  # fmt: skip
    note(axes, f"n = {int(points['n'].sum())}")
