"""What an experiment will take: calls as announced, tokens about as recorded, and their price."""

from __future__ import annotations

import asyncio
import json
import random
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import pytest
from pydantic import AfterValidator

import booklets
import creaeval
from creaeval.data import Response, make_step
from creaeval.demo import demo_file
from creaeval.errors import PermanentCallError, SettingError
from creaeval.experiments.estimate import CellEstimate, EstimatedCall, estimate_cell, total
from creaeval.experiments.pretend import estimate_tokens, fill_form
from creaeval.llm import Ledger, Prompt
from creaeval.llm.prices import Price
from creaeval.methods import Case, Method, Outcome, Roles, list_methods, registry
from creaeval.methods.panel import score_by_all
from creaeval.runs import Plan, make_plan
from creaeval.sheets.replies import Reply
from creaeval.tasks import Scenario, load_task
from scripted import ScriptedModel, echo
from uses import use

if TYPE_CHECKING:
    from pathlib import Path

    from creaeval.llm import Ask
    from creaeval.sheets import ScoreSheet

# Those with judges of their own kind alone are not of hosted models, and cost nothing.
METHODS = {method.name: method for method in list_methods() if not method.provider}
STEPWISE = [name for name, method in METHODS.items() if method.several_steps]
TASKS = ("cgpst", "aut", "ttcw")
# `reference` compares by yes/no tests, which only the stories have; others may need several steps.
FITTING = [
    (name, task)
    for name in METHODS
    for task in TASKS
    if not (name == "reference" and task != "ttcw") and not (name in STEPWISE and task != "cgpst")
]


class Priced(ScriptedModel):
    """A model that costs 2 dollars a million tokens asked and 10 answered."""

    free = False
    price: ClassVar[Price | None] = Price(input=2.0, cached=0.5, output=10.0)


class Unpriced(ScriptedModel):
    """A model whose price nobody knows."""

    free = False


def responses_to(task: str) -> tuple[list[Response], dict[str, Scenario]]:
    """A few responses to a built-in task, and what they answer."""
    if task == "cgpst":
        return [booklets.booklet(), booklets.marked("other", "delta")], dict(booklets.scenarios())
    step = load_task(task).steps[0]
    if task == "aut":
        return [
            use("u1", "a doorstop", participant="p"),
            use("u2", "", participant="p"),
            use("u3", "a drum", participant="p"),
        ], {}
    story = make_step(step, "She counted the boats again, and there was one too many.")
    plot = Scenario(id="sea", text="A town by the sea.", reference="The harbour had always had seven boats.")
    return [Response(id="story", scenario="sea", steps={step.id: story})], {"sea": plot}


def plan_of(method: str = "creaeval", task: str = "cgpst", **options: Any) -> Plan:
    responses, scenarios = responses_to(task)
    given = {
        "task": load_task(task),
        "responses": responses,
        "scenarios": scenarios,
        "analyst": ScriptedModel("scripted:analyst"),
        "judges": [ScriptedModel("scripted:judge")],
        "method": method,
        **options,
    }
    return make_plan(**given)


@pytest.mark.parametrize(("method", "task"), FITTING)
def test_calls_are_those_that_the_method_announces(method: str, task: str) -> None:
    one = plan_of(method, task)
    assert estimate_cell(one).n_calls == one.n_calls
    repeats = {"judge_repeats": 2, "evidence_repeats": 2 if METHODS[method].uses_analyst else 1}
    judges = [ScriptedModel("scripted:one"), ScriptedModel("scripted:two")]
    several = plan_of(method, task, judges=judges, **repeats)
    estimate = estimate_cell(several)
    assert estimate.n_calls == several.n_calls
    assert estimate.notes == ()
    assert all(model.requests == [] for model in judges)


