"""A task of six criteria whose points are added up, averaged, or left as they are."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any

import pytest

from creaeval.data import read_ratings, read_scores
from creaeval.data.points import points_range
from creaeval.errors import TaskError
from creaeval.methods.forms import score_form, scoring_rules
from creaeval.sheets import ItemScores, ScoreSheet, StepScores
from creaeval.sheets.replies import score_reply
from creaeval.sheets.score_sheet import StepLayout
from creaeval.tasks import Task, identities, load_task, parse_task, resolve
from scripted import ScriptedModel, fill, text_of

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import CommandLine
    from creaeval.llm import ChatRequest

CRITERIA = ("content", "structure", "style", "voice", "grammar", "spelling")
TOTALS = ("sum", "mean", "none")


def essay(total: str | None, scale: str = "1-6") -> str:
    given = "" if total is None else f"total: {total}\n"
    dimensions = "".join(
        f"      - {{id: {name}, name: {name.title()}, description: How good?, scale: {scale}}}\n"
        for name in CRITERIA
    )
    return (
        "id: essay\nname: An essay\nsource: made for the tests\ndescription: An essay is written.\n"
        f"{given}steps:\n  - id: text\n    name: Text\n    instruction: Write.\n    dimensions:\n{dimensions}"
    )


def task_of(total: str | None) -> Task:
    return parse_task(essay(total), "essay.yaml")


#: Two steps of one and two dimensions, and a list.
PARTS = """id: parts
name: Parts
source: made for the tests
description: Several parts.
total: TOTAL
steps:
  - id: one
    name: One
    instruction: Write.
    dimensions: [{id: depth, name: Depth, description: How deep?, scale: 0-4}]
  - id: two
    name: Two
    instruction: List.
    items: {name: use, max: 3, invalid: {blank: nothing is written, odd: it is no use}}
    dimensions:
      - {id: fluency, name: Fluency, scope: item, scale: 0-1, derive: valid_items, description: A use?}
      - {id: originality, name: Originality, scope: item, scale: 0-2, description: How rare?}
      - {id: tone, name: Tone, scale: 1-5, description: How does it sound?}
    groups:
      - {id: ideas, name: Ideas, members: [fluency, originality]}
