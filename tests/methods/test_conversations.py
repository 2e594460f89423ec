"""The methods that go from step to step in conversations, with replies that were worked out by hand."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from booklets import booklet, cgpst
from booklets import case as cgpst_case
from creaeval.data import Response, make_step
from creaeval.methods import Case
from creaeval.methods.raw import conversation_system
from scripted import ScriptedModel, fill, text_of
from uses import shared_case, three_uses

from .canaries import STEPS, case
from .support import scored

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from creaeval.llm import ChatRequest
    from creaeval.methods import Outcome

# What scorers 1, 2 and 3 give in each step, and what they give when they look again.
FIRST = {"first": (1, 2, 3), "second": (4, 5, 6), "third": (7, 8, 9)}
AGAIN = {"first": (2, 3, 4), "second": (0, 1, 5), "third": (6, 0, 8)}
CHOICES = {"first": (2,), "second": (1,), "third": (3,)}
MERGED = {"first": (5, 6), "second": (7, 8), "third": (9, 1)}


def sheet(step: str, points: int) -> str:
    return json.dumps({step: {"depth": points, "overall": points}})


def candidate(step: str, points: int) -> str:
    """A candidate as it is shown to whoever chooses or merges."""
    return sheet(step, points).replace(" ", "")


def scorer_of(request: ChatRequest) -> int:
    """Which scorer is asked, from 0: their words are the same, their seeds follow each other."""
    return (request.settings.seed or 1) - 1


def is_again(request: ChatRequest) -> bool:
    return request.messages[-1].text.startswith(("Check your scores", "Consider your choice"))


def script(choices: Mapping[str, Sequence[int]] = CHOICES) -> Callable[[ChatRequest], str]:
    """Answer as the tables above say."""

    def answer(request: ChatRequest) -> str:
        step = request.schema_name.partition("_")[0]
        if request.schema_name.endswith("_choice"):
            return json.dumps({"choice": choices[step][is_again(request)]})
        if "You merge" in request.system:
            return sheet(step, MERGED[step][is_again(request)])
        return sheet(step, (AGAIN if is_again(request) else FIRST)[step][scorer_of(request)])

    return answer


def run(folder: Path, method: str, **options: Any) -> tuple[Outcome, ScriptedModel]:
    judge = ScriptedModel("scripted:judge", answer=script(**options))
    outcome = scored(case(), folder, None, [judge], method)
    assert not outcome.failures
    return outcome, judge


def points(outcome: Outcome) -> list[float | None]:
    (found,) = outcome.sheets
    return [found.final(f"{step}.depth") for step in STEPS]


def part(judge: ScriptedModel, step: str, words: str, *, again: bool = False) -> list[ChatRequest]:
    """Requests about a step by words of their instructions, first or second time."""
    return [
        request
        for request in judge.requests
        if request.schema_name.startswith(f"{step}_")
        and words in request.system
        and is_again(request) == again
    ]


def said(request: ChatRequest) -> list[str]:
    """What the model itself said before in the conversation."""
    return [message.text for message in request.messages if message.role == "assistant"]


def test_cot_takes_every_steps_points_into_one_sheet(tmp_path: Path) -> None:
    outcome, judge = run(tmp_path, "cot")
    assert points(outcome) == [1, 4, 7]
    (found,) = outcome.sheets
    # Nobody writes a total, which follows from the steps: 1 + 4 + 7.
    assert (found.total, found.written_total) == (12, None)
    assert [said(request) for request in judge.requests] == [
        [],
        [sheet("first", 1)],
        [sheet("first", 1), sheet("second", 4)],
    ]
    assert len({request.system for request in judge.requests}) == 1


def test_only_the_accepted_reply_goes_on_and_word_for_word(tmp_path: Path) -> None:
    accepted = f"Gladly!\n```json\n{sheet('second', 5)}\n```\n"

    def answer(request: ChatRequest) -> str:
        step = request.schema_name.partition("_")[0]
        if step != "second":
            return sheet(step, 1)
        tries = sum(one.schema_name == request.schema_name for one in judge.requests)
        return accepted if tries == 3 else sheet(step, 70 + tries)

    judge = ScriptedModel("scripted:judge", answer=answer)
    outcome = scored(case(), tmp_path, None, [judge], "cot")
    assert points(outcome) == [1, 5, 1]
    last = judge.requests[-1]
    assert said(last) == [sheet("first", 1), accepted]
    assert "71" not in text_of(last)
    assert "72" not in text_of(last)
    assert "not be used" not in text_of(last)
    assert [message.role for message in last.messages] == ["user", "assistant"] * 2 + ["user"]


def test_a_cot_turn_holds_scenario_rubric_form_and_text_of_its_step_alone(tmp_path: Path) -> None:
    judge = ScriptedModel("scripted:judge")
    (found,) = scored(cgpst_case(), tmp_path, None, [judge], "cot").sheets
    assert len(found.steps) == 6
    for request, step in zip(judge.requests, cgpst().steps, strict=True):
        turn = request.messages[-1].text
        assert "It is 2044." in turn
        assert re.findall(r"^## (step\d): ", turn, re.MULTILINE) == [step.id]
        assert re.findall(r"wrote for (step\d): ", turn) == [step.id]
        assert ("Categories: " in turn) == (step.items is not None and step.items.categories)
        assert list(request.schema["properties"]) == [step.id]
        assert "\n\n\n" not in turn


def test_blank_items_and_the_grid_are_on_the_sheet_of_a_conversation(tmp_path: Path) -> None:
    judge = ScriptedModel("scripted:judge")
    (found,) = scored(cgpst_case(), tmp_path, None, [judge], "cot").sheets
    (direct,) = scored(cgpst_case(), tmp_path, None, [ScriptedModel("scripted:judge")], "direct").sheets
    # The script gives both the lowest points everywhere; only the total is not asked for step by step.
    assert found == direct.model_copy(update={"written_total": None})
    step = found.step("step1")
    assert step is not None
    assert step.items[6].invalid == "blank"
    assert found.final("step5.correctly_used") == 4
    assert booklet().steps["step1"].items[6].blank


def brick() -> Case:
    """Three uses of a brick that share a call, the second of them blank."""
    return shared_case(three_uses())


def points_of_uses(*points: int) -> str:
    """Points of the two uses that are not blank."""
    items = {f"item_{n}": {"originality": one} for n, one in zip((1, 3), points, strict=True)}
    return json.dumps({"uses": {"items": items}})


def test_cot_on_a_task_of_one_step_reasons_in_one_call_and_scores_in_the_next(tmp_path: Path) -> None:
    reasoning = json.dumps({"reasoning": "The drum is remote and clever. " * 200})

    def answer(request: ChatRequest) -> str:
        return reasoning if request.schema_name == "uses_reasoning" else points_of_uses(1, 5)

    judge = ScriptedModel("scripted:judge", answer=answer)
    (found,) = scored(brick(), tmp_path, None, [judge], "cot").sheets
    assert [item.scores for item in found.steps[0].items] == [{"originality": 1}, {}, {"originality": 5}]
    first, second = judge.requests
    assert (first.schema_name, second.schema_name) == ("uses_reasoning", "uses_scores")
    # As long as it takes: no bound is in the form, and 6,200 characters are accepted.
    assert list(first.schema["properties"]) == ["reasoning"]
    assert "maxLength" not in first.schema["properties"]["reasoning"]
    assert said(first) == []
    assert said(second) == [reasoning]
    assert second.messages[:-1] == (*first.messages, second.messages[-2])
    assert first.system == second.system


def test_the_turn_that_asks_for_reasoning_asks_for_no_points_and_the_next_for_nothing_else(
    tmp_path: Path,
) -> None:
    judge = ScriptedModel("scripted:judge")
    scored(brick(), tmp_path, None, [judge], "cot")
    first, second = (request.messages[-1].text for request in judge.requests)
    assert "give no points yet. Take one use after another." in first
    assert "originality (Originality), 1-5 for each use." in first
    assert "item_1: a doorstop\nitem_3: a drum" in first
    assert '"originality": 1-5' not in first
    assert '"originality": 1-5' in second
    assert "a drum" not in second


def test_reasoning_without_words_is_asked_for_again(tmp_path: Path) -> None:
    def answer(request: ChatRequest) -> str:
        if request.schema_name != "uses_reasoning":
            return points_of_uses(2, 3)
        return json.dumps({"reasoning": "…" if len(judge.requests) == 1 else "Both are common."})

    judge = ScriptedModel("scripted:judge", answer=answer)
    outcome = scored(brick(), tmp_path, None, [judge], "cot")
    assert (len(outcome.sheets), len(judge.requests)) == (1, 3)
    assert said(judge.requests[-1]) == ['{"reasoning": "Both are common."}']


def test_nothing_speaks_of_several_steps_where_there_is_one(tmp_path: Path) -> None:
    for method in ("cot", "table-full"):
        judge = ScriptedModel("scripted:judge")
        scored(brick(), tmp_path, None, [judge], method)
        # A level of the rubric calls a use "a small step from everyday use".
        words = re.findall(r".*\bsteps?\b.*", "\n".join(map(text_of, judge.requests)))
        assert {line.strip()[:2] for line in words} == {"2:"}
        assert not any("each message" in request.system for request in judge.requests)
    whole = case()
    kept = {"second": whole.response.steps["second"]}
    part = Case(whole.task, whole.response.model_copy(update={"steps": kept}), whole.scenario)
    for name in ("turns", "selector", "merger"):
        assert re.search("[Ee]arlier|each message", conversation_system(whole, name))
        assert not re.search("[Ee]arlier|[Ee]ach message", conversation_system(part, name))


def test_a_response_with_one_step_of_several_is_scored_by_cot_as_the_others_are(tmp_path: Path) -> None:
    whole = case()
    kept = {"second": whole.response.steps["second"]}
    part = Case(whole.task, whole.response.model_copy(update={"steps": kept}), whole.scenario)
    judge = ScriptedModel("scripted:judge")
    scored(part, tmp_path, None, [judge], "cot")
    assert [request.schema_name for request in judge.requests] == ["second_scores"]


COLUMNS = json.dumps({"columns": [{"name": "Depth", "question": "How deep does it go?"}]})


def table(points: Sequence[int]) -> str:
    """A table with a row for each step's only dimension."""
    rows = {
        step: {"depth": {"analysis": f"Row {step}.", "points": one}, "overall": one}
        for step, one in zip(STEPS, points, strict=True)
    }
    return json.dumps({**rows, "total": sum(points)})


