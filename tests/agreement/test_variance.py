"""Designs found in tables of points; the components themselves are tested with the statistics."""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pytest

from agreement.tables import row, table
from creaeval.agreement.variance import (
    D_STUDY_COLUMNS,
    VARIANCE_COLUMNS,
    d_study_table,
    variance_components,
)
from creaeval.errors import SettingError
from creaeval.stats.icc import icc

if TYPE_CHECKING:
    from collections.abc import Sequence

# Shrout and Fleiss (1979), Table 2: mean squares of responses 11.24, of raters 32.49, of the rest 1.02.
SHROUT_FLEISS = np.array(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], dtype=float
)
# Brennan (2001), synthetic data set 3: ten persons, four items (first axis the two occasions).
BRENNAN_3 = np.array(
    [
        [
            [2, 4, 5, 5, 4, 4, 2, 3, 0, 6],
            [6, 5, 5, 9, 3, 4, 6, 4, 5, 8],
            [7, 6, 4, 8, 5, 4, 6, 4, 4, 7],
            [5, 7, 6, 6, 6, 7, 5, 5, 5, 6],
        ],
        [
            [2, 6, 5, 5, 4, 6, 2, 6, 5, 6],
            [5, 7, 4, 7, 5, 4, 7, 6, 5, 8],
            [5, 5, 5, 7, 6, 7, 7, 6, 5, 8],
            [5, 7, 5, 6, 4, 8, 5, 4, 3, 6],
        ],
    ],
    dtype=float,
).transpose(2, 1, 0)
BRENNAN_COMPONENTS = [0.5528, 0.4417, 0.0074, 0.5750, 0.1009, 0.1565, 0.9352]


def laid_out(scores: np.ndarray, kind: str = "rater", names: Sequence[str] = "ABCDEFGHIJK") -> pd.DataFrame:
    """Points on dimension d of a matrix with a column a scorer; nan has no row."""
    return table(
        {
            (kind, name, "d"): [None if math.isnan(value) else value for value in column]
            for name, column in zip(names, scores.T.tolist(), strict=False)
        }
    )


def repeated(scores: np.ndarray, labels: list[list[str]]) -> pd.DataFrame:
    """Points of judges, from responses x judges x repeats."""
    return table(
        {
            ("judge", labels[judge][repeat], "d"): scores[:, judge, repeat].tolist()
            for judge, repeat in product(range(scores.shape[1]), range(scores.shape[2]))
        }
    )


def booklets(scores: np.ndarray) -> tuple[pd.DataFrame, dict[str, str], dict[str, str]]:
    """One response a person and occasion, each scored by four raters."""
    rows, persons, occasions = [], {}, {}
    for person, item, occasion in product(*map(range, scores.shape)):
        response = f"b{person}-{occasion}"
        persons[response], occasions[response] = f"P{person}", f"S{occasion}"
        rows.append((response, "ABCD"[item], "rater", "d", scores[person, item, occasion]))
    points = pd.DataFrame(rows, columns=["response_id", "scorer", "kind", "dimension", "points"])
    return points.dropna(), persons, occasions


def test_crossed_raters_of_the_textbook() -> None:
    found = variance_components(laid_out(SHROUT_FLEISS), ["d"])
    assert [*found.columns] == VARIANCE_COLUMNS
    assert found["effect"].tolist() == ["response", "rater", "response x rater"]
    expected = [(11.24 - 1.02) / 4, (32.49 - 1.02) / 6, 1.02]
    assert found["estimate"].tolist() == pytest.approx(expected, abs=6e-3)
    assert found["share"].tolist() == pytest.approx(np.array(expected) / sum(expected), abs=2e-3)
    assert set(found["design"]) == {"response x rater"}
    assert (set(found["n"]), set(found["levels"]), set(found["left_out"])) == ({6}, {"4"}, {0})
    assert set(found["reason"]) == {""}


