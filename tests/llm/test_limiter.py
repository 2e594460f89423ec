"""A provider's limits, in virtual time: what waits is at once at the end of its wait."""

from __future__ import annotations

import asyncio
import random
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from creaeval.llm.chat import Limits
from creaeval.llm.limiter import Limiter

if TYPE_CHECKING:
    from collections.abc import Callable

    from llm.conftest import Play


def now() -> float:
    return asyncio.get_running_loop().time() - 1000


class Provider:
    """Starts requests through a limiter and answers each by a rule.

    Parameters
    ----------
    limiter : Limiter
        The limiter.
    refuses : callable
        Takes a request's number and the time; returns how long to wait, or None for an answer.
    seconds : float
        How long a request takes.
    tokens : int
        What a request is expected to take.
    used : int, optional
        What it takes in truth.
    """

    def __init__(
        self,
        limiter: Limiter,
        refuses: Callable[[int, float], float | None] = lambda *_: None,
        *,
        seconds: float = 0.01,
        tokens: int = 0,
        used: int | None = None,
    ) -> None:
        self.limiter, self.refuses, self.seconds = limiter, refuses, seconds
        self.tokens, self.used = tokens, tokens if used is None else used
        self.starts: list[float] = []
        self.refused: list[tuple[float, float]] = []
        self.open = self.peak = 0

    async def ask(self, _: int = 0) -> None:
        async with self.limiter.room:
            while True:
                started = await self.limiter.turn(self.tokens)
                number = len(self.starts)
                self.starts.append(now())
                self.open += 1
                self.peak = max(self.peak, self.open)
                await asyncio.sleep(self.seconds)
                self.open -= 1
                wait = self.refuses(number, self.starts[number])
                if wait is None:
                    self.limiter.answered(self.tokens, self.used, accepted=True)
                    return
                self.refused.append((now(), wait))
                self.limiter.answered(self.tokens, 0)
                self.limiter.refused(started, wait)

    async def ask_all(self, count: int) -> None:
        await asyncio.gather(*map(self.ask, range(count)))


def gaps(times: list[float]) -> list[float]:
    return [later - earlier for earlier, later in pairwise(sorted(times))]


def nobody_started_during_a_wait(provider: Provider) -> bool:
    return not any(
        at + 1e-9 < start < at + wait - 1e-6 for at, wait in provider.refused for start in provider.starts
    )


@pytest.mark.parametrize("room", [1, 3, 12])
def test_no_more_requests_are_open_at_once_than_allowed_and_as_many_as_that_are(
    play: Play, room: int
) -> None:
    async def go() -> tuple[int, float]:
        provider = Provider(Limiter(Limits(room)), seconds=0.2)
        await provider.ask_all(12)
        return provider.peak, now()

    peak, took = play(go)
    assert peak == room
    # Twelve requests of 0.2 s in rows of so many.
    assert took == pytest.approx(12 / room * 0.2)


def test_without_stated_rates_or_refusals_nothing_waits(play: Play) -> None:
    async def go() -> list[float]:
        provider = Provider(Limiter(Limits(100)))
        await provider.ask_all(100)
        return provider.starts

    assert play(go) == [0.0] * 100


@pytest.mark.parametrize(("rate", "gap"), [(60, 1.0), (600, 0.1), (90, 2 / 3)])
def test_requests_start_at_the_accounts_rate_to_the_letter(play: Play, rate: int, gap: float) -> None:
    async def go() -> list[float]:
        provider = Provider(Limiter(Limits(50, requests_per_minute=rate)))
        await provider.ask_all(10)
        return provider.starts

    assert play(go) == pytest.approx([number * gap for number in range(10)])


def test_a_rate_that_was_not_used_is_not_saved_up(play: Play) -> None:
    async def go() -> list[float]:
        provider = Provider(Limiter(Limits(50, requests_per_minute=60)))
        await provider.ask()
        await asyncio.sleep(30)
        await provider.ask_all(3)
        return provider.starts

    first, *others = play(go)
    assert gaps(others) == pytest.approx([1.0, 1.0])
    assert others[0] - first == pytest.approx(30.01)