def test_table_full_designs_fills_in_and_verifies_in_one_conversation(tmp_path: Path) -> None:
    replies = [COLUMNS, table((1, 4, 7)), table((1, 5, 9))]
    judge = ScriptedModel("scripted:judge", answer=lambda _: replies[len(judge.requests) - 1])
    outcome = scored(case(), tmp_path, None, [judge], "table-full")
    # The verified table counts, in which the second and the third row differ.
    assert points(outcome) == [1, 5, 9]
    assert (outcome.sheets[0].total, outcome.sheets[0].written_total) == (15, 15)
    assert outcome.trail == ("scripted:judge: verification changed 2 of 3 points",)
    assert [said(request) for request in judge.requests] == [[], replies[:1], replies[:2]]
    columns, rows, again = judge.requests
    assert (columns.schema_name, rows.schema_name, again.schema_name) == (
        "judge_columns",
        "judge_scores",
        "judge_scores",
    )
    assert rows.schema == again.schema
    assert "maxLength" not in json.dumps(columns.schema)
    assert len({request.system for request in judge.requests}) == 1


def test_table_full_asks_for_the_same_table_as_table(tmp_path: Path) -> None:
    full, plain = ScriptedModel("scripted:full"), ScriptedModel("scripted:plain")
    scored(cgpst_case(), tmp_path, None, [full], "table-full")
    scored(cgpst_case(), tmp_path, None, [plain], "table")
    assert full.requests[-1].schema == plain.requests[0].schema
    assert all("\n\n\n" not in text_of(request) for request in full.requests)


