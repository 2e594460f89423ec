"""Keep runs and their outcomes in the ledger's database, each outcome as soon as it is there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast, overload

from pydantic import ValidationError
from sqlalchemy import JSON, Column, ForeignKey, Integer, MetaData, String, Table, Text, func, select, update
from sqlalchemy import cast as sql_cast
from sqlalchemy.dialects import postgresql, sqlite

from creaeval.data import Response
from creaeval.errors import LedgerError, SettingError
from creaeval.methods import Outcome
from creaeval.runs.migrations import MIGRATIONS
from creaeval.runs.run import Run, State, failures_on_record, held_at_once
from creaeval.tasks import Scenario, Task

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection, Row, Select

    from creaeval.llm import Ledger
    from creaeval.runs.plan import Plan


_metadata = MetaData()
_runs = Table(
    "runs",
    _metadata,
    Column("id", String(10), primary_key=True),
    Column("created", String(32), nullable=False),
    Column("updated", String(32), nullable=False),
    Column("state", String(16), nullable=False),
    Column("task", JSON, nullable=False),
    Column("manifest", JSON, nullable=False),
    # Null in runs of before they were kept.
    Column("scenarios", JSON(none_as_null=True)),
)
_outcomes = Table(
    "outcomes",
    _metadata,
    Column("run_id", String(10), ForeignKey("runs.id"), primary_key=True),
    Column("response_id", String, primary_key=True),
    Column("position", Integer, nullable=False),
    Column("carried", JSON, nullable=False),
    Column("outcome", JSON, nullable=False),
    Column("response", JSON(none_as_null=True)),
)


@dataclass(frozen=True)
class RunLine:
    """One run in a list: its id, when it was last touched, its state, what it was over, and what failed."""

    id: str
    updated: str
    state: str
    task: str
    method: str
    judges: str
    n_outcomes: int
    n_failed: int


class RunStore:
    """The runs in a ledger's database.

    Parameters
    ----------
    ledger : Ledger
        Where they are kept.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        ledger.migrate("runs", MIGRATIONS, (_runs, _outcomes))

    def begin(self, plan: Plan, manifest: Mapping[str, Any]) -> None:
        """Open a run, or reopen it: each of its earlier outcomes stands until its successor is kept.

        Another process may be making the same run; as both have the same id, their outcomes are of the same
        responses by the same calls, and neither's take away the other's.
        """
        now = _now()
        row = {
            "id": plan.run_id,
            "created": now,
            "updated": now,
            "state": "running",
            "task": plan.task.model_dump(mode="json"),
            "manifest": dict(manifest),
            "scenarios": {
                case.scenario.id: case.scenario.model_dump(mode="json")
                for case in plan.cases
                if case.scenario is not None
            },
        }
        with self._ledger.guard(), self._ledger.engine.begin() as connection:
            _put(connection, _runs, ("id",), [row])

    def keep(self, run_id: str, outcomes: Sequence[tuple[int, Response, Outcome]]) -> None:
        """Commit outcomes with their responses and the responses' places in the input, all at once."""
        rows = [
            {
                "run_id": run_id,
                "response_id": response.id,
                "position": position,
                "carried": response.metadata,
                "outcome": outcome.model_dump(mode="json"),
                # The file it came from may name people or places.
                "response": response.model_dump(mode="json", exclude={"source"}),
            }
            for position, response, outcome in outcomes
        ]
        with self._ledger.guard(), self._ledger.engine.begin() as connection:
            _put(connection, _outcomes, ("run_id", "response_id"), rows)

    def end(self, run_id: str, state: State, manifest: Mapping[str, Any]) -> None:
        """Close a run in the state it reached."""
        with self._ledger.guard(), self._ledger.engine.begin() as connection:
            connection.execute(
                update(_runs)
                .where(_runs.c.id == run_id)
                .values(state=state, updated=_now(), manifest=dict(manifest))
            )

    def load(self, run_id: str) -> Run:
        """Load a run with its outcomes.

        Parameters
        ----------
        run_id : str
            The id, or enough of its beginning to be unique.

        Returns
        -------
        Run

        Raises
        ------
        SettingError
            No run, or more than one, has an id that begins so.
        """
        begins = select(_runs).where(_runs.c.id.startswith(run_id, autoescape=True))
        runs = _read(self._ledger, begins)
        if len(runs) != 1:
            known = _read(self._ledger, select(_runs.c.id).order_by(_runs.c.updated.desc()))
            raise SettingError(_no_such_run(run_id, [run.id for run in runs], [run.id for run in known]))
        row = runs[0]
        columns = select(_outcomes.c.response_id, _outcomes.c.carried)
        in_order = columns.where(_outcomes.c.run_id == row.id).order_by(_outcomes.c.position)
        metadata = {stored.response_id: stored.carried for stored in _read(self._ledger, in_order)}
        task = _read_task(row.id, row.task)
        return Run(
            id=row.id,
            state=cast("State", row.state),
            task=task,
            manifest=row.manifest,
            outcomes=_StoredOutcomes(self._ledger, row.id, list(metadata), held_at_once(task)),
            metadata=metadata,
            responses=_StoredResponses(self._ledger, row.id),
            scenarios={
                key: Scenario.model_validate(scenario) for key, scenario in (row.scenarios or {}).items()
            },
        )

    def list(self) -> list[RunLine]:
        """List all runs, the latest first."""
        count = func.count(_outcomes.c.response_id)
        statement = (
            select(_runs, count.label("n"))
            .outerjoin(_outcomes, _outcomes.c.run_id == _runs.c.id)
            .group_by(_runs.c.id)
            .order_by(_runs.c.updated.desc())
        )
        return [
            RunLine(
                id=row.id,
                updated=row.updated,
                state=row.state,
                task=row.task["id"],
                method=row.manifest["method"],
                judges=", ".join(judge["name"] for judge in row.manifest["judges"]),
                n_outcomes=row.n,
                n_failed=failures_on_record(row.manifest),
            )
            for row in _read(self._ledger, statement)
        ]


