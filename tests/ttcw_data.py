"""The verdicts of the Torrance Test of Creative Writing, as arrays."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from data_folder import shared_data

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

#: The dimensions and their tests.
DIMENSIONS = {
    "Fluency": slice(0, 5),
    "Flexibility": slice(5, 8),
    "Originality": slice(8, 11),
    "Elaboration": slice(11, 14),
}
_VALUES = {"Yes": 1.0, "No": 0.0, "": np.nan}


@dataclass(frozen=True)
class Ttcw:
    """Verdicts on stories: 1 passes, 0 does not, nan is blank.

    Attributes
    ----------
    stories : list of str
        ``<plot>_<writer>``.
    experts : array, shape (stories, 14, 3)
        The three experts of a story sorted by their id. Eleven people take part, so a slot is no person.
    judges : dict of array, shape (stories, 14)
        By the name of the recorded judge.
    """

    stories: list[str]
    experts: Floats
    judges: dict[str, Floats]

    @property
    def writers(self) -> NDArray[np.str_]:
        """Who wrote each story."""
        return np.array([story.partition("_")[2] for story in self.stories])

    @property
    def majority(self) -> Floats:
        """What two or three of the experts say, shape (stories, 14)."""
        return np.where(self.experts.sum(axis=2) >= 2, 1.0, 0.0)

    def of_models(self) -> Ttcw:
        """The 36 stories that a model wrote."""
        keep = np.flatnonzero(self.writers != "NewYorker")
        judges = {name: verdicts[keep] for name, verdicts in self.judges.items()}
        return Ttcw([self.stories[i] for i in keep], self.experts[keep], judges)


def read_ttcw() -> Ttcw:
    """Read the folder, or skip the test."""
    with shared_data("ttcw/expert_ratings.csv").open(encoding="utf-8", newline="") as file:
        rows = sorted(
            csv.DictReader(file), key=lambda row: (row["story_id"], int(row["ttcw_idx"]), int(row["rater"]))
        )
    stories = [story for story, _ in groupby(row["story_id"] for row in rows)]
    experts = np.array([_VALUES[row["verdict"]] for row in rows]).reshape(len(stories), 14, 3)
    with shared_data("ttcw/judge_verdicts.csv").open(encoding="utf-8", newline="") as file:
        rows = sorted(
            csv.DictReader(file), key=lambda row: (row["judge"], row["story_id"], int(row["ttcw_idx"]))
        )
    judges = {
        name: np.array([_VALUES[row["verdict"]] for row in group]).reshape(len(stories), 14)
        for name, group in groupby(rows, key=lambda row: row["judge"])
    }
    return Ttcw(stories, experts, judges)


def counts(verdicts: Floats, tests: slice) -> Floats:
    """How many of some tests each story passes; nan where a verdict is blank."""
    passed: Floats = verdicts[:, tests].sum(axis=1)
    return passed


def blank_is_no(verdicts: Floats) -> Floats:
    """Count blank verdicts as No, as the authors' notebook does. Elsewhere a blank one is missing."""
    return np.nan_to_num(verdicts, nan=0.0)
