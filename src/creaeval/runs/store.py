"""Keep runs and their outcomes in the ledger's database, each outcome as soon as it is there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast, overload

from sqlalchemy import (
    JSON,
    Column,
    ForeignKey,
    Integer,
    MetaData,
    String,
    Table,
    func,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite

from creaeval.data import Response
from creaeval.errors import SettingError
from creaeval.methods import Outcome
from creaeval.runs.run import Run, State
from creaeval.runs.units import read_kept
from creaeval.tasks import Scenario, Task

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection

    from creaeval.llm import Ledger
    from creaeval.runs.plan import Plan

_READ_AT_ONCE = 50

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


def _as_it_began(connection: Connection) -> None:
    # Spelled out, as it must stay when the tables above change; ledgers of before migrations have these.
    connection.exec_driver_sql(
        """
        CREATE TABLE IF NOT EXISTS runs (
            id VARCHAR(10) NOT NULL PRIMARY KEY,
            created VARCHAR(32) NOT NULL,
            updated VARCHAR(32) NOT NULL,
            state VARCHAR(16) NOT NULL,
            task JSON NOT NULL,
            manifest JSON NOT NULL
        )
        """
    )
    connection.exec_driver_sql(
        """
        CREATE TABLE IF NOT EXISTS outcomes (
            run_id VARCHAR(10) NOT NULL REFERENCES runs (id),
            response_id VARCHAR NOT NULL,
            position INTEGER NOT NULL,
            carried JSON NOT NULL,
            outcome JSON NOT NULL,
            PRIMARY KEY (run_id, response_id)
        )
        """
    )


def _with_the_texts(connection: Connection) -> None:
    # What was written stands in the prompts of the calls already: this exposes nothing new.
    connection.exec_driver_sql("ALTER TABLE runs ADD COLUMN scenarios JSON")
    connection.exec_driver_sql("ALTER TABLE outcomes ADD COLUMN response JSON")


_MIGRATIONS = (_as_it_began, _with_the_texts)


@dataclass(frozen=True)
class RunLine:
    """One run in a list: its id, when it was last touched, its state, and what it was over.

    ``n_outcomes`` counts responses, or batches where the task's ``unit`` is the item.
    """

    id: str
    updated: str
    state: str
    task: str
    method: str
    judges: str
    n_outcomes: int
    unit: str = "response"


class RunStore:
    """The runs in a ledger's database.

    Parameters
    ----------
    ledger : Ledger
        Where they are kept.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        ledger.migrate("runs", _MIGRATIONS, (_runs, _outcomes))

    def begin(self, plan: Plan, manifest: Mapping[str, Any]) -> None:
        """Open a run, or reopen it: each of its earlier outcomes stands until its successor is kept.

        Another process may be making the same run; as both have the same id, their outcomes are of the same
        responses by the same calls, and neither's take away the other's.
        """
        now = _now()
        values = {
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
            _put(connection, _runs, {"id": plan.run_id}, values)

    def keep(
        self, run_id: str, outcome: Outcome, position: int, carried: Mapping[str, Any], response: Response
    ) -> None:
        """Commit one outcome, its response, and what :func:`creaeval.runs.units.kept_with` returns of it."""
        values = {
            "position": position,
            "carried": dict(carried),
            "outcome": outcome.model_dump(mode="json"),
            # The file it came from may name people or places.
            "response": response.model_dump(mode="json", exclude={"source"}),
        }
        with self._ledger.guard(), self._ledger.engine.begin() as connection:
            _put(connection, _outcomes, {"run_id": run_id, "response_id": outcome.response_id}, values)

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
        with self._ledger.guard(), self._ledger.engine.connect() as connection:
            found = connection.execute(
                select(_runs).where(_runs.c.id.startswith(run_id, autoescape=True))
            ).all()
            if len(found) != 1:
                known = (
                    connection.execute(select(_runs.c.id).order_by(_runs.c.updated.desc())).scalars().all()
                )
                raise SettingError(_no_such_run(run_id, [row.id for row in found], list(known)))
            row = found[0]
            carried = connection.execute(
                select(_outcomes.c.response_id, _outcomes.c.carried)
                .where(_outcomes.c.run_id == row.id)
                .order_by(_outcomes.c.position)
            ).all()
        task = Task.model_validate(row.task)
        by_items = task.unit == "item"
        units = {one.response_id: read_kept(one.carried) for one in carried} if by_items else {}
        return Run(
            id=row.id,
            state=cast("State", row.state),
            task=task,
            manifest=row.manifest,
            outcomes=_StoredOutcomes(self._ledger, row.id, [one.response_id for one in carried]),
            carried={unit.id: unit.carried for batch in units.values() for unit in batch}
            if by_items
            else {one.response_id: one.carried for one in carried},
            units=units,
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
        with self._ledger.guard(), self._ledger.engine.connect() as connection:
            rows = connection.execute(statement).all()
        return [
            RunLine(
                id=row.id,
                updated=row.updated,
                state=row.state,
                task=row.task["id"],
                method=row.manifest["method"],
                judges=", ".join(judge["name"] for judge in row.manifest["judges"]),
                n_outcomes=row.n,
                unit=row.task.get("unit", "response"),
            )
            for row in rows
        ]


class _StoredOutcomes(Sequence[Outcome]):
    """The outcomes of a run, read a few at a time: a large run's would fill the memory."""

    def __init__(self, ledger: Ledger, run_id: str, response_ids: Sequence[str]) -> None:
        self._ledger, self._run_id, self._ids = ledger, run_id, response_ids

    def __len__(self) -> int:
        return len(self._ids)

    @overload
    def __getitem__(self, index: int) -> Outcome: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Outcome]: ...
    def __getitem__(self, index: int | slice) -> Outcome | Sequence[Outcome]:
        wanted = self._ids[index]
        if isinstance(index, slice):
            return tuple(self._read(list(wanted)))
        return next(iter(self._read([str(wanted)])))

    def __iter__(self) -> Iterator[Outcome]:
        for start in range(0, len(self._ids), _READ_AT_ONCE):
            yield from self._read(self._ids[start : start + _READ_AT_ONCE])

    def _read(self, ids: Sequence[str]) -> list[Outcome]:
        statement = select(_outcomes.c.outcome).where(
            _outcomes.c.run_id == self._run_id, _outcomes.c.response_id.in_(ids)
        )
        with self._ledger.guard(), self._ledger.engine.connect() as connection:
            rows = connection.execute(statement.order_by(_outcomes.c.position)).scalars().all()
        return [Outcome.model_validate(row) for row in rows]


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
        with self._ledger.guard(), self._ledger.engine.connect() as connection:
            yield from connection.execute(kept.order_by(_outcomes.c.position)).scalars().all()

    def __getitem__(self, response_id: str) -> Response:
        statement = select(_outcomes.c.response).where(
            _outcomes.c.run_id == self._run_id, _outcomes.c.response_id == response_id
        )
        with self._ledger.guard(), self._ledger.engine.connect() as connection:
            kept = connection.execute(statement).scalar()
        if kept is None:
            raise KeyError(response_id)
        return Response.model_validate(kept)


def _put(connection: Connection, table: Table, key: Mapping[str, str], values: Mapping[str, Any]) -> None:
    """Insert a row, or write over the one with its key: two processes may do so at once."""
    insert = (postgresql if connection.dialect.name == "postgresql" else sqlite).insert
    row = insert(table).values(**key, **values)
    connection.execute(
        row.on_conflict_do_update(
            index_elements=list(key), set_={name: row.excluded[name] for name in values}
        )
    )


def _no_such_run(run_id: str, found: list[str], known: list[str]) -> str:
    if found:
        return f"More than one run begins with {run_id!r}: {', '.join(found)}; give more of its id."
    return f"There is no run {run_id!r}; " + (
        f"known are {', '.join(known[:10])}." if known else "this ledger holds no run yet."
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
