"""How long to wait before the next attempt."""

from __future__ import annotations

import random

_FIRST = 0.5
_MOST = 60.0


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
    most = min(_MOST, _FIRST * 2 ** (attempt - 1))
    # Spread, or all callers that were refused together come back together.
    jitter = random.uniform(0.0, most)  # noqa: S311 - not for secrets
    return (retry_after or most / 2) + jitter
