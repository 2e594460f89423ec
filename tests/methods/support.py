"""What the tests of this layer share."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from creaeval.llm import Ask, Ledger, Settings
from creaeval.methods import Case, Outcome, Roles, get_method
from scripted import ScriptedModel

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def scored(
    the_case: Case,
    folder: Path,
    analyst: ScriptedModel | None = None,
    judges: Sequence[ScriptedModel] | None = None,
    method: str = "creaeval",
) -> Outcome:
    """Score one case by a method, with models of its own and a new ledger."""
    analyst = analyst or ScriptedModel("scripted:analyst")
    judges = judges or [ScriptedModel("scripted:judge")]

    async def go(ledger: Ledger) -> Outcome:
        def ask(model: ScriptedModel, role: str) -> Ask:
            return Ask(model, ledger, Settings(), role=role)

        roles = Roles(ask(analyst, "analyst"), [ask(judge, "judge") for judge in judges])
        return await get_method(method).score(the_case, roles)

    folder.mkdir(parents=True, exist_ok=True)
    with Ledger.open(folder / f"{method}.db") as ledger:
        return asyncio.run(go(ledger))
