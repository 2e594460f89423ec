from __future__ import annotations

import re
from io import StringIO
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from booklets import booklet, cgpst, marked, scored, variant, without
from creaeval.data import Rating, read_ratings
from creaeval.demo import demo_file
from creaeval.llm.chat import AttemptError
from creaeval.report.task_text import task_text
from creaeval.report.terminal import notes, print_run
from creaeval.tasks import display_name, identities, load_task
from scripted import ScriptedModel, canned, echo, stage_of, text_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from creaeval.llm import ChatRequest
    from creaeval.runs import Run


def printed(run: Run, ratings: Sequence[Rating] = (), note: str = "", width: int = 120) -> str:
    console = Console(file=StringIO(), width=width, highlight=False)
    print_run(console, run, ratings, rating_note=note)
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


def row(text: str, *starts: str) -> list[str]:
    """The cells of the first table row that holds these words in this order."""
    for line in text.splitlines():
        cells = [cell.strip() for cell in re.split("[│┃]|  +", line)]
        if all(start in cells for start in starts):
            return [cell for cell in cells if cell]
    raise AssertionError(f"no row {starts} in\n{text}")


def test_a_sheet_shows_every_identity_with_its_most_points_and_the_score(tmp_path: Path) -> None:
    text = printed(scored(tmp_path, variant("r")))
    assert "Score sheet of r" in text
    assert "scripted:one" in text
    assert all(display_name(cgpst(), identity) in text for identity in identities(cgpst()))
    assert row(text, "Focus") == ["Focus", "10", "1"]
    # Item points are summed: 8 challenges of 2 points; Integrity is 2 + 3 + 3 + 2.
    assert row(text, "Elaboration") == ["Elaboration", "16", "0"]
    assert row(text, "Integrity") == ["Integrity", "10", "0"]
    assert row(text, "Total") == ["Total", "186", "26"]
    assert row(text, "Fluency") == ["Fluency", "8", "6"]
    assert all(step.name in text for step in cgpst().steps)


def test_ratings_stand_beside_the_scores_with_the_differences_and_what_is_said_of_them(
    tmp_path: Path,
) -> None:
    with demo_file("ratings.json") as path:
        ratings = read_ratings([path], cgpst())
    text = printed(scored(tmp_path, booklet()), ratings, "These ratings are [made up].")
    for words in ("Example A", "Example B", "± is the judge's score minus", "These ratings are [made up]."):
        assert words in text
    # The judge's 26 beside 108 and 105.
    assert row(text, "Total") == ["Total", "186", "26", "108", "-82", "105", "-79"]


def test_a_rating_of_another_response_is_not_shown(tmp_path: Path) -> None:
    with demo_file("ratings.json") as path:
        ratings = read_ratings([path], cgpst())
    assert "Example A" not in printed(scored(tmp_path, variant("other")), ratings)


def test_a_step_that_was_not_there_has_no_row_and_the_total_no_value(tmp_path: Path) -> None:
    text = printed(scored(tmp_path, without(variant("half"), "step6"), missing_step="skip"))
    assert "Develop an Action Plan: not scored" in text
    assert "Humaneness" not in text
    assert row(text, "Total") == ["Total", "186", "–"]


def test_many_responses_are_shown_as_one_table_of_overalls(tmp_path: Path) -> None:
    text = printed(scored(tmp_path, *[variant(f"r{n}") for n in range(4)]))
    assert "Score sheet of" not in text
    assert "4 responses" in text
    # Overalls of the six steps, then the Total.
    assert row(text, "r2") == ["r2", "scripted:one", "7", "2", "7", "0", "4", "6", "26"]


def test_failures_are_shown_with_stage_model_and_reason(tmp_path: Path) -> None:
    def fails(request: ChatRequest) -> Exception | None:
        broken = stage_of(request) == "step2" and "bravo" in text_of(request)
        return AttemptError("out of order", retry=False) if broken else None

    model = ScriptedModel(answer=echo("alfa|bravo"), fails=fails)
    run = scored(tmp_path, marked("one", "alfa"), marked("two", "bravo"), analyst=model, judges=model)
    text = printed(run)
    assert "1 not scored, or not by every judge" in text
    assert row(text, "two", "step2", "scripted:one")[:3] == ["two", "step2", "scripted:one"]
    assert "out of order" in text
    assert "Score sheet of one" in text


def test_a_run_in_which_nothing_was_scored_can_be_shown(tmp_path: Path) -> None:
    text = printed(scored(tmp_path, without(booklet(), "step1")))
    assert "1 not scored" in text
    assert "step1 (Identify Challenges)" in text


def test_notes_count_quotes_by_where_they_stand_and_name_the_calls(tmp_path: Path) -> None:
    def write(path: str) -> str:
        if not path.endswith("quotes"):
            return canned(path)
        if path.startswith("step6"):
            return "these words stand nowhere in any booklet at all"
        # They stand in step 2 alone.
        slip = path == "step2_evidence.focus.quotes"
        return f"How might we open the town{'' if slip else chr(39)}s water sharing"

    lines = notes(scored(tmp_path, booklet(), analyst=ScriptedModel(write=write)))
    # Quotes: 6 x 3 item dimensions in steps 1 and 3, 6 in step 2, 5 x 2 in step 4, 1 in step 5, 6 in step 6.
    # Of step 2 one has a slip; those of steps 1, 3, 4 and 5 stand elsewhere.
    assert lines.pop(0) == "1 response: 1 scored."
    assert lines[0] == "Evidence: full, by scripted:one."
    assert lines[1] == (
        "Quotes: 5 of 59 (8%) stand in their own item or step word for word, 1 nearly, 47 elsewhere in the "
        "response, 6 nowhere; each says so in responses/*.json."
    )
    assert lines[-1] == "7 calls: 700 tokens in (280 cached), 70 out; 4 s of requests; $0."