def test_coefficients_and_numbers_needed_of_the_textbook() -> None:
    found = d_study_table(laid_out(SHROUT_FLEISS), ["d"], numbers=[1, 4])
    assert [*found.columns] == D_STUDY_COLUMNS
    # Published: ICC(3,1) 0.71, ICC(2,1) 0.29; ICC(3,4) 0.91, ICC(2,4) 0.62
    assert found["generalizability"].tolist() == pytest.approx([0.71, 0.91], abs=6e-3)
    assert found["dependability"].tolist() == pytest.approx([0.29, 0.62], abs=6e-3)
    # p / (p + e / k) >= 0.8 from k >= 4 e / p: 4 x 1.02 / 2.56 = 1.6; 4 x (5.24 + 1.02) / 2.56 = 9.8
    assert set(found["needed_for_ranking"]) == {2}
    assert set(found["needed_for_level"]) == {10}
    assert set(found["of"]) == {"raters"}
    assert d_study_table(laid_out(SHROUT_FLEISS), ["d"])["number"].tolist() == [1, 2, 3, 5, 10]


def test_responses_that_not_all_scored_are_left_out_and_counted() -> None:
    gaps = np.vstack([SHROUT_FLEISS, [1, np.nan, 2, 3], [np.nan] * 4])
    found = variance_components(laid_out(gaps), ["d"])
    whole = variance_components(laid_out(SHROUT_FLEISS), ["d"])
    assert found["estimate"].tolist() == whole["estimate"].tolist()
    # The last has no points at all, so it is no response of this dimension.
    assert (set(found["n"]), set(found["left_out"])) == ({6}, {1})


def test_raters_within_responses_where_they_are_not_crossed() -> None:
    # Each response has two of four raters, never the same two; a seventh has three.
    gap = np.full((7, 4), np.nan)
    pairs = SHROUT_FLEISS[:, [0, 3]]
    for number, (first, second) in enumerate([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]):
        gap[number, [first, second]] = pairs[number]
    gap[6, :3] = [1, 2, 3]
    points = laid_out(gap)
    found = variance_components(points, ["d"])
    assert found["effect"].tolist() == ["response", "rater within response"]
    assert set(found["design"]) == {"rater within response"}
    between = 2 * pairs.mean(axis=1).var(ddof=1)
    within = pairs.var(axis=1, ddof=1).mean()
    assert found["variance"].tolist() == pytest.approx([(between - within) / 2, within])
    assert (set(found["n"]), set(found["levels"]), set(found["left_out"])) == ({6}, {"2"}, {1})
    assert found["note"].iloc[0] == (
        "Raters are not crossed: no response was scored by all 4; these are the responses with 2 raters."
    )
    study = d_study_table(points, ["d"], numbers=[1, 2])
    assert study["generalizability"].tolist() == study["dependability"].tolist()
    assert study["generalizability"].tolist() == pytest.approx(
        [icc(pairs)["ICC(1)"].value, icc(pairs)["ICC(k)"].value]
    )


def test_what_cannot_be_estimated_has_its_reason() -> None:
    alone = variance_components(laid_out(SHROUT_FLEISS[:, :1]), ["d", "other"])
    assert alone["variance"].isna().all()
    assert alone["effect"].tolist() == ["response", "rater", "response x rater"] * 2
    assert [*dict.fromkeys(alone["reason"])] == ["there is a single rater", "there is no rater"]
    assert alone["left_out"].tolist() == [6] * 3 + [0] * 3
    gap = np.full((3, 11), np.nan)
    gap[0, 0], gap[1, 1:3], gap[2, 3:] = 1, 2, 3
    found = variance_components(laid_out(gap[:2]), ["d"])
    assert set(found["reason"]) == {
        "raters are not crossed: no response was scored by all 3, and 1 responses have two raters"
    }
    study = d_study_table(laid_out(gap[:2]), ["d"])
    assert study[["generalizability", "dependability", "needed_for_level"]].isna().all(axis=None)
    assert set(study["reason"]) == set(found["reason"])
    flat = variance_components(laid_out(np.full((4, 3), 5.0)), ["d"])
    assert flat["variance"].tolist() == [0, 0, 0]
    assert flat["share"].isna().all()
    assert set(flat["reason"]) == {"all points are equal, so there are no shares"}
    nobody = variance_components(laid_out(SHROUT_FLEISS), ["d"], "judge")
    assert set(nobody["reason"]) == {"there is no judge"}


