"""What the built-in tasks ask of a text and show as evidence: neither says what anything is worth."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from creaeval.errors import TaskError
from creaeval.tasks import builtin_tasks, load_task, parse_task

if TYPE_CHECKING:
    from conftest import CommandLine
    from creaeval.tasks import Dimension

#: Dimensions that the analyst is asked about: all but those counted from categories.
ASKED = [
    pytest.param(dimension, id=f"{name}.{step.id}.{dimension.id}")
    for name in builtin_tasks()
    for step in load_task(name).steps
    for dimension in step.dimensions
    if dimension.derive != "distinct_categories"
]
#: Words of grading, and those by which the built-in rubrics tell their levels apart or praise length.
GRADING = (
    r"\b(points?|scores?|scored|levels?|marks?|grades?|rating|rated|rubric|pass(es)?|fails?|valid|invalid"
    r"|good|bad|better|best|poor|weak\w*|strong\w*|full|fully|rich\w*|thin|thinly|clear|clearly|generic|common"
    r"|conventional|novelty|specific|harmful|neutral|humane|convincing\w*|adequate\w*|major|secondary|suitable"
    r"|long|longer|short|detailed|length\w*)\b"
)
#: The effect on a scenario is for the better or not, which is what the dimension asks and no grade.
ALLOWED = {"impact": {"better"}}
VERDICT = r"(?<=: )(partly met|not met|met)(?=[,)])"


def texts(dimension: Dimension) -> tuple[str, ...]:
    return (*dimension.requirements, *dimension.examples)


def test_the_analyst_is_asked_about_36_dimensions_of_the_built_in_tasks() -> None:
    # cgpst: 3 + 6 + 3 + 2 + 1 + 6 = 21 (Flexibility in steps 1 and 3 is counted); aut: 1; ttcw: 14
    assert len(ASKED) == 21 + 1 + 14


@pytest.mark.parametrize("dimension", ASKED)
def test_every_dimension_says_what_a_text_must_do_in_a_few_short_clauses(dimension: Dimension) -> None:
    assert 1 <= len(dimension.requirements) <= 4
    assert len(set(dimension.requirements)) == len(dimension.requirements)
    for requirement in dimension.requirements:
        assert 2 <= len(requirement.split()) <= 12
        assert requirement[0].islower()
        assert not requirement.endswith(".")


@pytest.mark.parametrize("dimension", ASKED)
def test_every_dimension_shows_one_observation_that_weighs_each_requirement_once(
    dimension: Dimension,
) -> None:
    (example,) = dimension.examples
    assert 25 <= len(example.split()) <= 45
    assert len(re.findall(VERDICT, example)) == len(dimension.requirements)


@pytest.mark.parametrize("dimension", ASKED)
def test_no_requirement_and_no_example_tells_what_a_text_is_worth(dimension: Dimension) -> None:
    for text in texts(dimension):
        assert not re.search(r"\d", re.sub(r"\bstep [1-6]\b", "", text)), text
        words = {match[0].lower() for match in re.finditer(GRADING, text, flags=re.IGNORECASE)}
        assert words <= ALLOWED.get(dimension.id, set()), text
        for level in dimension.levels:
            assert not re.search(rf"\b{re.escape(level.text)}\b", text, flags=re.IGNORECASE), text


def test_counted_dimensions_ask_nothing_of_the_text() -> None:
    for step in ("step1", "step3"):
        flexibility = load_task("cgpst").step(step).dimension("flexibility")
        assert texts(flexibility) == ()


@pytest.mark.parametrize("name", ["cgpst", "ttcw"])
def test_examples_lean_to_no_verdict(name: str) -> None:
    dimensions = [d for step in load_task(name).steps for d in step.dimensions]
    verdicts = [re.findall(VERDICT, example) for d in dimensions for example in d.examples]
    counts = Counter(verdict for example in verdicts for verdict in example)
    # A copied verdict would be as often wrong as right: none is rare, and none holds nearly everywhere.
    assert all(0.15 < counts[v] / counts.total() < 0.6 for v in ("met", "partly met", "not met")), counts
    # What the last requirement comes to, often the hardest, must not be foreseen either.
    last = Counter(example[-1] for example in verdicts)
    assert max(last.values()) / last.total() <= 0.5, last


def test_requirements_and_examples_of_cgpst_cost_little() -> None:
    dimensions = [d for step in load_task("cgpst").steps for d in step.dimensions]
    # About 4.5 characters are a token of English.
    assert sum(len(text) + 1 for d in dimensions for text in d.requirements) / 4.5 < 700
    assert sum(len(text) + 1 for d in dimensions for text in d.examples) / 4.5 < 1300


SMALL = """\
id: small
name: A small task
source: made for the tests
description: Say something.
steps:
  - id: tell
    name: Tell
    instruction: Tell more.
    dimensions:
      - id: depth
        name: Depth
        description: How deep?
        scale: 1-5
"""


def test_a_task_may_leave_requirements_and_examples_out_or_bring_its_own() -> None:
    (dimension,) = parse_task(SMALL, "small.yaml").steps[0].dimensions
    assert (dimension.requirements, dimension.examples) == ((), ())
    own = SMALL + "        requirements: [says why, says how]\n        examples: ['Says why (why: met).']\n"
    (dimension,) = parse_task(own, "small.yaml").steps[0].dimensions
    assert dimension.requirements == ("says why", "says how")
    assert dimension.examples == ("Says why (why: met).",)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "requirement: [says why]",
            "line 14, at .*: unknown key 'requirement'. Did you mean 'requirements'?",
        ),
        ("requirements: ['']", "found ''"),
        ("requirements: says why", "found 'says why'"),
        ("requirements: [{says: why}]", "found a mapping"),
    ],
)
def test_a_misspelt_or_misshapen_list_of_requirements_stops_loading(line: str, message: str) -> None:
    with pytest.raises(TaskError, match=message.replace("?", r"\?")):
        parse_task(f"{SMALL}        {line}\n", "small.yaml")


@pytest.mark.parametrize("name", builtin_tasks())
def test_tasks_show_prints_every_requirement_and_every_example(command: CommandLine, name: str) -> None:
    shown = command("tasks", "show", name)
    assert shown.code == 0
    lines = shown.out.splitlines()
    for step in load_task(name).steps:
        for dimension in step.dimensions:
            head = f"  {step.id}.{dimension.id} ({dimension.name}), "
            (start,) = [n + 2 for n, line in enumerate(lines) if line.startswith(head)]
            requirements = [f"      requirement: {text}" for text in dimension.requirements]
            levels = [f"      {level.label}: {level.text}" for level in dimension.levels]
            examples = [f"      example of evidence: {text}" for text in dimension.examples]
            expected = requirements + levels + examples
            assert lines[start : start + len(expected)] == expected
