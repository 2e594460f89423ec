"""Plan the cells of a grid: all of them are read and checked before the first call."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from creaeval.data import read_ratings, read_responses, read_scenarios, read_scores
from creaeval.data.examples import read_examples
from creaeval.errors import DataError, InputError, SettingError
from creaeval.experiments.grid import Cell, cells
from creaeval.llm import open_model
from creaeval.llm.providers.book import open_book
from creaeval.llm.providers.table import PROVIDERS
from creaeval.methods import Options, canonical_name
from creaeval.runs import make_plan
from creaeval.runs.defaults import choose_batching
from creaeval.runs.engine import check_settings
from creaeval.runs.score import finish_in_any_thread
from creaeval.tasks import load_task
from creaeval.wording import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from creaeval.data import Rating, Response, Scores
    from creaeval.data.examples import Example
    from creaeval.experiments.file import DataSet, Experiment
    from creaeval.llm import ChatModel
    from creaeval.llm.providers.book import ModelBook
    from creaeval.runs import Plan
    from creaeval.tasks import Scenario, Task


@dataclass(frozen=True)
class PlannedRun:
    """One run of an experiment.

    Parameters
    ----------
    plan : Plan
        What the run does.
    cells : tuple of Cell
        The cells it is, of one block or several.
    pretended : int or None
        Where the plan holds a template in place of the responses: how many it stands for. Such a run can be
        estimated and not made.
    """

    plan: Plan
    cells: tuple[Cell, ...]
    pretended: int | None = None

    @property
    def label(self) -> str:
        """The run in words, with the other blocks that want it."""
        others = ", ".join(cell.block for cell in self.cells[1:])
        return self.cells[0].label + (f" (also {others})" if others else "")


@dataclass(frozen=True)
class Planned:
    """All runs of an experiment, in the order in which they are made.

    Parameters
    ----------
    runs : tuple of PlannedRun
        Runs that share evidence follow each other.
    untrained : tuple of Cell
        Cells that cannot be run, since their method needs a trained model.
    feeds : mapping of str to tuple of str
        What each block is for, by its name, as the file says.
    """

    runs: tuple[PlannedRun, ...]
    untrained: tuple[Cell, ...]
    feeds: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def feeds_of(self, cells: Iterable[Cell]) -> tuple[str, ...]:
        """Return what cells are for, each thing once."""
        return tuple(dict.fromkeys(what for cell in cells for what in self.feeds.get(cell.block, ())))


def plan_experiment(
    experiment: Experiment,
    *,
    only: Sequence[str] = (),
    keys: str | Path | None = None,
    to_run: bool = True,
    check: bool = True,
) -> Planned:
    """Read and check everything that an experiment needs; nothing is asked of any model.

    Parameters
    ----------
    experiment : Experiment
        The experiment.
    only : sequence of str
        Names of blocks; all if empty.
    keys : path, optional
        A file with API keys, which else come from the environment.
    to_run : bool
        Whether the runs are to be made. If not, keys may be lacking and responses may be pretended.
    check : bool
        Whether to see that each model would be sent all that is set for it, and that ratings and scores made
        elsewhere can be read. That loads the clients of hosted models, which a look at finished runs need not
        wait for.

    Returns
    -------
    Planned

    Raises
    ------
    SettingError, DataError
        With the problems of all cells.
    """
    names = [block.name for block in experiment.grid]
    for name in only:
        if name not in names:
            message = (
                f"experiment {experiment.name}: there is no block {name!r}; its blocks are "
                f"{', '.join(names)}. {did_you_mean(name, names)}"
            )
            raise SettingError(message.rstrip())
    grid = cells(experiment, only)
    to_plan = [cell for cell in grid if not cell.untrained]
    book = open_book(experiment.models, keys)
    inputs = _Inputs(experiment, book if to_run else _with_any_keys(book), to_plan, to_run=to_run)
    if check:
        inputs.check_recorded()
    plans: dict[tuple[str, str], PlannedRun] = {}
    problems: dict[str, list[Cell]] = {}
    for cell in to_plan:
        planned = None
        with _noting(problems, cell):
            planned = inputs.plan(cell)
        if planned is not None:
            key = (cell.data, planned.plan.run_id)
            before = plans.get(key)
            plans[key] = planned if before is None else replace(before, cells=(*before.cells, cell))
    if check:
        finish_in_any_thread(_check_all(plans.values(), problems))
    lines = [*inputs.problems, *(_problem(text, where) for text, where in problems.items())]
    if lines:
        raise SettingError(lines[0], lines[1:])
    return Planned(
        _in_order(plans.values()),
        tuple(cell for cell in grid if cell.untrained),
        {block.name: block.feeds for block in experiment.grid},
    )


async def _check_all(planned: Iterable[PlannedRun], problems: dict[str, list[Cell]]) -> None:
    for run in planned:
        with _noting(problems, run.cells[0]):
            await check_settings(run.plan.roles)


@contextmanager
def _noting(problems: dict[str, list[Cell]], cell: Cell) -> Iterator[None]:
    """Note by problem which cells have it."""
    try:
        yield
    except InputError as error:
        for problem in error.problems:
            problems.setdefault(problem, []).append(cell)


def _problem(text: str, where: Sequence[Cell]) -> str:
    more = f" (and {len(where) - 1} more)" if len(where) > 1 else ""
    return f"{where[0].label}{more}: {text}"


def _in_order(planned: Iterable[PlannedRun]) -> tuple[PlannedRun, ...]:
    """Put runs that ask the same analyst the same way next to each other, else as they stand in the file."""
    groups: dict[object, list[PlannedRun]] = {}
    for run in planned:
        plan = run.plan
        asked = None if plan.analyst is None else (str(dict(plan.analyst.identity)), plan.analyst_settings)
        groups.setdefault((run.cells[0].data, asked), []).append(run)
    return tuple(run for group in groups.values() for run in group)


def _with_any_keys(book: ModelBook) -> ModelBook:
    """Return a book that lacks no key: nothing is sent, and an estimate must not ask for accounts."""
    variables = {name for provider in PROVIDERS.values() for name in provider.keys[:1]}
    variables |= {preset.key_variable for preset in book.presets.values() if preset.key_variable}
    lacking = {name: "none" for name in variables if not book.variable(name)}
    return replace(book, keys={**lacking, **book.keys})


class _Inputs:
    """Every file read and every model opened once, for all cells; what is wrong is kept in ``problems``."""

    def __init__(
        self, experiment: Experiment, book: ModelBook, wanted: Sequence[Cell], *, to_run: bool
    ) -> None:
        self._experiment = experiment
        self.problems: list[str] = []
        self._data: dict[str, _Data] = {}
        self._models: dict[str, ChatModel] = {}
        self._examples: dict[tuple[str, Path | None], Sequence[Example]] = {}
        for name in dict.fromkeys(cell.data for cell in wanted):
            with self._noting(f"data set {name!r}: "):
                self._data[name] = read_data(experiment.data[name], to_run=to_run)
        for name in dict.fromkeys(name for cell in wanted for name in (cell.analyst, *cell.judges) if name):
            with self._noting():
                self._models[name] = open_model(name, book)
        for cell in wanted:
            key = (cell.data, cell.examples)
            if key not in self._examples and cell.data in self._data:
                with self._noting():
                    self._examples[key] = read_examples(cell.examples, self._data[cell.data].task)

    @contextmanager
    def _noting(self, where: str = "") -> Iterator[None]:
        try:
            yield
        except InputError as error:
            self.problems += [where + problem for problem in error.problems if problem not in self.problems]

    def check_recorded(self) -> None:
        """Check that what a report needs beside the runs can be read: after them it would be too late."""
        for name, data in self._data.items():
            with self._noting():
                read_recorded(name, self._experiment.data[name], data.task)

    def plan(self, cell: Cell) -> PlannedRun | None:
        """Plan a cell; None where something it needs could not be read, which is noted already."""
        data = self._data.get(cell.data)
        examples = self._examples.get((cell.data, cell.examples))
        named = [name for name in (cell.analyst, *cell.judges) if name]
        if data is None or examples is None or not self._models.keys() >= set(named):
            return None
        data_set = self._experiment.data[cell.data]
        reading = data_set.reading
        batching = choose_batching(
            data.task, cell.method, reading.uses_per_call, mix_participants=reading.mix_participants
        )
        plan = make_plan(
            task=data.task,
            responses=data.responses,
            scenarios=data.scenarios,
            analyst=None if cell.analyst is None else self._models[cell.analyst],
            judges=[self._models[name] for name in cell.judges],
            settings=dict(cell.settings),
            method=cell.method,
            missing_step=data_set.missing_step,
            evidence_repeats=cell.evidence_repeats,
            judge_repeats=cell.judge_repeats,
            options=Options(cell.evidence, cell.copied, tuple(examples), batching=batching),
        )
        return PlannedRun(plan, (cell,), data_set.count)


@dataclass(frozen=True)
class _Data:
    task: Task
    responses: Sequence[Response]
    scenarios: Mapping[str, Scenario]


def read_data(data_set: DataSet, *, to_run: bool = True) -> _Data:
    """Read a data set's task, scenarios, and the responses that ``only`` keeps.

    If they are not to be scored, the template's may stand for them. InputError if no response is left.
    """
    if to_run and data_set.count is not None:
        raise DataError(
            f"its responses are not at hand: count {data_set.count} and the template {data_set.template} "
            "stand for them, which is enough for --dry-run. To run it, name files under 'responses' in their "
            "place."
        )
    task = load_task(data_set.task)
    paths = data_set.responses or (() if data_set.template is None else (data_set.template,))
    responses = read_responses(paths, task, **data_set.reading.of_files)
    kept = [response for response in responses if is_wanted(_carried(response), data_set.only)]
    if not kept:
        raise DataError(
            f"no response is left of {len(responses)} by 'only' ({describe_only(data_set.only)}). Columns "
            f"they carry: {list_columns(map(_carried, responses))}."
        )
    return _Data(task, kept, {} if data_set.scenario is None else read_scenarios(data_set.scenario))


def read_recorded(name: str, data_set: DataSet, task: Task) -> tuple[tuple[Scores, ...], list[Rating]]:
    """Read a data set's scores made elsewhere, and its ratings of the stage that it names.

    Both are of all responses, whatever ``only`` says. InputError if no rating is of the stage.
    """
    scores = tuple(
        replace(method, method=canonical_name(method.method))
        for path in data_set.scores
        for method in read_scores(path, task, blank_is_no=data_set.blank_is_no)
    )
    if not data_set.ratings:
        return scores, []
    reading = {name: value for name, value in data_set.reading.of_files.items() if name != "split"}
    reading |= {"columns": data_set.columns, "blank_is_no": data_set.blank_is_no}
    ratings = read_ratings(data_set.ratings, task, **reading)
    stage = data_set.rating_stage
    kept = [rating for rating in ratings if stage in (None, rating.stage)]
    if ratings and not kept:
        stages = ", ".join(sorted({rating.stage or "(none)" for rating in ratings}))
        raise DataError(
            f"data set {name!r}, rating_stage: no rating is of the stage {stage!r}; found {stages}."
        )
    return scores, kept


def is_wanted(carried: Mapping[str, str], only: Mapping[str, Sequence[str]]) -> bool:
    """Whether what a response carries has one of the wanted values in each of the columns."""
    return all(carried.get(column, "").strip() in values for column, values in only.items())


def describe_only(only: Mapping[str, Sequence[str]]) -> str:
    """Say which values are wanted of which columns."""
    return "; ".join(f"{column}: {', '.join(values)}" for column, values in only.items())


def list_columns(carried: Iterable[Mapping[str, str]]) -> str:
    """Name the columns that any response carries."""
    return ", ".join(sorted({column for columns in carried for column in columns})) or "none"


def _carried(response: Response) -> dict[str, str]:
    scenario = {} if response.scenario is None else {"scenario": response.scenario}
    return {**scenario, **response.metadata}
