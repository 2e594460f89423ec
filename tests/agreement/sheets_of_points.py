"""Score sheets, ratings and runs of step 2 of CGPST, from plain points."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sklearn.metrics import cohen_kappa_score

from booklets import cgpst
from creaeval.data import Rating, Scores
from creaeval.methods import Outcome
from creaeval.runs import Run
from creaeval.sheets import ScoreSheet, StepScores

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Points = Mapping[str, Sequence[float | None]]

FOCUS, ADEQUACY = "step2.focus", "step2.adequacy"


def qwk(x: Sequence[float], y: Sequence[float]) -> float:
    """The peer's, on a scale from 0 to 10."""
    return float(cohen_kappa_score(x, y, labels=range(11), weights="quadratic"))


def sheets(scorer: str, points: Points, repeat: int = 1) -> list[ScoreSheet]:
    """One sheet for each of R0, R1 ...; points by part of step 2, None for none."""
    number = max(map(len, points.values()))
    made = []
    for n in range(number):
        given = {part: values[n] for part, values in points.items() if n < len(values)}
        written = {part: value for part, value in given.items() if value is not None}
        steps = (StepScores(step="step2", written=written),) if written else ()
        made.append(ScoreSheet(response_id=f"R{n}", scorer=scorer, steps=steps, judge_repeat=repeat))
    return made


def scores(method: str, *of_judges: Sequence[ScoreSheet], source: str = "file.csv") -> Scores:
    return Scores(method, tuple(sheet for one in of_judges for sheet in one), {}, source)


def ratings(*of_raters: Sequence[ScoreSheet]) -> list[Rating]:
    return [
        Rating(response_id=sheet.response_id, rater=sheet.scorer, sheet=sheet)
        for one in of_raters
        for sheet in one
    ]


def run(run_id: str, method: str, analyst: str | None, *of_judges: Sequence[ScoreSheet]) -> Run:
    outcomes = tuple(
        Outcome(response_id=sheet.response_id, sheets=(sheet,)) for one in of_judges for sheet in one
    )
    manifest = {"method": method, "analyst": None if analyst is None else {"name": analyst}}
    return Run(run_id, "finished", cgpst(), manifest, outcomes, {})
