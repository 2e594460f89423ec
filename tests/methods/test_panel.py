"""Waiting for several answers at once."""

from __future__ import annotations

import asyncio

import pytest

from creaeval.errors import CallError, CreaEvalError, PermanentCallError, ReplyError
from creaeval.methods.panel import all_of


async def after(seconds: float, answer: str | Exception, done: list[str | Exception]) -> str:
    await asyncio.sleep(seconds)
    done.append(answer)
    if isinstance(answer, Exception):
        raise answer
    return answer


def test_answers_come_in_the_order_of_the_questions() -> None:
    async def go() -> list[str]:
        return await all_of(after(0.01, "slow", []), after(0, "fast", []))

    assert asyncio.run(go()) == ["slow", "fast"]


@pytest.mark.parametrize("grave", [PermanentCallError("the key is wrong"), TypeError("a fault of ours")])
@pytest.mark.parametrize("mild", [ReplyError("no usable reply"), CallError("no reply")])
def test_what_stops_a_run_comes_before_what_fails_a_sheet(mild: CreaEvalError, grave: Exception) -> None:
    async def go() -> list[str]:
        return await all_of(after(0, mild, []), after(0.01, grave, []), after(0, mild, []))

    with pytest.raises(type(grave), match=str(grave)):
        asyncio.run(go())


def test_after_a_failure_no_call_is_left_under_way() -> None:
    done: list[str | Exception] = []

    async def go() -> int:
        with pytest.raises(ReplyError):
            await all_of(after(0, ReplyError("none"), done), after(0.01, "late", done))
        return len(done)

    assert asyncio.run(go()) == 2
