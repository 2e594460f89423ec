from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from creaeval.data import read_responses

from ..support import brick, cgpst, problems_of, the_problem, write

if TYPE_CHECKING:
    from pathlib import Path

ENTRY: dict[str, Any] = {
    "id": "007",
    "scenario": "FS10",
    "steps": {
        "step1": ["Fish die", "", "Boats stop"],
        "Step-2": "How might we?",
        "Develop an Action Plan": "Go",
    },
    "group": "control",
    "age": 12,
    "note": None,
}


@pytest.mark.parametrize("form", ["object", "list", "wrapped"])
def test_an_object_a_list_and_a_wrapped_list_say_the_same(tmp_path: Path, form: str) -> None:
    content: Any = {"object": ENTRY, "list": [ENTRY], "wrapped": {"responses": [ENTRY]}}[form]
    path = write(tmp_path / "a.json", content)
    (response,) = read_responses([path], cgpst())
    assert (response.id, response.scenario, response.source) == ("007", "FS10", str(path))
    assert list(response.steps) == ["step1", "step2", "step6"]
    assert response.steps["step1"].text == "1. Fish die\n2.\n3. Boats stop"
    assert response.metadata == {"group": "control", "age": "12", "note": ""}
    assert response.missing_steps(cgpst()) == ["step3", "step4", "step5"]


def test_json_lines_keep_characters_that_end_lines_elsewhere(tmp_path: Path) -> None:
    lines = [json.dumps({"id": str(n), "steps": {"step2": "a\u2028b"}}, ensure_ascii=False) for n in (1, 2)]
    path = write(tmp_path / "a.jsonl", "\n\n".join(lines) + "\n")
    assert [r.steps["step2"].text for r in read_responses(str(path), cgpst())] == ["a\nb", "a\nb"]


def test_a_task_of_one_step_takes_a_response_by_that_name(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", [{"response_id": "7", "response": "door stop", "object": "brick"}])
    (response,) = read_responses([path], brick())
    assert response.steps["use"].text == "door stop"
    assert response.metadata == {"object": "brick"}
    problem = the_problem(lambda: read_responses([path], cgpst()))
    assert "found 'response', expected 'steps': task cgpst has 6 steps" in problem


def test_an_unknown_step_is_named_with_the_nearest(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", {"id": "1", "steps": {"stepp1": "x", "zzz": "y"}})
    first, second = problems_of(lambda: read_responses([path], cgpst()))
    assert "response 1: task cgpst has no step 'stepp1'. Did you mean 'step1'?" in first
    assert "Expected one of step1, step2, step3, step4, step5, step6." in second


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"steps": {}}, "no 'id' or 'response_id' among the keys 'steps'"),
        ({"id": "1", "step": {}}, "Did you mean 'step' to be 'steps'?"),
        ({"id": "1", "scores": {}}, "this is a rating, not a response"),
        ({"id": "1", "steps": []}, "expected an object with the task's steps as keys"),
        ({"id": 1.5, "steps": {}}, "found the id 1.5, expected text"),
        ({"id": " \u00a0", "steps": {}}, "expected one that is not empty"),
        ({"id": "a\u0007b", "steps": {}}, "invisible character U+0007"),
        ({"id": "a\u202eb", "steps": {}}, "invisible character U+202E"),
        ({"id": "x" * 300, "steps": {}}, "found an id of 300 characters"),
        ({"id": "1", "steps": {"step1": 5}}, "step1: found 5, expected text or a list of texts"),
        ({"id": "1", "steps": {"step1": ["a", {"b": 1}]}}, "step1, item 2: found {'b': 1}"),
        (
            {"id": "1", "steps": {"step1": "a", "Step-1": "b"}},
            "step1 is there twice, the second time as 'Step-1'",
        ),
        ({"id": "1", "steps": {"step2": "a\ud800"}}, "character 2 is U+D800, which is no text"),
        ({"id": "1", "steps": {}, "tags": ["a"]}, "tags: found ['a'], expected a single value"),
        ({"id": "1", "steps": {}, "scenario": ["a"]}, "scenario: found the id ['a'], expected text"),
        ("text", "found 'text', expected an object with 'id' and 'steps'"),
    ],
)
def test_a_wrong_entry_is_explained(tmp_path: Path, entry: Any, message: str) -> None:
    path = write(tmp_path / "a.json", [entry])
    problem = the_problem(lambda: read_responses([path], cgpst()))
    assert problem.startswith(f"{path}, entry 1")
    assert message in problem


def test_broken_json_is_named_with_line_and_column(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", '{\n  "id": "1",\n  "steps": {,}\n}')
    problem = the_problem(lambda: read_responses([path], cgpst()))
    assert problem.startswith(f"{path}, line 3, column 13: not valid JSON")
    path = write(tmp_path / "b.jsonl", '{"id": "1", "steps": {}}\n{"id": \n{"id": "1", "id": "2"}\n')
    first, second = problems_of(lambda: read_responses([path], cgpst()))
    assert first.startswith(f"{path}, line 2, column")
    assert second == f"{path}, line 3: the key 'id' stands twice in one object."


@pytest.mark.parametrize(
    "text", ["[" * 100_000, '{"id": ' + "9" * 5000 + "}", "{} {}", "nonsense", "[]", "null", "3"]
)
def test_no_json_ends_in_a_traceback(tmp_path: Path, text: str) -> None:
    path = write(tmp_path / "a.json", text)
    assert problems_of(lambda: read_responses([path], cgpst()))[0].startswith(str(path))


def test_lines_in_a_json_file_are_told_apart_from_broken_json(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", '{"id": "1"}\n{"id": "2"}\n')
    assert "name the file .jsonl" in the_problem(lambda: read_responses([path], cgpst()))


def test_two_responses_with_one_id_are_named_with_both_places(tmp_path: Path) -> None:
    one = write(tmp_path / "a.json", [{"id": "7", "steps": {}}, {"id": "07", "steps": {}}])
    two = write(tmp_path / "b.jsonl", '{"id": " 7\u00a0", "steps": {}}')
    problem = the_problem(lambda: read_responses([tmp_path], cgpst()))
    assert f"{two}, line 1, response" in problem
    assert f"the id '7' is already taken by {one}, entry 1" in problem


def test_every_wrong_file_is_named_at_once(tmp_path: Path) -> None:
    write(tmp_path / "a.json", "{")
    write(tmp_path / "b.json", [{"id": "1"}, {"id": "2", "steps": {"nine": ""}}])
    assert len(problems_of(lambda: read_responses([tmp_path], cgpst()))) == 3
