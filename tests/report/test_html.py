"""The HTML report: what it shows, that its parts fit, and that no text in it becomes more than text."""

from __future__ import annotations

import json
import re
import tracemalloc
from dataclasses import replace
from io import StringIO
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import creaeval
from booklets import booklet, cgpst, scenarios, scored, variant, without
from creaeval.agreement import agree
from creaeval.data import Rating, read_ratings
from creaeval.demo import demo_file
from creaeval.errors import SettingError
from creaeval.llm import Ledger
from creaeval.llm.chat import AttemptError
from creaeval.report.display import Cell
from creaeval.report.html import (
    Figure,
    ReportData,
    RunPart,
    Section,
    plain_table,
    render_report,
    run_report,
)
from creaeval.report.html.cells import make_grids
from creaeval.report.html.page import write_report
from creaeval.report.html.quotes import Passages
from creaeval.runs import RunStore
from creaeval.sheets.quotes import place_quote
from scripted import ScriptedModel, fill, stage_of, text_of

from .pages import HOSTILE, check_page

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import CommandLine
    from creaeval.llm import ChatRequest
    from creaeval.runs import Run

    from .pages import Element


def saying(observation: str, *quotes: str, **of: list[str]) -> Callable[[ChatRequest], str]:
    """An analyst that observes the same everywhere and gives these quotes, or those of a dimension."""

    def answer(request: ChatRequest) -> str:
        reply: Any = fill(
            request.schema, request.schema_name, write=lambda path: "" if "quotes" in path else observation
        )

        def put(part: Any, name: str) -> None:
            if isinstance(part, dict):
                if "quotes" in part:
                    part["quotes"] = of.get(name, list(quotes))
                for key, one in part.items():
                    put(one, key)

        put(reply, "")
        return json.dumps(reply)

    return answer


def demo_ratings() -> list[Rating]:
    with demo_file("ratings.json") as path:
        return read_ratings(path, cgpst())


def of_response(response_id: str, rater: str = "") -> list[Rating]:
    """The example's ratings, said to be of another response (by another rater)."""
    return [
        one.model_copy(
            update={
                "response_id": response_id,
                "rater": rater or one.rater,
                "sheet": one.sheet.model_copy(
                    update={"response_id": response_id, "scorer": rater or one.rater}
                ),
            }
        )
        for one in demo_ratings()[: 1 if rater else None]
    ]


def page_of(run: Run, ratings: list[Rating] | None = None, **options: Any) -> Element:
    return check_page(render_report(run_report(run, ratings or [], **options)))


def article(page: Element, key: str = "0-0") -> Element:
    (block,) = page.all("script", id=f"t-{key}")
    (found,) = block.all("article", id=f"p-{key}")
    return found


def words(element: Element) -> str:
    return " ".join(element.text.split())


def sheet_rows(page: Element) -> list[list[str]]:
    """The rows of the first sheet, cell by cell."""
    rows = page.all("table", class_="sheet")[0].all("tr")
    return [[words(cell) for cell in row.children if not isinstance(cell, str)] for row in rows]


def test_a_page_shows_every_score_beside_the_ratings_with_the_difference(tmp_path: Path) -> None:
    page = page_of(scored(tmp_path, variant("r")), of_response("r"))
    rows = sheet_rows(article(page))
    assert rows[0] == ["", "of", "scripted:one judge", "Example A rater", "Example B rater"]
    # The scripted judge gives Focus 1 of 10; the made-up raters gave 8 and 7.
    assert ["Focus", "10", "1", "8 −7", "7 −6"] in rows
    # 26 against 108 and 105.
    assert rows[-1] == ["Total", "186", "wrote 0 26", "108 −82", "105 −79"]


def test_what_the_judge_wrote_stands_beside_another_value_that_was_computed(tmp_path: Path) -> None:
    model = ScriptedModel(values={"cgpst_scores.step1.overall": 33, "cgpst_scores.total": 99})
    rows = sheet_rows(article(page_of(scored(tmp_path, variant("r"), judges=model))))
    overalls = [row for row in rows if row[0] == "Overall"]
    assert overalls[0] == ["Overall", "48", "wrote 33 7"]
    assert rows[-1] == ["Total", "186", "wrote 99 26"]


