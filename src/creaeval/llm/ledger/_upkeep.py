"""What a ledger holds and cost, whether it is damaged, and what nobody will read again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Text, bindparam, case, cast, delete, func, select, text, update

from creaeval.errors import LedgerError
from creaeval.llm.chat import Usage
from creaeval.llm.ledger._damage import damaged
from creaeval.llm.ledger._migrations import schema_version
from creaeval.llm.ledger._rows import ANSWER, REQUEST, checksum, is_whole
from creaeval.llm.ledger._schema import calls, failures
from creaeval.llm.records import Checked, FailedAttempts, Overview, Prunable, Totals

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Connection

    from creaeval.llm.ledger import Ledger

_MOST_SHOWN = 5
_BATCH = 500
_STREAM = {"yield_per": _BATCH}


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


def check(ledger: Ledger) -> Checked:
    """Look for damage; see `Ledger.check`.

    Parameters
    ----------
    ledger : Ledger
        The ledger.

    Returns
    -------
    Checked
        What is not damage but worth knowing.

    Raises
    ------
    LedgerError
        There is damage.
    """
    unchecked = 0
    with ledger.guard(), ledger.engine.connect() as connection:
        sqlite = connection.dialect.name == "sqlite"
        problems = _problems_of_structure(connection) if sqlite else []
        for found in connection.execute(select(calls), execution_options=_STREAM).mappings():
            row = dict(found)
            unchecked += row["checksum"] is None
            if not is_whole(row):
                problems.append(f"call {row['id']} is not as it was written")
        for _ in connection.execute(select(failures), execution_options=_STREAM):
            pass  # can be read
        missing = _missing(connection) if sqlite else 0
    if problems:
        shown = "; ".join(problems[:_MOST_SHOWN])
        more = f"; {len(problems) - _MOST_SHOWN} more" if len(problems) > _MOST_SHOWN else ""
        raise LedgerError(damaged(ledger.where, shown + more))
    return Checked(missing, unchecked)


def _problems_of_structure(connection: Connection) -> list[str]:
    # Not quick_check: it leaves out whether the index finds every reply, and one not found is paid for again.
    lines = connection.exec_driver_sql(f"PRAGMA integrity_check({_MOST_SHOWN})").scalars().all()
    return [" ".join(str(line).split()) for line in lines if line != "ok"]


def _missing(connection: Connection) -> int:
    # SQLite numbers calls without a gap and we delete none, so the last number is how many there must be.
    statement = (
        "SELECT (SELECT max(seq) FROM sqlite_sequence WHERE name = 'calls'), (SELECT count(*) FROM calls)"
    )
    written, found = connection.execute(text(statement)).one()
    return max(0, int(written or 0) - int(found))


def prune(ledger: Ledger, days: float, *, dry: bool) -> Prunable:
    """Remove what is old and unused; see `Ledger.prune`.

    Parameters
    ----------
    ledger : Ledger
        The ledger.
    days : float
        How old, at least.
    dry : bool
        Only count.

    Returns
    -------
    Prunable
        What went, or would go.
    """
    before = (datetime.now(UTC) - timedelta(days=days)).isoformat(timespec="milliseconds")
    old_failures = failures.c.created < before
    # Their rows stay, so that what was ever paid can still be summed up. A call has messages until then.
    unused = (
        (calls.c.state == "abandoned") & (calls.c.created < before) & (cast(calls.c.messages, Text) != "[]")
    )
    with ledger.guard():
        with ledger.engine.begin() as connection:
            if dry:
                n_calls, n_failures = (
                    connection.execute(select(func.count()).where(rule)).scalar_one()
                    for rule in (unused, old_failures)
                )
                return Prunable(n_calls, n_failures)
            n_calls = _blank(connection, unused)
            n_failures = connection.execute(delete(failures).where(old_failures)).rowcount
        if ledger.engine.dialect.name == "sqlite" and (n_calls or n_failures):
            with ledger.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                connection.exec_driver_sql("VACUUM")
                connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    return Prunable(n_calls, n_failures)


def _blank(connection: Connection, rule: ColumnElement[bool]) -> int:
    blank: dict[str, Any] = {"system": "", "messages": [], "reply": "", "logprobs": None}
    columns = [calls.c[name] for name in ("id", "checksum", "logprobs", *ANSWER, *REQUEST)]
    statement = (
        update(calls).where(calls.c.id == bindparam("row")).values({"checksum": bindparam("sum"), **blank})
    )
    n_blanked = 0
    while rows := connection.execute(select(*columns).where(rule).limit(_BATCH)).mappings().all():
        sums = [{"row": row["id"], "sum": row["checksum"] and checksum({**row, **blank})} for row in rows]
        connection.execute(statement, sums)
        n_blanked += len(rows)
    return n_blanked
