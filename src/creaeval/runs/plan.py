"""Plan a run: what is scored by whom, and which responses cannot be."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import astuple, dataclass, field, replace
from functools import cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Literal

from creaeval.data import find_scenario
from creaeval.errors import DataError, Problems, SettingError
from creaeval.llm import Settings
from creaeval.llm.key import answer_settings
from creaeval.llm.settings import RoleSettings, role_settings
from creaeval.methods import (
    Case,
    Method,
    Options,
    StageFailure,
    get_method,
    list_methods,
    prompt_hashes,
    prompt_languages,
)
from creaeval.runs.batching import batching_of, make_batches, written_code
from creaeval.runs.defaults import evidence_depth
from creaeval.runs.trained import find_trained
from creaeval.wording import plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from creaeval.data import Response
    from creaeval.llm import ChatModel
    from creaeval.runs.batching import Batch
    from creaeval.sheets import Depth
    from creaeval.tasks import Batching, Scenario, Task

MissingStep = Literal["refuse", "skip"]


@dataclass(frozen=True)
class Plan:
    """One method with its models over a set of responses.

    Parameters
    ----------
    task : Task
        The task.
    method : str
        A registered method's name.
    analyst : ChatModel or None
        Who gathers evidence; None where the method asks no analyst.
    judges : tuple of ChatModel
        Who scores it.
    analyst_settings : RoleSettings or None
        How the analyst is asked.
    judge_settings : tuple of RoleSettings
        How each judge is asked, in their order.
    responses : tuple of Response
        All that was given, in its order.
    cases : tuple of Case
        What is scored, responses to one scenario next to each other so that prompt caches hit. Nobody is
        asked about those that have a code by what is written.
    refused : mapping of str to StageFailure
        By response id, why a response is not scored at all.
    evidence_repeats, judge_repeats : int
        How often evidence is gathered, and how often each judge scores it.
    options : Options
        How the method goes about it; its evidence is None where no analyst is asked.
    notes : tuple of str
        What whoever reads the scores should know, such as files that were not read. Who adds one has said it
        already; they decide nothing.
    not_read : tuple of str
        Those of the notes that say which files and sheets were passed over.
    """

    task: Task
    method: str
    analyst: ChatModel | None
    judges: tuple[ChatModel, ...]
    analyst_settings: RoleSettings | None
    judge_settings: tuple[RoleSettings, ...]
    responses: tuple[Response, ...]
    cases: tuple[Case, ...]
    refused: Mapping[str, StageFailure]
    evidence_repeats: int = 1
    judge_repeats: int = 1
    options: Options = field(default_factory=Options)
    notes: tuple[str, ...] = ()
    not_read: tuple[str, ...] = ()

    def noting(self, notes: Iterable[str], not_read: Iterable[str] = ()) -> Plan:
        """Return the same plan with more notes, and with files and sheets that were not read."""
        noted = replace(self, notes=(*self.notes, *notes), not_read=(*self.not_read, *not_read))
        # What was worked out already holds: a large plan is not hashed and put into batches again.
        noted.__dict__.update({**self.__dict__, **noted.__dict__})
        return noted

    @cached_property
    def run_id(self) -> str:
        """Name the run by all that decides its scores: the same command is the same run."""
        content: dict[str, Any] = {
            "task": self.task.model_dump(mode="json"),
            "method": self.method,
            "analyst": None if self.analyst is None else dict(self.analyst.identity),
            "judges": [dict(judge.identity) for judge in self.judges],
            "repeats": [self.evidence_repeats, self.judge_repeats],
            "settings": [answer_settings(settings.settings) for _, settings in self.roles],
            "prompts": prompt_hashes(self.task.language),
            # Hashed one by one: the texts of all together would double the memory of a large plan.
            "responses": sorted(map(_content_hash, self.cases)),
            "refused": sorted(self.refused),
        }
        if self.task.batching is not None:
            content["batches"] = [[case.response.id for case in batch.cases] for batch in self.batches]
        options = self.options
        if self.analyst is not None:
            content["evidence"] = [options.evidence, options.copied]
        if options.examples:
            content["examples"] = [astuple(example) for example in options.examples]
        if options.reference_cutoff:
            content["reference_cutoff"] = options.reference_cutoff
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:10]

    @property
    def roles(self) -> tuple[tuple[ChatModel, RoleSettings], ...]:
        """Every model with its settings, the analyst first if there is one."""
        judges = tuple(zip(self.judges, self.judge_settings, strict=True))
        if self.analyst is None or self.analyst_settings is None:
            return judges
        return ((self.analyst, self.analyst_settings), *judges)

    @property
    def batching(self) -> Batching | None:
        """Which responses share a call; None where each has its own."""
        return batching_of(self.task, self.options)

    @cached_property
    def batches(self) -> tuple[Batch, ...]:
        """What is scored, as it is asked for: responses that share calls together, others by themselves."""
        return make_batches(self.cases)

    @cached_property
    def in_training(self) -> dict[str, tuple[str, ...]]:
        """By each judge that can tell, the ids of the cases it was trained on."""
        return find_trained(self.judges, self.cases)

    @cached_property
    def n_calls(self) -> int:
        """Calls the run makes if every first reply is usable."""
        return sum(self.calls_of(batch) for batch in self.batches)

    def calls_of(self, batch: Batch) -> int:
        """Count the calls of one batch if every first reply is usable."""
        calls = get_method(self.method).calls
        n_calls = calls(batch.case, len(self.judges), self.evidence_repeats, self.judge_repeats)
        return n_calls if batch.asked else 0


def make_plan(
    *,
    task: Task,
    responses: Sequence[Response],
    scenarios: Mapping[str, Scenario],
    analyst: ChatModel | None,
    judges: Sequence[ChatModel],
    settings: Mapping[str, Any] | None = None,
    method: str = "creaeval",
    missing_step: MissingStep = "refuse",
    evidence_repeats: int = 1,
    judge_repeats: int = 1,
    options: Options = Options(),  # noqa: B008 - frozen
) -> Plan:
    """Check everything that can be checked before the first call.

    Parameters
    ----------
    task : Task
        The task.
    responses : sequence of Response
        What is to be scored.
    scenarios : mapping of str to Scenario
        Beside those the task brings; the same id here counts.
    analyst, judges, method
        As in :class:`Plan`.
    settings : mapping of str to object, optional
        What the user set, as in :func:`creaeval.llm.settings.role_settings`.
    missing_step : {"refuse", "skip"}
        What to do with a response that lacks a step: refuse it, or score the steps it has.
    evidence_repeats, judge_repeats : int
        How often evidence is gathered, and how often each judge scores.
    options : Options
        How the method goes about it. Evidence of which nothing is said is brief by a ``local:`` analyst and
        full by all others; judges that were trained on evidence read what they were trained on.

    Returns
    -------
    Plan

    Raises
    ------
    DataError
        No response was given, two have one id, or one names a scenario nobody gave.
    SettingError
        There is no such method or setting, two judges are the same, or the task's language has no prompts.
    """
    _check_responses(responses)
    chosen = get_method(method)
    _check_method(chosen, task, evidence_repeats, judge_repeats)
    _check_options(chosen, task, options)
    _check_models(chosen, analyst, judges)
    if task.language not in prompt_languages():
        raise SettingError(
            f"Task {task.id} is in language {task.language!r}; "
            f"there are prompts in {', '.join(prompt_languages())}."
        )
    if analyst is None or not chosen.uses_analyst:
        analyst = None
    else:
        options = replace(options, evidence=evidence_depth(options.evidence, analyst, judges))
    settings = settings or {}
    answered = _find_scenarios(task, responses, scenarios)
    cases: list[Case] = []
    refused: dict[str, StageFailure] = {}
    for response in responses:
        missing = [] if written_code(task, response) else response.missing_steps(task)
        if reason := _refusal(task, response, missing, missing_step):
            refused[response.id] = StageFailure(stage="input", model="", reason=reason)
        else:
            cases.append(Case(task, _without(task, response, missing), answered[response.id], options))
    cases.sort(key=lambda case: case.scenario.id if case.scenario is not None else "")
    plan = Plan(
        task,
        chosen.name,
        analyst,
        tuple(judges),
        None if analyst is None else _analyst_settings(analyst, settings, options.depth),
        tuple(_judge_settings(judge, settings, chosen) for judge in judges),
        tuple(responses),
        tuple(cases),
        refused,
        evidence_repeats,
        judge_repeats,
        options,
    )
    # A method that does not fit the task says so when it counts its calls.
    _ = plan.n_calls
    return plan


def _find_scenarios(
    task: Task, responses: Sequence[Response], scenarios: Mapping[str, Scenario]
) -> dict[str, Scenario | None]:
    """Find what each response answers, by its id."""
    answered: dict[str, Scenario | None] = {}
    known: dict[str, Scenario] = {}
    problems = Problems()
    for response in responses:
        with problems.collect():
            scenario = find_scenario(response, scenarios, task)
            if scenario is not None and known.setdefault(scenario.id, scenario) == scenario:
                # One object for all who answer it: one that is made of an object's name would be many.
                scenario = known[scenario.id]
            answered[response.id] = scenario
    problems.stop()
    return answered


def _analyst_settings(analyst: ChatModel, settings: Mapping[str, Any], depth: Depth) -> RoleSettings:
    role = role_settings(analyst, settings, "analyst")
    if depth == "brief" or role.settings.max_tokens != Settings().max_tokens:
        return role
    if {"max_tokens", "analyst.max_tokens"} & settings.keys():
        return role
    # Full evidence for eight items is longer than the usual limit, and a reply that was cut off is paid for.
    return replace(role, settings=replace(role.settings, max_tokens=2 * role.settings.max_tokens))


def _judge_settings(judge: ChatModel, settings: Mapping[str, Any], method: Method) -> RoleSettings:
    role = role_settings(judge, settings, "judge")
    return replace(role, settings=replace(role.settings, logprobs=method.logprobs))


def _check_models(method: Method, analyst: ChatModel | None, judges: Sequence[ChatModel]) -> None:
    if method.uses_analyst and analyst is None:
        raise SettingError(f"The method {method.name} needs an analyst.")
    if not judges:
        raise SettingError("At least one judge is needed.")
    names = [judge.name for judge in judges]
    if len(set(names)) < len(names):
        raise SettingError(f"Each judge can be named once; found {', '.join(names)}.")
    others = ", ".join(judge.name for judge in judges if judge.identity.get("provider") != method.provider)
    if method.provider and others:
        raise SettingError(
            f"The method {method.name} is for models {method.provider}:DIR alone; found {others}."
            if method.provider != "offline"
            else f"The method offline has its own scorer as judge (offline); found {others}."
        )


def _check_method(method: Method, task: Task, evidence_repeats: int, judge_repeats: int) -> None:
    if method.several_steps and len(task.steps) == 1:
        raise SettingError(
            f"The method {method.name} goes from step to step, and task {task.id} has only one. "
            "`creaeval methods list --task TASK` lists those that fit it."
        )
    for name, number in (("evidence", evidence_repeats), ("judge", judge_repeats)):
        if number < 1:
            raise SettingError(f"{name} repeats: found {number}, expected 1 or more.")
    if evidence_repeats > 1 and not method.uses_analyst:
        raise SettingError(
            f"The method {method.name} gathers no evidence that could be repeated; repeat judging instead."
        )


def _check_options(method: Method, task: Task, options: Options) -> None:
    if options.batching is not None and task.batching is None:
        raise SettingError(f"batching: responses to task {task.id} share no calls; its YAML has no batching.")
    if options.examples and not method.examples:
        able = ", ".join(other.name for other in list_methods() if other.examples)
        raise SettingError(f"The method {method.name} shows no examples; those that do are {able}.")
    if options.reference_cutoff and method.name != "reference":
        raise SettingError(f"A reference cutoff goes with the method reference, not with {method.name}.")
    if not -2 <= options.reference_cutoff <= 2:
        raise SettingError(
            f"reference cutoff: found {options.reference_cutoff}, expected a number from -2 to 2."
        )
    if not method.uses_analyst and (options.evidence is not None or options.copied != "report"):
        setting = "--evidence" if options.evidence is not None else "--copied"
        raise SettingError(f"{setting} is for methods that gather evidence; {method.name} gathers none.")


def _content_hash(case: Case) -> str:
    response = case.response.model_dump(mode="json", exclude={"source"})
    scenario = case.scenario.model_dump(mode="json") if case.scenario is not None else None
    return hashlib.sha256(json.dumps([response, scenario], sort_keys=True).encode()).hexdigest()


def _check_responses(responses: Sequence[Response]) -> None:
    if not responses:
        raise DataError("There is no response to score: the files hold none.")
    # Files are checked as they are read, with the place of each; this is for responses given as objects.
    for response_id, count in Counter(response.id for response in responses).items():
        if count > 1:
            raise DataError(
                f"{count} responses have the id {response_id!r}. Every response needs an id of its own."
            )


def _without(task: Task, response: Response, missing: list[str]) -> Response:
    if not missing and list(response.steps) == [step.id for step in task.steps]:
        return response
    present = {step.id: response.steps[step.id] for step in task.steps if step.id not in missing}
    return response.model_copy(update={"steps": present})


def _refusal(task: Task, response: Response, missing: list[str], missing_step: MissingStep) -> str:
    # Kept and exported, so the file goes without its folders.
    where = f"{PurePath(response.source).name}: " if response.source else ""
    if len(missing) == len(task.steps):
        return f"{where}response {response.id!r} is empty; no step has any text."
    if missing and missing_step == "refuse":
        named = ", ".join(f"{step_id} ({task.step(step_id).name})" for step_id in missing)
        return (
            f"{where}response {response.id!r} has nothing for {named}. "
            "Complete it, or score the steps it has with --missing-step skip (its Total is then undefined)."
        )
    return ""


def describe_size(plan: Plan) -> str:
    """Say how much there is to score, such as ``12 responses`` or ``80 uses``."""
    return plural(len(plan.responses), plan.task.noun)


def unscored_items(plan: Plan) -> list[str]:
    """Say which items are beyond a step's maximum and so are not scored.

    Parameters
    ----------
    plan : Plan
        The plan.

    Returns
    -------
    list of str
        One line for each step concerned.
    """
    lines: list[str] = []
    for case in plan.cases:
        for step_id, written in case.response.steps.items():
            items = plan.task.step(step_id).items
            if written.unscored and items is not None:
                numbers = ", ".join(str(item.number) for item in written.unscored)
                lines.append(
                    f"{case.response.id}, {step_id}: {items.name} {numbers} not scored "
                    f"(the first {items.max} count)"
                )
    return lines


def repeat_notes(plan: Plan) -> list[str]:
    """Say whose repeats or candidates may all be equal: those of models at temperature 0."""
    analyst = [] if plan.analyst is None else [("analyst", plan.evidence_repeats, *plan.roles[0])]
    samples = get_method(plan.method).samples
    judges = [("judge", samples * plan.judge_repeats, *role) for role in plan.roles[-len(plan.judges) :]]
    return [
        f"{role} {model.name} is asked {times} times at temperature 0, so its answers may all be equal. "
        f"Answers that vary take --set {role}.temperature=… above 0."
        for role, times, model, settings in (*analyst, *judges)
        if times > 1 and settings.settings.temperature == 0
    ]
