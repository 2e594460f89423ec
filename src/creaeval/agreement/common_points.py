"""Points of several methods on the responses that all of them scored, ready to be set side by side."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from creaeval.agreement.pair_values import HUMAN
from creaeval.agreement.points import (
    collect_points,
    compared_dimensions,
    method_labels,
    scores_of,
    without_means,
)
from creaeval.agreement.prepare import (
    carried_columns,
    describe_intervals,
    make_resampling,
    of_stage,
    rated_dimensions,
)
from creaeval.agreement.slots import needs_slots, put_into_slots
from creaeval.errors import SettingError
from creaeval.tasks import display_name
from creaeval.wording import first_few

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd

    from creaeval.agreement.agreement import Agreement
    from creaeval.agreement.pair_values import Resampling
    from creaeval.agreement.points import Items
    from creaeval.data import Rating, Scores
    from creaeval.runs import Run
    from creaeval.tasks import Task

_MOST_NAMES = 4


@dataclass(frozen=True)
class CommonPoints:
    """What methods gave the responses that all of them scored.

    Attributes
    ----------
    points : pandas.DataFrame
        As :func:`~creaeval.agreement.points.collect_points` makes it, of the judges' own values; in each
        dimension only responses that every judge scored. Raters are in slots where different people fill one.
    dimensions : tuple of str
        The identities compared: those that somebody rated, or without ratings scored.
    methods : tuple of str
        Names of the methods in the order given; those of one name are told apart by their run or file.
    lost : mapping of (str, str) to int
        By method and dimension, the responses that the method scored and another did not.
    resampling : Resampling
        How intervals are made.
    notes : tuple of str
        What a reader has to know.
    """

    points: pd.DataFrame
    dimensions: tuple[str, ...]
    methods: tuple[str, ...]
    lost: Mapping[tuple[str, str], int]
    resampling: Resampling
    notes: tuple[str, ...]


def find_common_points(
    task: Task,
    scores: Sequence[Scores | Run],
    ratings: Sequence[Rating],
    *,
    items: Items = "sum",
    stage: str | None = None,
    clusters: Sequence[str] = (),
    n_resamples: int = 2000,
    seed: int = 0,
) -> CommonPoints:
    """Lay out the judges' own values and the ratings, on the responses that all methods scored.

    Parameters
    ----------
    task : Task
        The task.
    scores : sequence of Scores or Run
        One for each method.
    ratings : sequence of Rating
        People's; may be empty where judges are compared with each other. Responses that nobody rated count
        nowhere otherwise.
    items, stage, clusters, n_resamples, seed
        As for :func:`~creaeval.agreement.agree.agree`.

    Returns
    -------
    CommonPoints

    Raises
    ------
    SettingError
        There are no scores, the stage or a column of clusters is not known, or there is nothing to compare:
        nobody rated anything, or no response has scores of all.
    """
    judged = list(map(scores_of, scores))
    if not judged:
        raise SettingError("There are no scores to compare: expected one run or file of scores at least.")
    chosen, notes = without_means(of_stage(ratings, stage) if ratings else [])
    points = collect_points(task, judged, chosen, items=items)
    dimensions = compared_dimensions(task, items)
    if chosen:
        dimensions, left = rated_dimensions(points, dimensions)
        if left:
            notes.append(f"Nobody rated {len(left)} dimensions: {', '.join(left)}.")
    else:
        scored = set(points["dimension"])
        dimensions = [one for one in dimensions if one in scored]
    points = points[points["dimension"].isin(dimensions)]
    if chosen and needs_slots(points):
        points = put_into_slots(points)
        notes.append("Different people rated different responses: they are put into slots by name.")
    methods = tuple(method_labels(judged))
    points, lost, said = _on_common(points, methods)
    if not len(points):
        raise SettingError(" ".join(["No response is there to compare on.", *said]))
    resampling = make_resampling(
        list(map(str, points["response_id"].unique())),
        carried_columns(judged, chosen),
        items=items,
        clusters=clusters,
        interval="percentile",
        n_resamples=n_resamples,
        seed=seed,
    )
    if n_resamples:
        notes.append(describe_intervals(resampling, clusters, items))
    return CommonPoints(points, tuple(dimensions), methods, lost, resampling, (*notes, *said))


def means_of_methods(found: Agreement) -> pd.DataFrame:
    """Take the mean over its judges of each method, and human-human agreement, out of the means.

    Parameters
    ----------
    found : Agreement
        From :func:`~creaeval.agreement.agreement.measure_agreement`.

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
    points: pd.DataFrame, methods: Sequence[str]
) -> tuple[pd.DataFrame, dict[tuple[str, str], int], list[str]]:
    """Keep, of each dimension, the responses that have points of every judge who scored any there."""
    rated = _units(points[points["kind"].eq("rater")], ["dimension"])
    scored = _units(points[points["kind"].eq("judge")], ["dimension", "method", "scorer"])
    common: dict[str, set[str]] = {}
    of_methods: dict[tuple[str, str], set[str]] = {}
    for (dimension, method, _), units in scored.items():
        if rated:
            units = units & rated.get((dimension,), set())
        common[dimension] = common.get(dimension, units) & units
        of_methods[method, dimension] = of_methods.get((method, dimension), units) & units
    lost = {key: len(units - common[key[1]]) for key, units in of_methods.items()}
    notes = []
    for method in methods:
        mine = {dimension: units for (name, dimension), units in of_methods.items() if name == method}
        if not mine:
            notes.append(f"{method}: scored nothing that was rated." if rated else f"{method}: no scores.")
            continue
        left = sorted(set().union(*(units - common[dimension] for dimension, units in mine.items())))
        if left:
            notes.append(
                f"{method}: of {len(set().union(*mine.values()))} responses {len(left)} are left out, at "
                "least in some dimensions, since another method's judges did not all score them: "
                f"{first_few(left, _MOST_NAMES)}."
            )
    keep = [
        unit in common.get(dimension, ())
        for unit, dimension in zip(points["response_id"], points["dimension"], strict=True)
    ]
    return points[keep], lost, notes


def _units(points: pd.DataFrame, by: Sequence[str]) -> dict[tuple[str, ...], set[str]]:
    units: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
    for unit, *key in zip(points["response_id"], *(points[name] for name in by), strict=True):
        units[tuple(map(str, key))].add(str(unit))
    return dict(units)