def test_each_call_of_the_recorded_booklet_is_estimated_about_as_long_as_it_was() -> None:
    with demo_file("recording.jsonl") as path:
        recorded = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    model = ScriptedModel("local", identity=recorded[0]["identity"])
    plan = plan_of(responses=[booklets.booklet()], analyst=model, judges=[model])
    estimated = list(estimate_cell(plan).calls.values())
    assert len(estimated) == len(recorded) == 7
    for call, real in zip(estimated, recorded, strict=True):
        # The estimate goes by the advised lengths; the small model's memories copy whole sentences instead.
        assert call.input_tokens == pytest.approx(real["input_tokens"], rel=0.16)
        assert call.output_tokens == pytest.approx(real["output_tokens"], rel=0.4)
    # Where there is no memory yet, nothing but the ratios of letters to tokens counts.
    assert estimated[0].input_tokens == pytest.approx(recorded[0]["input_tokens"], rel=0.03)
    for kind in ("input_tokens", "output_tokens"):
        known = sum(real[kind] for real in recorded)
        assert sum(getattr(call, kind) for call in estimated) == pytest.approx(known, rel=0.16)


def test_a_schema_counts_as_prompt_where_no_grammar_takes_its_place() -> None:
    hosted = ScriptedModel("h", identity={"provider": "openai", "model": "h"})
    local = ScriptedModel("h", identity={"provider": "local", "model": "h"})
    more, less = (estimate_cell(plan_of("direct", judges=[model])).input_tokens for model in (hosted, local))
    assert more > less


def test_tokens_follow_from_the_ratios_that_are_stated() -> None:
    # 47 letters and spaces / 4.7; 17 other signs / 1.7; a letter of another script is a token.
    assert estimate_tokens("a" * 40 + "é" * 3 + " \n  ") == 10
    assert estimate_tokens('{"1": 234}'.replace(" ", "") + "56789012") == 10
    assert estimate_tokens("霧の水") == 3
    assert estimate_tokens("туман") == 5
    assert estimate_tokens("") == 0


def test_money_is_tokens_by_price_and_nothing_for_free_models() -> None:
    plan = plan_of(judges=[Priced("p")])
    estimate = estimate_cell(plan)
    judged = [call for call in estimate.calls.values() if call.role == "judge"]
    assert len(judged) == 2
    by_hand = sum(call.input_tokens * 2 + call.output_tokens * 10 for call in judged) / 1e6
    assert estimate.cost_usd == pytest.approx(by_hand)
    assert estimate_cell(plan_of()).cost_usd == 0


def test_money_is_unknown_where_a_price_is_and_the_model_is_named() -> None:
    estimate = estimate_cell(plan_of(judges=[Priced("p"), Unpriced("u")]))
    assert (estimate.cost_usd, estimate.unpriced) == (None, ("u",))
    assert estimate.priced_usd == pytest.approx(estimate_cell(plan_of(judges=[Priced("p")])).cost_usd)


def test_what_cells_share_counts_once_and_what_differs_counts_apart() -> None:
    booklet: dict[str, Any] = {"responses": [booklets.booklet()]}
    base = estimate_cell(plan_of(**booklet))
    other_judge = estimate_cell(plan_of(**booklet, judges=[ScriptedModel("scripted:two")]))
    # Six steps are read once, and two judges are asked.
    assert total([base, other_judge]).n_calls == 8
    other_analyst = estimate_cell(plan_of(**booklet, analyst=ScriptedModel("scripted:a2")))
    assert total([base, other_analyst]).n_calls == 14
    # Without memories only the first step is asked alike.
    assert total([base, estimate_cell(plan_of("no-memory", **booklet))]).n_calls == 13
    warmer = estimate_cell(plan_of(**booklet, settings={"judge.temperature": 0.9}))
    assert total([base, warmer]).n_calls == 8
    assert total([base, base]) == base
    assert total([]) == CellEstimate({})


def test_evidence_gathered_once_more_is_judged_anew_also_without_a_seed() -> None:
    plan = plan_of(evidence_repeats=2, settings={"seed": "default"})
    assert estimate_cell(plan).n_calls == plan.n_calls == 28


