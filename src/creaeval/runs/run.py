"""A run and what came out of it, as typed objects and as tables."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from creaeval.tasks import identities

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    import pandas as pd

    from creaeval.methods import CallSummary, Outcome
    from creaeval.sheets import ScoreSheet
    from creaeval.tasks import Task

State = Literal["running", "finished", "stopped", "failed"]

SCORE_COLUMNS = (
    "response_id",
    "method",
    "judge",
    "evidence_repeat",
    "judge_repeat",
    "step",
    "item",
    "dimension",
    "score",
    "model_score",
    "computed_score",
)
FAILURE_COLUMNS = ("response_id", "stage", "model", "reason")


@dataclass(frozen=True)
class Tokens:
    """Calls, tokens and seconds of one stage of a run, calls answered from the ledger apart.

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

    calls: int
    from_ledger: int
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    reasoning_tokens: int
    seconds: float
    cost_usd: float
    new_cost_usd: float
    unpriced: int


@dataclass(frozen=True)
class Run:
    """One method with its models over a set of responses, with all outcomes.

    Parameters
    ----------
    id : str
        Ten hexadecimal digits; the same command gives the same one.
    state : {"running", "finished", "stopped", "failed"}
        ``stopped`` by the user, ``failed`` by an error that no retry can mend.
    task : Task
        The task.
    manifest : mapping
        Versions, settings, models, prompt hashes, times: what it takes to repeat the run.
    outcomes : tuple of Outcome
        One a response, in the order of the input.
    carried : mapping of str to mapping
        By response id, the extra columns of the input.
    """

    id: str
    state: State
    task: Task
    manifest: Mapping[str, Any]
    outcomes: tuple[Outcome, ...]
    carried: Mapping[str, Mapping[str, str]]

    @property
    def sheets(self) -> tuple[ScoreSheet, ...]:
        """Every score sheet, by response and judge."""
        return tuple(sheet for outcome in self.outcomes for sheet in outcome.sheets)

    @property
    def n_failed(self) -> int:
        """Responses with at least one failure."""
        return sum(bool(outcome.failures) for outcome in self.outcomes)

    @property
    def failed_attempts(self) -> int:
        """Attempts at calls that brought no reply."""
        return sum(outcome.failed_attempts for outcome in self.outcomes)

    @property
    def calls(self) -> tuple[CallSummary, ...]:
        """Every call of every response."""
        return tuple(call for outcome in self.outcomes for call in outcome.calls)

    @property
    def scores(self) -> pd.DataFrame:
        """All scores in long form, the columns of ``scores.csv``; ``item`` is missing on step-level rows.

        Carried columns follow; one called like a column of this table is named ``input_NAME``.
        """
        import pandas as pd

        carried = self._carried_columns(SCORE_COLUMNS)
        rows = [
            {**dict(zip(SCORE_COLUMNS, row, strict=True)), **{carried[name]: extra[name] for name in extra}}
            for row, extra in self._score_rows()
        ]
        frame = pd.DataFrame(rows, columns=[*SCORE_COLUMNS, *carried.values()])
        return frame.astype(
            {"item": "Int64", "score": "Float64", "model_score": "Float64", "computed_score": "Float64"}
        )

    def _score_rows(self) -> Iterator[tuple[tuple[Any, ...], dict[str, str]]]:
        method = self.manifest["method"]
        for sheet in self.sheets:
            extra = dict(self.carried.get(sheet.response_id, {}))
            for row in sheet.rows():
                head = (sheet.response_id, method, sheet.scorer, 1, 1, row.step, row.item, row.dimension)
                yield (*head, row.score, row.model_score, row.computed_score), extra

    @property
    def scores_wide(self) -> pd.DataFrame:
        """Final scores, one row for each response and judge, one column for each identity of the task."""
        import pandas as pd

        parts = identities(self.task)
        own = ["response_id", "method", "judge", *parts]
        carried = self._carried_columns(own)
        rows = [
            {
                "response_id": sheet.response_id,
                "method": self.manifest["method"],
                "judge": sheet.scorer,
                **{part: sheet.final(part) for part in parts},
                **{carried[name]: text for name, text in self.carried.get(sheet.response_id, {}).items()},
            }
            for sheet in self.sheets
        ]
        return pd.DataFrame(rows, columns=[*own, *carried.values()]).astype(dict.fromkeys(parts, "Float64"))

    @property
    def failures(self) -> pd.DataFrame:
        """Why responses, or single judges of them, have no scores."""
        import pandas as pd

        rows = [
            (outcome.response_id, failure.stage, failure.model, failure.reason)
            for outcome in self.outcomes
            for failure in outcome.failures
        ]
        return pd.DataFrame(rows, columns=list(FAILURE_COLUMNS))

    def _carried_columns(self, own: Collection[str]) -> dict[str, str]:
        """Name the carried columns; one that is called like a table's own column becomes ``input_NAME``."""
        names = dict.fromkeys(name for extra in self.carried.values() for name in extra)
        carried: dict[str, str] = {}
        for name in names:
            shown = name
            while shown in own or (shown != name and shown in names):
                shown = f"input_{shown}"
            carried[name] = shown
        return carried

    def quotes(self) -> tuple[int, int]:
        """Count the analyst's quotes: how many were found in the responses, and how many there are."""
        quotes = [q for o in self.outcomes if o.evidence is not None for q in o.evidence.quotes]
        return sum(quote.found for quote in quotes), len(quotes)

    def copied_observations(self) -> tuple[int, int]:
        """Count the observations that copy the response in part, and all observations."""
        findings = [
            finding
            for outcome in self.outcomes
            for step in (outcome.evidence.steps if outcome.evidence is not None else ())
            for name, finding in step.findings
            if self.task.step(step.step).dimension(name).derive != "distinct_categories"
        ]
        return sum(finding.copied > 0 for finding in findings), len(findings)

    def tokens_by_stage(self) -> dict[str, Tokens]:
        """Add up calls by stage: each step the analyst read, then ``judge``, then ``all``."""
        groups: defaultdict[str, list[CallSummary]] = defaultdict(list)
        for call in self.calls:
            groups[call.stage].append(call)
        order = [step.id for step in self.task.steps if step.id in groups]
        stages = {stage: groups[stage] for stage in [*order, *(s for s in groups if s not in order)]}
        return {stage: _add_up(calls) for stage, calls in {**stages, "all": list(self.calls)}.items()}


def _add_up(calls: list[CallSummary]) -> Tokens:
    return Tokens(
        calls=len(calls),
        from_ledger=sum(call.from_ledger for call in calls),
        input_tokens=sum(call.input_tokens for call in calls),
        cached_tokens=sum(call.cached_tokens for call in calls),
        output_tokens=sum(call.output_tokens for call in calls),
        reasoning_tokens=sum(call.reasoning_tokens for call in calls),
        seconds=round(sum(call.seconds for call in calls), 3),
        cost_usd=round(sum(call.cost_usd or 0.0 for call in calls), 6),
        new_cost_usd=round(sum(call.cost_usd or 0.0 for call in calls if not call.from_ledger), 6),
        unpriced=sum(call.cost_usd is None for call in calls),
    )
