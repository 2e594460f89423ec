"""A run and what came out of it, as typed objects and as tables."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

from creaeval.errors import SettingError
from creaeval.runs.participants import participants_of
from creaeval.runs.summary import Summary, summarise_outcomes
from creaeval.runs.tables import failure_table, long_table, panel_table, unread_table, wide_table
from creaeval.runs.trained import recorded_training

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pandas as pd

    from creaeval.data import Response
    from creaeval.methods import CallSummary, Outcome
    from creaeval.sheets import ScoreSheet
    from creaeval.tasks import Scenario, Task

State = Literal["running", "finished", "stopped", "failed"]


def held_at_once(task: Task) -> int:
    """Say of how many responses the outcomes are held at once: fewer booklets than texts that share calls."""
    return 50 if task.batching is None else 500


def failures_on_record(manifest: Mapping[str, Any]) -> int:
    """Return how many responses of a run have a failure by its record, which may be of an earlier version."""
    return int(manifest.get("with_failures", manifest.get("failed", 0)))


@dataclass(frozen=True)
class Run:
    """One method with its models over a set of responses, with all outcomes.

    Parameters
    ----------
    id : str
        Ten hexadecimal digits; the same command gives the same one.
    state : {"running", "finished", "stopped", "failed"}
        ``stopped`` by the user or a budget; ``failed`` by an error that no retry can mend, or with nothing
        scored.
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
        if (response := self.responses.get(response_id)) is not None:
            return response
        if response_id not in self.metadata:
            raise SettingError(f"run {self.id}: there is no response {response_id!r}.")
        raise SettingError(
            f"run {self.id}: the texts were not kept when it was made. Score again, which costs nothing, "
            "as all calls are in the ledger."
        )

    @property
    def sheets(self) -> tuple[ScoreSheet, ...]:
        """Every score sheet, by response and judge."""
        return tuple(sheet for outcome in self.outcomes for sheet in outcome.sheets)

    def parts(self) -> Iterator[Run]:
        """Split the run into parts of a few responses, for work that must not hold all of them at once."""
        outcomes, size = iter(self.outcomes), held_at_once(self.task)
        # One part at least: a table without rows still has its columns.
        yield self._part(tuple(islice(outcomes, size)))
        while outcomes_of_part := tuple(islice(outcomes, size)):
            yield self._part(outcomes_of_part)

    def _part(self, outcomes: Sequence[Outcome]) -> Run:
        part = replace(self, outcomes=outcomes)
        # Both are those of the whole run, through all of which it takes long to look.
        vars(part).update(carried_columns=self.carried_columns, trained_on=self.trained_on)
        return part

    @cached_property
    def carried_columns(self) -> tuple[str, ...]:
        """The columns that responses carry, in the order in which they end every table of scores."""
        return tuple(dict.fromkeys(name for metadata in self.metadata.values() for name in metadata))

    @cached_property
    def trained_on(self) -> Mapping[str, frozenset[str]]:
        """By the name on a judge's sheets, the ids of the responses it was trained on, as far as it tells."""
        return recorded_training(self.manifest, self.outcomes)

    @cached_property
    def summary(self) -> Summary:
        """What the outcomes come to, counted in one pass."""
        return summarise_outcomes(self.task, self.outcomes)

    @property
    def n_failed(self) -> int:
        """Responses with at least one failure."""
        return self.summary.with_failures

    @property
    def calls(self) -> tuple[CallSummary, ...]:
        """Every call, each once, whatever responses share it."""
        return tuple(call for outcome in self.outcomes for call in outcome.calls if call.counted)

    @property
    def scores(self) -> pd.DataFrame:
        """All scores in long form, the columns of ``scores.csv``; ``item`` is missing on step-level rows.

        Where a text can have a code, ``invalid`` says why one has no score; where a judge tells what it was
        trained on, ``in_training`` is yes or no. Metadata follow; one called like
        a column of this table is named ``input_NAME``.
        """
        return long_table(self)

    @property
    def scores_wide(self) -> pd.DataFrame:
        """Final scores, one row for each response, judge and repeat, one column for each identity.

        The columns of ``scores_wide.csv``, whose names SPSS and Stata accept: ``step1_fluency``.
        """
        return wide_table(self)

    @property
    def scores_panel(self) -> pd.DataFrame:
        """What several sheets of a response come to, the columns of ``scores_panel.csv``."""
        return panel_table(self)

    @property
    def participants(self) -> pd.DataFrame:
        """Fluency, originality, flexibility and elaboration of each participant, from the scores of its uses.

        The columns of ``participants.csv``; :func:`~creaeval.runs.participants.summarise_uses` says what they
        are. Without rows for tasks other than those of short responses that carry ``participant``.
        """
        return participants_of(self).table()

    @property
    def participants_reliability(self) -> pd.DataFrame:
        """Cronbach's alpha of the participants' means over the objects, by judge and dimension."""
        return participants_of(self).reliability()

    @property
    def failures(self) -> pd.DataFrame:
        """Why responses, or single judges of them, have no scores; and which files were not read."""
        import pandas as pd

        tables = [table for table in (failure_table(self), unread_table(self)) if not table.empty]
        return pd.concat(tables, ignore_index=True) if tables else failure_table(self)