def test_calls_that_a_stopped_run_made_are_not_counted_as_cost_and_the_ledger_stays(tmp_path: Path) -> None:
    responses, scenarios = responses_to("cgpst")
    path = tmp_path / "l.db"
    # The analyst says other things of the second booklet, or its judge's question would be asked already.
    models: dict[str, Any] = {"analyst": Priced("a", answer=echo("delta|fog")), "judges": [Priced("j")]}
    creaeval.score(responses[:1], scenarios=scenarios, ledger=path, **models)
    no_judge = {"judges": [Priced("j", fails=lambda _: PermanentCallError("no credit"))]}
    with pytest.raises(PermanentCallError):
        creaeval.score(responses[1:], scenarios=scenarios, ledger=path, **{**models, **no_judge})
    with Ledger.open(path) as ledger:
        before = ledger.overview()
        estimate = estimate_cell(plan_of(**models), ledger=ledger)
        assert ledger.overview() == before
    # All seven calls of the first booklet, the six of the analyst of the second.
    assert (estimate.n_calls, estimate.n_made) == (14, 13)
    (left,) = [call for call in estimate.calls.values() if not call.made]
    assert (left.role, estimate.cost_usd) == ("judge", left.cost_usd)
    assert (estimate.input_tokens, estimate.output_tokens) == (left.input_tokens, left.output_tokens)


def test_no_file_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    estimate_cell(plan_of())
    assert list(tmp_path.iterdir()) == []


def test_many_responses_are_scaled_up_from_some_and_the_note_says_so() -> None:
    many = [booklets.marked(f"r{n:02}", f"token{n:02}") for n in range(30)]
    plan = plan_of(responses=many)
    estimate = estimate_cell(plan, most_cases=3)
    assert len(estimate.calls) == 21
    assert estimate.n_calls == plan.n_calls == 210
    assert estimate.notes == ("Scaled up from 3 of the responses to 30.",)
    whole = estimate_cell(plan, most_cases=30)
    assert whole.notes == ()
    # They are equally long but for their marks; only the pretended replies differ a little.
    assert estimate.input_tokens == pytest.approx(whole.input_tokens, rel=0.01)
    cell_with_another_judge = plan_of(responses=many, judges=[ScriptedModel("scripted:two")])
    both = total([estimate, estimate_cell(cell_with_another_judge, most_cases=3)])
    assert both.n_calls == 30 * (6 + 2)


def test_one_response_stands_for_as_many_as_are_asked_for() -> None:
    plan = plan_of(responses=[booklets.booklet()], judges=[Priced("p")])
    one, thousand = estimate_cell(plan), estimate_cell(plan, 1000)
    assert thousand.n_calls == 7000
    assert thousand.input_tokens == 1000 * one.input_tokens
    assert one.cost_usd is not None
    assert thousand.cost_usd == pytest.approx(1000 * one.cost_usd)
    assert thousand.notes == ("Scaled up from 1 of the responses to 1000.",)


def test_calls_made_for_an_example_are_not_made_for_those_it_stands_for(tmp_path: Path) -> None:
    responses, scenarios = responses_to("cgpst")
    models: Any = {"method": "direct", "judges": [Priced("j")]}
    path = tmp_path / "l.db"
    creaeval.score(responses[:1], scenarios=scenarios, ledger=path, **models)
    plan = make_plan(
        task=load_task("cgpst"), responses=responses[:1], scenarios=scenarios, analyst=None, **models
    )
    with Ledger.open(path) as ledger:
        assert estimate_cell(plan, ledger=ledger).n_made == 1
        estimate = estimate_cell(plan, 200, ledger=ledger)
    assert (estimate.n_calls, estimate.n_made) == (200, 0)
    assert estimate.cost_usd == pytest.approx(200 * (estimate_cell(plan).cost_usd or 0.0))


def test_rates_are_not_waited_for_and_a_running_loop_does_not_matter() -> None:
    # At one request a minute, seven calls would take six.
    plan = plan_of(responses=[booklets.booklet()], settings={"requests_per_minute": 1})

    async def in_a_notebook() -> CellEstimate:
        return estimate_cell(plan)

    assert asyncio.run(in_a_notebook()).n_calls == 7


