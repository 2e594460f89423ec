"""The frames that figures are drawn from."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from agreement.tables import row, table
from agreement.test_verbosity import DIRECT, ESSAY, HUMAN, OTHER, lengths, ratings, scores
from booklets import booklet, scored, variant
from creaeval.agreement.options import AgreementOptions
from creaeval.agreement.runs.length_points import LENGTH_COLUMNS, length_points
from creaeval.agreement.runs.quotes import QUOTE_COLUMNS, quote_table
from creaeval.agreement.runs.verbosity import verbosity
from creaeval.agreement.scorers.calibration_intervals import INTERVAL_COLUMNS, calibration_intervals
from creaeval.agreement.scorers.heat import HEAT_COLUMNS, heat_counts
from creaeval.report.figures import length_scatter
from scripted import ScriptedModel

if TYPE_CHECKING:
    from pathlib import Path

POINTS = table(
    {
        ("judge", "one", "a"): [1, 2, 2, None],
        ("judge", "two", "a"): [1, 1, 2, 2],
        ("rater", "A", "a"): [1, 2, 3, 2],
        ("rater", "B", "a"): [1, None, 3, None],
    }
)


def test_heat_counts_pairs_of_each_judge_with_each_rater() -> None:
    counts = heat_counts(replace(POINTS, dimensions=("a", "b")))
    assert [*counts.columns] == HEAT_COLUMNS
    # R00: (1, 1) of two judges and two raters; R01: (2, 2) and (2, 1) with A alone; R02: (3, 2) four times;
    # R03: (2, 2) of judge two with A.
    of_a = counts[counts["dimension"] == "a"]
    cells = [tuple(cell) for cell in of_a[["human", "judge", "count"]].to_numpy().tolist()]
    assert cells == [(1, 1, 4), (2, 1, 1), (2, 2, 2), (3, 2, 4)]
    nothing = row(counts, dimension="b")
    assert nothing["count"] == 0
    assert math.isnan(nothing["human"])
    assert math.isnan(nothing["judge"])


def test_quotes_are_counted_and_shared_evidence_once(tmp_path: Path) -> None:
    there = booklet().steps["step1"].items[0].text[:40]

    def write(path: str) -> str:
        if path.endswith(".quotes"):
            return there if path.startswith("step1") else "these words stand nowhere in any booklet at all"
        return f"Canned {path}."

    run = scored(
        tmp_path,
        variant("R1"),
        analyst=ScriptedModel("scripted:analyst", write=write),
        judges=ScriptedModel(),
    )
    found = quote_table([run])
    assert [*found.columns] == QUOTE_COLUMNS
    assert set(found["analyst"]) == {"scripted:analyst"}
    evidence = run.outcomes[0].evidence
    assert evidence is not None
    assert found["quotes"].sum() == len(evidence.quotes) > 0
    first, second = (found[found["step"].eq(step)] for step in ("step1", "step2"))
    # The words stand in the first challenge alone, and are given for every one.
    assert [*first["exact"]] == [1, 1, 1, 0]
    assert [*first["elsewhere"]] == [5, 5, 5, 0]
    # One quote for each of six challenges; flexibility is made of their categories and has none.
    assert dict(zip(first["dimension"], first["quotes"], strict=True)) == {
        "step1.fluency": 6,
        "step1.elaboration": 6,
        "step1.originality": 6,
        "step1.flexibility": 0,
    }
    assert (second["quotes"] > 0).all()
    assert (second["not_found"] == second["quotes"]).all()
    assert (found["nearly"] == 0).all()
    # The same evidence, judged another way, is no other evidence; a run without an analyst has none.
    assert quote_table([run, replace(run, id="other")]).equals(found)
    direct = replace(run, manifest={**run.manifest, "analyst": None})
    assert quote_table([direct]).empty


def test_calibration_intervals_are_percentiles_over_responses() -> None:
    # At level 1 the raters gave 0 or 2 to five responses each: a resample's mean is 2k / 10, k binomial
    # given that ten of ten are at this level.
    points = table(
        {
            ("judge", "one", "a"): [1] * 10,
            ("rater", "A", "a"): [0] * 5 + [2] * 5,
        }
    )
    found = calibration_intervals(points, AgreementOptions(resamples=4000))
    assert [*found.columns] == INTERVAL_COLUMNS
    level, everything = found.iloc[0], found.iloc[1]
    assert (level["level"], level["n"], level["n_responses"]) == (1, 10, 10)
    # Binomial(10, 1/2): P(k <= 1) = .011, P(k <= 2) = .055, so the 2.5% point is 2, the 97.5% point 8.
    assert (level["low"], level["high"]) == pytest.approx((0.4, 1.6))
    assert math.isnan(everything["level"])
    assert (everything["low"], everything["high"]) == pytest.approx((0.4, 1.6))


def test_few_responses_have_no_interval_and_say_so() -> None:
    found = calibration_intervals(POINTS, AgreementOptions(resamples=50))
    assert found["low"].isna().all()
    assert np.isfinite(found["mean_human"]).all()
    assert set(found["reason"]) == {"no interval: fewer than 5 responses or clusters"}
    # R00 and R01 of judge two at level 1: pairs (1, 1), (1, 1), (1, 2).
    one = found[found["scorer"].eq("two") & found["level"].eq(1)].iloc[0]
    assert (one["n"], one["n_responses"]) == (3, 2)
    assert calibration_intervals(POINTS.select(units=[])).empty


def test_lengths_and_totals_are_those_that_verbosity_correlates() -> None:
    given = [scores("creaeval", j=[None, *OTHER[1:]]), scores("direct", j=DIRECT)]
    by = ratings(A=[*HUMAN[:-1], None])
    found = length_points(ESSAY, given, by, lengths())
    assert [*found.columns] == LENGTH_COLUMNS
    # R00 lacks a score of creaeval's, so that neither method has it; nobody rated R11.
    assert found["response_id"].tolist() == [f"R{n:02}" for n in range(1, 12)] * 2
    creaeval = found[found["method"].eq("creaeval")]
    assert creaeval["score"].tolist() == OTHER[1:]
    assert creaeval["human"].tolist()[:-1] == HUMAN[1:-1]
    assert math.isnan(creaeval["human"].iloc[-1])
    associations = verbosity(ESSAY, given, by, lengths(), options=AgreementOptions(resamples=0))
    pearson = row(associations, method="creaeval", measure="pearson")
    assert pearson["value"] == pytest.approx(np.corrcoef(creaeval["words"], creaeval["score"])[0, 1])
    assert pearson["n"] == len(creaeval)
    titles = [axes.get_title() for axes in length_scatter(found, associations).axes]
    assert [title.splitlines()[0] for title in titles] == ["creaeval", "direct"]
    assert "v direct" in titles[0]
    assert length_points(ESSAY, [], by, lengths()).empty
    # Ideas have 2 points on every sheet, also on the one without the other dimension.
    ideas = length_points(ESSAY, given, by, lengths(), dimension="text.ideas")
    assert (set(ideas["score"]), len(ideas)) == ({2.0}, 24)
    figure = length_scatter(ideas, associations, words="words, Text", score="Ideas")
    assert {one.get_text() for one in figure.texts} == {"words, Text", "Ideas"}
