"""Designs found in the data; the components themselves are tested with the statistics."""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest

from agreement.tables import judge, row, table
from creaeval.agreement.options import AgreementOptions
from creaeval.agreement.rating_data import Scorer
from creaeval.agreement.variance import (
    D_STUDY_COLUMNS,
    VARIANCE_COLUMNS,
    d_study_table,
    variance_components,
)
from creaeval.errors import SettingError
from creaeval.stats.icc import icc

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from creaeval.agreement.rating_data import RatingData

    Carried = Mapping[str, Mapping[str, str]]

OPTIONS = AgreementOptions()
CROSSED = AgreementOptions(persons="participant", facet="scenario")
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


def test_crossed_raters_of_the_textbook() -> None:
    found = variance_components(laid_out(SHROUT_FLEISS), OPTIONS)
    assert [*found.columns] == VARIANCE_COLUMNS
    assert found["effect"].tolist() == ["response", "rater", "response x rater"]
    expected = [(11.24 - 1.02) / 4, (32.49 - 1.02) / 6, 1.02]
    assert found["estimate"].tolist() == pytest.approx(expected, abs=6e-3)
    assert found["share"].tolist() == pytest.approx(np.array(expected) / sum(expected), abs=2e-3)
    assert set(found["design"]) == {"response x rater"}
    assert (set(found["n"]), set(found["levels"]), set(found["left_out"])) == ({6}, {"4"}, {0})
    assert set(found["reason"]) == {""}


def test_coefficients_and_numbers_needed_of_the_textbook() -> None:
    found = d_study_table(laid_out(SHROUT_FLEISS), OPTIONS, numbers=[1, 4])
    assert [*found.columns] == D_STUDY_COLUMNS
    # Published: ICC(3,1) 0.71, ICC(2,1) 0.29; ICC(3,4) 0.91, ICC(2,4) 0.62
    assert found["generalizability"].tolist() == pytest.approx([0.71, 0.91], abs=6e-3)
    assert found["dependability"].tolist() == pytest.approx([0.29, 0.62], abs=6e-3)
    # p / (p + e / k) >= 0.8 from k >= 4 e / p: 4 x 1.02 / 2.56 = 1.6; 4 x (5.24 + 1.02) / 2.56 = 9.8
    assert set(found["needed_for_ranking"]) == {2}
    assert set(found["needed_for_level"]) == {10}
    assert set(found["of"]) == {"raters"}
    assert d_study_table(laid_out(SHROUT_FLEISS), OPTIONS)["number"].tolist() == [1, 2, 3, 5, 10]


def test_responses_that_not_all_scored_are_left_out_and_counted() -> None:
    gaps = np.vstack([SHROUT_FLEISS, [1, np.nan, 2, 3], [np.nan] * 4])
    found = variance_components(laid_out(gaps), OPTIONS)
    whole = variance_components(laid_out(SHROUT_FLEISS), OPTIONS)
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
    found = variance_components(points, OPTIONS)
    assert found["effect"].tolist() == ["response", "rater within response"]
    assert set(found["design"]) == {"rater within response"}
    between = 2 * pairs.mean(axis=1).var(ddof=1)
    within = pairs.var(axis=1, ddof=1).mean()
    assert found["variance"].tolist() == pytest.approx([(between - within) / 2, within])
    assert (set(found["n"]), set(found["levels"]), set(found["left_out"])) == ({6}, {"2"}, {1})
    assert found["note"].iloc[0] == (
        "Raters are not crossed: no response was scored by all 4; these are the responses with 2 raters."
    )
    study = d_study_table(points, OPTIONS, numbers=[1, 2])
    assert study["generalizability"].tolist() == study["dependability"].tolist()
    assert study["generalizability"].tolist() == pytest.approx(
        [icc(pairs)["ICC(1)"].value, icc(pairs)["ICC(k)"].value]
    )


