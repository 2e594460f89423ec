"""A run and what came out of it, as typed objects and as tables."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

from creaeval.runs.summary import Summary, summarise_outcomes
from creaeval.tasks import identities

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

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
# Responses whose rows are held at once while a run is written.
_PART = 50
FAILURE_COLUMNS = ("response_id", "stage", "model", "reason")


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
    outcomes : sequence of Outcome
        One a response, in the order of the input; read from the ledger as they are needed, or all in memory.
    carried : mapping of str to mapping
        By response id, the extra columns of the input.
    """

    id: str
    state: State
    task: Task
    manifest: Mapping[str, Any]
    outcomes: Sequence[Outcome]
    carried: Mapping[str, Mapping[str, str]]

    @property
    def sheets(self) -> tuple[ScoreSheet, ...]:
        """Every score sheet, by response and judge."""
        return tuple(sheet for outcome in self.outcomes for sheet in outcome.sheets)

    def parts(self) -> Iterator[Run]:
        """Split the run into parts of a few responses, for work that must not hold all of them at once."""
        outcomes = iter(self.outcomes)
        # One part at least: a table without rows still has its columns.
        yield replace(self, outcomes=tuple(islice(outcomes, _PART)))
        while part := tuple(islice(outcomes, _PART)):
            yield replace(self, outcomes=part)

    @cached_property
    def summary(self) -> Summary:
        """What the outcomes come to, counted in one pass."""
        return summarise_outcomes(self.task, self.outcomes)

    @property
    def n_failed(self) -> int:
        """Responses with at least one failure."""
        return self.summary.failed

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
                head = (
                    *(sheet.response_id, method, sheet.scorer, sheet.evidence_repeat, sheet.judge_repeat),
                    *(row.step, row.item, row.dimension),
                )
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