def test_reasoning_is_named_as_not_counted() -> None:
    estimate = estimate_cell(plan_of(settings={"judge.reasoning": "low"}))
    assert estimate.notes == (
        "The reasoning of scripted:judge is not counted: how much it will be is not known.",
    )


def test_a_number_that_makes_no_sense_and_a_plan_without_cases_are_refused() -> None:
    with pytest.raises(SettingError, match="responses to estimate: found 0, expected 1 or more"):
        estimate_cell(plan_of(), 0)
    empty = Response(id="empty", scenario="fog_water", steps={})
    nothing = plan_of(responses=[empty])
    assert estimate_cell(nothing).n_calls == 0
    with pytest.raises(SettingError, match="no response to go by"):
        estimate_cell(nothing, 10)


def test_a_method_that_cannot_use_made_up_replies_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(word: str) -> str:
        raise ValueError("expected the word")

    class Exacting(Reply):
        """Takes no word."""

        word: Annotated[str, AfterValidator(refuse)]

    async def score(case: Case, roles: Roles) -> Outcome:
        async def one(judge: Ask, repeat: int) -> ScoreSheet:
            prompt = Prompt("Say the word.", case.response.id)
            label = {"response_id": case.response.id, "step": "judge"}
            await judge(prompt, Exacting, schema_name="word", label=label, repeat=repeat)
            raise AssertionError("no reply is usable")

        sheets, failures = await score_by_all(roles, one)
        return Outcome(response_id=case.response.id, sheets=tuple(sheets), failures=tuple(failures))

    method = Method("exacting", score, "", lambda *_: 1, uses_analyst=False)
    monkeypatch.setitem(registry._methods, "exacting", method)
    (note,) = estimate_cell(plan_of("exacting", responses=[booklets.booklet()])).notes
    assert "exacting could not use the replies that stand for a model's in 1 of 1 responses" in note


def test_forms_of_any_kind_are_filled_in() -> None:
    schema = {
        "type": "object",
        "properties": {
            "quotes": {"type": "array", "items": {"type": "string", "maxLength": 110}, "maxItems": 2},
            "observation": {"type": "string"},
            "memory": {"type": "string", "maxLength": 400},
            "short": {"type": "string", "maxLength": 5},
            "why_not": {"type": "string"},
            "same_as": {"type": "array", "items": {"enum": ["item_1", "item_2"]}},
            "points": {"type": "integer", "minimum": 1, "maximum": 5},
            "share": {"type": "number", "minimum": 0, "maximum": 1},
            "sure": {"type": "boolean"},
            "why": {"anyOf": [{"const": "yes"}, {"type": "null"}]},
            "kind": {"enum": ["a", "b"]},
            "unknown": {},
        },
    }
    words = {"observation": 45, "quotes": 10, "memory": 12}
    reply = fill_form(schema, random.Random(1), words=words)  # noqa: S311 - no secret
    assert len(reply["quotes"]) == 1
    assert len(reply["quotes"][0].split()) == 10
    assert len(reply["observation"].split()) == 45
    # A line of 12 words for each of four main points, and no more than the bound on decoding.
    assert len(reply["memory"].split()) == 48
    assert len(reply["why_not"].split()) == 25
    assert reply["same_as"] == []
    assert len(reply["short"]) <= 5
    # The middle of 1 to 5 is 3.
    assert reply["points"] in (3, 4)
    assert reply["share"] in (0, 1)
    assert (reply["sure"], reply["why"], reply["unknown"]) == (True, "yes", None)
    assert reply["kind"] in ("a", "b")


def test_a_shared_call_that_is_scaled_differently_counts_as_often_as_the_larger_cell_has_it() -> None:
    few, many = (EstimatedCall("analyst", "a", 100, 10, 0.5, times=times) for times in (2.0, 3.0))
    both = total([CellEstimate({"k": many}), CellEstimate({"k": few})])
    assert (both.n_calls, both.input_tokens, both.cost_usd) == (3, 300, 1.5)
