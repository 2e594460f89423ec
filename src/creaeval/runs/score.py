"""Score responses: from files or objects to a finished run."""

from __future__ import annotations

import asyncio
import gc
import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from creaeval.data import Found, read_data, read_scenarios
from creaeval.data.examples import read_examples
from creaeval.data.notes import without_folders
from creaeval.data.tables.reader import RESPONSES
from creaeval.errors import BudgetReachedError, CreaEvalError
from creaeval.llm import ChatModel, Ledger, Settings, open_model
from creaeval.llm.budget import Budget
from creaeval.llm.providers.book import open_book
from creaeval.methods import Options
from creaeval.runs.defaults import DEFAULT_MODEL, batch_notes, choose_batching, default_judge, default_method
from creaeval.runs.engine import score_plan
from creaeval.runs.manifest import describe_plan, describe_result
from creaeval.runs.plan import MissingStep, Plan, make_plan, repeat_notes
from creaeval.runs.store import RunStore
from creaeval.tasks import Batching, Scenario, Task, load_task

if TYPE_CHECKING:
    from collections.abc import Coroutine, Mapping, Sequence

    from creaeval.methods import Outcome
    from creaeval.runs.engine import Watcher
    from creaeval.runs.run import Run, State
    from creaeval.sheets import Depth

DEFAULT_LEDGER = ".creaeval/ledger.db"

AnyModel: TypeAlias = str | ChatModel
#: What :func:`creaeval.data.read_data` reads.
Sources: TypeAlias = Any


def score(
    responses: Sources,
    *,
    task: str | Path | Task = "cgpst",
    scenarios: str | Path | Mapping[str, Scenario] | None = None,
    analyst: AnyModel | None = None,
    judges: AnyModel | Sequence[AnyModel] | None = None,
    method: str | None = None,
    settings: Settings | Mapping[str, Any] | None = None,
    models: str | Path | None = None,
    keys: str | Path | None = None,
    missing_step: MissingStep = "refuse",
    reading: Mapping[str, Any] | None = None,
    evidence_repeats: int = 1,
    judge_repeats: int = 1,
    evidence: Depth | None = None,
    copied: Literal["report", "again"] = "report",
    examples: str | Path | None = None,
    reference_cutoff: float = 0.0,
    batching: Batching | None = None,
    ledger: str | Path = DEFAULT_LEDGER,
    budget: float | None = None,
    watcher: Watcher | None = None,
) -> Run:
    """Score responses and return everything that came of it.

    Parameters
    ----------
    responses : path, DataFrame, list of dict, Response, or sequence of them
        What to score, in any form :func:`creaeval.data.read_data` reads, also mixed.
    task : str, Path or Task
        A built-in task's name, a YAML file, or a task.
    scenarios : path or mapping of str to Scenario, optional
        What the responses answer, where the task brings no scenarios of its own.
    analyst : str or ChatModel, optional
        Who gathers evidence, such as ``"openai:NAME"``; the local model if not named.
    judges : str, ChatModel or sequence of them
        Who scores the evidence; the local model if not named.
    method : str, optional
        A registered method's name or alias; if not given, ``creaeval`` or, for the task aut where no model
        is named, ``offline`` with the offline scorer as judge.
    settings : mapping of str to object, or Settings, optional
        What is set for all roles or, as in ``{"temperature": 0, "judge.reasoning": "low"}``, for one; see
        :func:`creaeval.llm.settings.role_settings`. The rest is as each model's defaults say.
    models : path, optional
        A YAML file with presets and prices of your own.
    keys : path, optional
        A file with lines ``NAME=value`` that holds API keys, which else come from the environment.
    missing_step : {"refuse", "skip"}
        Whether a response that lacks a step is refused, or scored for the steps it has.
    reading : mapping of str to object, optional
        How they are read: fields of :class:`creaeval.data.Reading`, such as ``columns`` and ``split``.
    evidence_repeats, judge_repeats : int
        How often evidence is gathered, and how often each judge scores it; at a temperature of 0 repeats may
        be equal, and a UserWarning says so.
    evidence : {"full", "brief"}, optional
        How much the analyst writes: for each dimension 30 to 60 words on its requirements, or one sentence.
        If not given, brief for a ``local:`` analyst and full for all others.
    copied : {"report", "again"}
        What is done with observations that repeat six or more words in a row of the response: report them,
        or have the analyst word them anew first, once.
    examples : path, optional
        Work by others with its points, shown to the judges of a method that can show it; see
        :func:`creaeval.data.examples.read_examples`.
    reference_cutoff : float
        From which average of both orders on, -2 to 2, the method ``reference`` passes a test; 0 is as good as
        the reference.
    batching : Batching, optional
        Which responses share a call, for tasks where they may; if not given, as the task says.
    ledger : str or Path
        File or SQLAlchemy URL where calls and runs are kept; a finished call in it is not made again.
    budget : float, optional
        US dollars that this call may spend; see :class:`creaeval.llm.budget.Budget`.
    watcher : Watcher, optional
        Sees the progress.

    Returns
    -------
    Run
        Its ``scores``, ``scores_wide`` and ``failures`` are DataFrames, its ``outcomes`` hold evidence,
        memories and sheets.

    Raises
    ------
    InputError
        Something given is wrong; nothing was asked of any model.
    PermanentCallError, LedgerError
        The run cannot go on. What was finished is in the ledger.
    BudgetReachedError
        The run was stopped before it could cost more; the same call takes it up again.
    KeyboardInterrupt
        Stopped by the user; the same call takes the run up again.
    """
    task = task if isinstance(task, Task) else load_task(task)
    if method is None:
        method = default_method(task, _as_list(judges) + _as_list(analyst))
    batching = batching or choose_batching(task, method)
    plan = prepare(
        responses,
        task=task,
        scenarios=scenarios,
        analyst=analyst,
        judges=judges,
        method=method,
        settings=settings,
        models=models,
        keys=keys,
        missing_step=missing_step,
        reading=reading,
        evidence_repeats=evidence_repeats,
        judge_repeats=judge_repeats,
        options=Options(evidence, copied, read_examples(examples, task), reference_cutoff, batching),
    )
    for note in (*repeat_notes(plan), *batch_notes(plan)):
        warnings.warn(note, stacklevel=2)
    with Ledger.open(ledger) as opened:
        limit = None if budget is None else Budget(budget)
        return run_plan(plan, opened, watcher, budget=limit, in_memory=True)


