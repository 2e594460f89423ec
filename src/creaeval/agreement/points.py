"""The points of judges and raters side by side, one row a value."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import PurePath
from typing import TYPE_CHECKING, Literal

from creaeval.data import Scores
from creaeval.errors import SettingError
from creaeval.stats.measures import Levels
from creaeval.tasks import fold, resolve

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import pandas as pd

    from creaeval.data import Rating
    from creaeval.runs import Run
    from creaeval.sheets import ScoreSheet
    from creaeval.tasks import Step, Task

    Row = tuple[str, str, str, str, str, float]

#: ``model``: what the judge itself wrote, as the paper compared methods; ``final``: computed where it can be.
Values = Literal["model", "final"]
#: Of dimensions scored by items: their ``sum``, their ``mean`` per valid item, or ``each`` item by itself.
Items = Literal["sum", "mean", "each"]
COLUMNS = ["response_id", "scorer", "kind", "method", "dimension", "points"]
#: Key of the levels among the attributes of a table of points.
LEVELS = "levels"
#: Stands between response and item where items are compared; :func:`response_of` takes it off again.
_ITEM = " item "
# As in ``judge@2#3``; a first one is not written. Versions, as in ``model@001``
# and ``model@20250101``, begin with 0 or are longer.
_REPEAT = re.compile(
    r"(?P<judge>.+?)(@(?P<evidence>[1-9]\d{0,3}))?(#(?P<repeat>[1-9]\d{0,3}))?(?P<suffix> \(corrected\))?",
    re.ASCII | re.DOTALL,
)
_MEANS = {"mean", "average", "avg", "humanmean", "meanrating", "meanscore", "ratermean", "median"}


def compared_dimensions(task: Task, items: Items = "sum") -> list[str]:
    """List the identities whose agreement is reported: every dimension, those of a group merged.

    Overalls and the Total are sums of these and left out. For CGPST these are the paper's 20.

    Parameters
    ----------
    task : Task
        The task.
    items : {"sum", "mean", "each"}
        Other than with sums, only the dimensions that are scored by items; of means, not those that count
        the valid items. In a task without items all are the same.

    Returns
    -------
    list of str
        In the order of the sheet.
    """
    names: list[str] = []
    if not has_items(task):
        items = "sum"
    for step in task.steps:
        merged = {member for group in step.groups for member in group.members}
        of_items = {d.id for d in step.item_dimensions if items == "each" or d.derive is None}
        names += [
            f"{step.id}.{part}"
            for part in step.parts
            if part != "overall" and part not in merged and (items == "sum" or part in of_items)
        ]
    return names


def has_items(task: Task) -> bool:
    """Whether anything is scored by items; where nothing is, sums, means and single values are the same."""
    return any(step.items is not None for step in task.steps)


def scores_of(run: Run | Scores) -> Scores:
    """Take the score sheets out of a run, with what its responses carry and their scenario.

    Parameters
    ----------
    run : Run or Scores
        The run; scores are returned as they are.

    Returns
    -------
    Scores
    """
    if isinstance(run, Scores):
        return run
    scenarios = {listed["id"]: listed.get("scenario") for listed in run.manifest.get("responses", ())}
    carried = {
        response_id: {**({"scenario": scenario} if scenario else {}), **run.metadata.get(response_id, {})}
        for response_id, scenario in {**dict.fromkeys(run.metadata), **scenarios}.items()
    }
    analyst = run.manifest.get("analyst")
    name = str(analyst["name"]) if analyst else ""
    return Scores(str(run.manifest["method"]), run.sheets, carried, run.id, name)


def collect_points(
    task: Task,
    scores: Sequence[Scores],
    ratings: Sequence[Rating],
    *,
    values: Values = "model",
    items: Items = "sum",
) -> pd.DataFrame:
    """Put what judges and raters gave in one table.

    Parameters
    ----------
    task : Task
        The task.
    scores : sequence of Scores
        The judges', one for each method or run; may be empty.
    ratings : sequence of Rating
        The raters', of one stage.
    values : {"model", "final"}
        Which of a judge's values; a rater's are those the rater wrote, or else the computed ones.
    items : {"sum", "mean", "each"}
        What to take of dimensions that are scored by items. Sums grow with the number of valid items, which
        means per valid item do not. With ``each``, every item stands for itself.

    Returns
    -------
    pandas.DataFrame
        Columns ``response_id`` (with ``each``, response and item), ``scorer`` (a judge's name, with its
        method where there are several), ``kind`` (judge or rater), ``method`` (empty for raters),
        ``dimension`` and ``points``; a value that is not there has no row. Scores without a method are
        called like their file, and of one method like their run or file, too. A mean of raters is set beside
        judges alone, so where there is nothing else, what no judge scored has no row. ``attrs["levels"]`` are
        the levels of each dimension's scale.
    """
    import pandas as pd

    labels = method_labels(scores)
    rows: list[Row] = []
    for method, one in zip(labels, scores, strict=True):
        # A judge that is a method by itself, as in tables of recorded judges, needs no second name.
        alone = len(scores) == 1 or {sheet.scorer for sheet in one.sheets} == {method}
        prefix = "" if alone else f"{method}: "
        rows += _rows(task, one.sheets, "judge", method, prefix, values, items)
    given = _rows(task, (rating.sheet for rating in ratings), "rater", "", "", "model", items)
    if rows and all(fold(rating.rater) in _MEANS for rating in ratings):
        judged = {row[0] for row in rows}
        given = (row for row in given if row[0] in judged)
    rows += given
    points = pd.DataFrame(rows, columns=COLUMNS).astype({"points": float})
    points.attrs[LEVELS] = _levels(task, points, items)
    return points


def dimension_ranges(task: Task, dimensions: Iterable[str], items: Items) -> dict[str, tuple[float, float]]:
    """Return the lowest and highest points of each dimension; of items, those of one item."""
    from creaeval.data.points import points_range

    ranges: dict[str, tuple[float, float]] = {}
    for identity in dimensions:
        step, part = resolve(task, identity)
        ranges[identity] = points_range(task, step, part)
        if items != "sum" and step is not None:
            scale = step.dimension(part).scale
            ranges[identity] = scale.min, scale.max
    return ranges


def _levels(task: Task, points: pd.DataFrame, items: Items) -> dict[str, Levels]:
    """Say which points each compared dimension can have: whole ones, and halves where anybody gave one."""
    halves = set(points.loc[(points["points"] % 1).eq(0.5), "dimension"])
    return {
        dimension: Levels(low, high, 0.5 if dimension in halves else 1.0)
        for dimension, (low, high) in dimension_ranges(task, compared_dimensions(task, items), items).items()
    }


def method_labels(scores: Sequence[Scores]) -> list[str]:
    """Name the method of each scores, as the column ``method`` of :func:`collect_points` does.

    Those of one method are told apart by their source, and those of one source by a number.
    """
    names = [one.method or PurePath(one.source).name for one in scores]
    sources = [one.source for one in scores]
    several = Counter(names)
    labels = [
        name if several[name] == 1 else f"{name} ({source})"
        for name, source in zip(names, sources, strict=True)
    ]
    repeated = Counter(labels)
    return [
        label if repeated[label] == 1 else f"{label} {labels[: place + 1].count(label)}"
        for place, label in enumerate(labels)
    ]


def find_repeats(judges: Iterable[str]) -> dict[str, dict[tuple[int, int], str]]:
    """Tell which labels are repeats of one judge.

    Parameters
    ----------
    judges : iterable of str
        Labels as :attr:`creaeval.sheets.ScoreSheet.label` makes them, perhaps with a method before them.

    Returns
    -------
    dict
        By judge, then by the numbers of the evidence's and the judge's repeat, the label.

    Raises
    ------
    SettingError
        Two labels are of the same repeat.
    """
    found: dict[str, dict[tuple[int, int], str]] = {}
    for name in judges:
        judge, number = name, (1, 1)
        if match := _REPEAT.fullmatch(name):
            judge = f"{match['judge']}{match['suffix'] or ''}"
            number = (int(match["evidence"] or 1), int(match["repeat"] or 1))
        if number in found.setdefault(judge, {}):
            raise SettingError(
                f"judges {found[judge][number]} and {name}: both are repeat {number[1]} "
                f"of evidence {number[0]}."
            )
        found[judge][number] = name
    return found


def judges_of(points: pd.DataFrame, n_methods: int) -> dict[tuple[str, str], list[str]]:
    """Return, by method and judge, the scorers in the points of so many methods that are its repeats."""
    judged = points.loc[points["kind"].eq("judge"), ["method", "scorer"]].drop_duplicates()
    judges: dict[tuple[str, str], list[str]] = {}
    for method, of_method in judged.groupby("method", sort=False):
        # Where there are several methods, their names stand before the judges'.
        prefix = f"{method}: " if n_methods > 1 else ""
        labels = {str(label).removeprefix(prefix): str(label) for label in of_method["scorer"]}
        for judge, repeats in find_repeats(labels).items():
            judges[str(method), judge] = [labels[name] for name in repeats.values()]
    return judges


def response_of(place: str) -> str:
    """Return the response that an id of :func:`collect_points` belongs to, with ``each`` an item's."""
    return place.partition(_ITEM)[0]


