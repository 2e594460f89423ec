"""One pass over a run for what lists and averages need: a line a response, and points by scorer."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import fmean, stdev
from typing import TYPE_CHECKING

from creaeval.report.html.scores import points_text
from creaeval.runs.units import split_sheet
from creaeval.tasks import display_name, identities

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd

    from creaeval.data import Rating
    from creaeval.methods import Outcome, StageFailure
    from creaeval.report.html.data import RunPart
    from creaeval.sheets import ScoreSheet

_MOST_COLUMNS = 4


@dataclass(frozen=True)
class Line:
    """A response in the list: ``value`` is what stands behind its name, ``search`` what it is found by.

    ``overalls`` are those of the task's steps; they and ``total`` are means over its sheets.
    """

    key: str
    id: str
    value: str
    search: str
    overalls: tuple[float | None, ...]
    total: float | None
    difference: float | None
    failures: tuple[StageFailure, ...]


@dataclass
class Index:
    """The lines of a run, its ratings by response, and the points of every scorer.

    ``points`` are by ``(kind, scorer)`` and identity; of raters, those of the run's responses. ``places`` and
    ``scenarios`` are by response id: its place in the run, and the id of what it answers.
    """

    lines: list[Line] = field(default_factory=list)
    ratings: dict[str, list[Rating]] = field(default_factory=dict)
    points: dict[tuple[str, str], dict[str, list[float]]] = field(default_factory=dict)
    places: dict[str, int] = field(default_factory=dict)
    scenarios: dict[str, str] = field(default_factory=dict)

    def ratings_of(self, part: RunPart, outcome: Outcome) -> list[Rating]:
        """Return the ratings of a response, or of all items of a batch."""
        units = part.run.units.get(outcome.response_id)
        ids = [outcome.response_id] if units is None else [unit.id for unit in units]
        return [rating for one in ids for rating in self.ratings.get(one, ())]


def index_run(part: RunPart, number: int) -> Index:
    """Read through a run once, keeping little of each response.

    Parameters
    ----------
    part : RunPart
        The run and its ratings.
    number : int
        Its place in the report.

    Returns
    -------
    Index
    """
    index = Index()
    for rating in part.ratings:
        index.ratings.setdefault(rating.response_id, []).append(rating)
    run, task = part.run, part.run.task
    parts = identities(task)
    for one in run.manifest.get("responses", ()):
        index.scenarios[one["id"]] = one.get("scenario") or ""
    for place, outcome in enumerate(run.outcomes):
        ratings = index.ratings_of(part, outcome)
        units = run.units.get(outcome.response_id)
        sheets = [
            one
            for sheet in outcome.sheets
            for one in ((sheet,) if units is None else split_sheet(sheet, units))
        ]
        for kind, name, sheet in (
            *(("judge", sheet.label, sheet) for sheet in sheets),
            *(("rater", rating.rater, rating.sheet) for rating in ratings),
        ):
            for identity in parts:
                if (value := sheet.final(identity)) is not None:
                    index.points.setdefault((kind, name), {}).setdefault(identity, []).append(value)
        index.places[outcome.response_id] = place
        key = f"{number}-{place}"
        index.lines.append(_line(part, outcome, key, sheets, ratings, index.scenarios))
    return index


def _line(
    part: RunPart,
    outcome: Outcome,
    key: str,
    sheets: Sequence[ScoreSheet],
    ratings: Sequence[Rating],
    scenarios: Mapping[str, str],
) -> Line:
    run, units = part.run, part.run.units.get(outcome.response_id)
    total, rated = _mean([one.total for one in sheets]), _mean([one.sheet.total for one in ratings])
    ids = [outcome.response_id] if units is None else [outcome.response_id, *(unit.id for unit in units)]
    carried = [text for one in ids for text in run.carried.get(one, {}).values()]
    words = dict.fromkeys([*ids, scenarios.get(outcome.response_id, ""), *carried])
    return Line(
        key=key,
        id=outcome.response_id,
        value=points_text(total) if units is None else f"{len(units)} item{'s' * (len(units) != 1)}",
        # As the script lowers what is typed.
        search=" ".join(words).lower(),
        overalls=tuple(_mean([one.final(f"{step.id}.overall") for one in sheets]) for step in run.task.steps),
        total=total,
        difference=None if total is None or rated is None else total - rated,
        failures=outcome.failures,
    )


def mean_table(part: RunPart, index: Index) -> pd.DataFrame:
    """Lay out the mean points: Overalls and the Total (or every dimension of items) by scorer.

    Parameters
    ----------
    part : RunPart
        The run.
    index : Index
        Of it.

    Returns
    -------
    pandas.DataFrame
        Columns ``Part``, ``of`` and one a scorer with mean, standard deviation (n - 1) and n.
    """
    import pandas as pd

    from creaeval.data.points import points_range
    from creaeval.tasks import resolve

    task = part.run.task
    shown = [
        one for one in identities(task) if task.unit == "item" or one.endswith(".overall") or one == "total"
    ]
    rows = []
    for identity in shown:
        step, of = resolve(task, identity)
        name = step.name if step is not None and of == "overall" else display_name(task, identity)
        cells = [_summed(values.get(identity, [])) for values in index.points.values()]
        rows.append([name, points_range(task, step, of)[1], *cells])
    names = [scorer_name(*scorer) for scorer in index.points]
    return pd.DataFrame(rows, columns=["Part", "of", *names])


def scorer_name(kind: str, name: str) -> str:
    """Name a scorer so that a person is not taken for a judge."""
    return name if kind == "judge" else f"{name} (rater)"


def response_table(part: RunPart, index: Index) -> pd.DataFrame:
    """Lay out one row a response: id, columns it carries, Total by scorer and the mean difference."""
    import pandas as pd

    run = part.run
    # Of items, the columns are each item's own.
    carried = {} if run.units else run.carried
    names = list(dict.fromkeys(name for extra in carried.values() for name in extra))[:_MOST_COLUMNS]

    def overalls(line: Line) -> dict[str, float | None]:
        steps = run.task.steps if len(run.task.steps) > 1 else ()
        given = {step.name: value for step, value in zip(steps, line.overalls, strict=False)}
        return {**given, "Total": line.total}

    rows = [
        {
            "Response": line.id,
            # A blank behind the name keeps it apart from the columns of our own.
            **{f"{name} ": carried.get(line.id, {}).get(name, "") for name in names},
            **(overalls(line) if run.task.unit == "response" else {"Items": line.value}),
            **({"Total minus ratings": line.difference} if index.ratings else {}),
            "Failures": len(line.failures),
        }
        for line in index.lines
    ]
    columns = list(rows[0]) if rows else ["Response"]
    return pd.DataFrame(rows, columns=columns)


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _summed(values: Sequence[float]) -> str:
    if not values:
        return ""
    spread = f", SD {stdev(values):.1f}" if len(values) > 1 else ""
    return f"{fmean(values):.1f} (n {len(values)}{spread})"
