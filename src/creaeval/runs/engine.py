"""Carry out a plan: responses side by side, every outcome kept as soon as it is there."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from creaeval.errors import BudgetReachedError
from creaeval.llm import Ask
from creaeval.llm.chat import Limits
from creaeval.llm.limiter import Limiter
from creaeval.methods import CallSummary, Outcome, Roles, get_method, summarise
from creaeval.methods.panel import all_of
from creaeval.runs.batching import halve, lacks_evidence, merge, split_outcome, unasked_outcomes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from creaeval.llm import CallRecord, ChatModel, Ledger
    from creaeval.llm.budget import Budget
    from creaeval.llm.records import Failure
    from creaeval.llm.settings import RoleSettings
    from creaeval.methods import Method
    from creaeval.runs.batching import Batch
    from creaeval.runs.plan import Plan
    from creaeval.sheets import StepEvidence


_RESPONSES_A_REQUEST = 4


class Watcher(Protocol):
    """Whoever wants to see a run's progress."""

    def call_done(self, call: CallRecord) -> None:
        """Take note of a reply, new or from the ledger."""

    def attempt_failed(self) -> None:
        """Take note of a failed attempt that may be repeated."""

    def evidence_found(self, response_id: str, evidence: StepEvidence) -> None:
        """Take note of a step's evidence, as soon as it was read."""

    def response_done(self, outcome: Outcome) -> None:
        """Take note of a response that is finished, scored or failed."""


async def score_plan(
    plan: Plan,
    ledger: Ledger,
    keep: Callable[[Sequence[Outcome]], None],
    watcher: Watcher | None = None,
    budget: Budget | None = None,
) -> None:
    """Score every case of a plan.

    ``keep`` is called with outcomes, each once: first those about which nobody is asked, then the others as
    they finish, responses that share a call together. Where nothing further can succeed, an error is raised
    and outcomes kept so far stay. With BudgetReachedError something was left unasked: all that was asked is
    answered and committed, and every response that needed nothing more is kept.
    """

    def on_call(call: CallRecord) -> None:
        _account.get().calls.append(summarise(call))
        if watcher is not None:
            watcher.call_done(call)

    def on_failure(_: Failure) -> None:
        _account.get().failed_attempts += 1
        if watcher is not None:
            watcher.attempt_failed()

    limiters = _limiters(plan)

    def ask(model: ChatModel, settings: RoleSettings, role: str) -> Ask:
        return Ask(
            model,
            ledger,
            settings.settings,
            role=role,
            limiter=limiters[_provider(model)],
            concurrency=settings.limits.concurrency,
            budget=budget,
            on_call=on_call,
            on_failure=on_failure,
        )

    def finish(outcomes: Sequence[Outcome]) -> None:
        keep(outcomes)
        if watcher is not None:
            for outcome in outcomes:
                watcher.response_done(outcome)

    analysts = plan.roles[: -len(plan.judges)]
    roles = Roles(
        ask(*analysts[0], "analyst") if analysts else None,
        [ask(*judge, "judge") for judge in plan.roles[-len(plan.judges) :]],
        plan.evidence_repeats,
        plan.judge_repeats,
        None if watcher is None else watcher.evidence_found,
    )
    models = {id(model): model for model, _ in plan.roles}.values()
    slots = asyncio.Semaphore(_responses_at_once(plan))
    unpaid: list[BudgetReachedError] = []

    async def score(batch: Batch) -> None:
        try:
            async with slots:
                outcomes = await score_batch(batch, get_method(plan.method), roles)
        except BudgetReachedError as reached:
            # Raised later: it would end the group, and with it requests that are open and will be paid for.
            unpaid.append(reached)
            return
        finish(outcomes)

    if plan.refused:
        finish([Outcome(response_id=name, failures=(reason,)) for name, reason in plan.refused.items()])
    if outcomes := unasked_outcomes(plan):
        finish(outcomes)
    try:
        # Before the first call is paid: a setting that would be dropped on the way stops the run here.
        await check_settings(plan.roles)
        async with asyncio.TaskGroup() as group:
            for batch in plan.batches:
                if batch.asked:
                    group.create_task(score(batch))
    except BaseExceptionGroup as errors:
        # The first says why the run cannot go on; the rest are its echoes.
        raise _first(errors) from None
    finally:
        await asyncio.gather(*(model.close() for model in models))
    if unpaid:
        raise unpaid[0]