def without_means(ratings: Sequence[Rating]) -> tuple[list[Rating], list[str]]:
    """Leave out raters that are the mean of others, unless there is nothing else.

    Parameters
    ----------
    ratings : sequence of Rating
        The ratings.

    Returns
    -------
    tuple of (list of Rating, list of str)
        What is left, and what must be said of it. Agreement with a mean is higher than with the raters it
        was made of, and no measure of how people agree.
    """
    means = list(dict.fromkeys(rating.rater for rating in ratings if fold(rating.rater) in _MEANS))
    if not means:
        return list(ratings), []
    single = [rating for rating in ratings if rating.rater not in means]
    if single:
        return single, [f"Left out: {', '.join(means)}, which is no single rater."]
    return list(ratings), [
        f"There is only {' and '.join(means)} of the raters and no single one: agreement with a mean is "
        "higher than with a rater and cannot be set beside it, and how people agree is unknown."
    ]


def _rows(
    task: Task,
    sheets: Iterable[ScoreSheet],
    kind: str,
    method: str,
    prefix: str,
    values: Values,
    items: Items,
) -> Iterator[Row]:
    parts = [(identity, *_part(task, identity)) for identity in compared_dimensions(task, items)]
    if not has_items(task):
        items = "sum"
    for sheet in sheets:
        scorer = prefix + (sheet.label if kind == "judge" else sheet.scorer)
        for dimension, step, part in parts:
            if items == "each":
                for number, given in _each(step, part, sheet):
                    yield f"{sheet.response_id}{_ITEM}{number}", scorer, kind, method, dimension, given
                continue
            points = sheet.final(dimension) if values == "final" else None
            if points is None:
                points = _own(step, part, sheet)
            if points is None and kind == "rater":
                points = sheet.final(dimension)
            if points is not None and items == "mean":
                valid = _valid_items(step, sheet)
                points = points / valid if valid else None
            if points is not None:
                yield sheet.response_id, scorer, kind, method, dimension, points


