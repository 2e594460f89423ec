"""Put what judges and raters gave in one table of one type."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING

from creaeval.agreement.options import AgreementOptions
from creaeval.agreement.rating_data import RatingData, Scorer, Unit
from creaeval.agreement.training import leave_out
from creaeval.data import Scores
from creaeval.errors import DataError, SettingError
from creaeval.tasks import fold, resolve
from creaeval.wording import first_few

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from creaeval.agreement.options import Items
    from creaeval.data import Rating
    from creaeval.runs import Run
    from creaeval.sheets import ScoreSheet, StepScores
    from creaeval.tasks import Step, Task

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
    items = _items_of(task, items)
    for step in task.steps:
        merged = {member for group in step.groups for member in group.members}
        of_items = {d.id for d in step.item_dimensions if items == "each" or d.derive is None}
        names += [
            f"{step.id}.{part}"
            for part in step.parts
            if part != "overall" and part not in merged and (items == "sum" or part in of_items)
        ]
    return names


def _items_of(task: Task, items: Items) -> Items:
    """Where nothing is scored by items, sums, means and single values are the same."""
    return items if any(step.items is not None for step in task.steps) else "sum"


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
    return Scores(str(run.manifest["method"]), run.sheets, carried, run.id, name, run.trained_on)


def long_table(
    task: Task,
    scores: Sequence[Scores | Run],
    ratings: Sequence[Rating],
    options: AgreementOptions | None = None,
) -> tuple[RatingData, list[str]]:
    """Put what judges and raters gave in one table.

    Parameters
    ----------
    task : Task
        The task.
    scores : sequence of Scores or Run
        The judges', one for each method or run; may be empty.
    ratings : sequence of Rating
        The raters'; may be empty.
    options : AgreementOptions, optional
        Its ``values``, ``items`` and ``stage``. A rater's values are those the rater wrote, or else the
        computed ones.

    Returns
    -------
    data : RatingData
        Of all compared dimensions. Scores without a method are called like their file, and of one method like
        their run or file, too. A rater that is the mean of others is left out where there are others; where
        there are none, it is set beside judges alone: what no judge scored has no row. What a judge gave to
        responses it was trained on has no row, either.
    notes : list of str
        What a reader has to know.

    Raises
    ------
    DataError
        A scorer gave one response two values of a dimension.
    SettingError
        The ratings are of several stages, and none is chosen.
    """
    options = options or AgreementOptions()
    judged = list(map(scores_of, scores))
    labels = method_labels(judged)
    rated, of_means = without_means(of_stage(ratings, options.stage) if ratings else [])
    rated_ids = {rating.response_id for rating in rated}
    notes: list[str] = []
    for number, part in enumerate(judged):
        judged[number], of_training = leave_out(part, task, rated_ids, hint=not options.include_training)
        notes += of_training
    notes += of_means
    table = _Table(task, options)
    for method, part in zip(labels, judged, strict=True):
        for sheet in part.sheets:
            scorer = Scorer(sheet.scorer, "judge", method, *sheet.repeats)
            table.add(sheet, scorer, part.source)
    units = {unit for unit, *_ in table.rows}
    only = units if units and rated and all(fold(rating.rater) in _MEANS for rating in rated) else None
    for rating in rated:
        scorer = Scorer(rating.rater, "rater", "", *rating.sheet.repeats)
        table.add(rating.sheet, scorer, rating.source, only)
    return table.make_data(carried_columns(judged, rated)), notes


def rated(data: RatingData) -> tuple[RatingData, list[str]]:
    """Keep the dimensions that somebody rated, and name the others."""
    raters = [number for number, scorer in enumerate(data.scorers) if scorer.kind == "rater"]
    known = set(data.long.loc[data.long["scorer"].isin(raters), "dimension"])
    if not raters:
        raise SettingError("None of the ratings is of a dimension that is compared.")
    kept = [name for number, name in enumerate(data.dimensions) if number in known]
    left = [name for name in data.dimensions if name not in kept]
    notes = [f"Nobody rated {len(left)} dimensions: {', '.join(left)}."] if left else []
    return (data.select(dimensions=kept) if left else data), notes


def of_stage(ratings: Sequence[Rating], stage: str | None) -> list[Rating]:
    """Take the ratings of one stage, which has to be named where there are several."""
    known = list(dict.fromkeys(rating.stage for rating in ratings))
    if stage is None:
        if len(known) > 1:
            names = ", ".join(name or "(none)" for name in known)
            raise SettingError(f"The ratings are of several stages: {names}. Choose one with --stage.")
        return list(ratings)
    if stage not in known:
        named = ", ".join(filter(None, known)) or "none"
        raise SettingError(f"--stage {stage}: no rating is of this stage. Known stages: {named}.")
    return [rating for rating in ratings if rating.stage == stage]


def method_labels(scores: Sequence[Scores]) -> list[str]:
    """Name the method of each scores.

    Those of one method are told apart by their source, and those of one source by a number.
    """
    names = [part.method or PurePath(part.source).name for part in scores]
    sources = [part.source for part in scores]
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


@dataclass
class _Table:
    """Rows of unit, number of the scorer, number of the dimension and points."""

    task: Task
    options: AgreementOptions
    rows: list[tuple[Unit, int, int, float]] = field(default_factory=list)
    scorers: dict[Scorer, int] = field(default_factory=dict)
    sources: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.items = _items_of(self.task, self.options.items)
        self.dimensions = tuple(compared_dimensions(self.task, self.items))
        parts: dict[str, list[tuple[int, str]]] = {}
        for number, identity in enumerate(self.dimensions):
            step, _, part = identity.partition(".")
            parts.setdefault(step, []).append((number, part))
        self.parts = [(self.task.step(step), numbered) for step, numbered in parts.items()]

    def add(self, sheet: ScoreSheet, scorer: Scorer, source: str, only: set[Unit] | None = None) -> None:
        """Add a sheet's values, of some units only where these are named."""
        number = self.scorers.setdefault(scorer, len(self.scorers))
        is_rater, whole = scorer.kind == "rater", Unit(sheet.response_id)
        for step, parts in self.parts:
            if (scores := sheet.step(step.id)) is None:
                continue
            valid = _valid_items(step, scores) if self.items == "mean" else None
            for dimension, part in parts:
                if self.items == "each":
                    values = list(_each(sheet.response_id, part, scores))
                else:
                    points = self._points(scores, part, is_rater)
                    if points is not None and self.items == "mean":
                        points = points / valid if valid else None
                    values = [] if points is None else [(whole, points)]
                for unit, points in values:
                    if only is None or unit in only:
                        self.rows.append((unit, number, dimension, points))
                        self.sources.append(source)

    def _points(self, scores: StepScores, part: str, is_rater: bool) -> float | None:
        """Return what a scorer wrote, or for final values and for raters that wrote none the computed one."""
        if self.options.values == "final" and not is_rater:
            return scores.final(part)
        written = scores.written.get(part)
        return scores.final(part) if written is None and is_rater else written

    def make_data(self, carried: dict[str, dict[str, str]]) -> RatingData:
        """Make the data: units and scorers are numbered, and what was given twice is refused."""
        scales = {identity: self._scale(identity) for identity in self.dimensions}
        data = RatingData.build(self.task, self.dimensions, list(self.scorers), self.rows, scales, carried)
        self._refuse_twice(data)
        return data

    def _refuse_twice(self, data: RatingData) -> None:
        twice = data.long.duplicated(["unit", "scorer", "dimension"], keep=False)
        if not twice.any():
            return
        problems: dict[str, None] = {}
        for _, rows in data.long[twice].groupby(["unit", "scorer", "dimension"], sort=False):
            row = rows.iloc[0]
            unit, scorer = data.units[int(row["unit"])], data.scorers[int(row["scorer"])]
            item = f", item {unit.item}" if unit.item else ""
            files = first_few(list(dict.fromkeys(self.sources[number] for number in rows.index)))
            points = " and ".join(f"{value:g}" for value in rows["points"])
            problems[
                f"{scorer.kind} {data.label(scorer)}, response {unit.response_id}{item}, "
                f"{data.dimensions[int(row['dimension'])]}: {points} ({files})"
            ] = None
        raise DataError(
            "A scorer may score a response once in each dimension; scores of several times are told apart by "
            "a column stage (choose one with --stage) or by repeats.",
            list(problems),
        )

    def _scale(self, identity: str) -> tuple[float, float]:
        """Return the lowest and highest points of a dimension; of items, those of one item."""
        from creaeval.data.points import points_range

        step, part = resolve(self.task, identity)
        if self.items != "sum" and step is not None:
            scale = step.dimension(part).scale
            return scale.min, scale.max
        return points_range(self.task, step, part)


