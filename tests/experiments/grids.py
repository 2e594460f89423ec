"""A small task of two steps, its responses, and experiments over them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ruamel.yaml import YAML
from sqlalchemy import text

from creaeval.experiments import Experiment, read_experiment
from creaeval.llm.prices import Price
from scripted import ScriptedModel, echo

if TYPE_CHECKING:
    from pathlib import Path

    from creaeval.llm import Ledger

TASK = """\
id: mine
name: Mine
source: made for the tests
description: Say two things.
steps:
  - id: one
    name: One
    instruction: Say it.
    dimensions: [{id: depth, name: Depth, description: How deep?, scale: 1-5}]
  - id: two
    name: Two
    instruction: Say it again.
    dimensions: [{id: width, name: Width, description: How wide?, scale: 1-5}]
"""

# Repeats which response it is about, so that no two responses have the same evidence.
NAMES = echo(r"\br\d+\b")


class Priced(ScriptedModel):
    """A model whose every reply, of 10 tokens, costs a dollar."""

    free = False
    price: Price | None = Price(input=0.0, cached=0.0, output=100_000.0)


def write_experiment(folder: Path, n: int = 2, **content: Any) -> Path:
    """Write an experiment with its task and responses ``r1`` … in two groups ``a`` and ``b`` by turns."""
    folder.mkdir(exist_ok=True)
    (folder / "mine.yaml").write_text(TASK)
    responses = [
        {
            "id": f"r{k}",
            "group": "ab"[k % 2 == 0],
            "steps": {"one": f"First of r{k}.", "two": f"Second of r{k}."},
        }
        for k in range(1, n + 1)
    ]
    (folder / "responses.json").write_text(json.dumps(responses))
    whole = {
        "name": "test",
        "data": {"all": {"task": "mine.yaml", "responses": "responses.json"}},
        **content,
    }
    path = folder / "experiment.yaml"
    with path.open("w") as file:
        YAML(typ="safe").dump(whole, file)
    return path


def experiment(folder: Path, n: int = 2, **content: Any) -> Experiment:
    """Write one and read it."""
    return read_experiment(write_experiment(folder, n, **content))


def block(name: object = "b", **content: Any) -> dict[str, Any]:
    """A block of the grid over all responses by scripted models."""
    return {
        "name": name,
        "data": "all",
        "method": "creaeval",
        "analyst": "scripted:a",
        "judges": "scripted:j",
        **content,
    }


def n_calls(ledger: Ledger) -> int:
    """Replies in a ledger."""
    with ledger.engine.connect() as connection:
        return int(connection.execute(text("SELECT count(*) FROM calls")).scalar_one())
