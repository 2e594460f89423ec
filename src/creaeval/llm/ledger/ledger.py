"""The ledger: the durable record of calls, in SQLite or PostgreSQL."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sqlalchemy import JSON, bindparam, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from creaeval.errors import LedgerError
from creaeval.llm.ledger import _engine, _schema, _upkeep
from creaeval.llm.ledger._damage import DATABASE_ERRORS, damaged, explain
from creaeval.llm.ledger._migrations import migrate
from creaeval.llm.ledger._prepared import Prepared
from creaeval.llm.ledger._rows import ANSWER, answer_is_whole, call_row, failure_row, storable, stored_call
from creaeval.llm.ledger._schema import calls, failures, live

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from sqlalchemy import Connection, Engine, Insert, Table

    from creaeval.llm.ledger._migrations import Migration
    from creaeval.llm.records import (
        Checked,
        FailedAttempts,
        Failure,
        Imported,
        NewCall,
        Overview,
        Prunable,
        State,
        StoredCall,
        Totals,
    )

_FOUND = (*ANSWER, "logprobs", "state", "reason", "checksum")
_COLUMNS = [name for name in calls.columns.keys() if name != "id"]  # noqa: SIM118 - not a dict
_JSON = [name for name in _COLUMNS if isinstance(calls.c[name].type, JSON)]


def _insert_live(dialect: str) -> Insert:
    # A duplicate must not raise: on PostgreSQL it would end the whole transaction.
    new = (postgresql if dialect == "postgresql" else sqlite).insert(calls).inline()
    statement: Insert = new.on_conflict_do_nothing(index_elements=["key"], index_where=live)
    return statement


_FIND = Prepared(
    lambda _: select(*(calls.c[name] for name in _FOUND)).where(calls.c.key == bindparam("wanted"), live)
)
_INSERT = Prepared(lambda _: insert(calls).inline(), _COLUMNS)
_INSERT_LIVE = Prepared(_insert_live, _COLUMNS)
_MARK = Prepared(
    lambda _: (
        update(calls)
        .where(calls.c.key == bindparam("wanted"), live)
        .values(state=bindparam("new_state"), reason=bindparam("new_reason"))
    )
)


class Ledger:
    """The calls made so far; use `Ledger.open`. All methods may be called from any thread.

    Parameters
    ----------
    engine : sqlalchemy.Engine
        The database; other layers keep their tables in it too.
    where : str
        Its name for messages, without a password.
    """

    def __init__(self, engine: Engine, where: str) -> None:
        self.engine = engine
        self.where = where
        self._kept = _engine.KeptConnection(engine)

    @classmethod
    def open(cls, url_or_path: str | Path) -> Ledger:
        """Open a ledger; create it if it is not there, bring it up to date if it is of an earlier creaeval.

        Parameters
        ----------
        url_or_path : str or path
            A path of a SQLite file, or an SQLAlchemy URL such as ``postgresql+psycopg://host/name``.

        Returns
        -------
        Ledger
            The open ledger.

        Raises
        ------
        LedgerError
            The file is no SQLite database or damaged, the database cannot be opened or written, or it is of a
            newer creaeval.
        """
        engine, where = _engine.connect(str(url_or_path))
        ledger = cls(engine, where)
        try:
            ledger.migrate("ledger", _schema.MIGRATIONS, (calls, failures))
        except LedgerError:
            engine.dispose()
            raise
        return ledger

    def migrate(self, part: str, migrations: Sequence[Migration], tables: Sequence[Table]) -> None:
        """Bring the tables of one part of the database up to date.

        Parameters
        ----------
        part : str
            Name of the part; a layer that keeps tables here has a part of its own.
        migrations : sequence of callable
            All migrations of the part in their order, each given a connection with an open transaction.
        tables : sequence of sqlalchemy.Table
            The tables that must be there afterwards.

        Raises
        ------
        LedgerError
            They cannot be brought up to date; nothing was changed.
        """
        with self.guard():
            migrate(self.engine, self.where, part, migrations, tables)

    def close(self) -> None:
        """Close the ledger's connections."""
        with self.guard():
            self._kept.close()
            self.engine.dispose()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def find(self, key: str) -> StoredCall | None:
        """Find the reply of a call.

        Parameters
        ----------
        key : str
            The call's key.

        Returns
        -------
        StoredCall or None
            The reply that is not abandoned, if there is one.

        Raises
        ------
        LedgerError
            The database cannot be read, or the reply is not as it was written.
        """
        with self.guard():
            return self._kept.run(lambda connection: self._find(connection, key))

    def put(self, call: NewCall) -> StoredCall:
        """Commit a reply; when this returns, it is on disk.

        Parameters
        ----------
        call : NewCall
            The reply and what led to it.

        Returns
        -------
        StoredCall
            The reply to use: this one or, if another process answered the same call first, that one.

        Raises
        ------
        LedgerError
            The database cannot be written.
        """
        row = call_row(call)
        values = for_driver(row)

        def work(connection: Connection) -> StoredCall:
            while not insert_live(connection, values):
                if (stored := self._find(connection, call.key)) is not None:
                    # It was paid for all the same, so it stays in the accounts.
                    reason = "another process had answered this call"
                    _INSERT.run(connection, {**values, "state": "abandoned", "reason": reason})
                    return stored
                # Whoever was first has abandoned it in between.
            return stored_call(row)

        with self.guard():
            return self._kept.run(work)

    def mark(self, key: str, state: State, reason: str = "") -> None:
        """Record what became of a reply.

        Parameters
        ----------
        key : str
            The call's key.
        state : str
            ``accepted`` or ``rejected``.
        reason : str
            Why it was rejected, or what was overlooked.

        Raises
        ------
        LedgerError
            The database cannot be written.
        """
        values = {"wanted": key, "new_state": state, "new_reason": storable(reason)}

        def work(connection: Connection) -> None:
            if connection.dialect.name != "sqlite":
                _MARK.run(connection, values)
                return
            # Committed but not synced: a power cut may undo it, and the next run finds it out anew from the
            # reply, which is synced. It saves a third of what a call costs here.
            driver: Any = connection.connection.driver_connection
            driver.execute("PRAGMA synchronous=NORMAL")
            _MARK.run(connection, values)
            driver.execute("PRAGMA synchronous=FULL")

        with self.guard():
            self._kept.run(work)

    def abandon(self, keys: Iterable[str]) -> None:
        """Keep the replies of a failed ask for the accounts only, so that the next run asks afresh.

        Parameters
        ----------
        keys : iterable of str
            Keys of the ask's calls.

        Raises
        ------
        LedgerError
            The database cannot be written.
        """
        statement = update(calls).where(calls.c.key.in_(list(keys)), live).values(state="abandoned")
        with self.guard():
            self._kept.run(lambda connection: connection.execute(statement))

    def put_failure(self, failure: Failure) -> None:
        """Record a request attempt that brought no reply.

        Parameters
        ----------
        failure : Failure
            What happened.

        Raises
        ------
        LedgerError
            The database cannot be written.
        """
        row = failure_row(failure)
        with self.guard():
            self._kept.run(lambda connection: connection.execute(insert(failures), row))

    def totals(self) -> list[Totals]:
        """Sum tokens, seconds and costs per role and model, over everything paid through this ledger.

        Returns
        -------
        list of Totals
            Sorted by role, provider and model.

        Raises
        ------
        LedgerError
            The database cannot be read.
        """
        with self.guard(), self.engine.connect() as connection:
            return _upkeep.totals(connection)

    def failed_attempts(self) -> list[FailedAttempts]:
        """Count the attempts that brought no reply per role, model and kind.

        Returns
        -------
        list of FailedAttempts
            Sorted by role, model and kind.

        Raises
        ------
        LedgerError
            The database cannot be read.
        """
        with self.guard(), self.engine.connect() as connection:
            return _upkeep.failed_attempts(connection)

    def overview(self) -> Overview:
        """Describe what the ledger holds.

        Returns
        -------
        Overview
            Versions, size, calls by state, times.

        Raises
        ------
        LedgerError
            The database cannot be read.
        """
        with self.guard(), self.engine.connect() as connection:
            return _upkeep.overview(connection)

    def check(self) -> Checked:
        """Look for damage, in SQLite's pages and indexes and in every text of every call; reads everything.

        Returns
        -------
        Checked
            What is no damage but worth knowing.

        Raises
        ------
        LedgerError
            There is damage; the message says what and what to do.
        """
        return _upkeep.check(self)

    def prune(self, days: float, *, dry: bool) -> Prunable:
        """Remove texts of abandoned calls and records of failed attempts that are old.

        A reply in use is never touched, and the rows of abandoned calls stay, without their texts, so that
        totals do not change. SQLite then gives the space back.

        Parameters
        ----------
        days : float
            Only what is older than this.
        dry : bool
            Only count what would go.

        Returns
        -------
        Prunable
            What went, or would go.

        Raises
        ------
        LedgerError
            The database cannot be read or written.
        """
        return _upkeep.prune(self, days, dry=dry)

    def export_calls(
        self, path: str | Path, keys: Iterable[str] | None = None, *, live_only: bool = False
    ) -> int:
        """Write replies to a JSON Lines file that another ledger can import.

        Parameters
        ----------
        path : str or path
            The file to write.
        keys : iterable of str, optional
            Only these calls; all if not given. Abandoned replies are never written.
        live_only : bool
            Whether keys without a reply are left out; else they are an error.

        Returns
        -------
        int
            Number of calls written.

        Raises
        ------
        LedgerError
            A key is not in the ledger, a reply is not as it was written, or the file cannot be written.
        """
        from creaeval.llm.ledger._transfer import export_calls

        return export_calls(self, path, keys, live_only=live_only)

    def import_calls(self, path: str | Path, *, skip_broken: bool = False) -> Imported:
        """Read replies that another ledger exported.

        Parameters
        ----------
        path : str or path
            The file to read.
        skip_broken : bool
            Whether lines that are torn or malformed are left out, and their calls asked again when they are
            needed. If not, any such line stops the import and nothing is taken.

        Returns
        -------
        Imported
            Number of calls that were new and known, and the lines that were skipped.

        Raises
        ------
        LedgerError
            The file cannot be read, or lines are torn or malformed; each is named by its number.
        """
        from creaeval.llm.ledger._transfer import import_calls

        return import_calls(self, path, skip_broken=skip_broken)

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Turn database errors into a LedgerError that names the database and says what to do.

        Raises
        ------
        LedgerError
            In place of what SQLAlchemy and the drivers raise.
        """
        try:
            yield
        except DATABASE_ERRORS as error:
            raise LedgerError(explain(error, self.where)) from error

    def _find(self, connection: Connection, key: str) -> StoredCall | None:
        found = _FIND.run(connection, {"wanted": key}).fetchone()
        if found is None:
            return None
        row = dict(zip(_FOUND, found, strict=True))
        if row["key"] != key or not answer_is_whole(row):
            raise LedgerError(damaged(self.where, f"the reply to call {key[:12]} is not as it was written"))
        return stored_call(row)


def for_driver(row: Mapping[str, Any]) -> dict[str, Any]:
    """Turn a row into what the driver takes.

    Parameters
    ----------
    row : mapping
        One row of the table of calls.

    Returns
    -------
    dict
        The row with JSON as text.
    """
    return {**row, **{name: json.dumps(row[name]) for name in _JSON}}


def insert_live(connection: Connection, values: Mapping[str, Any]) -> bool:
    """Insert a call unless its key has a reply already.

    Parameters
    ----------
    connection : sqlalchemy.Connection
        The ledger.
    values : mapping
        One row of the table of calls, from `for_driver`.

    Returns
    -------
    bool
        Whether it was inserted.
    """
    return _INSERT_LIVE.run(connection, values).rowcount == 1
