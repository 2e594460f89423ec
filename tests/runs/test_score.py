"""`creaeval.score` from Python: plans, runs, tables."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

import creaeval
from booklets import booklet, cgpst, marked, scenarios, scored, variant, without, write_inputs
from creaeval.data import Response, make_step
from creaeval.errors import DataError, SettingError
from creaeval.llm import Ledger, Settings
from creaeval.runs import RunStore, make_plan, prepare, unscored_items
from creaeval.runs.manifest import describe_plan
from creaeval.tasks import parse_task
from llm.support import KEY, hosted, without_keys
from loopback import Loopback
from scripted import ScriptedModel, echo, served, text_of

if TYPE_CHECKING:
    from pathlib import Path

    from creaeval.runs import Run


def test_responses_given_as_objects_are_scored(tmp_path: Path) -> None:
    run = scored(tmp_path, variant("a"), variant("b"))
    assert (run.state, run.n_failed) == ("finished", 0)
    assert [sheet.response_id for sheet in run.sheets] == ["a", "b"]


def test_files_and_objects_give_the_same_scores(tmp_path: Path) -> None:
    write_inputs(tmp_path, variant("a", group="x"))
    model = ScriptedModel()
    from_file = creaeval.score(
        tmp_path / "booklets.json",
        scenarios=tmp_path / "scenario.yaml",
        analyst=model,
        judges=[model],
        ledger=tmp_path / "file.db",
    )
    from_object = scored(tmp_path, variant("a", group="x"))
    pd.testing.assert_frame_equal(from_file.scores, from_object.scores)
    assert from_file.id == from_object.id


def test_scoring_works_inside_a_running_event_loop_as_in_a_notebook(tmp_path: Path) -> None:
    async def cell() -> Run:
        return scored(tmp_path, variant("a"))

    assert len(asyncio.run(cell()).sheets) == 1


def test_an_error_inside_a_running_event_loop_reaches_the_caller(tmp_path: Path) -> None:
    async def cell() -> Run:
        broken = ScriptedModel(fails=lambda _: SettingError("the model has no weights"))
        return scored(tmp_path, variant("a"), analyst=broken)

    with pytest.raises(SettingError, match="the model has no weights"):
        asyncio.run(cell())


def test_the_tables_have_number_columns_that_can_miss_values(tmp_path: Path) -> None:
    run = scored(tmp_path, variant("a", group="x"))
    kinds = {name: str(kind) for name, kind in run.scores.dtypes.items()}
    numbers = {"item": "Int64", "score": "Float64", "model_score": "Float64", "computed_score": "Float64"}
    assert {name: kinds[name] for name in numbers} == numbers
    wide = {str(kind) for kind in run.scores_wide.loc[:, "step1_fluency":"total"].dtypes}
    assert wide == {"Float64"}
    assert run.scores["item"].isna().sum() == 31


def test_the_tables_of_a_run_without_a_score_have_the_same_columns_and_no_row(tmp_path: Path) -> None:
    full, empty = (
        scored(tmp_path, variant("a", group="x")),
        scored(tmp_path, without(variant("b", group="x"), "step1")),
    )
    assert (len(empty.scores), len(empty.scores_wide), len(empty.failures)) == (0, 0, 1)
    assert list(empty.scores) == list(full.scores)
    assert list(empty.scores_wide) == list(full.scores_wide)
    assert str(empty.scores["score"].dtype) == "Float64"


def test_a_carried_column_named_like_one_of_ours_does_not_replace_it(tmp_path: Path) -> None:
    extra = {"score": "human 7", "judge": "Ms B", "total": "99", "input_score": "x", "group": "g"}
    run = scored(tmp_path, variant("a").model_copy(update={"metadata": extra}))
    assert set(run.scores["judge"]) == {"scripted:one"}
    assert set(run.scores["input_judge"]) == {"Ms B"}
    assert set(run.scores["input_input_score"]) == {"human 7"}
    assert set(run.scores["input_score"]) == {"x"}
    assert set(run.scores["total"]) == {"99"}
    assert run.scores_wide.loc[0, "total"] == 26
    assert run.scores_wide.loc[0, "input_total"] == "99"
    assert len(set(run.scores.columns)) == len(run.scores.columns)


def test_a_response_without_an_extra_column_that_others_have_misses_it(tmp_path: Path) -> None:
    run = scored(tmp_path, variant("a", group="x"), variant("b"))
    groups = run.scores_wide.set_index("response_id")["group"]
    assert groups["a"] == "x"
    assert pd.isna(groups["b"])


def test_two_judges_are_both_in_the_scores_on_the_same_evidence(tmp_path: Path) -> None:
    strict = ScriptedModel("scripted:strict")
    kind = ScriptedModel("scripted:kind", values={"cgpst_scores.step2.focus": 9})
    run = scored(tmp_path, variant("a"), judges=[strict, kind])
    focus = run.scores[run.scores["dimension"] == "step2.focus"].set_index("judge")["score"]
    assert focus.to_dict() == {"scripted:strict": 1, "scripted:kind": 9}
    assert strict.requests == kind.requests
    assert list(run.scores_wide["judge"]) == ["scripted:strict", "scripted:kind"]
    # Focus is 8 points apart, and nothing else is.
    assert list(run.scores_wide["total"]) == [26, 26 + 8]


def test_the_same_run_has_the_same_id_and_asks_nothing_again(tmp_path: Path) -> None:
    first, second = ScriptedModel(), ScriptedModel()
    runs = [scored(tmp_path, variant("a"), analyst=model, judges=model) for model in (first, second)]
    assert runs[0].id == runs[1].id
    assert (len(first.requests), len(second.requests)) == (7, 0)
    pd.testing.assert_frame_equal(runs[0].scores, runs[1].scores)
    with Ledger.open(tmp_path / "l.db") as ledger:
        assert len(RunStore(ledger).list()) == 1


def test_a_run_id_depends_on_all_that_decides_the_scores_and_on_nothing_else() -> None:
    def run_id(response: Response | None = None, **changes: Any) -> str:
        model = ScriptedModel()
        given = {"analyst": model, "judges": [model], **changes}
        return make_plan(
            task=cgpst(), responses=[response or booklet()], scenarios=scenarios(), **given
        ).run_id

    other = ScriptedModel("scripted:other")
    ids = [
        run_id(),
        run_id(variant("demo", {"step2": "How?"})),
        run_id(analyst=other),
        run_id(judges=[other]),
        run_id(settings={"temperature": 0.7}),
        run_id(settings={"judge.temperature": 0.7}),
        run_id(settings={"analyst.temperature": 0.7}),
        run_id(settings={"temperature": None}),
        run_id(settings={"seed": 2}),
        run_id(settings={"reasoning": "low"}),
        run_id(settings={"max_tokens": 100}),
        run_id(settings={"extra_body": {"top_k": 5}}),
        run_id(method="judge-sees-quotes"),
    ]
    assert len(set(ids)) == len(ids)
    assert run_id(booklet().model_copy(update={"source": "elsewhere.json"})) == ids[0]
    for same in (
        {},
        {"timeout": 1.0, "concurrency": 3, "requests_per_minute": 60, "judge.tokens_per_minute": 1000},
        {"temperature": 0.2, "analyst.seed": "1", "judge.max_tokens": "4096", "reasoning": "default"},
        {"extra_body": "{}"},
    ):
        assert run_id(settings=same) == ids[0]
    assert run_id(settings={"temperature": "0.7"}) == run_id(
        settings={"judge.temperature": 0.7, "temperature": 0.7}
    )
    assert all(len(one) == 10 for one in ids)


def test_each_role_is_asked_with_its_settings_and_the_record_says_which(tmp_path: Path) -> None:
    analyst, judge = ScriptedModel("scripted:a"), ScriptedModel("scripted:j")
    picky = ScriptedModel("scripted:p")
    picky.defaults = Settings(temperature=None, reasoning="low")  # type: ignore[attr-defined]
    given = {"max_tokens": "900", "analyst.temperature": 0, "judge.seed": "default", "judge.concurrency": 2}
    run = scored(tmp_path, variant("a"), analyst=analyst, judges=[judge, picky], settings=given)

    def asked(model: ScriptedModel) -> set[Settings]:
        return {request.settings for request in model.requests}

    assert asked(analyst) == {Settings(temperature=0.0, max_tokens=900)}
    assert asked(judge) == {Settings(max_tokens=900, seed=None)}
    assert asked(picky) == {Settings(temperature=None, max_tokens=900, seed=None, reasoning="low")}
    record = json.loads(json.dumps(dict(run.manifest)))
    common = {"max_tokens": 900, "timeout": 600.0}
    assert record["analyst"]["settings"] == {**common, "temperature": 0.0, "seed": 1}
    assert [one["settings"] for one in record["judges"]] == [
        {**common, "temperature": 0.2, "seed": None},
        {**common, "temperature": None, "seed": None, "reasoning": "low"},
    ]
    no_rates = {"requests_per_minute": None, "tokens_per_minute": None}
    assert record["analyst"]["limits"] == {"concurrency": 4, **no_rates}
    assert record["judges"][0]["limits"] == {"concurrency": 2, **no_rates}


def test_settings_may_be_given_as_an_object_and_then_all_of_them_hold(tmp_path: Path) -> None:
    model = ScriptedModel()
    model.defaults = Settings(temperature=1.0, max_tokens=99)  # type: ignore[attr-defined]
    wanted = Settings(temperature=0.5, max_tokens=500, seed=None, timeout=9.0, reasoning="none")
    scored(tmp_path, variant("a"), analyst=model, judges=model, settings=wanted)
    assert {request.settings for request in model.requests} == {wanted}


def test_all_settings_that_are_wrong_are_said_before_any_model_is_asked(tmp_path: Path) -> None:
    model = ScriptedModel()
    with pytest.raises(SettingError) as caught:
        scored(
            tmp_path,
            variant("a"),
            analyst=model,
            settings={"judge.seed": "x", "temp": 1, "analyst.timeout": 0},
        )
    assert len(caught.value.problems) == 3
    assert model.requests == []
    assert not (tmp_path / "l.db").exists()


def test_the_record_holds_prices_and_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "keys.env").write_text(f"OPENAI_API_KEY={KEY}\n")
    without_keys(monkeypatch)
    plan = prepare(
        [variant("a")],
        task="cgpst",
        scenarios=scenarios(),
        analyst="openai:gpt-5.4",
        judges=["paper-gpt", ScriptedModel()],
        method="creaeval",
        keys=tmp_path / "keys.env",
    )
    record = describe_plan(plan)
    price = {"input": 2.5, "cached": 0.25, "output": 15.0}
    assert [one["usd_per_million_tokens"] for one in (record["analyst"], *record["judges"])] == [
        price,
        price,
        None,
    ]
    preset = record["judges"][0]
    assert (preset["name"], preset["provider"], preset["model"]) == (
        "paper-gpt",
        "openai-responses",
        "gpt-5.4",
    )
    assert preset["settings"]["reasoning"] == "none"
    assert KEY not in json.dumps(record)


@pytest.mark.parametrize(("concurrency", "least", "below"), [(1, 2.4, 4.0), (3, 0.8, 1.6), (12, 0.2, 0.9)])
def test_the_judges_concurrency_is_its_own_setting_whatever_the_analysts_is(
    tmp_path: Path, concurrency: int, least: float, below: float
) -> None:  # R06
    # Twelve booklets of one step: twelve calls of the judge, each of 0.2 s.
    task = parse_task(SHORT, "short.yaml")
    responses = [
        Response(id=f"u{n}", steps={"use": make_step(task.steps[0], f"A doorstop {n}.")}) for n in range(12)
    ]
    # The judge sees the observations, which must differ, or twelve calls would be one.
    analyst = ScriptedModel(answer=echo(r"doorstop \d+"))
    answer = served("doorstop")
    with Loopback(lambda body, number: replace(answer(body, number), delay=0.2)) as server:
        run = scored(
            tmp_path,
            *responses,
            task=task,
            scenarios=None,
            analyst=analyst,
            judges=hosted("vllm", "ours", server.root),
            settings={"judge.concurrency": concurrency, "analyst.concurrency": 5},
        )
    assert (len(run.sheets), len(server.requests)) == (12, 12)
    assert server.peak == concurrency
    # From the first request to the end of the last reply, less what clocks may differ by.
    wall = server.times[-1] - server.times[0] + 0.2
    assert least - 0.01 <= wall < below


def test_roles_at_one_provider_share_its_limits(tmp_path: Path) -> None:
    with Loopback(served(r"r\dx")) as server:
        analyst, judge = (hosted("vllm", name, server.root) for name in ("a", "b"))
        scored(
            tmp_path,
            *[marked(f"r{n}x", f"r{n}x") for n in range(3)],
            analyst=analyst,
            judges=judge,
            settings={"analyst.concurrency": 2, "judge.concurrency": 2},
        )
    assert len(server.requests) == 3 * 7
    assert server.peak <= 2


def test_outcomes_come_in_the_order_of_the_input_whichever_ends_first(tmp_path: Path) -> None:
    responses = [marked(name, name) for name in ("delta", "alfa", "charlie", "bravo")]
    model = ScriptedModel(answer=echo("delta|alfa|charlie|bravo"), delay=0.001)
    run = scored(tmp_path, *responses, analyst=model, judges=model)
    assert [outcome.response_id for outcome in run.outcomes] == ["delta", "alfa", "charlie", "bravo"]


def test_no_more_requests_are_open_at_once_than_the_model_takes(tmp_path: Path) -> None:
    class Counted(ScriptedModel):
        open = peak = 0

        async def request(self, request: Any) -> Any:
            self.open += 1
            self.peak = max(self.peak, self.open)
            try:
                return await super().request(request)
            finally:
                self.open -= 1

    model = Counted(answer=echo(r"r\dx"), delay=0.002, concurrency=2)
    scored(tmp_path, *[marked(f"r{n}x", f"r{n}x") for n in range(5)], analyst=model, judges=model)
    assert model.peak == 2


def test_an_unfinished_booklet_is_refused_with_the_reason_and_costs_nothing(tmp_path: Path) -> None:
    model = ScriptedModel()
    unfinished = without(variant("half"), "step4", "step6").model_copy(
        update={"source": "/home/anna/half.json"}
    )
    run = scored(tmp_path, unfinished, variant("whole"), analyst=model, judges=model)
    assert len(model.requests) == 7
    (failure,) = run.outcomes[0].failures
    assert (failure.stage, failure.model) == ("input", "")
    assert failure.reason == (
        "half.json: response 'half' has nothing for step4 (Select Criteria), step6 (Develop an Action Plan). "
        "Complete it, or score the steps it has with --missing-step skip (its Total is then undefined)."
    )
    assert set(run.scores["response_id"]) == {"whole"}


def test_an_unfinished_booklet_is_scored_for_the_steps_it_has_when_asked_to(tmp_path: Path) -> None:
    run = scored(tmp_path, without(variant("half"), "step4", "step6"), missing_step="skip")
    row = run.scores_wide.iloc[0]
    assert pd.isna(row["total"])
    assert pd.isna(row["step4_overall"])
    # Six valid challenges of one category.
    assert row["step1_overall"] == 7
    assert run.n_failed == 0
    # Without step 4 nobody knows how many criteria the grid of step 5 has.
    assert row["step5_correctly_used"] == 1


def test_a_booklet_with_nothing_in_it_is_refused_even_so(tmp_path: Path) -> None:
    empty = variant("empty").model_copy(update={"steps": {}})
    run = scored(tmp_path, empty, missing_step="skip")
    assert "response 'empty' is empty; no step has any text" in str(run.failures.loc[0, "reason"])


def test_items_beyond_the_maximum_are_named(tmp_path: Path) -> None:
    long = variant("long", {"step1": [f"Challenge {n} there" for n in "abcdefghij"], "step4": ["Which?"] * 6})
    model = ScriptedModel()
    plan = make_plan(
        task=cgpst(),
        responses=[variant("short"), long],
        scenarios=scenarios(),
        analyst=model,
        judges=[model],
    )
    assert unscored_items(plan) == [
        "long, step1: challenge 9, 10 not scored (the first 8 count)",
        "long, step4: criterion 6 not scored (the first 5 count)",
    ]
    scored(tmp_path, long, analyst=model, judges=model)
    words = "\n".join(map(text_of, model.requests))
    assert "Challenge h there" in words
    assert "Challenge i there" not in words


def test_what_is_wrong_is_said_before_any_model_is_asked(tmp_path: Path) -> None:
    model = ScriptedModel()

    def problem(*responses: Response, **options: Any) -> str:
        with pytest.raises((DataError, SettingError)) as caught:
            scored(tmp_path, *responses, **{"analyst": model, "judges": model, **options})
        return str(caught.value)

    assert "2 responses have the id 'a'" in problem(variant("a"), variant("b"), variant("a"))
    assert "no response to score" in problem()
    elsewhere = variant("a").model_copy(update={"scenario": "FS99"})
    assert "there is no scenario 'FS99'; known are fog_water" in problem(elsewhere)
    assert "needs a scenario" in problem(variant("a").model_copy(update={"scenario": None}), scenarios=None)
    assert "named once; found scripted:one, scripted:one" in problem(variant("a"), judges=[model, model])
    assert "At least one judge" in problem(variant("a"), judges=[])
    assert "Did you mean 'creaeval'?" in problem(variant("a"), method="creaval")
    chinese = cgpst().model_copy(update={"language": "zh"})
    assert "in language 'zh'; there are prompts in en" in problem(variant("a"), task=chinese)
    assert "no provider 'opnai'" in problem(variant("a"), analyst="opnai:x")
    assert model.requests == []
    assert not (tmp_path / "l.db").exists()


SHORT = """
id: short
name: One question
source: made for the tests
description: Answer once.
steps:
  - id: use
    name: Use
    instruction: Name a use.
    dimensions: [{id: originality, name: Originality, description: How unusual?, scale: 1-5}]
