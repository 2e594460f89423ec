"""What the outcomes of a run come to: counts, tokens, costs."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

from creaeval.sheets import disagreements
from creaeval.sheets.score_sheet import NOT_CAPTURED

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from creaeval.methods import CallSummary, Outcome
    from creaeval.tasks import Task


@dataclass(frozen=True)
class Tokens:
    """Calls, tokens, seconds and cost of one stage of a run, calls answered from the ledger apart.

    Parameters
    ----------
    calls : int
        Replies used or rejected, those from the ledger included.
    from_ledger : int
        How many of them cost nothing now.
    input_tokens, cached_tokens, output_tokens, reasoning_tokens : int
        As counted by the server when the call was made; output includes reasoning.
    seconds : float
        Request time, summed.
    cost_usd : float
        What the calls cost when they were made, as far as prices are known.
    new_cost_usd : float
        The part of it that this run paid.
    unpriced : int
        Calls without a known price.
    """

    calls: int = 0
    from_ledger: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    seconds: float = 0.0
    cost_usd: float = 0.0
    new_cost_usd: float = 0.0
    unpriced: int = 0

    def __add__(self, other: Tokens) -> Tokens:
        return Tokens(*(getattr(self, field.name) + getattr(other, field.name) for field in fields(self)))

    def rounded(self) -> Tokens:
        """Return the same without the last digits, which sums of floats make up."""
        return replace(
            self,
            seconds=round(self.seconds, 3),
            cost_usd=round(self.cost_usd, 6),
            new_cost_usd=round(self.new_cost_usd, 6),
        )


@dataclass(frozen=True)
class Summary:
    """Counts over a run.

    Parameters
    ----------
    scored : int
        Responses with a score, of one judge at least.
    failed : int
        Responses without any, since something failed or no expected score could be taken.
    non_answers : mapping of str to int
        By code (``blank``), the responses that have no score because there is nothing to score. With
        ``scored``, ``failed`` and those that were not reached they are all responses.
    with_failures : int
        Responses with at least one failure, scored by others or not.
    not_captured : int
        How often a judge's expected score of a response that shares a call could not be taken.
    failed_attempts : int
        Attempts at calls that brought no reply.
    quotes : int
        The analyst's quotes, those of repeats included.
    quotes_exact, quotes_nearly, quotes_elsewhere, quotes_not_found : int
        How many of them stand in their own item or step word for word or nearly, elsewhere in the response,
        or nowhere in it.
    observations, copied_observations, scored_observations : int
        The analyst's observations, how many copy the response in part, and how many hold what reads like a
        score.
    evidence_notes : int
        Remarks on evidence: what was left out of it, or is to be read with care.
    disagreements : int
        Places where a judge's own value is not the computed one.
    first_disagreement : str
        The first of them in words, empty without any.
    grid_notes : tuple of str
        Why ranking grids could not be read, one line each.
    tokens : mapping of str to Tokens
        By stage, as in :class:`~creaeval.methods.CallSummary`: steps first, then the others, then ``all``.
    """

    scored: int
    failed: int
    non_answers: Mapping[str, int]
    with_failures: int
    not_captured: int
    failed_attempts: int
    quotes: int
    quotes_exact: int
    quotes_nearly: int
    quotes_elsewhere: int
    quotes_not_found: int
    observations: int
    copied_observations: int
    scored_observations: int
    evidence_notes: int
    disagreements: int
    first_disagreement: str
    grid_notes: tuple[str, ...]
    tokens: Mapping[str, Tokens]


def summarise_outcomes(task: Task, outcomes: Iterable[Outcome]) -> Summary:
    """Count over outcomes in one pass, holding none of them."""
    counts: defaultdict[str, int] = defaultdict(int)
    tokens: defaultdict[str, Tokens] = defaultdict(Tokens)
    first = ""
    grids: list[str] = []
    non_answers: Counter[str] = Counter()
    for outcome in outcomes:
        lost = [sheet.invalid == NOT_CAPTURED for sheet in outcome.sheets]
        counts["not_captured"] += sum(lost)
        counts["with_failures"] += bool(outcome.failures)
        end = _end(outcome)
        if end in ("scored", "failed"):
            counts[end] += 1
        else:
            non_answers[end] += 1
        counts["failed_attempts"] += outcome.failed_attempts
        for call in outcome.calls:
            if call.counted:
                tokens[call.stage] += _tokens(call)
        for sheet in outcome.sheets:
            wrong = disagreements(sheet)
            counts["disagreements"] += len(wrong)
            first = first or (f"{sheet.response_id}, {wrong[0]}" if wrong else "")
        first_evidence = () if outcome.evidence is None else (outcome.evidence,)
        for evidence in (*first_evidence, *(analysis.evidence for analysis in outcome.further)):
            counts["quotes"] += len(evidence.quotes)
            for quote in evidence.quotes:
                counts[f"quotes_{quote.outcome.replace(' ', '_')}"] += 1
            for step in evidence.steps:
                counts["evidence_notes"] += len(step.notes)
                if step.grid_note and step.grid_score is None:
                    grids.append(f"{outcome.response_id}, {step.step}: {step.grid_note}.")
                for name, finding in step.findings:
                    if task.step(step.step).dimension(name).derive != "distinct_categories":
                        counts["observations"] += 1
                        counts["copied_observations"] += finding.copied > 0
                        counts["scored_observations"] += bool(finding.score_words)
    order = [step.id for step in task.steps if step.id in tokens]
    stages = [*order, *(stage for stage in tokens if stage not in order)]
    whole = sum((tokens[stage] for stage in stages), Tokens())
    names = [field.name for field in fields(Summary) if field.type == "int"]
    return Summary(
        **{name: counts[name] for name in names},
        non_answers=dict(non_answers),
        first_disagreement=first,
        # A grid is read from the response, so each repeat of its evidence says the same of it.
        grid_notes=tuple(dict.fromkeys(grids)),
        tokens={**{stage: tokens[stage].rounded() for stage in stages}, "all": whole.rounded()},
    )


def _end(outcome: Outcome) -> str:
    """Say what a response came to: ``scored``, ``failed``, or the code why there was nothing to score."""
    codes = [sheet.invalid for sheet in outcome.sheets]
    if "" in codes:
        return "scored"
    return "failed" if outcome.failures or not codes or NOT_CAPTURED in codes else codes[0]


def _tokens(call: CallSummary) -> Tokens:
    cost = call.cost_usd or 0.0
    return Tokens(
        calls=1,
        from_ledger=int(call.from_ledger),
        input_tokens=call.input_tokens,
        cached_tokens=call.cached_tokens,
        output_tokens=call.output_tokens,
        reasoning_tokens=call.reasoning_tokens,
        seconds=call.seconds,
        cost_usd=cost,
        new_cost_usd=0.0 if call.from_ledger else cost,
        unpriced=int(call.cost_usd is None),
    )
