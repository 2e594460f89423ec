"""What of an experiment is set side by side: the runs of a block on one data set, or recorded scores."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from creaeval.agreement.long_table import scores_of
from creaeval.experiments.file import Length
from creaeval.runs.file_names import file_names

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from creaeval.data import Rating, Scores
    from creaeval.experiments.file import Experiment
    from creaeval.experiments.grid import Cell
    from creaeval.experiments.results import DataResults
    from creaeval.runs import Run
    from creaeval.tasks import Task


@dataclass(frozen=True)
class Compared:
    """Scores of the same responses that are set side by side.

    Attributes
    ----------
    title : str
        For people: data set and block.
    name : str
        For files: letters, digits and ``_``.
    task : Task
        The task.
    scores : tuple of Scores
        Each with a method of its own name: the method's, with what else tells it apart here.
    runs : tuple of (str, Run)
        The same with their names, where they are runs; empty for scores made elsewhere.
    ratings : tuple of Rating
        People's.
    writer : str or None
        The column that names the model that wrote a response.
    data : str
        The data set's name, where there is one.
    lengths : tuple of Length
        Which lengths are set beside which scores.
    is_whole : bool
        Whether it holds all methods of a data set, whose parts have comparisons of their own.
    """

    title: str
    name: str
    task: Task
    scores: tuple[Scores, ...]
    runs: tuple[tuple[str, Run], ...]
    ratings: tuple[Rating, ...]
    writer: str | None = None
    data: str = ""
    lengths: tuple[Length, ...] = (Length(),)
    is_whole: bool = False

    @property
    def analysts(self) -> tuple[str, ...]:
        """The analysts of the runs."""
        return tuple(dict.fromkeys(scores.analyst for scores in self.scores if scores.analyst))

    @property
    def labels(self) -> dict[str, str]:
        """The names of the runs by their ids."""
        return {run.id: name for name, run in self.runs}

    @property
    def several_judges(self) -> bool:
        """Whether any of them has more than one judge."""
        return any(len({sheet.scorer for sheet in scores.sheets}) > 1 for scores in self.scores)


def compared_of(experiment: Experiment, results: DataResults) -> Iterator[Compared]:
    """Yield what is to be compared on a data set, first all of its methods in one comparison.

    Parameters
    ----------
    experiment : Experiment
        The experiment.
    results : DataResults
        What there is of the data set.

    Yields
    ------
    Compared
        Where there is more than one part, all together; then recorded scores and each block that has a
        finished run.
    """
    data = experiment.data[results.name]

    def compared(part: str, scores: Sequence[Scores], runs: Sequence[tuple[str, Run]]) -> Compared:
        title = f"{results.name}: {part}"
        of_data = tuple(results.ratings), data.writer, results.name, data.length
        return Compared(title, _file_name(title), results.task, tuple(scores), tuple(runs), *of_data)

    parts = []
    if results.recorded:
        recorded = list(_by_judge(results.recorded)) if data.judges_apart else list(results.recorded)
        parts.append(compared("recorded", recorded, ()))
    for block in dict.fromkeys(cell.block for cell, _ in results.runs):
        runs = _named_runs([(cell, run) for cell, run in results.runs if cell.block == block])
        parts.append(compared(block, _scores_of(runs), runs))
    if len(parts) > 1 and results.ratings:
        recorded = [] if parts[0].runs else list(parts[0].scores)
        runs = _named_runs(results.runs, {scores.method for scores in recorded})
        yield replace(compared("all methods", [*recorded, *_scores_of(runs)], ()), is_whole=True)
    yield from parts


def compare_runs(runs: Sequence[tuple[str, Run]], ratings: Sequence[Rating]) -> Compared:
    """Compare runs of one task, each under its name."""
    scores = tuple(replace(scores_of(run), method=name) for name, run in runs)
    return Compared("runs", "runs", runs[0][1].task, scores, tuple(runs), tuple(ratings))


def _by_judge(recorded: Sequence[Scores]) -> Iterator[Scores]:
    """Make a method of each judge."""
    for scores in recorded:
        for scorer in dict.fromkeys(sheet.scorer for sheet in scores.sheets):
            sheets = tuple(sheet for sheet in scores.sheets if sheet.scorer == scorer)
            yield replace(scores, method=scorer, sheets=sheets)


def _named_runs(pairs: Sequence[tuple[Cell, Run]], taken: Collection[str] = ()) -> list[tuple[str, Run]]:
    """Name runs, each once; those that would share a name carry their block and, if need be, their id."""
    own: dict[str, tuple[Cell, Run]] = {}
    for cell, run in pairs:
        own.setdefault(run.id, (cell, run))
    cells, runs = [cell for cell, _ in own.values()], [run for _, run in own.values()]
    names = _labels(cells)
    for more in ([cell.block for cell in cells], [run.id for run in runs]):
        names = [
            f"{name} ({detail})" if names.count(name) > 1 or name in taken else name
            for name, detail in zip(names, more, strict=True)
        ]
    return list(zip(names, runs, strict=True))


def _scores_of(runs: Sequence[tuple[str, Run]]) -> list[Scores]:
    return [replace(scores_of(run), method=name) for name, run in runs]


def _labels(cells: Sequence[Cell]) -> list[str]:
    """Name cells of one block by their method and by what else differs between them."""
    analysts = {cell.analyst for cell in cells if cell.analyst is not None}
    depths = {cell.evidence for cell in cells if cell.analyst is not None}
    # A method without an analyst has none of its settings, which tells nothing apart.
    values: dict[str, set[object]] = {}
    for cell in cells:
        for name, value in cell.settings:
            values.setdefault(name, set()).add(value)
    labels = []
    for cell in cells:
        parts = [cell.method]
        if len(analysts) > 1 and cell.analyst is not None:
            parts.append(cell.analyst)
        if len(depths) > 1 and cell.analyst is not None:
            parts.append(f"{cell.evidence or 'usual'} evidence")
        parts += [
            f"{name}={'default' if value is None else value}"
            for name, value in cell.settings
            if len(values[name]) > 1
        ]
        labels.append(", ".join(parts))
    return labels


def _file_name(title: str) -> str:
    return file_names([title])[title].lower()
