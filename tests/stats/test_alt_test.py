"""The alternative annotator test, worked by hand.

Beside these, the module was compared with the procedure of the authors' notebook
(github.com/nitaytech/AltTest, commit 13eada27) on 300 simulated data sets with missing values, 600 tests:
winning rates, advantage probabilities and p-values were the same. That notebook carries no licence, so
neither it nor its data are here.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats

from creaeval.stats.alt_test import alternative_annotator_test, benjamini_yekutieli


def agreeing(n: int = 40, annotators: int = 3, wrong: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Annotators who all give 5, and a judge who gives 1 to the first `wrong` items."""
    judge = np.full(n, 5.0)
    judge[:wrong] = 1.0
    return judge, np.full((n, annotators), 5.0)


@pytest.mark.parametrize("alignment", ["accuracy", "rmse"])
def test_one_wrong_of_forty_by_hand(alignment: str) -> None:
    # d is 1 once and 0 (a tie) 39 times: mean 0.025, variance (0.975² + 39 x 0.025²) / 39 = 0.025, standard
    # error sqrt(0.025 / 40) = 0.025, t = (0.025 - 0.2) / 0.025 = -7 with 39 degrees of freedom
    judge, annotators = agreeing()
    result = alternative_annotator_test(
        judge,
        annotators,
        epsilon=0.2,
        alignment=alignment,  # type: ignore[arg-type]
    )
    assert result.decision == "passes"
    assert result.winning_rate == 1.0
    assert result.average_advantage_probability == pytest.approx(39 / 40)
    for one in result.annotators:
        assert (one.n, one.rejected) == (40, True)
        assert (one.rho_judge, one.rho_annotator) == pytest.approx((39 / 40, 1.0))
        assert one.p_value == pytest.approx(scipy.stats.t.cdf(-7.0, 39))


def test_six_wrong_of_forty_by_hand() -> None:
    # mean 0.15, variance (6 x 0.85² + 34 x 0.15²) / 39 = 5.1 / 39, t = -0.05 / sqrt(5.1 / 39 / 40) = -0.8745
    result = alternative_annotator_test(*agreeing(wrong=6), epsilon=0.2)
    assert result.decision == "fails"
    assert result.winning_rate == 0.0
    assert result.annotators[0].p_value == pytest.approx(
        scipy.stats.t.cdf(-0.05 / math.sqrt(5.1 / 39 / 40), 39)
    )
    assert "0 of 3" in result.reason


def test_root_mean_squares_by_hand() -> None:
    # Annotators 4, 6, 5 and judge 5. Against 6 and 5: judge 1, annotator 4 + 1. Against 4 and 5: 1 and 5.
    # Against 4 and 6: a tie of 2. Thirty times the same, so the outcome is certain.
    result = alternative_annotator_test(np.full(30, 5.0), np.tile([4.0, 6.0, 5.0], (30, 1)), epsilon=0.1)
    assert [one.rho_judge for one in result.annotators] == [1.0, 1.0, 1.0]
    assert [one.rho_annotator for one in result.annotators] == [0.0, 0.0, 1.0]
    assert [one.p_value for one in result.annotators] == [0.0, 0.0, 0.0]
    assert result.decision == "passes"
    assert len(result.warnings) == 3


def test_only_equal_scores_count_for_accuracy() -> None:
    # 5 is near 4 and 6, but equal to neither: the judge ties with the first two and loses to nobody.
    annotators = np.tile([4.0, 6.0, 6.0], (30, 1))
    result = alternative_annotator_test(np.full(30, 5.0), annotators, epsilon=0.1, alignment="accuracy")
    assert [one.rho_judge for one in result.annotators] == [1.0, 0.0, 0.0]
    assert [one.rho_annotator for one in result.annotators] == [1.0, 1.0, 1.0]
    assert result.winning_rate == pytest.approx(1 / 3)
    assert result.decision == "fails"


def test_half_of_the_annotators_are_enough() -> None:
    # Two annotators always agree, the two others are out by 2 either way; the judge is sometimes out by 1.
    generator = np.random.default_rng(2)
    truth = generator.integers(3, 8, 60).astype(float)
    wild = truth[:, None] + generator.choice([-2.0, 2.0], (60, 2))
    judge = truth + (generator.random(60) < 0.4)
    result = alternative_annotator_test(judge, np.column_stack([truth, truth, wild]), epsilon=0.0)
    assert [one.rejected for one in result.annotators] == [False, False, True, True]
    assert (result.winning_rate, result.decision) == (0.5, "passes")


def test_rounding_does_not_break_ties() -> None:
    third = 1.0 / 3.0
    judge = np.full(30, 3 * third + 0.1 - 0.1)
    result = alternative_annotator_test(judge, np.full((30, 3), 1.0) * 0.1 * 10, epsilon=0.1)
    assert all(one.rho_judge == one.rho_annotator == 1.0 for one in result.annotators)