def test_quotes_are_marked_where_they_stand_and_link_to_their_evidence_and_back(tmp_path: Path) -> None:
    steps: dict[str, str | list[str]] = {"step1": ["The wells run dry in summer", "Nobody counts the wells"]}
    analyst = ScriptedModel(
        answer=saying(
            "Seen.", fluency=["wells run DRY", "run dry in summer"], elaboration=["nobody counts", "the moon"]
        )
    )
    found = article(page_of(scored(tmp_path, variant("r", steps), analyst=analyst)))
    step = found.all("section", class_="step")[0]
    assert [(one.text, one.attributes["data-q"]) for one in step.all("mark")] == [
        ("wells ", "1"),
        ("run dry", "1 2"),
        (" in summer", "2"),
        ("Nobody counts", "3"),
    ]
    # Numbers follow the text, whichever finding came first.
    text = step.all("div", class_="written")[0]
    assert re.sub(r"(?<=[a-z])\d", "", text.text) == "The wells run dry in summer"
    # From the text to the evidence, and from every quote to the text.
    links = [one.attributes["href"] for one in text.all("a")]
    assert links == ["#q-0-0.0.1", "#q-0-0.0.2"]
    places = {one.attributes["id"] for one in found.all("span") if "id" in one.attributes}
    assert {"m-0-0.0.1", "m-0-0.0.2", "m-0-0.0.3"} <= places
    missing = step.all("li", class_="missing")
    # Of either item, once.
    assert [words(one).partition(" (")[0] for one in missing] == ["the moon not found in the response"] * 2


def quotes_of(step: Element, item: int) -> list[Element]:
    """The quotes beside an item, in order."""
    (block,) = [one for one in step.all("div", class_="block") if words(one).startswith(f"Challenge {item}")]
    return [one for part in block.all("ul", class_="quotes") for one in part.all("li")]


WELLS: dict[str, str | list[str]] = {
    "step1": ["The wells run dry in summer, year by year", "Nobody counts the wells of the town"],
    "step2": "How might we keep the wells open?",
}


def test_what_stands_nearly_is_shown_in_the_words_of_the_response_and_in_no_quotation_marks(
    tmp_path: Path,
) -> None:
    analyst = ScriptedModel(answer=saying("Seen.", fluency=["the wells ran dry in summer"]))
    found = article(page_of(scored(tmp_path, variant("r", WELLS), analyst=analyst)))
    step = found.all("section", class_="step")[0]
    (own,), (other,) = quotes_of(step, 1), quotes_of(step, 2)
    for quote in (own, other):
        assert not quote.all("q")
        (near,) = quote.all("span", class_="nearly")
        assert not set(near.text) & set('"“”„«»')
        assert [one.text for one in near.all("del")] == ["ran "]
        assert [one.text for one in near.all("ins")] == ["run "]
        # Without what only the analyst wrote, these are the words of the response.
        kept = [one for one in near.children if isinstance(one, str) or one.tag == "ins"]
        text = "".join(one if isinstance(one, str) else one.text for one in kept)
        assert " ".join(text.split()) == "The wells run dry in summer"
    # One letter of 27 is another: of 54 letters, 52 match, that is 96.296 of 100.
    assert "not word for word (96.3 of 100)" in words(own)
    assert "stands in Challenge 1; not word for word (96.3 of 100)" in words(other)
    assert "".join(one.text for one in step.all("mark")) == "The wells run dry in summer"