def test_what_cannot_be_estimated_has_its_reason() -> None:
    alone = variance_components(
        table({("rater", "A", "d"): SHROUT_FLEISS[:, 0].tolist(), ("rater", "A", "other"): []}), OPTIONS
    )
    assert alone["variance"].isna().all()
    assert alone["effect"].tolist() == ["response", "rater", "response x rater"] * 2
    assert [*dict.fromkeys(alone["reason"])] == ["there is a single rater", "there is no rater"]
    assert alone["left_out"].tolist() == [6] * 3 + [0] * 3
    gap = np.full((3, 11), np.nan)
    gap[0, 0], gap[1, 1:3], gap[2, 3:] = 1, 2, 3
    found = variance_components(laid_out(gap[:2]), OPTIONS)
    assert set(found["reason"]) == {
        "raters are not crossed: no response was scored by all 3, and 1 responses have two raters"
    }
    study = d_study_table(laid_out(gap[:2]), OPTIONS)
    assert study[["generalizability", "dependability", "needed_for_level"]].isna().all(axis=None)
    assert set(study["reason"]) == set(found["reason"])
    flat = variance_components(laid_out(np.full((4, 3), 5.0)), OPTIONS)
    assert flat["variance"].tolist() == [0, 0, 0]
    assert flat["share"].isna().all()
    assert set(flat["reason"]) == {"all points are equal, so there are no shares"}
    nobody = laid_out(SHROUT_FLEISS).select(scorers=lambda scorer: scorer.kind == "judge")
    assert set(variance_components(nobody, OPTIONS)["reason"]) == {"there is no rater"}


def test_a_negative_estimate_is_shown_and_no_number_is_enough() -> None:
    # Both means are 2, so MS response is 0 and MS rest 2: (0 - 2) / 2
    points = laid_out(np.array([[1.0, 3.0], [3.0, 1.0]]))
    response = row(variance_components(points, OPTIONS), effect="response")
    assert (response.estimate, response.variance) == (-1 * 2, 0)
    assert "0 is used" in response.note
    study = d_study_table(points, AgreementOptions(target=0.7))
    assert study["needed_for_ranking"].isna().all()
    assert study["generalizability"].tolist() == [0] * 5
    assert study["reason"].iloc[0] == (
        "needed_for_ranking: no number of raters reaches 0.7; "
        "needed_for_level: no number of raters reaches 0.7"
    )


def test_participants_raters_and_scenarios_of_the_textbook() -> None:
    data = booklets(BRENNAN_3)
    found = variance_components(data, CROSSED)
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
    study = d_study_table(data, CROSSED, numbers=[4], n_second=2).iloc[0]
    assert (study.generalizability, study.dependability) == pytest.approx((0.64, 0.55), abs=6e-3)
    assert "With 2 scenarios each." in study.note
    # With n items, two occasions: p / (p + po / 2 + (pi + pio / 2) / n) >= 0.8
    p, _, _, by_item, by_occasion, _, rest = BRENNAN_COMPONENTS
    assert study.needed_for_ranking == math.ceil((by_item + rest / 2) / (p / 0.8 - p - by_occasion / 2))


def test_participants_without_all_responses_are_left_out() -> None:
    data = booklets(BRENNAN_3)
    fewer = data.select(units=[unit for unit in data.units if unit.response_id != "R07"])
    found = variance_components(fewer, CROSSED)
    assert (set(found["n"]), set(found["left_out"])) == ({9}, {1})
    persons = data.carried["participant"].items()
    some = {"person": {name: who for name, who in persons if name not in ("R00", "R01")}}
    found = variance_components(booklets(BRENNAN_3, carried=some), CROSSED.change(persons="person"))
    assert found["effect"].iloc[0] == "person"
    assert set(found["n"]) == {9}
    assert "2 responses without person or scenario are left out." in found["note"].iloc[0]


def test_three_factors_that_do_not_cross_are_undefined() -> None:
    split = BRENNAN_3.copy()
    split[:, 2:, 0] = split[:, :2, 1] = np.nan
    found = variance_components(booklets(split), CROSSED)
    assert found["variance"].isna().all()
    assert set(found["reason"]) == {
        "raters are not crossed: no participant was scored by all 4 in all 2 scenarios"
    }
    names = [f"R{n:02}" for n in range(20)]
    data = booklets(BRENNAN_3, carried={"participant": dict.fromkeys(names, "P")})
    twice = variance_components(data, CROSSED)
    assert "participant P has more than one response for scenario S0" in twice["reason"].iloc[0]
    alone = {"participant": {name: name for name in names}, "scenario": dict.fromkeys(names, "S")}
    single = variance_components(booklets(BRENNAN_3, carried=alone), CROSSED)
    assert set(single["reason"]) == {"there is a single scenario"}
    judges = [judge("j"), judge("j", repeat=2), judge("k")]
    found = variance_components(booklets(BRENNAN_3[:, :3], judges), CROSSED)
    assert set(found["reason"]) == {"the judges' repeats would be a fourth factor, which is not estimated"}