def test_the_trail_says_which_repeats_verification_changed_how_many_points(tmp_path: Path) -> None:
    def answer(request: ChatRequest) -> str:
        if request.schema_name == "judge_columns":
            return COLUMNS
        given = (2, 4) if len(request.messages) == 3 or request.settings.seed == 1 else (2, 5)
        items = {
            f"item_{n}": {"originality": {"analysis": "Rare.", "points": one}}
            for n, one in zip((1, 3), given, strict=True)
        }
        return json.dumps({"uses": {"items": items}})

    judge = ScriptedModel("scripted:judge", answer=answer)
    outcome = scored(brick(), tmp_path, None, [judge], "table-full", judge_repeats=2)
    assert [[item.scores for item in found.steps[0].items] for found in outcome.sheets] == [
        [{"originality": 2}, {}, {"originality": 4}],
        [{"originality": 2}, {}, {"originality": 5}],
    ]
    assert outcome.trail == (
        "scripted:judge (repeat 1): verification changed 0 of 2 points",
        "scripted:judge (repeat 2): verification changed 1 of 2 points",
    )


def test_an_item_that_verification_finds_invalid_loses_all_its_points(tmp_path: Path) -> None:
    step = cgpst().step("step1")
    written = make_step(step, ["Fog fails", "Debt grows"])
    response = Response(id="r", steps={"step1": written})

    def answer(request: ChatRequest) -> str:
        if request.schema_name == "judge_columns":
            return COLUMNS
        reply = fill(request.schema, request.schema_name)
        if len(request.messages) == 5:
            reply["step1"]["items"]["item_2"] = {"valid": "why"}
        return json.dumps(reply)

    judge = ScriptedModel("scripted:judge", answer=answer)
    outcome = scored(Case(cgpst(), response, None), tmp_path, None, [judge], "table-full")
    # Fluency, elaboration and originality of two items, and the step's flexibility; three of an item go.
    assert outcome.trail == ("scripted:judge: verification changed 3 of 7 points",)
    assert outcome.sheets[0].steps[0].items[1].invalid == "why"