def _read_task(run_id: str, stored: Any) -> Task:
    try:
        return Task.model_validate(stored)
    except ValidationError as error:
        problem = error.errors()[0]
        place = ".".join(map(str, problem["loc"])) or "its top"
        raise LedgerError(
            f"run {run_id}: its task cannot be read by this version of creaeval (at {place}: "
            f"{problem['msg']}). The run stays as it is; the version that made it can export it."
        ) from None


class _StoredOutcomes(Sequence[Outcome]):
    """The outcomes of a run, read a few at a time: a large run's would fill the memory."""

    def __init__(self, ledger: Ledger, run_id: str, response_ids: Sequence[str], at_once: int) -> None:
        self._ledger, self._run_id, self._ids, self._at_once = ledger, run_id, response_ids, at_once

    def __len__(self) -> int:
        return len(self._ids)

    @overload
    def __getitem__(self, index: int) -> Outcome: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Outcome]: ...
    def __getitem__(self, index: int | slice) -> Outcome | Sequence[Outcome]:
        if isinstance(index, slice):
            return tuple(self._outcomes(self._ids[index]))
        return self._outcomes([self._ids[index]])[0]

    def __iter__(self) -> Iterator[Outcome]:
        for start in range(0, len(self._ids), self._at_once):
            yield from self._outcomes(self._ids[start : start + self._at_once])

    def _outcomes(self, ids: Sequence[str]) -> list[Outcome]:
        # As text: pydantic reads JSON and checks it at once, where the driver would make dicts of it first.
        statement = select(sql_cast(_outcomes.c.outcome, Text).label("text")).where(
            _outcomes.c.run_id == self._run_id, _outcomes.c.response_id.in_(ids)
        )
        rows = _read(self._ledger, statement.order_by(_outcomes.c.position))
        return [Outcome.model_validate_json(row.text) for row in rows]


class _StoredResponses(Mapping[str, Response]):
    """The responses of a run by id, each read when it is asked for; one that was not kept is no key."""

    def __init__(self, ledger: Ledger, run_id: str) -> None:
        self._ledger, self._run_id = ledger, run_id

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __iter__(self) -> Iterator[str]:
        kept = select(_outcomes.c.response_id).where(
            _outcomes.c.run_id == self._run_id, _outcomes.c.response.is_not(None)
        )
        return (row.response_id for row in _read(self._ledger, kept.order_by(_outcomes.c.position)))

    def __getitem__(self, response_id: str) -> Response:
        statement = select(_outcomes.c.response).where(
            _outcomes.c.run_id == self._run_id, _outcomes.c.response_id == response_id
        )
        for row in _read(self._ledger, statement):
            if row.response is not None:
                return Response.model_validate(row.response)
        raise KeyError(response_id)


def _read(ledger: Ledger, statement: Select[Any]) -> Sequence[Row[Any]]:
    with ledger.guard(), ledger.engine.connect() as connection:
        return connection.execute(statement).all()


def _put(connection: Connection, table: Table, key: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows, or write over those with their keys: two processes may do so at once."""
    upsert = (postgresql if connection.dialect.name == "postgresql" else sqlite).insert(table)
    values = {name: upsert.excluded[name] for name in rows[0] if name not in key}
    connection.execute(upsert.on_conflict_do_update(index_elements=list(key), set_=values), list(rows))


def _no_such_run(run_id: str, several: list[str], known: list[str]) -> str:
    if several:
        return f"More than one run begins with {run_id!r}: {', '.join(several)}; give more of its id."
    return f"There is no run {run_id!r}; " + (
        f"known are {', '.join(known[:10])}." if known else "this ledger holds no run yet."
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
