"""Say in a person's words what a database could not do."""

from __future__ import annotations

import re
import sqlite3
from json import JSONDecodeError

from sqlalchemy.exc import SQLAlchemyError

# What reading may raise: SQLAlchemy's own, sqlite3's from the pragmas of a new connection, and what json, the
# decoder of texts and sqlite3 say to values that damage has made unreadable or longer than memory.
DATABASE_ERRORS = (
    SQLAlchemyError,
    sqlite3.Error,
    JSONDecodeError,
    UnicodeDecodeError,
    MemoryError,
    OverflowError,
)

_LONGEST = 300
_PASSWORD = re.compile(r"(password\s*=\s*)\S+", re.IGNORECASE)


def damaged(where: str, words: str) -> str:
    """Say that a ledger is damaged and what to do.

    Parameters
    ----------
    where : str
        Its name.
    words : str
        What was found.

    Returns
    -------
    str
        The message.
    """
    if "://" in where:
        return f"{where}: this ledger is damaged ({words}). Ask whoever runs the database to restore it."
    return (
        f"{where}: this ledger file is damaged ({words}). It was left as it is. First copy it, with the -wal "
        f'file if there is one. Then save what can be read with `sqlite3 "{where}" .recover | sqlite3 '
        "recovered.db`, or go on in another file with --ledger; calls exported earlier are taken in there "
        "with `creaeval ledger import`."
    )


def explain(error: BaseException, where: str) -> str:
    """Say what went wrong with a database.

    Parameters
    ----------
    error : Exception
        One of ``DATABASE_ERRORS``.
    where : str
        The database's name, without a password.

    Returns
    -------
    str
        The message.
    """
    cause = getattr(error, "orig", None) or error
    words = _short(str(cause))
    code = getattr(cause, "sqlite_errorname", "")
    if isinstance(cause, MemoryError):
        return damaged(where, "a value seems to be longer than memory")
    unreadable = isinstance(cause, JSONDecodeError | UnicodeDecodeError) or "decode to UTF-8" in words
    if unreadable or code.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_IOERR_SHORT_READ")):
        return damaged(where, words)
    if code == "SQLITE_FULL":
        return (
            f"{where}: the disk is full. Every call that was acknowledged is kept; make room and give the "
            "same command again, or choose a file on another disk with --ledger."
        )
    if code.startswith("SQLITE_READONLY"):
        return (
            f"{where}: this ledger may only be read here. Copy it, with the -wal file if there is one, to a "
            "folder where you may write, and name the copy with --ledger."
        )
    if code.startswith("SQLITE_CANTOPEN"):
        return f"{where}: the ledger cannot be opened ({words}). Choose a place to write to with --ledger."
    if code.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return (
            f"{where}: another program has held the ledger for longer than we wait. Give the same command "
            "again when it has ended."
        )
    return f"{where}: the ledger cannot be read or written: {words}"


def _short(words: str) -> str:
    # psycopg goes on for lines, with hints and the values of the row.
    line = " ".join(words.split("\nDETAIL")[0].split())
    line = _PASSWORD.sub(r"\1…", line)
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]} …"
