"""Open a database for the ledger, and refuse a file that is something else."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import create_engine, event, make_url
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError, NoSuchModuleError

from creaeval.errors import LedgerError

if TYPE_CHECKING:
    from sqlalchemy import Engine

_MAGIC = b"SQLite format 3\x00"
_DIALECTS = ("sqlite", "postgresql")


def connect(url_or_path: str) -> tuple[Engine, str]:
    """Make an engine for a path or a URL.

    Parameters
    ----------
    url_or_path : str
        A path of a SQLite file, or an SQLAlchemy URL.

    Returns
    -------
    engine : sqlalchemy.Engine
        Not connected yet.
    where : str
        The database's name for messages, without a password.

    Raises
    ------
    LedgerError
        The URL cannot be read, its driver is missing, or the file is no SQLite database.
    """
    url = _url(url_or_path)
    where = str(url.database) if _is_file(url) else url.render_as_string(hide_password=True)
    if _is_file(url):
        _check_file(Path(str(url.database)))
    try:
        engine = create_engine(url)
    except ImportError as error:
        raise LedgerError(
            f"{where}: the Python driver for this database is not installed ({error.name}). "
            'For PostgreSQL: pip install "psycopg[binary]"'
        ) from None
    if url.get_backend_name() == "sqlite":
        event.listen(engine, "connect", _prepare)
    return engine, where


def _url(url_or_path: str) -> URL:
    if "://" not in url_or_path:
        return URL.create("sqlite", database=str(Path(url_or_path).expanduser()))
    try:
        url = make_url(url_or_path)
        backend = url.get_backend_name()
        url.get_dialect()
    except (ArgumentError, NoSuchModuleError, ValueError):
        # The text itself may hold a password, so it is not repeated.
        raise LedgerError(
            "The ledger's URL cannot be read; expected a path or a URL such as postgresql+psycopg://user@host/name."
        ) from None
    except ImportError:
        backend = url.get_backend_name()
    if backend not in _DIALECTS:
        raise LedgerError(f"The ledger's URL names {backend!r}; expected one of {', '.join(_DIALECTS)}.")
    return url


def _is_file(url: URL) -> bool:
    return url.get_backend_name() == "sqlite" and bool(url.database) and url.database != ":memory:"


def _check_file(path: Path) -> None:
    if path.is_dir():
        raise LedgerError(f"{path}: this is a folder; the ledger needs a file, such as {path / 'ledger.db'}.")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        head = b""
        if path.exists():
            with path.open("rb") as file:
                head = file.read(len(_MAGIC))
    except OSError as error:
        raise LedgerError(f"{path}: the ledger cannot be opened: {error.strerror}.") from None
    if head and head != _MAGIC:
        raise LedgerError(
            f"{path}: this file is not a SQLite database, so it was left as it is. "
            "Choose another file with --ledger, or move this one away."
        )


def _prepare(connection: Any, _record: object) -> None:
    cursor = connection.cursor()
    cursor.execute("PRAGMA busy_timeout=30000")
    cursor.execute("PRAGMA synchronous=FULL")
    # The busy timeout does not cover the change to WAL, which two processes may make at once.
    for pause in (0.01, 0.05, 0.2, 0.5, 1.0, None):
        try:
            cursor.execute("PRAGMA journal_mode=WAL")
            break
        except Exception as error:
            if pause is None or "locked" not in str(error):
                raise
            time.sleep(pause)
    cursor.close()