def prepare(
    responses: Sources,
    *,
    task: str | Path | Task,
    scenarios: str | Path | Mapping[str, Scenario] | None,
    method: str,
    analyst: AnyModel | None = None,
    judges: AnyModel | Sequence[AnyModel] | None = None,
    settings: Settings | Mapping[str, Any] | None = None,
    models: str | Path | None = None,
    keys: str | Path | None = None,
    missing_step: MissingStep = "refuse",
    reading: Mapping[str, Any] | None = None,
    evidence_repeats: int = 1,
    judge_repeats: int = 1,
    options: Options = Options(),  # noqa: B008 - frozen
) -> Plan:
    """Read and check all inputs of :func:`score`, whose parameters these are but for how a method works.

    Parameters
    ----------
    responses, task, scenarios, analyst, judges, method, settings, models, keys, missing_step, reading
        As there.
    evidence_repeats, judge_repeats
        As there.
    options : Options
        How the method goes about it.

    Returns
    -------
    Plan

    Raises
    ------
    InputError
        Something given is wrong.
    """
    task = task if isinstance(task, Task) else load_task(task)
    if isinstance(scenarios, str | Path):
        scenarios = read_scenarios(scenarios)
    if isinstance(settings, Settings):
        settings = {name: value for name, value in asdict(settings).items() if name != "logprobs"}
    presets = open_book(models, keys)
    # One object a name: roles that share a model share its client or process.
    open_once = cache(partial(open_model, book=presets))

    def model(name: AnyModel) -> ChatModel:
        return open_once(name) if isinstance(name, str) else name

    found = _read(responses, task, reading or {})
    plan = make_plan(
        task=task,
        responses=found.responses,
        scenarios=scenarios or found.scenarios,
        analyst=model(analyst or DEFAULT_MODEL),
        judges=[model(judge) for judge in _as_list(default_judge(method) if judges is None else judges)],
        settings=settings,
        method=method,
        missing_step=missing_step,
        evidence_repeats=evidence_repeats,
        judge_repeats=judge_repeats,
        options=options,
    )
    return plan.noting(found.notes, found.not_read)


