from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from creaeval.errors import TaskError
from creaeval.tasks import load_task, parse_task

if TYPE_CHECKING:
    from pathlib import Path

RIGHT = """\
id: small
name: A small task
source: made for the tests
description: Say something.
total: 7
categories: [Air, Water]
steps:
  - id: one
    name: List
    instruction: List two things.
    items: {name: thing, max: 2, categories: true, invalid: {odd: it is odd, blank: nothing}}
    dimensions:
      - id: fluency
        name: Fluency
        description: Is it one?
        scope: item
        scale: 0-1
        derive: valid_items
  - id: two
    name: Tell
    instruction: Tell more.
    memory: [one]
    dimensions:
      - id: depth
        name: Depth
        description: How deep?
        scale: 1-5
        levels: {1: flat, 2-4: deep, 5: deepest}
"""


def problems(text: str) -> tuple[str, ...]:
    with pytest.raises(TaskError) as caught:
        parse_task(text, "small.yaml")
    return caught.value.problems


def changed(old: str, new: str) -> str:
    assert RIGHT.count(old) == 1, old
    return RIGHT.replace(old, new)


def test_the_right_document_loads() -> None:
    task = parse_task(RIGHT, "small.yaml")
    assert (task.max, [s.id for s in task.steps]) == (2 * 1 + 5, ["one", "two"])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("total: 7", "total: 8", "total is 8, but the steps add up to 7"),
        ("total: 7", "totl: 7", "line 5, at totl: unknown key 'totl'. Did you mean 'total'?"),
        (
            "total: 7",
            "total: 7\nlevels: {1: low}",
            "line 6, at levels: the key 'levels' does not belong here, but to a dimension.",
        ),
        ("        scale: 1-5", "        scal: 1-5", "line 27, at steps › two › dimensions › depth"),
        ("scale: 1-5", "scale: 5-1", "expected the lower end first and below the upper, found 5-1"),
        ("scale: 1-5", "scale: much", "expected whole points such as '3' or '4-6', found 'much'"),
        ("5: deepest", "6: deepest", "level 6 lies outside the scale 1-5"),
        ("5: deepest", "4-5: deepest", "level 4-5 overlaps another level"),
        ("memory: [one]", "memory: [three]", "two: memory names 'three', which is no earlier step"),
        ("memory: [one]", "memory: [two]", "two: memory names 'two', which is no earlier step"),
        ("  - id: two", "  - id: one", "two steps have the id 'one'"),
        ("  - id: two", "  - id: Two", "expected lower-case letters, digits and underscores"),
        ("  - id: two", "  - id: total", "'total' is a word the score sheet uses itself"),
        ("      - id: depth", "      - id: overall", "'overall' is a word the score sheet uses itself"),
        ("    name: Tell\n", "", "the key 'name' is missing"),
        ("source: made for the tests", "source: ''", "found ''"),
        ("categories: [Air, Water]", "categories: [Air, air]", "the category 'air' is listed twice"),
        ("categories: [Air, Water]\n", "", "one sorts items into categories, but the task lists none"),
        ("max: 2", "max: 0", "found 0. Input should be greater than or equal to 1"),
        ("max: 2", "max: two", "found 'two'"),
        (
            "scope: item",
            "scope: step",
            "dimension fluency: derive valid_items needs scope item and scale 0-1",
        ),
        ("derive: valid_items", "derive: sum", "found 'sum'"),
        ("name: A small task", "name: [A]", "found a list"),
        ("total: 7", "total: 7\ntotal: 8", "duplicate key"),
        ("total: 7", "total: [7", "small.yaml, line"),
        ("total: 7", "total: 2024-13-45", "Put it in quotation marks"),
    ],
)
def test_a_wrong_document_is_explained_with_file_and_place(old: str, new: str, message: str) -> None:
    found = problems(changed(old, new))
    assert all(problem.startswith("small.yaml") for problem in found)
    assert message in "\n".join(found)


def test_every_problem_of_a_document_is_listed_in_the_order_of_its_lines() -> None:
    text = changed("max: 2", "max: 0").replace("scale: 1-5", "scale: 5-1").replace("total: 7", "totl: 7")
    lines = [int(match[1]) for p in problems(text) if (match := re.match(r"small.yaml, line (\d+)", p))]
    # totl stands in line 5, max in 11 and the scale in 27 (counted in RIGHT).
    assert lines == [5, 11, 27]


@pytest.mark.parametrize(
    "text", ["", "- a", "just words", "3", "[" * 1000, "a: \x01", "? [a]\n: b", "{1: 2}"]
)
def test_what_is_no_task_at_all_is_an_error_and_no_traceback(text: str) -> None:
    assert problems(text)[0].startswith("small.yaml")


def test_an_unknown_name_is_answered_with_the_nearest_task() -> None:
    with pytest.raises(TaskError, match=r"There is no task 'cgpts'.*Did you mean 'cgpst'\?"):
        load_task("cgpts")


def test_a_users_file_is_loaded_like_a_built_in_one_and_errors_name_it(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + RIGHT.encode())
    assert load_task(path).id == "small"
    path.write_bytes(b"id: \xff")
    with pytest.raises(TaskError, match=r"mine\.yaml: not UTF-8 text \(byte 4\)"):
        load_task(str(path))
