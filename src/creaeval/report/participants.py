"""Participants' scores as people read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from creaeval.runs.participants import COLUMNS
from creaeval.tasks import display_name

if TYPE_CHECKING:
    import pandas as pd

    from creaeval.tasks import Task

#: Said below the table.
ABOUT = (
    "Fluency is the number of valid uses with a score. Mean, max and top (the mean of the best two or three) "
    "are of their points; elaboration is their mean number of words. Uses that are blank or no answer, or on "
    "which the judge failed, count in nothing else."
)
_HEADINGS = {
    **{name: name.capitalize() for name in COLUMNS},
    "n_uses": "Uses",
    "n_failed": "Failed",
    "top2": "Top 2",
    "top3": "Top 3",
}


def participant_rows(task: Task, participants: pd.DataFrame) -> pd.DataFrame:
    """Lay a run's table of participants out for people, without columns that say nothing.

    Parameters
    ----------
    task : Task
        Whose dimensions are named.
    participants : pandas.DataFrame
        That of a run: ``run.participants``, or some of its rows.

    Returns
    -------
    pandas.DataFrame
        The same rows. The method is left out, judge and dimension where there is one, failures and
        flexibility where there are none.
    """
    silent = [
        "method",
        *(name for name in ("judge", "dimension") if participants[name].nunique() < 2),
        *([] if participants["n_failed"].any() else ["n_failed"]),
        *([] if participants["flexibility"].notna().any() else ["flexibility"]),
    ]
    named = participants["dimension"].map(lambda identity: display_name(task, identity))
    return participants.assign(dimension=named).drop(columns=silent).rename(columns=_HEADINGS)
