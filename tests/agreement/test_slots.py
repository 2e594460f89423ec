"""Raters in slots, and the range that other ways of dealing them give."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from creaeval.agreement.agreement import measure_agreement
from creaeval.agreement.pair_values import AVG, HUMAN, Resampling
from creaeval.agreement.points import COLUMNS
from creaeval.agreement.slots import needs_slots, put_into_slots, swap_slots
from ttcw_data import DIMENSIONS, Ttcw, blank_is_no, counts, read_ttcw


def table(rows: list[tuple[str, str, float]], judge: list[tuple[str, float]] | None = None) -> pd.DataFrame:
    points = [
        *((one, "j", "judge", "m", "d", value) for one, value in judge or []),
        *((one, rater, "rater", "", "d", value) for one, rater, value in rows),
    ]
    return pd.DataFrame(points, columns=COLUMNS).astype({"points": float})


def test_slots_are_needed_where_there_are_more_raters_than_any_response_has() -> None:
    crossed = [("R1", "A", 1.0), ("R1", "B", 2.0), ("R2", "A", 3.0), ("R2", "B", 1.0), ("R3", "A", 2.0)]
    assert not needs_slots(table(crossed))
    assert needs_slots(table([*crossed, ("R3", "C", 2.0)]))


def test_raters_of_a_response_fill_slots_in_the_order_of_their_names() -> None:
    points = table([("R1", "10", 5), ("R1", "9", 4), ("R2", "Zoe", 1), ("R2", "2", 2)], [("R1", 3)])
    slots = put_into_slots(points)
    raters = slots[slots["kind"] == "rater"]
    found = {(row.response_id, row.scorer): row.points for row in raters.itertuples()}
    assert found == {("R1", "slot 1"): 4, ("R1", "slot 2"): 5, ("R2", "slot 1"): 2, ("R2", "slot 2"): 1}
    assert list(slots.loc[slots["kind"] == "judge", "scorer"]) == ["j"]


def test_dealing_anew_gives_the_range_of_all_ways() -> None:
    # Two responses, so two ways that differ: r of the slots is 1 as dealt and -1 with one of them swapped.
    points = table([("R1", "A", 1), ("R1", "B", 2), ("R2", "C", 3), ("R2", "D", 4)])
    found = swap_slots(put_into_slots(points), ["d"], measures=["pearson", "bias"], n_assignments=50)
    r = found[(found["metric"] == "pearson") & (found["dimension"] == AVG)].iloc[0]
    assert (r["judge"], r["value"], r["lowest"], r["highest"]) == (HUMAN, pytest.approx(1), 1, 1)
    bias = found[(found["metric"] == "bias") & (found["dimension"] == "d")].iloc[0]
    # Slot 1 less slot 2: -1 and -1 as dealt; swapping one or both gives 0 or 1.
    assert (bias["value"], bias["lowest"], bias["highest"]) == (-1, -1, 1)
    assert (bias["assignments"], bias["n"]) == (50, 2)


def points_of(data: Ttcw) -> pd.DataFrame:
    """Dimension counts of experts (slots) and judges, blank verdicts as No."""
    rows = [
        (story, scorer, kind, "recorded" if kind == "judge" else "", dimension, value)
        for dimension, tests in DIMENSIONS.items()
        for kind, scorer, verdicts in (
            *(("rater", f"slot {slot + 1}", data.experts[:, :, slot]) for slot in range(3)),
            *(("judge", name, blank_is_no(of_judge)) for name, of_judge in data.judges.items()),
        )
        for story, value in zip(data.stories, counts(verdicts, tests), strict=True)
    ]
    return pd.DataFrame(rows, columns=COLUMNS).astype({"points": float})


def test_the_torrance_tests_published_figures_come_out_of_the_protocol() -> None:
    # facts/ttcw.md: QWK of dimension counts, and their means, over 48 stories and over the 36 of models.
    data = read_ttcw()
    dimensions = list(DIMENSIONS)
    means = measure_agreement(
        points_of(data), dimensions, measures=["qwk"], resampling=Resampling(n_resamples=0)
    ).means
    found = means[means["metric"] == "qwk"].pivot(index="judge", columns="dimension", values="value")
    expected = {
        "cgpt": [-0.279, -0.027, 0.092, -0.027, -0.060],
        "gpt4": [-0.041, 0.125, 0.154, -0.020, 0.054],
        "gemini-pro": [-0.015, -0.071, -0.097, -0.034, -0.054],
        "claudev13": [-0.032, 0.047, 0.252, -0.069, 0.050],
        "claudev2": [-0.124, 0.046, -0.029, -0.064, -0.043],
        "claudev21": [-0.106, 0.065, 0.027, -0.029, -0.011],
        "claude3-opus": [0.072, 0.057, 0.587, 0.045, 0.190],
        HUMAN: [0.553, 0.572, 0.719, 0.545, 0.597],
    }
    for judge, values in expected.items():
        assert [found.loc[judge, one] for one in (*dimensions, AVG)] == pytest.approx(values, abs=0.0006), (
            judge
        )
    of_models = measure_agreement(
        points_of(data.of_models()), dimensions, measures=["qwk"], resampling=Resampling(n_resamples=0)
    ).means
    human = of_models[(of_models["judge"] == HUMAN) & (of_models["metric"] == "qwk")]
    assert human["value"].tolist() == pytest.approx([0.173, -0.039, 0.308, 0.035, 0.119], abs=0.0006)


def test_swapping_experts_moves_their_agreement_and_plots_are_few_clusters() -> None:
    data = read_ttcw()
    points = points_of(data)
    swapped = swap_slots(points, list(DIMENSIONS), measures=["qwk"], n_assignments=30)
    human = swapped[(swapped["judge"] == HUMAN) & (swapped["dimension"] == AVG)].iloc[0]
    assert human["lowest"] < human["value"] < human["highest"]
    assert human["highest"] - human["lowest"] < 0.05
    plots = {story: story.partition("_")[0] for story in data.stories}
    found = measure_agreement(
        points, ["Originality"], measures=["qwk"], resampling=Resampling(n_resamples=200, clusters=plots)
    )
    assert found.warnings == ("Only 12 clusters: intervals from fewer than 30 clusters are too narrow.",)
    row = found.means[(found.means["judge"] == HUMAN) & (found.means["dimension"] == AVG)].iloc[0]
    assert not math.isnan(row["low"])
