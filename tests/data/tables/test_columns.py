"""Names of columns that a file has of its own, stages, and columns that are carried."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from creaeval.data import read_columns, read_data, read_ratings
from creaeval.errors import SettingError

from ..support import brick, cgpst, problems_of, the_problem, write
from ..workbooks import LONG, workbook


def csv_file(folder: Path, *rows: str, name: str = "ratings.csv") -> Path:
    return write(folder / name, "\n".join(rows) + "\n")


def focus(path: Path | list[Path], **columns: str) -> dict[tuple[str, str], float | None]:
    ratings = read_ratings(path, cgpst(), columns=columns)
    return {(r.response_id, r.rater): r.sheet.final("step2.focus") for r in ratings}


def test_columns_are_found_under_the_files_own_names(tmp_path: Path) -> None:
    path = csv_file(tmp_path, "Subj,JUDGE ,Scale,Points,Q", "R1,A,Focus,7,", "R1,B,Focus,6,")
    named = {"response_id": "subj", "rater": " Judge", "dimension": "Scale", "score": "points", "item": "Q"}
    assert focus(path, **named) == {("R1", "A"): 7, ("R1", "B"): 6}
    wide = csv_file(tmp_path, "Subj;Name of judge;Focus", "R1;A;7.5")
    assert focus(wide, response_id="Subj", rater="Name of judge") == {("R1", "A"): 7.5}
    book = workbook(tmp_path / "a.xlsx", ["Subj", "Judge", "Focus"], ["R1", "A", 7], notes=[["x"]])
    with pytest.warns(UserWarning, match=r"a\.xlsx, notes: not read, since its titles"):
        assert focus(book, response_id="Subj", rater="Judge") == {("R1", "A"): 7}


def test_a_column_that_is_named_for_one_role_is_none_for_another(tmp_path: Path) -> None:
    # 'item' is what this file calls the dimension; the id of the row is carried.
    path = csv_file(tmp_path, "id,Subj,rater,item,score", "1,R1,A,Focus,7", "2,R1,A,Adequacy,5")
    (rating,) = read_ratings(path, cgpst(), columns={"response_id": "Subj", "dimension": "item"})
    assert rating.sheet.final("step2.adequacy") == 5
    assert (rating.response_id, rating.metadata) == ("R1", {})


def test_several_columns_may_be_of_a_role_where_there_can_be_several(tmp_path: Path) -> None:
    path = csv_file(tmp_path, "story,J,K,age", "R1,4,5,12", "R2,3,,13")
    ratings = read_ratings(path, brick(), columns={"id": "story", "score": ["J", "K"], "carry": "age"})
    found = {(r.response_id, r.rater): r.sheet.final("use.originality") for r in ratings}
    assert found == {("R1", "J"): 4, ("R1", "K"): 5, ("R2", "J"): 3}
    assert [r.metadata for r in ratings] == [{"age": "12"}, {"age": "12"}, {"age": "13"}]


def test_a_file_may_have_the_standard_name_instead(tmp_path: Path) -> None:
    one = csv_file(tmp_path, "id,Judge,Focus", "R1,A,7")
    two = csv_file(tmp_path, "id,rater,Focus", "R2,A,6", name="b.csv")
    assert focus([one, two], rater="Judge") == {("R1", "A"): 7, ("R2", "A"): 6}


@pytest.mark.parametrize(
    ("header", "columns", "message"),
    [
        (
            "id,Judge,Focus",
            {"rater": "Juge"},
            "{path}: --columns rater=Juge: there is no column 'Juge'. Did you mean 'Judge'? Found the "
            "columns id, Judge, Focus.",
        ),
        (
            "id,Judge,Focus",
            {"rater": "Expert"},
            "--columns rater=Expert: there is no column 'Expert'. Found the columns id, Judge, Focus.",
        ),
        (
            "Subj,Judge,Focus",
            {"response_id": "Sub", "rater": "Juge"},
            "--columns id=Sub: there is no column 'Sub'. Did you mean 'Subj'?",
        ),
    ],
)
def test_a_column_that_is_not_there_is_named_with_the_nearest(
    tmp_path: Path, header: str, columns: dict[str, str], message: str
) -> None:
    path = csv_file(tmp_path, header, "R1,A,7")
    assert message.format(path=path) in problems_of(lambda: focus(path, **columns))[0]


def test_an_unknown_role_is_named_before_a_file_is_read(tmp_path: Path) -> None:
    with pytest.raises(SettingError) as caught:
        focus(tmp_path / "none.csv", ratter="Judge", score="x", item="x")
    first, *others = caught.value.problems
    assert first.startswith("--columns ratter=Judge: there is no role 'ratter'. Did you mean 'rater'?")
    assert others == ["--columns item=x: the column 'x' is already score. Name another one."]


@pytest.mark.parametrize(
    ("header", "note"),
    [
        ("id,Rater name,dimension,score", ""),
        ("Booklet,Juror,Kriterium,Punkte", ""),
        ("équipe;évaluateur;critère;note", ""),
        ("编号;评分者;维度;得分", ""),
        ("respons_id,rater,dimension,score", "'respons_id' was read as what was rated"),
        ("id,raterr,dimension,score", "'raterr' was read as the rater"),
    ],
)
@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_columns_are_found_by_words_of_any_language_and_nearly_so(
    tmp_path: Path, header: str, note: str, ending: str
) -> None:
    path = tmp_path / f"a.{ending}"
    mark = ";" if ";" in header else ","
    rows = [header.split(mark), ["R1", "A", "Focus", "7"], ["R1", "B", "Focus", "6"]]
    if ending == "xlsx":
        workbook(path, *rows)
    else:
        write(path, "\n".join(mark.join(row) for row in rows))
    found = read_data(path, cgpst(), want=("ratings",))
    scores = {(r.response_id, r.rater): r.sheet.final("step2.focus") for r in found.ratings}
    assert scores == {("R1", "A"): 7, ("R1", "B"): 6}
    assert [note in said for said in found.notes] == ([True] if note else [])


def test_a_header_of_unknown_words_is_no_row_of_data(tmp_path: Path) -> None:
    # Of the rows below it some words are known: a dimension's name, and R1, which may be a rater.
    path = csv_file(tmp_path, "rspns,rtr,dmnsn,scr", "R1,A,Focus,7", "R1,B,Focus,6")
    assert "Found the columns rspns, rtr, dmnsn, scr." in the_problem(lambda: read_ratings(path, cgpst()))


def test_responses_in_columns_are_not_taken_for_a_misspelt_id(tmp_path: Path) -> None:
    path = csv_file(tmp_path, "rater,ID1,ID2", "A,3,4")
    assert {r.response_id for r in read_ratings(path, brick())} == {"ID1", "ID2"}


def test_columns_are_read_from_text() -> None:
    assert read_columns(["rater=Judge, response_id = Subject no. ", "Score=Points"]) == {
        "rater": ("Judge",),
        "id": ("Subject no.",),
        "score": ("Points",),
    }
    assert read_columns(["score=Original, 1-5,rater=Judge"]) == {
        "score": ("Original, 1-5",),
        "rater": ("Judge",),
    }
    assert read_columns([]) == {}
    assert read_columns(["rater=Judge", "rater=Judge"]) == {"rater": ("Judge",)}
    assert read_columns(["text=Use 1,text=Use 2", "carry=age"]) == {
        "text": ("Use 1", "Use 2"),
        "carry": ("age",),
    }
    assert read_columns(["use=Idea,prompt=Thing"]) == {"text": ("Idea",), "object": ("Thing",)}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "Judge",
            "--columns Judge: found 'Judge'. Expected ROLE=COLUMN with one of the roles id, participant,",
        ),
        ("", "found ''. Expected ROLE=COLUMN"),
        ("rater=", "found 'rater='. Expected ROLE=COLUMN"),
        ("=Judge", "found '=Judge'. Expected ROLE=COLUMN"),
        ("ratr=Judge", "there is no role 'ratr'. Did you mean 'rater'? Expected ROLE=COLUMN"),
        ("rater=A,rater=B", "--columns rater=B: rater is already 'A'. Name one column for each role."),
        ("rater=A,score=A", "--columns score=A: the column 'A' is already rater. Name another one."),
    ],
)
def test_a_text_that_names_no_columns_is_a_setting_error(text: str, message: str) -> None:
    with pytest.raises(SettingError) as caught:
        read_columns([text])
    assert len(caught.value.problems) == 1
    assert message in caught.value.problems[0]


_TITLE = st.text("abcXY 19.é", min_size=1, max_size=8).filter(lambda t: t == t.strip())


@given(st.dictionaries(st.sampled_from(["id", "rater", "score", "stage"]), _TITLE))
def test_what_is_written_as_text_is_read_back(columns: dict[str, str]) -> None:
    if len(set(columns.values())) < len(columns):
        return
    read = {role: (title,) for role, title in columns.items()}
    assert read_columns([",".join(f"{r}={t}" for r, t in columns.items())] if columns else []) == read
    assert read_columns([f"{r}={t}" for r, t in columns.items()]) == read


def test_two_stages_are_two_ratings_in_every_form(tmp_path: Path) -> None:
    rows: list[list[Any]] = [
        [*LONG, "Stage"],
        ["R1", "A", "Focus", 7, "blind"],
        ["R1", "A", "Focus", 6, None],
    ]
    rows.append(["R1", "A", "Focus", 5, " calibrated\u00a0"])
    long = workbook(tmp_path / "a.xlsx", *rows)
    wide = csv_file(tmp_path, "id,Focus_A,stage", "R1,7,blind", "R1,6,NA", "R1,5,calibrated ")
    turned = csv_file(
        tmp_path,
        "rater,dimension,stage,R1",
        "A,Focus,blind,7",
        "A,Focus,,6",
        "A,Focus,calibrated,5",
        name="t.csv",
    )
    scores = [("blind", 7), (None, 6), ("calibrated", 5)]
    objects = [{"id": "R1", "rater": "A", "stage": s, "scores": {"Focus": v}} for s, v in scores]
    for path in (long, wide, turned, write(tmp_path / "a.json", objects)):
        found = {r.stage: r.sheet.final("step2.focus") for r in read_ratings(path, cgpst())}
        assert found == {"blind": 7, "": 6, "calibrated": 5}


def test_the_same_stage_twice_is_named_with_it(tmp_path: Path) -> None:
    path = csv_file(tmp_path, "id,rater,dimension,score,stage", "R1,A,Focus,7,blind", "R1,A,Focus,6,blind")
    assert the_problem(lambda: focus(path)) == (
        f"{path}: R1/A/blind/Focus rated twice: 7 and 6 (rows 2 and 3). Keep one. Row 1 is the header."
    )
    one = {"id": "R1", "rater": "A", "stage": "blind", "scores": {"Focus": 7}}
    twice = write(tmp_path / "a.json", [one, {**one, "stage": "blind "}])
    problem = the_problem(lambda: focus(twice))
    assert problem.startswith(
        f"{twice}, entry 2, response R1, rater A, stage blind: response 'R1' was already"
    )
    assert "rated by 'A' at stage 'blind' in" in problem
    wrong = write(tmp_path / "b.json", {**one, "stage": [1]})
    assert "found the id [1], expected text" in the_problem(lambda: focus(wrong))


def test_other_columns_of_the_long_form_are_carried_where_they_are_of_the_whole_rating(
    tmp_path: Path,
) -> None:
    path = csv_file(
        tmp_path,
        "id,rater,dimension,score,Language,note,plot,wave",
        "R1,A,Focus,7,en,good, 3 ,",
        "R1,A,Adequacy,5,en ,,3,",
        "R1,B,Focus,6,de,fair,4,2",
    )
    with pytest.warns(UserWarning, match="carried along, not read as scores: 'plot', 'wave'"):
        ratings = read_ratings(path, cgpst())
    extra = {(r.response_id, r.rater): r.metadata for r in ratings}
    # The note is of one row of A's two; wave is empty for A.
    assert extra == {
        ("R1", "A"): {"Language": "en", "plot": "3"},
        ("R1", "B"): {"Language": "de", "note": "fair", "plot": "4", "wave": "2"},
    }


def test_columns_of_texts_are_carried_in_the_wide_form_and_so_are_numbers_that_are_known(
    tmp_path: Path,
) -> None:
    path = csv_file(tmp_path, "id,Focus_A,Focus_B,language", "R1,7,6,en", "R2,,5,")
    extra = {(r.response_id, r.rater): r.metadata for r in read_ratings(path, cgpst())}
    assert extra == {("R1", "A"): {"language": "en"}, ("R1", "B"): {"language": "en"}, ("R2", "B"): {}}
    path = csv_file(tmp_path, "id,Focus_A,language,age", "R1,7,en,12")
    with pytest.warns(UserWarning, match="carried along, not read as scores: 'age'"):
        (rating,) = read_ratings(path, cgpst())
    assert (rating.sheet.final("step2.focus"), rating.metadata) == (7, {"language": "en", "age": "12"})
    path = csv_file(tmp_path, "id,Focus_A,language,speed", "R1,7,en,12")
    problem = the_problem(lambda: read_ratings(path, cgpst()))
    assert "column 'speed': holds numbers, but task cgpst has no dimension of this name" in problem
    assert "say --columns carry=speed if it holds no scores" in problem
    (rating,) = read_ratings(path, cgpst(), columns={"carry": "speed"})
    assert rating.metadata == {"language": "en", "speed": "12"}


_CELL = st.sampled_from(["", "x", "y"])
_ROW = st.tuples(st.sampled_from(["A", "B"]), st.sampled_from(["", "blind"]), _CELL)


@settings(max_examples=40)
@given(st.lists(_ROW, min_size=1, max_size=8))
def test_a_column_is_carried_when_all_rows_of_a_rating_agree(rows: list[tuple[str, str, str]]) -> None:
    expected: dict[tuple[str, str], set[str]] = {}
    for rater, stage, cell in rows:
        expected.setdefault((rater, stage), set()).add(cell)
    with tempfile.TemporaryDirectory() as folder:
        lines = [f"R1,{rater},{stage},Focus,7,{cell}" for rater, stage, cell in rows]
        path = csv_file(Path(folder), "id,rater,stage,dimension,score,other", *lines)
        found = {(r.rater, r.stage): r.metadata for r in read_ratings(path, cgpst())}
    assert found == {
        key: {"other": min(cells)} if len(cells) == 1 and cells != {""} else {}
        for key, cells in expected.items()
    }
