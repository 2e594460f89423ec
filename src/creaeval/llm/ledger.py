"""The ledger: the durable record of calls, in SQLite or another database."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from sqlalchemy import case, func, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import SQLAlchemyError

from creaeval.errors import LedgerError
from creaeval.llm import _engine, _schema
from creaeval.llm._calls import Failure, NewCall, State, StoredCall, Totals
from creaeval.llm._schema import calls, failures, live
from creaeval.llm.chat import Usage
from creaeval.llm.key import answer_settings, schema_hash

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sqlalchemy import Connection, Engine, Row

__all__ = ["Failure", "Ledger", "NewCall", "State", "StoredCall", "Totals"]


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

    @classmethod
    def open(cls, url_or_path: str | Path) -> Ledger:
        """Open a ledger and create it if it is not there.

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
            The file is no SQLite database, or the database cannot be opened or written.
        """
        engine, where = _engine.connect(str(url_or_path))
        ledger = cls(engine, where)
        try:
            with ledger.guard():
                _schema.create_tables(engine, where)
        except LedgerError:
            engine.dispose()
            raise
        return ledger

    def close(self) -> None:
        """Close the ledger's connections."""
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
            The database cannot be read.
        """
        with self.guard(), self.engine.connect() as connection:
            return _find(connection, key)

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
        values = _values(call)
        with self.guard(), self.engine.begin() as connection:
            if not insert_live(connection, values):
                # It was paid for all the same, so it stays in the accounts.
                values |= {"state": "abandoned", "reason": "another process had answered this call"}
                connection.execute(insert(calls).values(values))
            stored = _find(connection, call.key)
        if stored is None:
            raise LedgerError(
                f"{self.where}: the call {call.key[:12]} was removed while it was being written."
            )
        return stored

    def mark(self, key: str, state: State, reason: str = "") -> None:
        """Record what became of a reply.

        Parameters
        ----------
        key : str
            The call's key.
        state : str
            ``accepted`` or ``rejected``.
        reason : str
            Why it was rejected.

        Raises
        ------
        LedgerError
            The database cannot be written.
        """
        statement = update(calls).where(calls.c.key == key, live).values(state=state, reason=reason)
        with self.guard(), self.engine.begin() as connection:
            connection.execute(statement)

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
        with self.guard(), self.engine.begin() as connection:
            connection.execute(statement)

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
        values = {**vars(failure), "label": dict(failure.label), "created": _now()}
        values["message"] = _storable(failure.message)
        with self.guard(), self.engine.begin() as connection:
            connection.execute(insert(failures).values(values))

    def totals(self) -> list[Totals]:
        """Sum tokens and seconds per role and model, over everything paid through this ledger.

        Returns
        -------
        list of Totals
            Sorted by role, provider and model.

        Raises
        ------
        LedgerError
            The database cannot be read.
        """
        by = (calls.c.role, calls.c.provider, calls.c.model)
        tokens = (
            calls.c.input_tokens,
            calls.c.cached_tokens,
            calls.c.output_tokens,
            calls.c.reasoning_tokens,
        )
        unusable = case((calls.c.state.in_(["rejected", "abandoned"]), 1), else_=0)
        sums = (func.count(), func.sum(unusable), func.sum(calls.c.seconds), *map(func.sum, tokens))
        statement = select(*by, *sums).where(calls.c.imported.is_(False)).group_by(*by).order_by(*by)
        with self.guard(), self.engine.connect() as connection:
            rows = connection.execute(statement).all()
        return [
            Totals(
                row[0], row[1], row[2], int(row[3]), int(row[4]), Usage(*map(int, row[6:10])), float(row[5])
            )
            for row in rows
        ]

    def export_calls(self, path: str | Path, keys: Iterable[str] | None = None) -> int:
        """Write replies to a JSON Lines file that another ledger can import.

        Parameters
        ----------
        path : str or path
            The file to write.
        keys : iterable of str, optional
            Only these calls; all if not given. Abandoned replies are never written.

        Returns
        -------
        int
            Number of calls written.

        Raises
        ------
        LedgerError
            A key is not in the ledger, or the file cannot be written.
        """
        from creaeval.llm._transfer import export_calls

        return export_calls(self, Path(path), keys)

    def import_calls(self, path: str | Path) -> int:
        """Read replies that another ledger exported; all or, if any line is wrong, none.

        Parameters
        ----------
        path : str or path
            The file to read.

        Returns
        -------
        int
            Number of calls that were new.

        Raises
        ------
        LedgerError
            The file cannot be read, or lines are torn or malformed; each is named by its number.
        """
        from creaeval.llm._transfer import import_calls

        return import_calls(self, Path(path))

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Turn database errors into a LedgerError that names the database.

        Raises
        ------
        LedgerError
            In place of any SQLAlchemy error.
        """
        try:
            yield
        except (SQLAlchemyError, sqlite3.Error) as error:
            # The pragmas of a new connection fail with sqlite3's own errors.
            words = getattr(error, "orig", None) or error
            raise LedgerError(f"{self.where}: the ledger cannot be read or written: {words}") from error


def insert_live(connection: Connection, values: dict[str, Any]) -> bool:
    """Insert a call unless its key has a reply already.

    Parameters
    ----------
    connection : sqlalchemy.Connection
        A connection with an open transaction.
    values : dict
        One row of the table of calls.

    Returns
    -------
    bool
        Whether it was inserted.
    """
    # A duplicate must not raise: on PostgreSQL it would end the whole transaction.
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    statement = dialect.insert(calls).values(values)
    result = connection.execute(statement.on_conflict_do_nothing(index_elements=["key"], index_where=live))
    return result.rowcount == 1


def _find(connection: Connection, key: str) -> StoredCall | None:
    row = connection.execute(select(calls).where(calls.c.key == key, live)).one_or_none()
    return None if row is None else _stored(row)


def _stored(row: Row[Any]) -> StoredCall:
    usage = Usage(row.input_tokens, row.cached_tokens, row.output_tokens, row.reasoning_tokens)
    state = cast("State", row.state)
    return StoredCall(
        row.key, row.reply, row.finish, usage, row.seconds, row.model_reported, state, row.reason
    )


def _values(call: NewCall) -> dict[str, Any]:
    request, reply = call.request, call.reply
    return {
        "key": call.key,
        "created": _now(),
        "provider": call.identity.get("provider", ""),
        "base_url": call.identity.get("base_url", ""),
        "model": call.identity.get("model", ""),
        "identity": dict(call.identity),
        "role": call.role,
        "label": dict(call.label),
        "settings": answer_settings(request.settings),
        "system": _storable(request.system),
        "messages": [{"role": message.role, "text": message.text} for message in request.messages],
        "schema_hash": schema_hash(request.schema),
        "schema_name": request.schema_name,
        "repeat": call.repeat,
        "reply": _storable(reply.text),
        "finish": reply.finish,
        "model_reported": reply.model,
        "input_tokens": reply.usage.input,
        "cached_tokens": reply.usage.cached,
        "output_tokens": reply.usage.output,
        "reasoning_tokens": reply.usage.reasoning,
        "seconds": reply.seconds,
        "state": "replied",
        "reason": "",
        "imported": False,
    }


def _storable(text: str) -> str:
    # No database stores half a surrogate pair, and PostgreSQL no NUL; models do write both.
    return text.encode("utf-8", "replace").decode().replace("\x00", "�")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
