"""Read an experiment: which responses are scored by what, in one YAML file."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
)
from pydantic import ValidationInfo as Info

from creaeval.data import Reading as FileReading
from creaeval.data.fetch import data_folder
from creaeval.errors import Problems, SettingError, TaskError
from creaeval.llm.settings import read_settings
from creaeval.methods import get_method
from creaeval.stats.measures import PAPER, get_measure
from creaeval.tasks import find_step, load_task, resolve
from creaeval.tasks.load import builtin_tasks, explain_all, key_places, read_yaml
from creaeval.wording import did_you_mean

#: A path that begins so is that of public data, in the folder that `creaeval data fetch` writes to.
FETCHED = "fetched:"


def _list(value: Any) -> Any:
    return [] if value is None else value if isinstance(value, list | tuple) else [value]


def _beside(path: Path, info: Info) -> Path:
    # Paths are read from the experiment's own folder, wherever the command runs.
    if str(path).startswith(FETCHED):
        name = str(path).removeprefix(FETCHED)
        fetched = data_folder() / name
        if not fetched.exists():
            command = f"creaeval data fetch {Path(name).parts[0]}" if name else "creaeval data fetch NAME"
            raise ValueError(f"{fetched} is not there; `{command}` fetches what can be fetched")
        return fetched
    folder: Path = (info.context or {}).get("folder", Path())
    return folder / path.expanduser()


def _task(name: str, info: Info) -> str:
    return name if name in builtin_tasks() else str(_beside(Path(name), info))


def _plain(value: Any) -> Any:
    """Free a value of the YAML reader's own types; a mapping becomes JSON text, which settings take, too."""
    if isinstance(value, Mapping | list):
        return json.dumps(value, sort_keys=True, default=str)
    for kind in (bool, int, float, str):
        if isinstance(value, kind):
            return kind(value)
    return value


def _settings(settings: dict[str, tuple[Any, ...]]) -> dict[str, tuple[Any, ...]]:
    problems = Problems(SettingError)
    for name, values in settings.items():
        if not values:
            problems.add(f"{name}: found no value")
        for value in values:
            with problems.collect():
                read_settings({name: value})
    if problems:
        raise ValueError("; ".join(dict.fromkeys(problem.rstrip(".") for problem in problems)))
    return settings


def _method(name: str) -> str:
    try:
        return get_method(name).name
    except SettingError as error:
        raise ValueError(str(error).rstrip(".")) from None


def needs_training(method: str, judges: Sequence[str]) -> bool:
    """Whether a method needs trained models as judges that are not there, so that its cells cannot be run.

    Parameters
    ----------
    method : str
        Its name.
    judges : sequence of str
        Who is to score, such as ``hf:DIR``.

    Returns
    -------
    bool
    """
    provider = get_method(method).provider
    return bool(provider) and not all(_is_there(judge, provider) for judge in judges)


def _is_there(judge: str, provider: str) -> bool:
    prefix, _, folder = judge.partition(":")
    return prefix == provider and bool(folder) and Path(folder).expanduser().exists()


def _name(name: str) -> str:
    if not name.isprintable():
        raise ValueError("expected a name without line breaks and invisible characters")
    return name


def _measure(key: str) -> str:
    try:
        return get_measure(key).key
    except SettingError as error:
        raise ValueError(str(error)) from error


Measure = Annotated[str, AfterValidator(_measure)]
FilePath = Annotated[Path, AfterValidator(_beside)]
FilePaths = Annotated[tuple[FilePath, ...], BeforeValidator(_list)]
Name = Annotated[str, Field(min_length=1), AfterValidator(_name)]
Names = Annotated[tuple[Name, ...], BeforeValidator(_list)]
Value = Annotated[Any, BeforeValidator(_plain)]
Values = Annotated[tuple[Value, ...], BeforeValidator(_list)]
Count = Annotated[int, Field(ge=1)]


class _Model(BaseModel):
    # A data set may be called 2024, and columns may hold numbers: what is text here is text there, too.
    model_config = ConfigDict(
        frozen=True, extra="forbid", str_strip_whitespace=True, coerce_numbers_to_str=True
    )