def _as_list(models: AnyModel | Sequence[AnyModel] | None) -> list[AnyModel]:
    if isinstance(models, list | tuple):
        return list(models)
    return [] if models is None else [cast("AnyModel", models)]


def _read(sources: Any, task: Task, reading: Mapping[str, Any]) -> Found:
    """Read the responses; what was found out is warned of, and kept without folders."""
    if isinstance(sources, list | tuple) and not sources:
        return Found()
    found = read_data(sources, task, want=(RESPONSES,), **reading)
    for note in found.notes:
        warnings.warn(note, stacklevel=4)
    notes, not_read = (without_folders(lines, sources) for lines in (found.notes, found.not_read))
    return replace(found, notes=notes, not_read=not_read)


def run_plan(
    plan: Plan,
    ledger: Ledger,
    watcher: Watcher | None = None,
    *,
    budget: Budget | None = None,
    in_memory: bool = False,
) -> Run:
    """Carry out a plan and keep everything in the ledger.

    Parameters
    ----------
    plan : Plan
        From :func:`prepare` or :func:`creaeval.runs.make_plan`.
    ledger : Ledger
        Where calls, outcomes and the run's record go.
    watcher : Watcher, optional
        Sees the progress.
    budget : Budget, optional
        What may be spent; several runs may share it.
    in_memory : bool
        Whether the run that is returned holds all outcomes, so that it outlives the ledger.

    Returns
    -------
    Run

    Raises
    ------
    CreaEvalError, KeyboardInterrupt
        The run could not be finished. Its record says so, and its outcomes so far can be loaded with
        :class:`creaeval.runs.RunStore`.
    """
    if budget is not None:
        budget.check(model for model, _ in plan.roles)
    store, run_id = RunStore(ledger), plan.run_id
    places = {response.id: (position, response) for position, response in enumerate(plan.responses)}
    store.begin(plan, describe_plan(plan))

    held: dict[int, Outcome] = {}

    def keep(outcomes: Sequence[Outcome]) -> None:
        placed = [(*places[outcome.response_id], outcome) for outcome in outcomes]
        store.keep(run_id, placed)
        if in_memory:
            held.update({position: outcome for position, _, outcome in placed})

    def close(state: State) -> Run:
        run = store.load(run_id)
        # A run that was not finished is loaded by whoever wants it, with outcomes of earlier attempts.
        if in_memory and state == "finished":
            responses = {plan.responses[position].id: plan.responses[position] for position in sorted(held)}
            outcomes = tuple(held[position] for position in sorted(held))
            run = replace(run, outcomes=outcomes, responses=responses)
        if state == "finished" and not run.summary.scored:
            state = "failed"
        manifest = {**run.manifest, **describe_result(run, plan)}
        store.end(run_id, state, manifest)
        ended = replace(run, state=state, manifest=manifest)
        # The outcomes have been counted; nobody need read them all again for that.
        ended.__dict__["summary"] = run.summary
        return ended

    # What is there already stays: without this the collector looks through all imported modules and all
    # responses again and again, which takes a tenth of a run's processor time.
    gc.freeze()
    try:
        finish_in_any_thread(score_plan(plan, ledger, keep, watcher, budget))
    except (KeyboardInterrupt, BudgetReachedError):
        close("stopped")
        raise
    except CreaEvalError:
        close("failed")
        raise
    finally:
        gc.unfreeze()
    return close("finished")


def finish_in_any_thread(work: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine to its end, also where a loop is running already, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(work)
        return
    running: list[asyncio.Task[Any]] = []

    async def tracked() -> None:
        if (task := asyncio.current_task()) is not None:
            running.append(task)
        await work

    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="creaeval-run") as thread:
        future = thread.submit(asyncio.run, tracked())
        try:
            future.result()
        except KeyboardInterrupt:
            if running and not future.done():
                running[0].get_loop().call_soon_threadsafe(running[0].cancel)
            raise