def _part(task: Task, identity: str) -> tuple[Step, str]:
    step_id, _, part = identity.partition(".")
    return task.step(step_id), part


def _own(step: Step, part: str, sheet: ScoreSheet) -> float | None:
    """Return what a scorer wrote; of a group, the sum of what it wrote for the members."""
    scores = sheet.step(step.id)
    if scores is None:
        return None
    if (written := scores.written.get(part)) is not None:
        return written
    members = next((group.members for group in step.groups if group.id == part), ())
    parts = [scores.written.get(member) for member in members]
    known = [points for points in parts if points is not None]
    return sum(known) if known and len(known) == len(parts) else None


def _each(step: Step, part: str, sheet: ScoreSheet) -> Iterator[tuple[int, float]]:
    """Yield the points of each item; an invalid one has none of a dimension that needs a valid item."""
    scores = sheet.step(step.id)
    for item in scores.items if scores is not None else ():
        if part in item.scores:
            yield item.item, float(item.scores[part])


def _valid_items(step: Step, sheet: ScoreSheet) -> float | None:
    """Count the valid items by the scorer's own reading, None where it cannot be told."""
    scores = sheet.step(step.id)
    if scores is None:
        return None
    if scores.items:
        counted = {d.id for d in step.dimensions if d.derive == "valid_items"}
        return sum(item.valid and all(item.scores.get(part, 1) for part in counted) for item in scores.items)
    counts = (scores.final(d.id) for d in step.dimensions if d.derive == "valid_items")
    return next((count for count in counts if count is not None), None)
