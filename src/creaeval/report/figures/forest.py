"""Agreement with people, with intervals, beside that between people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from creaeval.agreement.pairs import AVG, HUMAN
from creaeval.report.figures import style
from creaeval.report.figures.frames import in_order, need
from creaeval.report.figures.text import chars, labels
from creaeval.stats.measures import PAPER, get_measures, measure_label

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMNS = ["method", "judge", "dimension", "metric", "value", "low", "high", "n"]
_NAMES = 1.9


def agreement_forest(means: pd.DataFrame, *, measures: Sequence[str] = PAPER, dimension: str = AVG) -> Figure:
    """Draw agreement with its intervals, a method's judge a row and a measure a panel.

    Parameters
    ----------
    means : pandas.DataFrame
        :attr:`creaeval.agreement.protocol.Agreement.means`, or any table with ``method``, ``judge``,
        ``dimension``, ``metric``, ``value``, ``low``, ``high`` and ``n``.
    measures : sequence of str
        Which metrics, in this order; one that the table lacks has an empty panel.
    dimension : str
        Which dimension's agreement; by default the mean over all.

    Returns
    -------
    Figure
        The agreement between people is a diamond, its interval a band through the panel and its value a
        dashed line. A point without a line has no interval; an undefined value is called so.

    Raises
    ------
    DataError
        A column is missing.
    """
    need(means, COLUMNS, "forest plot")
    chosen = means[means["dimension"].astype(str).eq(dimension) & means["metric"].isin(list(measures))]
    if chosen.empty:
        return style.empty_figure("There is no agreement to show.")
    chosen = chosen.assign(scorer=_scorers(chosen))
    # People last, as a foot to what is compared with them.
    scorers = sorted(in_order(chosen, "scorer"), key=HUMAN.__eq__)
    with style.drawing():
        figure = style.new_figure(style.TWO_COLUMNS, 0.75 + 0.27 * len(scorers))
        # One scale, so that measures can be set beside each other; those in points have their own.
        one_scale = not any(measure.in_points for measure in get_measures(measures))
        axes = figure.subplots(1, len(measures), sharex=one_scale, sharey=True, squeeze=False)[0]
        panel = (style.TWO_COLUMNS - _NAMES) / len(measures)
        titles = labels((measure_label(measure) for measure in measures), chars(panel, style.TEXT), 2)
        for panel_axes, measure in zip(axes, measures, strict=True):
            _draw(panel_axes, chosen[chosen["metric"].eq(measure)], scorers)
            panel_axes.set_title(titles[measure_label(measure)])
        names = labels(scorers, chars(_NAMES, style.TEXT), 2)
        shown = [names[scorer] for scorer in scorers]
        if chosen["n"].nunique() > 1:
            shown = [f"{names[scorer]}, {_n(chosen[chosen['scorer'].eq(scorer)])}" for scorer in scorers]
        axes[0].set_yticks(range(len(scorers)), shown, fontsize=style.SMALL)
        axes[0].set_ylim(len(scorers) - 0.5, -0.5)
        what = "mean over the dimensions" if dimension == AVG else labels([dimension], 60, 1)[dimension]
        figure.supxlabel(f"agreement with each rater, {what} ({_n(chosen)} responses)")
        return style.finish(figure)


def _scorers(rows: pd.DataFrame) -> list[str]:
    """Name judges with their method, where there are several and the name does not begin with it."""
    methods = rows.loc[rows["judge"].ne(HUMAN), "method"].nunique()
    names = []
    for method, judge in zip(rows["method"].fillna("").astype(str), rows["judge"].astype(str), strict=True):
        named = methods < 2 or not method or judge.startswith(f"{method}: ")
        whole = judge if named else f"{method}: {judge}"
        # A judge whose scores are a method of its own name is named once.
        names.append(method if whole == f"{method}: {method}" else whole)
    return names


def _n(rows: pd.DataFrame) -> str:
    least, most = int(rows["n"].min()), int(rows["n"].max())
    return f"n = {least}" if least == most else f"n = {least} to {most}"


def _draw(axes: Axes, rows: pd.DataFrame, scorers: list[str]) -> None:
    import numpy as np

    place = {name: number for number, name in enumerate(scorers)}
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.grid(axis="x", color=style.GUIDE, linewidth=0.4)
    axes.set_axisbelow(True)
    people = rows[rows["scorer"].eq(HUMAN) & rows["value"].notna()]
    if len(people):
        mean = people.iloc[0]
        if not np.isnan(mean["low"]) and not np.isnan(mean["high"]):
            axes.axvspan(mean["low"], mean["high"], color=style.GUIDE, alpha=0.5, linewidth=0.0, zorder=0)
        axes.axvline(mean["value"], color=style.OTHER, linewidth=0.7, linestyle=(0, (4, 2)), zorder=1)
    for row in rows.to_dict("records"):
        y, human = place[row["scorer"]], row["scorer"] == HUMAN
        value, low, high = float(row["value"]), float(row["low"]), float(row["high"])
        if np.isnan(value):
            axes.annotate(
                "undefined", (0.5, y), xycoords=("axes fraction", "data"), ha="center", va="center",
                fontsize=style.SMALL,
            )  # fmt: skip
            continue
        colour = style.INK if human else style.DATA
        if not np.isnan(low) and not np.isnan(high):
            axes.hlines(y, low, high, color=colour, linewidth=1.0, zorder=2)
        axes.plot([value], [y], marker="D" if human else "o", markersize=4.0, color=colour, zorder=3)
    if rows.empty:
        axes.text(0.5, 0.5, "not measured", transform=axes.transAxes, ha="center", fontsize=style.SMALL)
