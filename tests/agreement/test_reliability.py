"""Studies found in the data and their tables; components are tested with the statistics."""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest

from agreement.tables import judge, row, table
from creaeval.agreement.options import AgreementOptions
from creaeval.agreement.rating_data import Scorer
from creaeval.agreement.scorers.reliability import (
    D_STUDY_COLUMNS,
    DESIGN_COLUMNS,
    RELIABILITY_COLUMNS,
    VARIANCE_COLUMNS,
    reliability_tables,
)
from creaeval.errors import SettingError
from creaeval.stats.icc import icc
from stats import textbooks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd

    from creaeval.agreement.rating_data import RatingData

    Carried = Mapping[str, Mapping[str, str]]

OPTIONS = AgreementOptions()
CROSSED = AgreementOptions(persons="participant", facet="scenario")
# Mean squares of responses 11.24, of raters 32.49, of the rest 1.02.
SHROUT_FLEISS, BRENNAN_3 = (
    np.array(values, dtype=float) for values in (textbooks.SHROUT_FLEISS, textbooks.BRENNAN_3)
)
# R: d has SHROUT_FLEISS as response, rater, value, and a response 7 with 1, 2 and 3 by raters 1, 3 and 4;
# lmer(value ~ (1 | response) + (1 | rater), d, control = lmerControl(optimizer = "bobyqa"))
LME4_GAPS = [4.3824324, 4.4847007, 1.4066571]
BRENNAN_COMPONENTS = [0.5528, 0.4417, 0.0074, 0.5750, 0.1009, 0.1565, 0.9352]


def laid_out(
    scores: np.ndarray,
    scorers: Sequence[Scorer] = tuple(map(Scorer, "ABCDEFGHIJK")),
    carried: Carried | None = None,
) -> RatingData:
    """Points on dimension d of a matrix with a column a scorer; nan has no row."""
    columns = zip(scorers, scores.T.tolist(), strict=False)
    return table(
        {
            (scorer, "", "d"): [None if math.isnan(value) else value for value in column]
            for scorer, column in columns
        },
        carried=carried,
    )


def booklets(
    scores: np.ndarray,
    scorers: Sequence[Scorer] = tuple(map(Scorer, "ABCD")),
    carried: Carried | None = None,
) -> RatingData:
    """One response a person and occasion (R00 and R01 are those of P0), each scored by four raters."""
    n_persons, n_raters, n_occasions = scores.shape
    places = list(product(range(n_persons), range(n_occasions)))
    columns: Carried = {
        "participant": {f"R{n:02}": f"P{person}" for n, (person, _) in enumerate(places)},
        "scenario": {f"R{n:02}": f"S{occasion}" for n, (_, occasion) in enumerate(places)},
    }
    flat = scores.transpose(0, 2, 1).reshape(-1, n_raters)
    return laid_out(flat, scorers, {**columns, **(carried or {})})


def variance_of(data: RatingData, options: AgreementOptions = OPTIONS) -> pd.DataFrame:
    return reliability_tables(data, options)["variance"]


def d_study_of(
    data: RatingData, options: AgreementOptions = OPTIONS, numbers: Sequence[int] = (1, 4)
) -> pd.DataFrame:
    return reliability_tables(data, options, numbers=numbers)["d_study"]


def chain(severities: Sequence[float] = (-3, -1, 1, 3), n: int = 120) -> np.ndarray:
    """Points of responses by the pairs AB, BC and CD of raters with known severities, from 1 to 20."""
    rng = np.random.default_rng(4)
    points = np.full((n, len(severities)), np.nan)
    quality = rng.normal(10.5, 2, n)
    for response in range(n):
        pair = [response % 3, response % 3 + 1]
        points[response, pair] = quality[response] + np.take(severities, pair) + rng.normal(0, 1.2, 2)
    clipped: np.ndarray = np.clip(np.rint(points), 1, 20)
    return clipped


def test_crossed_raters_of_the_textbook() -> None:
    found = variance_of(laid_out(SHROUT_FLEISS))
    assert [*found.columns] == VARIANCE_COLUMNS
    assert found["effect"].tolist() == ["response", "rater", "response x rater"]
    expected = [(11.24 - 1.02) / 4, (32.49 - 1.02) / 6, 1.02]
    assert found["estimate"].tolist() == pytest.approx(expected, abs=6e-3)
    assert found["share"].tolist() == pytest.approx(np.array(expected) / sum(expected), abs=2e-3)
    assert (found["low"] < found["variance"]).all()
    assert (found["variance"] < found["high"]).all()
    assert set(found["design"]) == {"response x rater"}
    assert (set(found["n"]), set(found["levels"]), set(found["estimator"])) == ({6}, {"4"}, {"anova"})
    assert set(found["reason"]) == {""}