"""


def sheet_of(task: Task) -> ScoreSheet:
    """Depth 3; two valid uses of 2 and 1 points and an odd one; tone 4."""
    one, two = task.steps
    items = [
        ItemScores.build(two, 1, {"originality": 2}),
        ItemScores.build(two, 2, {"originality": 1}),
        ItemScores.build(two, 3, invalid="odd"),
    ]
    steps = [
        StepScores.build(task, one, written={"depth": 3}),
        StepScores.build(task, two, items=items, written={"tone": 4}),
    ]
    return ScoreSheet.build(task, "R", "judge", steps)


def finals(total: str) -> dict[str, float | None]:
    sheet = sheet_of(parse_task(PARTS.replace("TOTAL", total), "parts.yaml"))
    return {row.dimension: row.score for row in sheet.rows() if row.item is None}


def test_overall_and_total_of_two_steps_by_hand() -> None:
    # Fluency 2 valid uses, originality 2 + 1 = 3, their group 5, tone 4; depth 3.
    parts = {"one.depth": 3, "two.fluency": 2, "two.originality": 3, "two.tone": 4, "two.ideas": 5}
    sums = {"one.overall": 3, "two.overall": 2 + 3 + 4, "total": 12}
    # Every dimension counts the same: the Total is the mean of four, not of the two Overalls.
    means = {"one.overall": 3.0, "two.overall": (2 + 3 + 4) / 3, "total": (3 + 2 + 3 + 4) / 4}
    assert finals("sum") == {**parts, **sums}
    assert finals("mean") == {**parts, **means}
    assert finals("none") == {**parts, "total": None}


def test_the_mean_of_six_criteria_by_hand() -> None:
    points = dict(zip(CRITERIA, (6, 5, 4, 4, 3, 3), strict=True))
    for total, value in (("sum", 25), ("mean", 25 / 6), ("none", None)):
        task = task_of(total)
        step = StepScores.build(task, task.steps[0], written=points)
        sheet = ScoreSheet.build(task, "R", "judge", [step], written_total=3)
        assert (step.final("overall"), sheet.total) == (value, value)
        assert sheet.written_total == (None if total == "none" else 3)
    # A criterion that is missing leaves the mean undefined, as it does the sum.
    lacking = StepScores.build(task_of("mean"), task_of("mean").steps[0], written={"content": 6})
    assert lacking.final("overall") is None


def test_the_range_of_a_mean_is_that_of_its_dimensions() -> None:
    by_name = {total: task_of(total) for total in TOTALS}
    step = by_name["mean"].steps[0]
    for part, of in (("overall", step), ("total", None)):
        assert points_range(by_name["mean"], of, part) == (1, 6)
        assert points_range(by_name["sum"], of, part) == (6, 36)
    assert (by_name["sum"].max, by_name["mean"].max) == (36, 6)
    # At most depth 4, three uses, 3 x 2, tone 5: 4.5 in the mean; at least 0, 0, 0 and 1.
    mixed = parse_task(PARTS.replace("TOTAL", "mean"), "parts.yaml")
    assert points_range(mixed, None, "total") == (0.25, 4.5)
    assert points_range(mixed, mixed.steps[1], "overall") == pytest.approx((1 / 3, 14 / 3))
    assert points_range(mixed, mixed.steps[1], "ideas") == (0, 9)


def test_only_a_task_without_totals_has_no_names_for_them() -> None:
    names = [f"text.{name}" for name in CRITERIA]
    assert identities(task_of("none")) == names
    assert identities(task_of("mean")) == identities(task_of("sum")) == [*names, "text.overall", "total"]
    assert resolve(task_of("none"), "text.style")[1] == "style"


@pytest.mark.parametrize("total", TOTALS)
def test_scorers_are_asked_for_sums_alone_and_never_for_a_mean(total: str) -> None:
    task = task_of(total)
    asked = total == "sum"
    rules = scoring_rules(task, task.steps)
    form = score_form(task.steps, whole=True, sums=rules["sums"])
    schema = score_reply(task, [StepLayout(step) for step in task.steps]).model_json_schema()
    assert rules["sums"] is ('"overall"' in form) is ('"total"' in form) is asked
    assert ("total" in schema["properties"]) is ("overall" in json.dumps(schema)) is asked


def test_points_of_items_are_added_up_whatever_the_total_is() -> None:
    forms = {}
    for total in TOTALS:
        task = parse_task(PARTS.replace("TOTAL", total), "parts.yaml")
        rules = scoring_rules(task, task.steps)
        assert rules["item_sums"]
        forms[total] = score_form(task.steps, whole=True, sums=rules["sums"])
    assert '"originality": 0-6' in forms["none"]
    assert forms["mean"] == forms["none"]
    assert forms["sum"] != forms["none"]


def test_sum_is_what_a_task_has_that_says_nothing_and_a_number_is_checked() -> None:
    assert task_of(None) == task_of("sum") == task_of("36")
    with pytest.raises(TaskError, match="total is 35, but the steps add up to 36"):
        task_of("35")
    with pytest.raises(TaskError, match=r"line 5, at total: found 'average'.*'sum', 'mean' or 'none'"):
        task_of("average")
    assert [load_task(name).total for name in ("cgpst", "aut", "ttcw")] == ["sum", "none", "sum"]


def test_sums_false_of_an_earlier_version_is_still_read() -> None:
    with pytest.warns(UserWarning, match="sums is a word of an earlier version"):
        task = parse_task(essay(None).replace("steps:", "sums: false\nsteps:", 1), "essay.yaml")
    assert task == task_of("none")
    # As runs of before keep it.
    kept = {**task_of("sum").model_dump(mode="json"), "total": None}
    assert Task.model_validate({**kept, "sums": True}) == task_of("sum")
    assert Task.model_validate({**kept, "sums": False}) == task_of("none")
    assert Task.model_validate({**kept, "sums": True, "total": 36}) == task_of("sum")


def test_a_task_that_was_read_is_read_again_from_what_it_writes() -> None:
    for total in TOTALS:
        task = task_of(total)
        assert Task.model_validate(task.model_dump(mode="json")) == task


def test_ratings_may_be_means_where_no_sum_is_made(tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text(
        "id,rater,content,structure,style,voice,grammar,spelling,overall\n"
        "R1,A,3.25,4,4,4,4,4.75,4.0\nR2,A,1,2,2,2,2,2,1.83\n"
    )
    first, second = read_ratings(path, task_of("mean"))
    assert first.sheet.final("text.content") == 3.25
    assert first.sheet.final("total") == 4.0
    # 11 / 6, where the rater wrote 1.83.
    assert second.sheet.final("text.overall") == pytest.approx(11 / 6)
    assert second.sheet.steps[0].written["overall"] == 1.83
    plain = read_ratings(path, task_of("none"))[0].sheet
    assert plain.final("text.content") == 3.25
    assert (plain.final("text.overall"), plain.total) == (None, None)
    with pytest.raises(Exception, match=r"found '3.25', expected a whole or half number from 1 to 6"):
        read_ratings(path, task_of("sum"))


def test_a_mean_beyond_the_scale_is_refused_and_one_written_in_short_is_not(tmp_path: Path) -> None:
    mixed = parse_task(PARTS.replace("TOTAL", "mean"), "parts.yaml")
    path = tmp_path / "ratings.csv"
    # The most that step two can have is 14 / 3.
    path.write_text("id,rater,two.overall\nR1,A,4.67\n")
    assert read_ratings(path, mixed)[0].sheet.steps[0].written == {"overall": 4.67}
    path.write_text("id,rater,two.overall\nR1,A,4.8\n")
    with pytest.raises(Exception, match=r"found '4.8', expected a number from 0.3 to 4.7"):
        read_ratings(path, mixed)


POINTS = {"R1": (6, 5, 4, 4, 3, 3), "R2": (2, 2, 2, 2, 2, 1), "R3": (4, 4, 5, 5, 6, 6)}


def judge(request: ChatRequest) -> str:
    name = next(name for name in POINTS if f"Essay {name}" in text_of(request))
    values: dict[str, Any] = {
        f"essay_scores.text.{criterion}": points
        for criterion, points in zip(CRITERIA, POINTS[name], strict=True)
    }
    return json.dumps(fill(request.schema, request.schema_name, values))


@pytest.mark.parametrize("total", TOTALS)
def test_a_run_its_tables_its_agreement_and_its_report(command: CommandLine, total: str) -> None:
    (command.folder / "essay.yaml").write_text(essay(total))
    (command.folder / "essays.csv").write_text(
        "id,response\n" + "".join(f"{name},Essay {name}.\n" for name in POINTS)
    )
    lines = [
        f"{name},{rater},{','.join(map(str, points))}\n" for name, points in POINTS.items() for rater in "AB"
    ]
    (command.folder / "ratings.csv").write_text(f"id,rater,{','.join(CRITERIA)}\n{''.join(lines)}")
    command.add(model := ScriptedModel("scripted:j", answer=judge))
    own = ("--task", "essay.yaml")
    ended = command(
        *("score", "essays.csv", *own, "--method", "direct", "--judge", "scripted:j", "--out", "out")
    )
    assert ended.code == 0, ended.err
    assert ("overall" in text_of(model.requests[0])) is (total == "sum")
    with (command.folder / "out" / "scores_wide.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    with (command.folder / "out" / "scores.csv").open(encoding="utf-8-sig", newline="") as file:
        names = {row["dimension"] for row in csv.DictReader(file)}
    ended = command("agree", "out", "ratings.csv", *own, "--resamples", "0")
    assert ended.code == 0, ended.err
    page = command(
        "report", "out", *own, "--ratings", "ratings.csv", "--resamples", "0", "--out", "page.html"
    )
    assert page.code == 0, page.err
    html = (command.folder / "page.html").read_text(encoding="utf-8")
    shown = command("runs", "show", command("runs", "list").out.split("\t")[0]).out
    # 25, 11 and 30 points in all.
    if total == "none":
        assert not {name for name in (*rows[0], *names) if "overall" in name or name == "total"}
        assert "Overall" not in shown + html
        assert "Total" not in shown + ended.out
    else:
        of = {"sum": 1, "mean": 6}[total]
        assert [float(row["total"]) for row in rows] == pytest.approx([25 / of, 11 / of, 30 / of])
        assert [float(row["text_overall"]) for row in rows] == pytest.approx([25 / of, 11 / of, 30 / of])
        assert "Total" in shown
        assert {"sum": "25", "mean": "4.167"}[total] in shown
    (scores,) = read_scores(command.folder / "out", parse_task(essay(total), "essay.yaml"))
    again = {sheet.response_id: sheet.total for sheet in scores.sheets}
    assert (
        again
        == {
            "sum": {"R1": 25, "R2": 11, "R3": 30},
            "mean": {"R1": pytest.approx(25 / 6), "R2": pytest.approx(11 / 6), "R3": pytest.approx(5)},
            "none": {"R1": None, "R2": None, "R3": None},
        }[total]
    )
