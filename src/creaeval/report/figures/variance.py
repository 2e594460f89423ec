"""Violins: how far a method's judges lie apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from creaeval.report.figures.frames import in_order, need, number
from creaeval.report.figures.style import (
    DATA,
    GUIDE,
    INK,
    ONE_COLUMN,
    SMALL,
    drawing,
    empty_figure,
    finish,
    new_figure,
)
from creaeval.report.figures.text import chars, labels

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

COLUMNS = ["method", "response_id", "dimension", "variance"]
# Fewer values than these are drawn one by one: a smooth outline would promise more than they hold.
_FEW = 10


def variance_violins(variances: pd.DataFrame) -> Figure:
    """Draw how the variance between judges is distributed, for each method.

    Parameters
    ----------
    variances : pandas.DataFrame
        One row a value, as from :func:`creaeval.analysis.judge_grid.judge_variance`: ``method``,
        ``response_id``, ``dimension`` and ``variance`` (of the judges' points for this response and
        dimension, in squared points). Undefined ones are missing; they are counted.

    Returns
    -------
    Figure
        A violin a method over all responses and dimensions in the data, its median as a dot; fewer than 10
        values, or equal ones, are drawn one by one. Dimensions with long scales vary more, so pass a single
        one, or ones of equal scales, to compare their sizes.

    Raises
    ------
    DataError
        A column is missing.
    """
    need(variances, COLUMNS, "violins")
    if not variances["variance"].notna().any():
        return empty_figure("No response has two judges' points,\nso nothing varies between judges.")
    methods = in_order(variances, "method")
    given = {
        method: variances.loc[variances["method"].astype(str).eq(method), "variance"].to_numpy(float)
        for method in methods
    }
    with drawing():
        figure = new_figure(ONE_COLUMN, 0.55 + 0.34 * len(methods))
        axes = figure.subplots()
        for place, method in enumerate(methods):
            _draw(axes, place, given[method])
        names = labels(methods, chars(0.95, SMALL))
        axes.set_yticks(range(len(methods)), [names[method] for method in methods])
        axes.set_ylim(len(methods) - 0.4, -0.6)
        axes.set_xlim(left=0.0)
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.set_xlabel("variance between judges (squared points)")
        return finish(figure)


def _draw(axes: Axes, place: int, given: Floats) -> None:
    import numpy as np

    values = np.sort(given[~np.isnan(given)])
    n = f"n = {len(values)}" + (f" of {len(given)}" if len(values) < len(given) else "")
    if len(values) >= _FEW and np.ptp(values) > 0:
        parts = axes.violinplot(
            [values], [place], orientation="horizontal", widths=0.7, showextrema=False, points=200
        )
        for body in parts["bodies"]:  # type: ignore[attr-defined]
            body.set(facecolor=GUIDE, edgecolor=DATA, linewidth=0.6, alpha=1.0)
    elif len(values):
        axes.plot(
            values, place + _apart(len(values)), linestyle="", marker="o", markersize=3.0,
            markerfacecolor="none", markeredgecolor=DATA, markeredgewidth=0.6,
        )  # fmt: skip
    said = "undefined"
    if len(values):
        median = float(np.median(values))
        axes.plot([median], [place], linestyle="", marker="o", markersize=4.0, color=INK, zorder=3)
        said = f"median {number(median, 2)}"
    axes.annotate(
        f"{said}\n{n}",
        (1.0, place),
        (3.0, 0.0),
        xycoords=("axes fraction", "data"),
        textcoords="offset points",
        va="center",
        fontsize=SMALL,
    )


def _apart(n: int) -> Floats:
    """Spread values over a strip, the same way each time: multiples of the golden ratio fill it evenly."""
    import numpy as np

    spread: Floats = np.modf(np.arange(n) * 0.618033988749895 + 0.5)[0]
    return (spread - 0.5) * 0.5
