"""Two runs side by side: what is averaged, counted, looked up and refused."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest

from booklets import cgpst, marked, scored
from creaeval.agreement.options import AgreementOptions
from creaeval.agreement.runs.compare_runs import compare_runs
from creaeval.agreement.runs.conditions import check_conditions, read_conditions
from creaeval.agreement.runs.largest import evidence_text
from creaeval.agreement.runs.run_records import changed_responses, differing_settings
from creaeval.data import Rating, Scores
from creaeval.errors import SettingError
from creaeval.methods import Outcome
from creaeval.runs import Run
from creaeval.sheets import ScoreSheet, StepScores
from creaeval.sheets.evidence import DimensionEvidence, Evidence, ItemEvidence, Quote, StepEvidence
from creaeval.tasks import load_task
from runs.test_batching import run_of, scores_reply
from scripted import ScriptedModel

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from creaeval.llm import ChatRequest

    Given = Mapping[str, Sequence[float | None]]


NONE, FEW = AgreementOptions(resamples=0), AgreementOptions(resamples=50)


def sheets(given: Given, part: str = "focus") -> list[ScoreSheet]:
    """Sheets of R0, R1 ... by scorer; None has no sheet."""
    return [
        ScoreSheet(
            response_id=f"R{number}", scorer=scorer, steps=(StepScores(step="step2", written={part: points}),)
        )
        for scorer, values in given.items()
        for number, points in enumerate(values)
        if points is not None
    ]


def scores(given: Given, part: str = "focus", carried: dict[str, dict[str, str]] | None = None) -> Scores:
    return Scores("m", tuple(sheets(given, part)), carried or {}, "file.csv")


def ratings(given: Given) -> list[Rating]:
    return [
        Rating(response_id=sheet.response_id, rater=sheet.scorer, sheet=sheet, source="r.csv")
        for sheet in sheets(given)
    ]


def row(table: pd.DataFrame, dimension: str) -> Any:
    chosen = table[table["dimension"].eq(dimension)]
    assert len(chosen) == 1
    return chosen.iloc[0]


def test_judges_are_averaged_where_all_of_them_scored() -> None:
    first = scores({"j": [2, 4, 6, 8], "k": [4, 4, None, 8]})
    found = compare_runs(cgpst(), first, scores({"l": [2, 3, 4, 5]}), options=AgreementOptions(resamples=50))
    of = row(found.tables["differences"], "step2.focus")
    # R2 has one of two judges, so it has no value: (3 + 4 + 8) / 3 and (2 + 3 + 5) / 3.
    assert (of["mean_a"], of["mean_b"]) == pytest.approx((5, 10 / 3))
    assert (of["n"], of["n_missing"]) == (3, 1)
    # Differences 1, 1, 3; variances 7 and 7 / 3.
    assert of["standardized"] == pytest.approx((5 / 3) / math.sqrt((7 + 7 / 3) / 2))
    assert "fewer than 5" in of["reason"]
    assert math.isnan(of["low"])


def test_the_interval_is_that_of_a_bootstrap_of_the_differences() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.integers(1, 11, size=(2, 40)).astype(float)
    found = compare_runs(
        cgpst(), scores({"j": list(a)}), scores({"j": list(b)}), options=AgreementOptions(resamples=4000)
    )
    of = row(found.tables["differences"], "step2.focus")
    drawn = (a - b)[rng.integers(0, 40, size=(4000, 40))].mean(axis=1)
    assert (of["low"], of["high"]) == pytest.approx(tuple(np.quantile(drawn, [0.025, 0.975])), abs=0.15)
    assert of["equal"] == pytest.approx((a == b).mean())


def test_whole_clusters_are_drawn_and_few_of_them_are_warned_of() -> None:
    carried = {f"R{number}": {"plot": str(number // 2)} for number in range(12)}
    first = scores({"j": [1, 3] * 6}, carried=carried)
    second = scores({"j": [3, 1] * 6}, carried=carried)
    found = compare_runs(cgpst(), first, second, options=AgreementOptions(cluster=("plot",), resamples=200))
    of = row(found.tables["differences"], "step2.focus")
    # -2 and 2 in each cluster, so that every resample of whole clusters is 0.
    assert (of["difference"], of["reason"]) == (0, "no interval: all resamples are equal")
    assert math.isnan(of["low"])
    assert any("Only 6 clusters" in note for note in found.notes)
    with pytest.raises(SettingError, match="no such column; they carry plot"):
        compare_runs(cgpst(), first, second, options=AgreementOptions(cluster=("scenario",)))


def test_of_panels_the_judges_of_both_runs_are_compared_and_that_is_said() -> None:
    people = ratings({"P": [1, 2, 3, 4, 5, 7], "Q": [1, 2, 2, 4, 5, 6]})
    near, far = [1, 2, 3, 4, 6, 6], [3, 1, 3, 4, 4, 3]
    first = scores({"j": [1, 2, 3, 4, 5, 6]})
    shared, single = (
        compare_runs(cgpst(), first, scores(of), people, FEW).tables["agreement"]
        for of in ({"j": near, "k": far}, {"j": near})
    )
    pd.testing.assert_frame_equal(shared.drop(columns="reason"), single.drop(columns="reason"))
    assert set(shared["reason"]) == {"without B: k, since the other method has no such judge"}
    apart = compare_runs(cgpst(), first, scores({"k": near, "l": far}), people, FEW).tables["agreement"]
    assert apart[["difference", "p"]].isna().all(axis=None)
    assert apart["second_value"].notna().all()
    assert set(apart["reason"]) == {"not compared: a panel is compared with a panel of the same judges only"}


def test_without_a_total_the_mean_is_over_dimensions() -> None:
    conditions = read_conditions(["mean drops 1", "mean drops 3"], with_ratings=False)
    found = compare_runs(
        cgpst(),
        scores({"j": [5, 6, 7, 8, 9]}),
        scores({"j": [3, 4, 5, 6, 7]}),
        conditions=conditions,
        options=FEW,
    )
    checked = found.tables["conditions"]
    assert checked["change"].tolist() == [-2, -2]
    assert checked["failed"].tolist() == [True, False]
    assert checked["n"].tolist() == [5, 5]


def test_a_change_that_all_resamples_share_fails_only_where_it_is_unwanted() -> None:
    conditions = read_conditions(["mean surely drops 0.1", "mean surely rises 0.1"], with_ratings=False)
    first, options = scores({"j": [2, 3, 4, 5, 6]}), AgreementOptions(resamples=50)
    for second, failed in ((first, [False, False]), (scores({"j": [1, 2, 3, 4, 5]}), [True, False])):
        found = compare_runs(cgpst(), first, second, options=options, conditions=conditions)
        assert found.tables["conditions"]["failed"].tolist() == failed


def test_surely_takes_the_end_of_the_interval() -> None:
    row = {"dimension": "total", "mean_a": 10.0, "mean_b": 8.0, "low": 0.5, "high": 3.5, "n": 9, "reason": ""}
    texts = ["mean drops 2", "mean surely drops 0.5", "mean surely drops 0.6", "mean surely rises 0"]
    texts += ["mean drops 20%", "mean surely drops 5%", "mean surely drops 6%"]
    found = check_conditions(
        read_conditions(texts, with_ratings=False),
        {"differences": pd.DataFrame([row]), "usage": pd.DataFrame()},
    )
    # B minus A is -2, from -3.5 to -0.5.
    assert (found.loc[0, "low"], found.loc[0, "high"]) == (-3.5, -0.5)
    assert found["failed"].tolist() == [True, True, False, False, True, True, False]
    assert found.loc[4, "limit"] == -2


def test_averages_over_different_dimensions_fail() -> None:
    rows = [
        ("AVG", "pearson", 0.5, 0.9, 9, ""),
        ("step1.fluency", "pearson", 0.1, math.nan, 9, "constant"),
        ("step2.focus", "pearson", 0.9, 0.9, 9, ""),
    ]
    columns = ["dimension", "metric", "first_value", "second_value", "n", "reason"]
    table = pd.DataFrame(rows, columns=columns).assign(low=math.nan, high=math.nan)
    found = check_conditions(read_conditions(["pearson drops 0.1"], with_ratings=True), {"agreement": table})
    assert found["failed"].tolist() == [True]
    assert found.loc[0, "reason"] == "not comparable: defined for one of the runs only in step1.fluency"


def test_evidence_is_told_item_by_item_and_group_by_member() -> None:
    def finding(said: str, *quotes: Quote) -> DimensionEvidence:
        return DimensionEvidence(observation=said, status="present", quotes=quotes)

    exact = Quote(text="fog nets", outcome="exact", similarity=100)
    missing = Quote(text="no", outcome="not found", similarity=0)

    evidence = Evidence(
        response_id="R0",
        steps=(
            StepEvidence(
                step="step1",
                items=(
                    ItemEvidence(item=1, dimensions={"originality": finding("rare", exact)}),
                    ItemEvidence(item=2, blank=True),
                    ItemEvidence(item=3, dimensions={"originality": finding("usual\nagain", missing)}),
                ),
            ),
            StepEvidence(
                step="step2", dimensions={"purpose": finding("clear"), "stem_kvp": finding("one verb")}
            ),
        ),
    )
    outcome = Outcome(response_id="R0", evidence=evidence)
    assert evidence_text(cgpst(), outcome, "step1.originality") == (
        "[1] rare “fog nets” [3] usual again “no” (not found)"
    )
    members = next(group.members for group in cgpst().step("step2").groups if group.id == "integrity")
    said = evidence_text(cgpst(), outcome, "step2.integrity")
    assert sorted(said.split()) == sorted(
        " ".join(
            text for name, text in (("purpose", "clear"), ("stem_kvp", "one verb")) if name in members
        ).split()
    )
    assert evidence_text(cgpst(), Outcome(response_id="R0"), "step2.focus") == ""
    assert evidence_text(cgpst(), outcome, "step3.fluency") == ""


@pytest.mark.parametrize(
    ("quote", "expected"),
    [
        (
            Quote(text="fog nets", outcome="elsewhere", similarity=100, place="item_2"),
            "“fog nets” (in item_2)",
        ),
        (
            Quote(text="a fog nets", outcome="nearly", similarity=95, words="the fog nets"),
            "[nearly: a fog nets; written: the fog nets]",
        ),
        (
            Quote(text="a fog nets", outcome="elsewhere", similarity=95, words="the fog nets", place="step3"),
            "[nearly in step3: a fog nets; written: the fog nets]",
        ),
        # As earlier versions kept it.
        (Quote(text="a fog nets", outcome="nearly", similarity=95), "[nearly: a fog nets]"),
    ],
)
def test_a_quote_that_is_not_word_for_word_stands_in_no_quotation_marks(quote: Quote, expected: str) -> None:
    finding = DimensionEvidence(observation="clear", status="present", quotes=(quote,))
    evidence = Evidence(response_id="R0", steps=(StepEvidence(step="step2", dimensions={"focus": finding}),))
    outcome = Outcome(response_id="R0", evidence=evidence)
    assert evidence_text(cgpst(), outcome, "step2.focus") == f"clear {expected}"


def run(manifest: Mapping[str, Any], task: str = "cgpst") -> Run:
    return Run("0123456789", "finished", load_task(task), manifest, (), {})


def test_settings_that_differ_are_told_by_their_place() -> None:
    judge = {"name": "openai:x", "settings": {"temperature": 0.0, "seed": None}}
    a = {
        "task": "cgpst",
        "method": "creaeval",
        "judges": [judge],
        "prompts_sha256": {"judge.jinja": "a" * 64, "step.jinja": "b" * 64},
        "versions": {"creaeval": "1.0"},
        "started": "now",
        "responses": [{"id": "R0", "sha256": "1"}, {"id": "R1", "sha256": "2"}],
    }
    b = {
        **a,
        "judges": [{**judge, "settings": {"temperature": 0.7, "seed": None}}],
        "prompts_sha256": {"judge.jinja": "c" * 64, "step.jinja": "b" * 64},
        "evidence_repeats": 2,
        "started": "then",
        "responses": [{"id": "R1", "sha256": "3"}, {"id": "R2", "sha256": "4"}],
    }
    found = differing_settings(run(a), run(b))
    assert found.to_numpy().tolist() == [
        ["prompts_sha256.judge.jinja", "a" * 12, "c" * 12],
        ["judge.settings.temperature", "0.0", "0.7"],
        ["evidence_repeats", "", "2"],
    ]
    assert changed_responses(run(a), run(b)) == ["R1"]
    two = {**a, "judges": [*a["judges"], {"name": "groq:y", "limits": {"concurrency": 2}}]}
    assert differing_settings(run(a), run(two)).to_numpy().tolist() == [["judge 2.name", "", "groq:y"]]
    # Of a file of scores no more is known than who scored.
    found = differing_settings(run(a), scores({"j": [1]}))
    assert found.to_numpy().tolist() == [["method", "creaeval", "m"], ["judges", "openai:x", "j"]]


def test_runs_of_other_tasks_and_conditions_without_ratings_are_refused(tmp_path: Path) -> None:
    whole = scored(tmp_path, marked("R0", "token"))
    with pytest.raises(SettingError, match="is of task cgpst, not of aut"):
        compare_runs(load_task("aut"), whole, whole)
    conditions = read_conditions(["qwk drops 1"], with_ratings=True)
    with pytest.raises(SettingError, match="on qwk needs ratings"):
        compare_runs(cgpst(), whole, whole, conditions=conditions)
    same = compare_runs(cgpst(), whole, whole)
    assert set(same.tables["differences"]["difference"]) == {0}
    assert len(same.tables["settings"]) == len(same.tables["largest"]) == 0


def test_a_run_without_any_score_fails_every_condition() -> None:
    carried: dict[str, dict[str, str]] = {f"R{number}": {} for number in range(6)}
    found = compare_runs(
        cgpst(),
        scores({"j": [1, 2, 3, 4, 5, 6]}),
        Scores("m", (), carried, "nothing"),
        ratings({"P": [1, 2, 3, 4, 5, 7]}),
        conditions=read_conditions(["qwk drops 0.1", "mean drops 1", "cost rises 1"], with_ratings=True),
        options=FEW,
    )
    checked = found.tables["conditions"]
    assert checked["failed"].tolist() == [True, True, True]
    assert checked["n"].tolist() == [0, 0, 0]
    assert checked["reason"].str.startswith("undefined: ").all()
    assert "Without a score in B: 6 of the 6 responses of both." in found.notes
    assert row(found.tables["differences"], "step2.focus")["reason"] == "no response has a value in both runs"


def test_runs_over_uses_have_a_row_a_use(tmp_path: Path) -> None:
    def of(folder: str, more: int) -> Run:
        def answer(request: ChatRequest) -> str:
            reply = json.loads(scores_reply(request))
            for one in reply["uses"]["items"].values():
                one["originality"] = min(5, one["originality"] + more)
            return json.dumps(reply)

        (tmp_path / folder).mkdir()
        return run_of(tmp_path / folder, judges=[ScriptedModel(f"j{more}", answer=answer)])

    found = compare_runs(load_task("aut"), of("a", 0), of("b", 1), options=NONE)
    # Of five uses two are blank; they get 2, 5 and 1, and 3, 5 (the highest) and 2.
    assert row(found.tables["differences"], "uses.originality")["difference"] == pytest.approx(-2 / 3)
    largest = found.tables["largest"]
    assert largest[["response_id", "a", "b", "share_of_scale"]].to_numpy().tolist() == [
        ["u1", 2, 3, 0.25],
        ["u5", 1, 2, 0.25],
    ]
    # Two calls of 110 tokens over five uses.
    usage = found.tables["usage"].set_index("measure")
    assert (usage.loc["tokens", "a"], usage.loc["tokens", "n_a"]) == (44, 5)