def test_coefficients_and_numbers_needed_of_the_textbook() -> None:
    found = d_study_of(laid_out(SHROUT_FLEISS))
    assert [*found.columns] == D_STUDY_COLUMNS
    # Published: ICC(3,1) 0.71, ICC(2,1) 0.29; ICC(3,4) 0.91, ICC(2,4) 0.62
    assert found["generalizability"].tolist() == pytest.approx([0.71, 0.91], abs=6e-3)
    assert found["dependability"].tolist() == pytest.approx([0.29, 0.62], abs=6e-3)
    # p / (p + e / k) >= 0.8 from k >= 4 e / p: 4 x 1.02 / 2.56 = 1.6; 4 x (5.24 + 1.02) / 2.56 = 9.8
    assert set(found["needed_for_ranking"]) == {2}
    assert set(found["needed_for_level"]) == {10}
    assert set(found["of"]) == {"raters"}
    usual = reliability_tables(laid_out(SHROUT_FLEISS), OPTIONS)["d_study"]
    assert usual["number"].tolist() == [1, 2, 3, 5, 10]


def test_single_and_mean_absolute_and_consistent_reliability_of_the_textbook() -> None:
    found = reliability_tables(laid_out(SHROUT_FLEISS), OPTIONS)["reliability"]
    assert [*found.columns] == RELIABILITY_COLUMNS
    assert found["coefficient"].tolist() == [
        *("single absolute", "single consistent", "mean absolute", "mean consistent")
    ]
    assert found["value"].tolist() == pytest.approx([0.29, 0.71, 0.62, 0.91], abs=6e-3)
    assert found["raters"].tolist() == [1, 1, 4, 4]
    assert found["needed"].tolist() == [10, 2, 10, 2]
    # Consistency has an exact interval, McGraw and Wong's: .342 to .946 (psych::ICC).
    single = row(found, coefficient="single consistent")
    assert (single.low, single.high) == pytest.approx((0.342, 0.946), abs=0.02)
    # n = 4 (1 - r) / r
    assert single.needed_high == math.ceil(4 * (1 - single.low) / single.low)
    narrow = reliability_tables(laid_out(SHROUT_FLEISS), AgreementOptions(confidence=0.5))["reliability"]
    assert (narrow["low"] > found["low"]).all()
    assert (narrow["high"] < found["high"]).all()


def test_a_chain_of_pairs_has_the_reliability_that_was_put_in() -> None:
    # Severities -3, -1, 1, 3 have the variance 6.67: 4 / (4 + 6.67 + 1.44 + 1/12) = .33, consistent .72.
    found = reliability_tables(laid_out(chain()), OPTIONS)
    single = found["reliability"].set_index("coefficient").loc["single absolute"]
    assert single.low < 0.33 < single.high
    assert single.value == pytest.approx(0.33, abs=0.1)
    assert (single.raters, single.design) == (1, "incomplete")
    assert set(found["variance"]["estimator"]) == {"reml"}
    design = found["design"].iloc[0]
    assert [*found["design"].columns] == DESIGN_COLUMNS
    assert (design.design, design.responses, design.raters, design.ratings) == ("incomplete", 120, 4, 240)
    assert (design.density, design.raters_per_response, design.islands) == (0.5, 2, 1)
    assert design.note.startswith("50% of all raters x responses are rated, and all are linked")


def test_fixed_raters_have_narrower_intervals() -> None:
    random, fixed = (
        reliability_tables(laid_out(chain()), AgreementOptions(raters=raters))["reliability"].iloc[0]
        for raters in ("random", "fixed")
    )
    assert random.value == fixed.value
    assert fixed.high - fixed.low < 0.6 * (random.high - random.low)


def test_all_ratings_count_whoever_is_missing() -> None:
    # lme4 1.1-31 in R 4.2.2, value ~ (1 | response) + (1 | rater): the textbook's data and a seventh response
    gaps = np.vstack([SHROUT_FLEISS, [1, np.nan, 2, 3], [np.nan] * 4])
    found = variance_of(laid_out(gaps))
    assert found["estimate"].tolist() == pytest.approx(LME4_GAPS, rel=1e-4)
    # The last has no points at all, so it is no response of this dimension.
    assert set(found["n"]) == {7}