def test_what_stands_elsewhere_says_where_and_leads_there(tmp_path: Path) -> None:
    analyst = ScriptedModel(
        answer=saying(
            "Seen.",
            fluency=["nobody counts the wells"],
            elaboration=["keep the wells open"],
            originality=["year by year 2. Nobody counts"],
        )
    )
    found = article(page_of(scored(tmp_path, variant("r", WELLS), analyst=analyst)))
    first, second = found.all("section", class_="step")[:2]
    item, step, across = quotes_of(first, 1)
    assert words(item).endswith("nobody counts the wells stands in Challenge 2")
    assert words(step).endswith("keep the wells open stands in Select an Underlying Problem")
    assert words(across).endswith("year by year 2. Nobody counts stands in this step as a whole")
    assert [one.all("a")[0].attributes["href"] for one in (item, step)] == ["#m-0-0.0.1", "#m-0-0.1.1"]
    assert not across.all("a")
    # The words are marked where they stand, and the mark leads to the quote in another step.
    assert [one.text for one in first.all("mark")] == ["Nobody counts the wells"]
    assert [one.text for one in second.all("mark")] == ["keep the wells open"]
    (back,) = second.all("sup")[0].all("a")
    assert back.attributes["href"] == f"#{step.attributes['id']}" == "#q-0-0.1.1"
    # What is lit when one points at it is of one step.
    assert "data-q" not in step.all("a")[0].attributes
    assert item.all("a")[0].attributes["data-q"] == "1"
    # In the challenge that has the words, the same quote is exact.
    assert words(quotes_of(first, 2)[0]) == "1 nobody counts the wells"


def test_outcomes_of_earlier_versions_are_shown_as_far_as_they_go(tmp_path: Path) -> None:
    analyst = ScriptedModel(answer=saying("Seen.", fluency=["the wells ran dry in summer"]))
    run = scored(tmp_path, variant("r", WELLS), analyst=analyst)
    (outcome,) = run.outcomes
    stored = outcome.model_dump(mode="json")
    for item in stored["evidence"]["steps"][0]["items"]:
        for finding in item["dimensions"].values():
            for quote in finding["quotes"]:
                for name in ("outcome", "words", "place"):
                    del quote[name]
                quote |= {"found": True, "similarity": 96.3}
    earlier = type(outcome).model_validate_json(json.dumps(stored))
    page = page_of(replace(run, outcomes=(earlier,)))
    (quote,) = quotes_of(article(page).all("section", class_="step")[0], 1)
    assert words(quote) == "1 the wells ran dry in summer not word for word (96.3 of 100)"
    assert not quote.all("q")


def test_evidence_stands_with_the_points_of_every_scorer(tmp_path: Path) -> None:
    judge = ScriptedModel("scripted:j", values={"cgpst_scores.step1.items.item_2.elaboration": 2})
    analyst = ScriptedModel(answer=saying("It names who is hurt."))
    run = scored(tmp_path, variant("r"), analyst=analyst, judges=judge)
    step = article(page_of(run, of_response("r"))).all("section", class_="step")[0]
    second = step.all("div", class_="block")[1]
    assert words(second.all("h4")[0]).startswith("Challenge 2")
    (finding,) = [
        one for one in second.all("div", class_="finding") if words(one.all("h5")[0]) == "Elaboration"
    ]
    points = [words(one) for one in finding.all("ul", class_="points")[0].all("li")]
    assert points[0] == "2/2 scripted:j"
    assert [one.split()[-1] for one in points[1:]] == ["A", "B"]
    assert "It names who is hurt." in words(finding)
    # Challenge 7 is blank: it is said, and nobody was asked about it.
    assert "blank" in words(step.all("div", class_="block")[6])
    assert not step.all("div", class_="block")[6].all("div", class_="finding")


def test_a_failure_is_shown_with_its_reason_in_the_summary_and_on_the_page(tmp_path: Path) -> None:
    judge = ScriptedModel(fails=lambda _: AttemptError("the server is <down>", kind="server", retry=False))
    run = scored(tmp_path, variant("r"), judges=judge)
    page = page_of(run)
    (failures,) = [
        one for one in page.all("section") if one.all("h2")[:1] and words(one.all("h2")[0]) == "Failures"
    ]
    assert "the server is <down>" in words(failures)
    assert [one.attributes["href"] for one in failures.all("a")] == ["#p-0-0"]
    (note,) = article(page).all("div", class_="failure")
    assert words(note).startswith("Not scored at judge by scripted:one:")
    assert "failed" in words(page.all("nav")[0])


