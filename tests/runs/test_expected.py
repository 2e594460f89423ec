"""The method ``direct-expected`` from the command line and from Python, and examples before the work."""

from __future__ import annotations

import csv
import json
import math
import warnings
from typing import TYPE_CHECKING, Any

import pytest

import creaeval
from creaeval.data import Response, make_step, read_scores
from creaeval.errors import SettingError
from creaeval.llm import Ledger
from creaeval.llm.chat import AttemptError
from creaeval.methods import Options
from creaeval.runs import make_plan, run_plan
from creaeval.runs.manifest import describe_plan
from creaeval.tasks import load_task, parse_task
from llm.support import hosted
from loopback import Loopback, Scripted, spell
from scripted import ScriptedModel, WithChances, chances_of, fill, text_of

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import CommandLine
    from creaeval.data.examples import Example
    from creaeval.llm import ChatReply, ChatRequest
    from creaeval.runs import Plan, Run

ESSAY = """
id: essay
name: Essay
source: made for the tests
description: Write.
steps:
  - id: text
    name: Text
    instruction: Write about a day in 2050.
    dimensions:
      - {id: ideas, name: Ideas, description: How many?, scale: 1-5}
      - {id: style, name: Style, description: How?, scale: 1-5}
"""
TASK = parse_task(ESSAY, "essay.yaml")
# Ideas 3, Style 4, Overall 7, Total 7.
POINTS = {"essay_scores.text.ideas": 3, "essay_scores.text.style": 4, "essay_scores.text.overall": 7}
VALUES = {**POINTS, "essay_scores.total": 7}
# Of a 3 it might have been a 2 in one case of four; a 4 is a 5 in one of ten; 7 is a 7.
CHANCES = {"3": {"3": 0.75, "2": 0.25}, "4": {"4": 0.9, "5": 0.1}}
EXPECTED = {"text.ideas": 2.75, "text.style": 4.1, "text.overall": 6.85, "total": 6.85}


def essay(response_id: str, text: str = "Cars fly.") -> Response:
    return Response(id=response_id, steps={"text": make_step(TASK.steps[0], f"{text} {response_id}")})


def judge(name: str = "scripted:one", **options: Any) -> Any:
    return WithChances(ScriptedModel(name, values=VALUES, **options), CHANCES)


def scored(folder: Path, *responses: Response, **options: Any) -> Run:
    given = {
        "task": TASK,
        "method": "direct-expected",
        "judges": judge(),
        "ledger": folder / "l.db",
        **options,
    }
    return creaeval.score(responses, **given)


def row(run: Run) -> dict[str, float]:
    wide: Any = run.scores_wide.iloc[0]
    return {name: float(wide[name.replace(".", "_")]) for name in EXPECTED}


def test_scores_are_the_means_over_what_could_have_been_written(tmp_path: Path) -> None:
    run = scored(tmp_path, essay("a"))
    assert row(run) == pytest.approx(EXPECTED)
    assert set(run.scores["judge"]) == {"scripted:one (expected)"}
    written = run.scores.set_index("dimension")["model_score"]
    assert written["text.ideas"] == pytest.approx(2.75)
    # The judge wrote a sum of its own, too, and it is certain of it.
    assert written["total"] == pytest.approx(7)
    (outcome,) = run.outcomes
    assert outcome.trail[:2] == (
        "scripted:one, repeat 1, text.ideas: written 3, expected 2.75, captured 100.0%",
        "scripted:one, repeat 1, text.style: written 4, expected 4.1, captured 100.0%",
    )
    assert run.manifest["judges"][0]["settings"]["logprobs"] is True


def test_a_replay_has_the_same_scores_without_a_call_and_so_has_another_ledger(tmp_path: Path) -> None:
    first = scored(tmp_path, essay("a"))
    again = ScriptedModel(fails=lambda _: SettingError("asked again"))
    assert row(scored(tmp_path, essay("a"), judges=again)) == row(first)
    with Ledger.open(tmp_path / "l.db") as old, Ledger.open(tmp_path / "new.db") as new:
        old.export_calls(tmp_path / "calls.jsonl")
        assert new.import_calls(tmp_path / "calls.jsonl").new == 1
        new.check()
    assert row(scored(tmp_path, essay("a"), judges=again, ledger=tmp_path / "new.db")) == row(first)


