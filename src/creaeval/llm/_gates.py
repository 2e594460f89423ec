"""One lock per call, so that two asks for the same reply pay once."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


class KeyLocks:
    """Locks by key that are forgotten when nobody holds or awaits them."""

    def __init__(self) -> None:
        self._locks: dict[str, tuple[asyncio.Lock, int]] = {}

    @asynccontextmanager
    async def hold(self, key: str) -> AsyncIterator[None]:
        """Hold the lock of a key."""
        lock, users = self._locks.get(key, (asyncio.Lock(), 0))
        self._locks[key] = (lock, users + 1)
        try:
            async with lock:
                yield
        finally:
            lock, users = self._locks.pop(key)
            if users > 1:
                self._locks[key] = (lock, users - 1)


# By event loop, since asyncio's locks belong to one, and by ledger.
_LOCKS: WeakKeyDictionary[asyncio.AbstractEventLoop, WeakKeyDictionary[object, KeyLocks]] = (
    WeakKeyDictionary()
)


def key_locks(ledger: object) -> KeyLocks:
    """Return the locks that all asks of a ledger share in the running loop."""
    of_loop = _LOCKS.setdefault(asyncio.get_running_loop(), WeakKeyDictionary())
    return of_loop.setdefault(ledger, KeyLocks())