def test_a_negative_estimate_is_shown_and_no_number_is_enough() -> None:
    # Both means are 2, so MS response is 0 and MS rest 2: (0 - 2) / 2
    points = laid_out(np.array([[1.0, 3.0], [3.0, 1.0]]))
    response = row(variance_components(points, ["d"]), effect="response")
    assert (response.estimate, response.variance) == (-1 * 2, 0)
    assert "0 is used" in response.note
    study = d_study_table(points, ["d"], target=0.7)
    assert study["needed_for_ranking"].isna().all()
    assert study["generalizability"].tolist() == [0] * 5
    assert study["reason"].iloc[0] == (
        "needed_for_ranking: no number of raters reaches 0.7; "
        "needed_for_level: no number of raters reaches 0.7"
    )


def test_participants_raters_and_scenarios_of_the_textbook() -> None:
    points, persons, occasions = booklets(BRENNAN_3)
    found = variance_components(points, ["d"], objects=persons, facet=occasions)
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
    assert (set(found["n"]), set(found["levels"]), set(found["left_out"])) == ({10}, {"4 x 2"}, {0})
    # Published with four items on two occasions: 0.64 and 0.55
    study = d_study_table(points, ["d"], numbers=[4], n_second=2, objects=persons, facet=occasions).iloc[0]
    assert (study.generalizability, study.dependability) == pytest.approx((0.64, 0.55), abs=6e-3)
    assert "With 2 scenarios each." in study.note
    # With n items, two occasions: p / (p + po / 2 + (pi + pio / 2) / n) >= 0.8
    p, _, _, by_item, by_occasion, _, rest = BRENNAN_COMPONENTS
    assert study.needed_for_ranking == math.ceil((by_item + rest / 2) / (p / 0.8 - p - by_occasion / 2))


def test_participants_without_all_responses_are_left_out() -> None:
    points, persons, occasions = booklets(BRENNAN_3)
    fewer = points[points["response_id"] != "b3-1"]
    found = variance_components(fewer, ["d"], objects=persons, facet=occasions)
    assert (set(found["n"]), set(found["left_out"])) == ({9}, {1})
    some = {name: who for name, who in persons.items() if name not in ("b0-0", "b0-1")}
    found = variance_components(points, ["d"], objects=some, facet=occasions, object_name="person")
    assert found["effect"].iloc[0] == "person"
    assert set(found["n"]) == {9}
    assert "2 responses without person or scenario are left out." in found["note"].iloc[0]


def test_three_factors_that_do_not_cross_are_undefined() -> None:
    points, persons, occasions = booklets(BRENNAN_3)
    split = points[(points["scorer"] < "C") == points["response_id"].str.endswith("0")]
    found = variance_components(split, ["d"], objects=persons, facet=occasions)
    assert found["variance"].isna().all()
    assert set(found["reason"]) == {
        "raters are not crossed: no participant was scored by all 4 in all 2 scenarios"
    }
    twice = variance_components(points, ["d"], objects=dict.fromkeys(persons, "P"), facet=occasions)
    assert "participant P has more than one response for scenario S0" in twice["reason"].iloc[0]
    one = variance_components(
        points, ["d"], objects={n: n for n in persons}, facet=dict.fromkeys(persons, "S")
    )
    assert set(one["reason"]) == {"there is a single scenario"}
    judges = points.assign(kind="judge", scorer=points["scorer"].map({"A": "j", "B": "j#2"}).fillna("k"))
    judges = judges.drop_duplicates(["response_id", "scorer"])
    found = variance_components(judges, ["d"], "judge", objects=persons, facet=occasions)
    assert set(found["reason"]) == {"the judges' repeats would be a fourth factor, which is not estimated"}


