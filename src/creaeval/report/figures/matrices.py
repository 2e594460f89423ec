"""Grids of values: analyst by judge, temperature by measure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from creaeval.errors import DataError
from creaeval.report.figures import style
from creaeval.report.figures.frames import in_order, need, number
from creaeval.report.figures.text import chars, labels

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.colors import Normalize
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

COLUMNS = ["row", "column", "value"]
_NAMES, _MOST = 1.0, 1.1


def value_matrix(cells: pd.DataFrame, *, rows: str = "", columns: str = "", values: str = "") -> Figure:
    """Draw a grid of values, each written in its cell.

    Parameters
    ----------
    cells : pandas.DataFrame
        One row a cell: ``row``, ``column``, ``value`` and, if wanted, ``n``, written below the value. A cell
        without a row, or without a value, is hatched.
    rows, columns, values : str
        What they are, for the reader: ``analyst``, ``judge``, ``QWK``.

    Returns
    -------
    Figure
        Rows and columns in the order in which they first occur; darker is more.

    Raises
    ------
    DataError
        A column is missing, or a cell is there twice.
    """
    import numpy as np
    from matplotlib.colors import Normalize

    need(cells, COLUMNS, "grid")
    if not len(cells):
        return style.empty_figure("There are no values.")
    named = cells.assign(row=cells["row"].astype(str), column=cells["column"].astype(str))
    if (twice := named.duplicated(["row", "column"])).any():
        first = named[twice].iloc[0]
        raise DataError(
            f"grid: row {first['row']!r}, column {first['column']!r} is there twice; "
            "expected one value a cell."
        )
    down, across = in_order(named, "row"), in_order(named, "column")
    laid = named.set_index(["row", "column"]).reindex([(r, c) for r in down for c in across])
    shape = len(down), len(across)
    grid = laid["value"].to_numpy(float).reshape(shape)
    n = laid["n"].to_numpy(float).reshape(shape) if "n" in laid else np.full(shape, np.nan)
    known = grid[~np.isnan(grid)]
    # A single value, or equal ones, are drawn as the middle of the scale.
    low, high = (known.min(), known.max()) if len(known) else (0.0, 1.0)
    norm = Normalize(low, high) if low < high else Normalize(low - 1, high + 1)
    with style.drawing():
        width = style.ONE_COLUMN if len(across) <= 4 else style.TWO_COLUMNS
        cell = min((width - _NAMES - 0.3) / len(across), _MOST)
        figure = style.new_figure(_NAMES + 0.4 + cell * len(across), 0.75 + 0.36 * len(down))
        axes = figure.subplots()
        _fill(axes, grid, n, norm)
        above, left = labels(across, chars(cell, style.TEXT), 4), labels(down, chars(_NAMES, style.TEXT), 2)
        axes.set_xticks(np.arange(len(across)) + 0.5, [above[name] for name in across], fontsize=style.TEXT)
        axes.set_yticks(np.arange(len(down)) + 0.5, [left[name] for name in down], fontsize=style.TEXT)
        axes.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
        axes.set_ylim(len(down), 0)
        _name(axes, rows, columns, values)
        return style.finish(figure)


def _fill(axes: Axes, grid: Floats, n: Floats, norm: Normalize) -> None:
    import numpy as np

    style.frame_all(axes)
    # Seen only where there is no value.
    axes.patch.set(hatch="////", edgecolor=style.GUIDE, linewidth=0.0)
    axes.pcolormesh(
        np.ma.masked_invalid(grid), cmap=style.shades(), norm=norm, edgecolor="white", linewidth=0.8
    )
    for (down, across), value in np.ndenumerate(grid):
        colour = style.INK if np.isnan(value) or not style.is_dark(style.shades()(norm(value))) else "white"
        counted = "" if np.isnan(n[down, across]) else f"\nn = {int(n[down, across])}"
        text = number(value) + counted
        style.write(axes, across + 0.5, down + 0.5, text, linespacing=1.15, color=colour)


def _name(axes: Axes, rows: str, columns: str, values: str) -> None:
    names = labels(filter(None, (rows, columns, values)), 60, 1)
    if rows:
        axes.set_ylabel(names[rows], style="italic", labelpad=5)
    if columns:
        axes.set_xlabel(names[columns], style="italic", labelpad=5)
        axes.xaxis.set_label_position("top")
    if values:
        axes.annotate(
            f"{names[values]}; darker is more",
            (0.5, 0.0),
            (0.0, -4.0),
            xycoords="axes fraction",
            textcoords="offset points",
            ha="center",
            va="top",
            fontsize=style.SMALL,
        )
