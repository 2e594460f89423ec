"""What asks share: the limiter of a model, and one lock per call."""

from __future__ import annotations

import asyncio
import weakref
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Generic, TypeVar

from creaeval.llm.chat import Limits
from creaeval.llm.limiter import Limiter

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

T = TypeVar("T")


class PerObject(Generic[T]):
    """One value for each live object and event loop.

    Objects are told apart by identity: a model or ledger need not be hashable. asyncio's locks belong to
    a loop, so a new loop gets a new value.
    """

    def __init__(self) -> None:
        self._values: dict[int, tuple[weakref.ref[object], weakref.ref[asyncio.AbstractEventLoop], T]] = {}

    def find(self, owner: object) -> T | None:
        """Find the value of an object in the running loop.

        Parameters
        ----------
        owner : object
            The object.

        Returns
        -------
        T or None
            Its value, if it was set.
        """
        entry = self._values.get(id(owner))
        if entry is None or entry[0]() is not owner or entry[1]() is not asyncio.get_running_loop():
            return None
        return entry[2]

    def set(self, owner: object, value: T) -> T:
        """Set the value of an object in the running loop.

        Parameters
        ----------
        owner : object
            The object.
        value : T
            Its value.

        Returns
        -------
        T
            The value.
        """
        number = id(owner)

        def forget(gone: weakref.ref[object]) -> None:
            if number in self._values and self._values[number][0] is gone:
                del self._values[number]

        self._values[number] = (
            weakref.ref(owner, forget),
            weakref.ref(asyncio.get_running_loop()),
            value,
        )
        return value


class KeyLocks:
    """Locks by key that are forgotten when nobody holds or awaits them."""

    def __init__(self) -> None:
        self._locks: dict[str, tuple[asyncio.Lock, int]] = {}

    @asynccontextmanager
    async def hold(self, key: str) -> AsyncIterator[None]:
        """Hold the lock of a key.

        Parameters
        ----------
        key : str
            The key.
        """
        lock, users = self._locks.get(key, (asyncio.Lock(), 0))
        self._locks[key] = (lock, users + 1)
        try:
            async with lock:
                yield
        finally:
            lock, users = self._locks.pop(key)
            if users > 1:
                self._locks[key] = (lock, users - 1)


_LIMITERS: PerObject[Limiter] = PerObject()
_LOCKS: PerObject[KeyLocks] = PerObject()


def shared_limiter(model: object) -> Limiter:
    """Return the limiter that all asks of a model share where nothing else was said.

    Parameters
    ----------
    model : object
        The model.

    Returns
    -------
    Limiter
        Its limiter in the running loop, with the limits of the model.
    """
    limits = getattr(model, "limits", None) or Limits()
    return _LIMITERS.find(model) or _LIMITERS.set(model, Limiter(limits))


def key_locks(ledger: object) -> KeyLocks:
    """Return the locks that all asks of a ledger share, so that two equal calls pay once.

    Parameters
    ----------
    ledger : object
        The ledger.

    Returns
    -------
    KeyLocks
        Its locks in the running loop.
    """
    return _LOCKS.find(ledger) or _LOCKS.set(ledger, KeyLocks())
