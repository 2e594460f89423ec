"""The method ``direct-expected``: as ``direct``, with scores from the probabilities of the judge's tokens."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from creaeval.errors import ReplyError, SettingError
from creaeval.methods.base import Outcome, failure
from creaeval.methods.direct import one_call, whole_question
from creaeval.methods.panel import Trail, score_by_all
from creaeval.methods.raw import response_layout, steps_of
from creaeval.methods.registry import register
from creaeval.sheets.expected import (
    EXPECTED,
    Expected,
    expected_scores,
    expected_sheet,
    real_scores,
    score_scales,
)
from creaeval.sheets.replies import item_key

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from creaeval.llm import Ask
    from creaeval.llm.ask import Asked
    from creaeval.methods.base import Case, Roles, StageFailure
    from creaeval.sheets import ScoreSheet
    from creaeval.sheets.replies import Reply

    _Answer = tuple[Asked[Reply], ScoreSheet]

# What a judge's first reply showed: that probabilities come with it, or what is wrong.
_shown: WeakKeyDictionary[Ask, SettingError | None] = WeakKeyDictionary()
_turns: WeakKeyDictionary[Ask, asyncio.Lock] = WeakKeyDictionary()


@register(
    "direct-expected", calls=one_call, uses_analyst=False, logprobs=True, examples=True, suffix=EXPECTED
)
async def direct_expected(case: Case, roles: Roles) -> Outcome:
    """Have each judge score as in direct, and take expected scores from its tokens' probabilities.

    Parameters
    ----------
    case : Case
        The response and its scenario.
    roles : Roles
        The judges; no analyst is asked.

    Returns
    -------
    Outcome
        A sheet by ``NAME (expected)`` from each judge that succeeded. A sheet that lacks scores stands beside
        a failure that says so, and none is made without any score; a response that shares a call and lacks
        its score has the code ``not_captured`` instead. ``trail`` has the scores as they were written, how
        much of the probability each expected score rests on, and why one is missing.

    Raises
    ------
    SettingError
        A judge's first reply came without probabilities, or without those of other tokens.
    """
    ask, layout = whole_question(case, roles), response_layout(case, steps_of(case))
    trail = Trail(roles)
    item_trails = {item.number: Trail(roles) for item in case.response.steps[steps_of(case)[0].id].items}
    lacking: dict[tuple[str, int], StageFailure] = {}

    async def score_once(judge: Ask, repeat: int) -> ScoreSheet:
        asked, written = await _first_alone(judge, partial(ask, judge, repeat))
        name = judge.model.name
        tokens = [(token.text, token.chances) for token in asked.reply.tokens]
        try:
            scores = expected_scores(asked.reply.text, tokens, score_scales(case.task, written))
        except ValueError as error:
            raise ReplyError(f"{name} has no expected scores: {error}.") from error
        values = {path: score.value for path, score in scores.items()}
        who = f"{name}, repeat {repeat + 1}"
        if case.shared:
            for number, own in item_trails.items():
                key = item_key(number)
                shown = {
                    tuple(part for part in path if part != key): value
                    for path, value in scores.items()
                    if key in path
                }
                own.add(judge, repeat, *_trail(who, shown))
        else:
            trail.add(judge, repeat, *_trail(who, scores))
        own_scores = {path: scores[path] for path in real_scores(scores)}
        # A response says for itself what it lacks, whatever others share its call.
        if not case.shared and (reason := _lack(name, own_scores)):
            if all(values[path] is None for path in own_scores):
                raise ReplyError(reason)
            lacking[name, repeat] = failure("judge", judge, reason, roles, judge_repeat=repeat + 1)
        return expected_sheet(case.task, layout, written, values, shared=case.shared)

    sheets, failures = await score_by_all(roles, score_once)
    return Outcome(
        response_id=case.response.id,
        trail=trail.lines,
        item_trail={number: own.lines for number, own in item_trails.items()} if case.shared else {},
        sheets=sheets,
        failures=(*failures, *(lacking[key] for key in trail.order if key in lacking)),
    )


async def _first_alone(judge: Ask, ask: Callable[[], Awaitable[_Answer]]) -> _Answer:
    """Let a judge's first call show, before a second one is paid for, that probabilities come with it."""
    answer: _Answer | None = None
    if judge not in _shown:
        async with _turns.setdefault(judge, asyncio.Lock()):
            if judge not in _shown:
                answer = await ask()
                _shown[judge] = _problem(judge, answer[0])
    if (problem := _shown[judge]) is not None:
        raise problem
    return answer or await ask()


def _problem(judge: Ask, asked: Asked[Reply]) -> SettingError | None:
    tokens = asked.reply.tokens
    if any(len(token.chances) > 1 for token in tokens):
        return None
    lacking = "no other tokens than its own" if tokens else "no token probabilities"
    return SettingError(
        f"{judge.model.name} names {lacking}, so it has no expected scores. The run was stopped after its "
        "first reply. Use the method direct, or another model (`creaeval models check` says what one "
        "returns)."
    )


def _lack(name: str, scores: Mapping[tuple[str, ...], Expected]) -> str:
    """Say how many scores have no expected value, and how little is known of the worst; nothing for none."""
    lost = {path: score for path, score in scores.items() if score.value is None}
    if not lost:
        return ""
    path, worst = min(lost.items(), key=lambda item: (item[1].sampled is not None, item[1].captured))
    place = ".".join(part for part in path if part != "items")
    counts = f"{len(lost)} of {len(scores)} scores"
    return f"{name} has no expected value for {counts}; the worst is {place}: {worst.reason}."


def _trail(who: str, scores: Mapping[tuple[str, ...], Expected]) -> list[str]:
    lines: list[str] = []
    for path, score in scores.items():
        name = ".".join(part for part in path if part != "items")
        if score.sampled is None:
            lines.append(f"{who}, {name}: {score.reason}")
        elif score.value is None:
            lines.append(f"{who}, {name}: written {score.sampled}, none expected, {score.reason}")
        else:
            words = f"written {score.sampled}, expected {score.value:.4g}, captured {score.captured:.1%}"
            lines.append(f"{who}, {name}: {words}")
    return lines
