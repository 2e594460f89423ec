"""Ratings as people keep them: a column a rater by any name, words for points, codes, sums, texts beside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

from creaeval.data import Found, read_data
from creaeval.data.reader import find_dimensions
from creaeval.data.scales import make_task
from creaeval.errors import DataError
from creaeval.tasks import load_task

from ..support import cgpst, problems_of, the_problem, write

if TYPE_CHECKING:
    from pathlib import Path

AUT = load_task("aut")
RATINGS = ("ratings",)


def read(folder: Path, *rows: str, name: str = "a.csv", **reading: Any) -> Found:
    return read_data(write(folder / name, "\n".join(rows) + "\n"), AUT, **{"want": RATINGS, **reading})


Scores = dict[tuple[str, str], float | None]


def scores(found: Found) -> Scores:
    return {(r.response_id, r.rater): r.sheet.final("uses.originality") for r in found.ratings}


def of(first: str, second: str) -> Scores:
    """What the two raters of most tests gave; the second rated one use only."""
    return {("u1", first): 3, ("u1", second): 4.5, ("u2", first): 2}


@pytest.mark.parametrize(
    ("rows", "raters"),
    [
        (["id,R1,R2", "u1,3,4.5", "u2,2,"], ("R1", "R2")),
        (["id,Judge A,Judge B", "u1,3,4.5", "u2,2,NA"], ("Judge A", "Judge B")),
        (["id,Anna,Ben", "u1,3,4.5", "u2,2,."], ("Anna", "Ben")),
        (["编号,评委1,评委2", "u1,3,4.5", "u2,2,"], ("评委1", "评委2")),
        (
            ["Antwort-ID;Beurteilerin 1;Beurteilerin 2", "u1;3,0;4,5", "u2;2;-"],
            ("Beurteilerin 1", "Beurteilerin 2"),
        ),
        (["id,Originality_Ann,Originality_Ben", "u1,3,4.5", "u2,2,"], ("Ann", "Ben")),
        (["id,creativity_R1,creativity_R2", "u1,3,4.5", "u2,2,#N/A"], ("R1", "R2")),
        (["rater,u1,u2", "A,3,2", "B,4.5,n/a"], ("A", "B")),
        (["id,rater,score", "u1,A,3", "u1,B,4.5", "u2,A,2", "u2,B,-"], ("A", "B")),
        (
            [
                "use_id,coder,criterion,rating",
                "u1,A,originality,3",
                "u1,B,originality,4.5",
                "u2,A,originality,2",
            ],
            ("A", "B"),
        ),
        (["id,rater,Originality", "u1,A,3", "u1,B,4.5", "u2,A,2"], ("A", "B")),
    ],
)
def test_one_set_of_ratings_is_read_from_every_form(
    tmp_path: Path, rows: list[str], raters: tuple[str, str]
) -> None:
    assert scores(read(tmp_path, *rows)) == of(*raters)


def test_what_was_taken_for_granted_is_said(tmp_path: Path) -> None:
    where = tmp_path / "a.csv"
    assert read(tmp_path, "id,R1,R2", "u1,3,4").notes == []
    assert read(tmp_path, "id,Anna,Ben", "u1,3,4").notes == [
        f"{where}: the columns 'Anna', 'Ben' hold points, so they were read as raters of these names."
    ]
    assert read(tmp_path, "id,rater,creativity", "u1,A,3").notes == [
        f"{where}: 'creativity' was read as uses.originality, the only dimension of task aut."
    ]
    assert read(tmp_path, "id,score", "u1,3", "u2,4").notes == [
        f"{where}: no column names the rater, so the rater is 'a', as the file; --columns rater=COLUMN or "
        "--read rater=NAME says otherwise."
    ]
    named = read(tmp_path, "id,score", "u1,3", "u2,4", rater="Ann")
    assert (scores(named), named.notes) == ({("u1", "Ann"): 3, ("u2", "Ann"): 4}, [])


@pytest.mark.parametrize(
    "title", ["Mean", "Total", "SD", "Mittelwert", "Moyenne", "Suma", "平均分", "average rating", "Median"]
)
def test_a_column_that_sums_raters_up_is_no_rater_and_that_is_said(tmp_path: Path, title: str) -> None:
    found = read(tmp_path, f"id,R1,R2,{title}", "u1,3,4.5,3.75", "u2,2,,2")
    assert scores(found) == of("R1", "R2")
    assert f"'{title}' sums up others and is no rater." in " ".join(found.notes)


@pytest.mark.parametrize(
    "title", ["age", "Alter", "comment", "note", "Bemerkungen", "rt", "trial", "condition", "性别"]
)
def test_what_is_known_to_be_no_score_goes_along(tmp_path: Path, title: str) -> None:
    found = read(tmp_path, f"id,R1,R2,{title}", "u1,3,4.5,12", "u2,2,,13")
    assert scores(found) == of("R1", "R2")
    assert [rating.metadata[title] for rating in found.ratings] == ["12", "12", "13"]


@pytest.mark.parametrize("form", ["csv", "long"])
@pytest.mark.parametrize("code", ["-99", "999", "-9", "99"])
def test_a_code_for_what_is_missing_is_an_error_that_names_the_option(
    tmp_path: Path, code: str, form: str
) -> None:
    rows = ["id,R1,R2", "u1,3,4.5", f"u2,2,{code}"]
    if form == "long":
        rows = ["id,rater,score", "u1,R1,3", "u1,R2,4.5", "u2,R1,2", f"u2,R2,{code}"]
    problem = the_problem(lambda: read(tmp_path, *rows))
    assert f"found '{code}', expected a number from 1 to 5 (task aut, uses.originality)." in problem
    assert f"If {code} stands for a missing value, say --missing {code}." in problem
    for missing in ([code], code, f"-77,{code}"):
        assert scores(read(tmp_path, *rows, missing=missing)) == of("R1", "R2")


def test_a_code_in_the_column_of_somebody_by_name_is_no_reason_to_lose_the_scores(tmp_path: Path) -> None:
    rows = ["id,Anna,Ben", "u1,3,4.5", "u2,2,-99"]
    assert "say --missing -99" in the_problem(lambda: read(tmp_path, *rows))
    assert scores(read(tmp_path, *rows, missing="-99")) == of("Anna", "Ben")


def test_a_slip_of_a_rater_is_refused_with_its_place_and_nobody_is_lost(tmp_path: Path) -> None:
    rows = ["id,Anna,Ben", *(f"u{n},{n % 5 + 1},{n % 4 + 1}" for n in range(1, 10)), "u10,3,44"]
    problem = the_problem(lambda: read(tmp_path, *rows))
    assert problem.startswith(
        f"{tmp_path / 'a.csv'}, row 11, column 'Ben': found '44', expected a number from 1 to 5"
    )


@pytest.mark.parametrize(
    ("levels", "points"),
    [
        ("low,medium,high", {"low": 1, "medium": 2, "high": 3}),
        (["low", "medium", "high"], {"low": 1, "medium": 2, "high": 3}),
        ("low=1,medium=3,high=5", {"low": 1, "medium": 3, "high": 5}),
        ({"LOW": 2, "Medium": 2.5, "high": 4}, {"low": 2, "medium": 2.5, "high": 4}),
    ],
)
@pytest.mark.parametrize("raters", [("R1", "R2"), ("Anna", "Ben")])
def test_words_stand_for_points_where_somebody_says_which(
    tmp_path: Path, levels: Any, points: dict[str, float], raters: tuple[str, str]
) -> None:
    rows = [f"id,{','.join(raters)}", "u1,low,high", "u2, Medium,", "u3,HIGH,low"]
    expected = [("u1", 0, "low"), ("u1", 1, "high"), ("u2", 0, "medium"), ("u3", 0, "high"), ("u3", 1, "low")]
    assert scores(read(tmp_path, *rows, levels=levels)) == {
        (name, raters[rater]): points[word] for name, rater, word in expected
    }


def test_words_for_points_without_a_word_on_them_are_refused_with_the_option(tmp_path: Path) -> None:
    rows = ["id,R1,R2", "u1,low,high", "u2,medium,"]
    problems = problems_of(lambda: read(tmp_path, *rows))
    assert len(problems) == 3
    assert "row 2, column 'R1': found 'low', expected a number from 1 to 5" in problems[0]
    assert "are named with --levels, as in --levels low,medium,high" in problems[0]
    wrong = problems_of(lambda: read(tmp_path, *rows, levels="low,high"))
    assert [problem.partition(": ")[2].partition(",")[0] for problem in wrong] == ["found 'medium'"]


@pytest.mark.parametrize("order", ["id,object,response,R1,R2", "R2,response,object,id,R1"])
def test_texts_and_ratings_in_one_table_are_both_read(tmp_path: Path, order: str) -> None:
    whole = {"id": "u1 u2", "object": "brick brick", "response": "wall hat", "R1": "3 2", "R2": "4.5 NA"}
    titles = order.split(",")
    rows = [",".join(whole[title].split()[row] for title in titles) for row in (0, 1)]
    found = read(tmp_path, order, *rows, want=("responses", "ratings"))
    assert [(r.id, r.scenario, r.steps["uses"].text) for r in found.responses] == [
        ("u1", "brick", "wall"),
        ("u2", "brick", "hat"),
    ]
    assert not {"R1", "R2"} & found.responses[0].metadata.keys()
    assert scores(found) == of("R1", "R2")


def test_a_row_a_rater_holds_each_text_once(tmp_path: Path) -> None:
    rows = [
        "participant,object,response,rater,score",
        "p1,brick,a wall,A,3",
        "p1,brick,a wall,B,4.5",
        "p1,brick,a hat,A,2",
    ]
    found = read(tmp_path, *rows, want=("responses", "ratings"))
    assert [(r.id, r.steps["uses"].text) for r in found.responses] == [
        ("p1-brick-1", "a wall"),
        ("p1-brick-2", "a hat"),
    ]
    assert scores(found) == {("p1-brick-1", "A"): 3, ("p1-brick-1", "B"): 4.5, ("p1-brick-2", "A"): 2}


def test_ratings_of_what_is_not_there_are_said(tmp_path: Path) -> None:
    texts = write(tmp_path / "texts.csv", "id,object,response\n007,brick,a wall\n")
    ratings = write(tmp_path / "ratings.csv", "id,R1\n7,3\n008,2\n")
    found = read_data([texts, ratings], AUT)
    assert scores(found) == {("7", "R1"): 3, ("008", "R1"): 2}
    assert found.notes == [
        f"rating id 7 has no response (by R1, in {ratings}). There is a response '007'; make the ids the "
        "same if they are.",
        f"rating id 008 has no response (by R1, in {ratings}).",
    ]


def test_a_file_a_rater_has_the_rater_for_its_name(tmp_path: Path) -> None:
    for name, score in (("Ann", 3), ("Ben", 4)):
        write(tmp_path / f"{name}.csv", f"id,Originality\nu1,{score}\n")
    assert scores(read_data(tmp_path, AUT, want=RATINGS)) == {("u1", "Ann"): 3, ("u1", "Ben"): 4}


def test_one_score_without_a_rater_among_several_dimensions_needs_the_dimension(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "id,R1,R2\nb1,7,6\n")
    problem = the_problem(lambda: read_data(path, cgpst(), want=RATINGS))
    assert (
        "the columns 'R1', 'R2' seem to be raters, but no column says which dimension of task cgpst"
        in problem
    )
    assert "Say --columns dimension=COLUMN, or --read dimension=NAME where all are of one." in problem
    found = read_data(path, cgpst(), want=RATINGS, dimension="Focus")
    assert [(r.rater, r.sheet.final("step2.focus")) for r in found.ratings] == [("R1", 7), ("R2", 6)]


def test_files_of_statistics_programs_are_read_with_the_names_of_their_values(tmp_path: Path) -> None:
    pyreadstat = pytest.importorskip("pyreadstat")
    frame = pd.DataFrame({"id": ["u1", "u1", "u2"], "rater": [1.0, 2.0, 1.0], "score": [3.0, 4.5, 2.0]})
    path = tmp_path / "a.sav"
    pyreadstat.write_sav(frame, str(path), variable_value_labels={"rater": {1: "Anna", 2: "Ben"}})
    assert scores(read_data(path, AUT, want=RATINGS)) == of("Anna", "Ben")
    pyreadstat.write_dta(frame, str(tmp_path / "b.dta"))
    assert scores(read_data(tmp_path / "b.dta", AUT, want=RATINGS)) == of("1", "2")
    write(tmp_path / "c.sav", "id,score\n1,2\n")
    assert "c.sav: is no file of SPSS or Stata that can be read" in the_problem(
        lambda: read_data(tmp_path / "c.sav", AUT)
    )


@pytest.mark.parametrize("text", ["", ",a hat"])
def test_a_cell_that_is_no_number_is_refused_rather_than_its_rater_lost(tmp_path: Path, text: str) -> None:
    title = ",response" if text else ""
    rows = [f"u{number}{text},brick,{ann},3" for number, ann in enumerate("4?25", 1)]
    path = tmp_path / "a.csv"
    path.write_text("\n".join([f"id{title},object,Anna,Ben", *rows]))
    with pytest.raises(DataError, match=r"row 3, column 'Anna': found '\?', expected a number from 1 to 5"):
        read_data(path, AUT)


def test_a_column_that_tells_of_confidence_or_categories_is_no_rater(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,Anna,Ben,flex_category,self_confidence\nu1,4,3,1,2\nu2,2,5,2,4\nu3,3,1,1,4\n")
    assert {r.rater for r in read_data(path, AUT).ratings} == {"Anna", "Ben"}


def test_names_with_a_capital_are_raters_beside_dimensions_without(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,Ada_novel,Ada_useful,Ben_novel,Ben_useful\nu1,4,3,2,2\nu2,3,3,1,2\n")
    assert find_dimensions([path], make_task((1, 5)), {}) == ["novel", "useful"]


def test_ratings_beside_texts_that_the_task_has_no_dimension_for_are_named(tmp_path: Path) -> None:
    rows = ["id,object,response,originality_R1,usefulness_R1", "u1,brick,a hat,4,3", "u2,brick,a vase,2,3"]
    found = read(tmp_path, *rows, want=("responses", "ratings"))
    assert (len(found.responses), found.ratings) == (2, [])
    assert "Ratings beside the texts are not read" in found.notes[0]
    assert "usefulness" in found.notes[0]


def test_a_range_for_a_score_is_refused(tmp_path: Path) -> None:
    problem = the_problem(lambda: read(tmp_path, "id,A,B", "u1,3-4,2", "u2,3,4", "u3,2,5"))
    assert "row 2, column 'A': found '3-4', expected a number from 1 to 5" in problem
