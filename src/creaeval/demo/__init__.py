"""The example the package brings: a scenario, a booklet and two ratings, all made up, and a recording."""

from __future__ import annotations

from importlib.resources import as_file, files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

RATING_NOTE = (
    "Example A and Example B are made-up ratings that show the form; no person scored this booklet, and the "
    "differences say nothing about any judge's quality."
)


#: The files of the example by whether it is the long one: booklet, ratings and recording.
SHORT = ("short_booklet.json", "short_ratings.json", "short_recording.jsonl")
LONG = ("booklet.json", "ratings.json", "recording.jsonl")


def demo_file(name: str) -> AbstractContextManager[Path]:
    """Give a file of the example as a path for the time of a ``with`` block.

    Parameters
    ----------
    name : str
        ``scenario.yaml``, or one of ``SHORT`` or ``LONG``.

    Returns
    -------
    context manager of Path
    """
    return as_file(files("creaeval.demo") / "files" / name)