def test_a_response_without_a_step_has_a_dash_for_its_total(tmp_path: Path) -> None:
    run = scored(tmp_path, without(variant("r"), "step6"), missing_step="skip")
    rows = sheet_rows(article(page_of(run)))
    assert rows[-1] == ["Total", "186", "–"]
    assert ["Development", "10", "–"] in rows


@pytest.mark.parametrize("method", ["direct", "cot", "tot", "one-pass", "judge-sees-quotes"])
def test_every_kind_of_method_has_pages(tmp_path: Path, method: str) -> None:
    page = page_of(scored(tmp_path, variant("r"), method=method))
    found = article(page)
    first = booklet().steps["step1"].items[0].text
    assert " ".join(first.split()) in words(found)
    assert found.all("ul", class_="points")


def test_repeats_of_evidence_have_their_own_part_with_links_of_its_own(tmp_path: Path) -> None:
    analyst = ScriptedModel(answer=saying("Seen.", booklet().steps["step1"].items[0].text[:30]))
    run = scored(tmp_path, variant("r"), analyst=analyst, evidence_repeats=2, settings={"temperature": 1})
    found = article(page_of(run))
    assert "Evidence gathered again (2)" in words(found)
    hrefs = {one.attributes["href"] for one in found.all("a")}
    assert {"#q-0-0.0.1", "#q-0-0.r2.0.1"} <= hrefs
    assert rows_of_points(found) >= {"scripted:one", "scripted:one@2"}


def rows_of_points(element: Element) -> set[str]:
    return {words(one.all("bdi")[0]) for part in element.all("ul", class_="points") for one in part.all("li")}


USES = "id,object,use,participant\nu1,brick,a wall,p1\nu2,brick,<b>a hat,p1\nu3,rope,,p2\n"
USE_RATINGS = "response_id,rater,dimension,score\nu1,Ann,originality,2\nu2,Ann,originality,5\n"


def test_each_use_has_a_page_with_its_text_scores_and_ratings(tmp_path: Path) -> None:
    (tmp_path / "uses.csv").write_text(USES)
    (tmp_path / "ratings.csv").write_text(USE_RATINGS)
    judge = ScriptedModel("j", values={"aut_scores.uses.items.item_2.originality": 4})
    run = creaeval.score(
        tmp_path / "uses.csv", task="aut", analyst=ScriptedModel(), judges=judge, ledger=tmp_path / "l.db"
    )
    page = page_of(run, read_ratings(tmp_path / "ratings.csv", run.task))
    rows = sheet_rows(article(page))
    # The judge gives 1 and 4, Ann gave 2 and 5.
    assert rows[2:] == [["Originality", "5", "1", "2 −1"]]
    assert sheet_rows(article(page, "0-1"))[2:] == [["Originality", "5", "4", "5 −1"]]
    assert sheet_rows(article(page, "0-2"))[2:] == [["Originality", "5", "blank"]]
    assert {"j", "Ann"} <= rows_of_points(article(page))
    assert "<b>a hat" in words(article(page, "0-1"))


def test_a_run_of_before_texts_were_kept_shows_evidence_and_says_how_to_get_them(tmp_path: Path) -> None:
    analyst = ScriptedModel(answer=saying("Seen.", booklet().steps["step1"].items[0].text[:30]))
    run = scored(tmp_path, variant("r"), analyst=analyst)
    old = type(run)(run.id, run.state, run.task, run.manifest, run.outcomes, run.metadata)
    page = page_of(old)
    assert "The texts were not kept when this run was made" in words(page.all("main")[0])
    found = article(page)
    assert "Score again, which costs nothing" in words(found)
    assert not found.all("mark")
    assert "found in the response" in words(found)