def test_a_ledger_whose_probabilities_were_changed_is_damaged(tmp_path: Path) -> None:
    import sqlite3

    from creaeval.errors import LedgerError

    scored(tmp_path, essay("a"))
    with sqlite3.connect(tmp_path / "l.db") as database:
        assert database.execute(
            "UPDATE calls SET logprobs = replace(logprobs, '0.28768', '0.38768')"
        ).rowcount
    database.close()
    with pytest.raises(LedgerError, match="not as it was written"):
        scored(tmp_path, essay("a"))


def test_a_run_of_expected_scores_is_another_run_than_one_of_written_ones_and_shares_no_call(
    tmp_path: Path,
) -> None:
    model = judge()
    written = scored(tmp_path, essay("a"), method="direct", judges=model)
    expected = scored(tmp_path, essay("a"), judges=model)
    assert written.id != expected.id
    assert len(model.requests) == 2
    assert [request.settings.logprobs for request in model.requests] == [False, True]
    assert row(written)["text.ideas"] == 3


def test_a_model_that_names_no_probabilities_stops_the_run_after_its_first_reply(tmp_path: Path) -> None:
    model = ScriptedModel(values=VALUES, delay=0.001, concurrency=4)
    with pytest.raises(SettingError, match="scripted:one names no token probabilities") as caught:
        scored(tmp_path, *[essay(f"r{n}") for n in range(8)], judges=model, judge_repeats=2)
    assert len(model.requests) == 1
    assert "Use the method direct, or another model" in str(caught.value)


def test_a_model_that_names_its_own_tokens_alone_stops_the_run_too(tmp_path: Path) -> None:
    class Alone(ScriptedModel):
        async def request(self, request: ChatRequest) -> ChatReply:
            from dataclasses import replace

            reply = await super().request(request)
            return replace(reply, logprobs=[{"token": t, "logprob": -0.1} for t in reply.text])

    model = Alone(values=VALUES)
    with pytest.raises(SettingError, match="names no other tokens than its own"):
        scored(tmp_path, essay("a"), essay("b"), judges=model)
    assert len(model.requests) == 1


def test_a_provider_without_probabilities_is_refused_before_the_first_call(tmp_path: Path) -> None:
    with Loopback(lambda _, __: Scripted("{}")) as server:
        model = hosted("anthropic", "claude", server.root)
        with pytest.raises(SettingError, match="gives no token probabilities with these settings"):
            scored(tmp_path, essay("a"), judges=model)
        assert server.requests == []


def test_a_score_that_is_spread_over_what_is_not_known_is_missing_with_its_share(tmp_path: Path) -> None:
    spread = {**CHANCES, "3": {"3": 0.6, "2": 0.3}}
    model = WithChances(ScriptedModel(values=VALUES), spread)
    run = scored(tmp_path, essay("a"), judges=model)
    wide = run.scores_wide.iloc[0]
    assert wide["text_style"] == pytest.approx(4.1)
    missing = [name for name in wide.index if wide.isna()[name]]
    assert missing == ["text_ideas", "text_overall", "total"]
    assert run.outcomes[0].trail[0] == (
        "scripted:one, repeat 1, text.ideas: written 3, none expected, only 90.0% of the probability is on "
        "known levels"
    )
    # The sheet stays, and that it is not whole is said where people look.
    assert run.failures.to_numpy().tolist() == [
        [
            "a",
            "judge",
            "scripted:one",
            "scripted:one has no expected value for 1 of 2 scores; the worst is text.ideas: only 90.0% of "
            "the probability is on known levels.",
        ]
    ]
    assert (run.summary.scored, run.n_failed) == (1, 1)


def test_sums_that_are_known_make_no_sheet_of_unknown_scores(tmp_path: Path) -> None:
    run = scored(tmp_path, essay("a"), judges=WithChances(ScriptedModel(values=VALUES), {"3": {}, "4": {}}))
    assert (len(run.sheets), run.n_failed) == (0, 1)


def test_repeats_that_lack_scores_are_told_apart(tmp_path: Path) -> None:
    model = WithChances(ScriptedModel(values=VALUES), {**CHANCES, "3": {"3": 0.5}})
    run = scored(tmp_path, essay("a"), judges=model, judge_repeats=2)
    assert list(run.failures["stage"]) == ["judge, repeat 1", "judge, repeat 2"]