def test_raters_within_responses_where_no_two_share_a_rater() -> None:
    points = np.full((6, 12), np.nan)
    pairs = SHROUT_FLEISS[:, [0, 3]]
    for number in range(6):
        points[number, 2 * number : 2 * number + 2] = pairs[number]
    data = laid_out(points, [Scorer(f"r{number}") for number in range(12)])
    tables = reliability_tables(data, OPTIONS, numbers=[1, 2])
    found = tables["variance"]
    assert found["effect"].tolist() == ["response", "rater within response"]
    assert set(found["design"]) == {"rater within response"}
    between = 2 * pairs.mean(axis=1).var(ddof=1)
    within = pairs.var(axis=1, ddof=1).mean()
    assert found["variance"].tolist() == pytest.approx([(between - within) / 2, within])
    study = tables["d_study"]
    assert study["generalizability"].tolist() == study["dependability"].tolist()
    assert study["generalizability"].tolist() == pytest.approx(
        [icc(pairs)["ICC(1)"].value, icc(pairs)["ICC(k)"].value]
    )
    design = tables["design"].iloc[0]
    assert (design.design, design.single_raters) == ("nested", 12)
    assert design.note == "No two responses share a rater: leniency cannot be told from error."


def test_islands_are_named_with_what_cannot_be_compared() -> None:
    points = np.full((10, 5), np.nan)
    points[:6, :2], points[6:, 2:] = 3, 4
    points += np.arange(10)[:, None] * np.array([1, 1, 1, 1, 2])
    design = reliability_tables(laid_out(points), OPTIONS)["design"].iloc[0]
    assert (design.design, design.islands) == ("disconnected", 2)
    assert design.note == (
        "2 islands without a response in common: A, B (50%); C, D, E (50%) of the ratings. Raters "
        "and responses of different islands cannot be compared: leniency, fair means and ranks hold within "
        "an island."
    )


def test_clusters_have_a_variance_of_their_own() -> None:
    rng = np.random.default_rng(5)
    classes = np.repeat(np.arange(12), 5)
    points = rng.normal(0, 2, 12)[classes, None] + rng.normal(0, 1, (60, 1)) + rng.normal(0, 1, (60, 3))
    carried = {
        "class": {f"R{n:02}": f"C{number}" for n, number in enumerate(classes)},
        "own": {f"R{n:02}": f"{n}" for n in range(60)},
        "same": {f"R{n:02}": "x" for n in range(60)},
    }
    data = laid_out(points, carried=carried)
    found = variance_of(data, AgreementOptions(cluster=("class",)))
    assert found["effect"].tolist() == ["class", "response", "rater", "response x rater"]
    assert set(found["design"]) == {"response x rater, response within class"}
    plain = variance_of(data)
    for column, why in (("own", "each response has one of its own"), ("same", "there is one")):
        without = variance_of(data, AgreementOptions(cluster=(column,)))
        assert without["estimate"].tolist() == plain["estimate"].tolist()
        assert without["note"].iloc[0].startswith(f"Components are without {column}: {why}.")
    two = variance_of(data, AgreementOptions(cluster=("class", "own")))
    assert two["note"].iloc[0].startswith("Components are without clusters, as there are two columns")


def test_what_cannot_be_estimated_has_its_reason() -> None:
    alone = variance_of(
        table({("rater", "A", "d"): SHROUT_FLEISS[:, 0].tolist(), ("rater", "A", "other"): []})
    )
    assert alone["variance"].isna().all()
    assert alone["effect"].tolist() == ["response", "rater", "response x rater"] * 2
    assert [*dict.fromkeys(alone["reason"])] == ["there is a single rater", "there is no rater"]
    few = np.array([[1, 2, np.nan], [np.nan, 3, 5]])
    tables = reliability_tables(laid_out(few), OPTIONS)
    reason = "4 ratings of 2 responses by 3 raters are too few to tell raters from error"
    for name in ("variance", "reliability", "d_study"):
        assert set(tables[name]["reason"]) == {reason}
    assert tables["d_study"][["generalizability", "dependability", "needed_for_level"]].isna().all(axis=None)
    flat = variance_of(laid_out(np.full((4, 3), 5.0)))
    assert flat["variance"].tolist() == [0, 0, 0]
    assert flat["share"].isna().all()
    assert set(flat["reason"]) == {"all ratings are equal"}
    nobody = laid_out(SHROUT_FLEISS).select(scorers=lambda scorer: scorer.kind == "judge")
    tables = reliability_tables(nobody, OPTIONS)
    assert set(tables["variance"]["reason"]) == set(tables["d_study"]["reason"]) == {"there is no rater"}
    assert tables["reliability"][["value", "needed", "raters"]].isna().all(axis=None)


