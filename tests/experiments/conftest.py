"""Scripted models by name, without the command line."""

from __future__ import annotations

import pytest

from creaeval.llm.providers import registry
from experiments.grids import NAMES
from scripted import ScriptedModel


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch) -> dict[str, ScriptedModel]:
    """What ``scripted:NAME`` stands for; an analyst ``a`` and judges ``j`` and ``k`` are there."""
    offered = {name: ScriptedModel(f"scripted:{name}", answer=NAMES) for name in "ajk"}
    monkeypatch.setitem(registry._FACTORIES, "scripted", lambda rest: offered[rest])
    return offered
