"""Carry out a plan: responses side by side, every outcome kept as soon as it is there."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Protocol

from creaeval.errors import BudgetReachedError
from creaeval.llm import Ask
from creaeval.llm.chat import Limits
from creaeval.llm.limiter import Limiter
from creaeval.methods import Outcome, Roles, get_method, summarise
from creaeval.runs.units import unasked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from creaeval.llm import CallRecord, ChatModel, Ledger
    from creaeval.llm.budget import Budget
    from creaeval.llm.ledger import Failure
    from creaeval.llm.settings import RoleSettings
    from creaeval.methods import CallSummary, Case
    from creaeval.runs.plan import Plan
    from creaeval.sheets import StepEvidence


_RESPONSES_A_REQUEST = 4


class Watcher(Protocol):
    """Whoever wants to see a run's progress."""

    def call_done(self, call: CallRecord) -> None:
        """Hear of a reply, new or from the ledger."""
        ...

    def attempt_failed(self) -> None:
        """Hear of a failed attempt that may be repeated."""
        ...

    def evidence_found(self, response_id: str, evidence: StepEvidence) -> None:
        """Hear of a step's evidence, as soon as it was read."""
        ...

    def response_done(self, outcome: Outcome) -> None:
        """Hear of a response that is finished, scored or failed."""
        ...


async def carry_out(
    plan: Plan,
    ledger: Ledger,
    keep: Callable[[Outcome], None],
    watcher: Watcher | None = None,
    budget: Budget | None = None,
) -> None:
    """Score every case of a plan.

    Parameters
    ----------
    plan : Plan
        What to do.
    ledger : Ledger
        Calls in it are not repeated.
    keep : callable
        Is given each outcome once: first of those about which nobody is asked, then as they finish.
    watcher : Watcher, optional
        Is told of progress.
    budget : Budget, optional
        What may be spent.

    Raises
    ------
    PermanentCallError, SettingError, LedgerError
        Nothing further can succeed. Outcomes kept so far stay.
    BudgetReachedError
        Something was left unasked. All that was asked is answered and committed, and every response that
        needed nothing more is kept.
    """
    calls: defaultdict[str, list[CallSummary]] = defaultdict(list)
    failed: Counter[str] = Counter()

    def on_call(call: CallRecord) -> None:
        calls[call.label["response_id"]].append(summarise(call))
        if watcher is not None:
            watcher.call_done(call)

    def on_failure(attempt: Failure) -> None:
        failed[attempt.label["response_id"]] += 1
        if watcher is not None:
            watcher.attempt_failed()

    limiters = _limiters(plan)

    def ask(model: ChatModel, role_settings: RoleSettings, role: str) -> Ask:
        return Ask(
            model,
            ledger,
            role_settings.settings,
            role=role,
            limiter=limiters[_provider(model)],
            concurrency=role_settings.limits.concurrency,
            budget=budget,
            on_call=on_call,
            on_failure=on_failure,
        )

    def finish(outcome: Outcome) -> None:
        keep(outcome)
        if watcher is not None:
            watcher.response_done(outcome)

    analysts = plan.roles[: -len(plan.judges)]
    roles = Roles(
        ask(*analysts[0], "analyst") if analysts else None,
        [ask(*judge, "judge") for judge in plan.roles[-len(plan.judges) :]],
        plan.evidence_repeats,
        plan.judge_repeats,
        None if watcher is None else watcher.evidence_found,
    )
    score_case = get_method(plan.method).score
    models = {id(model): model for model, _ in plan.roles}.values()
    room = asyncio.Semaphore(_responses_at_once(plan))

    unpaid: list[BudgetReachedError] = []

    async def score(case: Case) -> None:
        try:
            async with room:
                outcome = await score_case(case, roles)
        except BudgetReachedError as reached:
            # Raised later: it would end the group, and with it requests that are open and will be paid for.
            unpaid.append(reached)
            return
        found = {
            "calls": tuple(calls.pop(case.response.id, ())),
            "failed_attempts": failed.pop(case.response.id, 0),
        }
        finish(outcome.model_copy(update=found))

    for response_id, reason in plan.refused.items():
        finish(Outcome(response_id=response_id, failures=(reason,)))
    for response in plan.unasked:
        finish(unasked(plan, response))
    try:
        # Before the first call is paid: a setting that would be dropped on the way stops the run here.
        await check_settings(plan.roles)
        async with asyncio.TaskGroup() as group:
            for case in plan.cases:
                group.create_task(score(case))
    except BaseExceptionGroup as errors:
        # The first says why the run cannot go on; the rest are its echoes.
        raise _first(errors) from None
    finally:
        await asyncio.gather(*(model.close() for model in models))
    if unpaid:
        raise unpaid[0]


async def check_settings(roles: Iterable[tuple[ChatModel, RoleSettings]]) -> None:
    """See that each model would be sent all that is set for it; no request is made.

    Parameters
    ----------
    roles : iterable of tuple of (ChatModel, RoleSettings)
        Who is to be asked, and how.

    Raises
    ------
    SettingError
        A setting would be dropped on the way.
    """
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
    for model, settings in plan.roles:
        roles[_provider(model)].append(settings.limits)
    return {
        provider: Limiter(
            Limits(
                max(one.concurrency for one in limits),
                min((one.requests_per_minute for one in limits if one.requests_per_minute), default=None),
                min((one.tokens_per_minute for one in limits if one.tokens_per_minute), default=None),
            )
        )
        for provider, limits in roles.items()
    }


def _first(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    error: BaseException = errors
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
