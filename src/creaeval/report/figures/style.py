"""How every figure looks and is written: sizes, ink, fonts, colours and files.

Colours survive grey print and colour blindness, and carry nothing alone: values stand beside
them as positions, numbers, marker shapes or labels.
"""

from __future__ import annotations

from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from creaeval.report.figures.text import families
from creaeval.runs import write_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

#: Widths in inches: one column of a journal (85 mm), and two.
ONE_COLUMN, TWO_COLUMNS = 3.35, 6.9
#: Sizes of text in points; small is for numbers within a panel.
TEXT, SMALL = 8.0, 6.5
#: For what is said, for the data, for what they are compared with, and for lines that guide the eye. In grey,
#: two neighbours are at least 13 of CIE lightness's 100 apart. The blue is of Okabe and Ito (2008).
INK, DATA, OTHER, GUIDE = "#1a1a1a", "#0072b2", "#8f8f8f", "#d0d0d0"


def shades() -> Colormap:
    """Return the map for counts and values: cividis from light to dark, so that more is darker."""
    import matplotlib
    import numpy as np
    from matplotlib.colors import ListedColormap

    # Its lightness falls all the way (Nuñez, Anderton and Renslow 2018). The lightest yellow
    # is left out, as it can hardly be told from paper.
    whole = matplotlib.colormaps["cividis_r"]
    return ListedColormap(whole(np.linspace(0.06, 1.0, 256)), name="creaeval")


def is_dark(colour: tuple[float, float, float, float]) -> bool:
    """Whether white text is read better on a colour than black (relative luminance of WCAG 2)."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour[:3]]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return luminance < 0.179


@contextmanager
def drawing() -> Iterator[None]:
    """Use our settings of matplotlib within a ``with`` block, whatever the user's own are."""
    import matplotlib

    own: dict[Any, Any] = {
        "font.family": families(),
        "font.size": TEXT,
        "axes.titlesize": TEXT,
        "axes.labelsize": TEXT,
        "xtick.labelsize": SMALL,
        "ytick.labelsize": SMALL,
        "legend.fontsize": SMALL,
        "figure.titlesize": TEXT,
        "figure.labelsize": TEXT,
        "text.color": INK,
        "axes.labelcolor": INK,
        "axes.edgecolor": OTHER,
        "axes.linewidth": 0.5,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.titlepad": 3.0,
        "axes.labelpad": 2.5,
        "xtick.color": INK,
        "ytick.color": INK,
        "xtick.major.width": 0.5,
        "ytick.major.width": 0.5,
        "xtick.major.size": 2.0,
        "ytick.major.size": 2.0,
        "xtick.major.pad": 2.0,
        "ytick.major.pad": 2.0,
        "lines.linewidth": 0.8,
        "hatch.linewidth": 0.4,
        "figure.constrained_layout.h_pad": 0.03,
        "figure.constrained_layout.w_pad": 0.03,
        "pdf.fonttype": 42,
        # Letters as outlines: the same on every machine, whatever fonts it has.
        "svg.fonttype": "path",
        "svg.hashsalt": "creaeval",
    }
    default = matplotlib.rcParamsDefault
    # A context does not set the backend back, so it is left alone.
    settings: dict[Any, Any] = {name: default[name] for name in default if not name.startswith("backend")}
    with matplotlib.rc_context({**settings, **own}):
        yield


def new_figure(width: float, height: float) -> Figure:
    """Make an empty figure of this size in inches; to be called within :func:`drawing`."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def finish(figure: Figure) -> Figure:
    """Lay a figure out and keep it so, which makes its files the same however often it is drawn."""
    # Drawing would do this first; what is drawn then would be drawn again for each file.
    if figure.axes and (engine := figure.get_layout_engine()) is not None:
        engine.execute(figure)
    figure.set_layout_engine("none")
    return figure


def empty_figure(message: str) -> Figure:
    """Make a figure that says why there is nothing to be seen."""
    with drawing():
        figure = new_figure(ONE_COLUMN, 1.0)
        figure.text(0.5, 0.5, message, ha="center", va="center", wrap=True)
        return finish(figure)


def write(axes: Axes, x: float, y: float, text: str, **options: Any) -> None:
    """Write small text within a panel, centred unless the options say otherwise."""
    axes.text(x, y, text, **{"ha": "center", "va": "center", "fontsize": SMALL, "color": INK, **options})


def say(axes: Axes, message: str) -> None:
    """Write in the middle of a panel why it holds nothing."""
    write(axes, 0.5, 0.5, message, transform=axes.transAxes)


def frame_all(axes: Axes) -> None:
    """Draw all four sides of a panel."""
    axes.spines[:].set_visible(True)


def equal_axes(
    axes: Axes, low: float, high: float, margin: float, levels: NDArray[np.float64], colour: str = OTHER
) -> None:
    """Give both axes the same limits and ticks at the ends of the levels, and draw the diagonal."""
    axes.set_xlim(low - margin, high + margin)
    axes.set_ylim(low - margin, high + margin)
    ticks = sorted({float(levels.min()), float(levels.max())})
    axes.set(xticks=ticks, yticks=ticks)
    axes.xaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_major_formatter("{x:g}")
    axes.axline((low, low), slope=1, color=colour, linewidth=0.5, zorder=1)


def to_svg(figure: Figure) -> str:
    """Write a figure as SVG; the same figure is always the same text, without date or random names.

    Parameters
    ----------
    figure : Figure
        From one of the functions of this package.

    Returns
    -------
    str
        A whole SVG document, letters as outlines.
    """
    text = StringIO()
    with drawing():
        figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()


def save(
    figure: Figure, data: pd.DataFrame, path_without_suffix: str | Path, *, drawn: str | None = None
) -> tuple[Path, Path, Path]:
    """Write a figure as PDF (fonts embedded) and SVG, and the data behind it as CSV.

    Parameters
    ----------
    figure : Figure
        From one of the functions of this package.
    data : pandas.DataFrame
        What it shows, names in full.
    path_without_suffix : str or Path
        Where to; ``.pdf``, ``.svg`` and ``.csv`` are added. The folder has to exist.
    drawn : str, optional
        The figure as SVG, where it has been drawn already.

    Returns
    -------
    tuple of Path
        The three files, in this order.
    """
    pdf, svg, csv = (Path(f"{path_without_suffix}{suffix}") for suffix in (".pdf", ".svg", ".csv"))
    with drawing():
        figure.savefig(pdf, format="pdf", metadata={"CreationDate": None})
    svg.write_text(drawn or to_svg(figure), encoding="utf-8", newline="\n")
    return pdf, svg, write_table(data, csv)
