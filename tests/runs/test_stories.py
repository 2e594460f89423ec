"""Stories judged by fourteen yes/no tests, from the public form of the files to agreement with experts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import creaeval
from creaeval.agreement import agree
from creaeval.data import read_ratings
from creaeval.errors import SettingError
from creaeval.methods import Options
from creaeval.runs import prepare
from creaeval.runs.manifest import describe_plan
from creaeval.tasks import load_task
from scripted import ScriptedModel, text_of

if TYPE_CHECKING:
    from pathlib import Path

    from creaeval.runs import Plan

TTCW = load_task("ttcw")
TESTS = [dimension.id for dimension in TTCW.steps[0].dimensions]


def stories(folder: Path) -> Path:
    lines = [
        {"story_id": f"{n}_A", "plot_idx": n, "plot": f"Plot {n}.", "source": "a", "text": text}
        for n, text in enumerate(["One story.", None, "Another one."])
    ]
    path = folder / "stories.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_stories_are_scored_and_those_that_are_not_distributed_are_refused(tmp_path: Path) -> None:
    path = stories(tmp_path)
    passed = {f"ttcw_scores.story.{name}": 1 for name in (*TESTS[:2], TESTS[8])}
    judge = ScriptedModel("j", values=passed)
    run = creaeval.score(
        path, task=TTCW, scenarios=path, method="direct", judges=[judge], ledger=tmp_path / "l.db"
    )
    wide = run.scores_wide.set_index("response_id")
    groups = [f"story.{name}" for name in ("fluency", "flexibility", "originality", "elaboration")]
    row = wide[[*(name.replace(".", "_") for name in groups), "total", "plot_idx", "source"]].loc["0_A"]
    assert list(row) == [2, 0, 1, 0, 3, "0", "a"]
    (reason,) = run.failures["reason"]
    assert reason == "stories.jsonl: response '1_A' is empty; no step has any text."
    assert ["Plot 0." in text_of(request) for request in judge.requests].count(True) == 1

    verdicts = [
        f"{story},{n},{rater},{'Yes' if n <= given else 'No'}"
        for story, given in (("0_A", 2), ("2_A", 4))
        for rater in "xy"
        for n in range(1, 15)
    ]
    ratings = tmp_path / "experts.csv"
    ratings.write_text("\n".join(["story_id,ttcw_idx,rater,verdict", *verdicts]), encoding="utf-8")
    report = agree(TTCW, [run], read_ratings(ratings, TTCW), measures=["bias"], resamples=0)
    means = report.tables["means"].set_index(["judge", "dimension"])["value"]
    assert report.dimensions == tuple(groups)
    # The judge passes two tests of fluency and one of originality, the experts two and four of fluency.
    assert [means["j"][name] for name in groups] == [-1, 0, 1, 0]


def test_a_reference_cutoff_belongs_to_the_run_and_to_one_method(tmp_path: Path) -> None:
    path = stories(tmp_path)

    def plan(cutoff: float, method: str = "reference") -> Plan:
        judge = ScriptedModel("j")
        return prepare(
            path,
            task=TTCW,
            scenarios=path,
            analyst=judge,
            judges=[judge],
            method=method,
            options=Options(reference_cutoff=cutoff),
        )

    strict = plan(0.5)
    assert {case.options.reference_cutoff for case in strict.cases} == {0.5}
    assert strict.run_id != plan(0).run_id
    assert describe_plan(strict)["reference_cutoff"] == 0.5
    with pytest.raises(SettingError, match="goes with the method reference, not with direct"):
        plan(0.5, "direct")
    with pytest.raises(SettingError, match=r"found 2\.5, expected a number from -2 to 2"):
        plan(2.5)