def test_judges_and_their_repeats() -> None:
    points = repeated(BRENNAN_3, [[name, f"{name}@1#2"] for name in "jklm"])
    found = variance_components(points, ["d"], "judge")
    assert found["effect"].iloc[-1] == "response x judge x repeat"
    assert found["estimate"].tolist() == pytest.approx(BRENNAN_COMPONENTS, abs=6e-5)
    study = d_study_table(points, ["d"], "judge", numbers=[4], n_second=2).iloc[0]
    assert study.generalizability == pytest.approx(0.64, abs=6e-3)
    assert (study.of, study.note) == ("judges", "With 2 repeats each.")


def test_repeats_are_matched_by_their_numbers_and_not_by_their_order() -> None:
    # Evidence 2 with repeat 10 comes after repeat 9; a corrected judge is a judge.
    labels = [[f"{name}@2#9 (corrected)", f"{name}@2#10 (corrected)"] for name in "jklm"]
    points = repeated(BRENNAN_3, labels).sample(frac=1, random_state=2)
    found = variance_components(points, ["d"], "judge")
    assert found["estimate"].tolist() == pytest.approx(BRENNAN_COMPONENTS, abs=6e-5)


def test_one_judge_with_repeats_is_a_design_of_repeats() -> None:
    names = ["j", "j#2", "j@2", "j@2#2"]
    found = variance_components(repeated(SHROUT_FLEISS[:, None, :], [names]), ["d"], "judge")
    assert found["effect"].tolist() == ["response", "repeat", "response x repeat"]
    crossed = variance_components(laid_out(SHROUT_FLEISS), ["d"])
    assert found["estimate"].tolist() == pytest.approx(crossed["estimate"].tolist())
    assert set(d_study_table(repeated(SHROUT_FLEISS[:, None, :], [names]), ["d"], "judge")["of"]) == {
        "repeats"
    }


def test_a_name_that_looks_like_a_repeat_is_a_judge_where_it_stands_alone() -> None:
    names = ["j", "k@20250101", "l#4", "m@2"]
    found = variance_components(laid_out(SHROUT_FLEISS, "judge", names), ["d"], "judge")
    assert found["effect"].tolist() == ["response", "judge", "response x judge"]
    assert set(found["levels"]) == {"4"}


def test_judges_with_different_repeats_are_one_facet() -> None:
    points = laid_out(SHROUT_FLEISS, "judge", "jklm")
    more = pd.concat([points, table({("judge", "k@1#2", "d"): [1, 2, 3, 4, 5, 6]})])
    found = variance_components(more, ["d"], "judge")
    assert found["estimate"].tolist() == variance_components(points, ["d"], "judge")["estimate"].tolist()
    assert set(found["design"]) == {"response x judge"}
    assert "each stands with its repeat 1 of evidence 1." in found["note"].iloc[0]
    apart = laid_out(SHROUT_FLEISS, "judge", ["j", "j#2", "k#3", "k#4"])
    assert set(variance_components(apart, ["d"], "judge")["reason"]) == {
        "the judges have no repeat in common"
    }
    same = laid_out(SHROUT_FLEISS[:, :2], "judge", ["j", "j@1#1"])
    with pytest.raises(SettingError, match="j and j@1#1: both are repeat 1 of evidence 1"):
        variance_components(same, ["d"], "judge")


def test_settings_that_make_no_sense_are_refused() -> None:
    points = laid_out(SHROUT_FLEISS)
    with pytest.raises(SettingError, match="kind"):
        variance_components(points, ["d"], "people")  # type: ignore[arg-type]
    with pytest.raises(SettingError, match="both"):
        variance_components(points, ["d"], objects={})
    with pytest.raises(SettingError, match="three names"):
        variance_components(points, ["d"], objects={}, facet={}, facet_name="rater")
    with pytest.raises(SettingError, match="target"):
        d_study_table(points, ["d"], target=1)
    with pytest.raises(SettingError, match="1 or more"):
        d_study_table(points, ["d"], numbers=[0])
