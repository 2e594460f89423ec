"""What is asked next when a reply was cut off, a higher limit was refused, or the provider wants a wait."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

from creaeval.errors import CallError, PermanentCallError, ReplyError
from creaeval.llm.ask import Ask, Asked
from creaeval.llm.chat import AttemptError, ChatReply, ChatRequest, Settings, Usage
from creaeval.llm.ledger import Ledger
from creaeval.llm.prices import Price

from .support import LABEL, PROMPT, FakeModel, Verdict, verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from creaeval.llm.records import Failure
    from llm.conftest import Play

    Answer = str | ChatReply | Exception
    Run = Callable[..., Asked[Verdict]]


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(tmp_path / "ledger.db") as opened:
        yield opened


@pytest.fixture
def run(play: Play, ledger: Ledger) -> Run:
    """Ask a model once, in virtual time."""

    def go(model: FakeModel, **options: Any) -> Asked[Verdict]:
        async def work() -> Asked[Verdict]:
            ask = Ask(model, ledger, options.pop("settings", Settings()), role="judge", **options)
            return await ask(PROMPT, Verdict, schema_name="Step2", label=LABEL)

        asked: Asked[Verdict] = play(work)
        return asked

    return go


def cut(words: str = '{"Step-2": {"Condi', spent: int = 4096) -> ChatReply:
    return ChatReply(words, "length", Usage(10, 2, spent, 1), 0.5, "m1")


def scripted(*answers: Answer) -> FakeModel:
    """Answer one after the other; another request is a mistake."""
    return FakeModel(lambda _, number: answers[number])


def limits(model: FakeModel) -> list[int]:
    return [request.settings.max_tokens for request in model.requests]


def turns(model: FakeModel) -> list[list[str]]:
    return [[message.role for message in request.messages] for request in model.requests]


def rows(ledger: Ledger, columns: str, table: str = "calls") -> list[tuple[Any, ...]]:
    statement = sa.text(f"select {columns} from {table} order by id")  # noqa: S608 - names from here
    with ledger.engine.connect() as connection:
        return [tuple(row) for row in connection.execute(statement)]


ALONE, REPAIR = ["user"], ["user", "assistant", "user"]


def test_a_reply_that_was_cut_off_is_asked_for_once_more_with_twice_the_limit_and_no_reproach(
    run: Run, ledger: Ledger
) -> None:
    model = scripted(cut(), verdict(6))
    asked = run(model)
    assert asked.value.step.focus == 6
    assert limits(model) == [4096, 8192]
    first, second = model.requests
    assert (first.messages, first.system) == (second.messages, second.system)
    # Both were paid for.
    assert [(call.finish, call.from_ledger) for call in asked.calls] == [("length", False), ("stop", False)]
    assert rows(ledger, "state, finish") == [("rejected", "length"), ("accepted", "stop")]


def test_the_users_own_limit_is_doubled(run: Run) -> None:
    model = scripted(cut(), verdict())
    run(model, settings=Settings(max_tokens=1000, temperature=None, reasoning="low"))
    assert limits(model) == [1000, 2000]
    assert {(one.settings.temperature, one.settings.reasoning) for one in model.requests} == {(None, "low")}


def test_a_second_reply_that_is_cut_off_goes_back_to_be_kept_short(run: Run) -> None:
    model = scripted(cut(), cut("second"), verdict(4))
    assert run(model).value.step.focus == 4
    # Never four times.
    assert limits(model) == [4096, 8192, 8192]
    assert turns(model) == [ALONE, ALONE, REPAIR]
    _, raw, repair = model.requests[2].messages
    assert raw.text == "second"
    assert "cut off by the limit of 8192 tokens" in repair.text
    assert "keep it short enough to finish" in repair.text


def test_a_third_fault_is_asked_anew_without_the_replies(run: Run) -> None:
    model = scripted(cut(), cut(), "no object", verdict(5))
    assert run(model).value.step.focus == 5
    assert turns(model) == [ALONE, ALONE, REPAIR, ALONE]
    assert model.requests[3].messages[0].text.startswith(PROMPT.user)
    assert "no object" in model.requests[3].messages[0].text


@pytest.mark.parametrize("kind", ["rejected", "too_long"])
def test_where_the_higher_limit_is_refused_the_first_one_holds_and_the_reply_goes_back(
    run: Run, ledger: Ledger, kind: str
) -> None:
    # A server that counts prompt and reply together says that the context is too small.
    refusal = AttemptError("max_tokens is too large: 8192", kind=kind, retry=False, status=400)
    model = scripted(cut("begun"), refusal, verdict(3))
    assert run(model).value.step.focus == 3
    assert limits(model) == [4096, 8192, 4096]
    assert turns(model) == [ALONE, ALONE, REPAIR]
    assert model.requests[2].messages[1].text == "begun"
    assert "cut off by the limit of 4096 tokens" in model.requests[2].messages[2].text
    assert rows(ledger, "state") == [("rejected",), ("accepted",)]
    assert rows(ledger, "kind, status, attempt", "failures") == [(kind, 400, 1)]


def test_a_refusal_is_a_try_too_and_the_higher_limit_is_not_tried_again(run: Run) -> None:
    refusal = AttemptError("too large", kind="rejected", retry=False)
    model = scripted(cut(), refusal, cut(), cut())
    with pytest.raises(ReplyError, match=r"no usable reply in 4 tries.*cut off by the limit of 4096 tokens"):
        run(model)
    assert limits(model) == [4096, 8192, 4096, 4096]
    assert turns(model) == [ALONE, ALONE, REPAIR, ALONE]


@pytest.mark.parametrize("kind", ["rejected", "too_long"])
def test_a_refusal_of_the_first_limit_has_no_way_on(run: Run, kind: str) -> None:
    model = scripted(AttemptError("bad schema", kind=kind, retry=False))
    with pytest.raises(CallError, match="bad schema"):
        run(model)
    assert len(model.requests) == 1


def test_another_failure_at_the_higher_limit_is_not_taken_for_its_refusal(run: Run) -> None:
    model = scripted(cut(), AttemptError("refused by a filter", kind="refusal", retry=False))
    with pytest.raises(CallError, match="refused by a filter"):
        run(model)
    assert limits(model) == [4096, 8192]


def test_a_model_that_only_repeats_itself_gets_no_higher_limit(run: Run) -> None:
    model = scripted(cut(), verdict())
    model.raises_limit = False  # type: ignore[attr-defined]
    run(model)
    assert limits(model) == [4096, 4096]
    assert turns(model) == [ALONE, REPAIR]


def test_the_local_model_is_one_of_those() -> None:
    from creaeval.llm.local.model import LocalModel

    assert LocalModel.raises_limit is False


def test_a_repair_that_is_cut_off_gets_the_higher_limit_too(run: Run) -> None:
    model = scripted(verdict(0), cut(), verdict(8))
    assert run(model).value.step.focus == 8
    assert limits(model) == [4096, 4096, 8192]
    assert turns(model) == [ALONE, REPAIR, REPAIR]
    assert model.requests[1].messages == model.requests[2].messages


def test_running_again_takes_the_same_way_through_the_ledger(run: Run) -> None:
    refusal = AttemptError("too large", kind="rejected", retry=False)
    run(scripted(cut(), refusal, verdict(3)))
    # Only what was refused, and so cost nothing, is asked again.
    again = scripted(refusal)
    asked = run(again)
    assert (asked.value.step.focus, limits(again)) == (3, [8192])
    assert [call.from_ledger for call in asked.calls] == [True, True]
    run(scripted(cut(), verdict(4)), settings=Settings(seed=2))
    assert run(scripted(), settings=Settings(seed=2)).value.step.focus == 4


def test_every_call_is_in_the_ledger_with_its_cost_and_the_requests_it_took(run: Run, ledger: Ledger) -> None:
    model = scripted(
        AttemptError("busy", kind="server", status=503),
        AttemptError("slow down", kind="rate_limit", retry_after=2.0, status=429),
        cut(spent=100),
        verdict(),
    )
    model.free = False
    model.price = Price(1, 0.5, 2)  # type: ignore[attr-defined]
    asked = run(model)
    # 8 fresh tokens at 1, 2 cached at 0.5, then 100 and 5 of reply at 2 dollars a million.
    costs = [pytest.approx(209e-6), pytest.approx(19e-6)]
    assert [call.cost_usd for call in asked.calls] == costs
    assert rows(ledger, "cost_usd, attempts") == [(costs[0], 3), (costs[1], 1)]
    assert rows(ledger, "kind, status, attempt", "failures") == [("server", 503, 1), ("rate_limit", 429, 2)]
    # What it cost stays known when it comes from the ledger.
    assert [call.cost_usd for call in run(scripted()).calls] == costs


@pytest.mark.parametrize(("free", "cost"), [(True, 0.0), (False, None)])
def test_a_call_without_a_price_has_no_cost_unless_it_is_free(
    run: Run, ledger: Ledger, free: bool, cost: float | None
) -> None:
    model = scripted(verdict())
    model.free = free
    assert [call.cost_usd for call in run(model).calls] == [cost]
    assert rows(ledger, "cost_usd, attempts") == [(cost, 1)]


def test_refusals_for_the_rate_do_not_use_up_the_attempts_for_faults(run: Run) -> None:
    slow = AttemptError("slow down", kind="rate_limit", retry_after=1.0, status=429)
    fault = AttemptError("busy", kind="server", status=503)
    answers = [slow] * 8 + [fault] + [slow] * 8 + [fault, fault, slow]
    failures: list[Failure] = []
    model = scripted(*answers, verdict(5))
    assert run(model, on_failure=failures.append).value.step.focus == 5
    assert [failure.attempt for failure in failures] == list(range(1, 21))
    assert [failure.kind for failure in failures].count("rate_limit") == 17


@pytest.mark.parametrize(
    ("kind", "times"), [("server", 4), ("connection", 4), ("timeout", 4), ("rate_limit", 20)]
)
def test_both_end_at_last(run: Run, kind: str, times: int) -> None:
    model = FakeModel(lambda *_: AttemptError("not now", kind=kind))
    with pytest.raises(CallError, match=f"was asked {times} times without a reply. not now"):
        run(model)
    assert len(model.requests) == times


def test_a_wait_of_a_quarter_of_an_hour_is_waited_for(run: Run) -> None:
    model = scripted(AttemptError("slow down", kind="rate_limit", retry_after=900.0), verdict(7))
    assert run(model).value.step.focus == 7


@pytest.mark.parametrize("kind", ["rate_limit", "server"])
def test_a_longer_one_stops_the_run_and_says_how_long_it_is(run: Run, ledger: Ledger, kind: str) -> None:
    model = scripted(AttemptError("m1: status 429: daily limit", kind=kind, retry_after=3600.0, status=429))
    with pytest.raises(PermanentCallError) as caught:
        run(model)
    assert str(caught.value) == (
        "m1: status 429: daily limit. It asks to wait 3600 s. The same command goes on from here then."
    )
    assert len(model.requests) == 1
    assert rows(ledger, "kind, status", "failures") == [(kind, 429)]


def test_a_wait_is_kept_and_not_drawn_out(play: Play, ledger: Ledger) -> None:
    starts: list[float] = []

    def answer(_: ChatRequest, number: int) -> Answer:
        starts.append(asyncio.get_running_loop().time())
        if number == 0:
            return AttemptError("slow down", kind="rate_limit", retry_after=30.0)
        return AttemptError("busy", kind="server", retry_after=5.0) if number == 1 else verdict()

    async def work() -> None:
        ask = Ask(FakeModel(answer), ledger, Settings(), role="judge")
        await ask(PROMPT, Verdict, schema_name="Step2", label=LABEL)

    play(work)
    first, second, third = starts
    # The first pause of its kind adds at most half a second.
    assert 30 <= second - first <= 30.5
    assert 5 <= third - second <= 5.5