def test_two_runs_are_set_side_by_side_for_the_response_they_differ_on_most(tmp_path: Path) -> None:
    responses = [variant("alike"), variant("apart", {"step2": "Quite another problem"})]
    first = scored(tmp_path, *responses)

    def kinder(request: ChatRequest) -> str:
        points = 9 if "Quite another problem" in text_of(request) else 1
        values = {f"{request.schema_name}.step2.focus": points}
        return json.dumps(fill(request.schema, request.schema_name, values))

    second = scored(
        tmp_path, *responses, method="direct", judges=ScriptedModel("scripted:two", answer=kinder)
    )
    page = page_of(first, of_response("apart"), against=second)
    found = article(page, "c-0")
    assert words(found.all("h2")[0]) == "apart"
    rows = sheet_rows(found)
    assert rows[0][2:4] == ["creaeval: scripted:one judge", "direct: scripted:two judge"]
    (focus,) = [row for row in rows if row[0] == "Focus"]
    # Minus the mean of the ratings 8 and 7.
    assert focus[2:] == ["1 −6.5", "9 +1.5", "8", "7"]
    assert [words(one.all("h3")[0]) for one in found.all("div", class_="sides")[0].all("section")[:1]] == [
        "creaeval"
    ]
    assert article(page_of(first, against=second, response_id="alike"), "c-0").attributes["id"] == "p-c-0"
    with pytest.raises(SettingError, match=r"--response nobody: the two runs do not share"):
        run_report(first, against=second, response_id="nobody")
    with pytest.raises(SettingError, match=r"name one with --against"):
        run_report(first, response_id="alike")


def test_agreement_stands_in_the_summary_with_intervals_and_what_must_be_said(tmp_path: Path) -> None:
    ids = [f"r{n}" for n in range(6)]

    def by_number(request: ChatRequest) -> str:
        number = int(re.findall(r"mark(\d)", text_of(request))[0])
        return json.dumps(
            fill(request.schema, request.schema_name, {f"{request.schema_name}.step2.focus": 1 + number})
        )

    responses = [variant(name, {"step2": f"A problem mark{n}"}) for n, name in enumerate(ids)]
    run = scored(tmp_path, *responses, method="direct", judges=ScriptedModel(answer=by_number))
    table = "response_id,rater,dimension,score\n" + "".join(
        f"{name},{rater},step2.focus,{1 + n + extra}\n"
        for rater, extra in (("Ann", 1), ("Bo", 2))
        for n, name in enumerate(ids)
    )
    (tmp_path / "ratings.csv").write_text(table)
    ratings = read_ratings(tmp_path / "ratings.csv", run.task)
    report = agree(run.task, [run], ratings, resamples=0)
    page = page_of(run, ratings, agreement=report)
    tables = {words(one.all("caption")[0]): one for one in page.all("table", class_="grid")}
    rows = [
        [words(cell) for cell in row.children if not isinstance(cell, str)]
        for row in tables["Pearson r"].all("tr")
    ]
    # Every scorer is a constant away from the others.
    assert rows == [
        ["", "Select an Underlying Problem", ""],
        ["name", "Focus", "AVG", "share of human-human"],
        ["scripted:one", "1.000", "1.000", "1.00"],
        ["human-human", "1.000", "1.000", ""],
    ]
    assert "n = 6." in words(page.all("main")[0])
    assert "Judges and raters" in tables
    assert "Only 6 responses in the smallest cell" in words(page.all("main")[0])


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_stay_texts_everywhere(tmp_path: Path, name: str) -> None:
    text = HOSTILE[name]
    steps: dict[str, str | list[str]] = {
        step.id: [f"{text} first idea", "an honest idea"] if step.items is not None else f"{text} a step"
        for step in cgpst().steps
    }
    response = variant(f"id {text}", steps, **{f"column {text}": text})
    analyst = ScriptedModel(
        f"scripted:a {text}", answer=saying(f"saw {text}", f"{text} first idea", f"no {text}")
    )
    judges = [
        ScriptedModel(f"scripted:j {text}"),
        ScriptedModel(f"scripted:k {text}", fails=lambda _: AttemptError(text, kind="server", retry=False)),
    ]
    scenario = scenarios()["fog_water"].model_copy(
        update={"title": f"title {text}", "text": f"scenario {text}"}
    )
    run = scored(tmp_path, response, analyst=analyst, judges=judges, scenarios={"fog_water": scenario})
    frame = pd.DataFrame({"Response": [response.id, "other"], f"column {text}": [text, 1.5]})
    section = Section(
        f"section {text}",
        [
            plain_table(frame, f"table {text}", notes=[f"note {text}"], links={response.id: "0-0"}),
            Figure(
                f"figure {text}", f"<svg xmlns='http://www.w3.org/2000/svg'><text>{text}</text></svg>", text
            ),
            f"paragraph {text}",
        ],
    )
    ratings = of_response(response.id, f"rater {text}")
    data = ReportData(
        title=f"report {text}",
        facts=[(text, text)],
        headline=[(text, text, text)],
        sections=[section],
        runs=[RunPart(run, ratings, f"run {text}")],
        notes=[text],
    )
    page = check_page(render_report(data))
    shown = re.sub("[\x00-\x08\x0e-\x1f\x7f-\x9f]", "\ufffd", text)
    whole = page.text
    for place in ("id", "column", "saw", "title", "section", "table", "report", "rater", "run", "scenario"):
        assert f"{place} {shown}" in whole, place
    assert any(f"{shown} first idea" in one.text for one in page.all("q"))
    assert f"scripted:j {shown}" in whole


