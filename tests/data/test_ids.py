"""Ids and columns of ids that no study can use: each is refused with its place, in a short message."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from creaeval.data import read_ratings, read_responses, read_scenarios, read_scores
from creaeval.errors import DataError
from creaeval.tasks import load_task

from .support import brick, cgpst, problems_of, the_problem, write
from .workbooks import workbook

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

LONG = "x" * 10_000
#: An id, and what is said of it. U+000A is the line feed; of long texts 40 characters are shown.
HOSTILE = [
    ("a\nb", r"the id 'a\nb' holds the invisible character U+000A; take it out"),
    (LONG, f"found an id of 10000 characters ('{'x' * 40}'...), expected at most 200"),
    (" " * 10_000, "expected one that is not empty"),
]


def problem_of_table(path: Path, read: Callable[[Path], object], *rows: Sequence[str]) -> str:
    quoted = ("".join(f'"{cell}",' for cell in row)[:-1] + "\n" for row in rows)
    return the_problem(lambda: read(write(path, "".join(quoted))))


@pytest.mark.parametrize(("name", "problem"), HOSTILE)
def test_an_id_that_cannot_be_one_is_named_by_row_and_column(tmp_path: Path, name: str, problem: str) -> None:
    path = tmp_path / "a.csv"
    messages = [
        problem_of_table(path, lambda p: read_responses(p, brick()), ["id", "response"], [name, "hat"]),
        problem_of_table(
            path, lambda p: read_ratings(p, cgpst()), ["id", "rater", "Focus"], [name, "A", "7"]
        ),
        problem_of_table(
            path,
            lambda p: read_scores(p, cgpst()),
            ["id", "response_id", "judge", "dimension", "score", "model_score", "computed_score"],
            ["", name, "J", "step2.focus", "7", "7", ""],
        ),
    ]
    columns = ["'id'", "'id'", "'response_id'"]
    for message, column in zip(messages, columns, strict=True):
        assert message.startswith(f"{path}, row 2")
        assert f"column {column}" in message
        assert problem in message
        assert "\n" not in message
        assert len(message) < len(str(path)) + 250


@pytest.mark.parametrize(("name", "problem"), HOSTILE[:2])
def test_a_hostile_id_or_object_of_a_use_is_named_by_its_cell(
    tmp_path: Path, name: str, problem: str
) -> None:
    path, aut = tmp_path / "a.csv", load_task("aut")
    header = ["id", "object", "response"]
    for row, column in (([name, "brick", "hat"], "id"), (["u1", name, "hat"], "object")):
        message = problem_of_table(path, lambda p: read_responses(p, aut), header, row)
        assert message == f"{path}, row 2, column '{column}': {problem}."


@pytest.mark.parametrize(("name", "problem"), HOSTILE)
def test_a_hostile_id_in_json_or_a_workbook_is_told_in_one_short_line(
    tmp_path: Path, name: str, problem: str
) -> None:
    response = write(tmp_path / "a.json", json.dumps({"id": name, "response": "hat"}))
    rating = write(tmp_path / "b.json", json.dumps({"id": name, "rater": "A", "scores": {"Focus": 7}}))
    scenario = write(tmp_path / "c.json", json.dumps({name: "a text"}))
    book = workbook(tmp_path / "d.xlsx", ["id", "rater", "Focus"], [name, "A", 7])
    for path, read in (
        (response, lambda: read_responses(response, brick())),
        (rating, lambda: read_ratings(rating, cgpst())),
        (scenario, lambda: read_scenarios(scenario)),
        (book, lambda: read_ratings(book, cgpst())),
    ):
        message = the_problem(read)
        assert message.startswith(str(path))
        assert problem in message
        assert "\n" not in message
        assert len(message) < len(str(path)) + 250


def test_an_id_of_another_type_is_shown_by_its_beginning(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", [{"id": [LONG], "response": "hat"}])
    message = the_problem(lambda: read_responses(path, brick()))
    assert f"found the id ['{'x' * 78}, expected text." in message


def test_uses_without_objects_are_refused_by_column_or_by_cell(tmp_path: Path) -> None:
    aut = load_task("aut")
    path = write(tmp_path / "a.csv", "id,response\nu1,a hat\n")
    assert the_problem(lambda: read_responses(path, aut)) == (
        f"{path}: no column says which object was shown. Found the columns id, response. Say --columns "
        "object=COLUMN, or --read object=NAME where all are of one."
    )
    (response,) = read_responses(path, aut, object="brick")
    assert (response.scenario, response.metadata["object"]) == ("brick", "brick")
    path = write(tmp_path / "b.csv", "id,object,response\nu1,,a hat\nu2,  ,a boat\n")
    assert problems_of(lambda: read_responses(path, aut)) == (
        f"{path}, row 2, column 'object': is empty, expected an object.",
        f"{path}, row 3, column 'object': is empty, expected an object.",
    )


@pytest.mark.parametrize(("kind", "noun"), [("aut", "use"), ("brick", "response")])
def test_equal_ids_in_two_files_are_named_with_both_places(tmp_path: Path, kind: str, noun: str) -> None:
    task = load_task("aut") if kind == "aut" else brick()
    first, second = (
        write(tmp_path / name, "id,object,response\nu1,brick,a hat\n") for name in ("a.csv", "b.csv")
    )
    for path in (second, first):
        with pytest.raises(DataError) as caught:
            read_responses([first, path], task)
        assert caught.value.problems == (
            f"{path}, row 2: the id 'u1' is already taken by {first}, row 2. "
            f"Every {noun} needs an id of its own. If it is who wrote several, say --columns "
            "participant=COLUMN.",
        )


@pytest.mark.parametrize(
    ("header", "problem"),
    [
        (
            "response_id,Response ID,response",
            "the columns 'response_id' and 'Response ID' could both be 'id'. Say --columns id=COLUMN, or "
            "rename one of them.",
        ),
        (
            "id,scenario,Scenario_,response",
            "the columns 'scenario' and 'Scenario_' could both be 'scenario'. Say --columns scenario=COLUMN, "
            "or rename one of them.",
        ),
        (
            "id,response,Response_",
            "the columns 'response' and 'Response_' could both be the text. Say which: --columns "
            "text=response, or --columns text=Response_.",
        ),
    ],
)
def test_two_columns_that_could_be_the_same_are_refused(tmp_path: Path, header: str, problem: str) -> None:
    path = write(tmp_path / "a.csv", f"{header}\na,b,c{',d' * (header.count(',') - 2)}\n")
    assert the_problem(lambda: read_responses(path, brick())) == f"{path}: {problem}"


def test_the_column_that_is_said_is_read_where_two_could_be_meant(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "id,response,Response_\n1,a wall,a hat\n")
    (response,) = read_responses(path, brick(), columns={"text": "Response_"})
    assert response.steps["use"].text == "a hat"
    path = write(tmp_path / "a.csv", "response_id,Response ID,response\nR1,7,a wall\n")
    (response,) = read_responses(path, brick(), columns={"id": "Response ID"})
    assert (response.id, response.metadata) == ("7", {"response_id": "R1"})


def test_two_columns_of_raters_objects_or_scores_are_refused_unless_one_is_named(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "id,rater,Rater_,dimension,score\nR1,A,B,Focus,7\n")
    assert the_problem(lambda: read_ratings(path, cgpst())) == (
        f"{path}: the columns 'rater' and 'Rater_' could both be 'rater'. Say --columns rater=COLUMN, or "
        "rename one of them."
    )
    (rating,) = read_ratings(path, cgpst(), columns={"rater": "Rater_"})
    assert rating.rater == "B"

    uses = write(tmp_path / "b.csv", "id,object,Object_,response\nu1,brick,rope,a hat\n")
    assert "'object' and 'Object_' could both be 'object'" in the_problem(
        lambda: read_responses(uses, load_task("aut"))
    )
    scores = write(
        tmp_path / "c.csv",
        "response_id,judge,dimension,score,model_score,Model Score,computed_score\nR1,J,step2.focus,7,7,8,\n",
    )
    assert "'model_score' and 'Model Score' could both be 'model_score'" in the_problem(
        lambda: read_scores(scores, cgpst())
    )


def test_of_two_names_of_one_column_the_first_that_is_documented_is_read(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "id,response_id,response\nrow1,R1,a hat\n")
    (response,) = read_responses(path, brick())
    assert (response.id, response.metadata) == ("R1", {"id": "row1"})
