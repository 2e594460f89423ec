"""Carry out a plan: responses side by side, every outcome kept as soon as it is there."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from typing import TYPE_CHECKING, Protocol

from creaeval.llm import Ask
from creaeval.methods import Outcome, Roles, get_method, summarise

if TYPE_CHECKING:
    from collections.abc import Callable

    from creaeval.llm import CallRecord, ChatModel, Ledger
    from creaeval.methods import CallSummary, Case
    from creaeval.runs.plan import Plan


class Watcher(Protocol):
    """Whoever wants to see a run's progress."""

    def call_done(self, call: CallRecord) -> None:
        """Hear of a reply, new or from the ledger."""
        ...

    def attempt_failed(self) -> None:
        """Hear of a failed attempt that may be repeated."""
        ...

    def response_done(self, outcome: Outcome) -> None:
        """Hear of a response that is finished, scored or failed."""
        ...


async def carry_out(
    plan: Plan, ledger: Ledger, keep: Callable[[Outcome], None], watcher: Watcher | None = None
) -> None:
    """Score every case of a plan.

    Parameters
    ----------
    plan : Plan
        What to do.
    ledger : Ledger
        Calls in it are not repeated.
    keep : callable
        Is given each outcome once, refused responses first, then as they finish.
    watcher : Watcher, optional
        Is told of progress.

    Raises
    ------
    PermanentCallError, SettingError, LedgerError
        Nothing further can succeed. Outcomes kept so far stay.
    """
    calls: defaultdict[str, list[CallSummary]] = defaultdict(list)

    def on_call(call: CallRecord) -> None:
        calls[call.label["response_id"]].append(summarise(call))
        if watcher is not None:
            watcher.call_done(call)

    def on_failure(_: object) -> None:
        if watcher is not None:
            watcher.attempt_failed()

    def ask(model: ChatModel, role: str) -> Ask:
        return Ask(model, ledger, plan.settings, role=role, on_call=on_call, on_failure=on_failure)

    def finish(outcome: Outcome) -> None:
        keep(outcome)
        if watcher is not None:
            watcher.response_done(outcome)

    roles = Roles(ask(plan.analyst, "analyst"), [ask(judge, "judge") for judge in plan.judges])
    method = get_method(plan.method)
    models = {id(model): model for model in (plan.analyst, *plan.judges)}.values()
    # As many responses as the widest model takes at once: more would only wait, and with a local model's one
    # slot they would push each other's prompts out of its cache.
    room = asyncio.Semaphore(max(model.concurrency for model in models))

    async def score(case: Case) -> None:
        async with room:
            outcome = await method(case, roles)
        finish(outcome.model_copy(update={"calls": tuple(calls.pop(case.response.id, ()))}))

    for response_id, reason in plan.refused.items():
        finish(Outcome(response_id=response_id, failures=(reason,)))
    try:
        async with asyncio.TaskGroup() as group:
            for case in plan.cases:
                group.create_task(score(case))
    except BaseExceptionGroup as errors:
        # The first says why the run cannot go on; the rest are its echoes.
        raise _first(errors) from None
    finally:
        await asyncio.gather(*(model.close() for model in models))


def _first(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    error: BaseException = errors
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
