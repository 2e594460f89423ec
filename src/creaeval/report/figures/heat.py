"""Heat maps: which points a method and people gave to the same responses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from creaeval.report.figures import style
from creaeval.report.figures.facets import note, panels
from creaeval.report.figures.frames import in_order, need
from creaeval.report.figures.text import labels

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.colors import Normalize
    from matplotlib.figure import Figure

COLUMNS = ["method", "dimension", "human", "judge", "count"]
# Cells on a side of a panel up to which each says its count.
_COUNTED = 7


def heat_maps(counts: pd.DataFrame) -> Figure:
    """Draw, for each method and dimension, how often a person and a judge gave which points together.

    Parameters
    ----------
    counts : pandas.DataFrame
        From ``heat_counts``: ``method``, ``dimension``, ``human`` and ``judge``
        (points) and ``count`` (pairs). Several methods make a grid, a method a column; a single one has its
        dimensions wrapped.

    Returns
    -------
    Figure
        Darker cells hold more pairs; on the line both gave the same. Points between whole and half ones,
        such as means, are drawn in the cell of the nearest whole one.

    Raises
    ------
    DataError
        A column is missing.
    """
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import PowerNorm
    from matplotlib.ticker import MaxNLocator

    need(counts, COLUMNS, "heat maps")
    if not counts["count"].gt(0).any():
        return style.empty_figure("No response was scored by both\na judge and a rater.")
    methods, dimensions = in_order(counts, "method"), in_order(counts, "dimension")
    with style.drawing():
        figure, axes, large = panels(dimensions, methods)
        cells = _cells(counts)
        # By the square root, so that cells of one pair and of five differ beside one of hundreds.
        most = max(float(panel["count"].max()) for panel in cells.values())
        norm = PowerNorm(0.5, vmin=1, vmax=max(most, 2.0))
        for (dimension, method), panel_axes in axes.items():
            of_dimension = [frame for (_, name), frame in cells.items() if name == dimension]
            _draw(panel_axes, cells.get((method, dimension)), of_dimension, norm, large=large)
        figure.supxlabel("points of people (same scale)")
        whose = labels(methods, 40, 1)[methods[0]] if len(methods) == 1 else "the method"
        figure.supylabel(f"points of {whose}")
        colours, ticks = ScalarMappable(norm, style.shades()), MaxNLocator(4, integer=True)
        place: dict[str, Any] = {"location": "top", "shrink": 0.4, "aspect": 40, "pad": 0.02}
        bar = figure.colorbar(colours, ax=list(axes.values()), ticks=ticks, **place)
        bar.set_label("pairs of a judge and a rater")
        bar.outline.set_linewidth(0.4)
        return style.finish(figure)


def _cells(counts: pd.DataFrame) -> dict[tuple[str, str], pd.DataFrame]:
    """Return the counts of each panel, points rounded where they are neither whole nor half."""
    pairs = counts[counts["count"].gt(0)].copy()
    pairs[["method", "dimension"]] = pairs[["method", "dimension"]].astype(str)
    for _, rows in pairs.groupby("dimension", sort=False):
        if _step(rows) is None:
            pairs.loc[rows.index, ["human", "judge"]] = rows[["human", "judge"]].round()
    summed = pairs.groupby(COLUMNS[:-1], sort=False)["count"].sum().reset_index()
    return {
        (str(method), str(dimension)): rows
        for (method, dimension), rows in summed.groupby(["method", "dimension"], sort=False)
    }


def _step(rows: pd.DataFrame) -> float | None:
    """Return the distance of levels, 1 or 0.5; None where points are something else."""
    points = rows[["human", "judge"]].to_numpy(float)
    return next((step for step in (1.0, 0.5) if (points % step == 0).all()), None)


def _draw(
    axes: Axes, cells: pd.DataFrame | None, of_dimension: list[pd.DataFrame], norm: Normalize, *, large: bool
) -> None:
    import pandas as pd
    from matplotlib.collections import PolyCollection

    style.frame_all(axes)
    axes.set_aspect("equal")
    if not of_dimension:
        axes.set(xticks=[], yticks=[])
        style.say(axes, "no pairs")
        return
    together = pd.concat(of_dimension)
    step = _step(together) or 1.0
    levels = together[["human", "judge"]].to_numpy(float)
    low, high = float(levels.min()), float(levels.max())
    style.equal_axes(axes, low, high, step / 2, levels, style.GUIDE if cells is None else style.OTHER)
    if cells is None:
        style.say(axes, "no pairs")
        return
    half, colours = step / 2, style.shades()
    corners = [
        [(x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half)]
        for x, y in zip(cells["human"], cells["judge"], strict=True)
    ]
    pairs = cells["count"].to_numpy(float)
    squares = PolyCollection(corners, array=pairs, cmap=colours, norm=norm, linewidths=0.0, zorder=2)
    axes.add_collection(squares, autolim=False)
    note(axes, f"n = {int(cells['count'].sum())}")
    if large and (high - low) / step < _COUNTED:
        for x, y, count in zip(cells["human"], cells["judge"], cells["count"], strict=True):
            colour = "white" if style.is_dark(colours(norm(count))) else "black"
            style.write(axes, x, y, f"{count}", fontsize=style.SMALL - 1, color=colour, zorder=3)
