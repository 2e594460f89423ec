"""A run and what came out of it, as typed objects and as tables."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

from creaeval.errors import SettingError
from creaeval.runs.summary import Summary, summarise_outcomes
from creaeval.sheets.panel import N_SHEETS
from creaeval.sheets.score_sheet import REPEATS, SCORE_COLUMNS, Score
from creaeval.tasks import identities

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    import pandas as pd

    from creaeval.data import Response
    from creaeval.methods import CallSummary, Outcome
    from creaeval.sheets import ScoreSheet
    from creaeval.tasks import Scenario, Task

State = Literal["running", "finished", "stopped", "failed"]

#: Stands behind the scores where a text can have a code: why it has no score.
INVALID = "invalid"
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
        ``stopped`` by the user or a budget, ``failed`` by an error that no retry can mend.
    task : Task
        The task.
    manifest : mapping
        Versions, settings, models, prompt hashes, times: what it takes to repeat the run.
    outcomes : sequence of Outcome
        One a response, in the order of the input; read from the ledger as they are needed, or all in memory.
    metadata : mapping of str to mapping
        By response id, the extra columns of the input.
    responses : mapping of str to Response
        By id, what was written; read from the ledger one by one. Runs of before texts were kept have none.
    scenarios : mapping of str to Scenario
        By id, what was answered; empty where the texts were not kept.
    """

    id: str
    state: State
    task: Task
    manifest: Mapping[str, Any]
    outcomes: Sequence[Outcome]
    metadata: Mapping[str, Mapping[str, str]]
    responses: Mapping[str, Response] = field(default_factory=dict)
    scenarios: Mapping[str, Scenario] = field(default_factory=dict)

    def response(self, response_id: str) -> Response:
        """Return what was written for an outcome.

        Parameters
        ----------
        response_id : str
            That of an outcome.

        Returns
        -------
        Response

        Raises
        ------
        SettingError
            The run is of before texts were kept, or has no such response.
        """
        try:
            return self.responses[response_id]
        except KeyError:
            known = response_id in self.metadata
        if known:
            raise SettingError(
                f"run {self.id}: the texts were not kept when it was made. Score again, which costs nothing, "
                "as all calls are in the ledger."
            )
        raise SettingError(f"run {self.id}: there is no response {response_id!r}.")

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
        """Every call, each once, whatever responses share it."""
        return tuple(call for outcome in self.outcomes for call in outcome.calls if call.counted)

    @property
    def scores(self) -> pd.DataFrame:
        """All scores in long form, the columns of ``scores.csv``; ``item`` is missing on step-level rows.

        Where a text can have a code, ``invalid`` says why one has no score. Carried columns follow; one
        called like a column of this table is named ``input_NAME``.
        """
        import pandas as pd

        columns = (*SCORE_COLUMNS, *self._code_columns)
        carried = self._carried_columns(columns)
        rows = [
            {**dict(zip(columns, row, strict=True)), **{carried[name]: extra[name] for name in extra}}
            for row, extra in self._score_rows()
        ]
        frame = pd.DataFrame(rows, columns=[*columns, *carried.values()])
        return frame.astype(
            {"item": "Int64", "score": "Float64", "model_score": "Float64", "computed_score": "Float64"}
        )

    def _score_rows(self) -> Iterator[tuple[tuple[Any, ...], dict[str, str]]]:
        method, parts = self.manifest["method"], identities(self.task)
        for sheet in self.sheets:
            extra = dict(self.metadata.get(sheet.response_id, {}))
            head = (sheet.response_id, method, sheet.scorer, sheet.evidence_repeat, sheet.judge_repeat)
            rows = [row for row in sheet.rows() if row.step or self.task.sums]
            # What has no points for a reason has rows that say so.
            there = {row.dimension for row in rows} if self._code_columns else set(parts)
            rows += [_no_score(part) for part in parts if part not in there]
            for row in rows:
                place = (row.step, row.item, row.dimension)
                code = (sheet.invalid if row.score is None else "",) if self._code_columns else ()
                yield (*head, *place, row.score, row.model_score, row.computed_score, *code), extra

    @property
    def _code_columns(self) -> tuple[str, ...]:
        return (INVALID,) if any(step.invalid for step in self.task.steps) else ()

    @property
    def scores_wide(self) -> pd.DataFrame:
        """Final scores, one row for each response and judge, one column for each identity of the task."""
        import pandas as pd

        parts = identities(self.task)
        own = ["response_id", "method", "judge", *parts, *self._code_columns]
        carried = self._carried_columns(own)
        rows = [
            {
                "response_id": sheet.response_id,
                "method": self.manifest["method"],
                "judge": sheet.scorer,
                **{part: sheet.final(part) for part in parts},
                **dict.fromkeys(self._code_columns, sheet.invalid),
                **{carried[name]: text for name, text in self.metadata.get(sheet.response_id, {}).items()},
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
        """Name the carried columns; one that is called like a table's own column becomes ``input_NAME``.

        Whatever its case, since whoever reads the table tells no cases apart. The columns of repeats and
        panels count as own in every table, so that none is taken for them.
        """
        names = dict.fromkeys(name for extra in self.metadata.values() for name in extra)
        taken = {name.casefold() for name in (*own, *REPEATS, N_SHEETS)}
        others = {name.casefold() for name in names}
        carried: dict[str, str] = {}
        for name in names:
            shown = name
            while shown.casefold() in taken or (shown != name and shown.casefold() in others):
                shown = f"input_{shown}"
            taken.add(shown.casefold())
            carried[name] = shown
        return carried


def _no_score(identity: str) -> Score:
    return Score(
        step=identity.rpartition(".")[0],
        item=None,
        dimension=identity,
        score=None,
        model_score=None,
        computed_score=None,
    )