"""


def test_a_task_of_ones_own_with_one_step_and_no_scenario_is_scored(tmp_path: Path) -> None:
    task = parse_task(SHORT, "short.yaml")
    response = Response(id="u1", steps={"use": make_step(task.steps[0], "A doorstop.")})
    model = ScriptedModel(values={"short_scores.use.originality": 3})
    run = scored(tmp_path, response, task=task, scenarios=None, analyst=model, judges=model)
    assert len(model.requests) == 2
    assert run.scores_wide.iloc[0].to_dict() == {
        "response_id": "u1",
        "method": "creaeval",
        "judge": "scripted:one",
        "use_originality": 3,
        "use_overall": 3,
        "total": 3,
    }


def test_tokens_are_added_up_by_stage(tmp_path: Path) -> None:
    # The script counts 100 tokens in, 40 of them cached, 10 out and half a second for each reply.
    stages = scored(tmp_path, variant("a")).summary.tokens
    assert list(stages) == ["step1", "step2", "step3", "step4", "step5", "step6", "judge", "all"]
    everything = stages["all"]
    assert (everything.calls, everything.from_ledger, everything.seconds) == (7, 0, 3.5)
    assert (everything.input_tokens, everything.cached_tokens, everything.output_tokens) == (700, 280, 70)


def test_a_stored_run_is_what_was_returned(tmp_path: Path) -> None:
    run = scored(tmp_path, without(variant("half", group="y"), "step6"), variant("a", group="x"))
    with Ledger.open(tmp_path / "l.db") as ledger:
        stored = RunStore(ledger).load(run.id[:4])
        read = replace(stored, outcomes=tuple(stored.outcomes), responses=dict(stored.responses))
        assert read == replace(
            run, responses={key: one.model_copy(update={"source": ""}) for key, one in run.responses.items()}
        )
        # Read as they are needed: one, a few, in order, and again.
        assert [outcome.response_id for outcome in stored.outcomes] == ["half", "a"]
        assert (len(stored.outcomes), stored.outcomes[1], stored.outcomes[:1]) == (
            2,
            run.outcomes[1],
            run.outcomes[:1],
        )
        assert stored.scores.equals(run.scores)


def test_a_run_is_told_to_its_watcher(tmp_path: Path) -> None:
    class Watcher:
        def __init__(self) -> None:
            self.seen: list[str] = []

        def call_done(self, call: Any) -> None:
            self.seen.append(call.label["step"])

        def attempt_failed(self) -> None:
            self.seen.append("failed")

        def evidence_found(self, response_id: str, evidence: Any) -> None: ...

        def response_done(self, outcome: Any) -> None:
            self.seen.append(f"done {outcome.response_id}")

    watcher = Watcher()
    scored(tmp_path, variant("a"), without(variant("half"), "step1"), watcher=watcher)
    steps = [f"step{n}" for n in range(1, 7)]
    assert watcher.seen == ["done half", *steps, "judge", "done a"]


def test_the_record_of_a_run_is_json_and_names_files_without_their_folders(tmp_path: Path) -> None:
    response = variant("a").model_copy(update={"source": "/home/anna/secret study/a.json"})
    manifest = scored(tmp_path, response).manifest
    assert "anna" not in json.dumps(dict(manifest))
    assert manifest["responses"][0]["file"] == "a.json"
    # A model that is free costs nothing.
    assert manifest["cost_usd"] == 0.0
