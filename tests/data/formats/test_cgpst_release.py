from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import pytest

from creaeval.data import read_ratings, read_responses
from creaeval.sheets import disagreements

from ..support import cgpst, problems_of, the_problem, write

if TYPE_CHECKING:
    from pathlib import Path

SHEET: dict[str, Any] = {
    "Step-1": [
        {"Content": "1. Fish die  ", "Category": "Environment", "Originality": 1, "Elaboration": 2},
        {"Content": "2. Dead fish", "Invalid": "Duplicate — too much like another challenge"},
        {"Content": "3. Laws fail", "Category": "Law & justice", "Originality": 2, "Elaboration": 0},
        {"Score Summary": {"Fluency": 2, "Flexibility": 2, "Elaboration": 2, "Originality": 3, "Overall": 9}},
    ],
    "Step-2": [
        {
            "Content": "How might we?",
            "Condition Phrase": 2,
            "Stem & KVP": 3,
            "Purpose": 1,
            "FS Parameters": 2,
            "Focus": 6,
            "Adequacy": 8,
            "Overall": 22,
        }
    ],
    "Step-3": [
        {"Content": "1. Nets", "Category": "Technology", "Originality": 0, "Elaboration": 1},
        {"Score Summary": {"Fluency": 1, "Flexibility": 1, "Elaboration": 1, "Originality": 0, "Overall": 3}},
    ],
    "Step-4": [
        {"Content": "1. Which is best?", "Correctly Written": 1, "Relevance": 3},
        {"Score Summary": {"Correctly Written": 1, "Relevance": 3, "Overall": 4}},
    ],
    "Step-5": [{"Content": "1 | 1", "Correctly Used": 4, "Overall": 4}],
    "Step-6": [
        {
            "Content": "Plan",
            "Relevance": 3,
            "Effectiveness": 3,
            "Criteria": 4,
            "Impact": 4,
            "Humaness": 3,
            "Development": 8,
            "Overall": 25,
        }
    ],
    # 9 + 22 + 3 + 4 + 4 + 25
    "Total Score": 67,
}


def record(**changes: Any) -> list[Any]:
    second = copy.deepcopy(SHEET)
    for path, value in changes.items():
        step, number, key = path.split("__")
        second[step.replace("_", "-")][int(number)][key.replace("_", " ")] = value
    return ["B02_FS7", ["H01", "H02"], "FS7", copy.deepcopy(SHEET), second]


def test_a_record_gives_one_response_and_a_rating_for_each_rater(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", [record(Step_1__0__Originality=0)])
    (response,) = read_responses([path], cgpst())
    assert (response.id, response.scenario, response.missing_steps(cgpst())) == ("B02_FS7", "FS7", [])
    assert [i.text for i in response.steps["step1"].items] == ["Fish die", "Dead fish", "Laws fail"]
    first, second = read_ratings([path], cgpst())
    assert (first.rater, second.rater) == ("H01", "H02")
    assert (first.sheet.total, first.sheet.written_total) == (67, 67)
    assert disagreements(first.sheet) == []
    assert second.sheet.total == 66
    assert disagreements(second.sheet) == [
        "step1.originality: written 3, computed 2",
        "step1.overall: written 9, computed 8",
        "total: written 67, computed 66",
    ]
    step1 = first.sheet.step("step1")
    assert step1 is not None
    assert [(i.item, i.invalid, i.category) for i in step1.items] == [
        (1, None, "Environment"),
        (2, "duplicate", None),
        (3, None, "Law & Justice"),
    ]
    assert step1.items[1].scores == {"fluency": 0}
    # Humaness is the released data's spelling.
    assert first.sheet.final("step6.humaneness") == 3
    assert first.sheet.final("step2.integrity") == 8


def test_copies_of_a_text_that_differ_are_an_error_naming_the_step(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", [record(Step_3__0__Content="1. Boats"), ["x"]])
    problems = problems_of(lambda: read_responses([path], cgpst()))
    assert any(
        "step3: the copies of H01 and H02 differ; text 1 reads '1. Nets' and '1. Boats'" in p
        for p in problems
    )
    assert any("record 2: found a list of (str), expected [response id, [raters]" in p for p in problems)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"Step_1__0__Category": "Enviroment"},
            "item 1, Category: found the category 'Enviroment'. Did you mean 'Environment'?",
        ),
        ({"Step_1__1__Invalid": "Duplicat — x"}, "why an item is invalid. Did you mean 'duplicate'?"),
        (
            {"Step_4__0__Invalid": "Why — x"},
            "found an invalid item ('Why — x'), but every item of step4 is scored",
        ),
        (
            {"Step_1__0__Originality": 3},
            "found 3, expected a whole number from 0 to 2 (task cgpst, step1.originality)",
        ),
        ({"Step_1__1__Originality": 1}, "but item 2 is invalid (duplicate); an invalid item gets no points"),
        (
            {"Step_6__0__Humaness": 0},
            "Step-6, Humaness: found 0, expected a whole or half number from 1 to 5",
        ),
        ({"Step_6__0__Kindness": 1}, "task cgpst has no dimension 'step6.Kindness'"),
        (
            {"Step_1__3__Score_Summary": {"Fluency": 9}},
            "Fluency: found 9, expected a whole number from 0 to 8",
        ),
        ({"Step_1__3__Score_Summary": 9}, "Score Summary: found 9, expected an object"),
    ],
)
def test_a_wrong_value_is_named_with_its_place(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    path = write(tmp_path / "a.json", [record(**changes)])
    problem = the_problem(lambda: read_ratings([path], cgpst()))
    assert problem.startswith(f"{path}, record 1 (B02_FS7), rater H02, Step-")
    assert message in problem


def test_an_item_that_nobody_rated_is_an_error(tmp_path: Path) -> None:
    released = record()
    released[3]["Step-1"][0] = {"Content": "1. Fish die"}
    path = write(tmp_path / "a.json", [released])
    assert (
        "item 1: found neither points nor 'invalid'" in problems_of(lambda: read_ratings([path], cgpst()))[0]
    )


@pytest.mark.parametrize(
    "sheet",
    [
        {"Step-9": []},
        {"Step-1": {}},
        {"Step-1": [5]},
        {"Step-1": [{"Category": "x"}]},
        {"Step-1": [], "step1": []},
    ],
)
def test_another_form_of_a_step_is_an_error_and_no_traceback(tmp_path: Path, sheet: dict[str, Any]) -> None:
    path = write(tmp_path / "a.json", [["B02", ["H01"], "FS7", sheet]])
    for read in (read_ratings, read_responses):
        assert str(path) in problems_of(lambda read=read: read([path], cgpst()))[0]  # type: ignore[misc]
