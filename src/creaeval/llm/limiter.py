"""Keep to a provider's limits: requests open at once, rates, and how long to wait when it refuses."""

from __future__ import annotations

import asyncio
import random
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from creaeval.llm.chat import Limits

_FIRST_WAIT, _MOST_WAIT = 0.5, 60.0
_FIRST_GAP = 0.1
_MOST_GAP = 10.0
_LEAST_GAP = 0.02


class Limiter:
    """One provider's limits, shared by all who ask it.

    Starts of requests are put in a row. The gap between two of them follows from the stated rates; each
    refusal doubles it and each answer takes 3 % off, so that the pace settles near what the provider allows
    and requests that were refused together do not come back together.

    Parameters
    ----------
    limits : Limits
        What is known beforehand.

    Attributes
    ----------
    room : asyncio.Semaphore
        The places for open requests, each to be held over retries and their waits too: were it given up
        during a wait, the next in line would ask a provider that refuses.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.room = asyncio.Semaphore(limits.concurrency)
        rate = limits.requests_per_minute
        self._stated_gap = 60 / rate if rate else 0.0
        self._gap = 0.0
        # Times are time.monotonic(); nothing may start before these.
        self._next_start = 0.0
        self._next_tokens = 0.0
        self._refused_until = 0.0
        self._slowed_at = 0.0
        self._last_start = 0.0
        # Counts how often the pace was slowed: who waits then takes a place at the new pace.
        self._pace = 0

    async def turn(self, tokens: int) -> float:
        """Wait until a request may start.

        Parameters
        ----------
        tokens : int
            About how many it will take, reply included.

        Returns
        -------
        float
            When it started, for `refused`.
        """
        start, pace = self._reserve(self._next_tokens), self._pace
        self._take_tokens(tokens)
        while True:
            now = time.monotonic()
            if start < self._refused_until or pace != self._pace:
                # A refusal came while this one waited: into the row again, or all would start together.
                start, pace = self._reserve(start), self._pace
            if start <= now:
                self._last_start = now
                return now
            await asyncio.sleep(start - now)

    def answered(self, reserved: int, used: int, *, accepted: bool = False) -> None:
        """Take note of an answer.

        Parameters
        ----------
        reserved, used : int
            Tokens that `turn` was told, and those it really took.
        accepted : bool
            Whether it was a reply, so that the pace may go up.
        """
        self._take_tokens(used - reserved)
        if not accepted:
            return
        self._gap *= 0.97
        if self._gap < _LEAST_GAP:
            self._gap = 0.0

    def refused(self, started: float, wait: float) -> None:
        """Take note of a refusal: nobody starts before the wait is over, and then more slowly.

        Parameters
        ----------
        started : float
            When the refused request started.
        wait : float
            Seconds to wait.
        """
        now = time.monotonic()
        self._refused_until = max(self._refused_until, now + wait)
        # Of requests that were under way together, only the first refusal slows the pace.
        if started >= self._slowed_at:
            self._gap = min(max(2 * self._gap, _FIRST_GAP), _MOST_GAP)
            self._slowed_at = now
            self._pace += 1
            self._next_start = self._last_start + self._step()

    def _reserve(self, earliest: float) -> float:
        start = max(time.monotonic(), self._next_start, earliest, self._refused_until)
        self._next_start = start + self._step()
        return start

    def _step(self) -> float:
        jitter = random.uniform(0.5, 1.5)  # noqa: S311 - not for secrets
        # A stated rate is kept to the letter; the gap that was found by refusals is only a guess.
        return max(self._stated_gap, self._gap * jitter)

    def _take_tokens(self, tokens: int) -> None:
        if rate := self.limits.tokens_per_minute:
            base = max(self._next_tokens, time.monotonic()) if tokens > 0 else self._next_tokens
            self._next_tokens = base + tokens * 60 / rate


def pause(attempt: int, retry_after: float | None) -> float:
    """Choose a wait that doubles with each attempt and differs between callers.

    Parameters
    ----------
    attempt : int
        Number of the attempt that failed, from 1.
    retry_after : float or None
        Seconds the provider asked to wait; the wait is never shorter.

    Returns
    -------
    float
        Seconds.
    """
    most = min(_MOST_WAIT, _FIRST_WAIT * 2 ** (attempt - 1))
    # Spread, or all callers that were refused together come back together.
    jitter = random.uniform(0.0, most)  # noqa: S311 - not for secrets
    return (retry_after or most / 2) + jitter
