from __future__ import annotations

from creaeval.llm.limiter import pause


def test_a_wait_is_never_shorter_than_the_provider_asked_and_callers_spread() -> None:
    waits = {pause(1, 7.0) for _ in range(50)}
    assert min(waits) >= 7.0
    assert len(waits) == 50


def test_waits_grow_to_a_limit() -> None:
    assert all(0.25 <= pause(1, None) <= 0.75 for _ in range(50))
    assert all(1.0 <= pause(3, None) <= 3.0 for _ in range(50))
    assert all(pause(30, None) <= 90.0 for _ in range(50))
