from __future__ import annotations

import csv
import io
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from creaeval.data import Rating, Response, read_ratings, unmatched
from creaeval.sheets import ItemScores, ScoreSheet
from creaeval.tasks import display_name

from ..support import brick, cgpst, problems_of, the_problem, write
from ..workbooks import LONG, workbook

Found = dict[tuple[str, str], dict[str, float]]


def csv_file(folder: Path, *rows: str) -> Path:
    return write(folder / "ratings.csv", "\n".join(rows) + "\n")


def written(path: Path) -> Found:
    """Every value that is on the sheets, as somebody wrote it."""
    return {
        (r.response_id, r.rater): {
            row.dimension: row.model_score for row in r.sheet.rows() if row.model_score is not None
        }
        for r in read_ratings(path, cgpst())
    }


@pytest.mark.parametrize(
    "titles", ["step2.focus,step6.relevance", "Focus,Step-6 Relevance", " FOCUS ,Step 6: relevance"]
)
def test_a_column_for_each_dimension(tmp_path: Path, titles: str) -> None:
    path = csv_file(
        tmp_path,
        f"response_id,Rater,{titles},comment",
        "R1,A,7.5,3,good",
        "R1,B,6,\u200b,",
        "R2,A,NA,NA,absent",
    )
    assert written(path) == {
        ("R1", "A"): {"step2.focus": 7.5, "step6.relevance": 3},
        ("R1", "B"): {"step2.focus": 6},
    }


@pytest.mark.parametrize(
    "header",
    [
        "Focus_A,Focus_Dr_B,stem_kvp_A",
        "step2.focus A,Focus (Dr_B),Stem & KVP - A",
        "focus.A,focus:Dr_B,step2.stem_kvp/A",
    ],
)
def test_a_column_for_each_dimension_and_rater(tmp_path: Path, header: str) -> None:
    path = csv_file(tmp_path, f"id,{header}", "R1,7,6,2", "R2,5,,")
    assert written(path) == {
        ("R1", "A"): {"step2.focus": 7, "step2.stem_kvp": 2},
        ("R1", "Dr_B"): {"step2.focus": 6},
        ("R2", "A"): {"step2.focus": 5},
    }


def test_a_column_for_each_rater(tmp_path: Path) -> None:
    path = csv_file(tmp_path, "id,dimension,rater1,Ann", "R1,Focus,7,6", "R1,Adequacy,5,", "R2,Focus,,4")
    assert written(path) == {
        ("R1", "rater1"): {"step2.focus": 7, "step2.adequacy": 5},
        ("R1", "Ann"): {"step2.focus": 6},
        ("R2", "Ann"): {"step2.focus": 4},
    }
    single = csv_file(tmp_path, "id,rater1,Rater_B", "R1,4,5")
    found = {r.rater: r.sheet.final("use.originality") for r in read_ratings(single, brick())}
    assert found == {"rater1": 4, "Rater_B": 5}


def test_a_column_for_each_response_with_the_dimension_named(tmp_path: Path) -> None:
    path = csv_file(tmp_path, "rater,dimension,R1,R2", "A,Focus,7,6", "B,Focus,5,", "A,Adequacy,,1")
    assert written(path) == {
        ("R1", "A"): {"step2.focus": 7},
        ("R2", "A"): {"step2.focus": 6, "step2.adequacy": 1},
        ("R1", "B"): {"step2.focus": 5},
    }


