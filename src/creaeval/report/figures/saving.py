"""Files of a figure, with the data that it shows."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from creaeval.report.figures.style import drawing
from creaeval.runs import write_table

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


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