def test_a_negative_estimate_is_shown_and_no_number_is_enough() -> None:
    # Both means are 2, so MS response is 0 and MS rest 2: (0 - 2) / 2
    points = laid_out(np.array([[1.0, 3.0], [3.0, 1.0]]))
    response = row(variance_of(points), effect="response")
    assert (response.estimate, response.variance) == (-1 * 2, 0)
    assert "0 is used" in response.note
    study = d_study_of(points, AgreementOptions(target=0.7))
    assert study["needed_for_ranking"].isna().all()
    assert study["generalizability"].tolist() == [0, 0]
    assert study["reason"].iloc[0] == (
        "needed_for_ranking: no number of raters reaches 0.7; "
        "needed_for_level: no number of raters reaches 0.7"
    )
    found = reliability_tables(points, OPTIONS)["reliability"]
    assert set(found["needed"]) == {math.inf}
    assert set(found["reason"]) == {
        "no number of raters reaches 0.8; no interval: fewer than 5 responses or clusters"
    }


def test_participants_raters_and_scenarios_of_the_textbook() -> None:
    data = booklets(BRENNAN_3)
    tables = reliability_tables(data, CROSSED, numbers=[4])
    found = tables["variance"]
    assert found["effect"].tolist() == [
        "participant",
        "rater",
        "scenario",
        "participant x rater",
        "participant x scenario",
        "rater x scenario",
        "participant x rater x scenario",
    ]
    assert found["estimate"].tolist() == pytest.approx(BRENNAN_COMPONENTS, abs=6e-5)
    assert (set(found["n"]), set(found["levels"])) == ({10}, {"4 x 2"})
    # Published with four items on two occasions: 0.64 and 0.55
    mean = tables["reliability"].set_index("coefficient")["value"]
    assert (mean["mean consistent"], mean["mean absolute"]) == pytest.approx((0.64, 0.55), abs=6e-3)
    # With n items, one occasion: p / (p + po + (pi + pio) / n) >= 0.8
    study = tables["d_study"].iloc[0]
    p, _, _, by_item, by_occasion, _, rest = BRENNAN_COMPONENTS
    assert study.needed_for_ranking == math.ceil((by_item + rest) / (p / 0.8 - p - by_occasion))
    assert "With 1 scenario each." in study.note
    assert study.objects == "participant"


def test_participants_without_all_responses_count_too() -> None:
    data = booklets(BRENNAN_3)
    fewer = data.select(units=[unit for unit in data.units if unit.response_id != "R07"])
    found = variance_of(fewer, CROSSED)
    assert (set(found["n"]), set(found["estimator"])) == ({10}, {"reml"})
    persons = data.carried["participant"].items()
    some = {"person": {name: who for name, who in persons if name not in ("R00", "R01")}}
    found = variance_of(booklets(BRENNAN_3, carried=some), CROSSED.change(persons="person"))
    assert found["effect"].iloc[0] == "person"
    assert set(found["n"]) == {9}
    assert "2 responses without person or scenario are left out." in found["note"].iloc[0]


def test_three_factors_that_do_not_cross_are_undefined() -> None:
    split = BRENNAN_3.astype(float)
    split[:, 2:, 0] = split[:, :2, 1] = np.nan
    found = variance_of(booklets(split), CROSSED)
    assert found["variance"].isna().all()
    assert set(found["reason"]) == {
        "rater and rater x scenario have the same levels and cannot be told apart"
    }
    names = [f"R{n:02}" for n in range(20)]
    data = booklets(BRENNAN_3, carried={"participant": dict.fromkeys(names, "P")})
    twice = variance_of(data, CROSSED)
    assert "participant P has more than one response for scenario S0" in twice["reason"].iloc[0]
    alone = {"participant": {name: name for name in names}, "scenario": dict.fromkeys(names, "S")}
    single = variance_of(booklets(BRENNAN_3, carried=alone), CROSSED)
    assert set(single["reason"]) == {"there is a single level of the scenario"}
    nowhere = variance_of(booklets(BRENNAN_3, carried={"scenario": {}}), CROSSED)
    assert set(nowhere["reason"]) == {"there is no rater"}
    judges = [judge("j"), judge("j", repeat=2), judge("k")]
    found = variance_of(booklets(BRENNAN_3[:, :3], judges), CROSSED)
    assert set(found["reason"]) == {"the judges' repeats would be a fourth factor, which is not estimated"}


