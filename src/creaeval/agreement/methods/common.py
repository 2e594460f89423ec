"""Points of several methods on the responses that all of them scored, ready to be set side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from creaeval.agreement.long_table import long_table, method_labels, rated, scores_of
from creaeval.agreement.pairs import HUMAN
from creaeval.agreement.slots import needs_slots, put_into_slots
from creaeval.agreement.training import only_trained
from creaeval.errors import SettingError
from creaeval.tasks import display_name
from creaeval.wording import first_few

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd

    from creaeval.agreement.options import AgreementOptions
    from creaeval.agreement.protocol import Agreement
    from creaeval.agreement.rating_data import RatingData
    from creaeval.data import Rating, Scores
    from creaeval.runs import Run
    from creaeval.tasks import Task

_MOST_NAMES = 4


@dataclass(frozen=True)
class CommonData:
    """What methods gave the responses that all of them scored.

    Attributes
    ----------
    data : RatingData
        Of the dimensions that somebody rated (without ratings: scored); in each only the units that every
        judge scored. Raters are in slots where different people fill one.
    methods : tuple of str
        Names of the methods in the order given; those of one name are told apart by their run or file.
    lost : mapping of (str, str) to int
        By method and dimension, the units that the method scored and another did not.
    notes : tuple of str
        What a reader has to know.
    trained : frozenset of str
        Methods with judges that were trained on some of what they scored, which is left out.
    """

    data: RatingData
    methods: tuple[str, ...]
    lost: Mapping[tuple[str, str], int]
    notes: tuple[str, ...]
    trained: frozenset[str] = frozenset()

    def lost_by(self, method: str) -> int:
        """Return the most units that a method lost in a dimension."""
        return max((self.lost.get((method, name), 0) for name in self.data.dimensions), default=0)

    def why_nothing(self, method: str) -> str:
        """Say why a method has no value."""
        rest = " other than of its training data" if method in self.trained else ""
        return f"no scores that were rated{rest}"


def find_common(
    task: Task, scores: Sequence[Scores | Run], ratings: Sequence[Rating], options: AgreementOptions
) -> CommonData:
    """Lay out scores and ratings, on the responses that all methods scored.

    Without ratings judges are compared with each other; else responses that nobody rated count nowhere.

    Raises
    ------
    SettingError
        There are no scores, the stage or a column of clusters is not known, or there is nothing to compare:
        nobody rated anything, or no response has scores of all.
    """
    judged = list(map(scores_of, scores))
    if not judged:
        raise SettingError("There are no scores to compare: expected one run or file of scores at least.")
    data, notes = long_table(task, judged, ratings, options)
    if ratings:
        data, more = rated(data)
        notes += more
    else:
        scored = set(data.long["dimension"])
        data = data.select(dimensions=[name for n, name in enumerate(data.dimensions) if n in scored])
    if ratings and needs_slots(data):
        data = put_into_slots(data)
        notes.append("Different people rated different responses: they are put into slots by name.")
    methods = tuple(method_labels(judged))
    data, lost, more = _on_common(data, methods)
    if not data.units:
        raise SettingError(" ".join(["No response is there to compare on.", *notes, *more]))
    if options.resamples:
        notes.append(options.intervals)
    trained = frozenset(
        method for method, part in zip(methods, judged, strict=True) if only_trained(part) is not None
    )
    return CommonData(data, methods, lost, (*notes, *more), trained)


def means_of_methods(found: Agreement) -> pd.DataFrame:
    """Take the mean over its judges of each method, and human-human agreement, out of the means.

    Parameters
    ----------
    found : Agreement
        From :func:`~creaeval.agreement.protocol.measure_agreement`.

    Returns
    -------
    pandas.DataFrame
        Rows of ``found.means``; ``method`` is ``human-human`` where both are people.
    """
    means = found.means
    # All judges of a method together come last.
    chosen = means.groupby("method", sort=False)["judge"].transform("last").eq(means["judge"])
    rows = means[chosen]
    return rows.assign(method=rows["method"].where(rows["method"].ne(""), HUMAN))


def add_names(table: pd.DataFrame, task: Task) -> pd.DataFrame:
    """Put what people call it behind each dimension, such as ``Step 1: Fluency``, as column ``name``."""
    names = {
        one: f"{task.step(one.partition('.')[0]).name}: {display_name(task, one)}" if "." in one else one
        for one in map(str, table["dimension"].unique())
    }
    table = table.copy()
    place = list(table.columns).index("dimension") + 1
    table.insert(place, "name", table["dimension"].map(names))
    return table


def _on_common(
    data: RatingData, methods: Sequence[str]
) -> tuple[RatingData, dict[tuple[str, str], int], list[str]]:
    """Keep, of each dimension, the units that have points of every judge who scored any there."""
    import numpy as np

    shape = len(data.units), len(data.dimensions)
    is_rated = np.zeros(shape, dtype=bool)
    in_common = np.ones(shape, dtype=bool)
    by_method = {method: np.ones(shape, dtype=bool) for method in methods}
    scored = {method: np.zeros(shape[1], dtype=bool) for method in methods}
    place = {name: number for number, name in enumerate(data.dimensions)}
    for (dimension, scorer), column in data.matrix.columns.items():
        has_points, number = ~np.isnan(data.matrix.values[:, column]), place[dimension]
        if scorer.kind == "rater":
            is_rated[:, number] |= has_points
            continue
        in_common[:, number] &= has_points
        by_method[scorer.method][:, number] &= has_points
        scored[scorer.method][number] = True
    if data.raters:
        in_common &= is_rated
    in_common &= np.any(list(scored.values()), axis=0)
    lost: dict[tuple[str, str], int] = {}
    notes = []
    for method, has_all in by_method.items():
        has_all &= scored[method] & (is_rated if data.raters else True)
        left = has_all & ~in_common
        lost |= {(method, name): int(left[:, place[name]].sum()) for name in data.dimensions}
        if not has_all.any():
            notes.append(
                f"{method}: scored nothing that was rated." if data.raters else f"{method}: no scores."
            )
        elif left.any():
            names = list(
                dict.fromkeys(data.units[row].response_id for row in np.flatnonzero(left.any(axis=1)))
            )
            notes.append(
                f"{method}: of {int(has_all.any(axis=1).sum())} responses {len(names)} are left out, at "
                "least in some dimensions, since another method's judges did not all score them or were "
                "trained on them: "
                f"{first_few(names, _MOST_NAMES)}."
            )
    kept = in_common[data.long["unit"].to_numpy(), data.long["dimension"].to_numpy()]
    return data.keep(kept), lost, notes
