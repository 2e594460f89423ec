"""Every coefficient against an independent package, on ratings that hypothesis makes.

scikit-learn, statsmodels, krippendorff and pingouin come with the development environment alone. Where one of
them gives another number, a test of its own, further below, says who is right and why.
"""

from __future__ import annotations

import gc
import math
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args
from unittest import mock

import numpy as np
import pytest
import scipy.stats
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from creaeval import stats
from creaeval.stats.alpha import Level
from creaeval.stats.alt_test import benjamini_yekutieli
from creaeval.stats.compare import holm, paired_t_test
from creaeval.stats.icc import IccName, icc
from creaeval.stats.measures import get_measure

from .test_correlation import CORRELATIONS, KAPPAS, MEASURES, same

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from creaeval.stats.icc import IccForm

    Floats = np.ndarray[Any, np.dtype[np.float64]]

Test = TypeVar("Test", bound="Callable[..., None]")
NAN = math.nan
LEVELS: tuple[Level, ...] = get_args(Level)
WEIGHTS: dict[str, Literal["linear", "quadratic"] | None] = {
    "kappa": None,
    "linear": "linear",
    "qwk": "quadratic",
}
# The same examples in every run: what is looked for here are our faults, not new ones of the oracles.
steady = settings(max_examples=60, derandomize=True)


