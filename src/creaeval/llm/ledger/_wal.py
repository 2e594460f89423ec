"""See to it that the -wal file beside a SQLite ledger is its own, before SQLite takes it for its own.

SQLite applies any well-formed ``-wal`` file that it finds beside a database, and copies it into the database
when the last connection closes. One that another ledger left there, say because its ``.db`` was replaced with
a backup while the ``-wal`` of a killed run still lay beside it, would so replace calls for good.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from creaeval.errors import LedgerError

if TYPE_CHECKING:
    from pathlib import Path

# https://www.sqlite.org/fileformat2.html: sizes in a -wal file, and an offset in a database's first page
_HEADER, _FRAME_HEADER = 32, 24
_MAGIC = (0x377F0682, 0x377F0683)
_USER_VERSION = slice(60, 64)


def check_wal(path: Path) -> None:
    """Refuse a ledger beside which lies the -wal file of another database.

    Parameters
    ----------
    path : pathlib.Path
        The ledger's file; it may be missing.

    Raises
    ------
    LedgerError
        The -wal file is not that of this file.
    """
    # What another process is just writing may look wrong for a moment.
    for pause in (0.05, 0.2, None):
        problem = _problem(path)
        if problem is None:
            return
        if pause is not None:
            time.sleep(pause)
    raise LedgerError(
        f"{path}: {problem}. Opening it would mix the two, so both were left as they are. Put the file back "
        f"to which {path.name}-wal belongs, or move {path.name}-wal away, or name another file with --ledger."
    )


def _problem(path: Path) -> str | None:
    found = _mark_in_wal(path.with_name(f"{path.name}-wal"))
    if found is None:
        return None
    has_frames, mark = found
    head = b""
    if path.exists():
        with path.open("rb") as file:
            head = file.read(100)
    if not head:
        return f"there is no database, but {path.name}-wal beside it holds calls" if has_frames else None
    own = head[_USER_VERSION]
    # A ledger that has not been given its mark yet, or whose mark is still in the -wal file only.
    if mark is None or not any(own) or mark == own:
        return None
    return f"{path.name}-wal beside it belongs to another database"


def _mark_in_wal(wal: Path) -> tuple[bool, bytes | None] | None:
    """Say whether a -wal file holds pages, and which mark the first page has in its newest copy there."""
    if not wal.exists():
        return None
    with wal.open("rb", buffering=0) as file:
        header = file.read(_HEADER)
        if len(header) < _HEADER or int.from_bytes(header[:4], "big") not in _MAGIC:
            return None
        page_size = int.from_bytes(header[8:12], "big")
        salts = header[16:24]
        mark: bytes | None = None
        at = _HEADER
        # Other salts are those of an earlier round, which is written over from the start.
        while len(frame := file.read(_FRAME_HEADER)) == _FRAME_HEADER and frame[8:16] == salts:
            if int.from_bytes(frame[:4], "big") == 1:
                mark = file.read(_USER_VERSION.stop)[_USER_VERSION]
            at += _FRAME_HEADER + page_size
            file.seek(at)
    return at > _HEADER, mark
