from __future__ import annotations

from typing import TYPE_CHECKING

import typer
from typer.testing import CliRunner

from creaeval.cli import methods
from creaeval.methods import list_methods

if TYPE_CHECKING:
    from pathlib import Path

TESTS = """
id: story
name: A story
source: made for the tests
description: Write a story.
steps:
  - id: story
    name: Story
    instruction: Write a story.
    dimensions:
      - {id: pace, name: Pace, description: Is the pace right?, scale: 0-1}
      - {id: ending, name: Ending, description: Does it end well?, scale: 0-1}
"""


def listed(task: str) -> dict[str, tuple[str, str, str]]:
    app = typer.Typer()
    app.add_typer(methods.app, name="methods")
    result = CliRunner().invoke(app, ["methods", "list", "--task", task])
    assert result.exit_code == 0, result.output
    lines = [line.split("\t") for line in result.output.splitlines()]
    return {name: (calls, aliases, summary) for name, calls, aliases, summary in lines}


def test_every_method_is_listed_with_its_calls_and_a_line_about_it() -> None:
    found = listed("cgpst")
    assert list(found) == [method.name for method in list_methods()]
    assert {name: calls for name, (calls, *_) in found.items()} == {
        "creaeval": "7 calls",
        "judge-sees-quotes": "7 calls",
        "no-memory": "7 calls",
        "one-pass": "2 calls",
        "direct": "1 call",
        "no-evidence": "1 call",
        "table": "1 call",
        "no-decoupling": "1 call",
        "table-full": "3 calls",
        "direct-expected": "1 call",
        "cot": "6 calls",
        "tot": "24 calls",
        "tot-selected": "24 calls",
        "got": "48 calls",
        "got-aggregate": "48 calls",
        "reference": "not for this task",
        "sft": "1 call",
        "sft-evidence": "7 calls",
        "samer": "1 call",
        "offline": "not for this task",
    }
    assert all(summary.endswith(".") and len(summary) < 110 for *_, summary in found.values())


def test_the_papers_names_stand_beside_those_of_the_methods() -> None:
    others = {name: aliases for name, (_, aliases, _) in listed("cgpst").items()}
    assert others["table"] == "also TaT, Table as Thought"
    assert others["no-memory"] == "also w/o Memory"
    assert others["table-full"] == "-"


def test_a_task_of_a_single_step_has_calls_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "story.yaml"
    path.write_text(TESTS, encoding="utf-8")
    found = listed(str(path))
    assert found["reference"][0] == "4 calls"
    assert found["cot"][0] == "2 calls"
    assert found["table-full"][0] == "3 calls"
    assert found["got"][0] == "not for this task"