def test_items_in_wide_form(tmp_path: Path) -> None:
    header = "id,rater,item,step1.category,step1.invalid,step1.originality,step1.elaboration,step2.focus"
    path = csv_file(tmp_path, header, "R1,A,1,environment,,2,1,", "R1,A,2,,duplicate,,,", "R1,A,,,,,,7")
    (rating,) = read_ratings(path, cgpst())
    step1 = rating.sheet.step("step1")
    assert step1 is not None
    assert step1.items == (
        ItemScores(item=1, category="Environment", scores={"fluency": 1, "elaboration": 1, "originality": 2}),
        ItemScores(item=2, invalid="duplicate", scores={"fluency": 0}),
    )
    assert rating.sheet.final("step2.focus") == 7


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            ["id,rater,Focuss", "R1,A,7"],
            "column 'Focuss': task cgpst has no dimension of this name. Did you mean",
        ),
        (
            ["id,rater,Focus,Relevance", "R1,A,7,x"],
            "column 'Relevance': several steps have a dimension of this name",
        ),
        (["id,Relevance_A", "R1,3"], "column 'Relevance_A': several steps have a dimension of this name"),
        (["id,rater,Focus,speed", "R1,A,7,12"], "column 'speed': holds numbers, but task cgpst has no dim"),
        (
            ["id,rater,A_focuss", "R1,A,7"],
            "column 'A_focuss': task cgpst has no dimension of this name. Did you mean 'step2.focus'?",
        ),
        (["id,rater,Focus,Relevance note", "R1,A,7,3"], "several steps have a dimension of this name"),
        (["id,Focus_mean", "R1,7"], "'Focus_mean' sums up scores of raters, and no column holds those"),
        (["id,step1.originality_1", "R1,7"], "1 could be a rater or an item of step1. Call raters R1, say"),
        (["id,rater,note", "R1,A,x"], "none is called score, like a dimension of task cgpst or like a rater"),
        (["id,rater,score", "R1,A,7"], "no column 'dimension', and task cgpst has several"),
        (["id,rater,score", "R1,A,7"], "--columns dimension=COLUMN, or --read dimension=NAME"),
        (
            ["id,rater,dimension,x", "R1,A,Focus,7"],
            "no column 'score'. Found the columns id, rater, dimension, x. Say --columns score=COLUMN",
        ),
        (
            ["rater,Focus,Adequacy", "A,7,5"],
            "no column could be the id (what was rated). Found the columns rater, Focus, Adequacy. Say which",
        ),
        (["rater,dimension,score", "A,Focus,5"], "no column could be the id (what was rated)"),
        (["id,rater,Focus", "R1,A,"], "none of its 1 rows holds a score"),
        (
            ["id,rater,Focus", "R1,A,11"],
            "row 2, column 'Focus': found '11', expected a whole or half number from 1 to 10",
        ),
        (["id,rater,Focus", "R1,A,x"], "row 2, column 'Focus': found 'x', expected"),
        # Words above numbers are no further header where they are words of a row.
        (["id,rater,Focus", "R1,A,x", "R2,A,7", "R3,A,6"], "row 2, column 'Focus': found 'x', expected"),
        (["id,Focus_A", "Ann,seven", "Ben,7", "Cy,6"], "row 2, column 'Focus_A': found 'seven', expected"),
        (["id,rater,Focus", "R1,A,-99"], "If -99 stands for a missing value, say --missing -99."),
        (["id,rater,Focus", "R1,A,low"], "are named with --levels, as in --levels low,medium,high"),
        (["id,rater,step1.originality", "R1,A,7.5"], "found '7.5', expected a whole number from 0 to 16"),
        (["id,rater,Focus,step2.focus", "R1,A,7,8"], "R1/A/step2.focus rated twice: 7 and 8 ("),
        (["id,rater,Focus", "R1,A,7", "R1,A,7.5"], "R1/A/Focus rated twice: 7 and 7.5 (rows 2 and 3)"),
        (["id,rater,Focus", ",A,7"], "row 2: found the id '', expected one that is not empty"),
        (["id,dimension,A", "R1,Focuss,7"], "did you mean step2.focus"),
    ],
)
def test_what_cannot_be_told_or_is_wrong_is_refused_with_words(
    tmp_path: Path, rows: list[str], message: str
) -> None:
    path = csv_file(tmp_path, *rows)
    problem = the_problem(lambda: read_ratings(path, cgpst()))
    assert problem.startswith(str(path))
    assert message in problem


