"""The ledger's two tables."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Engine,
    Float,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    inspect,
)
from sqlalchemy.schema import CreateIndex, CreateTable

from creaeval.errors import LedgerError

metadata = MetaData()

calls = Table(
    "calls",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("key", String(64), nullable=False),
    Column("created", String(32), nullable=False),
    Column("provider", String(64), nullable=False),
    Column("base_url", Text, nullable=False),
    Column("model", Text, nullable=False),
    Column("identity", JSON, nullable=False),
    Column("role", String(64), nullable=False),
    Column("label", JSON, nullable=False),
    Column("settings", JSON, nullable=False),
    Column("system", Text, nullable=False),
    Column("messages", JSON, nullable=False),
    Column("schema_hash", String(64), nullable=False),
    Column("schema_name", Text, nullable=False),
    Column("repeat", Integer, nullable=False),
    Column("reply", Text, nullable=False),
    Column("finish", String(16), nullable=False),
    Column("model_reported", Text, nullable=False),
    Column("input_tokens", Integer, nullable=False),
    Column("cached_tokens", Integer, nullable=False),
    Column("output_tokens", Integer, nullable=False),
    Column("reasoning_tokens", Integer, nullable=False),
    Column("seconds", Float, nullable=False),
    Column("state", String(16), nullable=False),
    Column("reason", Text, nullable=False),
    # An imported call was paid for elsewhere, so totals leave it out.
    Column("imported", Boolean, nullable=False),
    sqlite_autoincrement=True,
)

live = calls.c.state != "abandoned"

# One usable reply a key; abandoned ones are kept beside it for the accounts.
one_live_reply = Index(
    "calls_one_live_reply", calls.c.key, unique=True, sqlite_where=live, postgresql_where=live
)

failures = Table(
    "failures",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("key", String(64), nullable=False),
    Column("created", String(32), nullable=False),
    Column("model", Text, nullable=False),
    Column("role", String(64), nullable=False),
    Column("label", JSON, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("kind", String(32), nullable=False),
    Column("message", Text, nullable=False),
    Column("seconds", Float, nullable=False),
    sqlite_autoincrement=True,
)


def create_tables(engine: Engine, where: str) -> None:
    """Create the tables that are missing and check those that are there.

    Parameters
    ----------
    engine : sqlalchemy.Engine
        The database.
    where : str
        Its name for messages, without a password.

    Raises
    ------
    LedgerError
        A table of the same name has other columns.
    """
    with engine.begin() as connection:
        # create_all checks and then creates, which fails when two processes start at once.
        connection.execute(CreateTable(calls, if_not_exists=True))
        connection.execute(CreateTable(failures, if_not_exists=True))
        connection.execute(CreateIndex(one_live_reply, if_not_exists=True))
        there = inspect(connection)
        for table in (calls, failures):
            missing = set(table.columns.keys()) - {column["name"] for column in there.get_columns(table.name)}
            if missing:
                raise LedgerError(
                    f"{where}: its table {table.name!r} has no column {', '.join(sorted(missing))}; "
                    "it was written by another version of creaeval or another program. "
                    "Choose another file with --ledger."
                )
