"""A run and what came out of it, as typed objects and as tables."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

from creaeval.errors import SettingError
from creaeval.runs.summary import Summary, summarise_outcomes
from creaeval.runs.units import invalid_code, split_sheet
from creaeval.sheets.panel import N_SHEETS
from creaeval.sheets.score_sheet import REPEATS, SCORE_COLUMNS
from creaeval.tasks import identities

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    import pandas as pd

    from creaeval.data import Response
    from creaeval.methods import CallSummary, Outcome
    from creaeval.runs.units import Unit
    from creaeval.sheets import ScoreSheet
    from creaeval.tasks import Scenario, Task

State = Literal["running", "finished", "stopped", "failed"]

#: Stands behind the scores where items are the units: why one has none.
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
        Where items are the units, one a batch of them.
    carried : mapping of str to mapping
        By response id, the extra columns of the input; where items are the units, by theirs.
    units : mapping of str to sequence of Unit
        Where items are the units, those of each batch, the first of which is item 1; else empty.
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
    carried: Mapping[str, Mapping[str, str]]
    units: Mapping[str, Sequence[Unit]] = field(default_factory=dict)
    responses: Mapping[str, Response] = field(default_factory=dict)
    scenarios: Mapping[str, Scenario] = field(default_factory=dict)

    def response(self, response_id: str) -> Response:
        """Return what was written for an outcome.

        Parameters
        ----------
        response_id : str
            That of an outcome; where items are the units, of a batch.

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
            known = response_id in (self.units or self.carried)
        if known:
            raise SettingError(
                f"run {self.id}: the texts were not kept when it was made. Score again, which costs nothing, "
                "as all calls are in the ledger."
            )
        raise SettingError(f"run {self.id}: there is no response {response_id!r}.")

    @property
    def sheets(self) -> tuple[ScoreSheet, ...]:
        """Every score sheet, by response and judge; where items are the units, a sheet for each of them."""
        sheets = tuple(sheet for outcome in self.outcomes for sheet in outcome.sheets)
        if self.task.unit == "response":
            return sheets
        return tuple(one for sheet in sheets for one in split_sheet(sheet, self.units[sheet.response_id]))

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
        return summarise_outcomes(self.task, self.outcomes, self.units)

    @property
    def n_failed(self) -> int:
        """Responses with at least one failure; where items are the units, those whose batch has one."""
        return self.summary.failed

    @property
    def calls(self) -> tuple[CallSummary, ...]:
        """Every call of every response."""
        return tuple(call for outcome in self.outcomes for call in outcome.calls)

    @property
    def scores(self) -> pd.DataFrame:
        """All scores in long form, the columns of ``scores.csv``; ``item`` is missing on step-level rows.

        Where items are the units, each has a row for each of its dimensions, and ``invalid`` says why one
        has no score. Carried columns follow; one called like a column of this table is named ``input_NAME``.
        """
        import pandas as pd

        columns = (*SCORE_COLUMNS, *((INVALID,) if self.task.unit == "item" else ()))
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
        method = self.manifest["method"]
        for sheet in self.sheets:
            extra = dict(self.carried.get(sheet.response_id, {}))
            head = (sheet.response_id, method, sheet.scorer, sheet.evidence_repeat, sheet.judge_repeat)
            if self.task.unit == "item":
                for identity in identities(self.task):
                    points, step = sheet.final(identity), identity.partition(".")[0]
                    code = invalid_code(sheet) if points is None else ""
                    yield (*head, step, None, identity, points, points, None, code), extra
                continue
            for row in sheet.rows():
                place = (row.step, row.item, row.dimension)
                yield (*head, *place, row.score, row.model_score, row.computed_score), extra

    @property
    def scores_wide(self) -> pd.DataFrame:
        """Final scores, one row for each response and judge, one column for each identity of the task."""
        import pandas as pd

        parts, by_items = identities(self.task), self.task.unit == "item"
        own = ["response_id", "method", "judge", *parts, *([INVALID] if by_items else [])]
        carried = self._carried_columns(own)
        rows = [
            {
                "response_id": sheet.response_id,
                "method": self.manifest["method"],
                "judge": sheet.scorer,
                **{part: sheet.final(part) for part in parts},
                **({INVALID: invalid_code(sheet)} if by_items else {}),
                **{carried[name]: text for name, text in self.carried.get(sheet.response_id, {}).items()},
            }
            for sheet in self.sheets
        ]
        return pd.DataFrame(rows, columns=[*own, *carried.values()]).astype(dict.fromkeys(parts, "Float64"))

    @property
    def failures(self) -> pd.DataFrame:
        """Why responses, or single judges of them, have no scores; where items are the units, why each."""
        import pandas as pd

        rows = [
            (response_id, failure.stage, failure.model, failure.reason)
            for outcome in self.outcomes
            for failure in outcome.failures
            for response_id in (
                [outcome.response_id]
                if self.task.unit == "response"
                else [unit.id for unit in self.units[outcome.response_id]]
            )
        ]
        return pd.DataFrame(rows, columns=list(FAILURE_COLUMNS))

    def _carried_columns(self, own: Collection[str]) -> dict[str, str]:
        """Name the carried columns; one that is called like a table's own column becomes ``input_NAME``.

        Whatever its case, since whoever reads the table tells no cases apart. The columns of repeats and
        panels count as own in every table, so that none is taken for them.
        """
        names = dict.fromkeys(name for extra in self.carried.values() for name in extra)
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
