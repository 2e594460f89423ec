"""The ledger's tables, and how an older ledger becomes one of today."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Float,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    literal_column,
)

from creaeval.llm.ledger._migrations import run_statements

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from creaeval.llm.ledger._migrations import Migration

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
    Column("cost_usd", Float),
    Column("attempts", Integer),
    # JSON that the database need not look into; see creaeval.llm.logprobs.
    Column("logprobs", Text),
    # SQLite notices damage to its structure but not to a text; see creaeval.llm.ledger._rows.
    Column("checksum", String(32)),
    sqlite_autoincrement=True,
)

# Written out, not bound: only then do planner and ON CONFLICT see that the index below fits.
live = calls.c.state != literal_column("'abandoned'")

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
    Column("status", Integer),
    sqlite_autoincrement=True,
)


def _as_it_began(connection: Connection) -> None:
    # Ledgers from before migrations have these tables already, or some of them.
    serial = (
        "INTEGER PRIMARY KEY AUTOINCREMENT" if connection.dialect.name == "sqlite" else "SERIAL PRIMARY KEY"
    )
    run_statements(
        connection,
        f"""
        CREATE TABLE IF NOT EXISTS calls (
            id {serial},
            key VARCHAR(64) NOT NULL,
            created VARCHAR(32) NOT NULL,
            provider VARCHAR(64) NOT NULL,
            base_url TEXT NOT NULL,
            model TEXT NOT NULL,
            identity JSON NOT NULL,
            role VARCHAR(64) NOT NULL,
            label JSON NOT NULL,
            settings JSON NOT NULL,
            system TEXT NOT NULL,
            messages JSON NOT NULL,
            schema_hash VARCHAR(64) NOT NULL,
            schema_name TEXT NOT NULL,
            repeat INTEGER NOT NULL,
            reply TEXT NOT NULL,
            finish VARCHAR(16) NOT NULL,
            model_reported TEXT NOT NULL,
            input_tokens INTEGER NOT NULL,
            cached_tokens INTEGER NOT NULL,
            output_tokens INTEGER NOT NULL,
            reasoning_tokens INTEGER NOT NULL,
            seconds FLOAT NOT NULL,
            state VARCHAR(16) NOT NULL,
            reason TEXT NOT NULL,
            imported BOOLEAN NOT NULL
        );
        CREATE UNIQUE INDEX IF NOT EXISTS calls_one_live_reply ON calls (key) WHERE state != 'abandoned';
        CREATE TABLE IF NOT EXISTS failures (
            id {serial},
            key VARCHAR(64) NOT NULL,
            created VARCHAR(32) NOT NULL,
            model TEXT NOT NULL,
            role VARCHAR(64) NOT NULL,
            label JSON NOT NULL,
            attempt INTEGER NOT NULL,
            kind VARCHAR(32) NOT NULL,
            message TEXT NOT NULL,
            seconds FLOAT NOT NULL
        )
        """,
    )


def _costs_attempts_and_checksums(connection: Connection) -> None:
    run_statements(
        connection,
        """
        ALTER TABLE calls ADD COLUMN cost_usd FLOAT;
        ALTER TABLE calls ADD COLUMN attempts INTEGER;
        ALTER TABLE calls ADD COLUMN checksum VARCHAR(32);
        ALTER TABLE failures ADD COLUMN status INTEGER
        """,
    )
    if connection.dialect.name == "sqlite":
        # A mark by which a -wal file of another ledger is told from this one's; see creaeval.llm.ledger._wal.
        connection.exec_driver_sql(f"PRAGMA user_version = {secrets.randbelow(2**31 - 1) + 1}")


def _token_probabilities(connection: Connection) -> None:
    run_statements(connection, "ALTER TABLE calls ADD COLUMN logprobs TEXT")


MIGRATIONS: tuple[Migration, ...] = (_as_it_began, _costs_attempts_and_checksums, _token_probabilities)