def test_missing_values_leave_out_only_what_they_must() -> None:
    judge, annotators = agreeing(n=45)
    judge[44] = np.nan  # no judge
    annotators[43, 1:] = np.nan  # a single annotator
    annotators[42, 0] = np.nan  # two are enough
    result = alternative_annotator_test(judge, annotators, epsilon=0.2)
    assert (result.n_items, result.n_left_out) == (43, 2)
    assert [one.n for one in result.annotators] == [42, 43, 43]


def test_annotators_with_few_items_are_not_tested_but_still_heard() -> None:
    judge, annotators = agreeing(annotators=4)
    annotators[20:, 3] = np.nan
    result = alternative_annotator_test(judge, annotators, epsilon=0.2)
    assert result.decision == "passes"
    assert [math.isnan(one.p_value) for one in result.annotators] == [False, False, False, True]
    assert result.annotators[3].rho_judge == pytest.approx(19 / 20)
    assert any("annotators 3" in warning for warning in result.warnings)


def test_two_annotators_are_too_few() -> None:
    result = alternative_annotator_test(*agreeing(annotators=2), epsilon=0.2)
    assert result.decision == "not decidable"
    assert "there are 2" in result.reason
    assert math.isnan(result.winning_rate)
    assert result.average_advantage_probability == pytest.approx(39 / 40)
    assert not any(one.rejected for one in result.annotators)


def test_too_few_items_are_not_decidable() -> None:
    result = alternative_annotator_test(*agreeing(n=29), epsilon=0.2)
    assert result.decision == "not decidable"
    assert "0 of 3" in result.reason
    assert math.isnan(result.winning_rate)
    assert math.isnan(result.average_advantage_probability)
    nothing = alternative_annotator_test(np.full(5, np.nan), np.ones((5, 3)), epsilon=0.2)
    assert nothing.n_items == 0
    assert math.isnan(nothing.annotators[0].rho_judge)


def test_no_spread_at_epsilon_itself_is_undefined_and_no_win() -> None:
    result = alternative_annotator_test(*agreeing(wrong=0), epsilon=0.0)
    assert math.isnan(result.annotators[0].p_value)
    assert result.decision == "fails"


def test_benjamini_yekutieli_by_hand() -> None:
    # m = 3: 1 + 1/2 + 1/3 = 11/6, so the bounds are 0.00909, 0.01818, 0.02727
    assert benjamini_yekutieli([0.2, 0.005, 0.018]).tolist() == [False, True, True]
    assert benjamini_yekutieli([0.012, 0.018, 0.2]).tolist() == [True, True, False]  # stepping up
    assert benjamini_yekutieli([0.01, 0.02, 0.04]).tolist() == [False, False, False]
    assert benjamini_yekutieli([np.nan, 0.001]).tolist() == [False, True]
    assert benjamini_yekutieli([]).tolist() == []


def test_benjamini_yekutieli_agrees_with_scipy() -> None:
    generator = np.random.default_rng(3)
    for _ in range(50):
        p_values = generator.beta(0.3, 3.0, generator.integers(1, 9))
        expected = scipy.stats.false_discovery_control(p_values, method="by") <= 0.05
        assert benjamini_yekutieli(p_values).tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"judge": [1, 2]}, "shape"),
        ({"annotators": [1, 2, 3]}, "shape"),
        ({"epsilon": 1.5}, "epsilon"),
        ({"alignment": "kappa"}, "alignment"),
    ],
)
def test_what_makes_no_sense_is_refused_in_words(change: dict[str, object], words: str) -> None:
    settings = {"judge": [1, 2, 3], "annotators": np.ones((3, 3)), "epsilon": 0.1, **change}
    with pytest.raises(ValueError, match=words):
        alternative_annotator_test(**settings)  # type: ignore[arg-type]


def test_benjamini_yekutieli_takes_one_dimension() -> None:
    with pytest.raises(ValueError, match="one-dimensional"):
        benjamini_yekutieli([[0.1]])


def test_annotators_are_called_by_their_names() -> None:
    annotators = np.tile([4.0, 6.0, 5.0, 5.0], (30, 1))
    annotators[5:, 3] = np.nan
    result = alternative_annotator_test(np.full(30, 5.0), annotators, epsilon=0.1, names=["A", "B", "C", "D"])
    assert [text.split(":")[0] for text in result.warnings[:3]] == [
        "Annotator A",
        "Annotator B",
        "Annotator C",
    ]
    assert result.warnings[3] == "Not tested for fewer than 30 items: annotators D."
    with pytest.raises(ValueError, match="4 annotators need as many names, but got 1"):
        alternative_annotator_test(np.full(30, 5.0), annotators, epsilon=0.1, names=["A"])