async def score_batch(batch: Batch, method: Method, roles: Roles) -> list[Outcome]:
    """Score responses that share calls; where a shared call fails, its halves are asked about again.

    Returns an outcome for each response that a model is asked about, with all calls that were made for it. A
    single response that cannot be scored fails alone. Judges that scored the whole are not asked again, and
    evidence of the whole stays what it is.
    """
    return await _settle(await _ask_once(batch, method, roles), method, roles)


@dataclass(frozen=True)
class _Asked:
    """What came of a batch, and what was asked for it."""

    batch: Batch
    outcome: Outcome
    account: _Account

    @property
    def unanswered(self) -> bool:
        """Whether all that failed failed without any answer."""
        return bool(self.outcome.failures) and all(failure.unanswered for failure in self.outcome.failures)


async def _ask_once(batch: Batch, method: Method, roles: Roles) -> _Asked:
    account = _Account([])
    _account.set(account)
    return _Asked(batch, await method.score(batch.case, roles), account)


async def _settle(asked: _Asked, method: Method, roles: Roles, *, halving: bool = True) -> list[Outcome]:
    batch, outcome, account = asked.batch, asked.outcome, asked.account
    if not outcome.failures or len(batch.asked) == 1 or not halving:
        outcomes = split_outcome(batch, outcome)
    else:
        again = roles
        if not lacks_evidence(outcome):
            failed = {failure.model for failure in outcome.failures}
            again = replace(roles, judges=[judge for judge in roles.judges if judge.model.name in failed])
        halves = await all_of(*(_ask_once(half, method, again) for half in halve(batch, outcome)))
        # Where no half brings any answer it is the server that fails, whatever it is asked.
        answered = not all(half.unanswered for half in halves)
        settled = await all_of(*(_settle(half, method, again, halving=answered) for half in halves))
        outcomes = [part for half in settled for part in half]
        if again is not roles:
            scorers = [method.scorer(judge.model.name) for judge in roles.judges]
            whole = split_outcome(batch, outcome)
            outcomes = [merge(*pair, scorers) for pair in zip(whole, outcomes, strict=True)]
    return [
        part.model_copy(
            update={
                "calls": (*account.shares(len(batch.asked), counted=place == 0), *part.calls),
                "failed_attempts": part.failed_attempts + (account.failed_attempts if place == 0 else 0),
            }
        )
        for place, part in enumerate(outcomes)
    ]


@dataclass
class _Account:
    """What was asked for one batch."""

    calls: list[CallSummary]
    failed_attempts: int = 0

    def shares(self, n_responses: int, *, counted: bool) -> list[CallSummary]:
        """Return the calls as they stand with one of the responses that share them."""
        if n_responses == 1:
            return self.calls
        update = {"shared_by": n_responses, "counted": counted}
        return [call.model_copy(update=update) for call in self.calls]


#: That of the batch whose calls are being made: each is scored in a task of its own.
_account: ContextVar[_Account] = ContextVar("account")


async def check_settings(roles: Iterable[tuple[ChatModel, RoleSettings]]) -> None:
    """Check that each model would be sent all that is set for it; no request is made."""
    for model, settings in roles:
        if (check := getattr(model, "check", None)) is not None:
            await check(settings.settings)


def _responses_at_once(plan: Plan) -> int:
    """Several for each open request, so that the last few do not leave the provider waiting for their chains.

    With a local model's one slot it is one: more would push each other's prompts out of its cache.
    """
    widest = max(settings.limits.concurrency for _, settings in plan.roles)
    return 1 if widest == 1 else _RESPONSES_A_REQUEST * widest


def _provider(model: ChatModel) -> tuple[str, str]:
    return model.identity.get("provider", ""), model.identity.get("base_url", "")


def _limiters(plan: Plan) -> dict[tuple[str, str], Limiter]:
    """One limiter a provider: as many open requests as its widest role has, at the lowest stated rates."""
    roles: defaultdict[tuple[str, str], list[Limits]] = defaultdict(list)
    for model, role in plan.roles:
        roles[_provider(model)].append(role.limits)
    limiters: dict[tuple[str, str], Limiter] = {}
    for provider, limits in roles.items():
        requests = [limit.requests_per_minute for limit in limits if limit.requests_per_minute]
        tokens = [limit.tokens_per_minute for limit in limits if limit.tokens_per_minute]
        widest = max(limit.concurrency for limit in limits)
        limiters[provider] = Limiter(Limits(widest, min(requests, default=None), min(tokens, default=None)))
    return limiters


def _first(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    error: BaseException = errors
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
