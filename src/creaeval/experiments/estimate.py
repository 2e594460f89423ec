"""What a run will take: calls, tokens and money, before anything is sent or spent."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from creaeval.errors import SettingError
from creaeval.experiments.pretend import PretendedModel
from creaeval.llm.chat import Limits
from creaeval.llm.logprobs import read_tokens
from creaeval.llm.records import StoredCall
from creaeval.runs.engine import score_plan

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from creaeval.llm import CallRecord, Ledger
    from creaeval.llm.records import Failure, NewCall
    from creaeval.llm.settings import RoleSettings
    from creaeval.methods import Case, Outcome
    from creaeval.runs import Plan
    from creaeval.runs.batching import Batch
    from creaeval.sheets import StepEvidence

#: Of a plan with more cases, so many are carried out, and what they take is scaled up.
MOST_CASES = 10


@dataclass(frozen=True)
class EstimatedCall:
    """One call of an estimate.

    Parameters
    ----------
    role : str
        ``analyst`` or ``judge``.
    model : str
        The model's name.
    input_tokens, output_tokens : int
        Of prompt and reply, estimated; of a call that was made before, as they were.
    cost_usd : float or None
        What it will cost; 0 if it was made before, None where no price is known.
    made : bool
        Whether the ledger has it already, so that it is not paid again.
    times : float
        How many calls like it the plan has: 1 unless cases were scaled up.
    """

    role: str
    model: str
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    made: bool = False
    times: float = 1.0


@dataclass(frozen=True)
class CellEstimate:
    """What one cell of an experiment, or several together, will take.

    Parameters
    ----------
    calls : mapping of str to EstimatedCall
        By key, a hash of model, settings, prompt, form and repeat: what two cells share has one key.
    notes : tuple of str
        What the numbers leave out.
    """

    calls: Mapping[str, EstimatedCall]
    notes: tuple[str, ...] = ()

    @property
    def n_calls(self) -> int:
        """Calls, those that were made before included."""
        return round(sum(call.times for call in self.calls.values()))

    @property
    def n_made(self) -> int:
        """Calls that the ledger has already."""
        return round(sum(call.times for call in self.calls.values() if call.made))

    @property
    def input_tokens(self) -> int:
        """Tokens of the prompts that are still to be sent."""
        return round(sum(call.times * call.input_tokens for call in self._new))

    @property
    def output_tokens(self) -> int:
        """Tokens of the replies that are still to come, without reasoning."""
        return round(sum(call.times * call.output_tokens for call in self._new))

    @property
    def cost_usd(self) -> float | None:
        """What is still to be paid, in US dollars; None if a call has no known price."""
        return None if self.unpriced else self.priced_usd

    @property
    def priced_usd(self) -> float:
        """The part of it whose price is known."""
        return sum(call.times * (call.cost_usd or 0.0) for call in self._new)

    @property
    def unpriced(self) -> tuple[str, ...]:
        """Models that are still to be asked and whose price is not known."""
        return tuple(dict.fromkeys(call.model for call in self._new if call.cost_usd is None))

    @property
    def _new(self) -> list[EstimatedCall]:
        return [call for call in self.calls.values() if not call.made]


def estimate_cell(
    plan: Plan, n_responses: int | None = None, *, ledger: Ledger | None = None, most_cases: int = MOST_CASES
) -> CellEstimate:
    """Estimate what a plan will take, by carrying it out with pretended models; nothing is sent or kept.

    Parameters
    ----------
    plan : Plan
        The plan.
    n_responses : int, optional
        Scale up to so many responses; those of the plan are examples.
    ledger : Ledger, optional
        Calls in it are not counted as cost. It is only read; where the plan's responses are examples, not
        even that, since calls made for an example are not made for those it stands for.
    most_cases : int
        Of a plan with more cases (or calls that responses share), so many from all over it are carried out
        and scaled up.

    Returns
    -------
    CellEstimate
        Calls are those the method announces if every first reply is usable; equal ones count once.

    Raises
    ------
    SettingError
        There is no case to go by, or a number is below 1.

    Notes
    -----
    Money is an upper bound in one way, since no prefix cache is counted on, and a lower bound in two: replies
    that must be asked for again and reasoning cannot be foreseen. The JSON schema is counted as prompt except
    where a grammar takes its place. Without it, the estimated prompts of the long example have 7% fewer
    tokens than the recorded ones and the replies 15% fewer (prompts within 16% call by call, replies within
    40%): the recorded model's memories are longer than advised. A reply's length is the least certain part.
    """
    for name, number in (("responses", n_responses), ("cases", most_cases)):
        if number is not None and number < 1:
            raise SettingError(f"{name} to estimate: found {number}, expected 1 or more.")
    if not plan.cases and n_responses:
        raise SettingError("There is no response to go by, so what others would take cannot be estimated.")
    batches = _spread(plan.batches, most_cases)
    cases = tuple(case for batch in batches for case in batch.cases)
    scratch = _Scratch(ledger if n_responses is None else None)
    seen = _Seen(scratch)
    outcomes: list[Outcome] = []
    work = score_plan(_pretended(plan, cases), cast("Ledger", scratch), outcomes.extend, seen)
    # In a thread of its own, since a notebook has a running loop in this one.
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, work).result()
    announced = sum(map(plan.calls_of, batches))
    wanted = plan.n_calls * (1.0 if n_responses is None else n_responses / len(plan.cases))
    times = wanted / announced if announced else 1.0
    calls = {key: replace(call, times=times) for key, call in seen.calls.items()}
    return CellEstimate(calls, tuple(_notes(plan, cases, outcomes, n_responses)))


def total(estimates: Iterable[CellEstimate]) -> CellEstimate:
    """Add up estimates; a call that several share counts once.

    Parameters
    ----------
    estimates : iterable of CellEstimate
        Of the cells.

    Returns
    -------
    CellEstimate
    """
    calls: dict[str, EstimatedCall] = {}
    notes: dict[str, None] = {}
    for estimate in estimates:
        for key, call in estimate.calls.items():
            known = calls.get(key)
            calls[key] = call if known is None or call.times > known.times else known
        notes |= dict.fromkeys(estimate.notes)
    return CellEstimate(calls, tuple(notes))


class _Scratch:
    """A ledger that forgets: it reads another, if there is one, and keeps what is new in memory only."""

    def __init__(self, ledger: Ledger | None) -> None:
        self._ledger = ledger
        self._new: dict[str, StoredCall] = {}

    def is_new(self, key: str) -> bool:
        return key in self._new

    def find(self, key: str) -> StoredCall | None:
        if (stored := self._new.get(key)) is not None or self._ledger is None:
            return stored
        return self._ledger.find(key)

    def put(self, call: NewCall) -> StoredCall:
        reply = call.reply
        self._new[call.key] = StoredCall(
            *(call.key, reply.text, reply.finish, reply.usage, reply.seconds, reply.model, "replied", ""),
            cost_usd=call.cost_usd,
            attempts=call.attempts,
            tokens=read_tokens(reply.logprobs),
        )
        return self._new[call.key]

    def mark(self, key: str, state: str, reason: str = "") -> None:
        """Judge no reply: the other ledger's stay as they are."""

    def abandon(self, keys: Iterable[str]) -> None:
        """Keep what was refused: it was asked for."""

    def put_failure(self, failure: Failure) -> None:
        """Record nothing."""


