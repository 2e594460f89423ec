"""The results of an experiment, by data set: its runs, scores made elsewhere, and people's ratings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from creaeval.errors import DataError
from creaeval.experiments.grid import cells
from creaeval.experiments.planning import (
    describe_only,
    is_wanted,
    list_columns,
    plan_experiment,
    read_recorded,
)
from creaeval.experiments.status import stored_runs
from creaeval.tasks import load_task

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from creaeval.data import Rating, Scores
    from creaeval.experiments.file import DataSet, Experiment
    from creaeval.experiments.grid import Cell
    from creaeval.runs import Run, RunStore
    from creaeval.tasks import Task


@dataclass(frozen=True)
class DataResults:
    """What there is of one data set.

    Parameters
    ----------
    name : str
        The data set's name.
    task : Task
        Its task.
    runs : tuple of tuple of (Cell, Run)
        The finished runs, in the order of the grid; equal cells of several blocks have the same run.
    recorded : tuple of Scores
        Scores made elsewhere.
    ratings : list of Rating
        People's ratings, of the stage that the experiment names.
    missing : tuple of Cell
        Cells without a finished run.
    """

    name: str
    task: Task
    runs: tuple[tuple[Cell, Run], ...]
    recorded: tuple[Scores, ...]
    ratings: list[Rating]
    missing: tuple[Cell, ...]


def load_results(experiment: Experiment, store: RunStore | None) -> Mapping[str, DataResults]:
    """Load what there is of an experiment.

    Parameters
    ----------
    experiment : Experiment
        The experiment.
    store : RunStore or None
        The runs of a ledger; None where only scores made elsewhere count.

    Returns
    -------
    mapping of str to DataResults
        By data set, in the order of the file. Where the experiment says ``only``, other responses are left
        out of recorded scores and of ratings, too; runs have been made without them.

    Raises
    ------
    InputError
        A file is wrong.
    """
    planned = plan_experiment(experiment, to_run=False, check=False)
    finished: dict[Cell, Run] = {}
    stored = [] if store is None else stored_runs(planned.runs, store)
    for planned_run, run in zip(planned.runs, stored, strict=store is not None):
        if run is not None and run.state == "finished":
            finished |= dict.fromkeys(planned_run.cells, run)
    return {
        name: _results(name, data_set, [cell for cell in cells(experiment) if cell.data == name], finished)
        for name, data_set in experiment.data.items()
    }


def _results(name: str, data_set: DataSet, grid: Sequence[Cell], finished: Mapping[Cell, Run]) -> DataResults:
    task = load_task(data_set.task)
    recorded, ratings = read_recorded(name, data_set, task)
    runs = tuple((cell, finished[cell]) for cell in grid if cell in finished)
    if data_set.only:
        # What one file says of a response holds for all of them.
        carried = [(rating.response_id, rating.metadata) for rating in ratings]
        carried += [pair for scores in recorded for pair in scores.metadata.items()]
        wanted = {response_id for response_id, columns in carried if is_wanted(columns, data_set.only)}
        wanted |= {response_id for _, run in runs for response_id in run.metadata}
        # Responses that no run has scored yet name their columns in their own file.
        if not wanted and recorded:
            raise DataError(
                f"data set {name!r}: 'only' leaves no response. Columns that scores and ratings carry: "
                f"{list_columns(columns for _, columns in carried)}; wanted is "
                f"{describe_only(data_set.only)}."
            )
        recorded = tuple(_kept(scores, wanted) for scores in recorded)
        ratings = [rating for rating in ratings if rating.response_id in wanted]
    missing = tuple(cell for cell in grid if cell not in finished)
    return DataResults(name, task, runs, recorded, ratings, missing)


def _kept(scores: Scores, wanted: Collection[str]) -> Scores:
    sheets = tuple(sheet for sheet in scores.sheets if sheet.response_id in wanted)
    return replace(scores, sheets=sheets, metadata={k: v for k, v in scores.metadata.items() if k in wanted})