def test_every_wrong_column_and_cell_is_listed(tmp_path: Path) -> None:
    path = csv_file(tmp_path, "id,rater,Focuss,Adequcy,x1", "R1,A,7,5,3")
    assert len(problems_of(lambda: read_ratings(path, cgpst()))) == 3
    path = csv_file(tmp_path, "id,rater,Focus,Adequacy", "R1,A,11,0", ",A,7,5")
    assert len(problems_of(lambda: read_ratings(path, cgpst()))) == 3


def rating(response_id: str, rater: str = "A", source: str = "") -> Rating:
    sheet = ScoreSheet(response_id=response_id, scorer=rater, steps=())
    return Rating(response_id=response_id, rater=rater, sheet=sheet, source=source)


def test_ratings_without_a_response_are_named_once_each() -> None:
    responses = [Response(id=one, steps={}) for one in ("007", "R01")]
    ratings = [
        rating("R01"),
        rating("11", "A", "a.csv"),
        rating("11", "B", "a.csv"),
        rating("7"),
        rating("r01"),
    ]
    assert unmatched(ratings, [one.id for one in responses]) == [
        "rating id 11 has no response (by A, B, in a.csv).",
        "rating id 7 has no response (by A). There is a response '007'; make the ids the same if they are.",
        "rating id r01 has no response (by A). There is a response 'R01'; make the ids the same if they are.",
    ]
    assert unmatched([rating("007")], [one.id for one in responses]) == []


_NAME = st.text("abcXYZ019é-_.", min_size=1, max_size=6)
# Ids that Excel keeps as they are typed, text and number alike.
_RANGES = {
    "step2.focus": (1, 10, 2),
    "step2.stem_kvp": (0, 3, 2),
    "step1.originality": (0, 16, 1),
    "step6.relevance": (1, 5, 2),
    "step3.overall": (0, 48, 1),
}


def _divided(parts: int, points: int) -> float:
    return points / parts


_SCORES = st.fixed_dictionaries(
    {},
    optional={
        name: st.integers(low * parts, high * parts).map(partial(_divided, parts))
        for name, (low, high, parts) in _RANGES.items()
    },
).filter(bool)


def put(path: Path, rows: list[list[Any]]) -> Path:
    if path.suffix == ".xlsx":
        return workbook(path, *rows)
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    return write(path, out.getvalue())


def cell(value: float) -> object:
    return int(value) if value == int(value) else value


@settings(max_examples=40)
@given(st.dictionaries(st.tuples(_NAME, _NAME), _SCORES, min_size=1, max_size=5), st.booleans())
def test_long_and_wide_csv_and_xlsx_read_to_the_same_ratings(
    ratings: dict[tuple[str, str], dict[str, float]], spelt_out: bool
) -> None:
    def name(identity: str) -> str:
        step, _, part = identity.partition(".")
        return f"Step-{step[-1]} {display_name(cgpst(), f'{step}.{part}')}" if spelt_out else identity

    long: list[list[Any]] = [LONG]
    long += [[*key, name(d), cell(v)] for key, scores in ratings.items() for d, v in scores.items()]
    columns = list(_RANGES)
    wide: list[list[Any]] = [["id", "rater", *map(name, columns)]]
    wide += [[*k, *(cell(s[c]) if c in s else None for c in columns)] for k, s in ratings.items()]
    raters = sorted({rater for _, rater in ratings})
    by_rater: list[list[Any]] = [["id", "dimension", *raters]]
    for response_id in sorted({one for one, _ in ratings}):
        for column in columns:
            found = [ratings.get((response_id, rater), {}).get(column) for rater in raters]
            by_rater.append([response_id, name(column), *(None if v is None else cell(v) for v in found)])
    tables = [long, wide]
    if (
        len({fold_title(rater) for rater in raters} | {"id", "dimension", "rater", "score", "item"})
        == len(raters) + 5
    ):
        tables.append(by_rater)
    with tempfile.TemporaryDirectory() as folder:
        for number, table in enumerate(tables):
            for ending in ("csv", "xlsx"):
                assert written(put(Path(folder) / f"{number}.{ending}", table)) == ratings


def fold_title(title: str) -> str:
    return title.casefold()
