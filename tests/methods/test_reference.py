"""The comparison with a reference: averages worked out by hand, and what is never compared."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from booklets import case as cgpst_case
from creaeval.data import Response, make_step, read_scenarios
from creaeval.errors import DataError, SettingError
from creaeval.methods import Case, Options, get_method
from creaeval.methods.reference import comparison_prompt
from creaeval.tasks import Scenario, load_task
from scripted import ScriptedModel

from .canaries import PLOT, STEPS, case, task
from .support import scored

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from creaeval.llm import ChatRequest

# The rating of the response after the reference, then that of the reference after the response.
RATINGS = {
    "better": ("slightly better", "slightly worse"),  # (1 + 1) / 2 = 1
    "nearly": ("slightly better", "significantly better"),  # (1 - 2) / 2 = -0.5
    "alike": ("same", "same"),  # 0
    "worse": ("significantly worse", "significantly better"),  # (-2 - 2) / 2 = -2
    "leaning": ("slightly better", "slightly better"),  # always the second text: (1 - 1) / 2 = 0
    "above": ("significantly better", "slightly better"),  # (2 - 1) / 2 = 0.5
}
RIGHT = {"better": 1, "nearly": 0, "alike": 1, "worse": 0, "leaning": 1, "above": 1}


def story(plot: Scenario | None = PLOT, tests: Sequence[str] = tuple(RATINGS)) -> Case:
    return case(task(STEPS[:1], scale="0-1", dimensions=tests), plot=plot)


def reference_first(request: ChatRequest) -> bool:
    text = request.messages[-1].text
    return text.index("reference-word") < text.index("raw-first")


def judge() -> ScriptedModel:
    def answer(request: ChatRequest) -> str:
        after_reference, after_response = RATINGS[request.schema_name.removesuffix("_comparison")]
        rating = after_reference if reference_first(request) else after_response
        return json.dumps({"analysis": "Both tell a story.", "rating": rating})

    return ScriptedModel("scripted:judge", answer=answer)


def test_the_second_orders_sign_is_flipped_and_the_average_decides(tmp_path: Path) -> None:
    outcome = scored(story(), tmp_path, None, [judge()], "reference")
    (sheet,) = outcome.sheets
    assert {test: sheet.final(f"first.{test}") for test in RATINGS} == RIGHT
    assert (sheet.final("first.overall"), sheet.total, sheet.written_total) == (4, 4, None)
    assert [line.partition(" (")[0] for line in outcome.trail] == [
        "scripted:judge, first.better: +1",
        "scripted:judge, first.nearly: -0.5",
        "scripted:judge, first.alike: +0",
        "scripted:judge, first.worse: -2",
        "scripted:judge, first.leaning: +0",
        "scripted:judge, first.above: +0.5",
    ]


@pytest.mark.parametrize(
    ("cutoff", "passed"),
    [
        (-2, {"better", "nearly", "alike", "worse", "leaning", "above"}),
        (-0.5, {"better", "nearly", "alike", "leaning", "above"}),
        (0.5, {"better", "above"}),
        (0.75, {"better"}),
        (1.5, set()),
    ],
)
def test_the_cutoff_is_the_users(tmp_path: Path, cutoff: float, passed: set[str]) -> None:
    (sheet,) = scored(
        replace(story(), options=Options(reference_cutoff=cutoff)), tmp_path, None, [judge()], "reference"
    ).sheets
    assert {test for test in RATINGS if sheet.final(f"first.{test}")} == passed


def test_every_test_is_asked_twice_with_the_texts_the_other_way_round(tmp_path: Path) -> None:
    model = judge()
    scored(story(), tmp_path, None, [model], "reference")
    assert len(model.requests) == 2 * len(RATINGS)
    for test in RATINGS:
        one, other = (r for r in model.requests if r.schema_name == f"{test}_comparison")
        assert {reference_first(one), reference_first(other)} == {True, False}
        assert f"{test} (Name of {test}), 0-1" in one.messages[-1].text
        assert all(f"(Name of {name})" not in one.messages[-1].text for name in RATINGS if name != test)


def test_no_prompt_says_which_text_is_the_reference() -> None:
    the_case = story(Scenario(id="plot", text="A plot.", reference="Old words."))
    step = the_case.task.steps[0]
    for second in (True, False):
        prompt = comparison_prompt(the_case, step, step.dimensions[0], response_second=second)
        for word in ("reference", "respondent", "response", "candidate"):
            assert word not in (prompt.system + prompt.user).lower()


def test_the_tests_of_a_response_share_all_that_stands_before_the_rubric() -> None:
    the_case = story()
    step = the_case.task.steps[0]
    prompts = [comparison_prompt(the_case, step, d, response_second=True) for d in step.dimensions]
    shared = {(prompt.system, prompt.user.partition("# Rubric")[0]) for prompt in prompts}
    assert len(shared) == 1
    assert "raw-first" in shared.pop()[1]


@pytest.mark.parametrize(
    ("plot", "reason"),
    [
        (
            Scenario(id="p", text="A plot.", reference="Another.", reference_id="raw"),
            "is the reference of 'p'",
        ),
        (
            Scenario(id="p", text="A plot.", reference="Another.", reference_id=" RAW"),
            "is the reference of 'p'",
        ),
        (Scenario(id="p", text="A plot.", reference=" Some\nwords,  raw-first. "), "is the reference of 'p'"),
        (Scenario(id="p", text="A plot.", reference="“some words”, raw–first!"), "is the reference of 'p'"),
        (Scenario(id="p", text="A plot."), "answers 'p', which has no reference"),
        (Scenario(id="p", text="A plot.", reference=" \n"), "answers 'p', which has no reference"),
        (None, "names no plot"),
    ],
)
def test_what_cannot_be_compared_is_a_failure_without_a_call_and_never_a_score(
    tmp_path: Path, plot: Scenario | None, reason: str
) -> None:
    model = judge()
    outcome = scored(story(plot), tmp_path, None, [model], "reference")
    assert (outcome.sheets, model.requests) == ((), [])
    (failure,) = outcome.failures
    assert (failure.stage, failure.model) == ("input", "")
    assert reason in failure.reason
    assert get_method("reference").calls(story(plot), 1, 1, 1) == 0


@pytest.mark.parametrize(
    "unfit", [cgpst_case(), case(), case(task(scale="0-1")), case(task(STEPS[:1], scale="0-2"))]
)
def test_a_task_that_is_no_list_of_tests_stops_the_run_before_any_call(tmp_path: Path, unfit: Case) -> None:
    model = judge()
    with pytest.raises(SettingError, match=r"a single step whose dimensions all have scale 0-1"):
        scored(unfit, tmp_path, None, [model], "reference")
    with pytest.raises(SettingError, match=f"and task {unfit.task.id} is none"):
        get_method("reference").calls(unfit, 1, 1, 1)
    assert model.requests == []


def test_a_scenarios_file_brings_the_reference(tmp_path: Path) -> None:
    path = tmp_path / "plots.yaml"
    path.write_text(
        "P1:\n  text: A plot.\n  reference: |\n    A story.\n  reference_id: 7\n", encoding="utf-8"
    )
    expected = Scenario(id="P1", text="A plot.", reference="A story.\n", reference_id="7")
    assert read_scenarios(path) == {"P1": expected}
    assert read_scenarios(path)["P1"].reference_id == "7"
    path.write_text("P1: {text: A plot., reference: 3, reference_id: [x]}\n", encoding="utf-8")
    with pytest.raises(DataError) as caught:
        read_scenarios(path)
    assert "scenario 'P1', reference: found 3, expected a text." in str(caught.value)
    assert "scenario 'P1', reference_id: found the id ['x'], expected text." in str(caught.value)


def test_the_tests_of_ttcw_are_counted_in_their_groups(tmp_path: Path) -> None:
    ttcw = load_task("ttcw")
    (step,) = ttcw.steps
    better = {"narrative_ending", "narrative_pacing", "originality_in_form"}

    def answer(request: ChatRequest) -> str:
        test = request.schema_name.removesuffix("_comparison")
        second_is_better = (test in better) == reference_first(request)
        rating = "slightly better" if second_is_better else "slightly worse"
        return json.dumps({"analysis": "Both tell a story.", "rating": rating})

    model = ScriptedModel("scripted:judge", answer=answer)
    response = Response(id="1_GPT4", steps={"story": make_step(step, "raw-first")})
    outcome = scored(Case(ttcw, response, PLOT), tmp_path, None, [model], "reference")
    (sheet,) = outcome.sheets
    counts = [
        sheet.final(f"story.{name}") for name in ("fluency", "flexibility", "originality", "elaboration")
    ]
    assert (counts, sheet.total) == ([2, 0, 1, 0], 3)
    assert len(model.requests) == 28
