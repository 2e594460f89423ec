"""Killed at twenty random moments, a run ends as an undisturbed one does and pays nothing twice."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import creaeval
from booklets import marked, write_inputs
from loopback import Loopback, Scripted
from scripted import fill

if TYPE_CHECKING:
    from creaeval.runs import Run

BOOKLETS, KILLS, CONCURRENCY = 40, 20, 8
CALLS = BOOKLETS * 7


def handler(body: dict[str, Any], _: int) -> Scripted:
    """Answer with something that depends on the whole question, so that mixed up replies would be seen."""
    wanted = body["response_format"]["json_schema"]
    asked = "".join(turn["content"] for turn in body["messages"])
    seen = sorted(set(re.findall(r"respondent\d\dx", asked)))
    points = 1 + sum(map(ord, asked)) % 3
    reply = fill(wanted["schema"], wanted["name"], write=lambda path: f"{seen} {path}"[:40])
    return Scripted(json.dumps(_with_points(reply, wanted["schema"], points)), delay=0.15)


def _with_points(value: Any, schema: dict[str, Any], points: int) -> Any:
    if isinstance(value, dict):
        fields = schema.get("properties", {})
        return {name: _with_points(inner, fields.get(name, {}), points) for name, inner in value.items()}
    return min(points, schema.get("maximum", points)) if schema.get("type") == "integer" else value


def committed(ledger: Path) -> set[str]:
    """What has been asked and answered, as the server sees it."""
    if not ledger.exists():
        return set()
    with sqlite3.connect(f"file:{ledger}?mode=ro", uri=True) as connection:
        try:
            rows = connection.execute("SELECT system, messages FROM calls").fetchall()
        except sqlite3.OperationalError:  # killed before the tables were made
            return set()
    return {
        json.dumps([system, *(turn["text"] for turn in json.loads(messages))]) for system, messages in rows
    }


def question(body: dict[str, Any]) -> str:
    return json.dumps([turn["content"] for turn in body["messages"]])


def score(folder: Path) -> Run:
    return creaeval.score(
        folder / "booklets.json",
        scenarios=folder / "scenario.yaml",
        analyst="openai:tiny",
        judges="openai:tiny",
        ledger=folder / "ledger.db",
    )


def moments(dice: random.Random) -> list[tuple[int, float]]:
    """Choose when to kill: after so many new requests, and so many seconds later; sometimes at the start."""
    return [(dice.choice((0, 1, 1, 5, 9, 14)), dice.uniform(0, 0.2)) for _ in range(KILLS)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_killed_at_twenty_moments_a_run_pays_no_call_twice_and_ends_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed, whole, small = tmp_path / "killed", tmp_path / "whole", tmp_path / "small"
    *booklets, other = [marked(f"R{number:02}", f"respondent{number:02}x") for number in range(BOOKLETS + 1)]
    for folder, of in ((killed, booklets), (whole, booklets), (small, [other])):
        folder.mkdir()
        write_inputs(folder, *of)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with Loopback(handler) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        program = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("killed_run.py")), str(killed), str(small)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert tell(program) == "ready"
        # The small run's calls are no part of what follows.
        earlier, repeated = len(server.requests), 0
        requests = [question(body) for body in server.requests]
        for moment in [*moments(random.Random(7)), None]:  # noqa: S311 - no secret
            seen, before = len(server.requests), committed(killed / "ledger.db")
            pid = int(tell(program, "go"))
            if moment is not None:
                wait_for_requests(server, seen + moment[0])
                time.sleep(moment[1])
                os.kill(pid, signal.SIGKILL)
            assert tell(program) == ("killed" if moment is not None else "ended 0")
            requests += [question(body) for body in server.requests[seen:]]
            # Nothing that was committed when this child started was asked again.
            assert not before & set(requests[seen:])
            repeated += len(set(requests[seen:]) & set(requests[:seen]))
        program.communicate(timeout=30)
        # Those that were under way at a kill are asked again: at most one for each open request.
        assert len(server.requests) == earlier + CALLS + repeated
        assert 0 < repeated <= KILLS * CONCURRENCY
        asked = len(server.requests)
        resumed = score(killed)
        assert len(server.requests) == asked
        undisturbed = score(whole)
    assert resumed.n_failed == undisturbed.n_failed == 0
    assert resumed.scores.equals(undisturbed.scores)
    assert len(undisturbed.sheets) == BOOKLETS
    assert undisturbed.scores[undisturbed.scores.dimension == "total"].score.nunique() > 1


def wait_for_requests(server: Loopback, number: int) -> None:
    deadline = time.monotonic() + 60
    while len(server.requests) < number and time.monotonic() < deadline:
        time.sleep(0.005)


def tell(program: subprocess.Popen[str], words: str = "") -> str:
    """Say something to the program, and wait for its next line."""
    assert program.stdin is not None
    assert program.stdout is not None
    if words:
        program.stdin.write(f"{words}\n")
        program.stdin.flush()
    return program.stdout.readline().strip()
