"""Virtual time for whatever waits for a provider, and clients that are made quickly."""

from __future__ import annotations

import asyncio
import selectors
import ssl
from functools import cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from creaeval.llm import limiter

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator

    Play = Callable[[Callable[[], Coroutine[Any, Any, Any]]], Any]


@pytest.fixture(scope="session", autouse=True)
def _certificates_are_read_once() -> Iterator[None]:
    """Reading them takes most of a client's making, and the loopback server has none."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ssl, "create_default_context", cache(ssl.create_default_context))
        yield


class VirtualTime(asyncio.SelectorEventLoop):
    """An event loop whose clock jumps to the next timer instead of waiting for it."""

    def __init__(self) -> None:
        self.now = 1000.0
        loop = self

        class Selector(selectors.DefaultSelector):
            def select(self, timeout: float | None = None) -> Any:
                ready = super().select(0)
                if not ready and timeout:
                    loop.now += timeout
                return ready

        super().__init__(Selector())

    def time(self) -> float:
        return self.now


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch) -> Play:
    """Run a coroutine in virtual time, which begins at 1000."""

    def run(work: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
        with asyncio.Runner(loop_factory=VirtualTime) as runner:
            loop = runner.get_loop()
            monkeypatch.setattr(limiter, "time", SimpleNamespace(monotonic=loop.time))
            return runner.run(work())

    return run