def test_figures_are_images_whose_svg_is_as_it_was_given() -> None:
    import base64

    svg = "<svg xmlns='http://www.w3.org/2000/svg'><script>window.ran=1</script></svg>"
    page = check_page(render_report(ReportData("t", sections=[Section("s", [Figure("A figure", svg)])])))
    (image,) = page.all("img")
    assert image.attributes["alt"] == "A figure"
    encoded = image.attributes["src"].partition("base64,")[2]
    assert base64.b64decode(encoded).decode() == svg
    # Without runs there is no list of responses, and no button for it.
    assert not page.all("nav")


def test_cells_are_shown_as_they_are_to_be_read_and_sorted_by_their_numbers() -> None:
    frame = pd.DataFrame(
        {
            "name": ["a", "b", "c"],
            "value": [0.5, float("nan"), 12.0],
            "interval": [Cell(0.512, 0.4, 0.61), Cell(float("nan")), Cell(-0.1, form=".1f")],
            "n": pd.array([3, None, 1200], dtype="Int64"),
            "whole": [1.0, 2.0, 30.0],
        }
    )
    (grid,) = make_grids(plain_table(frame, "t", foot=1))
    assert grid.columns == (
        ("name", False),
        ("value", True),
        ("interval", True),
        ("n", True),
        ("whole", True),
    )
    assert [[cell.text for cell in row] for row in grid.rows] == [
        ["a", ".500", ".512", "3", "1"],
        ["b", "–", "–", "–", "2"],
    ]
    assert [[cell.order for cell in row] for row in grid.rows] == [
        ["a", 0.5, 0.512, 3.0, 1.0],
        ["b", None, None, None, 2.0],
    ]
    assert grid.rows[0][2].more == "[.40, .61]"
    assert [cell.text for cell in grid.foot[0]] == ["c", "12.000", "−.1", "1,200", "30"]


def test_the_first_numbers_tell_raters_from_judges(tmp_path: Path) -> None:
    page = page_of(scored(tmp_path, variant("r")), of_response("r"))
    names = [words(one) for one in page.all("dl", class_="headline")[0].all("dt")]
    assert names[1:4] == [
        "Mean Total, scripted:one",
        "Mean Total, Example A (rater)",
        "Mean Total, Example B (rater)",
    ]


def test_a_quote_is_placed_in_the_text_as_it_was_written() -> None:
    text = "They said: “No\n  water … at night”, didn’t they?"
    span = place_quote("no water ... at night\", didn't", text)
    assert span is not None
    assert text[slice(*span)] == "No\n  water … at night”, didn’t"
    # One letter is wrong, and the last word is cut off.
    span = place_quote("they sayd: no water at nigh", "x. They said: no water at night. y")
    assert span is not None
    assert "x. They said: no water at night. y"[slice(*span)] == "They said: no water at night"
    assert place_quote("moon", text) is None
    assert place_quote("", text) is None


