"""Small tasks and files the tests of this layer share."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from creaeval.errors import DataError
from creaeval.tasks import Task, load_task, parse_task

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

BRICK = """
id: brick
name: Uses for an object
source: made for the tests
description: Name an unusual use.
steps:
  - id: use
    name: Alternative Use
    instruction: Name a use.
    dimensions:
      - {id: originality, name: Originality, description: How unusual it is., scale: 1-5}
"""


@cache
def cgpst() -> Task:
    return load_task("cgpst")


@cache
def brick() -> Task:
    return parse_task(BRICK, "brick.yaml")


def write(path: Path, content: str | bytes | list[Any] | dict[str, Any]) -> Path:
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif isinstance(content, str):
        path.write_bytes(content.encode())
    else:
        path.write_text(json.dumps(content), encoding="utf-8")
    return path


def problems_of(read: Callable[[], object]) -> tuple[str, ...]:
    with pytest.raises(DataError) as caught:
        read()
    return caught.value.problems


def the_problem(read: Callable[[], object]) -> str:
    problems = problems_of(read)
    assert len(problems) == 1, problems
    return problems[0]
