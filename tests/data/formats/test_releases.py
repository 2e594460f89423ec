"""Ratings and recorded scores in the form in which those of uses and of stories are public."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from creaeval.data import find_scenario, read_ratings, read_responses, read_scenarios, read_scores
from creaeval.tasks import load_task

from ..support import cgpst, the_problem, write
from ..workbooks import workbook

if TYPE_CHECKING:
    from pathlib import Path

AUT, TTCW = load_task("aut"), load_task("ttcw")
DIMENSIONS = [dimension.id for dimension in TTCW.steps[0].dimensions]

USES = """row_id,split,prompt,response,human_mean,participant,pred_a,pred_semdis
a1,train,brick,null,2.3,1,,
a2,test,brick,a hat,5.0,2,3.25,1.1
a3,test,rope,,1.0,2,,0.4
"""


def test_mean_ratings_of_uses_are_those_of_a_rater_called_mean(tmp_path: Path) -> None:
    path = write(tmp_path / "aut.csv", USES)
    ratings = read_ratings(path, AUT)
    assert [(r.response_id, r.rater, r.sheet.final("uses.originality")) for r in ratings] == [
        ("a1", "mean", 2.3),
        ("a2", "mean", 5.0),
        ("a3", "mean", 1.0),
    ]
    assert ratings[0].metadata == {"split": "train", "object": "brick", "participant": "1"}
    assert ratings[0].sheet.total is None
    wrong = write(tmp_path / "b.csv", USES.replace("2.3", "5.3"))
    assert "row 2, column 'human_mean': found '5.3', expected a number from 1 to 5" in the_problem(
        lambda: read_ratings(wrong, AUT)
    )
    assert "task cgpst is another. Use --task aut." in the_problem(lambda: read_ratings(path, cgpst()))


def test_predictions_are_scorers_on_their_own_scales(tmp_path: Path) -> None:
    (scores,) = read_scores(write(tmp_path / "aut.csv", USES), AUT)
    found = [(s.scorer, s.response_id, s.final("uses.originality")) for s in scores.sheets]
    assert found == [("pred_a", "a2", 3.25), ("pred_semdis", "a2", 1.1), ("pred_semdis", "a3", 0.4)]
    assert (scores.method, scores.metadata) == (
        "recorded",
        {"a2": {"object": "brick"}, "a3": {"object": "rope"}},
    )
    empty = write(tmp_path / "b.csv", "row_id,prompt,response,human_mean\na1,brick,x,2\n")
    assert "no column pred_… holds a value" in the_problem(lambda: read_scores(empty, AUT))
    odd = write(tmp_path / "c.csv", USES.replace("3.25", "high"))
    assert "row 3, column 'pred_a': found 'high', expected a number" in the_problem(
        lambda: read_scores(odd, AUT)
    )


@pytest.mark.parametrize(
    "text",
    [
        "response_id,rater,dimension,score\nu1,A,originality,2.3\nu2,A,uses.originality,4\n",
        "id,rater,Originality\nu1,A,2.3\nu2,A,4\n",
        "id,rater1\nu1,2.3\nu2,4\n",
    ],
)
def test_ratings_of_uses_come_in_every_form_with_decimals(tmp_path: Path, text: str) -> None:
    ratings = read_ratings(write(tmp_path / "a.csv", text), AUT)
    assert [(r.response_id, r.sheet.final("uses.originality")) for r in ratings] == [("u1", 2.3), ("u2", 4)]


def test_a_use_is_rated_by_its_id_and_not_by_a_number(tmp_path: Path) -> None:
    text = "id,rater,item,dimension,score\nu1,A,1,originality,2\n"
    assert (
        "found item '1', but in task aut each use is a response of its own: its id is the response_id"
        in the_problem(lambda: read_ratings(write(tmp_path / "a.csv", text), AUT))
    )


def verdicts(story: str, scorer: str, given: str) -> list[list[str]]:
    """One row a test: Y, N or a dash for a blank verdict."""
    words = {"Y": "Yes", "N": "no", "-": ""}
    return [[story, str(n), scorer, words[one]] for n, one in enumerate(given, 1)]


@pytest.mark.parametrize("form", ["csv", "xlsx"])
def test_verdicts_on_stories_fill_the_dimensions_in_their_order(tmp_path: Path, form: str) -> None:
    rows = [["story_id", "ttcw_idx", "rater", "verdict"]]
    rows += verdicts("0_Claude", "7", "YYYYYYNNNNNYYN") + verdicts("tale", "8", "YN-YYNNNYYYNYN")
    if form == "xlsx":
        path = workbook(tmp_path / "a.xlsx", *rows)
    else:
        path = write(tmp_path / "a.csv", "\n".join(",".join(row) for row in rows) + "\n")
    first, second = read_ratings(path, TTCW)
    assert (first.response_id, first.rater, first.metadata) == (
        "0_Claude",
        "7",
        {"plot_idx": "0", "writer": "Claude"},
    )
    groups = ("fluency", "flexibility", "originality", "elaboration")
    assert [first.sheet.final(f"story.{name}") for name in groups] == [5, 1, 0, 2]
    assert (first.sheet.total, first.sheet.final("story.structural_flexibility")) == (8, 0)
    # A blank verdict is missing, and so is the count that it is part of.
    assert second.sheet.final("story.scene_vs_summary") is None
    assert [second.sheet.final(f"story.{name}") for name in groups] == [None, 0, 3, 1]
    assert second.metadata == {}
    _, counted = read_ratings(path, TTCW, blank_is_no=True)
    assert [counted.sheet.final(f"story.{name}") for name in groups] == [3, 0, 3, 1]


def test_recorded_verdicts_are_scores_of_judges(tmp_path: Path) -> None:
    rows = ["story_id,ttcw_idx,judge,verdict"]
    rows += [",".join(row) for row in verdicts("0_GPT4", "j", "Y" * 14) + verdicts("1_GPT4", "j", "-" * 14)]
    path = write(tmp_path / "a.csv", "\n".join(rows) + "\n")
    (scores,) = read_scores(path, TTCW)
    assert [(s.response_id, s.scorer, s.total) for s in scores.sheets] == [("0_GPT4", "j", 14)]
    assert scores.method == "recorded"
    (counted,) = read_scores(path, TTCW, blank_is_no=True)
    assert [(s.response_id, s.total) for s in counted.sheets] == [("0_GPT4", 14), ("1_GPT4", 0)]


def test_wrong_verdicts_are_named(tmp_path: Path) -> None:
    head = "story_id,ttcw_idx,rater,verdict\n"
    for row, message in (
        ("s,15,A,Yes", "column 'ttcw_idx': found '15', expected a whole number from 1 to 14 (task ttcw)"),
        ("s,1,A,Maybe", "column 'verdict': found 'Maybe', expected Yes, No or nothing"),
        (",1,A,Yes", "column 'story_id': found the id '', expected one"),
        ("s,1,A,Yes\ns,1,A,No", "s/A/narrative_ending rated twice: 1 and 0 (rows 2 and 3)"),
    ):
        path = write(tmp_path / "a.csv", f"{head}{row}\n")
        assert message in the_problem(lambda path=path: read_ratings(path, TTCW))  # type: ignore[misc]
    path = write(tmp_path / "a.csv", f"{head}s,1,A,Yes\n")
    assert "verdicts on stories, which task cgpst is not about" in the_problem(
        lambda: read_ratings(path, cgpst())
    )


STORIES = [
    {
        "story_id": "0_A",
        "plot_idx": 0,
        "title": "T",
        "plot": "A plot.",
        "source": "a",
        "url": None,
        "text": "Once.",
    },
    {
        "story_id": "0_N",
        "plot_idx": 0,
        "title": "T",
        "plot": "A plot.",
        "source": "n",
        "url": "u",
        "text": None,
    },
    {
        "story_id": "1_A",
        "plot_idx": 1,
        "title": "U",
        "plot": "Two.",
        "source": "a",
        "url": None,
        "text": "Twice.",
    },
]


def test_stories_answer_their_plots_and_one_without_a_text_has_nothing_written(tmp_path: Path) -> None:
    path = write(tmp_path / "stories.jsonl", "\n".join(map(json.dumps, STORIES)) + "\n")
    one, none, two = read_responses(path, TTCW)
    assert (one.id, one.scenario, one.steps["story"].text) == ("0_A", "0", "Once.")
    assert one.metadata == {"plot_idx": "0", "title": "T", "source": "a", "url": ""}
    assert none.missing_steps(TTCW) == ["story"]
    # Without the plots nothing is shown but the story; with them each stands with its own.
    assert find_scenario(one, {}, TTCW) is None
    plots = read_scenarios(path)
    assert {name: plot.text for name, plot in plots.items()} == {"0": "A plot.", "1": "Two."}
    found = find_scenario(two, plots, TTCW)
    assert found is not None
    assert (found.id, found.title, found.text) == ("1", "", "Two.")
    other = write(tmp_path / "b.jsonl", "\n".join(map(json.dumps, [STORIES[0], {**STORIES[1], "plot": "x"}])))
    assert "the scenario 0 is there twice with different texts" in the_problem(lambda: read_scenarios(other))
    assert "expected a scenario with 'id' and 'text'" in the_problem(
        lambda: read_scenarios(write(tmp_path / "c.jsonl", "[1]\n"))
    )