def test_notes_say_how_many_observations_give_a_score_and_what_was_left_out(tmp_path: Path) -> None:
    def write(path: str) -> str:
        if path.endswith("same_as"):
            return "item_99" if "item_2" in path else ""
        return "Worth 2/2." if path == "step2_evidence.focus.observation" else canned(path)

    analyst = ScriptedModel(write=lambda path: "Again 2/2." if path.startswith("reworded") else write(path))
    lines = "\n".join(notes(scored(tmp_path, booklet(), analyst=analyst)))
    # 18 observations in each of steps 1 and 3, 6 in steps 2 and 6, 10 in step 4 and 1 in step 5.
    assert "Scores in evidence: 1 of 59 observations hold what reads like a score" in lines
    # One item in each of steps 1 and 3 named an item that is not there.
    assert "The analyst's answers: 2 remarks" in lines


def test_notes_say_how_many_observations_copy_the_response(tmp_path: Path) -> None:
    def write(path: str) -> str:
        copying = path.startswith("step6") and path.endswith("observation")
        return "Two people who do not live in the same street read it" if copying else canned(path)

    lines = notes(scored(tmp_path, booklet(), analyst=ScriptedModel(write=write)))
    # The six dimensions of step 6; in all 18 + 6 + 18 + 10 + 1 + 6 findings in the six steps.
    (line,) = [line for line in lines if line.startswith("Observations")]
    assert line.startswith("Observations: 6 of 59 repeat six or more words in a row of the response")


def test_notes_name_sums_that_a_judge_got_wrong(tmp_path: Path) -> None:
    lines = notes(scored(tmp_path, booklet()))
    # The script writes 0 or 1 for every sum. Wrong are Fluency, Flexibility and Overall of steps 1 and 3, the
    # Overalls of steps 2 (2) and 6 (6), the value and the Overall of step 5 (4), and the Total.
    (line,) = [line for line in lines if "judge's own" in line]
    assert "in 11 places (first: demo, step1.fluency: written 0, computed 6)" in line


def test_a_sheet_that_adds_up_has_no_note_on_sums(tmp_path: Path) -> None:
    right = {
        "step5.correctly_used": 4,
        "step5.overall": 4,
        "step2.overall": 2,
        "step6.overall": 6,
        "total": 26,
    }
    for step in ("step1", "step3"):
        right |= {f"{step}.fluency": 6, f"{step}.flexibility": 1, f"{step}.overall": 7}
    model = ScriptedModel(values={f"cgpst_scores.{name}": value for name, value in right.items()})
    assert not any("differ" in line for line in notes(scored(tmp_path, booklet(), judges=model)))


def test_notes_say_where_a_grid_could_not_be_read(tmp_path: Path) -> None:
    lines = notes(scored(tmp_path, variant("r", {"step5": "Number 1 is the best."})))
    assert any(line.startswith("r, step5: no grid of numbered solutions and 5 criteria") for line in lines)


def test_a_run_from_the_ledger_says_so(tmp_path: Path) -> None:
    scored(tmp_path, variant("r"))
    assert "7 calls, 7 of them from the ledger: 700 tokens in" in notes(scored(tmp_path, variant("r")))[-1]


@pytest.mark.parametrize(
    "identifier", ["[bold red]X[/bold red]", "[/]", "x[link=http://a.example]y", "back\\"]
)
def test_what_users_write_is_shown_as_it_is_and_not_obeyed(tmp_path: Path, identifier: str) -> None:
    model = ScriptedModel(f"scripted:{identifier}")
    good = variant(identifier)
    bad = without(variant(f"{identifier}2"), "step1")
    run = scored(tmp_path, good, bad, judges=model)
    rating = Rating(response_id=identifier, rater=f"rater {identifier}", sheet=run.sheets[0])
    text = printed(run, [rating], width=250)
    assert f"Score sheet of {identifier}" in text
    assert f"scripted:{identifier}" in text
    assert f"rater {identifier}" in text
    assert f"{identifier}2" in text
    many = scored(tmp_path, *[variant(f"{identifier}{n}") for n in range(4)], judges=model)
    assert f"{identifier}3" in printed(many, width=250)


def test_a_step_named_with_brackets_is_shown_as_it_is(tmp_path: Path) -> None:
    steps = [step.model_copy(update={"name": f"[b]{step.name}"}) for step in cgpst().steps]
    task = cgpst().model_copy(update={"steps": tuple(steps)})
    assert "[b]Select Criteria" in printed(scored(tmp_path, variant("r"), task=task))


def test_a_task_is_written_out_with_every_dimension_and_every_level() -> None:
    task = load_task("cgpst")
    text = task_text(task)
    assert "at most 186 points" in text
    for step in task.steps:
        assert f"{step.id}: {step.name}, at most {step.max} points" in text
        for dimension in step.dimensions:
            assert f"{step.id}.{dimension.id} ({dimension.name}), {dimension.scale}" in text
            assert dimension.description in text
            assert all(f"      {level.label}: {level.text}\n" in f"{text}\n" for level in dimension.levels)
        codes = step.items.invalid.items() if step.items is not None else ()
        assert all(f"not valid, {code}: {meaning}" in text for code, meaning in codes)
    assert "integrity (Integrity) = condition_phrase + stem_kvp + purpose + fs_parameters" in text
    assert all(category in text for category in task.categories)