def test_judges_and_their_repeats() -> None:
    data = laid_out(
        BRENNAN_3.reshape(10, -1), [judge(name, repeat=repeat) for name in "jklm" for repeat in (1, 2)]
    )
    found = variance_of(data)
    assert found["effect"].iloc[-1] == "response x judge x repeat"
    assert found["estimate"].tolist() == pytest.approx(BRENNAN_COMPONENTS, abs=6e-5)
    tables = reliability_tables(data, OPTIONS)
    mean = row(tables["reliability"], coefficient="mean consistent")
    assert (mean.value, mean.raters) == (pytest.approx(0.64, abs=6e-3), 4)
    study = tables["d_study"].iloc[0]
    assert (study.of, study.note) == ("judges", "With 1 repeat each.")


def test_repeats_are_matched_by_their_numbers_and_not_by_their_order() -> None:
    # Evidence 2 with repeat 10 comes after repeat 9; a corrected judge is a judge.
    scorers = [Scorer(name, "judge", "m", 2, repeat, "corrected") for name in "jklm" for repeat in (9, 10)]
    order = np.random.default_rng(2).permutation(8)
    data = laid_out(BRENNAN_3.reshape(10, -1)[:, order], [scorers[place] for place in order])
    assert data.scorers != tuple(scorers)
    found = variance_of(data)
    assert found["estimate"].tolist() == pytest.approx(BRENNAN_COMPONENTS, abs=6e-5)


def test_one_judge_with_repeats_is_a_design_of_repeats() -> None:
    data = laid_out(SHROUT_FLEISS, [judge("j", "m", *repeat) for repeat in product((1, 2), (1, 2))])
    found = variance_of(data)
    assert found["effect"].tolist() == ["response", "repeat", "response x repeat"]
    crossed = variance_of(laid_out(SHROUT_FLEISS))
    assert found["estimate"].tolist() == pytest.approx(crossed["estimate"].tolist())
    assert set(d_study_of(data)["of"]) == {"repeats"}


@pytest.mark.parametrize(
    "names",
    [
        ["j", "k@20250101", "l#4", "m@2"],
        ["vertex:text-bison@001", "vertex:text-bison@002", "vertex:text-bison@2", "vertex:text-bison"],
        ["j", "j#2", "j@1#1", "j@1#2"],
    ],
)
def test_a_name_that_looks_like_a_repeat_is_a_judge(names: list[str]) -> None:
    found = variance_of(laid_out(SHROUT_FLEISS, [*map(judge, names)]))
    assert found["effect"].tolist() == ["response", "judge", "response x judge"]
    assert set(found["levels"]) == {"4"}


def test_judges_with_different_repeats_are_one_facet() -> None:
    data = laid_out(SHROUT_FLEISS, [*map(judge, "jklm")])
    more = np.column_stack([SHROUT_FLEISS, [1, 2, 3, 4, 5, 6]])
    found = variance_of(laid_out(more, [*map(judge, "jklm"), judge("k", repeat=2)]))
    assert found["estimate"].tolist() == variance_of(data)["estimate"].tolist()
    assert set(found["design"]) == {"response x judge"}
    assert "each stands with its repeat 1 of evidence 1." in found["note"].iloc[0]
    apart = [judge("j"), judge("j", repeat=2), judge("k", repeat=3), judge("k", repeat=4)]
    assert set(variance_of(laid_out(SHROUT_FLEISS, apart))["reason"]) == {
        "the judges have no repeat in common"
    }


def test_settings_that_make_no_sense_are_refused() -> None:
    data = booklets(BRENNAN_3)
    with pytest.raises(SettingError, match="name both columns"):
        AgreementOptions(persons="participant")
    with pytest.raises(SettingError, match="three names"):
        variance_of(data, AgreementOptions(persons="participant", facet="rater"))
    with pytest.raises(SettingError, match="topic: the responses carry no such column"):
        variance_of(data, AgreementOptions(persons="participant", facet="topic"))
    with pytest.raises(SettingError, match="target"):
        AgreementOptions(target=1)
    with pytest.raises(SettingError, match="1 or more"):
        reliability_tables(data, OPTIONS, numbers=[0])


def test_raters_who_agree_in_full_have_no_interval_without_width() -> None:
    points = [float(1 + number % 7) for number in range(40)]
    data = table({("rater", name, "d1"): points for name in "AB"}, {"d1": (1, 7)})
    found = reliability_tables(data, AgreementOptions())["reliability"]
    assert found["value"].tolist() == pytest.approx([1] * 4)
    assert found[["low", "high", "needed_low", "needed_high"]].isna().all(axis=None)
    assert set(found["reason"]) == {"no interval: it would have no width"}
