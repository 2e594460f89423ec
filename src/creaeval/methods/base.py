"""What every method takes and returns."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, model_validator

from creaeval.errors import CallError
from creaeval.sheets.evidence import Depth, Evidence, Record, StepEvidence
from creaeval.sheets.score_sheet import ScoreSheet

if TYPE_CHECKING:
    from creaeval.data import Response
    from creaeval.data.examples import Example
    from creaeval.errors import CreaEvalError
    from creaeval.llm import Ask, CallRecord
    from creaeval.tasks import Batching, Scenario, Task


_EARLIER_STAGE = re.compile(r"(.*?)(?:, evidence (\d+))?(?:, repeat (\d+))?", flags=re.DOTALL)


@dataclass(frozen=True)
class Options:
    """How a method goes about it, the same for all responses of a run.

    Parameters
    ----------
    evidence : {"full", "brief"}, optional
        How much the analyst writes: each requirement of a dimension with how far it is met and why, or one
        sentence. A plan decides by the analyst where nothing is said.
    copied : {"report", "again"}
        What is done with an observation that repeats six or more words in a row of the response: report it,
        or have the analyst word it anew first, once.
    examples : tuple of Example
        Work by others with its points, to show before the response.
    reference_cutoff : float
        For the method ``reference``: the average of both orders, from -2 to 2, from which on a test is
        passed. 0 is as good as the reference.
    batching : Batching, optional
        Which responses share a call; if not given, as the task says.
    """

    evidence: Depth | None = None
    copied: Literal["report", "again"] = "report"
    examples: tuple[Example, ...] = ()
    reference_cutoff: float = 0.0
    batching: Batching | None = None

    @property
    def depth(self) -> Depth:
        """How much the analyst writes."""
        return self.evidence or "full"


@dataclass(frozen=True)
class Case:
    """One response, or several that share a call, with all that is needed to understand them.

    Parameters
    ----------
    task : Task
        The task.
    response : Response
        What the respondent wrote; steps that are absent or empty are left out.
    scenario : Scenario or None
        What it answers, where the task has scenarios.
    options : Options
        How the method goes about it.
    shared : bool
        Whether each item of the only step is a response of its own: nothing is added up over them, and none
        is compared with another. Made by :mod:`creaeval.runs.batching`.
    gathered : tuple of Analysis
        Evidence that is there already, of each repeat; empty where it is to be gathered.
    """

    task: Task
    response: Response
    scenario: Scenario | None
    options: Options = Options()
    shared: bool = False
    gathered: tuple[Analysis, ...] = ()


@dataclass(frozen=True)
class Roles:
    """Who is asked, and how often.

    Parameters
    ----------
    analyst : Ask or None
        Who gathers evidence; None for a method without evidence.
    judges : sequence of Ask
        Who scores, each with a name of its own.
    evidence_repeats, judge_repeats : int
        How often evidence is gathered, and how often each judge scores.
    on_evidence : callable, optional
        Called with a response's id and the evidence of a step, as soon as it is there.
    """

    analyst: Ask | None
    judges: Sequence[Ask]
    evidence_repeats: int = 1
    judge_repeats: int = 1
    on_evidence: Callable[[str, StepEvidence], None] | None = None

    def repeats(self, number: int) -> tuple[int, int]:
        """Say which evidence a judge scores, and for which time, by its repeat over all evidence, from 0."""
        evidence, again = divmod(number, self.judge_repeats)
        return evidence + 1, again + 1

    def tell(self, response_id: str, evidence: StepEvidence) -> None:
        """Pass a step's evidence on to whoever wants to see it at once."""
        if self.on_evidence is not None:
            self.on_evidence(response_id, evidence)


class StageFailure(Record):
    """Where and why scoring one response stopped; never a score.

    ``stage`` is the step that was read, ``all steps``, ``judge`` or ``input``. Where evidence is gathered, or
    judged, several times, ``evidence_repeat`` and ``judge_repeat`` say which time it was, from 1.
    ``unanswered``: no answer came at all, rather than none that could be used.
    """

    stage: str
    model: str
    reason: str
    evidence_repeat: int | None = None
    judge_repeat: int | None = None
    unanswered: bool = False

    @model_validator(mode="before")
    @classmethod
    def _read_earlier(cls, value: Any) -> Any:
        """Read what version 0.1 stored, which had the repeats in the stage's name."""
        if not isinstance(value, dict) or "evidence_repeat" in value:
            return value
        stage, evidence, repeat = _EARLIER_STAGE.fullmatch(value["stage"]).groups()  # type: ignore[union-attr]
        numbers = {"evidence_repeat": evidence, "judge_repeat": repeat}
        return {**value, "stage": stage, **{name: int(n) for name, n in numbers.items() if n}}

    @property
    def where(self) -> str:
        """The stage in words, such as ``judge, evidence 2, repeat 1``."""
        evidence = f", evidence {self.evidence_repeat}" if self.evidence_repeat else ""
        return self.stage + evidence + (f", repeat {self.judge_repeat}" if self.judge_repeat else "")


