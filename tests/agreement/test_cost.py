"""Seconds, tokens and money of a response, by hand; percentiles by interpolation between sorted values."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest

import booklets
from agreement.tables import row
from creaeval.agreement.runs.cost import ALL_JUDGES, COST_COLUMNS, MEASURES, cost_per_response
from creaeval.methods import CallSummary, Outcome, StageFailure
from creaeval.runs import Run
from creaeval.tasks import load_task
from scripted import ScriptedModel

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def call(
    role: str, model: str, seconds: float, tokens: tuple[int, int, int, int], cost: float | None = 0.0
) -> CallSummary:
    """A call; tokens are input, cached, output and reasoning."""
    read, cached, wrote, reasoned = tokens
    return CallSummary(
        key="k",
        role=role,
        model=model,
        stage=role,
        seconds=seconds,
        cost_usd=cost,
        from_ledger=False,
        input_tokens=read,
        cached_tokens=cached,
        output_tokens=wrote,
        reasoning_tokens=reasoned,
    )


def run_of(
    outcomes: Sequence[Outcome],
    judges: Sequence[str] = ("j",),
    *,
    task: str = "cgpst",
) -> Run:
    manifest: dict[str, Any] = {
        "method": "creaeval",
        "analyst": {"name": "a"},
        "judges": [{"name": name} for name in judges],
        "evidence_repeats": 1,
        "judge_repeats": 2,
    }
    return Run("0123456789", "finished", load_task(task), manifest, outcomes, {})


def outcome(number: int, *calls: CallSummary, **more: Any) -> Outcome:
    return Outcome(response_id=f"r{number}", calls=calls, **more)


def values(frame: Any) -> list[float]:
    return [float(frame[name]) for name in ("p50", "p95", "mean", "total")]


def test_median_and_95th_percentile_are_of_all_calls_of_a_response() -> None:
    outcomes = [
        outcome(
            n,
            call("analyst", "a", 10.0 * n, (100 * n, 50, 10, 0), 0.5),
            call("judge", "j", 1.0, (1000, 0, 200, 150), 0.25),
        )
        for n in (1, 2, 3, 4, 5)
    ]
    table = cost_per_response([run_of(outcomes)])
    assert [*table.columns] == COST_COLUMNS
    assert [*table["measure"]] == [*MEASURES]
    assert set(table["n"]) == {5}
    assert set(table["reason"]) == {""}
    assert (table.loc[0, "judge_repeats"], table.loc[0, "analyst"], table.loc[0, "run"]) == (
        2,
        "a",
        "0123456789",
    )
    # 11, 21, 31, 41, 51 seconds: place 0.95 x 4 = 3.8 between the fourth and the fifth, 41 + 0.8 x 10.
    assert values(row(table, measure="seconds")) == pytest.approx([31, 49, 31, 155])
    # Input 1100 to 1500, output 210 each: 1310 to 1710.
    assert values(row(table, measure="tokens")) == pytest.approx([1510, 1690, 1510, 7550])
    assert values(row(table, measure="input_tokens")) == pytest.approx([1300, 1480, 1300, 6500])
    assert values(row(table, measure="cached_tokens")) == pytest.approx([50, 50, 50, 250])
    assert values(row(table, measure="output_tokens")) == pytest.approx([210, 210, 210, 1050])
    assert values(row(table, measure="reasoning_tokens")) == pytest.approx([150, 150, 150, 750])
    assert values(row(table, measure="calls")) == pytest.approx([2, 2, 2, 10])
    assert values(row(table, measure="cost_usd")) == pytest.approx([0.75, 0.75, 0.75, 3.75])


def test_a_judge_has_the_analysts_calls_and_its_own_and_all_together_the_analysts_once() -> None:
    # The analyst's model judges, too: what it read is everybody's, what it judged its own.
    calls = [
        call("analyst", "one", 100.0, (10, 0, 0, 0)),
        call("judge", "one", 10.0, (20, 0, 0, 0)),
        call("judge", "two", 1.0, (40, 0, 0, 0)),
    ]
    failed = StageFailure(stage="judge, repeat 2", model="two", reason="no usable reply")
    run = run_of([outcome(1, *calls, failures=(failed,), failed_attempts=3)], ["one", "two"])
    table = cost_per_response([run])
    found = {judge: row(table, judge=judge, measure="seconds") for judge in ("one", "two", ALL_JUDGES)}
    assert {judge: one["total"] for judge, one in found.items()} == {"one": 110, "two": 101, ALL_JUDGES: 111}
    assert {judge: one["failed"] for judge, one in found.items()} == {"one": 0, "two": 1, ALL_JUDGES: 1}
    assert row(table, judge=ALL_JUDGES, measure="failed_attempts")["total"] == 3
    apart = row(table, judge="one", measure="failed_attempts")
    assert math.isnan(apart["total"])
    assert apart["reason"] == "not known of each judge by itself"


def test_failed_responses_count_with_what_they_took_and_those_nobody_was_asked_about_stand_apart() -> None:
    failed = StageFailure(stage="step1", model="a", reason="no usable reply")
    refused = StageFailure(stage="input", model="", reason="empty")
    outcomes = [
        outcome(1, call("analyst", "a", 8.0, (1, 0, 1, 0)), failures=(failed,), failed_attempts=2),
        outcome(2, call("judge", "j", 4.0, (1, 0, 1, 0))),
        outcome(3, failures=(refused,)),
    ]
    table = cost_per_response([run_of(outcomes)])
    seconds = row(table, measure="seconds")
    assert (seconds["n"], seconds["failed"], seconds["not_asked"]) == (2, 1, 1)
    assert values(seconds) == pytest.approx([6, 7.8, 6, 12])
    assert row(table, measure="failed_attempts")["total"] == 2


def test_money_is_undefined_where_a_price_is_not_known() -> None:
    run = run_of([outcome(1, call("judge", "j", 1.0, (1, 0, 1, 0), None))])
    cost = row(cost_per_response([run]), measure="cost_usd")
    assert all(map(math.isnan, values(cost)))
    assert cost["reason"] == "no price is known of j"
    assert cost["n"] == 1


def test_a_run_that_asked_nobody_has_no_values() -> None:
    table = cost_per_response([run_of([])])
    assert set(table["reason"]) == {"nobody was asked"}
    assert set(table["n"]) == {0}
    assert table["p50"].isna().all()
    assert [*cost_per_response([]).columns] == COST_COLUMNS


def test_uses_share_their_calls_and_blank_ones_are_not_asked_about() -> None:
    three, alone = call("judge", "j", 6.0, (30, 0, 3, 0)), call("judge", "j", 10.0, (10, 0, 1, 0))
    shared = [three.model_copy(update={"shared_by": 3, "counted": n == 1}) for n in (1, 2, 3)]
    outcomes = [
        *(outcome(n, own) for n, own in enumerate(shared, 1)),
        outcome(4),
        outcome(5, alone),
        outcome(6),
    ]
    run = run_of(outcomes, task="aut")
    table = cost_per_response([run])
    # 2, 2, 2 and 10 seconds.
    use = row(table, per="use", measure="seconds")
    assert (use["n"], use["not_asked"], use["p50"]) == (4, 2, 2)
    assert use["p95"] == pytest.approx(2 + 0.85 * 8)
    assert (use["mean"], use["total"]) == (4, 16)
    assert row(table, per="use", measure="calls")["total"] == pytest.approx(2)
    # Where calls are summed, each counts once.
    assert (len(run.calls), run.summary.tokens["all"].seconds) == (2, 16)


def test_a_run_that_was_replayed_keeps_the_seconds_and_tokens_of_its_calls(tmp_path: Path) -> None:
    first, again = (
        cost_per_response([booklets.scored(tmp_path, booklets.booklet(), judges=ScriptedModel())])
        for _ in range(2)
    )
    # Every scripted reply takes half a second, 100 tokens of which 40 are cached, and 10 more.
    assert row(first, measure="seconds")["total"] == 3.5
    assert row(first, measure="tokens")["total"] == 770
    assert row(first, measure="cached_tokens")["total"] == 280
    assert first.equals(again)
