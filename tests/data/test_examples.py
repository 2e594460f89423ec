"""Examples of scored work, from tables and JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from creaeval.data.examples import Example, read_examples
from creaeval.errors import DataError
from creaeval.tasks import load_task, parse_task

if TYPE_CHECKING:
    from pathlib import Path

USES = parse_task(
    """
id: uses
name: Uses
source: made for the tests
description: Name uses.
noun: use
steps:
  - id: uses
    name: Uses
    instruction: Name uses.
    dimensions: [{id: originality, name: Originality, description: How rare?, scale: 1-5}]
""",
    "uses.yaml",
)
ESSAY = parse_task(
    """
id: essay
name: Essay
source: made for the tests
description: Write.
steps:
  - id: text
    name: Text
    instruction: Write.
    dimensions:
      - {id: ideas, name: Wealth of ideas, description: How many?, scale: 0-4, aliases: [fluency]}
      - {id: style, name: Style, description: How?, scale: 0-4}
""",
    "essay.yaml",
)


def test_a_table_of_uses_has_object_response_and_score(tmp_path: Path) -> None:
    path = tmp_path / "e.csv"
    path.write_text("object,response,score,rater\nbrick,a boat anchor,3.5,H1\nrope,a hat,2,H1\n")
    assert read_examples(path, USES) == (
        Example("a boat anchor", (("originality", 3.5),), "brick"),
        Example("a hat", (("originality", 2.0),), "rope"),
    )


@pytest.mark.parametrize(
    "header", ["ideas,style", "text.ideas,Style", "Wealth of ideas,text.style", "fluency,STYLE"]
)
def test_a_dimension_has_a_column_by_any_of_its_names_and_may_miss_a_value(
    tmp_path: Path, header: str
) -> None:
    path = tmp_path / "e.csv"
    path.write_text(f'response,{header}\n"Cars fly, all of them.",4,\nNothing.,0,1\n')
    assert read_examples(path, ESSAY) == (
        Example("Cars fly, all of them.", (("ideas", 4.0),)),
        Example("Nothing.", (("ideas", 0.0), ("style", 1.0))),
    )


def test_json_has_the_same_names(tmp_path: Path) -> None:
    path = tmp_path / "e.json"
    path.write_text(
        '[{"use": "a hat", "prompt": "rope", "score": 2}, {"response": "a\\nboat", "originality": "4"}]'
    )
    assert read_examples(path, USES) == (
        Example("a hat", (("originality", 2.0),), "rope"),
        Example("a\nboat", (("originality", 4.0),)),
    )


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("e.csv", "response,score\na hat,6\n", r"row 2, 'score': found '6', expected a number from 1 to 5"),
        ("e.csv", "response,score\na hat,\n", "has no points; expected a value for originality"),
        ("e.csv", "response,score\n,3\n", "has no work; expected a text called response"),
        ("e.csv", "response,score,originality\na hat,3,3\n", "originality has points twice"),
        ("e.csv", "answer,score\na hat,3\n", "response"),
        ("e.json", '{"response": "a hat"}', "expected a list of objects"),
        ("e.json", "[]", "holds no example"),
        ("e.json", '[{"response": 3, "score": 3}]', "entry 1: has no work"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(DataError, match=message) as caught:
        read_examples(tmp_path / name, USES)
    assert name in str(caught.value)


def test_a_task_of_several_steps_has_no_examples(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="tasks of one step; cgpst has 6"):
        read_examples(tmp_path / "e.csv", load_task("cgpst"))