@contextmanager
def quiet() -> Iterator[None]:
    """Silence what the oracles warn of; pytest makes an error of it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


# -------------------------------------------------------------------------------------------- made-up ratings


@st.composite
def rater_columns(draw: st.DrawFn, raters: int, *, missing: bool, least: int = 2) -> tuple[Floats, float]:
    """Ratings (targets in rows) on whole, half or third points, and the step; a rater may be constant."""
    step = draw(st.sampled_from([1, 0.5, 1 / 3]))
    n = draw(st.integers(least, 12))
    levels = [place * step for place in range(draw(st.integers(2, 10)))]
    level = st.sampled_from([*levels, NAN] if missing else levels)
    varied = st.lists(level, min_size=n, max_size=n)
    constant = st.sampled_from(levels).map(lambda one: [one] * n)
    column = st.integers(0, 5).flatmap(lambda choice: varied if choice else constant)
    return np.array([draw(column) for _ in range(raters)]).T, step


def matrices(*, missing: bool = False, least: int = 2) -> st.SearchStrategy[Floats]:
    return st.integers(2, 4).flatmap(
        lambda raters: rater_columns(raters, missing=missing, least=least).map(lambda made: made[0])
    )


# Cases that were picked by hand: levels in between unused, one target that differs, opposite raters.
PICKED_PAIRS: list[list[tuple[float, ...]]] = [
    [(2, 2), (9, 9), (9, 10), (2, 9), (10, 10)],
    [*[(2, 2)] * 8, (2, 3), (3, 3)],
    [(1, 5), (2, 4), (3, 3), (4, 2), (5, 1)],
]
PICKED: list[list[tuple[float, ...]]] = [
    *PICKED_PAIRS,
    [(2, 2, 9), (9, 9, 9), (10, 9, 10), (2, 9, 2), (10, 10, 10)],
    [*[(2, 2, 2)] * 6, (2, 3, 2)],
    [(1, 3), (2, 3), (4, 3), (5, 3), (3, 3)],
    [(9, 2, 5, 8), (6, 1, 3, 2), (8, 4, 6, 8), (7, 1, 2, 6), (10, 5, 6, 9), (6, 2, 4, 7)],
]


def picked(argument: str, cases: Sequence[Any], *, with_step: bool = False) -> Callable[[Test], Test]:
    """Add cases that were picked by hand to a test."""

    def decorate(test: Test) -> Test:
        for case in cases:
            value = np.array(case, dtype=float)
            test = example(**{argument: (value, 1) if with_step else value})(test)
        return test

    return decorate


# -------------------------------------------------------------------------------------------- raters in pairs


def by_scikit_learn(x: Floats, y: Floats, name: str, step: float) -> float:
    from sklearn.metrics import cohen_kappa_score

    # It takes whole numbers, and all labels of the scale must be named.
    places = [np.rint(values / step).astype(int) for values in (x, y)]
    with quiet():
        return float(cohen_kappa_score(*places, labels=list(range(20)), weights=WEIGHTS[name]))


def by_scipy(x: Floats, y: Floats, name: str) -> float:
    function = {"pearson": scipy.stats.pearsonr, "spearman": scipy.stats.spearmanr}.get(
        name, scipy.stats.kendalltau
    )
    with quiet():
        return float(function(x, y).statistic)


def complete_pairs(made: Floats) -> tuple[Floats, Floats]:
    x, y = made[~np.isnan(made).any(axis=1)].T
    return x, y


@pytest.mark.parametrize("name", KAPPAS)
@steady
@given(made=rater_columns(2, missing=True))
@picked("made", PICKED_PAIRS, with_step=True)
def test_kappas_are_those_of_scikit_learn_given_all_labels(name: str, made: tuple[Floats, float]) -> None:
    ratings, step = made
    x, y = complete_pairs(ratings)
    value = MEASURES[name](*ratings.T)
    if len(x) < 2 or (np.ptp(x) == 0 and np.ptp(y) == 0):
        assert math.isnan(value)
    else:
        assert same(value, by_scikit_learn(x, y, name, step))


@pytest.mark.parametrize("name", CORRELATIONS)
@steady
@given(made=rater_columns(2, missing=True))
@picked("made", PICKED_PAIRS, with_step=True)
def test_correlations_are_those_of_scipy(name: str, made: tuple[Floats, float]) -> None:
    x, y = complete_pairs(made[0])
    value = MEASURES[name](*made[0].T)
    assert same(value, by_scipy(x, y, name) if len(x) > 1 else NAN)
    assert math.isnan(value) == bool(get_measure(name).why_undefined(x, y))


@steady
@given(made=rater_columns(2, missing=True), confidence=st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_the_paired_t_test_is_that_of_scipy(made: tuple[Floats, float], confidence: float) -> None:
    x, y = complete_pairs(made[0])
    result = paired_t_test(*made[0].T, confidence=confidence)
    assert (result.n, result.n_missing) == (len(x), len(made[0]) - len(x))
    if len(x) < 2 or np.ptp(x - y) < 1e-9:
        assert math.isnan(result.t)
        return
    oracle = scipy.stats.ttest_rel(x, y)
    interval = oracle.confidence_interval(confidence)
    assert (result.t, result.p_value) == pytest.approx((oracle.statistic, oracle.pvalue))
    assert (result.low, result.high) == pytest.approx((interval.low, interval.high), abs=1e-9)
    assert result.degrees_of_freedom == oracle.df


# ------------------------------------------------------------------------------------------------ many raters


def by_krippendorff(ratings: Floats, level: Level) -> float:
    import krippendorff

    with quiet():
        return float(krippendorff.alpha(ratings.T, level_of_measurement=level))


def by_statsmodels(ratings: Any) -> float:
    with quiet():
        from statsmodels.stats import inter_rater

        return float(inter_rater.fleiss_kappa(inter_rater.aggregate_raters(np.asarray(ratings))[0]))


def by_pingouin(ratings: Any, *, nan_policy: str = "raise") -> dict[str, dict[str, Any]]:
    import pandas as pd

    with quiet():
        import pingouin

        long = pd.DataFrame(ratings).melt(ignore_index=False, var_name="rater").reset_index(names="target")
        digits, pingouin.options["round.column.CI95"] = pingouin.options["round.column.CI95"], None
        try:
            table = pingouin.intraclass_corr(long, "target", "rater", "value", nan_policy=nan_policy)
        finally:
            pingouin.options["round.column.CI95"] = digits
    return {row["Type"]: row for row in table.to_dict("records")}


def cronbach_by_pingouin(items: Any, *, nan_policy: str = "pairwise") -> float:
    import pandas as pd

    with quiet():
        import pingouin

        return float(pingouin.cronbach_alpha(pd.DataFrame(items), nan_policy=nan_policy)[0])


@pytest.mark.parametrize("level", LEVELS)
@steady
@given(ratings=matrices(missing=True))
@picked("ratings", PICKED)
def test_alpha_is_that_of_krippendorff(level: Level, ratings: Floats) -> None:
    value = stats.krippendorff_alpha(ratings, level)
    if stats.why_alpha_undefined(ratings):
        assert math.isnan(value)
    else:
        assert same(value, by_krippendorff(ratings, level))


@steady
@given(ratings=matrices())
@picked("ratings", PICKED)
def test_fleiss_kappa_is_that_of_statsmodels(ratings: Floats) -> None:
    assert same(stats.fleiss_kappa(ratings), by_statsmodels(ratings))


@steady
@given(ratings=matrices(missing=True))
@picked("ratings", PICKED)
def test_cronbach_alpha_is_that_of_pingouin_on_complete_targets(ratings: Floats) -> None:
    complete = ratings[~np.isnan(ratings).any(axis=1)]
    value = stats.cronbach_alpha(ratings)
    if len(complete) < 2 or np.ptp(complete.sum(axis=1)) < 1e-9:
        assert math.isnan(value)
    else:
        assert same(value, cronbach_by_pingouin(complete))


def named(form: IccForm) -> str:
    """What pingouin calls it: one-way forms after Shrout and Fleiss, two-way ones after McGraw and Wong."""
    return form.shrout_fleiss if form.shrout_fleiss.startswith("ICC(1") else form.name


def assert_same_form(form: IccForm, oracle: dict[str, Any]) -> None:
    lower, upper = oracle["CI95"]
    assert (form.df1, form.df2) == (oracle["df1"], oracle["df2"])
    if form.f == math.inf:
        # Without error theirs is infinite or, by rounding, huge with any sign, and its limits are nan.
        assert abs(oracle["F"]) > 1e12
        assert form.p == 0
        assert same(form.value, oracle["ICC"])
        return
    assert same(form.f, oracle["F"])
    assert same(form.p, oracle["pval"])
    if math.isnan(form.value):
        assert form.why_undefined == "targets differ too little for a mean of ratings"
        assert not -1e12 < oracle["ICC"] <= 1
        return
    assert same(form.value, oracle["ICC"])
    if math.isnan(form.upper):
        assert form.name.startswith("ICC(A")
        assert form.value < 0 or lower > oracle["ICC"]
        assert form.why_no_interval == "no interval: the data set it no lower limit"
        return
    assert same(form.upper, upper)
    assert same(form.lower, lower)


@steady
@given(ratings=matrices(missing=True, least=3))
@picked("ratings", PICKED)
def test_all_forms_of_the_icc_with_f_and_limits_are_those_of_pingouin_on_complete_targets(
    ratings: Floats,
) -> None:
    complete = ratings[~np.isnan(ratings).any(axis=1)]
    table = icc(ratings)
    assert (table.n, table.left_out) == (len(complete), len(ratings) - len(complete))
    assume(complete.size > 4 and len(complete) > 1 and any(np.ptp(rater) > 0 for rater in complete.T))
    oracle = by_pingouin(complete)
    assert len(oracle) == 6
    for form, name in zip(table.forms, get_args(IccName), strict=True):
        assert_same_form(form, oracle[named(form)])
        assert form.name == name


# ---------------------------------------------------------------------------------------------- many p-values

# Mostly small ones, about where false discoveries are told from others.
p_values = st.lists(
    st.one_of(st.floats(0, 1), *[st.integers(0, 80).map(lambda place: (place + 0.5) / 2000)] * 3),
    min_size=1,
    max_size=12,
)


def by_multipletests(p: Any, method: str, alpha: float = 0.05) -> tuple[list[bool], list[float]]:
    # It collects garbage at every call, which takes a tenth of a second.
    with quiet(), mock.patch.object(gc, "collect"):
        from statsmodels.stats.multitest import multipletests

        rejected, adjusted, _, _ = multipletests(p, alpha, method)
    return rejected.tolist(), adjusted.tolist()


@steady
@given(p=p_values)
def test_holm_is_that_of_statsmodels(p: list[float]) -> None:
    assert holm(p) == pytest.approx(by_multipletests(p, "holm")[1])


@steady
@given(p=p_values, q=st.sampled_from([0.01, 0.05, 0.2]))
def test_benjamini_and_yekutieli_reject_what_statsmodels_rejects(p: list[float], q: float) -> None:
    assert benjamini_yekutieli(p, q).tolist() == by_multipletests(p, "fdr_by", q)[0]


# ------------------------------------------------------------------------ where they differ, and who is right


@pytest.mark.parametrize("name", KAPPAS)
def test_scikit_learn_gives_0_to_two_constant_raters_who_differ(name: str) -> None:
    # By the formula chance explains all of the disagreement, so 0 is no error. But raters who each give one
    # score to all were never seen to tell targets apart, and a 0 would enter a mean over dimensions as a
    # finding; creaeval leaves it undefined and says so.
    x, y = np.full(4, 2.0), np.full(4, 3.0)
    assert by_scikit_learn(x, y, name, 1) == 0
    assert math.isnan(MEASURES[name](x, y))
    assert get_measure(name).why_undefined(x, y) == "both are constant"


@pytest.mark.parametrize("name", KAPPAS)
def test_scikit_learn_agrees_that_equal_constant_raters_are_undefined_and_that_one_constant_rater_is_at_0(
    name: str,
) -> None:
    # Earlier releases gave nan here by 0/0 and without a word.
    two, varied = np.full(3, 2.0), np.array([1.0, 2.0, 3.0])
    assert math.isnan(by_scikit_learn(two, two, name, 1))
    assert math.isnan(MEASURES[name](two, two))
    assert by_scikit_learn(two, varied, name, 1) == MEASURES[name](two, varied) == 0


@pytest.mark.parametrize("name", KAPPAS)
def test_scikit_learn_gives_a_kappa_of_a_single_pair(name: str) -> None:
    # One pair is two constant raters; see above.
    assert by_scikit_learn(np.array([1.0]), np.array([2.0]), name, 1) == 0
    assert get_measure(name).why_undefined([1], [2]) == "scored by both: 1"
    assert math.isnan(MEASURES[name]([1], [2]))


def test_scikit_learn_without_labels_moves_far_levels_next_to_each_other() -> None:
    # It numbers the labels that occur, so 2 and 9 count as near as 0 and 2. By their values squared
    # differences have the mean (49 + 49) / 4, and 33 over all 16 combinations; named labels give the same.
    from sklearn.metrics import cohen_kappa_score

    x, y = [0, 2, 9, 9], [0, 9, 2, 9]
    right = 1 - 24.5 / 33
    assert stats.quadratic_weighted_kappa(x, y) == pytest.approx(right)
    assert cohen_kappa_score(x, y, weights="quadratic", labels=range(10)) == pytest.approx(right)
    assert cohen_kappa_score(x, y, weights="quadratic") == pytest.approx(7 / 11)


def test_scikit_learn_sorts_labels_that_are_texts_as_texts() -> None:
    # "10" comes before "2", so a disagreement of 8 points counts as one of one place. creaeval refuses texts.
    from sklearn.metrics import cohen_kappa_score

    x, y = [1, 2, 10, 2], [2, 2, 10, 1]
    as_texts = cohen_kappa_score([str(v) for v in x], [str(v) for v in y], weights="quadratic")
    assert as_texts != pytest.approx(stats.quadratic_weighted_kappa(x, y), abs=0.1)
    with pytest.raises(ValueError, match="scores are numbers"):
        stats.quadratic_weighted_kappa([str(v) for v in x], [str(v) for v in y])


def test_scikit_learn_takes_neither_half_points_nor_missing_scores() -> None:
    # Both occur in ratings. On a scale with even steps, places are points but for a factor, as used above.
    from sklearn.metrics import cohen_kappa_score

    with pytest.raises(ValueError, match="continuous"):
        cohen_kappa_score([1.5, 2], [1, 2], weights="quadratic")
    assert stats.quadratic_weighted_kappa([1.5, 2], [1, 2]) == stats.quadratic_weighted_kappa([3, 4], [2, 4])
    with quiet(), pytest.raises(ValueError, match="NaN"):
        cohen_kappa_score([1, 2, NAN], [1, 2, 2], weights="quadratic")
    assert stats.quadratic_weighted_kappa([1, 2, NAN], [1, 2, 2]) == 1


def test_krippendorff_raises_where_alpha_is_undefined() -> None:
    # 0/0 in the definition. The program that computes a table must go on, so creaeval gives nan and a reason.
    with pytest.raises(ValueError, match="more than one value in the domain"):
        by_krippendorff(np.full((3, 2), 4.0), "interval")
    assert math.isnan(stats.krippendorff_alpha(np.full((3, 2), 4.0), "interval"))
    assert stats.why_alpha_undefined(np.full((3, 2), 4.0)) == "all ratings are equal"
    alone = np.array([[1, NAN], [NAN, 2], [3, NAN]])
    with pytest.raises(ValueError, match="at least two coders"):
        by_krippendorff(alone, "interval")
    assert stats.why_alpha_undefined(alone) == "fewer than 2 targets with two ratings"


def test_krippendorff_looks_for_values_among_ratings_that_stand_alone() -> None:
    # 5 has nothing to be compared with; without it all ratings are equal. Both end in nan, it by a warning.
    ratings = np.array([[2, 2], [2, 2], [5, NAN]])
    assert math.isnan(by_krippendorff(ratings, "interval"))
    assert stats.why_alpha_undefined(ratings) == "all ratings are equal"


def test_krippendorff_gives_an_alpha_of_one_target() -> None:
    # Its two ratings are also all that chance is estimated from, so it is 0 whatever they are: no estimate.
    assert by_krippendorff(np.array([[1.0, 2.0]]), "interval") == 0
    assert by_krippendorff(np.array([[1.0, 9.0]]), "interval") == 0
    assert math.isnan(stats.krippendorff_alpha([[1, 9]], "interval"))


def test_krippendorff_takes_negative_ratings_on_a_ratio_scale() -> None:
    # Points over their sum mean nothing if signs differ: -1 and 1 have the sum 0 and count as equal.
    ratings = np.array([[-1.0, 1.0], [2.0, 2.0]])
    assert by_krippendorff(ratings, "ratio") == 1
    with pytest.raises(ValueError, match="a ratio scale starts at 0"):
        stats.krippendorff_alpha(ratings, "ratio")


def test_statsmodels_counts_a_missing_rating_as_a_category_of_its_own() -> None:
    # Shares 3/6, 2/6 and 1/6, the last that of nan: (2/3 - 7/18) / (1 - 7/18). Fleiss' kappa is defined for
    # as many ratings of one target as of another, so creaeval refuses and points to Krippendorff's alpha.
    holed = np.array([[1, NAN], [1, 1], [2, 2.0]])
    assert by_statsmodels(holed) == pytest.approx(5 / 11)
    with pytest.raises(ValueError, match="Krippendorff's alpha allows for that"):
        stats.fleiss_kappa(holed)


def test_statsmodels_gives_a_fleiss_kappa_of_one_target() -> None:
    # As with alpha, chance is estimated from the same ratings: -1 whatever the two are.
    assert by_statsmodels([[1, 2]]) == by_statsmodels([[1, 9]]) == -1
    assert math.isnan(stats.fleiss_kappa([[1, 9]]))


def test_statsmodels_counts_an_undefined_test_for_holm_and_adjusts_none_beside_it_for_yekutieli() -> None:
    # A test that could not be made is no chance of a false finding, so creaeval's Holm leaves it out.
    p = [0.001, NAN, 0.03]
    assert by_multipletests(p, "holm")[1] == pytest.approx([0.003, NAN, 0.06], nan_ok=True)
    assert holm(p) == pytest.approx([0.002, NAN, 0.03], nan_ok=True)
    # Benjamini and Yekutieli's test counts it, as the alternative annotator test has it: 0.001 is below
    # 1/3 * 0.05 / (1 + 1/2 + 1/3). statsmodels rejects the same, but all its adjusted values are nan.
    rejected, adjusted = by_multipletests(p, "fdr_by")
    assert benjamini_yekutieli(p).tolist() == rejected == [True, False, False]
    assert np.isnan(adjusted).all()


def test_pingouin_refuses_an_icc_of_four_ratings() -> None:
    # Two targets and two raters suffice for all mean squares: rows 8, columns 2, error 0.
    with pytest.raises(AssertionError, match="at least 5"):
        by_pingouin([[1, 2], [3, 4]])
    assert icc([[1, 2], [3, 4]])["ICC(C,1)"].value == 1


def test_pingouin_wants_complete_targets_unless_told_to_leave_them_out() -> None:
    ratings = np.array([*PICKED[-1], (1, NAN, 2, 3)])
    with pytest.raises(ValueError, match="missing"):
        by_pingouin(ratings)
    oracle = by_pingouin(ratings, nan_policy="omit")
    for form in icc(ratings).forms:
        assert_same_form(form, oracle[named(form)])


def test_pingouin_has_no_limits_where_raters_agree_in_full() -> None:
    # F is infinite; so are the quotients that the limits come from. In the limit they are 1, and an interval
    # without width would claim certainty, so there are none here either.
    full = np.repeat([[1.0], [2.0], [3.0], [4.0], [5.0]], 2, axis=1)
    oracle = by_pingouin(full)
    assert np.isnan(oracle["ICC(A,1)"]["CI95"]).all()
    for form in icc(full).forms:
        assert form.value == 1
        assert math.isnan(form.lower)


def test_pingouin_reports_reliabilities_above_1_and_below_any_bound() -> None:
    # Targets differ less than by chance, so the denominator is not positive; that is no reliability.
    opposed = [(1, 5), (2, 4), (3, 3), (4, 2), (5, 2)]
    assert by_pingouin(opposed)["ICC(A,k)"]["ICC"] == pytest.approx(40 / 7)
    assert math.isnan(icc(opposed)["ICC(A,k)"].value)
    opposed = [(1, 5), (2, 4), (3, 3), (4, 2)]
    assert by_pingouin(opposed)["ICC(C,k)"]["ICC"] == -math.inf
    assert math.isnan(icc(opposed)["ICC(C,k)"].value)


def test_pingouin_passes_a_pole_on_the_way_from_one_to_k_raters() -> None:
    # The lower limit of one rater is below -1 / (k - 1); stepped up, it would lie above the upper one.
    ratings = [(1, 3), (2, 3), (4, 3), (5, 3), (3, 3)]
    lower, upper = by_pingouin(ratings)["ICC(A,k)"]["CI95"]
    assert lower > 9 > upper
    form = icc(ratings)["ICC(A,k)"]
    assert math.isnan(form.lower)
    assert math.isnan(form.upper)
    assert form.why_no_interval == "no interval: the data set it no lower limit"


def test_pingouin_computes_an_icc_of_constant_raters() -> None:
    # They differ and do not vary: agreement 0 by the formula, consistency 0/0. creaeval leaves all undefined,
    # as it does for kappas.
    constant = [(1, 2)] * 5
    oracle = by_pingouin(constant)
    assert (oracle["ICC(1,1)"]["ICC"], oracle["ICC(A,1)"]["ICC"]) == (-1, 0)
    assert math.isnan(oracle["ICC(C,1)"]["ICC"])
    assert {form.why_undefined for form in icc(constant).forms} == {"every rater is constant"}


def test_pingouin_takes_cronbachs_alpha_of_pairs_unless_told_to_leave_targets_out() -> None:
    # Variances of different targets in one quotient may give any number; a sum needs all of its items.
    items = [(1, 3), (3, NAN), (2, 2), (4, 5)]
    listwise = cronbach_by_pingouin(items, nan_policy="listwise")
    assert stats.cronbach_alpha(np.array(items)) == pytest.approx(listwise)
    assert cronbach_by_pingouin(items) != pytest.approx(listwise, abs=0.05)


def test_pingouin_gives_equal_sums_an_alpha_of_minus_infinity() -> None:
    # The variance of the sums, which is divided by, is 0: undefined rather than very bad.
    items = [(1, 3), (3, 1), (2, 2)]
    assert cronbach_by_pingouin(items) == -math.inf
    assert math.isnan(stats.cronbach_alpha(items))


def test_scipy_tests_differences_that_are_all_the_same() -> None:
    # Their deviation is 0, and t is not infinite evidence but undefined; rounding makes it 1e16 in scipy.
    with quiet():
        assert scipy.stats.ttest_rel([1, 2, 3], [0, 1, 2]).statistic == math.inf
        assert scipy.stats.ttest_rel([1.1, 2.2, 3.3], [0.1, 1.2, 2.3]).statistic > 1e12
    assert math.isnan(paired_t_test([1, 2, 3], [0, 1, 2]).t)
    assert math.isnan(paired_t_test([1.1, 2.2, 3.3], [0.1, 1.2, 2.3]).t)


def test_scipy_raises_on_a_correlation_of_one_pair() -> None:
    with pytest.raises(ValueError, match="at least 2"):
        scipy.stats.pearsonr([1], [1])
    assert math.isnan(stats.pearson([1], [1]))
    assert get_measure("pearson").why_undefined([1], [1]) == "scored by both: 1"
