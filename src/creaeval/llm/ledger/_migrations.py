"""Bring the tables of a database up to date, step by step and once, whoever opens it first."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeAlias

from sqlalchemy import (
    Column,
    Connection,
    Integer,
    MetaData,
    String,
    Table,
    func,
    insert,
    inspect,
    select,
)
from sqlalchemy.exc import DBAPIError
from sqlalchemy.schema import CreateTable

from creaeval.errors import LedgerError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy import Engine

#: One step. It runs in the transaction of all that are pending and must not commit; it spells out its SQL,
#: since it has to do the same when the tables in the code have changed once more.
Migration: TypeAlias = Callable[[Connection], None]

schema_version = Table(
    "schema_version",
    MetaData(),
    Column("part", String(32), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("applied", String(32), nullable=False),
)

# Any number will do, so long as every process takes the same.
_LOCK = 5_203_518_774_309


def migrate(
    engine: Engine, where: str, part: str, migrations: Sequence[Migration], tables: Sequence[Table]
) -> None:
    """Apply the migrations of one part that a database has not seen, all or none; else write nothing.

    Parameters
    ----------
    engine : sqlalchemy.Engine
        The database.
    where : str
        Its name for messages, without a password.
    part : str
        Whose tables these are; each part counts for itself.
    migrations : sequence of callable
        All migrations of the part in their order; the first has number 1.
    tables : sequence of sqlalchemy.Table
        The tables that must be there afterwards.

    Raises
    ------
    LedgerError
        The database is of a newer creaeval, or has tables of the same name that are something else.
    """
    if _is_current(engine, where, part, len(migrations)):
        return
    with _alone(engine) as connection:
        connection.execute(CreateTable(schema_version, if_not_exists=True))
        _check_columns(connection, where, [schema_version])
        # Another process may have been first.
        reached = _number(connection, part)
        _refuse_newer(where, part, reached, len(migrations))
        for number, step in enumerate(migrations[reached:], start=reached + 1):
            step(connection)
            applied = datetime.now(UTC).isoformat(timespec="seconds")
            connection.execute(insert(schema_version).values(part=part, number=number, applied=applied))
        _check_columns(connection, where, tables)


def run_statements(connection: Connection, sql: str) -> None:
    """Run SQL statements that are parted by semicolons.

    Parameters
    ----------
    connection : sqlalchemy.Connection
        With an open transaction.
    sql : str
        The statements; none may hold a semicolon in itself.
    """
    for statement in sql.split(";"):
        connection.exec_driver_sql(statement)


def _is_current(engine: Engine, where: str, part: str, newest: int) -> bool:
    try:
        with engine.connect() as connection:
            number = _number(connection, part)
    except DBAPIError as error:
        # A database without the table, or with another program's table of that name.
        if "schema_version" in str(error.orig) or "no such column" in str(error.orig):
            return False
        raise
    _refuse_newer(where, part, number, newest)
    return number == newest


def _number(connection: Connection, part: str) -> int:
    statement = select(func.max(schema_version.c.number)).where(schema_version.c.part == part)
    return connection.execute(statement).scalar() or 0


def _refuse_newer(where: str, part: str, number: int, newest: int) -> None:
    if number > newest:
        raise LedgerError(
            f"{where}: this ledger was written by a newer creaeval (its {part} tables have version {number}, "
            f"this creaeval knows up to {newest}). Upgrade creaeval, or choose another ledger with --ledger."
        )


@contextmanager
def _alone(engine: Engine) -> Iterator[Connection]:
    """One transaction that no other process migrates beside."""
    if engine.dialect.name != "sqlite":
        with engine.begin() as connection:
            connection.execute(select(func.pg_advisory_xact_lock(_LOCK)))
            yield connection
        return
    # Python's sqlite3 begins no transaction before DDL, and would begin one too late for the lock.
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        try:
            yield connection
        except BaseException:
            with suppress(DBAPIError):  # SQLite has rolled back by itself where the disk was full
                connection.exec_driver_sql("ROLLBACK")
            raise
        connection.exec_driver_sql("COMMIT")


def _check_columns(connection: Connection, where: str, tables: Sequence[Table]) -> None:
    there = inspect(connection)
    for table in tables:
        found = {column["name"] for column in there.get_columns(table.name)}
        if missing := set(table.columns.keys()) - found:
            raise LedgerError(
                f"{where}: its table {table.name!r} has no column {', '.join(sorted(missing))}; "
                "it was written by another version of creaeval or another program, and was left as it is. "
                "Choose another file with --ledger."
            )
