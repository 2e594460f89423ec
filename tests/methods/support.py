"""What the tests of this layer share."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from creaeval.llm import Ask, Ledger, Settings
from creaeval.methods import Case, Outcome, Roles, get_method
from scripted import ScriptedModel, WithChances

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def scored(
    the_case: Case,
    folder: Path,
    analyst: ScriptedModel | None = None,
    judges: Sequence[ScriptedModel] | None = None,
    method: str = "creaeval",
    **repeats: Any,
) -> Outcome:
    """Score one case by a method, with models of its own and a new ledger."""
    (outcome,) = all_scored([the_case], folder, analyst, judges, method, **repeats)
    return outcome


def all_scored(
    cases: Sequence[Case],
    folder: Path,
    analyst: ScriptedModel | None = None,
    judges: Sequence[ScriptedModel] | None = None,
    method: str = "creaeval",
    **repeats: Any,
) -> list[Outcome]:
    """Score cases side by side, by the same models."""
    analyst = analyst or ScriptedModel("scripted:analyst")
    judges = judges or [ScriptedModel("scripted:judge")]

    async def go(ledger: Ledger) -> list[Outcome]:
        def ask(model: ScriptedModel, role: str) -> Ask:
            logprobs = role == "judge" and get_method(method).logprobs
            return Ask(WithChances(model), ledger, Settings(logprobs=logprobs), role=role)

        roles = Roles(ask(analyst, "analyst"), [ask(judge, "judge") for judge in judges], **repeats)
        score = get_method(method).score
        return list(await asyncio.gather(*(score(one, roles) for one in cases)))

    folder.mkdir(parents=True, exist_ok=True)
    with Ledger.open(folder / f"{method}.db") as ledger:
        return asyncio.run(go(ledger))
