"""Several judges and repeats, side by side: what each gives, or why it gives nothing."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

from creaeval.errors import CallError, PermanentCallError, ReplyError
from creaeval.methods.base import failure

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from creaeval.llm import Ask
    from creaeval.methods.base import Roles, StageFailure
    from creaeval.sheets import ScoreSheet

T = TypeVar("T")


async def score_by_all(
    roles: Roles,
    score_once: Callable[[Ask, int], Awaitable[ScoreSheet]],
    *,
    evidence_repeat: int = 1,
) -> tuple[tuple[ScoreSheet, ...], tuple[StageFailure, ...]]:
    """Have every judge score as often as asked for.

    Parameters
    ----------
    roles : Roles
        Who scores, and how often each.
    score_once : callable
        Scores once, given a judge and the number of the repeat, from 0. The sheet has the numbers that
        ``roles.repeats`` makes of it.
    evidence_repeat : int
        Which evidence is scored, from 1; each has repeats of its own, so that no reply serves twice.

    Returns
    -------
    tuple of (tuple of ScoreSheet, tuple of StageFailure)
        Sheets in the order of judges and repeats, and who failed.

    Raises
    ------
    PermanentCallError
        The whole run cannot go on.
    """
    wanted = [(judge, repeat) for judge in roles.judges for repeat in range(roles.judge_repeats)]
    before = (evidence_repeat - 1) * roles.judge_repeats
    answers = await asyncio.gather(
        *(score_once(judge, before + repeat) for judge, repeat in wanted), return_exceptions=True
    )
    sheets: list[ScoreSheet] = []
    failures: list[StageFailure] = []
    for (judge, repeat), answer in zip(wanted, answers, strict=True):
        if isinstance(answer, PermanentCallError):
            raise answer
        if isinstance(answer, ReplyError | CallError):
            failures.append(failure("judge", judge, answer, roles, evidence_repeat, repeat + 1))
        elif isinstance(answer, BaseException):
            raise answer
        else:
            sheets.append(answer)
    return tuple(sheets), tuple(failures)


class Trail:
    """What a method did on the way, in the order of judges and repeats, whoever comes first.

    Parameters
    ----------
    roles : Roles
        The judges and their repeats.
    """

    def __init__(self, roles: Roles) -> None:
        self._repeats = roles.judge_repeats
        self._lines: dict[tuple[str, int], list[str]] = {
            (judge.model.name, repeat): [] for judge in roles.judges for repeat in range(self._repeats)
        }

    @property
    def order(self) -> tuple[tuple[str, int], ...]:
        """Each judge's name and repeat, from 0."""
        return tuple(self._lines)

    @property
    def lines(self) -> tuple[str, ...]:
        """All that was added."""
        return tuple(line for lines in self._lines.values() for line in lines)

    def add(self, judge: Ask, repeat: int, *lines: str) -> None:
        """Add what a judge did in a repeat, from 0."""
        self._lines[judge.model.name, repeat] += lines

    def who(self, judge: Ask, repeat: int) -> str:
        """Name a judge, and its repeat where there are several."""
        return judge.model.name + (f" (repeat {repeat + 1})" if self._repeats > 1 else "")


async def all_of(*wanted: Awaitable[T]) -> list[T]:
    """Wait for every answer, and only then raise what went wrong, so that nobody is asked behind its back.

    Parameters
    ----------
    *wanted : awaitable
        What to wait for, side by side.

    Returns
    -------
    list
        The answers, in this order.

    Raises
    ------
    Exception
        The first of the gravest: what must stop the run comes before what fails one sheet.
    """
    answers = await asyncio.gather(*wanted, return_exceptions=True)
    errors = [answer for answer in answers if isinstance(answer, BaseException)]
    for error in sorted(errors, key=_fails_one_sheet):
        raise error
    return [answer for answer in answers if not isinstance(answer, BaseException)]


def _fails_one_sheet(error: BaseException) -> bool:
    return isinstance(error, ReplyError | CallError) and not isinstance(error, PermanentCallError)
