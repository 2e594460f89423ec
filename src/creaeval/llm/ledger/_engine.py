"""Open a database for the ledger, and refuse a file that is something else."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import create_engine, event, make_url
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError

from creaeval.errors import LedgerError
from creaeval.llm.ledger._wal import check_wal

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Connection, Engine

T = TypeVar("T")

_MAGIC = b"SQLite format 3\x00"
_DIALECTS = ("sqlite", "postgresql")
# Seconds; psycopg waits more than two minutes for a server that does not answer.
_CONNECT_TIMEOUT = 10


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
    file = _file(url)
    where = str(file) if file else url.render_as_string(hide_password=True)
    options: dict[str, Any] = {}
    if file is not None:
        _check_file(file)
        if reading_only := _reading_only(file):
            options["creator"] = lambda: sqlite3.connect(reading_only, uri=True, check_same_thread=False)
    elif url.get_backend_name() == "postgresql" and "connect_timeout" not in url.query:
        options["connect_args"] = {"connect_timeout": _CONNECT_TIMEOUT}
    try:
        engine = create_engine(url, **options)
    except ImportError as error:
        raise LedgerError(
            f"{where}: the Python driver for this database is not installed ({error.name}). "
            'For PostgreSQL: pip install "creaeval[postgres]"'
        ) from None
    if url.get_backend_name() == "sqlite":
        event.listen(engine, "connect", _prepare)
    return engine, where


class KeptConnection:
    """One connection that stays open, for the statements of every call, each a transaction of its own.

    A connection from the pool and a transaction around one statement would cost as much as the statement. Any
    thread may use it, one at a time.

    Parameters
    ----------
    engine : sqlalchemy.Engine
        The database.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._lock = threading.Lock()
        self._connection: Connection | None = None

    def run(self, work: Callable[[Connection], T]) -> T:
        """Do something with the connection.

        Parameters
        ----------
        work : callable
            Given the connection; it is given a new one and does all again if a server has dropped the old one
            since it was last used.

        Returns
        -------
        T
            What the work returned.

        Raises
        ------
        sqlalchemy.exc.SQLAlchemyError
            From the database.
        """
        with self._lock:
            if self._connection is not None:
                try:
                    return self._try(work, self._connection)
                except DBAPIError as error:
                    if not error.connection_invalidated:
                        raise
            self._connection = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
            return self._try(work, self._connection)

    def close(self) -> None:
        """Close the connection; the next use opens another."""
        with self._lock:
            self._drop()

    def _try(self, work: Callable[[Connection], T], connection: Connection) -> T:
        try:
            return work(connection)
        except BaseException:
            # Whatever state it was left in, also by Ctrl-C, ends with it.
            self._drop()
            raise

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


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


def _file(url: URL) -> Path | None:
    database = url.database
    if url.get_backend_name() != "sqlite" or not database or database == ":memory:":
        return None
    # SQLite's own URIs say what they want; we leave them alone.
    return None if database.startswith("file:") else Path(database)


def _check_file(path: Path) -> None:
    if path.is_dir():
        raise LedgerError(f"{path}: this is a folder; the ledger needs a file, such as {path / 'ledger.db'}.")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        head = b""
        if path.exists():
            with path.open("rb") as file:
                head = file.read(len(_MAGIC))
        if head and head != _MAGIC:
            raise LedgerError(
                f"{path}: this file is not a SQLite database, so it was left as it is. "
                "Choose another file with --ledger, or move this one away. If it was a ledger, it is "
                "damaged: calls exported earlier are taken into a new one with `creaeval ledger import`."
            )
        check_wal(path)
    except OSError as error:
        raise LedgerError(
            f"{path}: the ledger cannot be opened: {error.strerror}. Choose a place where you may write with "
            "--ledger."
        ) from None


def _reading_only(path: Path) -> str | None:
    """Return SQLite's URI for a file that may only be read; SQLite would want to write beside it."""
    if not path.exists() or (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
        return None
    beside = [path.with_name(f"{path.name}{end}") for end in ("-wal", "-shm")]
    # Without these nobody is writing to it, so it can be read without the locks that need them.
    still = "" if any(file.exists() and file.stat().st_size for file in beside) else "&immutable=1"
    return f"{path.absolute().as_uri()}?mode=ro{still}"


def _prepare(connection: Any, _record: object) -> None:
    cursor = connection.cursor()
    cursor.execute("PRAGMA busy_timeout=30000")
    cursor.execute("PRAGMA synchronous=FULL")
    # The busy timeout does not cover the change to WAL, which two processes may make at once.
    for pause in (0.01, 0.05, 0.2, 0.5, 1.0, None):
        try:
            cursor.execute("PRAGMA journal_mode=WAL")
            break
        except sqlite3.OperationalError as error:
            if error.sqlite_errorname.startswith("SQLITE_READONLY"):
                break  # it can be read as it is
            if pause is None or "locked" not in str(error):
                raise
            time.sleep(pause)
    cursor.close()
