"""What a ledger holds and what it cost."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import case, func, select, text

from creaeval.llm.chat import Usage
from creaeval.llm.ledger._migrations import schema_version
from creaeval.llm.ledger._schema import calls, failures
from creaeval.llm.records import FailedAttempts, Overview, Totals

if TYPE_CHECKING:
    from sqlalchemy import Connection


def totals(connection: Connection) -> list[Totals]:
    """Sum up everything paid; see `Ledger.totals`.

    Parameters
    ----------
    connection : sqlalchemy.Connection
        The ledger.

    Returns
    -------
    list of Totals
        Sorted by role, provider and model.
    """
    by = (calls.c.role, calls.c.provider, calls.c.model)
    sums = (
        func.count(),
        func.sum(case((calls.c.state.in_(["rejected", "abandoned"]), 1), else_=0)),
        func.sum(calls.c.input_tokens),
        func.sum(calls.c.cached_tokens),
        func.sum(calls.c.output_tokens),
        func.sum(calls.c.reasoning_tokens),
        func.sum(calls.c.seconds),
        func.coalesce(func.sum(calls.c.cost_usd), 0.0),
        func.sum(case((calls.c.cost_usd.is_(None), 1), else_=0)),
    )
    statement = select(*by, *sums).where(calls.c.imported.is_(False)).group_by(*by).order_by(*by)
    return [
        Totals(
            role=row[0],
            provider=row[1],
            model=row[2],
            calls=int(row[3]),
            rejected=int(row[4]),
            usage=Usage(*map(int, row[5:9])),
            seconds=row[9],
            cost_usd=row[10],
            unpriced=int(row[11]),
        )
        for row in connection.execute(statement)
    ]


def failed_attempts(connection: Connection) -> list[FailedAttempts]:
    """Count attempts that brought no reply; see `Ledger.failed_attempts`.

    Parameters
    ----------
    connection : sqlalchemy.Connection
        The ledger.

    Returns
    -------
    list of FailedAttempts
        Sorted by role, model and kind.
    """
    by = (failures.c.role, failures.c.model, failures.c.kind)
    statement = select(*by, func.count(), func.sum(failures.c.seconds)).group_by(*by).order_by(*by)
    return [FailedAttempts(*row) for row in connection.execute(statement)]


def overview(connection: Connection) -> Overview:
    """Describe a ledger; see `Ledger.overview`.

    Parameters
    ----------
    connection : sqlalchemy.Connection
        The ledger.

    Returns
    -------
    Overview
        Versions, size, calls by state, times.
    """
    part, number = schema_version.c.part, schema_version.c.number
    versions = connection.execute(select(part, func.max(number)).group_by(part).order_by(part)).all()
    states = connection.execute(
        select(calls.c.state, func.count()).group_by(calls.c.state).order_by(calls.c.state)
    ).all()
    one = select(
        func.count(calls.c.id).filter(calls.c.imported),
        func.coalesce(func.min(calls.c.created), ""),
        func.coalesce(func.max(calls.c.created), ""),
    )
    return Overview(
        {row[0]: row[1] for row in versions},
        _size(connection),
        {row[0]: row[1] for row in states},
        *connection.execute(one).one(),
    )


def _size(connection: Connection) -> int:
    if connection.dialect.name == "sqlite":
        # The first is the main one, empty if it is in memory; a temporary one may follow.
        name = connection.exec_driver_sql("PRAGMA database_list").all()[0][2]
        files = [Path(name), Path(f"{name}-wal")] if name else []
        return sum(file.stat().st_size for file in files if file.exists())
    statement = text(
        "SELECT coalesce(sum(pg_total_relation_size(oid)), 0) FROM pg_class "
        "WHERE relkind = 'r' AND relnamespace = to_regnamespace(current_schema()::text)"
    )
    return int(connection.execute(statement).scalar_one())
