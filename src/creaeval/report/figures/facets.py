"""Panels side by side: what differs in one thing is wrapped, what differs in two stands in a grid."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from creaeval.report.figures import style
from creaeval.report.figures.text import chars, labels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    Panels = dict[tuple[str, str], Axes]

#: Panels next to each other where they are wrapped.
_ABREAST = 5
# Inches: the least width of a panel in a grid, and of the names at its left.
_LEAST, _NAMES = 0.6, 0.95


def panels(
    rows: Sequence[str], columns: Sequence[str], *, abreast: int = _ABREAST, aspect: float = 1.0
) -> tuple[Figure, Panels, bool]:
    """Lay out one panel for each row and column; to be called within ``drawing``."""
    if min(len(rows), len(columns)) == 1:
        return _wrapped(rows, columns, abreast, aspect)
    return _grid(rows, columns, aspect)


def note(axes: Axes, *lines: str) -> None:
    """Write lines of small text between a panel and its title."""
    title = axes.get_title()
    axes.set_title("\n".join(filter(None, (title, *lines))), fontsize=style.SMALL)


def _wrapped(
    rows: Sequence[str], columns: Sequence[str], abreast: int, aspect: float
) -> tuple[Figure, Panels, bool]:
    keys = [(row, column) for row in rows for column in columns]
    names = [row if len(rows) > 1 else column for row, column in keys]
    if len(keys) == 1:
        names = [" · ".join(dict.fromkeys(filter(None, (columns[0], rows[0]))))]
    width = style.ONE_COLUMN if len(keys) <= 2 else style.TWO_COLUMNS
    across = min(len(keys), abreast) if len(keys) > 2 else len(keys)
    down = math.ceil(len(keys) / across)
    panel = min((width - 0.5) / across - 0.25, 2.4)
    figure = style.new_figure(width, down * (panel * aspect + 0.55) + 0.3)
    axes = figure.subplots(down, across, squeeze=False)
    titles = labels(names, chars(panel + 0.2, style.SMALL))
    made: Panels = {}
    for number, cell in enumerate(axes.flat):
        if number >= len(keys):
            cell.remove()
            continue
        cell.set_title(titles[names[number]], fontsize=style.SMALL)
        made[keys[number]] = cell
    return figure, made, panel >= 0.9


def _grid(rows: Sequence[str], columns: Sequence[str], aspect: float) -> tuple[Figure, Panels, bool]:
    width = max(style.TWO_COLUMNS, _NAMES + 0.4 + len(columns) * (_LEAST + 0.1))
    panel = min((width - _NAMES - 0.4) / len(columns) - 0.1, 1.4)
    width = max(style.ONE_COLUMN, _NAMES + 0.4 + len(columns) * (panel + 0.1))
    figure = style.new_figure(width, len(rows) * (panel * aspect + 0.24) + 1.3)
    axes = figure.subplots(len(rows), len(columns), squeeze=False)
    above = labels(columns, chars(panel + 0.05, style.SMALL), lines=4)
    left = labels(rows, chars(_NAMES, style.SMALL), lines=2)
    made: Panels = {}
    for down, row in enumerate(rows):
        for across, column in enumerate(columns):
            cell = made[row, column] = axes[down, across]
            if down == 0:
                cell.set_title(above[column], fontsize=style.SMALL)
            # All panels of a row have the same limits, and their two axes, too.
            cell.tick_params(labelleft=across == 0, labelbottom=False)
            if across == 0:
                cell.set_ylabel(left[row], rotation=0, ha="right", va="center", fontsize=style.SMALL)
    return figure, made, panel >= 0.9