def test_a_judge_that_is_all_but_certain_of_everything_has_expected_scores(tmp_path: Path) -> None:
    class Certain(ScriptedModel):
        async def request(self, request: ChatRequest) -> ChatReply:
            from dataclasses import replace

            reply = await super().request(request)
            own = [{"token": t, "logprob": -1e-7} for t in reply.text]
            rare = {"token": "~", "logprob": -16.1}
            return replace(reply, logprobs=[{**one, "top_logprobs": [one, rare]} for one in own])

    for _ in "ab":  # the second time from the ledger
        run = scored(tmp_path, essay("a"), judges=Certain(values=VALUES))
        assert row(run)["total"] == pytest.approx(7)


USES = "id,object,use,participant\nu1,brick,alpha,p\nu2,brick,beta,p\nu3,rope,,p\n"


def test_a_use_whose_score_is_not_known_says_so_and_is_counted(command: CommandLine) -> None:
    (command.folder / "uses.csv").write_text(USES, encoding="utf-8")
    values = {"aut_scores.uses.items.item_1.originality": 4}
    model: Any = WithChances(ScriptedModel(values=values), {"4": {"4": 0.5, "2": 0.2}, "1": {"1": 0.99}})
    command.models["one"] = model
    ended = command(
        *("score", "uses.csv", "--task", "aut", "--method", "direct", "--expected"),
        *("--judge", "scripted:one", "--out", "out"),
    )
    assert ended.code == 3, ended.err
    assert "Expected scores: 1 could not be taken (invalid is not_captured)" in ended.out
    with (command.folder / "out" / "scores.csv").open(encoding="utf-8", newline="") as file:
        found = [(r["response_id"], r["judge"], r["score"], r["invalid"]) for r in csv.DictReader(file)]
    name = "scripted:one (expected)"
    assert found == [
        ("u1", name, "", "not_captured"),
        ("u2", name, "1.0", ""),
        ("u3", name, "", "blank"),
    ]
    record = json.loads((command.folder / "out" / "run.json").read_text())
    assert (record["scored"], record["failed"], record["not_captured"]) == (1, 1, 1)
    (scores,) = read_scores(command.folder / "out", load_task("aut"))
    assert [(s.scorer, s.final("uses.originality")) for s in scores.sheets] == [
        (name, None),
        (name, 1),
        (name, None),
    ]


@pytest.mark.parametrize("participant", ["p", ""])
def test_what_a_use_says_of_itself_does_not_hang_on_its_batch(tmp_path: Path, participant: str) -> None:
    (tmp_path / "uses.csv").write_text(USES.replace(",p\n", f",{participant}\n"), encoding="utf-8")
    model = WithChances(ScriptedModel(), {"1": {"1": 0.5}})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        run = scored_uses(tmp_path, model)
    assert list(run.scores["invalid"]) == ["not_captured", "not_captured", "blank"]
    assert (run.summary.scored, run.summary.not_captured, run.n_failed) == (0, 2, 0)


def scored_uses(folder: Path, model: Any) -> Run:
    return creaeval.score(
        folder / "uses.csv", task="aut", method="direct-expected", judges=model, ledger=folder / "l.db"
    )


def test_a_reply_whose_every_score_is_unknown_is_a_failure(tmp_path: Path) -> None:
    model = WithChances(ScriptedModel(values=VALUES), {d: {d: 0.5} for d in "347"})
    run = scored(tmp_path, essay("a"), judges=model)
    (failure,) = run.outcomes[0].failures
    assert failure.reason == (
        "scripted:one has no expected value for 2 of 2 scores; the worst is text.ideas: only 50.0% of the "
        "probability is on known levels."
    )
    assert (run.summary.scored, run.n_failed) == (0, 1)


def test_repeats_and_judges_each_have_expected_scores_and_one_that_fails_leaves_the_others(
    tmp_path: Path,
) -> None:
    def fails(request: ChatRequest) -> Exception | None:
        return AttemptError("no", retry=False) if request.settings.seed == 2 else None

    run = scored(tmp_path, essay("a"), judges=[judge(fails=fails), judge("scripted:two")], judge_repeats=3)
    assert [(sheet.scorer, sheet.judge_repeat) for sheet in run.sheets] == [
        ("scripted:one (expected)", 1),
        ("scripted:one (expected)", 3),
        *(("scripted:two (expected)", n) for n in (1, 2, 3)),
    ]
    assert len(run.outcomes[0].trail) == 5 * 4