@given(st.lists(st.sampled_from(["a b", "b c", "c", "a b c d", "d", "zz"]), max_size=6))
def test_segments_are_the_text_and_cover_each_passage_whole(quotes: list[str]) -> None:
    passages = Passages(["x a b c d y"])
    for quote in quotes:
        passages.find(quote)
    passages.set_numbers()
    numbers = {number for quote in quotes if (number := passages.find(quote)) is not None}
    segments = passages.segments(0)
    assert "".join(one.text for one in segments) == "x a b c d y"
    for number in numbers:
        covered = "".join(one.text for one in segments if number in one.passages)
        assert covered in quotes
        assert sum(number in one.begins for one in segments) == 1
        assert sum(number in one.ends for one in segments) == 1


def test_the_memory_of_writing_does_not_grow_with_the_responses(tmp_path: Path) -> None:
    peaks = []
    for n in (3, 12):
        folder = tmp_path / str(n)
        folder.mkdir()
        run = scored(folder, *(variant(f"r{i}") for i in range(n)))
        with Ledger.open(folder / "l.db") as ledger, (folder / "page.html").open("w") as file:
            data = run_report(RunStore(ledger).load(run.id))
            write_report(data, StringIO())  # what is loaded once
            tracemalloc.start()
            write_report(data, file)
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
        size = (folder / "page.html").stat().st_size
    # Nine more pages of over 30 kB each; the outcomes are read up to 50 at a time.
    assert size > 400_000
    assert peaks[1] - peaks[0] < 6_000_000


def test_the_command_writes_a_report_and_over_nothing_else(command: CommandLine) -> None:
    run = scored(command.folder, variant("r"))
    ratings = [
        {"response_id": one.response_id, "rater": one.rater, "scores": {"step2.focus": 7}}
        for one in of_response("r")
    ]
    table = "response_id,rater,dimension,score\n" + "".join(
        f"r,{one['rater']},step2.focus,7\n" for one in ratings
    )
    (command.folder / "ratings.csv").write_text(table)
    given_options = ("--ratings", "ratings.csv", "--resamples", 0, "--ledger", "l.db")
    ended = command("report", run.id, *given_options, "--out", "new/page.html")
    assert (ended.code, ended.out.strip(), ended.err) == (0, "new/page.html", "")
    page = check_page((command.folder / "new" / "page.html").read_text(encoding="utf-8"))
    assert ["Focus", "10", "1", "7 −6", "7 −6"] in sheet_rows(article(page))
    # Once more over our own report, but not over anything else.
    assert command("report", run.id, "--ledger", "l.db", "--out", "new/page.html").code == 0
    (command.folder / "notes.html").write_text("<p>mine</p>")
    ended = command("report", run.id, "--ledger", "l.db", "--out", "notes.html")
    assert (ended.code, ended.err.strip()) == (
        1,
        "Error: notes.html: this file is no report of creaeval; name another one with --out.",
    )
    assert (command.folder / "notes.html").read_text() == "<p>mine</p>"
    assert command("report", run.id, "--ledger", "l.db", "--out", "new").code == 1
    assert sorted(one.name for one in (command.folder / "new").iterdir()) == ["page.html"]


def test_runs_of_two_tasks_are_not_set_side_by_side(command: CommandLine) -> None:
    (command.folder / "uses.csv").write_text(USES)
    uses = creaeval.score(
        command.folder / "uses.csv",
        task="aut",
        analyst=ScriptedModel(),
        judges=ScriptedModel(),
        ledger="l.db",
    )
    run = scored(command.folder, variant("r"))
    ended = command("report", run.id, "--against", uses.id, "--ledger", "l.db")
    assert ended.code == 1
    assert f"this run is of task aut, not of cgpst, that of run {run.id}" in ended.err
    ended = command("report", run.id, "--response", "r", "--ledger", "l.db")
    assert (ended.code, "name one with --against" in ended.err) == (1, True)
    assert not (command.folder / "report.html").exists()


def test_stages_of_the_analyst_are_all_marked(tmp_path: Path) -> None:
    analyst = ScriptedModel(
        answer=lambda request: saying("Seen.", booklet().steps[stage_of(request)].text.split("\n")[0][:40])(
            request
        )
    )
    found = article(page_of(scored(tmp_path, variant("r"), analyst=analyst)))
    assert [bool(step.all("mark")) for step in found.all("section", class_="step")] == [True] * 6
