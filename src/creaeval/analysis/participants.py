"""Scores of participants from those of their uses: fluency, and originality as mean, maximum and top two."""

from __future__ import annotations

import math
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from creaeval.sheets.score_sheet import NOT_CAPTURED
from creaeval.tasks import identities

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import pandas as pd

    from creaeval.runs import Run

COLUMNS = [
    "participant",
    "object",
    "judge",
    "dimension",
    "fluency",
    "scored",
    "unjudged",
    "mean",
    "maximum",
    "top2",
]
RELIABILITY_COLUMNS = ["judge", "dimension", "alpha", "participants", "objects", "reason"]
#: Stands for all objects together in the column ``object``.
ALL_OBJECTS = "(all)"


class _Cell(NamedTuple):
    """What a participant has for an object, in one judge's eyes: valid uses, and points of those scored.

    ``unjudged`` are uses of which nobody knows, since the judge failed on them: the rest says too little.
    """

    fluency: int = 0
    unjudged: int = 0
    points: tuple[float, ...] = ()

    def __add__(self, other: object) -> _Cell:
        assert isinstance(other, _Cell)  # noqa: S101 - tuples would be put behind each other
        return _Cell(self.fluency + other.fluency, self.unjudged + other.unjudged, self.points + other.points)

    @property
    def mean(self) -> float | None:
        return None if self.unjudged else _mean(self.points)


_Cells = dict[str, dict[str, _Cell]]


def participants(run: Run) -> pd.DataFrame:
    """Sum up the uses of each participant.

    Parameters
    ----------
    run : Run
        Of a task whose responses are uses that carry ``participant`` and ``object``.

    Returns
    -------
    pandas.DataFrame
        One row for each participant, object (and ``(all)`` of them together), judge and dimension:
        ``fluency`` is the number of valid uses, ``scored`` how many of them the judge scored, ``mean``,
        ``maximum`` and ``top2`` (the mean of the best two, or the only one) are of these. Where the judge
        failed on uses, ``unjudged`` counts them, and fluency and points are missing. Of repeats, a use's
        points are the mean. Uses of nobody known are left out; without any participant there are no rows.
    """
    return _participants(_by_scorer(run))


def _participants(scorers: Iterable[tuple[str, str, _Cells]]) -> pd.DataFrame:
    import pandas as pd

    rows = []
    for judge, dimension, cells in scorers:
        for participant, of in cells.items():
            for name, cell in (*of.items(), (ALL_OBJECTS, sum(of.values(), _Cell()))):
                best = [] if cell.unjudged else sorted(cell.points, reverse=True)
                counts = (None if cell.unjudged else cell.fluency, len(cell.points), cell.unjudged)
                values = (_mean(best), best[0] if best else None, _mean(best[:2]))
                rows.append((participant, name, judge, dimension, *counts, *values))
    frame = pd.DataFrame(rows, columns=COLUMNS)
    return frame.astype({"fluency": "Int64", **dict.fromkeys(("mean", "maximum", "top2"), "Float64")})


def participants_reliability(run: Run) -> pd.DataFrame:
    """Estimate how reliable participants' means are, by how their means for different objects go together.

    Parameters
    ----------
    run : Run
        As for :func:`participants`.

    Returns
    -------
    pandas.DataFrame
        For each judge and dimension Cronbach's ``alpha`` over the objects, of the participants who have a
        mean for every object; the others are left out, and ``participants`` counts those that are not. An
        undefined value is missing, and ``reason`` says why.
    """
    return _reliability(_by_scorer(run))


def _reliability(scorers: Iterable[tuple[str, str, _Cells]]) -> pd.DataFrame:
    import pandas as pd

    rows = []
    for judge, dimension, cells in scorers:
        objects = list(dict.fromkeys(name for of in cells.values() for name in of))
        means = [[of[name].mean if name in of else None for name in objects] for of in cells.values()]
        complete = [[value for value in row if value is not None] for row in means if None not in row]
        alpha, reason = _alpha(complete, len(objects))
        rows.append((judge, dimension, alpha, len(complete), len(objects), reason))
    return pd.DataFrame(rows, columns=RELIABILITY_COLUMNS).astype({"alpha": "Float64"})


def export_participants(run: Run, folder: str | Path) -> list[Path]:
    """Write the tables of participants where a run has any.

    Parameters
    ----------
    run : Run
        Any run.
    folder : str or Path
        A folder that is there.

    Returns
    -------
    list of Path
        ``participants.csv`` and ``participants_reliability.csv``, or nothing.
    """
    from creaeval.runs import write_table

    # Gathered once: a large run is read from the ledger each time.
    scorers = list(_by_scorer(run))
    if not scorers:
        return []
    folder = Path(folder)
    return [
        write_table(_participants(scorers), folder / "participants.csv"),
        write_table(_reliability(scorers), folder / "participants_reliability.csv"),
    ]


def _by_scorer(run: Run) -> Iterator[tuple[str, str, _Cells]]:
    """Yield every judge and dimension with what each participant has for each object."""
    known = {
        response_id: (carried["participant"], carried.get("object", ""))
        for response_id, carried in run.metadata.items()
        if carried.get("participant") and run.task.batching is not None
    }
    if not known:
        return
    points: defaultdict[tuple[str, str], defaultdict[str, list[float]]]
    points = defaultdict(lambda: defaultdict(list))
    # Judges of the record first: one that failed everywhere has no sheet to be named on.
    scorers = dict.fromkeys(judge.get("scorer", judge["name"]) for judge in run.manifest["judges"])
    valid: defaultdict[str, set[str]] = defaultdict(set)
    refused: defaultdict[str, set[str]] = defaultdict(set)
    for part in run.parts():
        for sheet in part.sheets:
            scorers.setdefault(sheet.scorer)
            verdict = valid if sheet.invalid in ("", NOT_CAPTURED) else refused
            verdict[sheet.scorer].add(sheet.response_id)
            for identity in identities(run.task):
                if (value := sheet.final(identity)) is not None:
                    points[sheet.scorer, identity][sheet.response_id].append(value)
    for judge in scorers:
        for identity in identities(run.task):
            given = points[judge, identity]
            cells: _Cells = {}
            for response_id, (participant, name) in known.items():
                of_objects = cells.setdefault(participant, {})
                judged = response_id in valid[judge]
                unknown = not judged and response_id not in refused[judge]
                own = _mean(given[response_id]) if response_id in given else None
                use = _Cell(int(judged), int(unknown), () if own is None else (own,))
                of_objects[name] = of_objects.get(name, _Cell()) + use
            yield judge, identity, cells


def _mean(points: Sequence[float]) -> float | None:
    return math.fsum(points) / len(points) if points else None


def _alpha(means: list[list[float]], objects: int) -> tuple[float | None, str]:
    from creaeval.stats.alpha import cronbach_alpha

    if objects < 2:
        return None, "there is a single object"
    if len(means) < 2:
        return None, "fewer than 2 participants have scores for every object"
    value = cronbach_alpha(means)
    return (None, "the participants are all equal") if math.isnan(value) else (value, "")
