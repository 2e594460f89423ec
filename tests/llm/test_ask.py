from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

from creaeval.errors import CallError, PermanentCallError, ReplyError
from creaeval.llm import ask as ask_module
from creaeval.llm.ask import Ask, Asked, CallRecord, Prompt
from creaeval.llm.chat import AttemptError, ChatReply, ChatRequest, Settings, Usage
from creaeval.llm.ledger import Ledger

from .support import LABEL, PROMPT, FakeModel, Verdict, verdict

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from creaeval.llm.records import Failure


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(tmp_path / "ledger.db") as opened:
        yield opened


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ask_module, "pause", lambda *_: 0.0)


def run(ask: Ask, prompt: Prompt = PROMPT, repeat: int = 0) -> Asked[Verdict]:
    async def go() -> Asked[Verdict]:
        return await ask(prompt, Verdict, schema_name="Step2", label=LABEL, repeat=repeat)

    return asyncio.run(go())


def judge(model: FakeModel, ledger: Ledger, settings: Settings | None = None, **options: Any) -> Ask:
    return Ask(model, ledger, settings or Settings(), role="judge", **options)


def states(ledger: Ledger) -> list[str]:
    with ledger.engine.connect() as connection:
        return [row[0] for row in connection.execute(sa.text("select state from calls order by id"))]


def test_a_valid_reply_is_returned_with_the_record_of_its_call(ledger: Ledger) -> None:
    asked = run(judge(FakeModel(lambda *_: verdict(4)), ledger))
    assert asked.value.step.focus == 4
    (record,) = asked.calls
    assert (record.role, record.model, record.usage) == ("judge", "fake:m1", Usage(10, 2, 5, 1))
    assert (record.seconds, record.finish, record.from_ledger, record.label) == (0.5, "stop", False, LABEL)
    assert states(ledger) == ["accepted"]


def test_calls_that_differ_in_temperature_model_or_prompt_do_not_share_an_answer(
    ledger: Ledger,
) -> None:  # R01
    server = {("m1", 0.0, 1): 4, ("m1", 0.7, 1): 8, ("m2", 0.0, 1): 6, ("m1", 0.0, 2): 5}
    models = {}
    for name in ("m1", "m2"):

        def answer(request: ChatRequest, _: int, name: str = name) -> str:
            version = 2 if "v2" in request.system else 1
            return verdict(server[name, request.settings.temperature or 0.0, version])

        models[name] = FakeModel(answer, name=name)
    focus = []
    for name, temperature, version in [
        ("m1", 0.0, 1),
        ("m1", 0.7, 1),
        ("m2", 0.0, 1),
        ("m1", 0.0, 1),
        ("m1", 0.0, 2),
    ]:
        prompt = Prompt(f"You judge. v{version}", "Rate response R01.")
        focus.append(run(judge(models[name], ledger, Settings(temperature)), prompt).value.step.focus)
    assert focus == [4, 8, 6, 4, 5]
    assert sum(len(model.requests) for model in models.values()) == 4


def test_an_unusable_reply_is_not_replayed_and_finished_ones_are_not_paid_again(
    ledger: Ledger,
) -> None:  # R02
    cut = ChatReply(verdict()[:-8], "length", Usage(10, 0, 4096, 0), 1.0, "m1")
    first = FakeModel(lambda request, _: cut if "R2" in request.messages[0].text else verdict(7))
    second = FakeModel(lambda *_: verdict(9))

    def score(model: FakeModel, name: str) -> int:
        return run(judge(model, ledger, tries=1), Prompt("You judge.", f"Rate {name}.")).value.step.focus

    assert (score(first, "R1"), score(first, "R3")) == (7, 7)
    with pytest.raises(ReplyError, match="cut off by the limit of 4096 tokens"):
        score(first, "R2")
    assert len(first.requests) == 3
    assert [score(second, name) for name in ("R1", "R2", "R3")] == [7, 9, 7]
    assert len(second.requests) == 1