class _Seen:
    """Notes every call of a run once."""

    def __init__(self, scratch: _Scratch) -> None:
        self._scratch = scratch
        self.calls: dict[str, EstimatedCall] = {}

    def call_done(self, call: CallRecord) -> None:
        made = not self._scratch.is_new(call.key)
        self.calls[call.key] = EstimatedCall(
            *(call.role, call.model, call.usage.input, call.usage.output),
            cost_usd=0.0 if made else call.cost_usd,
            made=made,
        )

    def attempt_failed(self) -> None:
        """Pretended models do not fail."""

    def evidence_found(self, response_id: str, evidence: StepEvidence) -> None:
        """Read no evidence: it was made up."""

    def response_done(self, outcome: Outcome) -> None:
        """Wait for no response."""


def _spread(batches: Sequence[Batch], most: int) -> tuple[Batch, ...]:
    """Take some from all over a plan, whose order is by scenario."""
    number = min(most, len(batches))
    return tuple(batches[place * len(batches) // number] for place in range(number))


def _pretended(plan: Plan, cases: tuple[Case, ...]) -> Plan:
    # One object a model, as in the plan: roles that share it share its count of what was asked.
    models = {id(model): PretendedModel(model, plan.options.depth) for model, _ in plan.roles}
    settings = plan.analyst_settings
    return replace(
        plan,
        analyst=None if plan.analyst is None else models[id(plan.analyst)],
        judges=tuple(models[id(judge)] for judge in plan.judges),
        analyst_settings=None if settings is None else _unlimited(settings),
        judge_settings=tuple(map(_unlimited, plan.judge_settings)),
        responses=tuple(case.response for case in cases),
        cases=cases,
        refused={},
    )


def _unlimited(settings: RoleSettings) -> RoleSettings:
    # Rates would be kept as if something was sent.
    return replace(settings, limits=Limits(concurrency=1))


def _notes(
    plan: Plan, cases: Sequence[Case], outcomes: Sequence[Outcome], n_responses: int | None
) -> list[str]:
    notes = [
        f"The reasoning of {model.name} is not counted: how much it will be is not known."
        for model, settings in plan.roles
        if settings.settings.reasoning not in (None, "none")
    ]
    if n_responses is not None or len(cases) < len(plan.cases):
        number = n_responses if n_responses is not None else len(plan.cases)
        notes.append(f"Scaled up from {len(cases)} of the responses to {number}.")
    refused = sum(any(failure.model for failure in outcome.failures) for outcome in outcomes)
    if refused:
        notes.append(
            f"The method {plan.method} could not use the replies that stand for a model's in {refused} of "
            f"{len(cases)} responses, so its calls may be others than these."
        )
    return notes