def test_judges_and_their_repeats() -> None:
    data = laid_out(
        BRENNAN_3.reshape(10, -1), [judge(name, repeat=repeat) for name in "jklm" for repeat in (1, 2)]
    )
    found = variance_components(data, OPTIONS)
    assert found["effect"].iloc[-1] == "response x judge x repeat"
    assert found["estimate"].tolist() == pytest.approx(BRENNAN_COMPONENTS, abs=6e-5)
    study = d_study_table(data, OPTIONS, numbers=[4], n_second=2).iloc[0]
    assert study.generalizability == pytest.approx(0.64, abs=6e-3)
    assert (study.of, study.note) == ("judges", "With 2 repeats each.")


def test_repeats_are_matched_by_their_numbers_and_not_by_their_order() -> None:
    # Evidence 2 with repeat 10 comes after repeat 9; a corrected judge is a judge.
    scorers = [Scorer(name, "judge", "m", 2, repeat, "corrected") for name in "jklm" for repeat in (9, 10)]
    order = np.random.default_rng(2).permutation(8)
    data = laid_out(BRENNAN_3.reshape(10, -1)[:, order], [scorers[place] for place in order])
    assert data.scorers != tuple(scorers)
    found = variance_components(data, OPTIONS)
    assert found["estimate"].tolist() == pytest.approx(BRENNAN_COMPONENTS, abs=6e-5)


def test_one_judge_with_repeats_is_a_design_of_repeats() -> None:
    data = laid_out(SHROUT_FLEISS, [judge("j", "m", *repeat) for repeat in product((1, 2), (1, 2))])
    found = variance_components(data, OPTIONS)
    assert found["effect"].tolist() == ["response", "repeat", "response x repeat"]
    crossed = variance_components(laid_out(SHROUT_FLEISS), OPTIONS)
    assert found["estimate"].tolist() == pytest.approx(crossed["estimate"].tolist())
    assert set(d_study_table(data, OPTIONS)["of"]) == {"repeats"}


@pytest.mark.parametrize(
    "names",
    [
        ["j", "k@20250101", "l#4", "m@2"],
        ["vertex:text-bison@001", "vertex:text-bison@002", "vertex:text-bison@2", "vertex:text-bison"],
        ["j", "j#2", "j@1#1", "j@1#2"],
    ],
)
def test_a_name_that_looks_like_a_repeat_is_a_judge(names: list[str]) -> None:
    found = variance_components(laid_out(SHROUT_FLEISS, [*map(judge, names)]), OPTIONS)
    assert found["effect"].tolist() == ["response", "judge", "response x judge"]
    assert set(found["levels"]) == {"4"}


def test_judges_with_different_repeats_are_one_facet() -> None:
    data = laid_out(SHROUT_FLEISS, [*map(judge, "jklm")])
    more = np.column_stack([SHROUT_FLEISS, [1, 2, 3, 4, 5, 6]])
    found = variance_components(laid_out(more, [*map(judge, "jklm"), judge("k", repeat=2)]), OPTIONS)
    assert found["estimate"].tolist() == variance_components(data, OPTIONS)["estimate"].tolist()
    assert set(found["design"]) == {"response x judge"}
    assert "each stands with its repeat 1 of evidence 1." in found["note"].iloc[0]
    apart = [judge("j"), judge("j", repeat=2), judge("k", repeat=3), judge("k", repeat=4)]
    assert set(variance_components(laid_out(SHROUT_FLEISS, apart), OPTIONS)["reason"]) == {
        "the judges have no repeat in common"
    }


def test_settings_that_make_no_sense_are_refused() -> None:
    data = booklets(BRENNAN_3)
    with pytest.raises(SettingError, match="name both columns"):
        AgreementOptions(persons="participant")
    with pytest.raises(SettingError, match="three names"):
        variance_components(data, AgreementOptions(persons="participant", facet="rater"))
    with pytest.raises(SettingError, match="topic: the responses carry no such column"):
        variance_components(data, AgreementOptions(persons="participant", facet="topic"))
    with pytest.raises(SettingError, match="target"):
        AgreementOptions(target=1)
    with pytest.raises(SettingError, match="1 or more"):
        d_study_table(data, OPTIONS, numbers=[0])