def test_values_out_of_range_are_named_and_asked_for_again(ledger: Ledger) -> None:  # J06
    bad = verdict(0, **{"Condition Phrase": 4})
    model = FakeModel(lambda _, number: bad if number == 0 else verdict(5))
    asked = run(judge(model, ledger))
    assert asked.value.step.focus == 5
    assert len(asked.calls) == 2
    assert states(ledger) == ["rejected", "accepted"]
    first, raw, repair = model.requests[1].messages
    assert (first.text, raw.role, raw.text) == (PROMPT.user, "assistant", bad)
    assert repair.role == "user"
    assert "- Step-2.Condition Phrase: found 4, expected a whole number from 0 to 2" in repair.text
    assert "- Step-2.Focus: found 0, expected a whole number from 1 to 10" in repair.text


def test_missing_extra_and_wrong_kinds_of_values_are_named(ledger: Ledger) -> None:
    points = json.loads(verdict())["Step-2"]
    del points["Purpose"]
    points |= {"Focus": True, "Adequacy": "²", "Overall": 30}
    model = FakeModel(lambda _, number: json.dumps({"Step-2": points}) if number == 0 else verdict())
    run(judge(model, ledger))
    text = model.requests[1].messages[-1].text
    for line in (
        "Step-2.Purpose: found nothing, expected a whole number from 0 to 3",
        "Step-2.Focus: found True, expected a whole number from 1 to 10",
        "Step-2.Adequacy: found '²', expected a whole number from 1 to 10",
        "Step-2.Overall: found 30, expected no such field",
    ):
        assert line in text


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("[ERROR] judge-7b returned 503 after 3 tries", r"found '\[ERROR\] judge-7b"),  # J15a
        (
            ChatReply("I can't rate this.", "refusal", Usage(), 1.0, "m"),
            "the model refused: I can't rate",
        ),  # J15b
        (f"{verdict(10)} but {verdict(7)}", "2 that differ"),  # J03
        (ChatReply(verdict(), "length", Usage(), 1.0, "m"), "cut off by the limit of 8192 tokens"),
        ("", "found ''"),
    ],
)
def test_after_the_last_try_the_ask_fails_and_says_who_what_and_why(
    ledger: Ledger, reply: str | ChatReply, reason: str
) -> None:
    model = FakeModel(lambda *_: reply)
    with pytest.raises(ReplyError, match=reason) as caught:
        run(judge(model, ledger, tries=3))
    assert "judge (response_id R1, step step2): fake:m1 gave no usable reply in 3 tries" in str(caught.value)
    assert states(ledger) == ["abandoned"] * 3
    assert ledger.totals()[0].calls == 3
    # No turn is empty: providers refuse one.
    assert all(message.text for request in model.requests for message in request.messages)


def test_from_the_third_try_on_the_question_comes_anew_with_what_was_wrong_but_without_the_replies(
    ledger: Ledger,
) -> None:
    # A small model that sees its own faulty reply repeats it for ever.
    model = FakeModel(lambda _, number: verdict(0) if number < 3 else verdict(6))
    assert run(judge(model, ledger, tries=4)).value.step.focus == 6
    roles = [[message.role for message in request.messages] for request in model.requests]
    assert roles == [["user"], ["user", "assistant", "user"], ["user"], ["user"]]
    third, fourth = (request.messages[0].text for request in model.requests[2:])
    assert third.startswith(PROMPT.user)
    assert "Focus: found 0, expected" in third
    assert third != fourth


def test_a_failed_ask_is_asked_afresh_and_pays_again(ledger: Ledger) -> None:
    with pytest.raises(ReplyError):
        run(judge(FakeModel(lambda *_: "no"), ledger, tries=2))
    again = FakeModel(lambda *_: verdict(8))
    assert run(judge(again, ledger)).value.step.focus == 8
    assert len(again.requests) == 1


def test_running_again_repeats_no_finished_call_nor_a_rejected_one(ledger: Ledger) -> None:
    run(judge(FakeModel(lambda _, number: "no" if number == 0 else verdict(6)), ledger))
    again = FakeModel(lambda *_: pytest.fail("a finished call was repeated"))
    asked = run(judge(again, ledger))
    assert asked.value.step.focus == 6
    assert [call.from_ledger for call in asked.calls] == [True, True]
    assert again.started == 0


