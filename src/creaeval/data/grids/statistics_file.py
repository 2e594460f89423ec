"""Files of SPSS and Stata as text, with what their values mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from creaeval.data.files import read_bytes
from creaeval.data.grids.grid import Grid
from creaeval.data.grids.memory import cell_text
from creaeval.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path


def read_statistics_file(path: Path) -> Grid:
    """Read an SPSS (.sav, .zsav) or Stata (.dta) file; its values as they are stored.

    ``labels`` of the grid has what values mean, ``questions`` the labels of variables. DataError if it cannot
    be read, or pyreadstat is not installed.
    """
    try:
        import pyreadstat
    except ImportError as error:
        raise DataError(
            f"{path}: files of SPSS and Stata are read with pyreadstat: pip install 'creaeval[spss]'. Or "
            "save the file as CSV (UTF-8)."
        ) from error
    read_bytes(path)
    read = pyreadstat.read_dta if path.suffix.lower() == ".dta" else pyreadstat.read_sav
    try:
        frame, meta = read(str(path))
    except Exception as error:  # pyreadstat answers damage with errors of its own
        raise DataError(
            f"{path}: is no file of SPSS or Stata that can be read ({str(error)[:200]})."
        ) from error
    rows = [list(map(str, frame.columns))]
    rows += [[cell_text(value) for value in record] for record in frame.itertuples(index=False, name=None)]
    labels = {
        title: {cell_text(value): str(label) for value, label in values.items()}
        for title, values in meta.variable_value_labels.items()
    }
    questions = {title: label for title, label in meta.column_names_to_labels.items() if label}
    return Grid(path, None, rows, labels=labels, questions=questions)