@pytest.mark.parametrize("method", ["tot", "tot-selected"])
def test_the_chosen_candidates_make_the_sheet_and_the_trail_names_them(tmp_path: Path, method: str) -> None:
    outcome, _ = run(tmp_path, method)
    # Candidate 2 of (1, 2, 3), 1 of (4, 5, 6), 3 of (7, 8, 9).
    assert points(outcome) == [2, 4, 9]
    assert outcome.sheets[0].total == 15
    assert outcome.trail == (
        "scripted:judge, first: candidate 2 of 3",
        "scripted:judge, second: candidate 1 of 3",
        "scripted:judge, third: candidate 3 of 3",
    )


def test_the_selector_sees_the_three_candidates_of_its_step_in_order(tmp_path: Path) -> None:
    _, judge = run(tmp_path, "tot")
    for step in STEPS:
        (request,) = part(judge, step, "You choose")
        shown = re.findall(r"<candidate-\w+>\n(.*)\n</candidate", request.messages[-1].text)
        assert shown == [candidate(step, given) for given in FIRST[step]]
    assert said(request) == ['{"choice": 2}', '{"choice": 1}']


def test_a_scorer_of_tot_goes_on_from_its_own_candidates(tmp_path: Path) -> None:
    _, judge = run(tmp_path, "tot")
    own = {scorer_of(r): said(r) for r in part(judge, "third", "You are a scorer")}
    assert own == {
        n: [sheet("first", FIRST["first"][n]), sheet("second", FIRST["second"][n])] for n in range(3)
    }


def test_all_scorers_of_tot_selected_go_on_from_the_chosen_candidate(tmp_path: Path) -> None:
    _, judge = run(tmp_path, "tot-selected")
    third = part(judge, "third", "You are a scorer")
    # Candidate 2 of the first step, then candidate 1 of the second, and no other.
    assert [said(request) for request in third] == [[sheet("first", 2), sheet("second", 4)]] * 3
    assert sorted(map(scorer_of, third)) == [0, 1, 2]


def test_the_selector_of_got_sees_what_the_scorers_came_to_and_may_think_again(tmp_path: Path) -> None:
    choices = {"first": (1, 3), "second": (2, 2), "third": (3, 1)}
    outcome, judge = run(tmp_path, "got", choices=choices)
    # Candidate 3 of (2, 3, 4), 2 of (0, 1, 5), 1 of (6, 0, 8): the second choice counts.
    assert points(outcome) == [4, 1, 6]
    assert outcome.trail == (
        "scripted:judge, first: candidate 3 of 3 (1 at first)",
        "scripted:judge, second: candidate 2 of 3",
        "scripted:judge, third: candidate 1 of 3 (3 at first)",
    )
    (request,) = part(judge, "first", "You choose")
    shown = re.findall(r"<candidate-\w+>\n(.*)\n</candidate", request.messages[-1].text)
    assert shown == [candidate("first", given) for given in AGAIN["first"]]


def test_a_scorer_of_got_looks_again_at_its_own_points_in_its_own_conversation(tmp_path: Path) -> None:
    _, judge = run(tmp_path, "got", choices=dict.fromkeys(STEPS, (1, 1)))
    for request in part(judge, "second", "You are a scorer", again=True):
        n = scorer_of(request)
        given = [FIRST["first"][n], AGAIN["first"][n]]
        assert said(request) == [*(sheet("first", one) for one in given), sheet("second", FIRST["second"][n])]
        assert "raw-second" in request.messages[-3].text