def test_a_reply_is_in_the_ledger_before_anyone_is_told_and_is_not_paid_twice(ledger: Ledger) -> None:
    seen: list[CallRecord] = []

    def interrupt(record: CallRecord) -> None:
        seen.append(record)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(judge(FakeModel(lambda *_: verdict(3)), ledger, on_call=interrupt))
    stored = ledger.find(seen[0].key)
    assert stored is not None
    assert (stored.state, json.loads(stored.text)) == ("replied", json.loads(verdict(3)))
    again = FakeModel(lambda *_: pytest.fail("a paid call was repeated"))
    assert run(judge(again, ledger)).value.step.focus == 3
    assert states(ledger) == ["accepted"]


def test_a_chain_that_was_killed_goes_on_where_it_stopped(ledger: Ledger) -> None:
    def answer(_: ChatRequest, number: int) -> str | Exception:
        return "no" if number == 0 else PermanentCallError("fake:m1: the account is closed")

    with pytest.raises(PermanentCallError):
        run(judge(FakeModel(answer), ledger))
    assert states(ledger) == ["rejected"]
    again = FakeModel(lambda *_: verdict(2))
    asked = run(judge(again, ledger))
    assert [call.from_ledger for call in asked.calls] == [True, False]
    assert len(again.requests) == 1


def test_equal_asks_at_once_pay_once_even_from_two_roles_objects(ledger: Ledger) -> None:
    model = FakeModel(lambda *_: verdict())

    async def go() -> list[Asked[Verdict]]:
        asks = [judge(model, ledger), judge(model, ledger)]
        return await asyncio.gather(
            *(ask(PROMPT, Verdict, schema_name="Step2", label=LABEL) for ask in asks for _ in range(5))
        )

    asked = asyncio.run(go())
    assert len(model.requests) == 1
    assert sum(not one.calls[0].from_ledger for one in asked) == 1


def test_a_repetition_is_a_new_call_with_a_seed_of_its_own(ledger: Ledger) -> None:
    model = FakeModel(lambda _, number: verdict(number + 1))
    ask = judge(model, ledger, Settings(seed=7))
    assert [run(ask, repeat=number).value.step.focus for number in (0, 1, 0)] == [1, 2, 1]
    assert [request.settings.seed for request in model.requests] == [7, 8]


def test_a_transient_failure_is_tried_again_and_each_attempt_is_recorded(ledger: Ledger) -> None:
    failures: list[Failure] = []
    model = FakeModel(
        lambda _, number: AttemptError("busy", kind="server") if number < 2 else verdict(), concurrency=1
    )
    run(judge(model, ledger, on_failure=failures.append))
    assert [(failure.attempt, failure.kind, failure.message) for failure in failures] == [
        (1, "server", "busy"),
        (2, "server", "busy"),
    ]
    with ledger.engine.connect() as connection:
        assert connection.execute(sa.text("select count(*) from failures")).scalar() == 2
    assert ledger.totals()[0].calls == 1


def test_attempts_end_with_an_error_that_names_the_call(ledger: Ledger) -> None:
    model = FakeModel(lambda *_: AttemptError("busy"))
    with pytest.raises(
        CallError, match=r"judge \(response_id R1, step step2\): fake:m1 was asked 3 times .* busy"
    ):
        run(judge(model, ledger, attempts=3))
    assert len(model.requests) == 3


@pytest.mark.parametrize("error", [AttemptError("too long", retry=False), PermanentCallError("bad key")])
def test_a_failure_that_no_retry_can_mend_is_not_retried(ledger: Ledger, error: CallError) -> None:
    model = FakeModel(lambda *_: error)
    with pytest.raises(CallError, match=str(error)):
        run(judge(model, ledger))
    assert len(model.requests) == 1


def test_a_cancelled_ask_leaves_no_trace_and_its_place_to_the_next(ledger: Ledger) -> None:
    class Slow(FakeModel):
        async def request(self, request: ChatRequest) -> ChatReply:
            if not self.requests:
                self.requests.append(request)
                await asyncio.sleep(60)
            return await super().request(request)

    model = Slow(lambda *_: verdict(), concurrency=1)
    ask = judge(model, ledger)

    async def go() -> Asked[Verdict]:
        task = asyncio.create_task(ask(PROMPT, Verdict, schema_name="Step2", label=LABEL))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert states(ledger) == []
        return await ask(PROMPT, Verdict, schema_name="Step2", label=LABEL)

    assert asyncio.run(go()).value.step.focus == 7
