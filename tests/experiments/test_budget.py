"""A budget: where it is reached nothing more is sent, and nothing that was paid for is lost."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import pytest
from pydantic import BaseModel, Field

import creaeval
from creaeval.errors import BudgetReachedError, SettingError
from creaeval.experiments import run_experiment
from creaeval.llm import Ask, ChatReply, ChatRequest, Ledger, Message, Prompt, Settings
from creaeval.llm.budget import Budget, most_it_costs
from creaeval.llm.chat import Limits
from creaeval.llm.prices import Price
from creaeval.runs import RunStore
from experiments.grids import NAMES, Priced, block, experiment, n_calls, write_experiment
from loopback import Loopback, Scripted, used
from scripted import ScriptedModel, served

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from conftest import CommandLine

# A reply costs a dollar, and may cost 1.60 by its limit of tokens.
LIMIT = {"max_tokens": 16}


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(tmp_path / "ledger.db") as opened:
        yield opened


class Counted(Priced):
    """Counts how many requests are open at once."""

    open = most = 0

    async def request(self, request: ChatRequest) -> ChatReply:
        self.open += 1
        self.most = max(self.most, self.open)
        try:
            return await super().request(request)
        finally:
            self.open -= 1


def test_what_is_spent_and_held_never_passes_the_budget_and_every_reply_is_kept(
    tmp_path: Path, models: dict[str, ScriptedModel], ledger: Ledger
) -> None:
    judge = models["j"] = Counted("scripted:j", answer=NAMES, delay=0.01)
    given = experiment(tmp_path, 30, grid=[block(method="direct", settings=LIMIT)])
    budget = Budget(10.0)
    (end,) = run_experiment(given, ledger, budget=budget)
    # After 9 dollars the next request may cost 1.60, which is beyond 10; after 8 it may not be.
    assert (len(judge.requests), n_calls(ledger), budget.spent) == (9, 9, 9.0)
    assert 1 < judge.most <= 4
    assert (end.state, end.scored) == ("stopped", 9)
    assert "The budget of $10 is reached: $9.0000 is spent" in end.error
    assert "may cost up to $1.6000" in end.error
    assert RunStore(ledger).list()[0].state == "stopped"
    (end,) = run_experiment(given, ledger, budget=Budget(100.0))
    assert (end.state, end.scored, len(judge.requests)) == ("finished", 30, 30)


def test_in_chains_of_calls_too_all_that_was_sent_is_in_the_ledger(
    tmp_path: Path, models: dict[str, ScriptedModel], ledger: Ledger
) -> None:
    models |= {name: Priced(f"scripted:{name}", answer=NAMES, delay=0.005) for name in "ajk"}
    grid = [block(judges=["scripted:j", "scripted:k"], settings=LIMIT), block("next", method="direct")]
    given = experiment(tmp_path, 12, grid=grid)
    first, second = run_experiment(given, ledger, budget=Budget(21.0))
    sent = sum(len(models[name].requests) for name in "ajk")
    # 12 responses take 48 calls, so they were under way side by side when 20 dollars were spent.
    assert (sent, n_calls(ledger)) == (20, 20)
    assert (first.state, second.state) == ("stopped", "not reached")
    assert first.run is not None
    assert all(not outcome.failures for outcome in first.run.outcomes)
    first, second = run_experiment(given, ledger)
    assert (first.scored, second.scored) == (12, 12)
    assert sum(len(models[name].requests) for name in "ajk") == 48 + 12 == n_calls(ledger)


def test_a_run_that_was_finished_before_is_no_run_that_was_not_reached(
    tmp_path: Path, models: dict[str, ScriptedModel], ledger: Ledger
) -> None:
    models["j"] = Priced("scripted:j", answer=NAMES)
    grid = [block("dear", settings=LIMIT), block("made", method="direct", settings=LIMIT)]
    given = experiment(tmp_path, grid=grid)
    run_experiment(given, ledger, only=["made"])
    dear, made = run_experiment(given, ledger, budget=Budget(0.5))
    assert (dear.state, made.state, made.scored) == ("stopped", "kept", 2)


def test_a_reply_that_another_process_was_quicker_with_is_paid_for_all_the_same(ledger: Ledger) -> None:
    free = ScriptedModel("scripted:j")

    class Slow(Priced):
        async def request(self, request: ChatRequest) -> ChatReply:
            with Ledger.open(ledger.where) as other:
                await Ask(free, other, Settings(), role="judge")(*question, **named)
            return await super().request(request)

    class Form(BaseModel):
        points: Annotated[int, Field(ge=0, le=5)]

    question = (Prompt("Judge.", "This."), Form)
    named: Any = {"schema_name": "form", "label": {"response_id": "r"}}
    budget = Budget(500.0)
    ask = Ask(Slow("scripted:j"), ledger, Settings(), role="judge", budget=budget)
    asked = asyncio.run(ask(*question, **named))
    assert asked.reply.cost_usd == 0.0
    assert budget.spent == 1.0


def test_calls_from_the_ledger_cost_nothing_and_still_work(
    tmp_path: Path, models: dict[str, ScriptedModel], ledger: Ledger
) -> None:
    models["j"] = Priced("scripted:j", answer=NAMES)
    grid = [block("a", method="direct", settings=LIMIT), block("b", method="no-evidence", settings=LIMIT)]
    given = experiment(tmp_path, 3, grid=grid)
    run_experiment(given, ledger, only=["a"])
    budget = Budget(0.01)
    (end,) = run_experiment(given, ledger, only=["b"], budget=budget)
    assert (end.state, end.scored, budget.spent, n_calls(ledger)) == ("finished", 3, 0.0, 3)


def test_free_models_are_not_held_back(
    tmp_path: Path, models: dict[str, ScriptedModel], ledger: Ledger
) -> None:
    (end,) = run_experiment(experiment(tmp_path, grid=[block()]), ledger, budget=Budget(0.01))
    assert (end.state, end.scored) == ("finished", 2)


def test_when_the_budget_is_reached_no_free_model_goes_on_for_judges_that_cannot_be_paid(
    tmp_path: Path, models: dict[str, ScriptedModel], ledger: Ledger
) -> None:
    models["j"] = Priced("scripted:j", answer=NAMES)
    models["a"].limits = Limits(concurrency=1)
    given = experiment(tmp_path, 40, grid=[block(settings=LIMIT)])
    (end,) = run_experiment(given, ledger, budget=Budget(3.0))
    assert (end.state, end.scored, len(models["j"].requests)) == ("stopped", 2, 2)
    # 40 responses would take the analyst 80 requests.
    assert len(models["a"].requests) < 80
    assert n_calls(ledger) == len(models["a"].requests) + 2


def test_a_budget_with_a_model_of_unknown_price_is_refused_before_the_first_call(
    tmp_path: Path, models: dict[str, ScriptedModel], ledger: Ledger
) -> None:
    models["k"] = Priced("scripted:k")
    models["k"].price = None  # type: ignore[attr-defined]
    given = experiment(tmp_path, grid=[block("fine"), block("not", judges="scripted:k")])
    with pytest.raises(SettingError, match="the price of scripted:k is not known"):
        run_experiment(given, ledger, budget=Budget(1.0))
    assert models["a"].requests == models["k"].requests == []


@pytest.mark.parametrize("usd", [0, -1, float("inf"), float("nan")])
def test_a_budget_is_an_amount_above_nothing(usd: float) -> None:
    with pytest.raises(SettingError, match="expected US dollars above 0"):
        Budget(usd)


def test_score_takes_a_budget_too(tmp_path: Path) -> None:
    write_experiment(tmp_path, 5)
    options: dict[str, Any] = {
        "task": tmp_path / "mine.yaml",
        "method": "direct",
        "judges": Priced("j", answer=NAMES),
        "settings": LIMIT,
        "ledger": tmp_path / "l.db",
    }
    with pytest.raises(BudgetReachedError, match=r"\$2\.0000 is spent"):
        creaeval.score(tmp_path / "responses.json", budget=3.0, **options)
    assert creaeval.score(tmp_path / "responses.json", budget=4.0, **options).summary.scored == 5


def test_the_command_score_stops_at_its_budget_and_says_how_to_go_on(command: CommandLine) -> None:
    write_experiment(command.folder, 5)
    command.add(judge := Priced("scripted:j", answer=NAMES))
    line = ["score", "responses.json", "--task", "mine.yaml", "--method", "direct", "--judge", "scripted:j"]
    ended = command(*line, "--set", "max_tokens=16", "--budget", "3")
    assert ended.code == 3
    assert "2 of 5 responses done. The budget of $3 is reached: $2.0000 is spent" in ended.err
    assert "The same command with a larger budget goes on from here" in ended.err
    assert command(*line, "--set", "max_tokens=16", "--budget", "10").code == 0
    assert len(judge.requests) == 5
    assert command(*line, "--budget", "0").code == 1


def test_a_hosted_models_price_is_that_of_the_users_file(
    command: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = served(r"\br\d+\b")

    def handler(body: dict[str, Any], number: int) -> Scripted:
        return replace(answer(body, number), usage=used(prompt=100, output=10), delay=0.02)

    with Loopback(handler) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        price = "{input: 0, cached: 0, output: 100000}"
        (command.folder / "models.yaml").write_text(f"prices:\n  openai:m: {price}\n")
        part = block(method="direct", judges="openai:m", settings={**LIMIT, "concurrency": 3})
        path = write_experiment(command.folder, 12, models="models.yaml", grid=[part])
        ended = command("experiment", "run", path, "--budget", "6")
        # 1.60 more than 5 dollars is beyond 6.
        assert ended.code == 3
        assert "Spent now: $5.00 of $6." in ended.out
        assert len(server.requests) == 5
        assert server.peak > 1
        with Ledger.open(command.folder / ".creaeval" / "ledger.db") as opened:
            assert n_calls(opened) == 5
        ended = command("experiment", "run", path, "--budget", "100")
        assert ended.code == 0, ended.err
        assert len(server.requests) == 12


def test_the_most_that_a_request_may_cost_counts_its_prompt_and_its_limit_of_tokens() -> None:
    model = Priced("m")
    model.price = Price(input=3.0, cached=0.0, output=100.0)
    request = ChatRequest("a" * 30, (Message("user", "b" * 28),), {}, "s", Settings(max_tokens=50))
    # 30 + 28 letters and the two of {} make 60 bytes, at most 20 tokens at 3 dollars a million.
    assert most_it_costs(model, request) == pytest.approx((20 * 3 + 50 * 100) / 1e6)
    model.free = True
    assert most_it_costs(model, request) == 0.0
