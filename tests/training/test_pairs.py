"""Pairs: the prompts of the methods, and a rater's sheet as the judge would have written it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import booklets
from creaeval.data import Rating, Response, make_step, read_ratings
from creaeval.demo import demo_file
from creaeval.errors import SettingError
from creaeval.methods.raw import response_layout, scorer_reply, steps_of
from creaeval.sheets import ScoreSheet, StepScores, evidence_layout
from creaeval.sheets.read_replies import read_scores
from creaeval.sheets.replies import judge_reply
from creaeval.tasks import Batching, load_task
from creaeval.training.pairs import choose_rater, evidence_pairs, response_pairs
from scripted import ScriptedModel
from uses import use

from . import tiny

if TYPE_CHECKING:
    from pathlib import Path

    from creaeval.training.pairs import Pairs


def demo_ratings() -> list[Rating]:
    with demo_file("ratings.json") as path:
        return read_ratings(path, booklets.cgpst())


def demo_pairs(*responses: Response) -> Pairs:
    rated = choose_rater(demo_ratings(), "Example A")
    return response_pairs(
        booklets.cgpst(), responses or [booklets.booklet()], booklets.scenarios(), "Example A", rated
    )


def test_the_prompt_is_the_one_that_direct_asks(tmp_path: Path) -> None:
    judge = ScriptedModel()
    booklets.scored(tmp_path, booklets.booklet(), method="direct", judges=judge)
    (pair,) = demo_pairs().pairs
    (request,) = judge.requests
    assert (pair.prompt.system, pair.prompt.user) == (request.system, request.messages[0].text)
    assert pair.ids == ("demo",)


def test_the_reply_read_as_a_judges_is_the_raters_sheet() -> None:
    (pair,) = demo_pairs().pairs
    case = booklets.case()
    steps = steps_of(case)
    reply = scorer_reply(case, steps).model_validate_json(pair.reply)
    sheet = read_scores(case.task, "demo", response_layout(case, steps), [reply], "judge")
    rated = choose_rater(demo_ratings(), "Example A")["demo"].sheet
    written = {row.dimension: row.model_score for row in sheet.rows() if row.item is None}
    assert written == {row.dimension: row.model_score for row in rated.rows() if row.item is None}
    # The demo's first rater gave 108 in all.
    assert sheet.written_total == 108
    own = {i.item: (i.invalid, i.category) for i in rated.steps[0].items}
    assert {i.item: (i.invalid, i.category) for i in sheet.steps[0].items} == own


def test_the_pair_of_evidence_is_what_a_judge_of_creaeval_is_asked(tmp_path: Path) -> None:
    model = ScriptedModel()
    run = booklets.scored(tmp_path, booklets.booklet(), analyst=model, judges=model)
    pairs = evidence_pairs(run, "Example A", choose_rater(demo_ratings(), "Example A"))
    assert pairs.evidence == "full"
    (pair,) = pairs.pairs
    (request,) = model.asked("judge")
    assert (pair.prompt.system, pair.prompt.user) == (request.system, request.messages[0].text)
    evidence = run.outcomes[0].evidence
    assert evidence is not None
    reply = judge_reply(run.task, evidence).model_validate_json(pair.reply)
    sheet = read_scores(run.task, "demo", evidence_layout(run.task, evidence), [reply], "judge")
    assert sheet.written_total == 108
    assert pairs.kind == "sft-evidence"


def test_a_run_without_evidence_is_refused(tmp_path: Path) -> None:
    run = booklets.scored(tmp_path, booklets.booklet(), method="direct")
    with pytest.raises(SettingError, match="its method direct gathered no evidence"):
        evidence_pairs(run, "Example A", choose_rater(demo_ratings(), "Example A"))


def test_what_cannot_be_learnt_from_is_left_out_and_counted(tmp_path: Path) -> None:
    task = tiny.story(tmp_path)
    responses = [tiny.response(task, number) for number in range(4)]
    empty = Response(id="R04", steps={"story": make_step(task.step("story"), " ")})
    rated = {
        "R00": tiny.rating(task, "R00", {"pace": 2, "ending": 1}),
        "R01": tiny.rating(task, "R01", {"pace": 2}),
        "R02": tiny.rating(task, "R02", {"pace": 0, "ending": 0}),
        "R04": tiny.rating(task, "R04", {"pace": 0, "ending": 0}),
    }
    found = response_pairs(task, [*responses, empty], {}, "A", rated)
    assert [pair.ids for pair in found.pairs] == [("R00",), ("R02",)]
    assert found.left_out == {
        "the rater gave no story.ending": 1,
        "not rated by this rater": 1,
        "a step has no text": 1,
    }
    assert json.loads(found.pairs[0].reply) == {"story": {"pace": 2, "ending": 1, "overall": 3}, "total": 3}


def test_half_points_go_up_and_the_sums_with_them(tmp_path: Path) -> None:
    task = tiny.story(tmp_path)
    rated = {"R00": tiny.rating(task, "R00", {"pace": 2.5, "ending": 1})}
    found = response_pairs(task, [tiny.response(task, 0)], {}, "A", rated)
    # 2.5 becomes 3, so the Overall is 3 + 1.
    assert json.loads(found.pairs[0].reply) == {"story": {"pace": 3, "ending": 1, "overall": 4}, "total": 4}
    assert found.rounded == 1


def use_rating(response_id: str, points: float) -> Rating:
    written = StepScores(step="uses", written={"originality": points})
    sheet = ScoreSheet(response_id=response_id, scorer="mean", steps=(written,))
    return Rating(response_id=response_id, rater="mean", sheet=sheet)


def test_uses_in_a_batch_are_one_pair_and_stay_on_one_side() -> None:
    aut = load_task("aut")
    uses = [
        use(f"u{n}", text, "brick" if n < 3 else "rope", f"p{n // 3}")
        for n, text in enumerate(["a drum", "", "a step", "a swing", "a leash"])
    ]
    rated = {f"u{n}": use_rating(f"u{n}", points) for n, points in ((0, 4.6), (2, 1.0), (3, 2.4), (4, 3.0))}
    found = response_pairs(aut, uses, {}, "mean", rated)
    # The blank use is asked of nobody, so it needs no rating.
    assert [pair.ids for pair in found.pairs] == [("u0", "u2"), ("u3", "u4")]
    replies = [json.loads(pair.reply)["uses"]["items"] for pair in found.pairs]
    assert replies[0] == {"item_1": {"originality": 5}, "item_3": {"originality": 1}}
    assert replies[1] == {"item_1": {"originality": 2}, "item_2": {"originality": 3}}
    assert found.rounded == 2
    by, groups = found.groups("response")
    assert groups is not None
    assert by == "call"
    assert groups["u0"] == groups["u2"] != groups["u3"]
    assert found.groups("object") == ("object", {"u0": "brick", "u2": "brick", "u3": "rope", "u4": "rope"})


def test_groups_are_the_values_of_a_column(tmp_path: Path) -> None:
    pairs = tiny.story_pairs(tmp_path, 4)
    assert pairs.groups("response") == ("response", None)
    assert pairs.groups("plot") == (
        "plot", {"R00": "plot 0", "R01": "plot 0", "R02": "plot 1", "R03": "plot 1"}
    )  # fmt: skip
    with pytest.raises(SettingError, match=r"--split-by age: response 'R00' has no value there.*plot"):
        pairs.groups("age")
    scenario = demo_pairs().groups("scenario")
    assert scenario == ("scenario", {"demo": "fog_water"})


def test_a_rater_or_stage_that_is_not_there_is_an_error_that_names_those_that_are(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="found no rating by 'C'; the ratings are by Example A, Example B"):
        choose_rater(demo_ratings(), "C")
    one = tiny.rating(tiny.story(tmp_path), "R00", {"pace": 1})
    two = [one.model_copy(update={"stage": stage}) for stage in ("blind", "calibrated")]
    with pytest.raises(SettingError, match="rated at the stages blind, calibrated; name one with --stage"):
        choose_rater(two, "A")
    with pytest.raises(SettingError, match="A rated at blind, calibrated"):
        choose_rater(two, "A", "late")
    assert choose_rater(two, "A", "blind") == {"R00": two[0]}


def test_a_use_without_points_leaves_out_itself_alone_and_names_no_group() -> None:
    task = load_task("aut")
    uses = [use(f"u{n}", f"use {n}") for n in range(30)]
    tens = Batching(by=(), most=10)
    unrated = {"u1", "u13"}
    rated = {one.id: use_rating(one.id, 2) for one in uses if one.id not in unrated}
    pairs = response_pairs(task, uses, {}, "A", rated, tens)
    assert pairs.left_out == {"the rater gave no points for it": 2}
    assert [len(pair.ids) for pair in pairs.pairs] == [9, 9, 10]
    assert not unrated & {one for pair in pairs.pairs for one in pair.ids}
    assert "use 13" not in pairs.pairs[1].prompt.user
    # A group is named by its uses, so that a batch before it changes no side.
    _, groups = pairs.groups("response")
    _, later = response_pairs(task, uses[10:], {}, "A", rated, tens).groups("response")
    assert groups is not None
    assert later is not None
    assert later == {one: name for one, name in groups.items() if one in later}


def test_a_half_point_of_an_item_is_counted_once() -> None:
    rating = choose_rater(demo_ratings(), "Example A")["demo"]
    before = demo_pairs().rounded
    step = next(step for step in rating.sheet.steps if step.step == "step4")
    first, *others = step.items
    points = {**first.scores, "relevance": (first.scores["relevance"] or 0) - 0.5}
    halved = step.model_copy(update={"items": (first.model_copy(update={"scores": points}), *others)})
    steps = tuple(halved if one is step else one for one in rating.sheet.steps)
    changed = rating.model_copy(update={"sheet": rating.sheet.model_copy(update={"steps": steps})})
    task = booklets.cgpst()
    pairs = response_pairs(task, [booklets.booklet()], booklets.scenarios(), "A", {"demo": changed})
    assert pairs.rounded == before + 1
