"""The scores of one response as a table: judges, then people with the difference from the judges."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Literal, TypeAlias

from creaeval.data.points import points_range
from creaeval.tasks import display_name, resolve

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from creaeval.data import Rating
    from creaeval.sheets import ScoreSheet
    from creaeval.tasks import Task

Kind: TypeAlias = Literal["judge", "rater"]


@dataclass(frozen=True)
class Scorer:
    """A column: who scored, and the sheet."""

    name: str
    kind: Kind
    sheet: ScoreSheet


@dataclass(frozen=True)
class Cell:
    """A value; ``wrote`` says what the judge wrote instead, ``difference`` how far it is from others."""

    value: str
    wrote: str = ""
    difference: str = ""


@dataclass(frozen=True)
class Row:
    """A row; ``kind`` is ``part``, ``overall`` or ``total``."""

    name: str
    most: str
    cells: tuple[Cell, ...]
    kind: str = "part"


@dataclass(frozen=True)
class Block:
    """The rows of one step."""

    title: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class ScoreTable:
    """A sheet with all its scorers; ``differs`` says whether any computed value is not the judge's own."""

    columns: tuple[tuple[str, str], ...]
    blocks: tuple[Block, ...]
    differs: bool
    #: What the differences are.
    note: str


_NOTES = {
    "rater": "Beside a rating: the judge's score (of several, their mean) minus the rating.",
    "judge": "Beside a judge's score: the score minus the rating (of several, their mean).",
}


def judges_of(sheets: Sequence[ScoreSheet], prefix: str = "") -> list[Scorer]:
    """Make columns of a response's sheets."""
    return [Scorer(prefix + sheet.label, "judge", sheet) for sheet in sheets]


def raters_of(ratings: Sequence[Rating]) -> list[Scorer]:
    """Make columns of a response's ratings; the stage stands behind the name where there are several."""
    several = len({rating.stage for rating in ratings}) > 1
    return [
        Scorer(f"{r.rater} ({r.stage})" if several and r.stage else r.rater, "rater", r.sheet)
        for r in ratings
    ]


def points_text(value: float | None) -> str:
    """Write points as they are, a dash where there are none."""
    return "–" if value is None else f"{value:.4g}"


def score_table(task: Task, scorers: Sequence[Scorer], beside: Kind = "rater") -> ScoreTable:
    """Lay out the sheet of one response."""
    blocks: list[Block] = []
    for step in task.steps:
        rows = [
            _row(task, f"{step.id}.{part}", scorers, "overall" if part == "overall" else "part", beside)
            for part in task.parts(step)
        ]
        blocks.append(Block(step.name, tuple(rows)))
    if task.total != "none":
        blocks.append(Block("", (_row(task, "total", scorers, "total", beside),)))
    differs = any(cell.wrote for block in blocks for row in block.rows for cell in row.cells)
    columns = tuple((scorer.name, scorer.kind) for scorer in scorers)
    note = _NOTES[beside] if {scorer.kind for scorer in scorers} == {"judge", "rater"} else ""
    return ScoreTable(columns, tuple(blocks), differs, note)


def _row(task: Task, identity: str, scorers: Sequence[Scorer], kind: str, beside: Kind) -> Row:
    judged = mean_of_known(scorer.sheet.final(identity) for scorer in scorers if scorer.kind == "judge")
    rated = mean_of_known(scorer.sheet.final(identity) for scorer in scorers if scorer.kind == "rater")
    cells: list[Cell] = []
    for scorer in scorers:
        value = scorer.sheet.final(identity)
        score, rating = (judged, value) if beside == "rater" else (value, rated)
        difference = difference_text(score, rating) if scorer.kind == beside else ""
        text = points_text(value) if value is not None else scorer.sheet.invalid or points_text(value)
        cells.append(Cell(text, _wrote(scorer, identity, value), difference))
    most = points_range(task, *resolve(task, identity))[1]
    return Row(display_name(task, identity), points_text(most), tuple(cells), kind)


def mean_of_known(values: Iterable[float | None]) -> float | None:
    """Return the mean of the values that are there; None if there are none."""
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _wrote(scorer: Scorer, identity: str, value: float | None) -> str:
    if scorer.kind == "rater":
        return ""
    step_id, _, part = identity.partition(".")
    step = scorer.sheet.step(step_id)
    written = scorer.sheet.written_total
    if part:
        written = step.written.get(part) if step is not None else None
    return f"wrote {points_text(written)}" if None not in (written, value) and written != value else ""


def difference_text(score: float | None, rating: float | None) -> str:
    """Write a score minus a rating with its sign; nothing where one is missing."""
    if score is None or rating is None:
        return ""
    return f"{score - rating:+.3g}".replace("-", "−") if score != rating else "±0"
