"""One pass over a run for what lists and averages need: a line a response, and points by scorer."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import fmean, stdev
from typing import TYPE_CHECKING

from creaeval.data.points import points_range
from creaeval.report.display import Cell, table_of
from creaeval.report.display import Line as TableLine
from creaeval.report.display.numbers import number
from creaeval.report.html.scores import mean_of_known, points_text
from creaeval.tasks import display_name, identities, resolve

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from creaeval.data import Rating
    from creaeval.methods import Outcome, StageFailure
    from creaeval.report.display import DisplayTable
    from creaeval.report.html.data import RunPart
    from creaeval.runs import Run
    from creaeval.tasks import Task

_MOST_COLUMNS = 4


@dataclass(frozen=True)
class Line:
    """A response in the list: ``value`` is what stands behind its name, ``search`` what it is found by."""

    key: str
    id: str
    value: str
    search: str
    #: Of the task's steps; they and ``total`` are means over its sheets.
    overalls: tuple[float | None, ...]
    total: float | None
    difference: float | None
    failures: tuple[StageFailure, ...]


@dataclass
class Index:
    """The lines of a run, its ratings by response, and the points of every scorer."""

    lines: list[Line] = field(default_factory=list)
    ratings: dict[str, list[Rating]] = field(default_factory=dict)
    #: By ``(kind, scorer)`` and identity; of raters, those of the run's responses.
    points: dict[tuple[str, str], dict[str, list[float]]] = field(default_factory=dict)
    #: By response id: its place in the run, and the id of what it answers.
    places: dict[str, int] = field(default_factory=dict)
    scenarios: dict[str, str] = field(default_factory=dict)

    @property
    def links(self) -> dict[str, str]:
        """The page of each response."""
        return {line.id: line.key for line in self.lines}


def index_run(part: RunPart, number: int) -> Index:
    """Read through a run once, keeping little of each response."""
    index = Index()
    for rating in part.ratings:
        index.ratings.setdefault(rating.response_id, []).append(rating)
    run, task = part.run, part.run.task
    parts = identities(task)
    for listed in run.manifest.get("responses", ()):
        index.scenarios[listed["id"]] = listed.get("scenario") or ""
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
        scenario = index.scenarios.get(outcome.response_id, "")
        index.lines.append(_line(part.run, outcome, f"{number}-{place}", ratings, scenario))
    return index


def _line(run: Run, outcome: Outcome, key: str, ratings: Sequence[Rating], scenario: str) -> Line:
    sheets, whole = outcome.sheets, whole_of(run.task)
    total = mean_of_known(sheet.final(whole) for sheet in sheets)
    rated = mean_of_known(rating.sheet.final(whole) for rating in ratings)
    code = next((sheet.invalid for sheet in sheets if sheet.invalid), "")
    words = dict.fromkeys(
        [outcome.response_id, scenario, *run.metadata.get(outcome.response_id, {}).values()]
    )
    return Line(
        key=key,
        id=outcome.response_id,
        value=code if total is None and code else points_text(total),
        # As the script lowers what is typed.
        search=" ".join(words).lower(),
        overalls=tuple(
            mean_of_known(sheet.final(f"{step.id}.overall") for sheet in sheets) for step in run.task.steps
        ),
        total=total,
        difference=None if total is None or rated is None else total - rated,
        failures=outcome.failures,
    )


def whole_of(task: Task) -> str:
    """Name what a response comes to: the Total or, without sums, the only dimension; else nothing."""
    names = identities(task)
    return "total" if task.total != "none" else names[0] if len(names) == 1 else ""


def mean_table(part: RunPart, index: Index) -> DisplayTable:
    """Lay out the mean points: Overalls and the Total (without sums, every dimension) by scorer."""
    task = part.run.task
    shown = [name for name in identities(task) if name.endswith(".overall") or name == "total"]
    points = [
        [values.get(identity, []) for values in index.points.values()]
        for identity in shown or identities(task)
    ]
    counts = {len(values) for row in points for values in row if values}
    rows = []
    for identity, values in zip(shown or identities(task), points, strict=True):
        step, name = resolve(task, identity)
        title = step.name if step is not None and name == "overall" else display_name(task, identity)
        most = Cell(float(points_range(task, step, name)[1]), form="g")
        cells = [_mean(of, with_n=len(counts) > 1) for of in values]
        rows.append((TableLine(title, summary=identity == "total"), [most, *cells]))
    return table_of(
        "Mean points",
        ["of", *(scorer_name(*scorer) for scorer in index.points)],
        rows,
        corner="Part",
        caption=f"n = {counts.pop():,}" if len(counts) == 1 else "",
        notes=["Final values; n is the number of sheets with one."],
    )


def scorer_name(kind: str, name: str) -> str:
    """Name a scorer so that a person is not taken for a judge."""
    return name if kind == "judge" else f"{name} (rater)"


def response_table(part: RunPart, index: Index) -> pd.DataFrame:
    """Lay out one row a response: id, columns it carries, Total by scorer and the mean difference."""
    import pandas as pd

    run, whole = part.run, whole_of(part.run.task)
    columns = list(dict.fromkeys(name for metadata in run.metadata.values() for name in metadata))
    title = display_name(run.task, whole) if whole else ""
    steps = run.task.steps if len(run.task.steps) > 1 and run.task.total != "none" else ()
    rows = [
        {
            "Response": line.id,
            # A blank behind the name keeps it apart from the columns of our own.
            **{f"{name} ": run.metadata.get(line.id, {}).get(name, "") for name in columns[:_MOST_COLUMNS]},
            **{step.name: value for step, value in zip(steps, line.overalls, strict=False)},
            **({title: line.total} if whole else {}),
            **({f"{title} minus ratings": line.difference} if whole and index.ratings else {}),
            "Failures": len(line.failures),
        }
        for line in index.lines
    ]
    return pd.DataFrame(rows, columns=list(rows[0]) if rows else ["Response"])


def _mean(values: Sequence[float], *, with_n: bool) -> Cell:
    if not values:
        return Cell()
    parts = [f"n {len(values):,}"] if with_n else []
    parts += [f"SD {number(stdev(values), '.1f')}"] if len(values) > 1 else []
    return Cell(fmean(values), form=",.1f", note=f"({', '.join(parts)})" if parts else "")