class Reading(FileReading):
    """How files are read (:class:`creaeval.data.Reading`), and how many uses share a call.

    ``uses_per_call`` was called ``batch`` until version 0.1, and is still read so.
    """

    model_config = _Model.model_config

    uses_per_call: Count | None = Field(
        default=None, validation_alias=AliasChoices("uses_per_call", "batch"), le=100
    )
    mix_participants: bool = False

    @property
    def of_files(self) -> dict[str, Any]:
        """What is said of how files are read."""
        return self.model_dump(include=set(FileReading.model_fields), exclude_unset=True)


class Length(_Model):
    """Which words are counted, and which score is set beside their number.

    Without a ``step`` those of the whole response, without a ``dimension`` the Total.
    """

    step: str | None = None
    dimension: str | None = None


class DataSet(_Model):
    """A set of responses: where they are, what they answer, who rated them.

    ``responses`` are files; where they are not at hand, ``count`` of them like ``template`` are pretended,
    for estimates. ``scores`` were made elsewhere and are only analysed, with ``judges_apart`` each judge as a
    method of its own. ``only`` keeps the responses whose column has one of the values. ``columns`` and
    ``blank_is_no`` say how ratings are read (see :func:`creaeval.data.read_ratings`), the latter scores, too.
    ``writer`` is the column that names the model that wrote a response. ``length`` says which lengths are
    correlated with which scores.
    """

    task: Annotated[str, Field(min_length=1), AfterValidator(_task)]
    responses: FilePaths = ()
    count: Count | None = None
    template: FilePath | None = None
    scenario: FilePath | None = None
    ratings: FilePaths = ()
    rating_stage: str | None = None
    columns: dict[str, str | tuple[str, ...]] = Field(default_factory=dict)
    blank_is_no: bool = False
    scores: FilePaths = ()
    judges_apart: bool = False
    writer: str | None = None
    length: Annotated[tuple[Length, ...], BeforeValidator(_list), Field(min_length=1)] = (Length(),)
    missing_step: Literal["refuse", "skip"] = "refuse"
    reading: Reading = Reading()
    only: dict[str, Annotated[tuple[str, ...], BeforeValidator(_list)]] = Field(default_factory=dict)


class Block(_Model):
    """A part of the grid: every data set by every method, analyst and combination of settings.

    All judges of ``judges`` score in one run, since they read the same evidence. ``evidence`` is how much the
    analyst writes, by default as its model suggests; several depths are a run each.
    """

    name: Name
    data: Annotated[Names, Field(min_length=1)]
    # What the block's runs are for, such as tables of a paper: free text, which a dry run repeats.
    feeds: Names = ()
    method: Annotated[
        tuple[Annotated[Name, AfterValidator(_method)], ...], BeforeValidator(_list), Field(min_length=1)
    ] = ("creaeval",)
    analyst: Annotated[Names, Field(min_length=1)] = ("local",)
    judges: Annotated[Names, Field(min_length=1)] = ("local",)
    settings: Annotated[dict[str, Values], AfterValidator(_settings)] = Field(default_factory=dict)
    evidence_repeats: Count = 1
    judge_repeats: Count = 1
    evidence: Annotated[tuple[Literal["full", "brief"], ...], BeforeValidator(_list)] = ()
    copied: Literal["report", "again"] = "report"
    examples: FilePath | None = None


class Agreement(_Model):
    """How agreement with raters is measured for the tables; see :func:`creaeval.agreement.agree`."""

    measures: Annotated[tuple[Measure, ...], BeforeValidator(_list), Field(min_length=1)] = PAPER
    clusters: Names = ()
    resamples: Annotated[int, Field(ge=0)] = 2000
    seed: Annotated[int, Field(ge=0)] = 0
    by: Names = ()
    within: Names = ()
    items: Literal["sum", "mean", "each"] = "sum"
    include_training: bool = False


class Encoder(_Model):
    """A model that embeds texts, in a folder, and the language it was trained for (``mul`` for many)."""

    folder: FilePath
    language: Annotated[str, Field(min_length=2)]


class Similarity(_Model):
    """How alike repeated evidence is, by which measures; see :mod:`creaeval.agreement.runs.stability`.

    ``encoder`` is for BERTScore, by default the English one of the extra ``bertscore``.
    """

    measures: Annotated[
        tuple[Literal["self_bleu", "self_bleu_pilot", "bertscore"], ...],
        BeforeValidator(_list),
        Field(min_length=1),
    ] = ("self_bleu",)
    encoder: Encoder | None = None