class CallSummary(Record):
    """Tokens, seconds and cost of one call, for the accounts of a run.

    ``stage`` is the step that was read or scored, ``all steps`` where the analyst read them at once, and
    ``judge`` where a judge scored them at once. ``cost_usd`` is what it cost when it was made, None where no
    price was known; a reply from the ledger cost nothing now. ``shared_by`` is how many responses share the
    call, each of which has it among its calls; sums over responses count it where ``counted`` is true.
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
    shared_by: int = 1
    counted: bool = True


class Analysis(Record):
    """Evidence that was gathered once more, with its memories; ``repeat`` counts from 2."""

    repeat: int
    evidence: Evidence
    memories: dict[str, str] = Field(default_factory=dict)


class Outcome(Record):
    """Everything a method made of one response, whole or as far as it got.

    ``evidence`` and ``memories`` are of the first time it was gathered, ``further`` of the other ones.
    ``trail`` tells, step by step, what a method did on the way, such as which candidate was chosen. The
    engine adds the calls and how many attempts at them brought no reply. ``item_trail`` has what is about one
    of several responses that share a call, by item; it is part of their own ``trail`` and not kept here.
    """

    response_id: str
    evidence: Evidence | None = None
    memories: dict[str, str] = Field(default_factory=dict)
    further: tuple[Analysis, ...] = ()
    trail: tuple[str, ...] = ()
    item_trail: dict[int, tuple[str, ...]] = Field(default_factory=dict, exclude=True)
    sheets: tuple[ScoreSheet, ...] = ()
    failures: tuple[StageFailure, ...] = ()
    calls: tuple[CallSummary, ...] = ()
    failed_attempts: int = 0


#: Scores one case. It raises only what must stop the whole run; a response that cannot be scored
#: comes back as an Outcome with its failures and all that was made before them.
Scorer = Callable[[Case, Roles], Awaitable[Outcome]]


@dataclass(frozen=True)
class Method:
    """A way to score a response.

    Parameters
    ----------
    name : str
        What users type.
    score : callable
        Scores one case.
    summary : str
        One line about it.
    calls : callable
        Calls that one case takes if every first reply is usable, given the case and the roles' numbers: of
        judges, evidence repeats and judge repeats.
    uses_analyst : bool
        Whether it asks an analyst; if not, judges do everything.
    several_steps : bool
        Whether it is of use only for tasks with several steps.
    logprobs : bool
        Whether its judges are asked for the probabilities of their tokens.
    examples : bool
        Whether it can show its judges work that was scored before.
    samples : int
        How often a judge answers the same question, as candidates to choose from.
    suffix : str
        What stands behind a judge's name on its sheets, where they hold something else than it wrote.
    provider : str
        The only provider whose models can be its judges; empty where any can.
    aliases : tuple of str
        Other names it goes by, such as those of the paper. Runs and tables hold ``name`` alone.
    """

    name: str
    score: Scorer
    summary: str
    calls: Callable[[Case, int, int, int], int]
    uses_analyst: bool = True
    several_steps: bool = False
    logprobs: bool = False
    examples: bool = False
    samples: int = 1
    suffix: str = ""
    provider: str = ""
    aliases: tuple[str, ...] = ()

    def scorer(self, judge: str) -> str:
        """Return the name that a judge's sheets go by."""
        return f"{judge}{self.suffix}"


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


def failure(
    stage: str,
    ask: Ask,
    error: CreaEvalError | str,
    roles: Roles,
    evidence_repeat: int = 1,
    judge_repeat: int | None = None,
) -> StageFailure:
    """Record an error as the failure of a stage; repeats, from 1, where there are several."""
    return StageFailure(
        stage=stage,
        model=ask.model.name,
        reason=str(error),
        evidence_repeat=evidence_repeat if roles.evidence_repeats > 1 else None,
        judge_repeat=judge_repeat if roles.judge_repeats > 1 else None,
        unanswered=isinstance(error, CallError),
    )
