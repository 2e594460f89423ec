"""How many of the analysts' quotes stand where they belong."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from creaeval.report.figures import style
from creaeval.report.figures.frames import in_order, need
from creaeval.report.figures.text import chars, labels

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMNS = ["analyst", "step", "dimension", "quotes", "exact", "nearly", "elsewhere"]
# Shares lie behind each other in this order, from dark to light.
_SHADES = {"exact": 0.55, "nearly": 0.3, "elsewhere": 0.12}
_ABREAST, _NAMES = 4, 1.15


def quotes_found(quotes: pd.DataFrame) -> Figure:
    """Draw the shares of quotes by where they stand, an analyst a panel and a dimension a row.

    Parameters
    ----------
    quotes : pandas.DataFrame
        From :func:`creaeval.agreement.runs.quotes.quote_table`: ``analyst``, ``step``, ``dimension``, and the
        numbers ``quotes``, ``exact``, ``nearly`` and ``elsewhere``.

    Returns
    -------
    Figure
        Bars from 0 to 1, of three shades for quotes that stand in their own item or step word for word,
        nearly, and elsewhere in the response; what is missing to 1 was not found. The numbers stand in the
        bars in this order; a dimension without quotes says so. Steps are separated by a line. The panel's
        title has the numbers of all quotes.

    Raises
    ------
    DataError
        A column is missing.
    """
    need(quotes, COLUMNS, "quotes")
    if quotes.empty:
        return style.empty_figure("No analyst gathered evidence.")
    analysts = in_order(quotes, "analyst")
    parts = list(dict.fromkeys(zip(map(str, quotes["step"]), map(str, quotes["dimension"]), strict=True)))
    steps = in_order(quotes, "step")
    parts.sort(key=lambda part: steps.index(part[0]))
    with style.drawing():
        across = min(len(analysts), _ABREAST)
        down = math.ceil(len(analysts) / across)
        width = style.ONE_COLUMN if len(analysts) == 1 else style.TWO_COLUMNS
        figure = style.new_figure(width, down * (0.5 + 0.17 * len(parts)) + 0.25)
        axes = figure.subplots(down, across, squeeze=False, sharex=True)
        panel = (width - _NAMES) / across
        titles = labels(analysts, chars(panel, style.TEXT), 2)
        names = labels((dimension for _, dimension in parts), chars(_NAMES, style.SMALL) + 6, 1)
        for number, panel_axes in enumerate(axes.flat):
            if number >= len(analysts):
                panel_axes.remove()
                continue
            chosen = quotes[quotes["analyst"].astype(str).eq(analysts[number])]
            _draw(panel_axes, chosen, parts)
            panel_axes.set_title(f"{titles[analysts[number]]}\n{_counts(chosen[COLUMNS[3:]].sum())}")
            shown = [names[dimension] for _, dimension in parts] if number % across == 0 else []
            panel_axes.set_yticks(range(len(parts)) if shown else [], shown)
            panel_axes.tick_params(labelbottom=number + across >= len(analysts))
        figure.supxlabel("share of quotes: word for word + nearly + elsewhere")
        return style.finish(figure)


def _draw(axes: Axes, rows: pd.DataFrame, parts: list[tuple[str, str]]) -> None:
    place = {dimension: number for number, (_, dimension) in enumerate(parts)}
    axes.set_xlim(0.0, 1.0)
    axes.set_ylim(len(parts) - 0.5, -0.5)
    axes.set_xticks([0.0, 0.5, 1.0], ["0", ".5", "1"])
    axes.tick_params(axis="y", length=0)
    for number in range(1, len(parts)):
        if parts[number][0] != parts[number - 1][0]:
            axes.axhline(number - 0.5, color=style.GUIDE, linewidth=0.4)
    for _, row in rows.iterrows():
        y, left = place[str(row["dimension"])], 0.0
        for outcome, alpha in _SHADES.items():
            share = row[outcome] / row["quotes"] if row["quotes"] else 0.0
            if share:
                axes.barh(y, share, left=left, height=0.62, color=style.DATA, alpha=alpha, linewidth=0.0)
            left += share
        counts = _counts(row) if row["quotes"] else "no quotes"
        style.write(axes, 0.02, y, counts, ha="left", va="center_baseline", fontsize=style.SMALL - 0.5)


def _counts(row: pd.Series) -> str:
    return f"{row['exact']} + {row['nearly']} + {row['elsewhere']} of {row['quotes']}"
