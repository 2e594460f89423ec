"""Scores of judges read from files: a run's own, and other tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import creaeval
from booklets import scenarios, variant
from creaeval.data import Scores, read_scores
from creaeval.data.tables.score_rows import UNKNOWN
from creaeval.runs import export_run, write_table
from creaeval.sheets import ItemScores, ScoreSheet, disagreements
from creaeval.sheets.score_sheet import SCORE_COLUMNS
from creaeval.tasks import identities, load_task
from scripted import ScriptedModel

from .support import brick, cgpst, problems_of, the_problem, write
from .workbooks import workbook

if TYPE_CHECKING:
    from pathlib import Path

    from creaeval.runs import Run


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    ledger = tmp_path_factory.mktemp("scores") / "l.db"
    # Their sums are wrong, an item of the booklet is blank, and one judge's name looks like a formula.
    first, second = ScriptedModel("=judge"), ScriptedModel("b")
    responses = [variant("007", group="x", judge="by hand"), variant("-a", group="@y")]
    return creaeval.score(
        responses, scenarios=scenarios(), analyst=first, judges=[first, second], ledger=ledger
    )


def values(sheet: ScoreSheet) -> dict[str, tuple[float | None, float | None]]:
    """By identity, the final value and the one that was written."""
    written = {r.dimension: r.model_score for r in sheet.rows() if r.item is None}
    return {name: (sheet.final(name), written.get(name)) for name in identities(cgpst())}


def by_name(sheets: tuple[ScoreSheet, ...]) -> dict[tuple[str, str], ScoreSheet]:
    return {(sheet.response_id, sheet.scorer): sheet for sheet in sheets}


@pytest.mark.parametrize("form", ["table", "folder"])
def test_what_a_run_wrote_is_read_back(run: Run, tmp_path: Path, form: str) -> None:
    if form == "folder":
        path = tmp_path / "results"
        export_run(run, path)
    else:
        path = write_table(run.scores, tmp_path / "mine.csv")
    (scores,) = read_scores(path, cgpst())
    assert (scores.method, scores.source) == ("creaeval", str(path))
    found, expected = by_name(scores.sheets), by_name(run.sheets)
    assert list(found) == list(expected)
    assert len(found) == 4
    assert any(disagreements(sheet) for sheet in found.values())
    assert any(item.invalid == UNKNOWN for sheet in found.values() for s in sheet.steps for item in s.items)
    for key, sheet in expected.items():
        assert values(found[key]) == values(sheet)
        for step in sheet.steps:
            other = found[key].step(step.step)
            assert other is not None
            assert (other.written, other.computed) == (step.written, step.computed)
            assert [(i.item, i.valid, i.scores) for i in other.items] == [
                (i.item, i.valid, i.scores) for i in step.items if i.scores
            ]
    assert scores.metadata == {
        "007": {"group": "x", "input_judge": "by hand"},
        "-a": {"group": "@y"},
    }


HEADER = ",".join(SCORE_COLUMNS)


def own(folder: Path, *rows: str, header: str = HEADER) -> Path:
    return write(folder / "scores.csv", "\n".join([header, *rows]) + "\n")


def test_written_and_computed_values_stand_side_by_side_as_in_the_file(tmp_path: Path) -> None:
    path = own(
        tmp_path,
        "R1,m,j,1,1,step1,1,step1.fluency,1.0,1.0,",
        "R1,m,j,1,1,step1,1,step1.originality,2.0,2.0,",
        "R1,m,j,1,1,step1,2,step1.fluency,0.0,0.0,",
        "R1,m,j,1,1,step1,,step1.originality,2.0,99.0,2.0",
        "R1,m,j,1,1,step2,,step2.focus,11.5,11.5,",
        "R1,m,j,1,1,,,total,,-40,",
    )
    (scores,) = read_scores(path, cgpst())
    (sheet,) = scores.sheets
    step1 = sheet.step("step1")
    assert step1 is not None
    assert step1.items == (
        ItemScores(item=1, scores={"fluency": 1, "originality": 2}),
        ItemScores(item=2, invalid=UNKNOWN, scores={"fluency": 0}),
    )
    # Nothing is added up: Fluency of step 1 would be 1.
    assert (step1.written, step1.computed) == ({"originality": 99}, {"originality": 2})
    assert values(sheet)["step2.focus"] == (11.5, 11.5)
    assert values(sheet)["total"] == (None, -40)


def test_points_of_items_may_be_fractions_whatever_the_judge_is_called(tmp_path: Path) -> None:
    (scores,) = read_scores(own(tmp_path, "R1,m,j,1,1,step1,1,step1.originality,.5,.5,"), cgpst())
    step1 = scores.sheets[0].step("step1")
    assert step1 is not None
    assert step1.items == (ItemScores(item=1, scores={"originality": 0.5}),)


def test_methods_are_apart_and_repeats_are_told_apart_by_their_numbers(tmp_path: Path) -> None:
    path = own(
        tmp_path,
        "R1,m,j,1,1,step2,,step2.focus,5,5,,en,a",
        "R1,m,j,1,2,step2,,step2.focus,6,6,,en,b",
        "R1,m,j,2,1,step2,,step2.focus,7,7,,en,",
        "R1,m,j,2,3,step2,,step2.focus,8,8,,en,",
        "R1,'=n,j,1,1,step2,,step2.focus,9,9,,en,",
        "R2,'=n,j,1,1,step2,,step2.focus,9,9,,,",
        header=f"{HEADER},language,note",
    )
    first, second = read_scores(path, cgpst())
    found = {
        (sheet.scorer, sheet.evidence_repeat, sheet.judge_repeat): sheet.final("step2.focus")
        for sheet in first.sheets
    }
    assert found == {("j", 1, 1): 5, ("j", 1, 2): 6, ("j", 2, 1): 7, ("j", 2, 3): 8}
    assert (first.method, first.metadata) == ("m", {"R1": {"language": "en"}})
    assert (second.method, second.metadata) == ("=n", {"R1": {"language": "en"}, "R2": {}})
    assert [sheet.response_id for sheet in second.sheets] == ["R1", "R2"]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            "R1,m,j,1,1,step2,,step2.focus,x,5,",
            "row 2, column 'score': found 'x', expected a number, or nothing.",
        ),
        ("R1,m,j,1,1,step2,,step2.focus,5,nan,", "column 'model_score': found 'nan', expected a number"),
        (
            "R1,m,j,1,1,step2,,step2.focus,6,5,",
            "column 'score': found 6, expected 5, the computed_score or, where there is none, the model_sc",
        ),
        ("R1,m,j,1,1,step2,,step2.focus,5,5,4", "column 'score': found 5, expected 4"),
        ("R1,m,j,1,1,,,total,5,5,", "column 'score': found 5, expected nothing"),
        ("R1,m,j,1,1,step2,,step2.focuss,5,5,", "column 'dimension': task cgpst has no dimension"),
        ("R1,m,j,1,1,step2,1,step2.focus,5,5,", "column 'item': found item '1', but step2.focus is not"),
        ("R1,m,j,1,1,step1,9,step1.originality,1,1,", "column 'item': found '9', expected a whole number"),
        ("R1,m,j,1,1,step1,1,step1.originality,,,", "found nothing, expected the points of an item"),
        ("R1,m,j,0,1,step2,,step2.focus,5,5,", "column 'evidence_repeat': found '0', expected a whole"),
        (",m,j,1,1,step2,,step2.focus,5,5,", "column 'response_id': found the id '', expected one"),
        ("R1,m,,1,1,step2,,step2.focus,5,5,", "column 'judge': found the id '', expected one"),
    ],
)
def test_a_wrong_cell_of_a_runs_table_is_named(tmp_path: Path, row: str, message: str) -> None:
    path = own(tmp_path, row)
    problem = the_problem(lambda: read_scores(path, cgpst()))
    assert problem.startswith(f"{path}, row 2, column ")
    assert message in problem


def test_a_value_that_is_there_twice_and_every_wrong_row_are_named(tmp_path: Path) -> None:
    row = "R1,m,j,1,1,step2,,step2.focus,5,5,"
    assert len(read_scores(own(tmp_path, row, row), cgpst())) == 1
    path = own(tmp_path, row, row.replace("5,5", "6,6"), row.replace("5,5", "x,x"))
    problems = problems_of(lambda: read_scores(path, cgpst()))
    assert problems[0] == (
        f"{path}, row 3: R1/j/step2.focus is there twice with different values (rows 2 and 3). Keep one."
    )
    assert len(problems) == 3


@pytest.mark.parametrize("title", ["rater", "judge", "Model"])
def test_other_tables_of_judges_are_read_as_ratings_are(tmp_path: Path, title: str) -> None:
    long = (
        f"id,{title},dimension,score,method,lang\nR1,j,Focus,7,m,en\nR1,j,Focus,6,n,en\nR1,k,Focus,5,m,de\n"
    )
    wide = f"id;{title};method;Focus;lang\nR1;j;m;7;en\nR1;j;n;6;en\nR1;k;m;5;de\n"
    for path in (write(tmp_path / "a.csv", long), write(tmp_path / "b.csv", wide)):
        first, second = read_scores(path, cgpst())
        assert {s.scorer: s.final("step2.focus") for s in first.sheets} == {"j": 7, "k": 5}
        assert {s.scorer: s.final("step2.focus") for s in second.sheets} == {"j": 6}
        # Two judges' rows of one response differ in their language, so it is not the response's.
        assert (first.method, first.metadata) == ("m", {"R1": {}})
        assert (second.method, second.metadata) == ("n", {"R1": {"lang": "en"}})


def test_forms_without_a_method_have_an_empty_one(tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", ["Subj", "LLM", "Originality"], ["R1", "j", 4])
    named = {"response_id": "Subj", "rater": "LLM", "stage": "phase"}
    (sheet,) = read_scores(path, brick(), columns=named)[0].sheets
    assert (sheet.response_id, sheet.scorer, sheet.total) == ("R1", "j", 4)
    objects = [{"id": "R1", "rater": "j", "scores": {"Originality": 4}}]
    expected = [Scores("", (sheet,), {"R1": {}}, str(tmp_path / "a.json"))]
    assert read_scores(write(tmp_path / "a.json", objects), brick()) == expected


def test_a_runs_wide_table_gives_the_final_values(run: Run, tmp_path: Path) -> None:
    export_run(run, tmp_path / "out")
    (scores,) = read_scores(tmp_path / "out" / "scores_wide.csv", cgpst())
    found, expected = by_name(scores.sheets)["007", "b"], by_name(run.sheets)["007", "b"]
    for name in identities(cgpst()):
        assert found.final(name) == expected.final(name)


def test_what_holds_no_scores_is_named(tmp_path: Path) -> None:
    assert "holds no scores.csv, expected the folder that `creaeval score --out DIR` wrote" in the_problem(
        lambda: read_scores(tmp_path, cgpst())
    )
    path = write(tmp_path / "a.csv", "id,speed\nR1,7\n")
    assert "column 'speed': holds numbers, but task cgpst has no dimension of this name" in the_problem(
        lambda: read_scores(path, cgpst())
    )
    bad = write(tmp_path / "b.csv", "id,judge,Focus\nR1,j,11\n")
    assert "found '11', expected a whole or half number from 1 to 10" in the_problem(
        lambda: read_scores(bad, cgpst())
    )


def test_points_with_all_digits_that_a_program_wrote_are_read(tmp_path: Path) -> None:
    text = (
        "id,judge,dimension,score\nu1,j,originality,1.2010999999999998\nu2,j,originality,3.7834000000000003\n"
    )
    (scores,) = read_scores(write(tmp_path / "a.csv", text), load_task("aut"))
    assert [s.final("uses.originality") for s in scores.sheets] == [1.2010999999999998, 3.7834000000000003]


# As version 0.1 wrote tables of two judges: a byte order mark, identities as columns, a panel's rows.
OLD_WIDE = """\ufeffresponse_id,method,judge,n_sheets,uses.originality,invalid,object,participant
u1,direct,a,,2.0,,brick,p1
u1,direct,b,,4.0,,brick,p1
u1,direct,panel mean,2,3.0,,brick,p1
u1,direct,panel spread,2,2.0,,brick,p1
"""
OLD_LONG = """\ufeffresponse_id,method,judge,evidence_repeat,judge_repeat,step,item,dimension,score,\
model_score,computed_score,n_sheets,invalid,object,participant
u1,direct,a,1,1,uses,,uses.originality,2.0,2.0,,,,brick,p1
u1,direct,b,1,1,uses,,uses.originality,4.0,4.0,,,,brick,p1
u1,direct,panel mean,,,uses,,uses.originality,3.0,,,2,,brick,p1
u1,direct,panel spread,,,uses,,uses.originality,2.0,,,2,,brick,p1
"""


@pytest.mark.parametrize("text", [OLD_WIDE, OLD_LONG], ids=["wide", "long"])
def test_tables_of_earlier_versions_are_read_without_the_rows_of_their_panels(
    tmp_path: Path, text: str
) -> None:
    (tmp_path / "old.csv").write_text(text, encoding="utf-8")
    (scores,) = read_scores(tmp_path / "old.csv", load_task("aut"))
    assert [(s.scorer, s.final("uses.originality")) for s in scores.sheets] == [("a", 2), ("b", 4)]
    assert scores.metadata == {"u1": {"object": "brick", "participant": "p1"}}


@pytest.mark.parametrize("mark", [".", "_"])
def test_a_table_that_somebody_made_of_a_wide_one_is_read_by_old_and_new_names(
    tmp_path: Path, mark: str
) -> None:
    (tmp_path / "mine.csv").write_text(f"judge,response_id,step2{mark}focus,step1{mark}fluency\nj,a,7,5\n")
    (scores,) = read_scores(tmp_path / "mine.csv", cgpst())
    assert [(s.final("step2.focus"), s.final("step1.fluency")) for s in scores.sheets] == [(7, 5)]