class Experiment(_Model):
    """A grid of runs over sets of responses, as its file says; all paths are complete.

    ``models`` is a file with presets and prices, ``data`` the sets by name.
    """

    name: Name
    about: str = ""
    models: FilePath | None = None
    data: Annotated[dict[Name, DataSet], Field(min_length=1)]
    grid: tuple[Block, ...] = ()
    agreement: Agreement = Agreement()
    similarity: Similarity = Similarity()


_KNOWN_KEYS = key_places(
    {
        Experiment: "the top of the file",
        DataSet: "a set of responses in `data`",
        Reading: "`reading` of such a set",
        Length: "`length` of such a set",
        Block: "a block of `grid`",
        Agreement: "`agreement`",
        Similarity: "`similarity`",
        Encoder: "`encoder`",
    }
)


def read_experiment(path: str | Path) -> Experiment:
    """Read an experiment from its file.

    Parameters
    ----------
    path : str or Path
        A YAML file; the paths in it start from its folder.

    Returns
    -------
    Experiment

    Raises
    ------
    SettingError
        With every problem found: line, place, what was found and what was expected. Whether files and models
        are there is not looked at, but for fetched data.
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise SettingError(f"{path}: not UTF-8 text (byte {error.start}); expected a YAML file.") from None
    except OSError as error:
        raise SettingError(f"{path}: cannot be read: {error.strerror}.") from None
    where = str(path)
    problems = Problems(SettingError)
    with problems.collect():
        document = read_yaml(text, where)
    problems.stop()
    if not isinstance(document, dict):
        raise SettingError(f"{where}: expected a mapping with the keys name, data and grid.")
    try:
        experiment = Experiment.model_validate(document, context={"folder": path.parent})
        wrong: list[Mapping[str, Any]] = [
            {"loc": place, "type": "value_error", "msg": message} for place, message in _problems(experiment)
        ]
    except ValidationError as error:
        wrong = [dict(detail) for detail in error.errors()]
    problems.extend(explain_all(document, wrong, where, _KNOWN_KEYS))
    problems.stop()
    return experiment


def _problems(experiment: Experiment) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Find what no part of the file shows by itself."""
    for name, data in experiment.data.items():
        place = ("data", name)
        if (data.count is None) != (data.template is None):
            yield place, "count and template go together: so many responses like that one"
        if data.responses and data.count is not None:
            yield place, "expected either responses, or count with a template where they are not at hand"
        if not (data.responses or data.count or data.scores):
            yield place, "found no responses, no count with a template, and no scores"
        yield from _length_problems(name, data)
    names = Counter(block.name for block in experiment.grid)
    for number, block in enumerate(experiment.grid):
        if names[block.name] > 1:
            yield ("grid", number, "name"), f"{names[block.name]} blocks are called {block.name!r}"
        for name in block.data:
            if name not in experiment.data:
                hint = did_you_mean(name, experiment.data)
                message = f"there is no data set {name!r}; known are {', '.join(experiment.data)}"
                yield ("grid", number, "data"), f"{message}. {hint}" if hint else message
            elif not (experiment.data[name].responses or experiment.data[name].count):
                yield ("grid", number, "data"), f"the data set {name!r} has no responses that could be scored"


def _length_problems(name: str, data: DataSet) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Look for the steps and dimensions of lengths in the task."""
    if data.length == (Length(),):
        return
    try:
        task = load_task(data.task)
    except TaskError:
        return  # said when the task is needed
    for number, length in enumerate(data.length):
        place = ("data", name, "length", number)
        if length.step is not None and find_step(task, length.step) is None:
            known = ", ".join(step.id for step in task.steps)
            yield (*place, "step"), f"task {task.id} has no step {length.step!r}; known are {known}"
        if length.dimension is None:
            continue
        try:
            step, part = resolve(task, length.dimension)
        except KeyError as error:
            yield (*place, "dimension"), str(error.args[0])
            continue
        group = next((group for group in step.groups if part in group.members), None) if step else None
        if step is not None and group is not None:
            message = f"{step.id}.{part} is compared as a part of {step.id}.{group.id}; name that"
            yield (*place, "dimension"), message
