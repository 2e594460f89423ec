"""The same booklet through every protocol: the same sheet, whatever form the reply comes in."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import creaeval
from booklets import marked, scenarios
from creaeval.llm.providers.table import PROVIDERS
from llm.support import MODELS, address
from loopback import Loopback, Scripted, wanted
from scripted import fill

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

    from loopback import Handler


def recorder(replies: list[str]) -> Handler:
    """Answer by the schema, and keep the answers: a booklet's calls come one after the other."""

    def handler(body: dict[str, Any], _: int) -> Scripted:
        name, schema = wanted(body)
        replies.append(json.dumps(fill(schema, name)))
        return Scripted(replies[-1])

    return handler


def score(folder: Path, prefix: str, model: str, handler: Handler, patch: pytest.MonkeyPatch) -> pd.DataFrame:
    provider = PROVIDERS[prefix]
    with Loopback(handler) as server:
        patch.setenv(provider.url_variables[0], address(prefix, server.root))
        patch.setenv(provider.keys[0], "test-key-0123456789")
        run = creaeval.score(
            [marked("R1", "alfa")],
            scenarios=scenarios(),
            analyst=f"{prefix}:{model}",
            judges=f"{prefix}:{model}",
            ledger=folder / f"{prefix}.db",
        )
        assert len(server.records) == 7
    assert run.n_failed == 0, run.failures.reason.tolist()
    return run.scores.drop(columns="judge")


@pytest.mark.parametrize("prefix", [prefix for prefix in MODELS if prefix != "vllm"])
def test_a_booklet_gets_the_same_sheet_through_every_protocol(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, prefix: str
) -> None:
    replies: list[str] = []
    plain = score(tmp_path, "vllm", MODELS["vllm"], recorder(replies), monkeypatch)
    assert len(replies) == 7
    # Other providers are sent the schema in another form, without its ranges or as a tool.
    through = score(
        tmp_path,
        prefix,
        MODELS[prefix],
        lambda _, number: Scripted(replies[number]),
        monkeypatch,
    )
    assert through.equals(plain)
