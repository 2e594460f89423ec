"""One pass over a run for what lists and averages need: a line a response, and points by scorer."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import fmean, stdev
from typing import TYPE_CHECKING

from creaeval.report.html.scores import points_text
from creaeval.tasks import display_name, identities

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd

    from creaeval.data import Rating
    from creaeval.methods import Outcome, StageFailure
    from creaeval.report.html.data import RunPart
    from creaeval.sheets import ScoreSheet
    from creaeval.tasks import Task

_MOST_COLUMNS = 4


@dataclass(frozen=True)
class Line:
    """A response in the list: ``value`` is what stands behind its name, ``search`` what it is found by."""

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
    """The lines of a run, its ratings by response, and the points of every scorer."""

    lines: list[Line] = field(default_factory=list)
    ratings: dict[str, list[Rating]] = field(default_factory=dict)
    points: dict[tuple[str, str], dict[str, list[float]]] = field(default_factory=dict)
    places: dict[str, int] = field(default_factory=dict)
    scenarios: dict[str, str] = field(default_factory=dict)


def index_run(part: RunPart, number: int) -> Index:
    """Read through a run once, keeping little of each response."""
    index = Index()
    for rating in part.ratings:
        index.ratings.setdefault(rating.response_id, []).append(rating)
    run, task = part.run, part.run.task
    parts = identities(task)
    for one in run.manifest.get("responses", ()):
        index.scenarios[one["id"]] = one.get("scenario") or ""
    for place, outcome in enumerate(run.outcomes):
        ratings = index.ratings.get(outcome.response_id, [])
        for kind, name, sheet in (
            *(("judge", sheet.label, sheet) for sheet in outcome.sheets),
            *(("rater", rating.rater, rating.sheet) for rating in ratings),
        ):
            for identity in parts:
                if (value := sheet.final(identity)) is not None:
                    index.points.setdefault((kind, name), {}).setdefault(identity, []).append(value)
        index.places[outcome.response_id] = place
        key = f"{number}-{place}"
        index.lines.append(_line(part, outcome, key, ratings, index.scenarios))
    return index


def _line(
    part: RunPart, outcome: Outcome, key: str, ratings: Sequence[Rating], scenarios: Mapping[str, str]
) -> Line:
    run, sheets = part.run, outcome.sheets
    whole = whole_of(run.task)
    total = _mean([sheet.final(whole) for sheet in sheets])
    rated = _mean([rating.sheet.final(whole) for rating in ratings])
    carried = run.metadata.get(outcome.response_id, {}).values()
    words = dict.fromkeys([outcome.response_id, scenarios.get(outcome.response_id, ""), *carried])
    return Line(
        key=key,
        id=outcome.response_id,
        value=points_text(total) if total is not None else _code(sheets) or points_text(total),
        # As the script lowers what is typed.
        search=" ".join(words).lower(),
        overalls=tuple(_mean([one.final(f"{step.id}.overall") for one in sheets]) for step in run.task.steps),
        total=total,
        difference=None if total is None or rated is None else total - rated,
        failures=outcome.failures,
    )


def whole_of(task: Task) -> str:
    """Name what a response comes to: the Total or, without sums, the only dimension; else nothing."""
    names = identities(task)
    return "total" if task.sums else names[0] if len(names) == 1 else ""


def _code(sheets: Sequence[ScoreSheet]) -> str:
    return next((sheet.invalid for sheet in sheets if sheet.invalid), "")


def mean_table(part: RunPart, index: Index) -> pd.DataFrame:
    """Lay out the mean points: Overalls and the Total (without sums, every dimension) by scorer."""
    import pandas as pd

    from creaeval.data.points import points_range
    from creaeval.tasks import resolve

    task = part.run.task
    shown = [name for name in identities(task) if name.endswith(".overall") or name == "total"]
    rows = []
    for identity in shown or identities(task):
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

    run, whole = part.run, whole_of(part.run.task)
    names = list(dict.fromkeys(name for extra in run.metadata.values() for name in extra))[:_MOST_COLUMNS]
    title = display_name(run.task, whole) if whole else "Total"

    def overalls(line: Line) -> dict[str, float | None]:
        steps = run.task.steps if len(run.task.steps) > 1 else ()
        given = {step.name: value for step, value in zip(steps, line.overalls, strict=False)}
        return {**given, title: line.total}

    rows = [
        {
            "Response": line.id,
            # A blank behind the name keeps it apart from the columns of our own.
            **{f"{name} ": run.metadata.get(line.id, {}).get(name, "") for name in names},
            **overalls(line),
            **({f"{title} minus ratings": line.difference} if index.ratings else {}),
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