def test_requests_wait_for_the_tokens_of_those_before_them(play: Play) -> None:
    async def go() -> list[float]:
        # 100 tokens a second, 500 a request.
        provider = Provider(Limiter(Limits(50, tokens_per_minute=6000)), tokens=500)
        await provider.ask_all(4)
        return provider.starts

    assert play(go) == pytest.approx([0, 5, 10, 15])


@pytest.mark.parametrize(("used", "next_start"), [(200, 2.0), (500, 5.0), (1200, 12.0)])
def test_what_a_request_really_took_counts_in_the_end(play: Play, used: int, next_start: float) -> None:
    async def go() -> float:
        provider = Provider(Limiter(Limits(50, tokens_per_minute=6000)), tokens=500, used=used)
        await provider.ask()
        await provider.ask()
        return provider.starts[1]

    assert play(go) == pytest.approx(next_start)


def test_a_request_that_failed_took_no_tokens(play: Play) -> None:
    async def go() -> list[float]:
        provider = Provider(
            Limiter(Limits(50, tokens_per_minute=6000)),
            lambda number, _: 0.0 if number == 0 else None,
            tokens=500,
        )
        await provider.ask()
        return provider.starts

    first, second = play(go)
    assert second - first < 0.5


def test_the_slower_of_two_stated_rates_counts(play: Play) -> None:
    async def go() -> list[float]:
        limits = Limits(50, requests_per_minute=60, tokens_per_minute=6000)
        slow, fast = (Provider(Limiter(limits), tokens=tokens) for tokens in (300, 50))
        await slow.ask_all(3)
        begun = now()
        await fast.ask_all(3)
        return [*slow.starts, *(start - begun for start in fast.starts)]

    assert play(go) == pytest.approx([0, 3, 6, 0, 1, 2])


def test_while_the_provider_wants_a_wait_nobody_starts_and_then_not_all_at_once(play: Play) -> None:
    async def go() -> Provider:
        # All of the first twelve are refused.
        provider = Provider(Limiter(Limits(12)), lambda number, _: 7.0 if number < 12 else None)
        await provider.ask_all(12)
        return provider

    provider = play(go)
    assert provider.starts[:12] == [0.0] * 12
    again = provider.starts[12:]
    assert len(again) == 12
    assert min(again) == pytest.approx(7.01)
    # The first gap of 0.1 s, spread by half of it either way.
    assert all(0.045 < gap < 0.155 for gap in gaps(again))


def test_those_who_wait_for_their_turn_heed_a_refusal_too(play: Play) -> None:
    async def go() -> Provider:
        limits = Limits(12, requests_per_minute=60)
        provider = Provider(Limiter(limits), lambda number, _: 20.0 if number == 2 else None)
        await provider.ask_all(6)
        return provider

    provider = play(go)
    assert provider.starts[:3] == pytest.approx([0, 1, 2])
    assert provider.starts[3] == pytest.approx(22.01)
    assert min(gaps(provider.starts[3:])) >= 1.0 - 1e-9


def test_a_longer_wait_counts_and_a_shorter_one_does_not_end_it(play: Play) -> None:
    async def go() -> Provider:
        waits = {0: 30.0, 1: 2.0, 2: 5.0}
        provider = Provider(Limiter(Limits(12)), lambda number, _: waits.get(number))
        await provider.ask_all(3)
        return provider

    assert min(play(go).starts[3:]) == pytest.approx(30.01)


def test_a_burst_of_refusals_slows_the_pace_once_and_the_next_burst_again(play: Play) -> None:
    async def go() -> list[float]:
        limiter = Limiter(Limits(50))
        found = []
        for _ in range(9):
            begun = [await limiter.turn(0) for _ in range(3)]
            await asyncio.sleep(0.01)
            for started in begun:
                limiter.refused(started, 0.0)
            found.append(limiter._gap)
            await asyncio.sleep(60)
        return found

    # It doubles from a tenth of a second to at most ten.
    assert play(go) == pytest.approx([0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10, 10])


