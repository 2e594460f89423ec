"""Carry replies from one ledger to another as JSON Lines."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from creaeval.errors import LedgerError
from creaeval.llm._schema import calls, live
from creaeval.llm.key import key_of_parts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from creaeval.llm.ledger import Ledger

_FIELDS = [name for name in calls.columns.keys() if name not in ("id", "imported")]  # noqa: SIM118 - not a dict
_MOST_PROBLEMS = 10


def export_calls(ledger: Ledger, path: Path, keys: Iterable[str] | None) -> int:
    """Write replies to a file; see `Ledger.export_calls`.

    Parameters
    ----------
    ledger : Ledger
        Where they come from.
    path : pathlib.Path
        The file.
    keys : iterable of str or None
        Which calls, or all.

    Returns
    -------
    int
        Number of calls written.

    Raises
    ------
    LedgerError
        A key is missing, or the file cannot be written.
    """
    columns = [calls.c[name] for name in _FIELDS]
    with ledger.guard(), ledger.engine.connect() as connection:
        rows = connection.execute(select(*columns).where(live).order_by(calls.c.id)).mappings().all()
    if keys is not None:
        wanted = set(keys)
        if missing := wanted - {row["key"] for row in rows}:
            first = min(missing)[:12]
            raise LedgerError(
                f"{ledger.where}: {len(missing)} of the calls to export are not in it ({first} …)."
            )
        rows = [row for row in rows if row["key"] in wanted]
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with beside.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(json.dumps(dict(row), sort_keys=True) + "\n" for row in rows)
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise LedgerError(f"{path}: cannot be written: {error.strerror}.") from None
    return len(rows)


def import_calls(ledger: Ledger, path: Path) -> int:
    """Read replies from a file; see `Ledger.import_calls`.

    Parameters
    ----------
    ledger : Ledger
        Where they go.
    path : pathlib.Path
        The file.

    Returns
    -------
    int
        Number of calls that were new.

    Raises
    ------
    LedgerError
        The file cannot be read, or lines are wrong.
    """
    from creaeval.llm.ledger import insert_live

    rows = list(_rows(path))
    with ledger.guard(), ledger.engine.begin() as connection:
        return sum(insert_live(connection, row) for row in rows)


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise LedgerError(f"{path}: cannot be read: {error.strerror}.") from None
    rows: list[dict[str, Any]] = []
    problems: list[str] = []
    for number, line in enumerate(lines, start=1):
        try:
            rows.append(_row(line))
        except ValueError as error:
            problems.append(f"{path}, line {number}: {error}")
    if problems:
        shown = problems[:_MOST_PROBLEMS]
        if len(problems) > len(shown):
            shown.append(f"{len(problems) - len(shown)} more lines are wrong.")
        raise LedgerError("\n".join([*shown, "Nothing was imported."]))
    return iter(rows)


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
    if missing := [name for name in _FIELDS if name not in row]:
        raise ValueError(f"found no field {', '.join(missing)}, expected a whole call")
    for name in _FIELDS:
        if not isinstance(row[name], _python_types(name)) or isinstance(row[name], bool):
            raise ValueError(f"{name}: found {row[name]!r}, which is no {calls.c[name].type}")
    parts = ("identity", "settings", "system", "messages", "schema_hash", "schema_name", "repeat")
    try:
        key = key_of_parts(**{name: row[name] for name in parts})
    except (TypeError, ValueError):
        key = ""
    if key != row["key"]:
        raise ValueError("the key does not match the call's content, so the line was changed")
    if row["state"] not in ("replied", "accepted", "rejected"):
        raise ValueError(f"state: found {row['state']!r}, expected replied, accepted or rejected")
    return {**{name: row[name] for name in _FIELDS}, "imported": True}