def _each(response_id: str, part: str, scores: StepScores) -> Iterator[tuple[Unit, float]]:
    """Yield the points of each item; an invalid one has none of a dimension that needs a valid item."""
    for item in scores.items:
        if part in item.scores:
            yield Unit(response_id, item.item), float(item.scores[part])


def _valid_items(step: Step, scores: StepScores) -> float | None:
    """Count the valid items by the scorer's own reading, None where it cannot be told."""
    counted = {d.id for d in step.dimensions if d.derive == "valid_items"}
    if scores.items:
        return sum(item.valid and all(item.scores.get(part, 1) for part in counted) for item in scores.items)
    return next((count for part in counted if (count := scores.final(part)) is not None), None)


def without_means(ratings: Sequence[Rating]) -> tuple[list[Rating], list[str]]:
    """Leave out raters that are the mean of others, unless there is nothing else.

    Agreement with a mean is higher than with the raters it was made of, and no measure of how people agree.
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


def carried_columns(scores: Iterable[Scores], ratings: Iterable[Rating]) -> dict[str, dict[str, str]]:
    """Collect carried columns by name and response; one that ratings contradict each other in is left out."""
    columns: dict[str, dict[str, str]] = {}
    contradicted: set[tuple[str, str]] = set()
    for rating in ratings:
        for name, text in rating.metadata.items():
            if columns.setdefault(name, {}).setdefault(rating.response_id, text) != text:
                contradicted.add((name, rating.response_id))
    for name, response_id in contradicted:
        del columns[name][response_id]
    for part in scores:
        for response_id, extra in part.metadata.items():
            for name, text in extra.items():
                columns.setdefault(name, {})[response_id] = text
    return {name: values for name, values in columns.items() if values}
