"""Raters in slots, and the range that other ways of dealing them give."""

from __future__ import annotations

import math

import numpy as np
import pytest

from agreement.tables import judge, row, table
from creaeval.agreement.options import AgreementOptions
from creaeval.agreement.pairs import AVG, HUMAN
from creaeval.agreement.protocol import measure_agreement
from creaeval.agreement.rating_data import RatingData, Scorer
from creaeval.agreement.slots import needs_slots, put_into_slots, swap_slots
from ttcw_data import DIMENSIONS, Ttcw, blank_is_no, counts, read_ttcw

QWK = AgreementOptions(measures=("qwk",), resamples=0)


def rated(**points: list[float | None]) -> RatingData:
    """Points by rater, a value for each response."""
    return table({("rater", name, "d"): values for name, values in points.items()})


def test_slots_are_needed_where_there_are_more_raters_than_any_response_has() -> None:
    crossed: dict[str, list[float | None]] = {"A": [1.0, 3.0, 2.0], "B": [2.0, 1.0, None]}
    assert not needs_slots(rated(**crossed))
    assert needs_slots(rated(**{**crossed, "C": [None, None, 2.0]}))


def test_raters_of_a_response_fill_slots_in_the_order_of_their_names() -> None:
    ratings = {"10": [5, None], "9": [4, None], "Zoe": [None, 1], "2": [None, 2]}
    data = table(
        {("rater", name, "d"): of_rater for name, of_rater in ratings.items()} | {("judge", "j", "d"): [3]}
    )
    slots = put_into_slots(data)
    assert slots.scorers == (judge("j"), Scorer("slot 1"), Scorer("slot 2"))
    rows = slots.table()
    raters = rows[rows["kind"].eq("rater")]
    assert {(one.response_id, one.scorer): (one.points, one.person) for one in raters.itertuples()} == {
        ("R00", "slot 1"): (4, "9"),
        ("R00", "slot 2"): (5, "10"),
        ("R01", "slot 1"): (2, "2"),
        ("R01", "slot 2"): (1, "Zoe"),
    }
    judges = rows[rows["kind"].eq("judge")]
    assert (judges["scorer"].tolist(), judges["person"].tolist()) == (["j"], ["j"])


def test_who_is_one_too_many_for_the_slots_is_left_out() -> None:
    data = rated(A=[1, 1, 1], B=[2, None, 2], C=[None, 3, 3])
    rows = put_into_slots(data).table()
    assert set(rows["scorer"]) == {"slot 1", "slot 2"}
    assert rows.loc[rows["response_id"].eq("R02"), "person"].tolist() == ["A", "B"]


def test_dealing_anew_gives_the_range_of_all_ways() -> None:
    # Two responses, so two ways that differ: r of the slots is 1 as dealt and -1 with one of them swapped.
    data = rated(A=[1, None], B=[2, None], C=[None, 3], D=[None, 4])
    options = AgreementOptions(measures=("pearson", "bias"))
    found = swap_slots(put_into_slots(data), options, n_assignments=50)
    r = row(found, metric="pearson", dimension=AVG)
    assert (r["judge"], r["value"], r["lowest"], r["highest"]) == (HUMAN, pytest.approx(1), 1, 1)
    bias = row(found, metric="bias", dimension="d")
    # Slot 1 less slot 2: -1 and -1 as dealt; swapping one or both gives 0 or 1.
    assert (bias["value"], bias["lowest"], bias["highest"]) == (-1, -1, 1)
    assert (bias["assignments"], bias["n"]) == (50, 2)


def ratings_of(data: Ttcw) -> RatingData:
    """Dimension counts of experts (slots) and judges, blank verdicts as No; stories carry their plot."""
    scorers = [(Scorer(f"slot {slot + 1}"), data.experts[:, :, slot]) for slot in range(3)]
    scorers += [(judge(name, "recorded"), blank_is_no(verdicts)) for name, verdicts in data.judges.items()]
    points = {
        (scorer, "", dimension): [
            None if np.isnan(value) else value for value in counts(verdicts, tests).tolist()
        ]
        for dimension, tests in DIMENSIONS.items()
        for scorer, verdicts in scorers
    }
    plots = {f"R{n:02}": story.partition("_")[0] for n, story in enumerate(data.stories)}
    return table(points, carried={"plot": plots})


def test_the_torrance_tests_published_figures_come_out_of_the_protocol() -> None:
    # facts/ttcw.md: QWK of dimension counts, and their means, over 48 stories and over the 36 of models.
    data = read_ttcw()
    dimensions = list(DIMENSIONS)
    means = measure_agreement(ratings_of(data), QWK).means
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
    for name, values in expected.items():
        assert list(found.loc[name, [*dimensions, AVG]]) == pytest.approx(values, abs=0.0006), name
    of_models = measure_agreement(ratings_of(data.of_models()), QWK).means
    human = of_models[(of_models["judge"] == HUMAN) & (of_models["metric"] == "qwk")]
    assert human["value"].tolist() == pytest.approx([0.173, -0.039, 0.308, 0.035, 0.119], abs=0.0006)


def test_swapping_experts_moves_their_agreement_and_plots_are_few_clusters() -> None:
    data = ratings_of(read_ttcw())
    human = row(swap_slots(data, QWK, n_assignments=30), judge=HUMAN, dimension=AVG)
    assert human["lowest"] < human["value"] < human["highest"]
    assert human["highest"] - human["lowest"] < 0.05
    found = measure_agreement(
        data.select(dimensions=["Originality"]), QWK.change(resamples=200, cluster="plot")
    )
    # Few experts find a story original: their marks are skewed, too.
    assert found.warnings[0] == "Only 12 clusters: intervals from fewer than 30 clusters are too narrow."
    assert "of 24 in agreement.csv are too narrow, since points are skewed" in found.warnings[1]
    assert not math.isnan(row(found.means, judge=HUMAN, dimension=AVG)["low"])