def test_the_merged_and_improved_points_of_got_aggregate_count(tmp_path: Path) -> None:
    outcome, judge = run(tmp_path, "got-aggregate")
    assert points(outcome) == [6, 8, 1]
    assert outcome.trail == ()
    (request,) = part(judge, "second", "You merge")
    shown = re.findall(r"<candidate-\w+>\n(.*)\n</candidate", request.messages[-1].text)
    assert shown == [candidate("second", given) for given in AGAIN["second"]]
    (improved,) = part(judge, "second", "You merge", again=True)
    assert said(improved) == [sheet("first", 5), sheet("first", 6), sheet("second", 7)]


def test_a_merger_is_told_the_categories_where_items_are_sorted_and_a_selector_never_is(
    tmp_path: Path,
) -> None:
    for method, told in (("got-aggregate", {"step1", "step3"}), ("got", set())):
        judge = ScriptedModel("scripted:judge")
        scored(cgpst_case(), tmp_path, None, [judge], method)
        heads = [r for r in judge.requests if "head scorer" in r.system and not is_again(r)]
        seen = {r.schema_name[:5] for r in heads if "\nCategories: " in r.messages[-1].text}
        assert (len(heads), seen) == (6, told)
        assert all("\n\n\n" not in text_of(request) for request in heads)


def test_calls_are_labelled_by_what_they_are_for(tmp_path: Path) -> None:
    never = ScriptedModel("scripted:judge", answer=script(), invalid=lambda r: 99 * ("choose" in r.system))
    outcome = scored(case(), tmp_path, None, [never], "tot")
    assert "judge (response_id raw, part selector, step first)" in outcome.failures[0].reason
    broken = ScriptedModel("scripted:judge", answer=lambda r: "{}" if scorer_of(r) == 1 else script()(r))
    outcome = scored(case(), tmp_path / "scorer", None, [broken], "tot")
    assert "judge (response_id raw, part scorer 2, step first)" in outcome.failures[0].reason
    # The others' calls are waited for, so none is left under way.
    assert len(broken.requests) == 2 + 4


def test_the_trail_tells_judges_and_repeats_apart(tmp_path: Path) -> None:
    def answer(request: ChatRequest) -> str:
        if request.schema_name.endswith("_choice"):
            return json.dumps({"choice": request.settings.seed})
        return sheet(request.schema_name.partition("_")[0], (request.settings.seed or 0))

    judges = [ScriptedModel(f"scripted:{name}", answer=answer) for name in "ba"]
    outcome = scored(case(), tmp_path, None, judges, "tot", judge_repeats=2)
    assert outcome.trail[:4] == (
        "scripted:b (repeat 1), first: candidate 1 of 3",
        "scripted:b (repeat 1), second: candidate 1 of 3",
        "scripted:b (repeat 1), third: candidate 1 of 3",
        "scripted:b (repeat 2), first: candidate 2 of 3",
    )
    # Repeat 1 has scorers with the seeds 1 to 3 and takes the first; repeat 2 those with 4 to 6, the second.
    assert [(s.scorer, s.judge_repeat, s.final("first.depth")) for s in outcome.sheets] == [
        ("scripted:b", 1, 1),
        ("scripted:b", 2, 5),
        ("scripted:a", 1, 1),
        ("scripted:a", 2, 5),
    ]


@pytest.mark.parametrize("given", ['{"choice": 0}', '{"choice": 4}', '{"choice": true}', '{"choice": [2]}'])
def test_a_choice_that_is_none_of_the_three_is_refused(tmp_path: Path, given: str) -> None:
    def answer(request: ChatRequest) -> str:
        return given if request.schema_name.endswith("_choice") else script()(request)

    outcome = scored(case(), tmp_path, None, [ScriptedModel("scripted:judge", answer=answer)], "tot")
    assert outcome.sheets == ()
    assert "choice" in outcome.failures[0].reason


@pytest.mark.parametrize("given", ['{"choice": "2"}', '```\n{"choice": 2}\n```', " {'choice': 2}\n"])
def test_a_choice_in_other_clothes_is_understood(tmp_path: Path, given: str) -> None:
    def answer(request: ChatRequest) -> str:
        return given if request.schema_name.endswith("_choice") else script()(request)

    outcome = scored(case(), tmp_path, None, [ScriptedModel("scripted:judge", answer=answer)], "tot")
    assert points(outcome) == [2, 5, 8]
