"""What every method takes and returns."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import Field

from creaeval.sheets.evidence import Evidence, Record
from creaeval.sheets.score_sheet import ScoreSheet

if TYPE_CHECKING:
    from creaeval.data import Response
    from creaeval.errors import CreaEvalError
    from creaeval.llm import Ask, CallRecord
    from creaeval.tasks import Scenario, Task


@dataclass(frozen=True)
class Case:
    """One response with all that is needed to understand it.

    Parameters
    ----------
    task : Task
        The task.
    response : Response
        What the respondent wrote; steps that are absent or empty are left out.
    scenario : Scenario or None
        What it answers, where the task has scenarios.
    """

    task: Task
    response: Response
    scenario: Scenario | None


@dataclass(frozen=True)
class Roles:
    """Who is asked: one analyst and the judges, each with its own name."""

    analyst: Ask
    judges: Sequence[Ask]


class StageFailure(Record):
    """Where and why scoring one response stopped; never a score."""

    stage: str
    model: str
    reason: str


class CallSummary(Record):
    """Tokens, seconds and cost of one call, for the accounts of a run.

    ``stage`` is the step the analyst read, or ``judge``. ``cost_usd`` is what it cost when it was made, None
    where no price was known; a reply from the ledger cost nothing now.
    """

    key: str
    role: str
    model: str
    stage: str
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    reasoning_tokens: int
    seconds: float
    cost_usd: float | None = None
    from_ledger: bool


class Outcome(Record):
    """Everything a method made of one response, whole or as far as it got.

    The engine adds the calls and how many attempts at them brought no reply.
    """

    response_id: str
    evidence: Evidence | None = None
    memories: dict[str, str] = Field(default_factory=dict)
    sheets: tuple[ScoreSheet, ...] = ()
    failures: tuple[StageFailure, ...] = ()
    calls: tuple[CallSummary, ...] = ()
    failed_attempts: int = 0


#: A method scores one case. It raises only what must stop the whole run; a response that cannot be scored
#: comes back as an Outcome with its failures and all that was made before them.
Method = Callable[[Case, Roles], Awaitable[Outcome]]


def summarise(call: CallRecord) -> CallSummary:
    """Reduce a call to what a run keeps of it."""
    return CallSummary(
        key=call.key,
        role=call.role,
        model=call.model,
        stage=call.label.get("step", call.role),
        input_tokens=call.usage.input,
        cached_tokens=call.usage.cached,
        output_tokens=call.usage.output,
        reasoning_tokens=call.usage.reasoning,
        seconds=call.seconds,
        cost_usd=call.cost_usd,
        from_ledger=call.from_ledger,
    )


def failure(stage: str, ask: Ask, error: CreaEvalError) -> StageFailure:
    """Record an error as the failure of a stage."""
    return StageFailure(stage=stage, model=ask.model.name, reason=str(error))
