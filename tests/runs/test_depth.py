"""How much evidence a run gathers: chosen by its analyst, part of its identity, refused where unfit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import creaeval
from booklets import booklet, cgpst, scenarios
from creaeval.errors import SettingError
from creaeval.methods import Options
from creaeval.runs import make_plan
from creaeval.runs.manifest import describe_plan
from scripted import ScriptedModel

if TYPE_CHECKING:
    from pathlib import Path

    from creaeval.runs import Plan
    from creaeval.sheets import Depth

LOCAL = {"provider": "local", "base_url": "", "model": "some.gguf"}


def plan(analyst: ScriptedModel | None = None, method: str = "creaeval", **options: Any) -> Plan:
    model = analyst or ScriptedModel()
    return make_plan(
        task=cgpst(),
        responses=[booklet()],
        scenarios=scenarios(),
        analyst=model,
        judges=[options.pop("judge", ScriptedModel("scripted:judge"))],
        method=method,
        settings=options.pop("settings", {}),
        options=Options(**options),
    )


def test_evidence_is_brief_by_a_local_analyst_and_full_by_all_others_unless_it_is_named() -> None:
    local = ScriptedModel("local:some.gguf", identity=LOCAL)
    assert plan().options.evidence == "full"
    assert plan(local).options.evidence == "brief"
    assert plan(local, evidence="full").options.evidence == "full"
    assert plan(evidence="brief").options.evidence == "brief"
    # Where no analyst is asked there is no evidence.
    assert plan(method="direct").options.evidence is None


def test_depth_and_what_is_done_with_copies_are_part_of_a_runs_identity() -> None:
    plans = [plan(), plan(evidence="brief"), plan(copied="again")]
    assert len({one.run_id for one in plans}) == 3
    assert plan(evidence="full").run_id == plan().run_id
    record = describe_plan(plan(copied="again"))
    assert (record["evidence"], record["copied"]) == ("full", "again")
    assert "evidence" not in describe_plan(plan(method="direct"))


@pytest.mark.parametrize(
    ("options", "said"),
    [({"evidence": "full"}, "--evidence"), ({"copied": "again"}, "--copied")],
)
def test_a_method_without_an_analyst_takes_neither(options: dict[str, Any], said: str) -> None:
    with pytest.raises(SettingError, match=f"{said} is for methods that gather evidence; direct gathers"):
        plan(method="direct", **options)


def test_full_evidence_has_twice_the_usual_limit_unless_the_user_names_one() -> None:
    def limits(**options: Any) -> list[int]:
        return [role.settings.max_tokens for _, role in plan(**options).roles]

    assert limits() == [8192, 4096]
    assert limits(evidence="brief") == [4096, 4096]
    assert limits(settings={"max_tokens": 4096}) == [4096, 4096]
    assert limits(settings={"analyst.max_tokens": 3000}) == [3000, 4096]


class Trained(ScriptedModel):
    """A judge whose card names the depth of the evidence that it was trained on."""

    def __init__(self, evidence: str) -> None:
        super().__init__("hf:trained", identity={"provider": "hf", "base_url": "", "model": "trained"})
        self.evidence = evidence


@pytest.mark.parametrize("depth", ["full", "brief"])
def test_a_judge_trained_on_evidence_reads_what_it_was_trained_on_and_nothing_else(depth: Depth) -> None:
    other = "brief" if depth == "full" else "full"
    judge = Trained(depth)
    assert plan(method="sft-evidence", judge=judge).options.evidence == depth
    assert plan(method="sft-evidence", judge=judge, evidence=depth).options.evidence == depth
    with pytest.raises(SettingError, match=f"trained on {depth} evidence, as its card says"):
        plan(method="sft-evidence", judge=judge, evidence=other)


def test_python_takes_both_options(tmp_path: Path) -> None:
    model = ScriptedModel()
    run = creaeval.score(
        [booklet()],
        scenarios=scenarios(),
        analyst=model,
        judges=model,
        evidence="brief",
        copied="again",
        ledger=tmp_path / "l.db",
    )
    assert (run.manifest["evidence"], run.manifest["copied"]) == ("brief", "again")
    assert "one sentence" in model.requests[0].system