@pytest.mark.parametrize("prefix", ["openai", "openai-responses", "google", "vllm"])
def test_probabilities_come_through_every_protocol_that_has_them(tmp_path: Path, prefix: str) -> None:
    def answer(body: dict[str, Any], number: int) -> Scripted:
        from loopback import wanted

        _, schema = wanted(body)
        text = json.dumps(fill(schema, "essay_scores", VALUES))
        digits = [CHANCES.get(d, {d: 0.99, "9": 0.01}) for d in text if d.isdigit()]
        return Scripted(text, logprobs=spell(text, digits))

    with Loopback(answer) as server:
        run = scored(tmp_path, essay("a"), judges=hosted(prefix, "m", server.root))
    assert row(run)["text.ideas"] == pytest.approx(2.75)
    assert row(run)["text.style"] == pytest.approx(4.1)


def test_the_command_line_writes_fractions_and_shows_examples(command: CommandLine) -> None:
    (command.folder / "essay.yaml").write_text(ESSAY)
    (command.folder / "essays.csv").write_text("id,text\na,Cars fly.\n")
    (command.folder / "shown.csv").write_text("response,ideas,style\nShips </example> sail.,2,3.5\n")
    model = judge()
    command.models["one"] = model
    ended = command(
        *("score", "essays.csv", "--task", "essay.yaml", "--method", "direct-expected"),
        *("--judge", "scripted:one", "--examples", "shown.csv", "--out", "out"),
    )
    assert ended.code == 0, ended.err
    with (command.folder / "out" / "scores.csv").open(encoding="utf-8", newline="") as file:
        rows = {one["dimension"]: one for one in csv.DictReader(file)}
    assert float(rows["text.ideas"]["score"]) == pytest.approx(2.75)
    (request,) = model.requests
    before, _, after = text_of(request).partition("# Examples")
    assert "# Rubric" in before
    assert "Points: ideas 2, style 3.5\n" in after
    assert after.index("Ships </example> sail.") < after.index("Cars fly.")
    record = json.loads((command.folder / "out" / "run.json").read_text())
    assert record["examples"] == [
        {"text": "Ships </example> sail.", "points": [["ideas", 2.0], ["style", 3.5]], "about": ""}
    ]


def plan(folder: Path, examples: str | None, **changes: Any) -> Plan:
    from creaeval.data.examples import read_examples

    shown: tuple[Example, ...] = ()
    if examples is not None:
        (folder / "shown.csv").write_text(examples)
        shown = read_examples(folder / "shown.csv", TASK)
    model = ScriptedModel()
    given = {"method": "direct", "analyst": None, "judges": [model], **changes}
    return make_plan(
        task=TASK, responses=[essay("a")], scenarios={}, options=Options(examples=shown), **given
    )


def test_examples_are_part_of_the_runs_id_and_no_examples_leave_it_and_the_prompt_as_they_were(
    tmp_path: Path,
) -> None:
    none = plan(tmp_path, None)
    one = plan(tmp_path, "response,ideas\nShips.,2\n")
    other = plan(tmp_path, "response,ideas\nShips.,3\n")
    assert len({none.run_id, one.run_id, other.run_id}) == 3
    assert "examples" not in describe_plan(none)
    with Ledger.open(tmp_path / "l.db") as ledger:
        run_plan(none, ledger)
    (model,) = none.judges
    assert isinstance(model, ScriptedModel)
    assert "xample" not in text_of(model.requests[0])


@pytest.mark.parametrize("method", ["creaeval", "table"])
def test_a_method_that_shows_no_examples_refuses_them(tmp_path: Path, method: str) -> None:
    with pytest.raises(
        SettingError, match=f"{method} shows no examples; those that do are direct, direct-exp"
    ):
        plan(tmp_path, "response,ideas\nShips.,2\n", method=method, analyst=ScriptedModel())


def test_the_chances_of_a_script_are_what_a_provider_would_send() -> None:
    tokens = chances_of('{"a": 3}', CHANCES)
    (digit,) = [token for token in tokens if token["token"] == "3"]
    assert math.exp(digit["logprob"]) == pytest.approx(0.75)


@pytest.mark.slow
def test_the_local_model_has_expected_scores_within_the_scale(tmp_path: Path) -> None:
    text = "In 2050 my kettle tells me when the neighbours are lonely, and we all drink tea on the roof."
    run = scored(tmp_path, essay("a", text), judges="local")
    wide = run.scores_wide.iloc[0]
    found = {name: float(wide[name]) for name in ("text_ideas", "text_style") if not wide.isna()[name]}
    assert found, run.outcomes[0].trail
    assert all(1 <= value <= 5 for value in found.values())
    assert any(value != round(value) for value in found.values())