def test_a_slower_pace_holds_for_those_who_wait_already(play: Play) -> None:
    async def go() -> Provider:
        # The fourth burst, number 14, comes while the last of twelve wait at the pace of the third.
        refused = {*range(12), 12, 14}
        provider = Provider(Limiter(Limits(12)), lambda number, _: 0.0 if number in refused else None)
        await provider.ask_all(12)
        return provider

    provider = play(go)
    # Then the gap is 0.1 s doubled twice, less 3 % for each answer, spread by half of it.
    last = [start for start in provider.starts if start > provider.refused[-1][0]]
    assert len(last) == 11
    assert min(gaps(last)) > 0.5 * 0.4 * 0.97**11


def test_answers_bring_the_pace_back(play: Play) -> None:
    async def go() -> tuple[list[float], list[float]]:
        provider = Provider(Limiter(Limits(1)), lambda number, _: 0.0 if number < 6 else None)
        await provider.ask()
        slow = now()
        # 3 % an answer: from 3.2 s to the end of all waiting at 0.02 s takes 167 answers.
        await provider.ask_all(300)
        return [start for start in provider.starts if start >= slow][:20], provider.starts[-100:]

    slow, fast = play(go)
    assert max(gaps(slow)) > 1
    assert gaps(fast) == pytest.approx([0.01] * 99)


def test_an_ask_that_is_given_up_while_it_waits_leaves_its_place(play: Play) -> None:
    async def go() -> list[float]:
        provider = Provider(Limiter(Limits(1, requests_per_minute=6)))
        await provider.ask()
        waiting = asyncio.create_task(provider.ask())
        await asyncio.sleep(1)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        await provider.ask()
        return provider.starts

    first, second = play(go)
    assert (first, second) == pytest.approx((0, 20))


schedules = st.lists(st.none() | st.floats(0, 5), max_size=25)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    waits=schedules, room=st.integers(1, 8), count=st.integers(1, 12), rate=st.sampled_from([None, 60, 600])
)
def test_whatever_is_refused_waits_are_kept_room_is_kept_and_starts_are_spread(
    play: Play, waits: list[float | None], room: int, count: int, rate: int | None
) -> None:
    async def go() -> Provider:
        provider = Provider(
            Limiter(Limits(room, requests_per_minute=rate)),
            lambda number, _: waits[number] if number < len(waits) else None,
        )
        await provider.ask_all(count)
        return provider

    provider = play(go)
    assert len(provider.starts) == count + len(provider.refused)
    assert provider.peak <= room
    assert nobody_started_during_a_wait(provider)
    if rate:
        assert all(gap >= 60 / rate - 1e-6 for gap in gaps(provider.starts))
    # Two refused together never start together again: the pace is at least half a tenth of a second then, and
    # only answers, 3 % each, take it back.
    if provider.refused:
        first = min(at for at, _ in provider.refused)
        least = 0.5 * 0.1 * 0.97 ** len(provider.starts)
        after = [start for start in provider.starts if start > first]
        assert all(gap >= least * 0.999 for gap in gaps(after))


@pytest.mark.parametrize("room", [2, 6, 30])
@pytest.mark.parametrize("seed", range(4))
def test_a_provider_with_a_limit_answers_all_in_good_time_however_many_ask_it(
    play: Play, seed: int, room: int
) -> None:
    random.seed(seed)
    answered: list[float] = []

    def two_a_second(_: int, at: float) -> float | None:
        if sum(at - 1 < earlier <= at for earlier in answered) >= 2:
            return random.uniform(1.0, 1.5)  # noqa: S311 - not for secrets
        answered.append(at)
        return None

    async def go() -> Provider:
        provider = Provider(Limiter(Limits(room)), two_a_second)
        await provider.ask_all(40)
        return provider

    provider = play(go)
    assert len(answered) == 40
    assert nobody_started_during_a_wait(provider)
    # 40 at two a second take 19 s at best.
    assert max(provider.starts) < 60
    # Besides all but two of the first, hardly one in two is refused.
    assert len(provider.refused) < room - 2 + 20
