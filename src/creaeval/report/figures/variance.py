"""Violins: how far a method's judges lie apart."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from creaeval.report.figures import style
from creaeval.report.figures.frames import in_order, need, number
from creaeval.report.figures.text import chars, labels

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

COLUMNS = ["method", "response_id", "dimension", "variance"]
# Fewer values than these are drawn one by one: a smooth outline would promise more than they hold.
_FEW = 10
# Panels next to each other; and inches for the names of the methods at their left.
_ABREAST, _NAMES = 3, 0.95


def variance_violins(variances: pd.DataFrame) -> Figure:
    """Draw how the variance between judges is distributed, for each method and dimension.

    Parameters
    ----------
    variances : pandas.DataFrame
        One row a value, as from :func:`creaeval.agreement.methods.judge_grid.judge_variance`: ``method``,
        ``response_id``, ``dimension`` and ``variance`` (of the judges' points for this response and
        dimension, in squared points). Undefined ones are missing; they are counted.

    Returns
    -------
    Figure
        A panel a dimension, since dimensions with long scales vary more; in it a violin a method over all
        responses, its median as a dot. Fewer than 10 values, or equal ones, are drawn one by one.

    Raises
    ------
    DataError
        A column is missing.
    """
    need(variances, COLUMNS, "violins")
    if not variances["variance"].notna().any():
        return style.empty_figure("No response has two judges' points,\nso nothing varies between judges.")
    methods, dimensions = in_order(variances, "method"), in_order(variances, "dimension")
    with style.drawing():
        figure, panels = _panels(dimensions, len(methods))
        for dimension, axes in panels.items():
            rows = variances[variances["dimension"].astype(str).eq(dimension)]
            for place, method in enumerate(methods):
                _draw(
                    axes, place, rows.loc[rows["method"].astype(str).eq(method), "variance"].to_numpy(float)
                )
            axes.set_yticks(range(len(methods)), [""] * len(methods))
            axes.set_ylim(len(methods) - 0.4, -0.6)
            axes.set_xlim(left=0.0)
            axes.locator_params(axis="x", nbins=3)
            axes.tick_params(axis="y", length=0)
            axes.spines["left"].set_visible(False)
        names = labels(methods, chars(_NAMES, style.SMALL))
        for axes in list(panels.values())[::_ABREAST]:
            axes.set_yticks(range(len(methods)), [names[method] for method in methods])
        figure.supxlabel("variance between judges (squared points)")
        return style.finish(figure)


def _panels(dimensions: Sequence[str], n_methods: int) -> tuple[Figure, dict[str, Axes]]:
    """Lay out a panel for each dimension; those of a row share the names of the methods at its left."""
    across = min(len(dimensions), _ABREAST)
    down = math.ceil(len(dimensions) / across)
    width = style.ONE_COLUMN if across == 1 else style.TWO_COLUMNS
    figure = style.new_figure(width, 0.25 + down * (0.45 + 0.34 * n_methods))
    axes = figure.subplots(down, across, squeeze=False)
    titles = labels(dimensions, chars((width - _NAMES) / across - 0.2, style.SMALL))
    for spare in list(axes.flat)[len(dimensions) :]:
        spare.remove()
    panels = dict(zip(dimensions, axes.flat, strict=False))
    for dimension, panel in panels.items():
        panel.set_title(titles[dimension], fontsize=style.SMALL)
    return figure, panels


def _draw(axes: Axes, place: int, variances: Floats) -> None:
    import numpy as np

    values = np.sort(variances[~np.isnan(variances)])
    n = f"n = {len(values)}" + (f" of {len(variances)}" if len(values) < len(variances) else "")
    if len(values) >= _FEW and np.ptp(values) > 0:
        parts = axes.violinplot(
            [values], [place], orientation="horizontal", widths=0.7, showextrema=False, points=200
        )
        for body in parts["bodies"]:  # type: ignore[attr-defined]
            body.set(facecolor=style.GUIDE, edgecolor=style.DATA, linewidth=0.6, alpha=1.0)
    elif len(values):
        axes.plot(
            values, place + _apart(len(values)), linestyle="", marker="o", markersize=3.0,
            markerfacecolor="none", markeredgecolor=style.DATA, markeredgewidth=0.6,
        )  # fmt: skip
    middle = "undefined"
    if len(values):
        median = float(np.median(values))
        axes.plot([median], [place], linestyle="", marker="o", markersize=4.0, color=style.INK, zorder=3)
        middle = f"median {number(median, 2)}"
    axes.annotate(
        f"{middle}\n{n}",
        (1.0, place),
        (3.0, 0.0),
        xycoords=("axes fraction", "data"),
        textcoords="offset points",
        va="center",
        fontsize=style.SMALL,
    )


def _apart(n: int) -> Floats:
    """Spread values over a strip, the same way each time: multiples of the golden ratio fill it evenly."""
    import numpy as np

    spread: Floats = np.modf(np.arange(n) * 0.618033988749895 + 0.5)[0]
    return (spread - 0.5) * 0.5
