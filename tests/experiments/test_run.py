"""Making the runs of a grid: what is shared, kept, resumed, and what happens where a cell cannot go on."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from creaeval.errors import DataError, PermanentCallError, SettingError
from creaeval.experiments import (
    Planned,
    RunEnd,
    cells,
    find_status,
    load_results,
    make_runs,
    plan_experiment,
    run_experiment,
)
from creaeval.llm import Ledger
from creaeval.runs import RunStore
from experiments.grids import NAMES, Priced, block, experiment
from scripted import ScriptedModel

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from creaeval.llm import ChatRequest

Models = dict[str, ScriptedModel]


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(tmp_path / "ledger.db") as opened:
        yield opened


def states(ends: tuple[RunEnd, ...]) -> list[str]:
    return [end.state for end in ends]


def test_every_data_set_method_analyst_and_setting_is_crossed(tmp_path: Path) -> None:
    found = experiment(
        tmp_path,
        grid=[
            block(
                method=["direct", "creaeval"],
                analyst=["x", "y"],
                judges=["j", "k"],
                settings={"analyst.temperature": [0.2, 0.5], "judge.seed": [1, 2, 3]},
                evidence_repeats=2,
            )
        ],
    )
    grid = cells(found)
    # direct asks no analyst: 3 seeds. creaeval: 2 analysts x 2 temperatures x 3 seeds.
    assert [cell.method for cell in grid] == ["direct"] * 3 + ["creaeval"] * 12
    assert {(cell.analyst, cell.evidence_repeats) for cell in grid[:3]} == {(None, 1)}
    assert len({(cell.analyst, cell.settings) for cell in grid[3:]}) == 12
    assert grid[-1].label == (
        "b: all, creaeval, analyst y, judges j, k, analyst.temperature=0.5, judge.seed=3, evidence 2 times"
    )


def test_a_run_that_differs_only_in_its_judges_repeats_no_call_of_the_analyst(
    tmp_path: Path, models: Models, ledger: Ledger
) -> None:
    grid = [
        block("first"),
        block("other", method="direct"),
        block("second", judges=["scripted:j", "scripted:k"]),
    ]
    ends = run_experiment(experiment(tmp_path, grid=grid), ledger)
    # Two responses of two steps. Runs of one analyst follow each other.
    assert [end.planned.cells[0].block for end in ends] == ["first", "second", "other"]
    assert states(ends) == ["finished"] * 3
    assert len(models["a"].requests) == 4
    # j judges the evidence once and the responses themselves once, k the evidence.
    assert (len(models["j"].requests), len(models["k"].requests)) == (4, 2)


def test_other_temperatures_of_the_judge_ask_no_analyst_again(
    tmp_path: Path, models: Models, ledger: Ledger
) -> None:
    grid = [block(settings={"judge.temperature": [0.2, 0.5, 0.8]})]
    run_experiment(experiment(tmp_path, grid=grid), ledger)
    assert (len(models["a"].requests), len(models["j"].requests)) == (4, 6)


def test_equal_cells_of_two_blocks_are_one_run_and_a_finished_one_is_kept(
    tmp_path: Path, models: Models, ledger: Ledger
) -> None:
    given = experiment(tmp_path, grid=[block("first"), block("again")])
    (end,) = run_experiment(given, ledger)
    assert [cell.block for cell in end.planned.cells] == ["first", "again"]
    updated = RunStore(ledger).list()[0].updated
    (again,) = run_experiment(given, ledger)
    assert (again.state, again.scored, again.failed) == ("kept", 2, 0)
    assert RunStore(ledger).list()[0].updated == updated
    assert len(models["a"].requests) == 4


def test_failed_responses_are_asked_again_by_the_same_command(
    tmp_path: Path, models: Models, ledger: Ledger
) -> None:
    broken = [True]
    models["j"] = ScriptedModel(
        "scripted:j",
        invalid=lambda request: 99 if broken[0] and "r2" in str(request) else 0,
        write=lambda _: "r2",
    )
    given = experiment(tmp_path, grid=[block(method="direct")])
    (end,) = run_experiment(given, ledger)
    assert (end.state, end.scored, end.failed) == ("finished", 1, 1)
    before, broken[0] = len(models["j"].requests), False
    (end,) = run_experiment(given, ledger)
    assert (end.state, end.scored, end.failed) == ("finished", 2, 0)
    assert len(models["j"].requests) == before + 1


def test_a_bad_key_stops_its_own_cells_and_no_other(tmp_path: Path, models: Models, ledger: Ledger) -> None:
    def refuse(request: ChatRequest) -> Exception:
        return PermanentCallError("k: the key is not accepted.")

    models["k"] = ScriptedModel("scripted:k", fails=refuse)
    grid = [block("bad", judges="scripted:k"), block("good")]
    bad, good = run_experiment(experiment(tmp_path, grid=grid), ledger)
    assert (bad.state, bad.error) == ("failed", "k: the key is not accepted.")
    assert (good.state, good.scored) == ("finished", 2)
    # What the first cell's analyst had gathered serves the second, too.
    assert len(models["a"].requests) == 4


def test_the_problems_of_all_cells_are_said_together_and_nothing_is_asked(
    tmp_path: Path, models: Models, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DEEPSEEK_API_KEY", raising=False)
    grid = [
        block("fine"),
        block("key", judges=["deepseek:m", "scripted:j"]),
        block("twice", judges=["scripted:j", "scripted:j"]),
        block("examples", examples="none.csv", method="direct"),
    ]
    data = {
        "all": {"task": "mine.yaml", "responses": "responses.json"},
        "lost": {"task": "mine.yaml", "responses": "lost.json"},
    }
    given = experiment(tmp_path, grid=[*grid, block("lost", data="lost")], data=data)
    with pytest.raises(SettingError) as caught:
        run_experiment(given, ledger)
    words = "\n".join(caught.value.problems)
    assert "set DEEPSEEK_API_KEY" in words
    assert "twice: all, creaeval" in words
    assert "Each judge can be named once" in words
    assert "none.csv" in words
    assert "data set 'lost': " in words
    assert models["a"].requests == []
    assert RunStore(ledger).list() == []


def test_a_key_may_lack_where_nothing_is_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DEEPSEEK_API_KEY", raising=False)
    given = experiment(tmp_path, grid=[block(method="direct", judges="deepseek:m")])
    assert len(plan_experiment(given, to_run=False, check=False).runs) == 1


def test_ratings_that_cannot_be_read_are_said_before_anything_is_asked(
    tmp_path: Path, models: Models, ledger: Ledger
) -> None:
    data = {"all": {"task": "mine.yaml", "responses": "responses.json", "ratings": "lost.csv"}}
    given = experiment(tmp_path, data=data, grid=[block()])
    with pytest.raises(SettingError, match=r"lost\.csv: there is no such file"):
        run_experiment(given, ledger)
    assert models["a"].requests == []
    # Where runs stand can be seen without.
    (line,) = find_status(plan_experiment(given, to_run=False, check=False), RunStore(ledger)).runs
    assert line.state == "not begun"


def test_a_template_is_enough_for_an_estimate_and_not_for_a_run(
    tmp_path: Path, models: Models, ledger: Ledger
) -> None:
    data = {"all": {"task": "mine.yaml", "count": 50, "template": "responses.json"}}
    given = experiment(tmp_path, data=data, grid=[block()])
    (planned,) = plan_experiment(given, to_run=False).runs
    assert planned.pretended == 50
    with pytest.raises(SettingError, match="its responses are not at hand: count 50 and the template"):
        run_experiment(given, ledger)
    (line,) = find_status(plan_experiment(given, to_run=False), RunStore(ledger)).runs
    assert (line.state, line.wanted) == ("not at hand", 50)


def test_only_keeps_responses_by_a_column_and_blocks_by_name(
    tmp_path: Path, models: Models, ledger: Ledger
) -> None:
    data = {"all": {"task": "mine.yaml", "responses": "responses.json", "only": {"group": "a"}}}
    given = experiment(tmp_path, 5, data=data, grid=[block("x"), block("y", method="direct")])
    (end,) = run_experiment(given, ledger, only=["y"])
    assert end.run is not None
    assert list(end.run.metadata) == ["r1", "r3", "r5"]
    with pytest.raises(SettingError, match="there is no block 'z'; its blocks are x, y"):
        plan_experiment(given, only=["z"])
    none = given.model_copy(
        update={"data": {"all": given.data["all"].model_copy(update={"only": {"group": ("q",)}})}}
    )
    with pytest.raises(SettingError, match=r"no response is left of 5 by 'only'.*Columns they carry: group"):
        plan_experiment(none)


def test_cells_of_a_method_that_needs_training_are_named_and_not_run(
    tmp_path: Path, models: Models, ledger: Ledger
) -> None:
    given = experiment(tmp_path, grid=[block(method=["direct", "sft"])])
    planned = plan_experiment(given)
    assert [cell.method for cell in planned.untrained] == ["sft"]
    assert states(make_runs(planned, ledger)) == ["finished"]


def test_the_status_counts_a_shared_call_once_in_the_sum(
    tmp_path: Path, models: Models, ledger: Ledger
) -> None:
    models |= {name: Priced(f"scripted:{name}", answer=NAMES) for name in "ajk"}
    grid = [block("first"), block("second", judges="scripted:k"), block("third", method="direct")]
    given = experiment(tmp_path, grid=grid)
    run_experiment(given, ledger, only=["first", "second"])
    found = find_status(plan_experiment(given, to_run=False), RunStore(ledger))
    # A dollar a call: four of the analyst and two of a judge in each run.
    assert [(one.state, one.scored, one.failed, one.cost_usd) for one in found.runs] == [
        ("finished", 2, 0, 6.0),
        ("finished", 2, 0, 6.0),
        ("not begun", 0, 0, 0.0),
    ]
    assert (found.cost_usd, found.unpriced) == (8.0, 0)


def test_results_hold_runs_recorded_scores_and_ratings_of_the_wanted_responses(
    tmp_path: Path, models: Models, ledger: Ledger
) -> None:
    rows = ["response_id,rater,stage,dimension,score"]
    rows += [
        f"r{k},A,{stage},{d},3"
        for k in range(1, 5)
        for stage in ("blind", "later")
        for d in ("depth", "width")
    ]
    data = {
        "all": {
            "task": "mine.yaml",
            "responses": "responses.json",
            "ratings": "ratings.csv",
            "rating_stage": "blind",
            "scores": "elsewhere.csv",
            "only": {"group": "b"},
        }
    }
    scores = ["response_id,judge,method,dimension,score,group"]
    scores += [f"r{k},m,other,{d},2,{'ab'[k % 2 == 0]}" for k in range(1, 5) for d in ("depth", "width")]
    given = experiment(tmp_path, 4, data=data, grid=[block("done"), block("open", method="direct")])
    (tmp_path / "ratings.csv").write_text("\n".join(rows))
    (tmp_path / "elsewhere.csv").write_text("\n".join(scores))
    run_experiment(given, ledger, only=["done"])
    found = load_results(given, RunStore(ledger))["all"]
    ((cell, run),) = found.runs
    assert (cell.block, list(run.metadata)) == ("done", ["r2", "r4"])
    assert [cell.block for cell in found.missing] == ["open"]
    (recorded,) = found.recorded
    assert {sheet.response_id for sheet in recorded.sheets} == {"r2", "r4"}
    assert {(one.response_id, one.stage) for one in found.ratings} == {("r2", "blind"), ("r4", "blind")}
    assert found.task.id == "mine"
    unknown = given.data["all"].model_copy(update={"rating_stage": "calibrated"})
    with pytest.raises(DataError, match=r"no rating is of the stage 'calibrated'.*found blind, later"):
        load_results(given.model_copy(update={"data": {"all": unknown}}), RunStore(ledger))


def test_the_same_grid_plans_the_same_runs(tmp_path: Path, models: Models) -> None:
    def ids(planned: Planned) -> list[str]:
        return [one.plan.run_id for one in planned.runs]

    given = experiment(tmp_path, grid=[block(method=["direct", "creaeval"])])
    assert ids(plan_experiment(given)) == ids(plan_experiment(given, to_run=False))
    # What is written decides, not where it stands.
    (tmp_path / "responses.json").write_text(
        json.dumps(json.loads((tmp_path / "responses.json").read_text()), indent=3)
    )
    assert ids(plan_experiment(given)) == ids(plan_experiment(given, to_run=False))
