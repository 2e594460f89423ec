"""Carry replies from one ledger to another as JSON Lines."""

from __future__ import annotations

import json
import math
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from creaeval.errors import LedgerError
from creaeval.llm.key import key_of_parts
from creaeval.llm.ledger._damage import damaged
from creaeval.llm.ledger._rows import checksum, is_whole, storable
from creaeval.llm.ledger._schema import calls, live
from creaeval.llm.records import Imported

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from creaeval.llm.ledger import Ledger

_FIELDS = [name for name in calls.columns.keys() if name not in ("id", "imported")]  # noqa: SIM118 - not a dict
# Exports of earlier versions lack them.
_OPTIONAL = [name for name in _FIELDS if calls.c[name].nullable]
_MOST_PROBLEMS = 10
_BATCH = 200
_INT = range(-(2**31), 2**31)


def export_calls(ledger: Ledger, path: str | Path, keys: Iterable[str] | None, *, live_only: bool) -> int:
    """Write replies to a file; see `Ledger.export_calls`.

    Parameters
    ----------
    ledger : Ledger
        Where they come from.
    path : str or pathlib.Path
        The file.
    keys : iterable of str or None
        Which calls, or all.
    live_only : bool
        Whether keys without a reply are left out.

    Returns
    -------
    int
        Number of calls written.

    Raises
    ------
    LedgerError
        A key is missing, or the file cannot be written.
    """
    path = Path(path)
    wanted = None if keys is None else set(keys)
    seen: set[str] = set()
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with beside.open("w", encoding="utf-8", newline="\n") as file:
            for row in _live_rows(ledger):
                if wanted is None or row["key"] in wanted:
                    file.write(json.dumps(row, sort_keys=True) + "\n")
                    seen.add(row["key"])
        if wanted is not None and not live_only and (missing := wanted - seen):
            first = min(missing)[:12]
            raise LedgerError(
                f"{ledger.where}: {len(missing)} of the calls to export are not in it ({first} …)."
            )
        beside.replace(path)
    except OSError as error:
        raise LedgerError(f"{path}: cannot be written: {error.strerror}.") from None
    finally:
        with suppress(OSError):
            beside.unlink()
    return len(seen)


def _live_rows(ledger: Ledger) -> Iterator[dict[str, Any]]:
    statement = select(*(calls.c[name] for name in _FIELDS)).where(live).order_by(calls.c.id)
    with ledger.guard(), ledger.engine.connect() as connection:
        for found in connection.execution_options(yield_per=_BATCH).execute(statement).mappings():
            row = dict(found)
            if not is_whole(row):
                words = f"the reply to call {str(row['key'])[:12]} is not as it was written"
                raise LedgerError(damaged(ledger.where, words))
            yield row


def import_calls(ledger: Ledger, path: str | Path, *, skip_broken: bool) -> Imported:
    """Read replies from a file; see `Ledger.import_calls`.

    Parameters
    ----------
    ledger : Ledger
        Where they go.
    path : str or pathlib.Path
        The file.
    skip_broken : bool
        Whether broken lines are left out.

    Returns
    -------
    Imported
        What was done.

    Raises
    ------
    LedgerError
        The file cannot be read, or lines are wrong.
    """
    from creaeval.llm.ledger.ledger import for_driver, insert_live

    path = Path(path)
    rows, broken = _read(path)
    if broken and not skip_broken:
        shown = broken[:_MOST_PROBLEMS]
        if len(broken) > len(shown):
            shown.append(f"{len(broken) - len(shown)} more lines are wrong.")
        raise LedgerError(
            "\n".join(
                [
                    *shown,
                    f"Nothing was imported. With --skip-broken the other {len(rows)} lines are taken; calls "
                    "that are missing then are asked again.",
                ]
            )
        )
    with ledger.guard(), ledger.engine.begin() as connection:
        new = sum(insert_live(connection, for_driver(row)) for row in rows)
    return Imported(new, len(rows) - new, tuple(broken))


def _read(path: Path) -> tuple[list[dict[str, Any]], list[str]]:
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise LedgerError(f"{path}: cannot be read: {error.strerror}.") from None
    rows: list[dict[str, Any]] = []
    broken: list[str] = []
    for number, line in enumerate(lines, start=1):
        try:
            rows.append(_row(line))
        except ValueError as error:
            broken.append(f"{path}, line {number}: {error}")
    return rows, broken


def _python_types(name: str) -> tuple[type, ...]:
    stored = calls.c[name].type.python_type
    return {float: (int, float), dict: (dict, list)}.get(stored, (stored,))


def _row(line: bytes) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        raise ValueError("found a torn or malformed line, expected one JSON object") from None
    if not isinstance(row, dict):
        raise ValueError("found no JSON object, expected one call")
    row = {**dict.fromkeys(_OPTIONAL), **row}
    if missing := [name for name in _FIELDS if name not in row]:
        raise ValueError(f"found no field {', '.join(missing)}, expected a whole call")
    for name in _FIELDS:
        _check_value(name, row[name])
    parts = ("identity", "settings", "system", "messages", "schema_hash", "schema_name", "repeat")
    try:
        key = key_of_parts(**{name: row[name] for name in parts})
    except (TypeError, ValueError, AttributeError):
        key = ""
    if key != row["key"]:
        raise ValueError("the key does not match the call's content, so the line was changed")
    if row["checksum"] not in (None, checksum(row)):
        raise ValueError("the checksum does not match the reply, so the line was changed")
    if row["state"] not in ("replied", "accepted", "rejected"):
        raise ValueError(f"state: found {row['state']!r}, expected replied, accepted or rejected")
    row = {name: storable(row[name]) if isinstance(row[name], str) else row[name] for name in _FIELDS}
    row |= {"seconds": float(row["seconds"]), "imported": True}
    if row["cost_usd"] is not None:
        row["cost_usd"] = float(row["cost_usd"])
    return {**row, "checksum": checksum(row)}


def _check_value(name: str, value: Any) -> None:
    column = calls.c[name]
    if value is None and column.nullable:
        return
    if not isinstance(value, _python_types(name)) or isinstance(value, bool):
        raise ValueError(f"{name}: found {value!r:.60}, which is no {column.type}")
    if (isinstance(value, int) and value not in _INT) or (
        isinstance(value, float) and not math.isfinite(value)
    ):
        raise ValueError(f"{name}: found {value!r:.60}, which no ledger holds")
