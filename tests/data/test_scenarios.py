from __future__ import annotations

from typing import TYPE_CHECKING

import docx
import pytest

from creaeval.data import Response, find_scenario, read_scenarios
from creaeval.errors import DataError
from creaeval.tasks import Scenario

from .support import brick, cgpst, problems_of, the_problem, write

if TYPE_CHECKING:
    from pathlib import Path

TEN = Scenario(id="FS10", title="Ocean Soup", text="In 2035")
NINE = Scenario(id="FS9", text="In 2040")


def answer(scenario: str | None) -> Response:
    return Response(id="R1", scenario=scenario, steps={})


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", '{"FS10": {"theme": "Ocean Soup", "text": "In 2035"}}'),
        ("a.json", '{"id": "FS10", "title": "Ocean Soup", "text": "In 2035"}'),
        ("a.yaml", "FS10:\n  title: Ocean Soup\n  text: In 2035\n"),
        ("a.yml", "id: FS10\ntheme: Ocean Soup\ntext: >-\n  In\n  2035\n"),
    ],
)
def test_a_scenario_is_read_in_every_form(tmp_path: Path, name: str, content: str) -> None:
    assert read_scenarios(write(tmp_path / name, content)) == {"FS10": TEN}


def test_a_text_file_is_one_scenario_named_by_the_file(tmp_path: Path) -> None:
    path = write(tmp_path / "FS9.md", "In 2040")
    assert read_scenarios(str(path)) == {"FS9": NINE}
    assert read_scenarios(write(tmp_path / "b.json", {"FS9": "In 2040"})) == {"FS9": NINE}


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.json", "[]", "found [], expected scenarios by id"),
        ("a.json", '{"FS1": {"txt": "x"}}', "scenario 'FS1': unknown key 'txt'. Did you mean 'text'?"),
        (
            "a.json",
            '{"FS1": {"title": "x"}}',
            "scenario 'FS1', text: found None, expected the scenario's text",
        ),
        ("a.json", '{"FS1": {"text": "x", "title": 1}}', "title: found 1, expected text"),
        ("a.json", '{"FS1": 1}', "expected an object with 'title' and 'text'"),
        ("a.yaml", "FS1: [", "a.yaml, line"),
        ("a.yaml", "FS1: 2024-13-45", "Put it in quotation marks"),
        ("a.yaml", "FS1: {text: x}\nFS1: {text: y}", "duplicate key"),
        ("a.docx", "x", "looks like text that starts with 'x', expected a Word document"),
        ("a.csv", "x", "ends in '.csv', expected one of .docx, .json, .jsonl, .md, .pdf, .txt"),
        ("a.doc", "x", "documents ending in '.doc' are not read"),
    ],
)
def test_a_wrong_file_is_explained(tmp_path: Path, name: str, content: str, message: str) -> None:
    path = write(tmp_path / name, content)
    problems = problems_of(lambda: read_scenarios(path))
    assert str(path) in problems[0]
    assert message in "\n".join(problems)


def test_the_scenario_a_response_names_is_found() -> None:
    known = {"FS10": TEN, "FS9": NINE}
    assert find_scenario(answer("FS9"), known, cgpst()) is NINE
    assert find_scenario(answer("fs9"), known, cgpst()) is NINE
    problem = the_problem(lambda: find_scenario(answer("FS8"), known, cgpst()))
    assert "there is no scenario 'FS8'; known are FS10, FS9. Give it with --scenario FILE" in problem


def test_a_response_that_names_none_gets_the_only_one() -> None:
    assert find_scenario(answer(None), {"FS9": NINE}, cgpst()) is NINE
    several = the_problem(lambda: find_scenario(answer(None), {"FS9": NINE, "FS10": TEN}, cgpst()))
    assert "names no scenario; known are FS10, FS9" in several
    none = the_problem(lambda: find_scenario(answer(None), {}, cgpst()))
    assert "task cgpst needs a scenario and no scenario is known. Give it with --scenario FILE" in none


@pytest.mark.parametrize("name", ["scenario.txt", "scene.md", "Port Salt.docx"])
def test_the_scenario_of_a_text_is_that_of_all_responses(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    if path.suffix == ".docx":
        document = docx.Document()
        document.add_paragraph("In 2051 drones fish by night.")
        document.add_paragraph("Captains are idle.")
        document.save(str(path))
    else:
        write(path, "In 2051 drones fish by night.\nCaptains are idle.\n")
    scenarios = read_scenarios(path)
    scene = Scenario(id=path.stem, text="In 2051 drones fish by night.\nCaptains are idle.")
    assert scenarios == {path.stem: scene}
    assert find_scenario(answer("FS10"), scenarios, cgpst()) == scene
    assert find_scenario(answer(None), scenarios, cgpst()) == scene


def test_the_text_of_one_object_is_not_that_of_another(tmp_path: Path) -> None:
    scenarios = read_scenarios(write(tmp_path / "brick.txt", "A red brick."))
    use = Response(id="u1", scenario="paperclip", steps={}, metadata={"object": "paperclip"})
    other = find_scenario(use, scenarios, cgpst())
    assert other is not None
    assert other.text == "Object: paperclip"


def test_a_task_that_needs_none_goes_without() -> None:
    assert find_scenario(answer(None), {}, brick()) is None
    assert find_scenario(answer("brick"), {}, brick()) is None
    assert find_scenario(answer(None), {"FS9": NINE, "FS10": TEN}, brick()) is None


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("plots.jsonl", '{"plot_idx": [1], "plot": "A plot."}'),
        ("one.jsonl", '{"id": {"a": 1}, "text": "A text."}'),
        ("one.json", '{"id": ["a"], "text": "A text."}'),
    ],
)
def test_an_id_that_is_no_text_is_named(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(DataError, match="expected text or a whole number"):
        read_scenarios(tmp_path / name)
